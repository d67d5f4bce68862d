use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use sqs::{
    CreateQueueInput, DeleteMessageInput, GetQueueUrlInput, ReceiveMessageInput, Request, Response,
    SendMessageInput,
};
use sqs_engine::Context;
use tokio::time::timeout;

use super::database::{Before, Swept};
use super::directory::Directory;
use super::*;
use crate::changes::Changes;
use crate::clock::{ClockMode, WallClock};
use crate::driver::{AutoCreate, Driver, Setup};
use crate::seed::Seed;

const BOUND: Duration = Duration::from_secs(60);

impl Store {
    /// How many pages the database may have, to be set; 0 for no limit.
    fn room(&self) -> Arc<AtomicU32> {
        let ready = self.ready.lock().expect("no panic");
        Arc::clone(&ready.as_ref().expect("not attached").database.room)
    }
}

/// A directory of a test's own, which goes with it.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("fake-sqs-store-{}-{number}", std::process::id());
        let place = Self(std::env::temp_dir().join(name));
        let _ = fs::remove_dir_all(&place.0);
        place
    }

    fn database(&self) -> Connection {
        Connection::open(self.0.join("fake-sqs.db")).expect("opened")
    }

    fn open(&self, terms: Terms) -> Driver {
        let (store, restored) = Store::open_on(&self.0, terms).expect("opened");
        Driver::new(Setup {
            seed: Seed::Given(1),
            rules: terms.rules,
            limits: terms.limits,
            auto_create: AutoCreate::Off,
            clock: crate::ClockStart::now(),
            wall: WallClock::System,
            declared: Vec::new(),
            changes: Arc::new(Changes::new()),
            recorder: Some(Arc::new(store)),
            restored,
        })
    }

    fn refused(&self) -> String {
        let opened = Store::open(&self.0, Rules::Strict, InFlightLimits::default());
        opened.map(drop).expect_err("refused").to_string()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn terms(log_bytes: u64) -> Terms {
    Terms {
        rules: Rules::Strict,
        limits: InFlightLimits::default(),
        log_bytes,
    }
}

async fn call(driver: &Driver, request: impl Into<Request>) -> Response {
    let context = Context::new("000000000000", "test", "us-east-1", "http://localhost");
    let answer = timeout(BOUND, driver.call(context, request.into())).await;
    answer.expect("in time").expect("done")
}

async fn receive(driver: &Driver) -> Vec<sqs::Message> {
    let mut input = ReceiveMessageInput::new("orders");
    input.max_number_of_messages = Some(10);
    input.message_system_attribute_names = Some(vec!["All".to_owned()]);
    match call(driver, input).await {
        Response::ReceiveMessage(output) => output.messages,
        other => panic!("{other:?}"),
    }
}

async fn send(driver: &Driver, body: impl Into<String>) {
    call(driver, SendMessageInput::new("orders", body)).await;
}

#[tokio::test]
async fn what_was_answered_is_there_after_a_start() {
    let place = Place::new();
    let driver = place.open(terms(LOG_BYTES));
    call(&driver, CreateQueueInput::new("orders")).await;
    for body in ["A", "B\n\u{1F980}", "C"] {
        send(&driver, body).await;
    }
    let mut one = ReceiveMessageInput::new("orders");
    one.visibility_timeout = Some(0);
    let before = call(&driver, one.clone()).await;
    let Response::ReceiveMessage(given) = before else {
        panic!("{before:?}");
    };
    drop(driver);
    let driver = place.open(terms(LOG_BYTES));
    let handle = given.messages[0].receipt_handle.clone().expect("a handle");
    call(&driver, DeleteMessageInput::new("orders", handle)).await;
    let left = receive(&driver).await;
    let bodies: Vec<_> = left.iter().filter_map(|m| m.body.as_deref()).collect();
    assert_eq!(
        bodies,
        ["B\n\u{1F980}", "C"],
        "an earlier handle is still good"
    );
    drop(driver);
    let driver = place.open(terms(LOG_BYTES));
    assert!(receive(&driver).await.is_empty(), "they are in flight");
    let replayed = {
        drop(driver);
        replay(&place.0, |_| panic!("the same")).expect("replayed")
    };
    assert_eq!(replayed.from, ReplayedFrom::Beginning);
    assert_eq!((replayed.repeated, replayed.differences), (8, 0));
}

#[tokio::test]
async fn snapshots_keep_the_log_short_and_everything_in_it() {
    let place = Place::new();
    let driver = place.open(terms(2_000));
    call(&driver, CreateQueueInput::new("orders")).await;
    for number in 0..200 {
        send(&driver, number.to_string()).await;
    }
    drop(driver);
    let count = |table: &str| -> i64 {
        let database = place.database();
        let count = format!(
            "SELECT coalesce(sum(length({table})), 0) FROM {}",
            match table {
                "bytes" => "part",
                _ => "log",
            }
        );
        database
            .query_row(&count, [], |row| row.get(0))
            .expect("counted")
    };
    assert!(count("bytes") > 10_000, "a snapshot was taken");
    let whole: i64 = 200 * 250;
    assert!(count("records") < whole, "{}", count("records"));
    let driver = place.open(terms(2_000));
    let mut seen = Vec::new();
    loop {
        let messages = receive(&driver).await;
        if messages.is_empty() {
            break;
        }
        seen.extend(messages.into_iter().filter_map(|message| message.body));
    }
    let sent: Vec<_> = (0..200).map(|number| number.to_string()).collect();
    assert_eq!(seen, sent);
    drop(driver);
    let replayed = replay(&place.0, |_| ()).expect("replayed");
    assert_eq!(
        (replayed.from, replayed.differences),
        (ReplayedFrom::Snapshot, 0)
    );
    let last = "DELETE FROM part WHERE id = (
        SELECT max(id) FROM part WHERE snapshot = (SELECT max(id) FROM snapshot))";
    place.database().execute(last, []).expect("deleted");
    let refused = place.refused();
    assert!(refused.contains("is damaged: the snapshot"), "{refused}");
}

