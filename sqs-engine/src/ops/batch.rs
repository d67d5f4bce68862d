//! What the three batch operations have in common.

use std::collections::BTreeSet;

use sqs::{
    BatchResultErrorEntry, ChangeMessageVisibilityBatchRequestEntry,
    DeleteMessageBatchRequestEntry, Error, ErrorCode, Fault, SendMessageBatchRequestEntry, limits,
};

use crate::checks;
use crate::errors;

/// An entry of a batch request.
pub(super) trait Entry {
    /// What AWS calls the entry.
    const SHAPE: &'static str;

    /// The id that tells it from the others of its request.
    fn id(&self) -> Option<&str>;
}

impl Entry for ChangeMessageVisibilityBatchRequestEntry {
    const SHAPE: &'static str = "ChangeMessageVisibilityBatchRequestEntry";

    fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}

impl Entry for DeleteMessageBatchRequestEntry {
    const SHAPE: &'static str = "DeleteMessageBatchRequestEntry";

    fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}

impl Entry for SendMessageBatchRequestEntry {
    const SHAPE: &'static str = "SendMessageBatchRequestEntry";

    fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}

/// Checks a batch as a whole, and gives each entry with its id. A batch that fails here fails
/// altogether: nothing of it is done.
pub(super) fn check<E: Entry>(entries: Option<Vec<E>>) -> Result<Vec<(String, E)>, Error> {
    let entries = entries.ok_or_else(|| errors::missing_parameter("Entries"))?;
    if entries.is_empty() {
        let message = format!("There should be at least one {} in the request.", E::SHAPE);
        return Err(Error::new(ErrorCode::EmptyBatchRequest, message));
    }
    let (sent, limit) = (entries.len(), limits::BATCH_ENTRIES);
    if !limit.contains(sent) {
        let max = limit.max();
        let message =
            format!("Maximum number of entries per request are {max}. You have sent {sent}.");
        return Err(Error::new(ErrorCode::TooManyEntriesInBatchRequest, message));
    }
    if !entries
        .iter()
        .all(|entry| is_entry_id(entry.id().unwrap_or_default()))
    {
        let message = "A batch entry id can only contain alphanumeric characters, hyphens and \
                       underscores. It can be at most 80 letters long.";
        return Err(Error::new(ErrorCode::InvalidBatchEntryId, message));
    }
    let mut seen = BTreeSet::new();
    for id in entries.iter().filter_map(Entry::id) {
        if !seen.insert(id) {
            let message = format!("Id {id} repeated.");
            return Err(Error::new(ErrorCode::BatchEntryIdsNotDistinct, message));
        }
    }
    let ids = entries
        .iter()
        .map(|entry| entry.id().unwrap_or_default().to_owned());
    Ok(ids.collect::<Vec<_>>().into_iter().zip(entries).collect())
}

/// How a failed entry is told. The code is the one of the Query protocol, here too.
pub(super) fn failed(id: String, error: &Error) -> BatchResultErrorEntry {
    let code = error.code();
    BatchResultErrorEntry {
        id,
        sender_fault: code.fault() == Fault::Sender,
        code: code.query_code().to_owned(),
        message: Some(error.message().to_owned()),
    }
}

fn is_entry_id(id: &str) -> bool {
    limits::BATCH_ENTRY_ID_LENGTH.contains(id.len()) && checks::is_plain(id)
}
