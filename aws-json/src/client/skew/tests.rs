use std::time::UNIX_EPOCH;

use http::HeaderValue;

use super::*;

/// 2026-01-01 00:00:00 UTC.
const NEW_YEAR: u64 = 1_767_225_600;

fn at(seconds: f64) -> SystemTime {
    // Counted from an hour before, as a duration is never less than none.
    UNIX_EPOCH + Duration::from_secs(NEW_YEAR - 3_600) + Duration::from_secs_f64(3_600.0 + seconds)
}

fn dated(date: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(DATE, HeaderValue::from_str(date).unwrap());
    headers
}

#[test]
fn the_skew_is_the_date_against_the_middle_of_the_call() {
    for (sent, received, millis) in [
        (0.0, 2.0, 0),
        (0.0, 0.0, 1_000),
        (1.0, 1.0, 0),
        (-299.0, -299.0, 300_000),
        (301.0, 301.0, -300_000),
        (0.0, 0.5, 750),
        // Fifteen minutes at the most.
        (-450.0, 450.0, 1_000),
        // A clock that was set back.
        (1.0, 0.0, 0),
    ] {
        let headers = dated("Thu, 01 Jan 2026 00:00:01 GMT");
        let skew = Skew::measure(&headers, at(sent), at(received));
        assert_eq!(skew, Some(Skew(millis)), "{sent} {received}");
    }
}

#[test]
fn an_answer_that_is_late_cached_or_undated_shows_no_skew() {
    let date = "Thu, 01 Jan 2026 00:00:01 GMT";
    let measure = |headers: &HeaderMap, received| Skew::measure(headers, at(0.0), at(received));
    assert_eq!(measure(&dated(date), 900.0), Some(Skew(-449_000)));
    assert_eq!(measure(&dated(date), 900.001), None);
    assert_eq!(measure(&dated("soon"), 0.0), None);
    assert_eq!(measure(&dated(""), 0.0), None);
    assert_eq!(measure(&dated("2026-01-01T00:00:01Z"), 0.0), None);
    assert_eq!(measure(&HeaderMap::new(), 0.0), None);
    let millennium = Skew::measure(&dated("Sat, 01 Jan 2000 00:00:00 GMT"), at(0.0), at(0.0));
    assert_eq!(millennium, Some(Skew(-820_540_800_000)));
    for date in [
        "Fri, 31 Dec 1999 23:59:59 GMT",
        "Wed, 01 Jan 3000 00:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT",
    ] {
        assert_eq!(measure(&dated(date), 0.0), None, "{date}");
    }
    let mut cached = dated(date);
    cached.insert(AGE, HeaderValue::from_static("0"));
    assert_eq!(measure(&cached, 0.0), None);
}

#[test]
fn signatures_are_blamed_beyond_four_minutes_either_way() {
    for (millis, wrong) in [
        (0, false),
        (240_000, false),
        (240_001, true),
        (-240_000, false),
        (-240_001, true),
        (i64::MIN, true),
        (i64::MAX, true),
    ] {
        assert_eq!(Skew(millis).is_wrong(), wrong, "{millis}");
    }
}

#[test]
fn a_skew_shifts_a_time_and_one_that_cannot_be_is_left_out() {
    assert_eq!(Skew(300_000).apply(at(0.0)), at(300.0));
    assert_eq!(Skew(-1_500).apply(at(0.0)), at(-1.5));
    assert_eq!(Skew(0).apply(at(0.0)), at(0.0));
    let _ = Skew(i64::MIN).apply(at(0.0));
    let _ = Skew(i64::MAX).apply(at(0.0));
}

#[test]
fn a_client_keeps_the_last_skew_that_it_saw() {
    let client = ClientSkew::new(ClockSkew::Correct);
    assert_eq!(client.current(), Skew(0));
    let late = dated("Thu, 01 Jan 2026 00:05:00 GMT");
    assert_eq!(client.record(&late, at(0.0), at(0.0)), Some(Skew(300_000)));
    assert_eq!(client.current(), Skew(300_000));
    assert_eq!(client.record(&HeaderMap::new(), at(0.0), at(0.0)), None);
    assert_eq!(client.current(), Skew(300_000));
    let right = dated("Thu, 01 Jan 2026 00:00:00 GMT");
    client.record(&right, at(0.0), at(0.0));
    assert_eq!(client.current(), Skew(0));
}

#[test]
fn a_client_that_ignores_the_skew_keeps_none() {
    let client = ClientSkew::new(ClockSkew::Ignore);
    let late = dated("Thu, 01 Jan 2026 00:05:00 GMT");
    assert_eq!(client.record(&late, at(0.0), at(0.0)), None);
    assert_eq!(client.current(), Skew(0));
}
