//! A call on its way through the faults.

use std::time::Duration;

use axum::response::Response;
use http_body_util::{BodyExt, Collected};
use sqs::{Error, ErrorCode, Request};
use sqs_engine::{Context, ControlAction};

use super::book::Faults;
use super::selector::Subject;
use super::slow::slow_body;
use super::visit::Ending;
use crate::driver::{Answer, Driver};
use crate::http::accept::Unanswered;
use crate::journal::{FaultHit, Note};

/// A call on its way: what met it, and what is still to be done to its answer.
#[derive(Default)]
pub(crate) struct Passage {
    /// What the call is about; `None` if there was no fault when it came.
    call: Option<Subject>,
    /// Where it is written down what it met.
    note: Option<Note>,
    outcome: Outcome,
    slow_body: Option<Duration>,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Outcome {
    /// Its answer goes out, whoever gave it.
    #[default]
    Answered,
    /// The connection is closed instead.
    Unanswered,
}

impl Faults {
    /// What goes wrong with a call before it is performed. What is to go wrong while it is performed
    /// is put into its context; and what is to be done to its answer is left to [`after`](Self::after)
    /// and [`Passage::finish`].
    ///
    /// # Errors
    ///
    /// When the call is not to be performed. [`Passage::finish`] is for that answer too.
    pub(crate) async fn before(
        &self,
        driver: &Driver,
        context: &mut Context,
        request: &Request,
        passage: &mut Passage,
    ) -> Result<(), Error> {
        if self.is_empty() {
            return Ok(());
        }
        let call = Subject::new(context, request);
        let met = self.meet(driver, &call, request);
        self.tell_of(met.hits, passage);
        passage.slow_body = met.slow_body;
        passage.call = Some(call);
        if !met.delay.is_zero() {
            tokio::time::sleep(met.delay).await;
        }
        match met.ending {
            Some(Ending::Error(error)) => Err(error),
            Some(Ending::Close) => {
                passage.outcome = Outcome::Unanswered;
                Err(not_performed())
            }
            None => {
                if met.close_after {
                    passage.outcome = Outcome::Unanswered;
                }
                context.directives = met.directives;
                Ok(())
            }
        }
    }

    /// What goes wrong with a call that was performed.
    pub(crate) async fn after(&self, driver: &Driver, answer: &Answer, passage: &mut Passage) {
        let (Some(call), Ok(sqs::Response::ReceiveMessage(output))) = (&passage.call, answer)
        else {
            return;
        };
        let met = self.meet_given(driver, call, &output.messages);
        if let Some(queue) = &call.queue {
            for id in met.released {
                let action = ControlAction::ReleaseMessage { id };
                // A message that is gone meanwhile cannot be given twice.
                if let Err(not_kept) = driver.control(queue.clone(), action).await {
                    tracing::error!(%not_kept, "a message that was to stay visible did not");
                }
            }
        }
        self.tell_of(met.hits, passage);
        passage.slow_body = passage.slow_body.or(met.slow_body);
        if met.close {
            passage.outcome = Outcome::Unanswered;
        }
    }

    fn tell_of(&self, hits: Vec<FaultHit>, passage: &Passage) {
        if hits.is_empty() {
            return;
        }
        self.tell();
        for hit in hits {
            tracing::debug!(id = hit.id, kind = %hit.kind, "a fault happens");
            if let Some(note) = &passage.note {
                note.fault(hit);
            }
        }
    }
}

impl Passage {
    /// A call that begins. What it meets is written down there.
    pub(crate) fn new(note: Option<Note>) -> Self {
        Self {
            note,
            ..Self::default()
        }
    }

    /// Does to the answer what is to be done to it.
    pub(crate) async fn finish(self, mut response: Response) -> Response {
        match (self.outcome, self.slow_body) {
            (Outcome::Unanswered, _) => {
                if let Some(note) = &self.note {
                    note.closed();
                }
                response.extensions_mut().insert(Unanswered);
                response
            }
            (Outcome::Answered, Some(over)) => slow(response, over).await,
            (Outcome::Answered, None) => response,
        }
    }
}

async fn slow(response: Response, over: Duration) -> Response {
    let (parts, body) = response.into_parts();
    // It is in memory as a whole, so there is nothing that could break off.
    let body = body.collect().await.map(Collected::to_bytes);
    let body = body.unwrap_or_default();
    if body.is_empty() {
        tokio::time::sleep(over).await;
        return Response::from_parts(parts, body.into());
    }
    Response::from_parts(parts, slow_body(body, over))
}

/// What stands in place of the answer to a call that was never performed; no client sees it.
fn not_performed() -> Error {
    Error::new(
        ErrorCode::InternalFailure,
        "The connection was closed before the call was performed.",
    )
}
