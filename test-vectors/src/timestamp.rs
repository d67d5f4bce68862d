use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sigv4::DateTime;

/// Reads `2015-08-30T12:36:00Z`, a moment after 1970.
///
/// The error is a sentence that says what was expected.
pub(crate) fn parse(text: &str) -> Result<SystemTime, String> {
    moment(text).ok_or_else(|| {
        format!("the timestamp is {text:?}; expected a moment like \"2015-08-30T12:36:00Z\"")
    })
}

/// Writes a moment as [`parse`] reads it.
pub(crate) fn write(at: SystemTime) -> String {
    let at = DateTime::from_system_time(at).map(|at| at.to_string());
    let text = at.unwrap_or_default();
    match (
        text.get(..4),
        text.get(4..6),
        text.get(6..11),
        text.get(11..13),
        text.get(13..),
    ) {
        (Some(year), Some(month), Some(day_hour), Some(minute), Some(second)) => {
            format!("{year}-{month}-{day_hour}:{minute}:{second}")
        }
        _ => text,
    }
}

/// A signature writes a moment without its four separators; what is left is for `sigv4` to read.
fn moment(text: &str) -> Option<SystemTime> {
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    let separated = |(at, separator)| text.as_bytes().get(at) == Some(&separator);
    if text.len() != 20 || !separators.into_iter().all(separated) {
        return None;
    }
    let seconds = DateTime::parse(&text.replace(['-', ':'], ""))?.unix_seconds();
    Some(UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_suites_moment() {
        let expected = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
        assert_eq!(parse("2015-08-30T12:36:00Z"), Ok(expected));
        assert_eq!(write(expected), "2015-08-30T12:36:00Z");
        let leap = UNIX_EPOCH + Duration::from_secs(1_835_395_200);
        assert_eq!(parse("2028-02-29T00:00:00Z"), Ok(leap));
    }

    #[test]
    fn refuses_anything_else() {
        for text in [
            "",
            "2015-08-30",
            "2015-08-30T12:36:00",
            "2015-08-30T12:36:00+00:00",
            "2015-8-30T12:36:00Z",
            "2015-02-29T12:36:00Z",
            "2015-08-30T24:00:00Z",
            "2015-08-30T12:36:00:00Z",
            "2015-+8-30T12:36:00Z",
            "2015-08-30é12:36:00Z",
            "1969-12-31T23:59:59Z",
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains("2015-08-30T12:36:00Z"), "{error}");
        }
    }
}
