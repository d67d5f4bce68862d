//! What can be seen of queues and messages from outside: what the control interface writes as JSON,
//! and what [`QueueHandle`](crate::QueueHandle) gives.
//!
//! Looking changes nothing: no message is received, and none is hidden. Everything is a copy of what
//! was true at one moment.

mod describe;
mod pages;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sqs::{ListMessageMoveTasksResultEntry, MessageAttributeValue};
pub use sqs_engine::Counts;
use sqs_engine::{MessageId, Timestamp};

pub(crate) use self::pages::{Cursors, MessagePage, MessageQuery, QueuePage, QueueQuery};
pub use crate::clock::{Clock, ClockMode};

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Queue {
    /// The account that owns it, 12 digits.
    pub account: String,
    /// The region that it is in.
    pub region: String,
    /// Its name.
    pub name: String,
    /// Its URL, as whoever asks reaches it.
    pub url: String,
    /// Its ARN.
    pub arn: String,
    /// Its attributes, as GetQueueAttributes gives all of them.
    pub attributes: BTreeMap<String, String>,
    /// Its tags, values by key.
    pub tags: BTreeMap<String, String>,
    /// How many messages are in each state.
    pub counts: Counts,
    /// How many long polls wait at it.
    pub waiting_polls: usize,
}

/// A queue with what is inside it besides messages. Of long lists there is a part: `groups_after`
/// and `dedup_after` say where the next part begins, if there is more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QueueDetails {
    /// The queue.
    #[serde(flatten)]
    pub queue: Queue,
    /// The message groups of a FIFO queue, by name.
    pub groups: Vec<Group>,
    /// The last of the groups here, if there are more.
    pub groups_after: Option<String>,
    /// The deduplication ids that a FIFO queue remembers, oldest first.
    pub dedup: Vec<DeduplicationId>,
    /// The sequence number of the last of the ids here, if there are more.
    pub dedup_after: Option<String>,
    /// The long polls that wait at the queue, those that came first in front; the first 1,000.
    pub polls: Vec<Poll>,
    /// Its message move tasks, as ListMessageMoveTasks gives them, the newest first.
    pub move_tasks: Vec<ListMessageMoveTasksResultEntry>,
}

/// A message group of a FIFO queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Group {
    /// Its name: the `MessageGroupId` of its messages.
    pub name: String,
    /// How many messages it has, in whatever state.
    pub messages: usize,
    /// What keeps its messages from being received; nothing, if they can be.
    pub blocked_by: Option<Blocker>,
}

/// The message for whose sake none of its group is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Blocker {
    /// Its id.
    pub id: MessageId,
    /// Whether it is in flight or delayed.
    pub state: State,
    /// Until when.
    pub visible_at: Timestamp,
}

/// A deduplication id that a FIFO queue remembers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DeduplicationId {
    /// The id, given or made from the body.
    pub id: String,
    /// The group of the message that was accepted with it.
    pub group: String,
    /// The message that was accepted with it. It may be gone.
    pub message: MessageId,
    /// The sequence number of that message.
    pub sequence_number: String,
    /// When the id is forgotten.
    pub forgotten_at: Timestamp,
}

/// A long poll that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Poll {
    /// When it ends without a message.
    pub ends_at: Timestamp,
    /// How many messages it takes at most.
    pub max_messages: usize,
}

/// Where a message is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Ready to be received.
    Visible,
    /// Sent with a delay that has not passed.
    Delayed,
    /// Received, and neither deleted nor visible again.
    InFlight,
}

/// A message in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// Its body.
    pub body: String,
    /// MD5 of the body, in lower-case hex.
    pub md5: String,
    /// Its system attributes, as a receive gives all of them.
    pub attributes: BTreeMap<String, String>,
    /// Its sender's attributes.
    pub message_attributes: BTreeMap<String, MessageAttributeValue>,
    /// Where it is in its life.
    pub state: State,
    /// When it becomes visible, if it is not.
    pub visible_at: Option<Timestamp>,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// When its retention ends, whatever its state.
    pub expires_at: Timestamp,
    /// When it was received for the first time.
    pub first_received_at: Option<Timestamp>,
    /// How often it was received.
    pub receive_count: u32,
    /// Its message group.
    pub group: Option<String>,
    /// Its deduplication id, in a FIFO queue.
    pub deduplication_id: Option<String>,
    /// Its sequence number, in a FIFO queue.
    pub sequence_number: Option<String>,
    /// The handle of the receive that holds it, if it is in flight.
    pub receipt_handle: Option<String>,
}
