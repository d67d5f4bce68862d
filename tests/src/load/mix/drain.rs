//! What is left after a run is received and deleted, so that nothing that is lost goes unseen.

use std::sync::Arc;
use std::time::Duration;

use super::Worker;
use crate::load::wire::BATCH;

/// How often a queue must be found empty while messages are missing, until they are taken for lost.
const EMPTY_MAX: usize = 3;

/// SQS's short polls ask some of its servers only, so an empty answer means something only after a wait.
const WAIT: Duration = Duration::from_secs(1);

/// Ends when nothing is missing, when all its queues were found empty often enough, or with the window.
pub(super) async fn run(worker: &mut Worker, connections: u16) {
    let session = Arc::clone(&worker.session);
    let own = own(worker.index, connections, session.queues.len());
    let (mut place, mut empty) = (0, 0);
    // The count is quick and the account exact; a message whose sender never heard of it is in one only.
    let is_missing = || session.ledger.open() > 0 || session.ledger.missing() > 0;
    // A first round does not wait, so that nobody waits for the empty queues while the others are full.
    while is_missing() && empty < (1 + EMPTY_MAX) * own.len() && worker.is_in_time() {
        let is_first = empty < own.len();
        let wait = if is_first { Duration::ZERO } else { WAIT };
        let queue = session.queue(own[place % own.len()]);
        match worker.take(queue, BATCH, wait).await {
            Some(0) => {
                empty += 1;
                place += 1;
            }
            // There may be more in the same queue.
            Some(_) => empty = 0,
            None => place += 1,
        }
    }
}

/// The queues that a connection looks at: its share, or one where there are fewer queues than connections.
fn own(index: u16, connections: u16, queues: usize) -> Vec<usize> {
    let first = usize::from(index) % queues.max(1);
    (first..queues).step_by(usize::from(connections)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_is_looked_at() {
        for (connections, queues) in [(16, 1), (16, 16), (16, 20), (16, 32), (1, 5), (3, 100)] {
            let mut seen: Vec<usize> = (0..connections)
                .flat_map(|index| own(index, connections, queues))
                .collect();
            seen.sort_unstable();
            seen.dedup();
            let all: Vec<usize> = (0..queues).collect();
            assert_eq!(seen, all, "{connections} connections");
        }
    }
}
