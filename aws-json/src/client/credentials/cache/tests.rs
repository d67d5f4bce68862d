use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;
use std::time::UNIX_EPOCH;

use tokio::sync::mpsc;

use super::super::ProvideFuture;
use super::*;

/// A provider whose answers are handed to it, one an asking.
struct Scripted {
    asked: AtomicU32,
    answers: tokio::sync::Mutex<mpsc::UnboundedReceiver<Answer>>,
}

type Answer = Result<Provided, CredentialsError>;

struct Rig {
    provider: Arc<Scripted>,
    answers: mpsc::UnboundedSender<Answer>,
    signers: Arc<Signers>,
}

impl ProvideCredentials for Scripted {
    fn provide(&self) -> ProvideFuture<'_> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async {
            let answer = self.answers.lock().await.recv().await;
            answer.unwrap_or_else(|| panic!("nobody answers any more"))
        })
    }
}

impl Rig {
    fn new() -> Self {
        let (answers, receiver) = mpsc::unbounded_channel();
        let provider = Arc::new(Scripted {
            asked: AtomicU32::new(0),
            answers: tokio::sync::Mutex::new(receiver),
        });
        // The random part is all that it can be.
        let random = Random::new(|| u64::MAX);
        let signers = Signers::provided(Arc::clone(&provider) as _, "eu-west-1", "sqs", random);
        Self {
            provider,
            answers,
            signers: Arc::new(signers),
        }
    }

    fn answer(&self, key: &str, expires: Option<u64>) {
        let mut provided = Provided::new(Credentials::new(key, "hush"));
        if let Some(expires) = expires {
            provided = provided.expiring(at(expires));
        }
        self.answers.send(Ok(provided)).unwrap();
    }

    fn fail(&self, message: &str) {
        self.answers
            .send(Err(CredentialsError::new(message)))
            .unwrap();
    }

    fn asked(&self) -> u32 {
        self.provider.asked.load(Ordering::Relaxed)
    }

    /// The key that a call at this time signs with, or why it cannot.
    async fn key(&self, seconds: u64) -> Result<String, String> {
        key(&self.signers.current(at(seconds)).await)
    }

