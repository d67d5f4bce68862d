//! An engine as parts.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{END, End, HEAD, Head, MARK, MEMORY, MESSAGES, PART_BYTES, QUEUE, VERSION};
use crate::engine::Engine;
use crate::queue::Queue;

pub(super) fn write<E>(engine: &Engine, put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let mut parts = Parts {
        put,
        part: Vec::new(),
        count: 0,
        hash: Sha256::new(),
    };
    let head = Head {
        rules: engine.rules,
        limits: engine.limits,
        now: engine.now,
        ids: engine.ids.clone(),
        deletions: engine.directory.deletions().collect(),
        polls: engine.waiters.arrivals(),
        waiting: engine.waiters.waiting().collect(),
        tasks: engine.tasks.all().collect(),
    };
    parts.begin(HEAD);
    parts.part.extend_from_slice(MARK);
    parts.part.push(VERSION);
    parts.write(&head);
    parts.end()?;
    for queue in engine.queues() {
        self::queue(&mut parts, queue)?;
    }
    let end = End {
        parts: parts.count,
        digest: parts.hash.clone().finalize().into(),
    };
    parts.begin(END);
    parts.write(&end);
    parts.end()
}

fn queue<E, P: FnMut(&[u8]) -> Result<(), E>>(
    parts: &mut Parts<P>,
    queue: &Queue,
) -> Result<(), E> {
    parts.begin(QUEUE);
    parts.write(&queue.image());
    parts.end()?;
    parts.list(MEMORY, queue.memory())?;
    let messages = &queue.messages;
    let stored = messages.iter_after(None);
    parts.list(
        MESSAGES,
        stored.map(|(key, message)| (key, message, messages.held_since(key))),
    )
}

struct Parts<P> {
    put: P,
    part: Vec<u8>,
    count: u64,
    hash: Sha256,
}

impl<P> Parts<P> {
    fn begin(&mut self, kind: u8) {
        self.part.clear();
        self.part.push(kind);
    }

    fn write(&mut self, value: &impl Serialize) {
        let part = std::mem::take(&mut self.part);
        match postcard::to_extend(value, part) {
            Ok(part) => self.part = part,
            // Nothing here has a length that is not known beforehand, and memory takes everything.
            Err(error) => unreachable!("a snapshot cannot be written to memory: {error}"),
        }
    }

    fn end<E>(&mut self) -> Result<(), E>
    where
        P: FnMut(&[u8]) -> Result<(), E>,
    {
        self.count += 1;
        self.hash.update((self.part.len() as u64).to_be_bytes());
        self.hash.update(&self.part);
        (self.put)(&self.part)
    }

    /// Writes a list over as many parts as it takes; none for an empty one.
    fn list<E, T: Serialize>(&mut self, kind: u8, list: impl Iterator<Item = T>) -> Result<(), E>
    where
        P: FnMut(&[u8]) -> Result<(), E>,
    {
        self.begin(kind);
        for item in list {
            self.write(&item);
            if self.part.len() >= PART_BYTES {
                self.end()?;
                self.begin(kind);
            }
        }
        match self.part.len() {
            1 => Ok(()),
            _ => self.end(),
        }
    }
}
