//! Small checks of values from outside.

use std::time::Duration;

use sqs::limits::Limit;

/// A number of seconds, if the limit allows it.
pub(crate) fn seconds(limit: Limit, given: i32) -> Option<Duration> {
    let seconds = u64::try_from(given).ok()?;
    limit.contains(given).then(|| Duration::from_secs(seconds))
}

/// A count, if the limit allows it.
pub(crate) fn count(limit: Limit, given: impl TryInto<u32>) -> Option<usize> {
    let count = given
        .try_into()
        .ok()
        .filter(|count| limit.contains(*count))?;
    usize::try_from(count).ok()
}

/// Whether a text is made of letters and digits of ASCII, hyphens and underscores only, as the
/// names of queues and the ids of batch entries must be.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Whether a text is a group id: visible characters of ASCII, no blanks.
pub(crate) fn is_fifo_id(limit: Limit, text: &str) -> bool {
    limit.contains(text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}
