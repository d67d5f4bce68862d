//! An engine from parts.

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    Contradiction, END, End, HEAD, Head, MARK, MEMORY, MESSAGES, QUEUE, RestoreError, VERSION,
};
use crate::engine::Engine;
use crate::queue::{QueueImage, QueueRestore};

/// Makes an engine from what [`Engine::snapshot`] has written: [`add`](Self::add) each part in
/// order, then [`finish`](Self::finish).
///
/// Whatever the bytes are, nothing panics, and no engine comes of a snapshot that is not whole.
#[must_use = "an engine comes of it when it is finished"]
pub struct Restore {
    engine: Option<Engine>,
    /// What comes next belongs to it.
    queue: Option<QueueRestore>,
    parts: u64,
    hash: Sha256,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Ended,
}

impl Default for Restore {
    fn default() -> Self {
        Self::new()
    }
}

impl Restore {
    /// Without any part yet.
    pub fn new() -> Self {
        Self {
            engine: None,
            queue: None,
            parts: 0,
            hash: Sha256::new(),
            state: State::Open,
        }
    }

    /// Takes the next part.
    ///
    /// # Errors
    ///
    /// When it cannot be the next part of a snapshot that this version reads. What was added is of
    /// no further use then.
    pub fn add(&mut self, part: &[u8]) -> Result<(), RestoreError> {
        let damaged = |parts, reason: &str| RestoreError::Damaged {
            part: parts,
            reason: reason.to_owned(),
        };
        let (kind, body) = match part.split_first() {
            Some((kind, body)) => (*kind, body),
            None => return Err(damaged(self.parts, "it is empty")),
        };
        let done = match (&mut self.engine, kind) {
            (None, HEAD) => self.head(body)?,
            (None, _) => return Err(RestoreError::Foreign),
            (Some(_), _) if self.state == State::Ended => Err("it comes after the end"),
            (Some(_), QUEUE) => self.begin_queue(body),
            (Some(_), MEMORY) => self.list(body, QueueRestore::remember),
            (Some(_), MESSAGES) => self.list(body, |queue, (key, message, held_since)| {
                queue.put_back(key, message, held_since)
            }),
            (Some(_), END) => self.end(body),
            (Some(_), _) => Err("it is of an unknown kind"),
        };
        done.map_err(|reason| damaged(self.parts, reason))?;
        self.parts += 1;
        self.hash.update((part.len() as u64).to_be_bytes());
        self.hash.update(part);
        Ok(())
    }

    /// The engine.
    ///
    /// # Errors
    ///
    /// When there was no part, or the last was not the end.
    pub fn finish(self) -> Result<Engine, RestoreError> {
        match (self.engine, self.state) {
            (Some(engine), State::Ended) => Ok(engine),
            (None, _) => Err(RestoreError::Foreign),
            (Some(_), State::Open) => Err(RestoreError::Damaged {
                part: self.parts,
                reason: "it ends too early".to_owned(),
            }),
        }
    }

    fn head(&mut self, body: &[u8]) -> Result<Result<(), Contradiction>, RestoreError> {
        let Some((version, body)) = body.strip_prefix(MARK).and_then(<[u8]>::split_first) else {
            return Err(RestoreError::Foreign);
        };
        if *version != VERSION {
            return Err(RestoreError::Version {
                found: *version,
                known: VERSION,
            });
        }
        let head: Head = match whole(body) {
            Ok(head) => head,
            Err(reason) => return Ok(Err(reason)),
        };
        let engine = Engine::restored(head.ids, head.rules, head.limits, head.now);
        let engine = self.engine.insert(engine);
        engine.directory.restore_deletions(head.deletions);
        for (source, tasks) in head.tasks {
            if let Err(reason) = engine.tasks.restore(source, tasks) {
                return Ok(Err(reason));
            }
        }
        Ok(engine.waiters.restore(head.polls, head.waiting))
    }

    fn begin_queue(&mut self, body: &[u8]) -> Result<(), Contradiction> {
        self.end_queue()?;
        let image: QueueImage = whole(body)?;
        self.queue = Some(QueueRestore::begin(image)?);
        Ok(())
    }

    fn end_queue(&mut self) -> Result<(), Contradiction> {
        match (self.queue.take(), &mut self.engine) {
            (Some(queue), Some(engine)) => engine.restore_queue(queue.finish()?),
            (None, _) | (_, None) => Ok(()),
        }
    }

    fn list<'a, T: Deserialize<'a>>(
        &mut self,
        mut body: &'a [u8],
        mut add: impl FnMut(&mut QueueRestore, T) -> Result<(), Contradiction>,
    ) -> Result<(), Contradiction> {
        let queue = self.queue.as_mut().ok_or("it belongs to no queue")?;
        while !body.is_empty() {
            let (item, rest) = postcard::take_from_bytes(body).map_err(|_| UNREADABLE)?;
            add(queue, item)?;
            body = rest;
        }
        Ok(())
    }

    fn end(&mut self, body: &[u8]) -> Result<(), Contradiction> {
        self.end_queue()?;
        if let Some(engine) = &self.engine {
            engine.check_restored()?;
        }
        let end: End = whole(body)?;
        if end.parts != self.parts {
            return Err("there are too few or too many parts before it");
        }
        let digest: [u8; 32] = self.hash.clone().finalize().into();
        if end.digest != digest {
            return Err("the digest of the parts is another");
        }
        self.state = State::Ended;
        Ok(())
    }
}

fn whole<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Contradiction> {
    match postcard::take_from_bytes(body) {
        Ok((value, [])) => Ok(value),
        Ok((_, [_, ..])) => Err("something follows what it holds"),
        Err(_) => Err(UNREADABLE),
    }
}

const UNREADABLE: Contradiction = "it cannot be read";
