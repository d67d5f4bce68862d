//! ListQueueTags, TagQueue and UntagQueue, and the tags of CreateQueue.

use std::collections::BTreeMap;

use sqs::{
    Error, ListQueueTagsInput, ListQueueTagsOutput, Operation, TagQueueInput, TagQueueOutput,
    UntagQueueInput, UntagQueueOutput, limits,
};

use crate::access::queue_for;
use crate::engine::{Context, Engine};
use crate::errors::{self, invalid_parameter};

pub(super) fn list(
    engine: &Engine,
    context: &Context,
    input: &ListQueueTagsInput,
) -> Result<ListQueueTagsOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(engine, context, url, Operation::ListQueueTags)?;
    Ok(ListQueueTagsOutput {
        tags: engine.queue(queue)?.tags.clone(),
    })
}

/// Adds tags, or gives new values to those that are there. All of them or none.
pub(super) fn tag(
    engine: &mut Engine,
    context: &Context,
    input: TagQueueInput,
) -> Result<TagQueueOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(engine, context, url, Operation::TagQueue)?;
    let tags = parse(input.tags)?;
    if tags.is_empty() {
        return Err(errors::missing_parameter("Tags"));
    }
    let queue = engine.queue_mut(queue)?;
    let mut all = queue.tags.clone();
    all.extend(tags);
    check_count(&all, &queue.name.name)?;
    queue.tags = all;
    Ok(TagQueueOutput {})
}

/// Keys that the queue does not have are ignored.
pub(super) fn untag(
    engine: &mut Engine,
    context: &Context,
    input: UntagQueueInput,
) -> Result<UntagQueueOutput, Error> {
    let url = input.queue_url.as_deref();
    let queue = queue_for(engine, context, url, Operation::UntagQueue)?;
    let keys = input
        .tag_keys
        .ok_or_else(|| errors::missing_parameter("TagKeys"))?;
    // What an empty list of keys gets elsewhere, and it fits a bad key too.
    if keys.is_empty() || !keys.iter().all(|key| is_key_length(key)) {
        return Err(bad_key_length());
    }
    let tags = &mut engine.queue_mut(queue)?.tags;
    for key in keys {
        tags.remove(&key);
    }
    Ok(UntagQueueOutput {})
}

/// Checks tags as a request gives them, each by itself. A value may be empty, and not be missing.
///
/// Which check comes first, and the words for values, are not known; AWS's words for keys are.
pub(super) fn parse(
    tags: Option<BTreeMap<String, Option<String>>>,
) -> Result<BTreeMap<String, String>, Error> {
    let symbols = "unicode letters, digits, whitespace, or one of these symbols: _ . : / = + - @";
    let mut parsed = BTreeMap::new();
    for (key, value) in tags.unwrap_or_default() {
        let value =
            value.ok_or_else(|| invalid_parameter("the parameter 'value' may not be null"))?;
        if !is_key_length(&key) {
            return Err(bad_key_length());
        }
        if !is_tag_text(&key) {
            return Err(invalid_parameter(format!(
                "Tag keys may only contain {symbols}"
            )));
        }
        if is_reserved(&key) {
            let message = "Tag keys cannot start with the reserved prefix \"aws:\".";
            return Err(invalid_parameter(message));
        }
        if !limits::TAG_VALUE_LENGTH.contains(value.chars().count()) {
            let message = "Tag values must be between 0 and 256 characters in length.";
            return Err(invalid_parameter(message));
        }
        if !is_tag_text(&value) {
            return Err(invalid_parameter(format!(
                "Tag values may only contain {symbols}"
            )));
        }
        parsed.insert(key, value);
    }
    Ok(parsed)
}

/// AWS only advises against more; whoever has more on it loses nothing by hearing of it here.
pub(super) fn check_count(tags: &BTreeMap<String, String>, queue: &str) -> Result<(), Error> {
    if limits::TAGS.contains(tags.len()) {
        return Ok(());
    }
    Err(invalid_parameter(format!(
        "Too many tags added for queue {queue}."
    )))
}

fn bad_key_length() -> Error {
    invalid_parameter("Tag keys must be between 1 and 128 characters in length.")
}

/// AWS counts characters, not bytes.
fn is_key_length(key: &str) -> bool {
    limits::TAG_KEY_LENGTH.contains(key.chars().count())
}

fn is_tag_text(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_alphanumeric()
            || (c.is_whitespace() && !c.is_control())
            || matches!(c, '_' | '.' | ':' | '/' | '=' | '+' | '-' | '@')
    })
}

/// AWS's own tags begin so, in any case.
fn is_reserved(key: &str) -> bool {
    key.get(..4)
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case("aws:"))
}