/// A snapshot that holds the whole log leaves nothing of it to be kept. What comes next must come
/// after it all the same, or a start would take it for a part of the snapshot.
#[test]
fn what_comes_after_a_snapshot_of_everything_is_after_it() {
    let place = Place::new();
    let directory = Directory::create(&place.0).expect("made");
    let mut database = Database::open(directory).expect("opened");
    let append = |database: &mut Database| database.append(Before::Nothing, b"").expect("written");
    assert_eq!([append(&mut database), append(&mut database)], [1, 2]);
    let clock = ClockSetting::Running { offset_millis: 0 };
    let snapshot = database.next_snapshot().expect("a number");
    let parts = [b"part".to_vec()];
    database.add_parts(snapshot, &parts).expect("written");
    database
        .finish_snapshot(snapshot, 2, clock)
        .expect("written");
    while database.sweep().expect("swept") == Swept::Some {}
    assert_eq!(append(&mut database), 3);
    while database.sweep().expect("swept") == Swept::Some {}
    assert_eq!(append(&mut database), 4);
    let forgotten = database.append(Before::Forget, b"").expect("written");
    assert_eq!(forgotten, 1);
}

/// The directory is the owner's; one that is there already stays as it is.
#[cfg(unix)]
#[test]
fn a_new_directory_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| {
        let metadata = fs::metadata(path).expect("there");
        metadata.permissions().mode() & 0o777
    };
    let place = Place::new();
    let inner = place.0.join("of").join("tests");
    drop(Directory::create(&inner).expect("made"));
    assert_eq!(mode(&inner), 0o700);
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&inner, open).expect("set");
    drop(Directory::create(&inner).expect("there"));
    assert_eq!(mode(&inner), 0o755);
}

/// One call of the control interface is several commands, and each has its own answers.
#[tokio::test]
async fn polls_that_a_reset_ends_are_answered_by_it_and_not_by_what_follows() {
    let place = Place::new();
    let (store, _) = Store::open_on(&place.0, terms(LOG_BYTES)).expect("opened");
    let account = "000000000000";
    let driver = Arc::new(Driver::new(Setup {
        seed: Seed::Given(1),
        rules: Rules::Strict,
        limits: InFlightLimits::default(),
        auto_create: AutoCreate::Off,
        clock: crate::ClockStart::now(),
        wall: WallClock::System,
        declared: vec![
            crate::QueueDeclaration::new("orders")
                .resolve(account.parse().expect("an account"), "us-east-1"),
        ],
        changes: Arc::new(Changes::new()),
        recorder: Some(Arc::new(store)),
        restored: None,
    }));
    driver.declare();
    let poller = Arc::clone(&driver);
    let poll = tokio::spawn(async move {
        let mut input = ReceiveMessageInput::new("orders");
        input.wait_time_seconds = Some(20);
        let context = Context::new(account, "test", "us-east-1", "http://localhost");
        poller.call(context, input.into()).await
    });
    while driver.waiting_polls() == 0 {
        tokio::task::yield_now().await;
    }
    driver.reset_account(account).await.expect("reset");
    let ended = timeout(BOUND, poll).await.expect("in time");
    let error = ended.expect("no panic").expect_err("its queue is gone");
    assert_eq!(error.code(), sqs::ErrorCode::QueueDoesNotExist);
    drop(driver);
    let replayed = replay(&place.0, |line| panic!("{line}")).expect("replayed");
    assert_eq!(replayed.differences, 0);
}