    /// Lets the refresh go on until it waits for an answer or has ended.
    async fn settle(&self) {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
}

fn key(current: &Result<Arc<Identity>, CredentialsError>) -> Result<String, String> {
    match current {
        Ok(identity) => Ok(identity.access_key_id().to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_440_938_160 + seconds)
}

/// Polls once, which is all that a call does before it is dropped.
async fn begin<F: Future>(work: F) {
    let mut work = pin!(work);
    poll_fn(|context| {
        assert!(work.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
}

const OK: fn(&str) -> Result<String, String> = |key| Ok(key.to_owned());
const ERR: fn(&str) -> Result<String, String> = |message| Err(message.to_owned());

#[tokio::test]
async fn a_hundred_waiting_calls_are_one_refresh() {
    let rig = Rig::new();
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let signers = Arc::clone(&rig.signers);
            tokio::spawn(async move { signers.current(at(0)).await })
        })
        .collect();
    rig.settle().await;
    rig.answer("A", Some(3600));
    let mut identities = Vec::new();
    for call in calls {
        identities.push(call.await.unwrap().unwrap());
    }
    assert_eq!(rig.asked(), 1);
    // One identity means one day's key for all of them.
    assert!(
        identities
            .iter()
            .all(|other| Arc::ptr_eq(other, &identities[0]))
    );
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_the_refresh_to_the_others() {
    let rig = Rig::new();
    begin(rig.key(0)).await;
    let waiting = {
        let signers = Arc::clone(&rig.signers);
        tokio::spawn(async move { key(&signers.current(at(0)).await) })
    };
    rig.settle().await;
    rig.answer("A", None);
    assert_eq!(waiting.await.unwrap(), OK("A"));
    assert_eq!(rig.key(1).await, OK("A"));
    assert_eq!(rig.asked(), 1);
}

#[tokio::test]
async fn a_refresh_whose_every_call_is_dropped_is_there_for_the_next() {
    let rig = Rig::new();
    begin(rig.key(0)).await;
    rig.answer("A", None);
    rig.settle().await;
    assert_eq!(rig.key(0).await, OK("A"));
    assert_eq!(rig.asked(), 1);
}

#[test]
fn a_refresh_that_ends_with_its_runtime_is_begun_by_the_next() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
    };
    let rig = Rig::new();
    let first = runtime();
    first.block_on(begin(rig.key(0)));
    drop(first);
    rig.answer("A", None);
    assert_eq!(runtime().block_on(rig.key(0)), OK("A"));
    assert_eq!(rig.asked(), 1, "the first was dropped before it could ask");
}

#[tokio::test]
async fn credentials_that_do_not_end_are_asked_for_once() {
    let rig = Rig::new();
    rig.answer("A", None);
    assert_eq!(rig.key(0).await, OK("A"));
    assert_eq!(rig.key(10_000_000_000).await, OK("A"));
    assert_eq!(rig.asked(), 1);
}

#[tokio::test]
async fn five_minutes_ahead_others_are_asked_for_and_nobody_waits() {
    let rig = Rig::new();
    rig.answer("A", Some(3600));
    assert_eq!(rig.key(0).await, OK("A"));
    assert_eq!(rig.key(3239).await, OK("A"));
    rig.settle().await;
    assert_eq!(rig.asked(), 1);

    // Five minutes and the random part of one more.
    assert_eq!(rig.key(3241).await, OK("A"));
    rig.settle().await;
    assert_eq!(rig.asked(), 2);
    // One refresh at a time, and the old ones until they end.
    assert_eq!(rig.key(3599).await, OK("A"));
    rig.settle().await;
    assert_eq!(rig.asked(), 2);

    rig.answer("B", Some(7200));
    rig.settle().await;
    assert_eq!(rig.key(3599).await, OK("B"));
}

#[test]
fn the_random_part_is_from_nothing_to_a_fifth() {
    let ahead = |early| {
        let life = Life::new(at(3600), at(0), early);
        life.expires
            .duration_since(life.refresh_at)
            .unwrap()
            .as_secs()
    };
    assert_eq!((ahead(0.0), ahead(0.5), ahead(1.0)), (300, 330, 360));
}

#[tokio::test]
async fn at_their_end_calls_wait_for_others() {
    let rig = Rig::new();
    rig.answer("A", Some(3600));
    assert_eq!(rig.key(0).await, OK("A"));
    begin(rig.key(3600)).await;
    rig.answer("B", Some(7200));
    assert_eq!(rig.key(3600).await, OK("B"));
    assert_eq!(rig.asked(), 2);
}

#[tokio::test]
async fn a_short_life_is_refreshed_in_its_second_half() {
    let rig = Rig::new();
    rig.answer("A", Some(200));
    assert_eq!(rig.key(0).await, OK("A"));
    assert_eq!(rig.key(79).await, OK("A"));
    rig.settle().await;
    assert_eq!(rig.asked(), 1);
    assert_eq!(rig.key(81).await, OK("A"));
    rig.settle().await;
    assert_eq!(rig.asked(), 2);
}

#[tokio::test]
async fn a_refresh_ahead_that_fails_is_tried_again_ever_more_rarely() {
    let rig = Rig::new();
    rig.answer("A", Some(36_000));
    assert_eq!(rig.key(0).await, OK("A"));
    let begun = 35_700;
    let mut tried = Vec::new();
    for second in 0..200 {
        let before = rig.asked();
        rig.fail("down");
        assert_eq!(rig.key(begun + second).await, OK("A"));
        rig.settle().await;
        if rig.asked() > before {
            tried.push(second);
        }
    }
    assert_eq!(tried, [0, 1, 3, 7, 15, 31, 63, 123, 183]);
}

#[tokio::test]
async fn a_failure_reaches_every_waiting_call_and_is_not_asked_for_again_at_once() {
    let rig = Rig::new();
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let signers = Arc::clone(&rig.signers);
            tokio::spawn(async move { key(&signers.current(at(0)).await) })
        })
        .collect();
    rig.settle().await;
    rig.fail("the vault is shut");
    for call in calls {
        assert_eq!(call.await.unwrap(), ERR("the vault is shut"));
    }
    assert_eq!(rig.key(0).await, ERR("the vault is shut"));
    assert_eq!(rig.asked(), 1);

