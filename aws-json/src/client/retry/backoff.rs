//! How long an attempt waits.

use std::time::Duration;

use http::HeaderMap;

/// The longest delay before the second attempt, after throttling.
pub(super) const THROTTLING_BASE: Duration = Duration::from_secs(1);

/// The longest delay, however many attempts were made, before the service's wish is added.
const LONGEST: Duration = Duration::from_secs(20);

/// By how much the service may lengthen a delay.
const LONGEST_ADDED: Duration = Duration::from_secs(5);

/// The delay before the attempt that follows on `made` ones: a part of the base, which doubles
/// with each attempt, and at least what the service asks for, as far as that is reasonable.
pub(super) fn delay(
    base: Duration,
    made: u32,
    jitter: f64,
    retry_after: Option<Duration>,
) -> Duration {
    let doubled = 1_u32
        .checked_shl(made.saturating_sub(1))
        .and_then(|factor| base.checked_mul(factor))
        .unwrap_or(LONGEST);
    let delay = doubled.min(LONGEST).mul_f64(jitter.clamp(0.0, 1.0));
    match retry_after {
        Some(wish) => wish.clamp(delay, delay + LONGEST_ADDED),
        None => delay,
    }
}

/// How long the service asks to wait, in whole milliseconds. A value that is no such number is
/// ignored; so is `Retry-After`, which AWS does not use for this.
pub(in crate::client) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get("x-amz-retry-after")?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_millis)
}
