//! The server that is attacked, and the look at it afterwards.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use conformance::{bound, clock};
use fake_sqs::journal::Bounds;
use fake_sqs::{Builder, FakeSqs};

use crate::call::Call;
use crate::case::{Case, Finish, REFUSED, Then};
use crate::wire::{self, Answer, Outcome};
use crate::{allocated, watch};

/// Memory is counted for the whole process, so targets are attacked one after the other.
static ALONE: Mutex<()> = Mutex::new(());

/// How much more memory may be taken after an attack than before, in bytes. An attack that leaves
/// its head or its body somewhere leaves more.
const LEFT_BYTES_MAX: isize = 32 * 1024;

/// And after all attacks on a target together, in bytes: for what leaves a little each time.
const LEFT_BYTES_MAX_IN_ALL: isize = 256 * 1024;

/// How often a target is looked at at least before something counts as not coming, however much time
/// has passed: a tenth of a millisecond each, or more.
const LOOKS_MIN: usize = 20_000;

/// How many attacks with other outcomes than expected are shown.
const SHOWN_MAX: usize = 10;

/// What the control interface shows of the state.
const VIEWS: [&str; 8] = [
    "/_fake/queues?limit=1000",
    "/_fake/queues/000000000000/us-east-1/orders/messages?state=visible",
    "/_fake/queues/000000000000/us-east-1/orders/messages?state=delayed",
    "/_fake/queues/000000000000/us-east-1/orders/messages?state=in_flight",
    "/_fake/queues/000000000000/us-east-1/orders.fifo/messages?state=visible",
    "/_fake/queues/000000000000/us-east-1/orders.fifo",
    "/_fake/faults",
    "/_fake/clock",
];

/// A server with a few queues and messages, and time standing still.
pub(crate) struct Target {
    server: FakeSqs,
    pub(crate) address: SocketAddr,
    /// What shows the state: a connection that stays.
    looking: Mutex<TcpStream>,
    state: String,
    /// What the attacks so far have left, in bytes.
    left: AtomicIsize,
    /// How long something may take to come.
    patience: Duration,
    _alone: MutexGuard<'static, ()>,
}

impl Target {
    pub(crate) fn new() -> Self {
        Self::with(FakeSqs::builder())
    }

    pub(crate) fn with(builder: Builder) -> Self {
        let alone = alone();
        watch::begin();
        // A journal that is full soon, so that its growing is no leak.
        let journal = Bounds {
            requests: 16,
            bytes: 16 * 1024,
        };
        let server = wait(builder.journal(journal).seed(7).start()).expect("a server");
        wait(server.freeze()).expect("a clock that stands");
        let address = server.endpoint_url();
        let address = address.strip_prefix("http://").expect("plain HTTP");
        let address = address.parse().expect("an address");
        let mut target = Self {
            server,
            address,
            looking: Mutex::new(wire::connect(address)),
            state: String::new(),
            left: AtomicIsize::new(0),
            patience: bound::PATIENCE,
            _alone: alone,
        };
        target.fill();
        target.state = target.look();
        // Until the journal is full and every cache warm, memory grows.
        for _ in 0..40 {
            target.answers_a_good_request("before all attacks");
        }
        target.wait_for_quiet("before all attacks");
        target
    }

    pub(crate) fn server(&self) -> &FakeSqs {
        &self.server
    }

    /// Attacks with each row, and looks the target over after each.
    pub(crate) fn withstands(&self, cases: impl IntoIterator<Item = Case>) {
        let mut wrong = Vec::new();
        for case in cases {
            let before = allocated();
            let outcome = wire::strike(self.address, &case.bytes, case.finish);
            wrong.extend(difference(&case, &outcome));
            drop(outcome);
            self.is_unharmed_since(before, &case.name);
        }
        let shown = wrong.iter().take(SHOWN_MAX).map(String::as_str);
        let shown = shown.collect::<Vec<_>>().join(
            "
",
        );
        assert!(
            wrong.is_empty(),
            "{} attacks:
{shown}",
            wrong.len()
        );
    }

    /// Attacks as `attack` does, and looks the target over.
    pub(crate) fn withstands_act(&self, name: &str, attack: impl FnOnce()) {
        let before = allocated();
        attack();
        self.is_unharmed_since(before, name);
    }

    /// Everything about a target that no attack may change.
    fn is_unharmed_since(&self, before: isize, name: &str) {
        self.answers_a_good_request(name);
        self.wait_for_quiet(name);
        assert_eq!(self.look(), self.state, "{name} changed the state");
        self.gives_memory_back(before, name);
        let seen = watch::seen();
        assert!(seen.is_empty(), "{name}: {seen:?}");
    }

    /// That a signed request is answered, on a connection of its own.
    fn answers_a_good_request(&self, after: &str) {
        let call = Call::new(self.address, "ListQueues", "{}").signed();
        let outcome = wire::strike(self.address, &call.bytes(), Finish::Probe);
        let [answer] = &outcome.answers[..] else {
            panic!("{after}: {outcome:?}");
        };
        let good = answer.status == 200 && answer.body.ends_with("/000000000000/orders.fifo\"]}");
        assert!(good && outcome.then == Then::Open, "{after}: {outcome:?}");
    }

    /// Whether it is so, or soon comes to be.
    pub(crate) fn soon(&self, mut is_so: impl FnMut() -> bool) -> bool {
        let end = clock::moment() + self.patience;
        let mut looks = 0;
        while !is_so() {
            looks += 1;
            if looks >= LOOKS_MIN && clock::moment() >= end {
                return false;
            }
        }
        true
    }

