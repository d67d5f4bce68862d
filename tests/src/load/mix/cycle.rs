//! Send, receive, delete.

use std::sync::Arc;
use std::time::Duration;

use super::Worker;
use crate::load::ledger::Promise;
use crate::load::wire::BATCH;

/// One message is sent, and what comes is deleted: one message from a standard queue. From a FIFO
/// queue up to ten, since its groups are locked now and then and what waits there must not pile up.
pub(super) async fn run(worker: &mut Worker) {
    let session = Arc::clone(&worker.session);
    let shape = session.shape;
    let connections = usize::from(shape.connections);
    let mut round = 0;
    while worker.goes_on() {
        let step = usize::from(worker.index) + round * connections;
        round += 1;
        let (lane, most) = match shape.promise {
            Promise::Fifo => (
                lane(worker.index, step, shape.groups, shape.connections),
                BATCH,
            ),
            Promise::Standard => (worker.index, 1),
        };
        let queue = match shape.promise {
            // A group is in one queue, and with more queues than groups some are left empty.
            Promise::Fifo => session.queue(usize::from(lane % shape.groups.max(1))),
            Promise::Standard => session.queue(step),
        };
        if worker.send(queue, lane).await.is_none() {
            continue;
        }
        let deleted = worker.take(queue, most, Duration::ZERO).await;
        worker.count(deleted);
    }
}

/// The lane for a step: each belongs to one connection, so that its messages have an order. With more
/// groups than connections a connection has several, and uses them in turn.
fn lane(index: u16, step: usize, groups: u16, connections: u16) -> u16 {
    if groups <= connections {
        return index;
    }
    let own = usize::from(index)..usize::from(groups);
    let mut own = own.step_by(usize::from(connections));
    let count = own.len().max(1);
    let lane = own.nth(step / usize::from(connections) % count);
    lane.and_then(|lane| u16::try_from(lane).ok())
        .unwrap_or(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_belongs_to_one_connection_and_all_are_used() {
        for (groups, connections) in [(10, 16), (10, 10), (10, 4), (1_000, 16), (1, 1)] {
            let mut owner = vec![None; usize::from(groups.max(connections))];
            for index in 0..connections {
                for round in 0..usize::from(groups) {
                    let step = usize::from(index) + round * usize::from(connections);
                    let lane = lane(index, step, groups, connections);
                    let owner = owner[usize::from(lane)].get_or_insert(index);
                    assert_eq!(*owner, index, "{groups} groups, {connections} connections");
                }
            }
            assert!(
                owner.iter().all(Option::is_some),
                "{groups}, {connections}: {owner:?}"
            );
        }
    }
}
