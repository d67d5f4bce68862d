//! How much longer an operation takes in a large queue than in a small one.

use std::hint::black_box;
use std::time::Duration;

use crate::Extent;
use crate::clock::time;
use crate::report::Report;
use crate::store::{BATCH, Kind, Sends, Store, handles};

/// What a cost may be in the large queue, as a multiple of its cost in the small one.
const MOST: f64 = 1.5;
/// Calls that are timed together.
const CALLS: usize = 60;
/// Over how many groups messages are spread, where they are.
const GROUPS: u32 = 10;
const GROUP_COUNT: usize = GROUPS as usize;

/// One thing whose time is taken.
struct Operation {
    name: &'static str,
    target: Option<f64>,
    /// Takes the time of [`CALLS`] calls, and leaves the queue as large as it was.
    run: fn(&mut Store) -> Duration,
}

const OPERATIONS: &[Operation] = &[
    held("send", send),
    held("receive", receive),
    held("change visibility", change),
    held("delete", delete),
    held("send, receive, delete", cycle),
    held("the same in batches of 10, per message", batches),
];

/// The target is for receives. A send looks for its id among those of the last five minutes, which
/// are as many as the messages here: too many for the processor's cache.
const FIFO_OPERATIONS: &[Operation] = &[
    held("receive one, each of another group", |store| {
        receive_from_groups(store, 1)
    }),
    held("receive ten, each ten of another group", |store| {
        receive_from_groups(store, BATCH)
    }),
    held("receive, every group locked", receive_locked),
    told("send", send),
    told("change visibility", change),
    told("delete", delete),
    told("send, receive, delete", cycle),
    told("the same in batches of 10, per message", batches),
];

const LOCKED_OPERATIONS: &[Operation] = &[
    held("receive", receive),
    told("send", send),
    told("change visibility", change),
    told("delete", delete),
    told("send, receive, delete", cycle),
];

/// An operation that is held to the target.
const fn held(name: &'static str, run: fn(&mut Store) -> Duration) -> Operation {
    Operation {
        name,
        target: Some(MOST),
        run,
    }
}

const fn told(name: &'static str, run: fn(&mut Store) -> Duration) -> Operation {
    Operation {
        name,
        target: None,
        run,
    }
}

pub(crate) fn measure(extent: &Extent, report: &mut Report) {
    let Extent { small, large, .. } = *extent;
    compare(
        "Standard queue",
        [small, large].map(|size| (size, Store::with(Sends::default(), size))),
        OPERATIONS,
        extent.rounds,
        report,
    );
    let groups = Sends {
        groups: GROUPS.into(),
        ..Sends::default()
    };
    compare(
        "Standard queue, messages in 10 groups",
        [small, large].map(|size| (size, Store::with(groups, size))),
        OPERATIONS,
        extent.rounds,
        report,
    );
    let fifo = Sends {
        kind: Kind::Fifo,
        ..groups
    };
    compare(
        "FIFO queue, messages in 10 groups",
        [small, extent.large_fifo].map(|size| (size, Store::with(fifo, size))),
        FIFO_OPERATIONS,
        extent.rounds,
        report,
    );
    let alone = Sends {
        groups: u64::MAX,
        ..fifo
    };
    compare(
        "FIFO queue, each message in a group of its own, all but 1000 of them locked",
        [small, extent.large_fifo].map(|size| (size, locked_but_1000(alone, size))),
        LOCKED_OPERATIONS,
        extent.rounds,
        report,
    );
    at_once(extent, report);
}

/// A store with that many groups that a receive must not look at, and some that it finds.
fn locked_but_1000(sends: Sends, size: usize) -> Store {
    let mut store = Store::with(sends, size);
    store.receive(size);
    store.send(1_000);
    store
}

/// What is done to all messages in one call takes time in proportion to them.
fn at_once(extent: &Extent, report: &mut Report) {
    let title = format!("All {} messages at once", extent.large);
    report.section(title, &["milliseconds"]);
    let mut row = |name: &str, run: fn(&mut Store)| {
        let mut store = Store::with(Sends::default(), extent.large);
        let taken = time(|| run(&mut store)).as_secs_f64() * 1e3;
        report.row(name, vec![format!("{taken:.0}")], taken, None);
    };
    row("purge", |store| {
        let request = store.purge_request();
        store.call(request);
    });
    row("the end of their retention", Store::expire);
}