#[tokio::test]
async fn the_clock_survives() {
    let place = Place::new();
    let driver = place.open(terms(LOG_BYTES));
    driver.freeze().await.expect("frozen");
    let moved = driver
        .move_time(Duration::from_secs(86_400))
        .await
        .expect("moved");
    drop(driver);
    let driver = place.open(terms(0));
    assert_eq!(driver.clock().now, moved.now);
    assert_eq!(driver.clock().mode, ClockMode::Frozen);
    driver.resume().await.expect("resumed");
    let offset = driver.clock().offset_millis;
    drop(driver);
    let driver = place.open(terms(LOG_BYTES));
    assert_eq!(driver.clock().offset_millis, offset);
    assert!(driver.clock().now >= moved.now);
}

#[tokio::test]
async fn a_reset_empties_the_directory() {
    let place = Place::new();
    let driver = place.open(terms(LOG_BYTES));
    call(&driver, CreateQueueInput::new("orders")).await;
    for _ in 0..20 {
        send(&driver, "x".repeat(200_000)).await;
    }
    driver.reset().await.expect("reset");
    drop(driver);
    let size = fs::metadata(place.0.join("fake-sqs.db"))
        .expect("there")
        .len();
    assert!(size < 100_000, "{size}");
    let driver = place.open(terms(LOG_BYTES));
    assert_eq!(driver.totals().queues, 0);
}

/// What is handed out because time passed has no command of its own.
#[tokio::test]
async fn what_time_gave_to_a_poll_stays_in_flight() {
    let place = Place::new();
    let driver = Arc::new(place.open(terms(LOG_BYTES)));
    call(&driver, CreateQueueInput::new("orders")).await;
    driver.freeze().await.expect("frozen");
    let mut late = SendMessageInput::new("orders", "late");
    late.delay_seconds = Some(5);
    call(&driver, late).await;
    let poller = Arc::clone(&driver);
    let poll = tokio::spawn(async move {
        let mut input = ReceiveMessageInput::new("orders");
        input.wait_time_seconds = Some(20);
        call(&poller, input).await
    });
    while driver.waiting_polls() == 0 {
        tokio::task::yield_now().await;
    }
    driver
        .move_time(Duration::from_secs(6))
        .await
        .expect("moved");
    let Response::ReceiveMessage(given) = poll.await.expect("no panic") else {
        panic!("no messages");
    };
    assert_eq!(given.messages.len(), 1);
    drop(driver);
    let driver = place.open(terms(LOG_BYTES));
    assert!(receive(&driver).await.is_empty(), "it is in flight");
    let handle = given.messages[0].receipt_handle.clone().expect("a handle");
    call(&driver, DeleteMessageInput::new("orders", handle)).await;
    assert_eq!(driver.totals().messages, 0);
}

#[tokio::test]
async fn rules_are_those_of_the_present_start() {
    let place = Place::new();
    let driver = place.open(terms(LOG_BYTES));
    call(&driver, CreateQueueInput::new("orders")).await;
    send(&driver, "A").await;
    send(&driver, "B").await;
    drop(driver);
    let mut few = terms(LOG_BYTES);
    few.limits.standard = 1;
    let driver = place.open(few);
    assert_eq!(receive(&driver).await.len(), 1);
}

