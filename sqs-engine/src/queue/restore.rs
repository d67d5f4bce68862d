//! A queue in a snapshot.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Fifo, Queue};
use crate::directory::QueueName;
use crate::id::{MessageKey, QueueId, Receipt};
use crate::queue::attempts::Attempts;
use crate::queue::attributes::QueueAttributes;
use crate::queue::dedup::{Deduplication, Memory};
use crate::queue::fifo_attributes::{DeduplicationScope, QueueKind};
use crate::queue::message::Message;
use crate::queue::messages::{MessagesImage, MessagesRestore};
use crate::snapshot::Contradiction;
use crate::time::Timestamp;

/// A queue without its messages and without the deduplication ids that it remembers.
#[derive(Serialize, Deserialize)]
pub(crate) struct QueueImage {
    id: QueueId,
    name: QueueName,
    attributes: BTreeMap<String, String>,
    tags: BTreeMap<String, String>,
    in_flight_limit: u32,
    created_at: Timestamp,
    modified_at: Timestamp,
    purged_at: Option<Timestamp>,
    messages: MessagesImage,
    fifo: Option<FifoImage>,
}

#[derive(Serialize, Deserialize)]
struct FifoImage {
    scope: DeduplicationScope,
    attempts: Vec<(Timestamp, Arc<str>, Vec<Receipt>)>,
}

/// A queue that is made from a snapshot.
pub(crate) struct QueueRestore {
    queue: Queue,
    messages: MessagesRestore,
    memory: Vec<Memory>,
}

impl Queue {
    pub(crate) fn image(&self) -> QueueImage {
        QueueImage {
            id: self.id,
            name: self.name.clone(),
            attributes: self.attributes.image(),
            tags: self.tags.clone(),
            in_flight_limit: self.in_flight_limit,
            created_at: self.created_at,
            modified_at: self.modified_at,
            purged_at: self.purged_at,
            messages: self.messages.image(),
            fifo: self.fifo.as_ref().map(|fifo| FifoImage {
                scope: fifo.deduplication.scope(),
                attempts: fifo.attempts.all().collect(),
            }),
        }
    }

    /// The deduplication ids that it remembers, oldest first.
    pub(crate) fn memory(&self) -> impl Iterator<Item = Memory> {
        let fifo = self.fifo.iter();
        fifo.flat_map(|fifo| fifo.deduplication.memory())
    }
}

impl QueueRestore {
    pub(crate) fn begin(image: QueueImage) -> Result<Self, Contradiction> {
        let messages = MessagesRestore::begin(image.messages);
        let kind = messages.kind();
        let fifo = match (kind, image.fifo) {
            (QueueKind::Standard, None) => None,
            (QueueKind::Fifo, Some(fifo)) => Some(Box::new(Fifo {
                deduplication: Deduplication::new(fifo.scope),
                attempts: Attempts::restore(fifo.attempts),
            })),
            (QueueKind::Standard, Some(_)) | (QueueKind::Fifo, None) => {
                return Err("a queue is of two kinds");
            }
        };
        let attributes = QueueAttributes::restore(&image.attributes, kind);
        let attributes = attributes.map_err(|_| "the attributes of a queue are not legal")?;
        let queue = Queue {
            purged_at: image.purged_at,
            modified_at: image.modified_at,
            tags: image.tags,
            fifo,
            ..Queue::new(
                image.id,
                image.name,
                attributes,
                image.in_flight_limit,
                image.created_at,
            )
        };
        Ok(Self {
            queue,
            messages,
            memory: Vec::new(),
        })
    }

    /// Takes in what the queue remembers, oldest first.
    pub(crate) fn remember(&mut self, memory: Memory) -> Result<(), Contradiction> {
        self.memory.push(memory);
        Ok(())
    }

    /// Takes in a message; they come in the order of their keys.
    pub(crate) fn put_back(
        &mut self,
        key: MessageKey,
        message: Message,
        held_since: Option<Timestamp>,
    ) -> Result<(), Contradiction> {
        self.messages.put_back(key, Box::new(message), held_since)
    }

    pub(crate) fn finish(mut self) -> Result<Queue, Contradiction> {
        // Not before the messages, whose groups it shares.
        for memory in self.memory {
            let fifo = self.queue.fifo.as_mut();
            let fifo = fifo.ok_or("a standard queue remembers sends")?;
            let share = |name: &Arc<str>| self.messages.shared(name);
            fifo.deduplication.restore(memory, share)?;
        }
        self.queue.messages = self.messages.finish()?;
        Ok(self.queue)
    }
}
