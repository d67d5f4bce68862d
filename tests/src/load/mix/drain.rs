//! What is left after a run is received and deleted, so that nothing that is lost goes unseen.

use std::sync::Arc;

use super::Worker;
use crate::load::wire::BATCH;

/// How often a queue must be found empty while messages are missing, until they are taken for lost.
const EMPTY_MAX: usize = 3;

/// Ends when nothing is missing, when all queues were found empty often enough, or with the window.
pub(super) async fn run(worker: &mut Worker) {
    let session = Arc::clone(&worker.session);
    let connections = usize::from(session.shape.connections);
    let own = session.queues.len().div_ceil(connections).max(1);
    // SQS's short polls ask some of its servers only, so an empty answer means something only after a wait.
    let wait_seconds = u64::from(own == 1);
    let (mut number, mut empty) = (usize::from(worker.index), 0);
    // The count is quick and the account exact; a message whose sender never heard of it is in one only.
    let is_missing = || session.ledger.open() > 0 || session.ledger.missing() > 0;
    while is_missing() && empty < EMPTY_MAX * own && worker.goes_on() {
        match worker
            .take(session.queue(number), BATCH, wait_seconds)
            .await
        {
            Some(0) => empty += 1,
            Some(_) => {
                empty = 0;
                // There may be more in the same queue.
                continue;
            }
            None => {}
        }
        number += connections;
    }
}
