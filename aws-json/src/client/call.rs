//! A call: its attempts, until one succeeds or no more is worth it.

use std::borrow::Cow;
use std::pin::{Pin, pin};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Sleep;
use tracing::Instrument;

use super::Inner;
use super::answer::Answer;
use super::attempt::{Attempt, Failed};
use super::endpoint::Endpoint;
use super::error::{Error, Kind};
use super::retry::{Nature, Next};
use super::trace;
use super::wire::before;

/// What is called, whatever its types.
pub(super) struct Call<'a> {
    /// Where it goes: the client's endpoint, with the operation's prefix if it has one.
    pub(super) endpoint: Cow<'a, Endpoint>,
    pub(super) operation: &'a str,
    /// Its body as it is sent.
    pub(super) input: Bytes,
    /// How the body is encoded, if it is not plain JSON.
    pub(super) content_encoding: Option<&'static str>,
    /// How long the service may hold it on purpose.
    pub(super) held_for: Duration,
    pub(super) nature: Nature,
}

/// A call that succeeded.
pub(super) struct Called {
    pub(super) answer: Answer,
    pub(super) attempts: u32,
}

/// A call that goes on.
pub(super) type Calling<'a> = Pin<Box<dyn Future<Output = Result<Called, Error>> + Send + 'a>>;

impl Inner {
    /// Sends a call as often as the rules say. Nothing of it goes on when this is dropped.
    ///
    /// One future for all operations, by its address: as part of theirs it would be compiled for each
    /// of them anew, and lie in each of their callers.
    pub(super) fn call<'a>(&'a self, call: &'a Call<'a>) -> Calling<'a> {
        Box::pin(async move {
            let span = trace::call(&self.service, call.operation);
            let mut work = pin!(self.attempts(call).instrument(span));
            let result = work.as_mut().await;
            trace::called(work.span(), &result);
            result
        })
    }

    async fn attempts(&self, call: &Call<'_>) -> Result<Called, Error> {
        let invocation_id = self.random.uuid();
        let limit = self
            .call_timeout
            .map(|limit| limit.saturating_add(call.held_for));
        let mut bound = pin!(limit.map(tokio::time::sleep));
        let mut attempts = self.retries.begin(call.nature);
        let mut skew = self.skew.current();
        loop {
            let number = attempts.start();
            let attempt = Attempt {
                number,
                invocation_id: &invocation_id,
                skew,
            };
            let span = trace::attempt(number);
            let result = {
                let mut work = pin!(self.attempt(call, attempt).instrument(span));
                let result = before(bound.as_mut().as_pin_mut(), work.as_mut())
                    .await
                    .unwrap_or_else(|| Err(Kind::Timeout(limit.unwrap_or_default()).into()));
                trace::attempted(work.span(), &result);
                result
            };
            let called = |answer| Called {
                answer,
                attempts: number,
            };
            let failed = match result.map(called) {
                Ok(called) => {
                    attempts.succeeded();
                    return Ok(called);
                }
                Err(failed) => failed,
            };
            let next = attempts.failed(&failed.failure(), self.random.fraction());
            let next = match pause(next.after(), bound.as_mut().as_pin_mut()) {
                Some(pause) => {
                    trace::next(number, &next, &failed.error);
                    pause.await;
                    next
                }
                None => {
                    let next = attempts.out_of_time(next);
                    trace::next(number, &next, &failed.error);
                    next
                }
            };
            match next {
                Next::Retry { .. } => {}
                Next::Fail { .. } => return Err(self.failed(failed, number)),
            }
            skew = failed.skew.unwrap_or(skew);
        }
    }

    /// The error of a call after its last attempt.
    fn failed(&self, failed: Failed, attempts: u32) -> Error {
        let retryable = self.retries.retryable(&failed.failure());
        failed.error.after(attempts, retryable)
    }
}

/// A wait that is so long. None if it would go beyond the bound.
fn pause(after: Duration, bound: Option<Pin<&mut Sleep>>) -> Option<impl Future<Output = ()>> {
    let sleep = tokio::time::sleep(after);
    if bound.is_some_and(|bound| bound.deadline() <= sleep.deadline()) {
        return None;
    }
    Some(async move {
        // A timer is good for a millisecond at the least.
        if !after.is_zero() {
            sleep.await;
        }
    })
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    /// How long the paused clock went on while this was waited for.
    async fn time_of<F: Future>(future: F) -> (Duration, F::Output) {
        let start = sleep(Duration::ZERO).deadline();
        let output = future.await;
        (sleep(Duration::ZERO).deadline() - start, output)
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_is_as_long_as_it_should_be_or_none_if_it_would_end_too_late() {
        let seconds = Duration::from_secs;
        for (after, limit, expected) in [
            (0, None, (0, true)),
            (20, None, (20, true)),
            (20, Some(21), (20, true)),
            (20, Some(20), (0, false)),
            (20, Some(1), (0, false)),
            (0, Some(1), (0, true)),
        ] {
            let mut bound = pin!(limit.map(|limit| sleep(seconds(limit))));
            let bound = bound.as_mut().as_pin_mut();
            let pause = pause(seconds(after), bound);
            let worth_it = pause.is_some();
            let wait = async {
                if let Some(pause) = pause {
                    pause.await;
                }
            };
            let (slept, ()) = time_of(wait).await;
            let (length, expected) = expected;
            assert_eq!(worth_it, expected, "{after} {limit:?}");
            // A timer is exact to a millisecond.
            let late = slept.checked_sub(seconds(length));
            assert!(late.is_some_and(|late| late.as_millis() <= 1), "{slept:?}");
        }
        let mut bound = pin!(Some(sleep(seconds(1))));
        sleep(seconds(2)).await;
        assert!(pause(Duration::ZERO, bound.as_mut().as_pin_mut()).is_none());
    }
}