    rig.fail("still shut");
    assert_eq!(rig.key(1).await, ERR("still shut"));
    rig.answer("A", None);
    // Calls that cannot be made for want of credentials do not wait longer with each failure.
    assert_eq!(rig.key(2).await, OK("A"));
    assert_eq!(rig.asked(), 3);
}

#[tokio::test]
async fn a_clock_that_is_set_back_holds_nothing_back() {
    let rig = Rig::new();
    rig.fail("down");
    assert_eq!(rig.key(1000).await, ERR("down"));
    rig.answer("A", None);
    assert_eq!(rig.key(0).await, OK("A"));
}

#[tokio::test]
async fn failures_until_the_end_are_an_error_then() {
    let rig = Rig::new();
    rig.answer("A", Some(3600));
    assert_eq!(rig.key(0).await, OK("A"));
    rig.fail("down");
    assert_eq!(rig.key(3500).await, OK("A"));
    rig.settle().await;
    rig.fail("still down");
    assert_eq!(rig.key(3600).await, ERR("still down"));
}

#[tokio::test]
async fn credentials_that_the_service_calls_expired_are_replaced() {
    let rig = Rig::new();
    rig.answer("A", Some(3600));
    let used = rig.signers.current(at(0)).await.unwrap();
    assert!(rig.signers.expire(&used));
    begin(rig.key(1)).await;
    rig.answer("B", Some(3600));
    assert_eq!(rig.key(1).await, OK("B"));
    // A late answer to a call that was signed with the old ones says nothing about the new.
    assert!(rig.signers.expire(&used));
    assert_eq!(rig.key(1).await, OK("B"));
    assert_eq!(rig.asked(), 2);
}

#[tokio::test]
async fn fixed_credentials_have_no_others_to_replace_them() {
    let signers = Signers::fixed(Credentials::new("A", "hush"), "eu-west-1", "sqs");
    let used = signers.current(at(0)).await.unwrap();
    assert!(!signers.expire(&used));
    assert!(Arc::ptr_eq(&used, &signers.current(at(1)).await.unwrap()));
}

#[tokio::test]
async fn credentials_that_arrive_ended_are_used_for_a_minute() {
    let rig = Rig::new();
    rig.answer("A", Some(0));
    assert_eq!(rig.key(7200).await, OK("A"));
    assert_eq!(rig.key(7223).await, OK("A"));
    rig.settle().await;
    assert_eq!(rig.asked(), 1);
    rig.fail("down");
    assert_eq!(rig.key(7230).await, OK("A"));
    rig.settle().await;
    rig.answer("B", None);
    assert_eq!(rig.key(7260).await, OK("B"));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_never_answers_is_an_error_after_half_a_minute() {
    let rig = Rig::new();
    assert_eq!(rig.key(0).await, ERR("no credentials within 30s"));
}

#[tokio::test]
async fn a_provider_that_panics_is_an_error() {
    let mut rig = Rig::new();
    rig.answers = mpsc::unbounded_channel().0;
    let error = rig.key(0).await.unwrap_err();
    assert!(error.contains("the provider panicked"), "{error}");
    assert_eq!(rig.asked(), WAITS);
}

#[tokio::test]
async fn credentials_that_were_had_while_the_clock_was_wrong_end_when_they_end() {
    const YEARS: u64 = 10 * 365 * 24 * 3600;
    let rig = Rig::new();
    // A hostile date, or a clock that was set: they seem to have ended when they come.
    rig.answer("A", Some(3600));
    assert_eq!(rig.key(YEARS).await, OK("A"));
    assert_eq!(rig.key(YEARS + 1).await, OK("A"));
    // The clock is right again, and they last as long as they said.
    assert_eq!(rig.key(0).await, OK("A"));
    assert_eq!(rig.key(3599).await, OK("A"));
    assert_eq!(rig.asked(), 1);
    rig.answer("B", Some(7200));
    assert_eq!(rig.key(3600).await, OK("B"));
    assert_eq!(rig.asked(), 2);
}