    /// Waits until no connection is open but the one that asks.
    fn wait_for_quiet(&self, after: &str) {
        let is_quiet = || {
            self.ask("/_fake/metrics")
                .contains("\nfake_sqs_connections 1\n")
        };
        assert!(self.soon(is_quiet), "{after}: a connection keeps its place");
    }

    /// Waits until the memory is what it was. What is found out about a refused signature takes a
    /// moment after the answer.
    fn gives_memory_back(&self, before: isize, name: &str) {
        let (mut by_one, mut by_all) = (0, 0);
        let fits = || {
            // What is asked here takes a moment, in which the rest may end.
            self.ask("/_fake/health");
            by_one = allocated() - before;
            by_all = self.left.load(Ordering::Relaxed) + by_one;
            by_one < LEFT_BYTES_MAX && by_all < LEFT_BYTES_MAX_IN_ALL
        };
        assert!(
            self.soon(fits),
            "{name} left these bytes, alone and with all before it: {by_one}, {by_all}"
        );
        self.left.fetch_add(by_one, Ordering::Relaxed);
    }

    /// The state as text. How far a clock that stands is behind real time changes by itself.
    fn look(&self) -> String {
        let of = |path| {
            let shown = self.ask(path);
            match shown.split_once(",\"offset_seconds\"") {
                Some((fixed, _)) => fixed.to_owned(),
                None => shown,
            }
        };
        VIEWS.map(of).join("\n")
    }

    /// What the control interface answers, on the connection that stays.
    pub(crate) fn ask(&self, path: &str) -> String {
        let stream = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        (&*stream).write_all(request.as_bytes()).expect("sent");
        let answer = wire::next_answer(&stream);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.body
    }

    /// Makes the queues and messages.
    fn fill(&self) {
        let url = format!("http://{}/000000000000/orders", self.address);
        let fifo = r#"{"QueueName":"orders.fifo","Attributes":{"FifoQueue":"true"}}"#;
        let send =
            |url: &str, more: &str| format!(r#"{{"QueueUrl":"{url}","MessageBody":"kept"{more}}}"#);
        let receive = format!(r#"{{"QueueUrl":"{url}","VisibilityTimeout":43200}}"#);
        let group = r#","MessageGroupId":"g","MessageDeduplicationId":"d""#;
        for (operation, body) in [
            ("CreateQueue", r#"{"QueueName":"orders"}"#.to_owned()),
            ("CreateQueue", fifo.to_owned()),
            ("SendMessage", send(&url, "")),
            ("ReceiveMessage", receive),
            ("SendMessage", send(&url, "")),
            ("SendMessage", send(&url, r#","DelaySeconds":900"#)),
            ("SendMessage", send(&format!("{url}.fifo"), group)),
        ] {
            let call = Call::new(self.address, operation, body).signed();
            let outcome = wire::strike(self.address, &call.bytes(), Finish::Probe);
            assert_eq!(outcome.answers[0].status, 200, "{outcome:?}");
        }
    }
}

/// Until it is dropped, nothing else is attacked.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is wrong about an outcome.
fn difference(case: &Case, outcome: &Outcome) -> Option<String> {
    let expected = &case.expected;
    let is = |status: u16, expected| match expected {
        REFUSED => (400..500).contains(&status),
        expected => status == expected,
    };
    let alike = outcome.then == expected.then
        && outcome.answers.len() == expected.answers.len()
        && outcome
            .answers
            .iter()
            .zip(&expected.answers)
            .all(|(answer, (status, words))| is(answer.status, *status) && answer.has(words));
    (!alike).then(|| {
        let shown = |answer: &Answer| format!("{} {:.200}", answer.status, answer.body);
        let answers: Vec<_> = outcome.answers.iter().map(shown).collect();
        let (name, then) = (&case.name, outcome.then);
        format!("{name}: expected {expected:?}, got {then:?} {answers:#?}")
    })
}

/// The output of a future, on a runtime for it alone.
pub(crate) fn wait<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(future)
}

/// The look at a target sees what it is for.
mod seen {
    use super::*;
    use crate::case::answered;

    /// A target at which what never comes is not waited for long.
    fn impatient() -> Target {
        Target {
            patience: Duration::ZERO,
            ..Target::new()
        }
    }

    #[test]
    #[should_panic(expected = "a send changed the state")]
    fn a_message_that_is_stored() {
        let target = Target::new();
        let url = format!("http://{}/000000000000/orders", target.address);
        let body = format!(r#"{{"QueueUrl":"{url}","MessageBody":"x"}}"#);
        let call = Call::new(target.address, "SendMessage", body).signed();
        target.withstands([Case::new(
            "a send",
            call.bytes(),
            answered(200, "MessageId"),
        )]);
    }

    #[test]
    #[should_panic(expected = "a leak left these bytes")]
    fn memory_that_stays() {
        let target = impatient();
        let kept = Mutex::new(Vec::new());
        target.withstands_act("a leak", || {
            kept.lock()
                .expect("no panic")
                .push(vec![1_u8; 2 * 32 * 1024]);
        });
    }

    #[test]
    #[should_panic(expected = "a poll: a connection keeps its place")]
    fn a_connection_that_stays() {
        let target = impatient();
        let kept = Mutex::new(Vec::new());
        target.withstands_act("a poll", || {
            kept.lock()
                .expect("no panic")
                .push(wire::connect(target.address));
        });
    }

    #[test]
    #[should_panic(expected = "1 attacks:\nanother answer: expected")]
    fn an_answer_that_is_another() {
        let target = Target::new();
        let call = Call::new(target.address, "ListQueues", "{}").bytes();
        target.withstands([Case::new("another answer", call, answered(200, ""))]);
    }
}
