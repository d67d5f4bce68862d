//! The loop by a clock that tests move, against a queue in memory.

mod simulated;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use self::simulated::{OnChange, SimulatedQueue};
use super::*;

/// A receiver that runs.
struct Rig {
    queue: SimulatedQueue,
    counters: Arc<Counters>,
    events: Arc<Mutex<Vec<String>>>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Settings of a queue with this kind of name, with a visibility timeout of 30 s.
fn settings(name: &str) -> Settings {
    Settings::of(&format!("http://127.0.0.1/000000000000/{name}"))
}

fn queue() -> SimulatedQueue {
    SimulatedQueue::new(seconds(30))
}

impl Rig {
    /// Starts one whose handler is given the body.
    fn start<H, F>(queue: &SimulatedQueue, settings: Settings, handler: H) -> Rig
    where
        H: Fn(String) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        let handler: Handler =
            Arc::new(move |message| Box::pin(handler(message.body.expect("a body"))));
        let events: Arc<Mutex<Vec<String>>> = Arc::default();
        let counters: Arc<Counters> = Arc::default();
        let heard = Arc::clone(&events);
        let tell = move |event: &Event<'_>| heard.lock().expect("events").push(event.to_string());
        let driver = Driver::new(
            queue.clone(),
            settings,
            handler,
            Box::new(tell),
            Arc::clone(&counters),
        );
        let (stop, stopped) = oneshot::channel::<()>();
        Rig {
            queue: queue.clone(),
            counters,
            events,
            stop,
            task: tokio::spawn(driver.run_until(stopped)),
        }
    }

    /// Waits until no message is left, by a bound.
    async fn until_empty(&self) {
        self.until("the queue is empty", |it| it.queue.left().is_empty())
            .await;
    }

    async fn until(&self, what: &str, is_so: impl Fn(&Rig) -> bool) {
        let end = clock::now() + seconds(100_000);
        while !is_so(self) {
            assert!(clock::now() < end, "never: {what}");
            let step = self.queue.state().step;
            tokio::time::sleep(step).await;
        }
    }

    /// Stops it, and gives how long that took, with what it counted and told.
    async fn stop(self) -> (Duration, Stats, Vec<String>) {
        let begun = clock::now();
        self.stop.send(()).expect("it runs");
        self.task.await.expect("it does not panic");
        let events = self.events.lock().expect("events").clone();
        (clock::now() - begun, self.counters.stats(), events)
    }
}