#[tokio::test]
async fn an_answer_that_is_another_is_told() {
    let place = Place::new();
    let driver = place.open(terms(LOG_BYTES));
    call(&driver, CreateQueueInput::new("orders")).await;
    send(&driver, "A").await;
    call(&driver, GetQueueUrlInput::new("orders")).await;
    drop(driver);
    let forged = "UPDATE log SET records =
        CAST(replace(CAST(records AS TEXT), '\"MessageBody\":\"A\"', '\"MessageBody\":\"B\"') AS BLOB)";
    place.database().execute(forged, []).expect("forged");
    let mut told = Vec::new();
    let replayed = replay(&place.0, |line| told.push(line.to_owned())).expect("replayed");
    assert_eq!((replayed.repeated, replayed.differences), (2, 1));
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains("SendMessage of account 000000000000: the answer was "),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_directory_that_is_not_ours_is_refused_and_left_as_it_is() {
    let place = Place::new();
    fs::create_dir_all(&place.0).expect("made");
    fs::write(place.0.join("thesis.txt"), "of somebody").expect("written");
    assert!(
        place.refused().contains("there is a \"thesis.txt\""),
        "{}",
        place.refused()
    );
    assert_eq!(fs::read_dir(&place.0).expect("there").count(), 1);

    let text = Place::new();
    fs::create_dir_all(&text.0).expect("made");
    fs::write(text.0.join("fake-sqs.db"), "a text of some length").expect("written");
    assert!(
        text.refused().contains("is no database"),
        "{}",
        text.refused()
    );

    let other = Place::new();
    fs::create_dir_all(&other.0).expect("made");
    other
        .database()
        .execute_batch("PRAGMA application_id = 7; CREATE TABLE t (x)")
        .expect("made");
    assert!(
        other.refused().contains("another program's"),
        "{}",
        other.refused()
    );

    let file = Place::new();
    fs::write(&file.0, "a file").expect("written");
    assert!(
        file.refused().contains("cannot be used: "),
        "{}",
        file.refused()
    );
    fs::remove_file(&file.0).expect("removed");
}

#[tokio::test]
async fn a_newer_or_damaged_or_busy_directory_is_refused() {
    let place = Place::new();
    let driver = place.open(terms(LOG_BYTES));
    call(&driver, CreateQueueInput::new("orders")).await;
    assert!(
        place.refused().contains("in use by another process"),
        "{}",
        place.refused()
    );
    drop(driver);
    // Two steps, since no two rows may have the same number in between.
    let forgotten = "UPDATE log SET id = -id; UPDATE log SET id = 1 - id";
    let database = place.database();
    database.execute_batch(forgotten).expect("forgotten");
    drop(database);
    assert!(
        place.refused().contains("is damaged: "),
        "{}",
        place.refused()
    );
    let header = "PRAGMA journal_mode = DELETE; PRAGMA user_version = 9";
    let _ = place.database().execute_batch(header);
    assert!(
        place.refused().contains("its version is 9"),
        "{}",
        place.refused()
    );
    let none = replay(Path::new("/nowhere/at/all"), |_| ()).expect_err("nothing");
    assert!(none.to_string().contains("cannot be used"), "{none}");
}

/// Every 503 is one that did not happen, and when there is room again all goes on.
#[tokio::test]
async fn a_full_disk_is_an_error_and_no_loss() {
    let place = Place::new();
    let (store, _) = Store::open_on(&place.0, terms(LOG_BYTES)).expect("opened");
    let room = store.room();
    let driver = Driver::new(Setup {
        seed: Seed::Given(1),
        rules: Rules::Strict,
        limits: InFlightLimits::default(),
        auto_create: AutoCreate::Off,
        clock: crate::ClockStart::now(),
        wall: WallClock::System,
        declared: Vec::new(),
        changes: Arc::new(Changes::new()),
        recorder: Some(Arc::new(store)),
        restored: None,
    });
    call(&driver, CreateQueueInput::new("orders")).await;
    let context = || Context::new("000000000000", "test", "us-east-1", "http://localhost");
    let mut kept = Vec::new();
    let mut refused = 0;
    room.store(100, Ordering::Relaxed);
    for number in 0..100 {
        let body = format!("{number} {}", "x".repeat(20_000));
        let send = SendMessageInput::new("orders", body);
        match timeout(BOUND, driver.call(context(), send.into()))
            .await
            .expect("in time")
        {
            Ok(_) => kept.push(number),
            Err(error) => {
                assert!(error.message().contains("full"), "{error}");
                refused += 1;
            }
        }
        // Looking goes on, and shows only what is kept.
        assert_eq!(driver.totals().messages, kept.len());
    }
    assert!(kept.len() > 3 && refused > 3, "{} {refused}", kept.len());
    room.store(0, Ordering::Relaxed);
    // The first after that is still refused, and makes the writer try.
    let again = async {
        while driver
            .call(context(), SendMessageInput::new("orders", "last").into())
            .await
            .is_err()
        {
            tokio::task::yield_now().await;
        }
    };
    timeout(BOUND, again).await.expect("in time");
    drop(driver);
    let driver = place.open(terms(LOG_BYTES));
    assert_eq!(driver.totals().messages, kept.len() + 1);
}
