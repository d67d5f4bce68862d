//! Send ten, receive ten, delete ten.

use std::sync::Arc;
use std::time::Duration;

use super::Worker;
use crate::load::wire::BATCH;

/// A message counts when all three are done, so messages a second are those that went the whole way:
/// about ten for three requests.
pub(super) async fn run(worker: &mut Worker) {
    let session = Arc::clone(&worker.session);
    let (lane, step) = (worker.index, usize::from(session.shape.connections));
    let mut number = usize::from(lane);
    while worker.goes_on() {
        let queue = session.queue(number);
        number += step;
        if worker.send_batch(queue, lane).await.is_none() {
            continue;
        }
        let deleted = worker.take(queue, BATCH, Duration::ZERO).await;
        worker.count(deleted);
    }
}
