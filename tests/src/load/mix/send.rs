//! Sending, and nothing else.

use super::Worker;

/// One message at a time, to one queue after the other.
pub(super) async fn run(worker: &mut Worker) {
    let session = std::sync::Arc::clone(&worker.session);
    let (lane, step) = (worker.index, usize::from(session.shape.connections));
    let mut number = usize::from(lane);
    while worker.goes_on() {
        let sent = worker.send(session.queue(number), lane).await;
        worker.count(sent.map(|_| 1));
        number += step;
    }
}

/// Batches, until the lane has sent that many messages.
pub(super) async fn fill(worker: &mut Worker, messages: u32) {
    let session = std::sync::Arc::clone(&worker.session);
    let lane = worker.index;
    let mut sent = 0;
    while sent < messages as usize && worker.goes_on() {
        let queue = session.queue(usize::from(lane));
        let accepted = worker.send_batch(queue, lane).await;
        worker.count(accepted);
        sent += accepted.unwrap_or_default();
    }
}
