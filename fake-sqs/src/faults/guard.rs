//! The faults of a test, which go when it ends.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::book::{FaultId, Faults};
use super::fault::Fault;
use super::rule::FaultError;
use crate::FakeSqs;

/// A fault of a running server. It is removed when this is dropped.
///
/// # Example
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use fake_sqs::{FakeSqs, Fault};
///
/// let server = FakeSqs::start().await;
/// {
///     let lost = server.fault(Fault::close_after().queue("orders"));
///     // What is called meanwhile is answered by nobody, though it is done.
///     assert_eq!(lost.hits(), 0);
/// }
/// // And now it is answered again.
/// # }
/// ```
#[must_use = "the fault is removed when this is dropped; `keep` lets it stay"]
pub struct FaultGuard {
    faults: Arc<Faults>,
    id: FaultId,
    hits: Arc<AtomicU64>,
    at_the_end: AtTheEnd,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AtTheEnd {
    Remove,
    Keep,
}

impl FaultGuard {
    /// How many calls it has hit by now, also if it has been removed since.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// The id under which the control interface lists it.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Lets the fault stay until the server is reset or stops, or until somebody removes it by its
    /// [`id`](Self::id).
    pub fn keep(mut self) {
        self.at_the_end = AtTheEnd::Keep;
    }
}

impl fmt::Debug for FaultGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultGuard")
            .field("id", &self.id)
            .field("hits", &self.hits())
            .finish_non_exhaustive()
    }
}

impl Drop for FaultGuard {
    fn drop(&mut self) {
        if self.at_the_end == AtTheEnd::Remove {
            self.faults.remove(self.id);
        }
    }
}

impl FakeSqs {
    /// Makes something go wrong until the guard is dropped.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use fake_sqs::{FakeSqs, Fault, Operation};
    ///
    /// let server = FakeSqs::start().await;
    /// let throttled = server.fault(Fault::throttle().on(Operation::SendMessage).times(2));
    /// // The next two SendMessage calls are refused with RequestThrottled.
    /// assert_eq!(throttled.hits(), 0);
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// When there can be no such fault: a test that is written so cannot be right.
    /// [`try_fault`](Self::try_fault) gives an error instead.
    #[track_caller]
    pub fn fault(&self, fault: Fault) -> FaultGuard {
        match self.try_fault(fault) {
            Ok(guard) => guard,
            Err(error) => panic!("there can be no such fault: {error}"),
        }
    }

    /// Makes something go wrong until the guard is dropped.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use fake_sqs::{FakeSqs, Fault};
    ///
    /// let server = FakeSqs::start().await;
    /// let error = server.try_fault(Fault::error("queueDoesNotExist")).expect_err("a misspelling");
    /// assert_eq!(
    ///     error.to_string(),
    ///     "fault.code: SQS has no error \"queueDoesNotExist\"; perhaps QueueDoesNotExist is meant",
    /// );
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`FaultError`] when a value means nothing, when the parts do not go together, and when there
    /// are more faults than [`FAULTS_MAX`](crate::limits::FAULTS_MAX).
    pub fn try_fault(&self, fault: Fault) -> Result<FaultGuard, FaultError> {
        let faults = Arc::clone(self.remote().control.faults());
        let (id, hits) = faults.add(fault.rule()?)?;
        Ok(FaultGuard {
            faults,
            id,
            hits,
            at_the_end: AtTheEnd::Remove,
        })
    }
}