/// Measures each operation in both stores in turns.
fn compare(
    title: &str,
    stores: [(usize, Store); 2],
    operations: &[Operation],
    rounds: usize,
    report: &mut Report,
) {
    let [(small_size, mut small), (large_size, mut large)] = stores;
    let columns = [
        format!("with {small_size}"),
        format!("with {large_size}"),
        "ratio".to_owned(),
    ];
    let title =
        format!("{title}: time per call, the median of {rounds} rounds, at most {MOST} times");
    report.section(title, &columns.each_ref().map(String::as_str));
    for operation in operations {
        // The first round warms up and does not count.
        let (mut of_small, mut of_large) = (Vec::new(), Vec::new());
        for round in 0..=rounds {
            let times = ((operation.run)(&mut small), (operation.run)(&mut large));
            if round > 0 {
                of_small.push(times.0);
                of_large.push(times.1);
            }
        }
        let (small_time, large_time) = (median(of_small), median(of_large));
        let ratio = large_time / small_time;
        let cells = vec![
            format!("{small_time:.0} ns"),
            format!("{large_time:.0} ns"),
            format!("{ratio:.2}"),
        ];
        report.row(operation.name, cells, ratio, operation.target);
    }
}

/// Of the times of rounds: the median, in nanoseconds per call.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    let middle = times[times.len() / 2];
    middle.as_secs_f64() * 1e9 / CALLS as f64
}

fn send(store: &mut Store) -> Duration {
    let requests: Vec<_> = (0..CALLS).map(|_| store.send_request()).collect();
    let taken = perform(store, requests);
    let oldest = store.receive(CALLS);
    store.delete(oldest);
    taken
}

fn receive(store: &mut Store) -> Duration {
    let mut answers = Vec::with_capacity(CALLS);
    let taken = time(|| {
        for _ in 0..CALLS {
            let request = store.receive_request(1);
            answers.push(store.call(request));
        }
    });
    store.give_back(answers.into_iter().flat_map(handles).collect());
    taken
}

/// Receives once from each group, as often as makes up the calls.
fn receive_from_groups(store: &mut Store, max: usize) -> Duration {
    let mut taken = Duration::ZERO;
    for _ in 0..CALLS / GROUP_COUNT {
        let mut answers = Vec::with_capacity(GROUP_COUNT);
        taken += time(|| {
            for _ in 0..GROUP_COUNT {
                let request = store.receive_request(max);
                answers.push(store.call(request));
            }
        });
        let received: Vec<_> = answers.into_iter().flat_map(handles).collect();
        assert_eq!(
            received.len(),
            GROUP_COUNT * max,
            "each group gave what it should"
        );
        store.give_back(received);
    }
    taken
}

/// Receives nothing, since a message of each group is in flight.
fn receive_locked(store: &mut Store) -> Duration {
    let mut received = Vec::new();
    for _ in 0..GROUP_COUNT {
        received.extend(store.receive(1));
    }
    let requests = (0..CALLS).map(|_| store.receive_request(BATCH)).collect();
    let taken = perform(store, requests);
    store.give_back(received);
    taken
}

fn change(store: &mut Store) -> Duration {
    let received = store.receive(CALLS);
    let requests = received
        .iter()
        .map(|handle| store.change_request(handle, 60));
    let requests = requests.collect();
    let taken = perform(store, requests);
    store.give_back(received);
    taken
}

fn delete(store: &mut Store) -> Duration {
    let received = store.receive(CALLS);
    let requests = received.iter().map(|handle| store.delete_request(handle));
    let requests = requests.collect();
    let taken = perform(store, requests);
    store.send(CALLS);
    taken
}

fn cycle(store: &mut Store) -> Duration {
    time(|| {
        for _ in 0..CALLS {
            store.send(1);
            let received = store.receive(1);
            store.delete(received);
        }
    })
}

fn batches(store: &mut Store) -> Duration {
    time(|| {
        for _ in 0..CALLS / BATCH {
            let request = store.send_batch_request();
            black_box(store.call(request));
            let received = store.receive(BATCH);
            let request = store.delete_batch_request(&received);
            black_box(store.call(request));
        }
    })
}

/// The time of some calls, without that of making the requests and dropping the answers.
fn perform(store: &mut Store, requests: Vec<sqs::Request>) -> Duration {
    let mut answers = Vec::with_capacity(requests.len());
    time(|| {
        answers.extend(requests.into_iter().map(|request| store.call(request)));
    })
}