async fn succeed(_: String) -> Result<(), BoxError> {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn every_message_is_handled_and_deleted_and_no_more_are_held_than_allowed() {
    let queue = queue();
    for number in 0..100 {
        queue.put(number.to_string());
    }
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, highest) = (Arc::clone(&running), Arc::clone(&most));
    let settings = Settings {
        concurrency: 7,
        receives: 3,
        ..settings("orders")
    };
    let rig = Rig::start(&queue, settings, move |_| {
        let (now, highest) = (Arc::clone(&now), Arc::clone(&highest));
        async move {
            highest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(seconds(1)).await;
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    });
    rig.until_empty().await;
    let (_, stats, events) = rig.stop().await;
    assert_eq!(most.load(Ordering::SeqCst), 7);
    assert_eq!(
        (stats.received, stats.handled, stats.deleted),
        (100, 100, 100)
    );
    assert_eq!(events, Vec::<String>::new());
    // What is being deleted comes on top, and no more than that.
    let most = queue.state().most_in_flight;
    assert!((7..=14).contains(&most), "{most} were in flight");
}

#[tokio::test(start_paused = true)]
async fn deletions_go_ten_at_a_time_or_after_the_delay() {
    let queue = queue();
    for number in 0..25 {
        queue.put(number.to_string());
    }
    let settings = Settings {
        concurrency: 50,
        receives: 3,
        ..settings("orders")
    };
    let rig = Rig::start(&queue, settings, succeed);
    rig.until_empty().await;
    assert_eq!(queue.state().deletions, [10, 10, 5]);
    queue.put("late");
    let put = clock::now();
    rig.until_empty().await;
    let took = clock::now() - put;
    assert!(took >= settings.batch_delay, "{took:?}");
    assert!(took < settings.batch_delay + seconds(1), "{took:?}");
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn while_handlers_run_their_messages_stay_hidden_ten_to_a_request() {
    let queue = queue();
    for number in 0..20 {
        queue.put(number.to_string());
    }
    let settings = Settings {
        concurrency: 20,
        receives: 2,
        ..settings("orders")
    };
    let rig = Rig::start(&queue, settings, |_| async {
        tokio::time::sleep(seconds(100)).await;
        Ok(())
    });
    rig.until_empty().await;
    let (_, stats, events) = rig.stop().await;
    assert_eq!((stats.received, stats.handled), (20, 20));
    assert_eq!(events, Vec::<String>::new());
    let changes = &queue.state().changes;
    // After each third of the timeout, for a hundred seconds.
    let sizes: Vec<_> = changes.iter().map(Vec::len).collect();
    assert_eq!(sizes, [10; 2 * 9]);
    assert!(changes.iter().flatten().all(|(_, seconds)| *seconds == 30));
}

#[tokio::test(start_paused = true)]
async fn an_extension_that_is_due_soon_goes_with_one_that_is_due() {
    let queue = queue();
    let rig = Rig::start(&queue, settings("orders"), |_| async {
        tokio::time::sleep(seconds(16)).await;
        Ok(())
    });
    for body in ["a", "b", "c"] {
        queue.put(body);
        tokio::time::sleep(seconds(2)).await;
    }
    rig.until_empty().await;
    // After ten seconds of the first.
    let changes = queue.state().changes.clone();
    assert_eq!(changes.iter().map(Vec::len).collect::<Vec<_>>(), [3]);
    drop(rig);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_deleted_yet_is_bounded() {
    let queue = SimulatedQueue::new(seconds(10_000));
    for number in 0..500 {
        queue.put(number.to_string());
    }
    queue.state().deletion_time = seconds(100);
    let settings = Settings {
        concurrency: 20,
        receives: 2,
        visibility_seconds: 10_000,
        ..settings("orders")
    };
    let rig = Rig::start(&queue, settings, succeed);
    tokio::time::sleep(seconds(50)).await;
    let received = rig.counters.stats().received;
    assert!((100..=120).contains(&received), "{received} are held");
    rig.until_empty().await;
    drop(rig);
}

#[tokio::test(start_paused = true)]
async fn an_extension_that_fails_is_tried_again_in_time_and_one_that_is_refused_is_not() {
    let queue = queue();
    queue.put("a");
    queue.state().on_change = OnChange::Fail(3);
    let slow = |_| async {
        tokio::time::sleep(seconds(60)).await;
        Ok(())
    };
    let rig = Rig::start(&queue, settings("orders"), slow);
    rig.until_empty().await;
    let (_, stats, events) = rig.stop().await;
    assert_eq!((stats.received, stats.handled), (1, 1));
    assert_eq!(events.len(), 3);
    let expected = "message a may be received by others while it is handled: Refused";
    assert_eq!(events[0], expected);

    queue.put("b");
    queue.state().on_change = OnChange::Refuse;
    let rig = Rig::start(&queue, settings("orders"), slow);
    rig.until("it is handled", |it| it.counters.stats().handled == 1)
        .await;
    let (_, _, events) = rig.stop().await;
    let extensions = events.iter().filter(|it| it.starts_with("message b may"));
    // It was received twice, since its visibility ended, and each time asked for once.
    assert_eq!(extensions.count(), queue.receives("b") as usize);
}

#[tokio::test(start_paused = true)]
async fn all_extensions_together_end_before_twelve_hours_do() {
    let queue = SimulatedQueue::new(seconds(20_000));
    queue.put("a");
    queue.state().step = seconds(10);
    let settings = Settings {
        visibility_seconds: 20_000,
        ..settings("orders")
    };
    let rig = Rig::start(&queue, settings, |_| async {
        std::future::pending::<()>().await;
        Ok(())
    });
    rig.until("it is given up", |it| it.queue.state().changes.len() == 7)
        .await;
    let changes = queue.state().changes.concat();
    let asked: Vec<_> = changes.iter().map(|(_, seconds)| *seconds).collect();
    // Begun at each third: 6,666.6 s and so on. At the end it is made visible.
    assert_eq!(asked, [20_000, 20_000, 20_000, 16_529, 9_862, 3_195, 0]);
    let rig_events = rig.events.lock().expect("events").clone();
    let limit = LONGEST_HANDLER;
    assert_eq!(
        rig_events,
        [format!(
            "message a is not handled: the handler took more than {limit:?}"
        )]
    );
}

/// Runs a handler that fails the first time in the way of the body: `error`, `panic`, `late`. Gives
/// when each body came, in whole seconds since the beginning.
async fn fail_once(
    bodies: &[&str],
    settings: Settings,
) -> (Vec<(String, u64)>, Stats, Vec<String>) {
    let queue = queue();
    for body in bodies {
        queue.put(*body);
    }
    let begun = clock::now();
    let seen: Arc<Mutex<Vec<(String, u64)>>> = Arc::default();
    let record = Arc::clone(&seen);
    let rig = Rig::start(&queue, settings, move |body| {
        let mut seen = record.lock().expect("seen");
        let is_first = !seen.iter().any(|(it, _)| *it == body);
        seen.push((body.clone(), (clock::now() - begun).as_secs()));
        async move {
            match body.as_str() {
                "error" if is_first => Err("no luck".into()),
                "panic" if is_first => panic!("{body} as expected"),
                "late" if is_first => std::future::pending().await,
                _ => Ok(()),
            }
        }
    });
    rig.until_empty().await;
    let (_, stats, events) = rig.stop().await;
    let seen = seen.lock().expect("seen").clone();
    (seen, stats, events)
}

#[tokio::test(start_paused = true)]
async fn what_fails_comes_again_at_once() {
    let settings = Settings {
        handler_timeout: seconds(3),
        ..settings("orders")
    };
    let (seen, stats, events) = fail_once(&["error", "panic", "late", "fine"], settings).await;
    let named = |body: &str, at| (body.to_owned(), at);
    assert_eq!(
        seen,
        [
            named("error", 0),
            named("panic", 0),
            named("late", 0),
            named("fine", 0),
            named("error", 0),
            named("panic", 0),
            named("late", 3),
        ]
    );
    assert_eq!((stats.received, stats.failed), (7, 3));
    assert_eq!((stats.handled, stats.deleted), (4, 4));
    let mut events = events;
    events.sort_unstable();
    assert_eq!(
        events,
        [
            "message error is not handled: no luck",
            "message late is not handled: the handler took more than 3s",
            "message panic is not handled: the handler panicked: panic as expected",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_panic_before_it_is_a_future() {
    let queue = queue();
    queue.put("a");
    let calls = AtomicUsize::new(0);
    let rig = Rig::start(&queue, settings("orders"), move |body| {
        assert!(calls.fetch_add(1, Ordering::SeqCst) > 0, "at first");
        succeed(body)
    });
    rig.until_empty().await;
    let (_, stats, events) = rig.stop().await;
    assert_eq!((stats.failed, stats.handled), (1, 1));
    assert_eq!(
        events,
        ["message a is not handled: the handler panicked: at first"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_deletion_does_not_wait_until_its_message_is_visible() {
    let queue = SimulatedQueue::new(seconds(6));
    queue.put("a");
    let settings = Settings {
        visibility_seconds: 6,
        batch_delay: Duration::MAX,
        ..settings("orders")
    };
    let rig = Rig::start(&queue, settings, succeed);
    let begun = clock::now();
    rig.until_empty().await;
    assert!(clock::now() - begun < seconds(2));
    assert_eq!(rig.counters.stats().received, 1);
    drop(rig);
}

#[tokio::test(start_paused = true)]
async fn what_fails_comes_again_after_a_while_or_when_its_timeout_ends() {
    let after = Settings {
        on_failure: OnFailure::ShowAfter(Duration::from_millis(6_500)),
        ..settings("orders")
    };
    let (seen, _, _) = fail_once(&["error"], after).await;
    assert_eq!(seen, [("error".to_owned(), 0), ("error".to_owned(), 7)]);
    let leave = Settings {
        on_failure: OnFailure::Leave,
        ..settings("orders")
    };
    let (seen, stats, _) = fail_once(&["panic"], leave).await;
    assert_eq!(seen, [("panic".to_owned(), 0), ("panic".to_owned(), 30)]);
    assert_eq!(stats.extended, 0);
}

#[tokio::test(start_paused = true)]
async fn a_release_does_not_overtake_an_extension() {
    let queue = queue();
    queue.put("a");
    queue.state().on_change = OnChange::Slow(seconds(4));
    let begun = clock::now();
    let rig = Rig::start(&queue, settings("orders"), |_| async {
        // While the extension that began after ten seconds is under way.
        tokio::time::sleep(seconds(12)).await;
        Err("no luck".into())
    });
    rig.until("it is released", |it| it.queue.state().changes.len() == 2)
        .await;
    let named = |seconds| vec![("a".to_owned(), seconds)];
    assert_eq!(queue.state().changes, [named(30), named(0)]);
    rig.until("it comes again", |it| it.queue.receives("a") == 2)
        .await;
    assert!(
        clock::now() - begun < seconds(20),
        "not when its timeout ends"
    );
}

#[tokio::test(start_paused = true)]
async fn a_message_that_cannot_be_deleted_comes_again() {
    let queue = queue();
    queue.put("a");
    queue.state().refuse_deletions = true;
    let rig = Rig::start(&queue, settings("orders"), succeed);
    rig.until("it was refused", |it| it.counters.stats().not_deleted == 1)
        .await;
    queue.state().refuse_deletions = false;
    rig.until_empty().await;
    let (_, stats, events) = rig.stop().await;
    assert_eq!((stats.handled, stats.deleted), (2, 1));
    assert_eq!(
        events,
        ["message a is handled and not deleted, so it comes again: Refused"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_damaged_message_is_not_handled_and_not_deleted() {
    let queue = queue();
    queue.put("a");
    queue.put("b");
    queue.state().stored[0].damage = Some("another body");
    let settings = Settings {
        on_failure: OnFailure::Leave,
        ..settings("orders")
    };
    let rig = Rig::start(&queue, settings, |body| async move {
        assert_eq!(body, "b");
        Ok(())
    });
    rig.until("b is deleted", |it| it.queue.left() == ["a"])
        .await;
    let (_, stats, events) = rig.stop().await;
    assert_eq!((stats.handled, stats.failed), (1, 1));
    assert_eq!(
        events,
        ["message a is not handled: it is damaged: another body"]
    );
}

#[tokio::test(start_paused = true)]
async fn receives_that_fail_are_further_and_further_apart() {
    let queue = queue();
    queue.state().fail_receives = 7;
    let rig = Rig::start(&queue, settings("orders"), succeed);
    queue.put("a");
    rig.until_empty().await;
    let begun = queue.state().receives.clone();
    let apart: Vec<_> = begun
        .windows(2)
        .take(7)
        .map(|pair| (pair[1] - pair[0]).as_secs())
        .collect();
    assert_eq!(apart, [1, 2, 4, 8, 16, 20, 20]);
    let (_, stats, events) = rig.stop().await;
    assert_eq!(stats.failed_receives, 7);
    assert_eq!(events.len(), 7);
    let expected =
        "cannot receive, next try in 1s: the answer was not accepted: the queue is out of order";
    assert_eq!(events[0], expected);
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_does_not_wait_is_not_asked_all_the_time() {
    let queue = queue();
    queue.state().wait = Duration::ZERO;
    let rig = Rig::start(&queue, settings("orders"), succeed);
    tokio::time::sleep(seconds(10)).await;
    let asked = queue.state().receives.len();
    assert!((90..=101).contains(&asked), "{asked} times in ten seconds");
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_group_is_handled_in_order_and_a_failure_sends_back_what_is_behind() {
    let queue = queue();
    for number in 0..4 {
        for group in ["a", "b", "c"] {
            queue.put_in(format!("{group}{number}"), Some(group));
        }
    }
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let record = Arc::clone(&seen);
    let settings = Settings {
        concurrency: 100,
        receives: 2,
        ..settings("orders.fifo")
    };
    let rig = Rig::start(&queue, settings, move |body| {
        let record = Arc::clone(&record);
        async move {
            // The first of each group take longest: whoever does not wait overtakes.
            let number: u64 = body[1..].parse().expect("a number");
            tokio::time::sleep(seconds(10 - number)).await;
            let mut seen = record.lock().expect("seen");
            let is_first = !seen.contains(&body);
            seen.push(body.clone());
            if body == "b1" && is_first {
                return Err("no luck".into());
            }
            Ok(())
        }
    });
    rig.until_empty().await;
    let (_, stats, _) = rig.stop().await;
    let seen = seen.lock().expect("seen").clone();
    let of = |group: &str| -> Vec<String> {
        let in_group = seen.iter().filter(|it| it.starts_with(group));
        in_group.map(|it| it[1..].to_owned()).collect()
    };
    assert_eq!(of("a"), ["0", "1", "2", "3"]);
    assert_eq!(of("b"), ["0", "1", "1", "2", "3"]);
    assert_eq!(of("c"), ["0", "1", "2", "3"]);
    // The groups did not wait for one another.
    assert_eq!(seen[..3], ["a0", "b0", "c0"]);
    assert_eq!((stats.handled, stats.failed, stats.deleted), (12, 1, 12));
    assert!(stats.unhandled >= 1, "what was behind b1");
}

#[tokio::test(start_paused = true)]
async fn on_a_standard_queue_groups_do_not_wait() {
    let queue = queue();
    queue.put_in("slow", Some("a"));
    queue.put_in("quick", Some("a"));
    let rig = Rig::start(&queue, settings("orders"), |body| async move {
        if body == "slow" {
            tokio::time::sleep(seconds(1_000)).await;
        }
        Ok(())
    });
    rig.until("the quick one is done", |it| it.queue.left() == ["slow"])
        .await;
    assert_eq!(rig.counters.stats().extended, 0);
    drop(rig);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_became_visible_before_its_turn_is_left_to_others() {
    let queue = queue();
    for number in 0..3 {
        queue.put_in(number.to_string(), Some("a"));
    }
    queue.state().on_change = OnChange::Refuse;
    let rig = Rig::start(&queue, settings("orders.fifo"), |body| async move {
        if body == "0" {
            tokio::time::sleep(seconds(40)).await;
        }
        Ok(())
    });
    rig.until("one lapsed", |it| it.counters.stats().lapsed > 0)
        .await;
    let events = rig.events.lock().expect("events").clone();
    let lapsed = "message 1 became visible before its turn".to_owned();
    assert!(events.contains(&lapsed), "{events:?}");
    // What is behind it is not handled before it: the third one, and all three as they came again
    // when they became visible.
    let stats = rig.counters.stats();
    assert_eq!((stats.received, stats.handled, stats.unhandled), (6, 1, 4));
    drop(rig);
}

#[tokio::test(start_paused = true)]
async fn a_stop_lets_handlers_finish_and_deletes_what_they_did() {
    let queue = queue();
    for number in 0..5 {
        queue.put(number.to_string());
    }
    let rig = Rig::start(&queue, settings("orders"), |_| async {
        tokio::time::sleep(seconds(8)).await;
        Ok(())
    });
    rig.until("they run", |it| it.counters.stats().received == 5)
        .await;
    let (took, stats, events) = rig.stop().await;
    assert_eq!((stats.handled, stats.deleted), (5, 5));
    assert_eq!(queue.left(), Vec::<String>::new());
    assert_eq!(events, Vec::<String>::new());
    // A receive for the five that were still free was under way.
    assert!((seconds(19)..=seconds(21)).contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_receive_brings_after_the_stop_is_visible_again_at_once() {
    let queue = queue();
    let rig = Rig::start(&queue, settings("orders"), |_| async {
        panic!("nothing is handled after the stop")
    });
    rig.until("it asks", |it| !it.queue.state().receives.is_empty())
        .await;
    let late = queue.clone();
    tokio::spawn(async move {
        tokio::time::sleep(seconds(5)).await;
        late.put("late");
    });
    let (took, stats, events) = rig.stop().await;
    assert!(
        took < seconds(6),
        "the receive ended with the message: {took:?}"
    );
    assert_eq!((stats.received, stats.unhandled), (1, 1));
    assert_eq!(events, Vec::<String>::new());
    assert_eq!(queue.hidden_for("late"), Duration::ZERO);
    assert_eq!(
        queue.state().receives.len(),
        1,
        "no receive began after the stop"
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_sends_back_what_waits_in_a_group() {
    let queue = queue();
    for number in 0..3 {
        queue.put_in(number.to_string(), Some("a"));
    }
    let rig = Rig::start(&queue, settings("orders.fifo"), |_| async {
        tokio::time::sleep(seconds(8)).await;
        Ok(())
    });
    rig.until("they are here", |it| it.counters.stats().received == 3)
        .await;
    let (_, stats, _) = rig.stop().await;
    assert_eq!((stats.handled, stats.unhandled), (1, 2));
    assert_eq!(queue.left(), ["1", "2"]);
    assert_eq!(queue.hidden_for("1"), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_stop_has_an_end_and_what_is_aborted_is_visible_again() {
    let queue = queue();
    queue.put("endless");
    queue.put("quick");
    let settings = Settings {
        stop_timeout: seconds(3),
        on_failure: OnFailure::Leave,
        ..settings("orders")
    };
    let rig = Rig::start(&queue, settings, |body| async move {
        if body == "endless" {
            std::future::pending::<()>().await;
        }
        Ok(())
    });
    rig.until("one is left", |it| it.queue.left() == ["endless"])
        .await;
    let (took, stats, events) = rig.stop().await;
    assert!((seconds(3)..seconds(4)).contains(&took), "{took:?}");
    assert_eq!((stats.handled, stats.failed), (1, 1));
    assert_eq!(queue.hidden_for("endless"), Duration::ZERO);
    assert_eq!(
        events,
        [
            "stopping took too long: 1 handlers are aborted and 1 receives given up",
            "message endless is not handled: the handler was aborted",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_receives_fail_takes_no_time() {
    let queue = queue();
    queue.state().fail_receives = u32::MAX;
    let rig = Rig::start(&queue, settings("orders"), succeed);
    tokio::time::sleep(seconds(60)).await;
    let (took, _, _) = rig.stop().await;
    assert!(took < seconds(1), "{took:?}");
}

#[test]
fn what_is_chosen_is_held_to_the_limits() {
    let transport = Client::builder()
        .endpoint("http://127.0.0.1:9324")
        .credentials(super::super::Credentials::new("test", "test"))
        .build()
        .expect("nothing is missing");
    let receiver = Receiver::new(Client::new(transport), "http://127.0.0.1/0/orders.fifo")
        .concurrency(0)
        .receives(0)
        .wait_time(seconds(60))
        .visibility_timeout(Duration::ZERO)
        .handler_timeout(Duration::MAX)
        .stop_timeout(Duration::MAX)
        .message_system_attribute_names(["SentTimestamp"]);
    let settings = &receiver.settings;
    assert_eq!((settings.concurrency, settings.receives), (1, 1));
    assert_eq!(
        (settings.wait_seconds, settings.visibility_seconds),
        (20, 1)
    );
    assert_eq!(settings.handler_timeout, LONGEST_HANDLER);
    assert_eq!(settings.stop_timeout, LONGEST_HANDLER);
    let input = receiver.receive_input();
    let names = input.message_system_attribute_names.expect("names");
    assert_eq!(names, ["SentTimestamp", "MessageGroupId"]);
    assert_eq!(input.message_attribute_names, None);
    assert_eq!(whole_seconds(Duration::from_millis(1_001)), 2);
    assert_eq!(whole_seconds(Duration::MAX), u32::MAX);
}
