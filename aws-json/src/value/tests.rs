use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::*;
use crate::codec::body::{SerializationError, decode, encode};

/// A shape with one member `v` of a type, in the format of a module.
macro_rules! shape {
    ($shape:ident: $with:literal $type:ty) => {
        #[derive(Serialize, Deserialize, Debug, PartialEq)]
        struct $shape {
            #[serde(with = $with)]
            v: $type,
        }
    };
}

shape!(Epoch: "crate::value::epoch_seconds" SystemTime);
shape!(Iso: "crate::value::iso8601" SystemTime);
shape!(Http: "crate::value::http_date" SystemTime);
shape!(Float: "crate::value::float" f32);
shape!(Double: "crate::value::float" f64);
shape!(Blob: "crate::value::blob" Vec<u8>);
shape!(BlobBytes: "crate::value::blob" Bytes);
shape!(DenseTimes: "crate::value::iso8601" Vec<SystemTime>);
shape!(SparseTimes: "crate::value::epoch_seconds" Vec<Option<SystemTime>>);
shape!(BlobMap: "crate::value::blob" HashMap<String, Vec<u8>>);
shape!(SparseBlobMap: "crate::value::blob" BTreeMap<String, Option<Vec<u8>>>);
shape!(BlobLists: "crate::value::blob" BTreeMap<String, Vec<Vec<u8>>>);
shape!(DenseList: "crate::value::dense" Vec<i32>);
shape!(DenseMap: "crate::value::dense" BTreeMap<String, i32>);

/// The time that is so many seconds and nanoseconds after 1970, or the seconds before it.
fn time(seconds: i64, nanos: u32) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let second = if seconds < 0 {
        UNIX_EPOCH - whole
    } else {
        UNIX_EPOCH + whole
    };
    second + Duration::from_nanos(nanos.into())
}

/// Reads `{"v":…}` with the strict layer and without it, which must agree.
fn read<T>(value: &str) -> Result<T, String>
where
    T: for<'de> Deserialize<'de> + fmt::Debug + PartialEq,
{
    let body = format!("{{\"v\":{value}}}");
    let strict = decode::<T>(body.as_bytes());
    let plain = serde_json::from_str::<T>(&body);
    match (&strict, &plain) {
        (Ok(strict), Ok(plain)) => assert_eq!(strict, plain, "{value}"),
        (Err(_), Err(_)) => {}
        (_, _) => panic!("{value}: {strict:?} and {plain:?}"),
    }
    strict.map_err(|error| error.to_string())
}

fn written(value: &impl Serialize) -> String {
    let body = encode(value).unwrap();
    let text = std::str::from_utf8(&body).unwrap();
    text["{\"v\":".len()..text.len() - 1].to_owned()
}

#[test]
fn epoch_seconds_are_numbers_with_or_without_a_fraction() {
    for (text, v) in [
        ("0", time(0, 0)),
        ("946845296", time(946_845_296, 0)),
        ("946845296.123", time(946_845_296, 123_000_000)),
        ("946845296.123456", time(946_845_296, 123_456_000)),
        ("-1", time(-1, 0)),
        ("-1.25", time(-2, 750_000_000)),
        ("-0.5", time(-1, 500_000_000)),
        ("253402300799.999", time(253_402_300_799, 999_000_000)),
        ("-62135596800", time(-62_135_596_800, 0)),
    ] {
        assert_eq!(read::<Epoch>(text), Ok(Epoch { v }), "{text}");
        assert_eq!(written(&Epoch { v }), text);
    }
    for (text, v) in [
        ("1.5e3", time(1500, 0)),
        ("946845296.0", time(946_845_296, 0)),
        ("1e-9", time(0, 1)),
        ("-0.0", time(0, 0)),
        // More digits than a double carries.
        ("1398796238.123456789", time(1_398_796_238, 123_456_700)),
    ] {
        assert_eq!(read::<Epoch>(text), Ok(Epoch { v }), "{text}");
    }
}

#[test]
fn a_time_out_of_range_is_refused_with_the_range() {
    let refused = Err("a time is out of range: expected the years 1 to 9999".to_owned());
    for text in [
        "253402300800",
        "-62135596801",
        "-62135596800.5",
        "18446744073709551615",
        "-9223372036854775808",
        "1e300",
        "-1e300",
    ] {
        let error = read::<Epoch>(text).map_err(|error| match error.split_once(" at line") {
            Some((message, _)) => message.to_owned(),
            None => error,
        });
        assert_eq!(error, refused, "{text}");
    }
    // Most of what the system can hold cannot be written either.
    for v in [time(253_402_300_800, 0), time(-62_135_596_801, 0)] {
        assert!(serde_json::to_string(&Epoch { v }).is_err());
        assert!(serde_json::to_string(&Iso { v }).is_err());
        assert!(serde_json::to_string(&Http { v }).is_err());
    }
}

#[test]
fn a_time_of_another_type_is_refused_in_awss_words() {
    let words = |error: SerializationError| error.to_string();
    assert_eq!(
        decode::<Epoch>(br#"{"v":"946845296"}"#).map_err(words),
        Err("STRING_VALUE can not be converted to a Double".to_owned())
    );
    assert_eq!(
        decode::<Iso>(br#"{"v":946845296}"#).map_err(words),
        Err("NUMBER_VALUE can not be converted to a String".to_owned())
    );
    assert_eq!(
        decode::<Blob>(br#"{"v":[1,2]}"#).map_err(words),
        Err("Start of list found where not expected".to_owned())
    );
}

#[test]
fn iso8601_is_read_with_offsets_and_fractions_and_written_in_utc() {
    for (text, v) in [
        ("1970-01-01T00:00:00Z", time(0, 0)),
        ("2000-01-02T20:34:56Z", time(946_845_296, 0)),
        ("2000-01-02T20:34:56.123Z", time(946_845_296, 123_000_000)),
        ("2000-02-29T00:00:00.000000001Z", time(951_782_400, 1)),
        ("0001-01-01T00:00:00Z", time(-62_135_596_800, 0)),
        (
            "9999-12-31T23:59:59.999999999Z",
            time(253_402_300_799, 999_999_999),
        ),
    ] {
        let quoted = format!("\"{text}\"");
        assert_eq!(read::<Iso>(&quoted), Ok(Iso { v }), "{text}");
        assert_eq!(written(&Iso { v }), quoted);
    }
    for (text, v) in [
        ("2019-12-16T22:48:18-01:00", time(1_576_540_098, 0)),
        ("2019-12-17T00:48:18+01:00", time(1_576_540_098, 0)),
        ("2019-12-16t23:48:18z", time(1_576_540_098, 0)),
        (
            "2019-12-16T23:48:18.5000Z",
            time(1_576_540_098, 500_000_000),
        ),
        (
            "2019-12-16T23:48:18.1234567891Z",
            time(1_576_540_098, 123_456_789),
        ),
        ("2016-12-31T23:59:60Z", time(1_483_228_800, 0)),
    ] {
        assert_eq!(iso8601::parse(text), Ok(v), "{text}");
    }
}

#[test]
fn http_dates_are_read_with_fractions_and_written_without() {
    for (text, v) in [
        ("Thu, 01 Jan 1970 00:00:00 GMT", time(0, 0)),
        ("Sun, 02 Jan 2000 20:34:56 GMT", time(946_845_296, 0)),
        ("Wed, 31 Dec 1969 23:59:59 GMT", time(-1, 0)),
        ("Fri, 31 Dec 9999 23:59:59 GMT", time(253_402_300_799, 0)),
        ("Mon, 01 Jan 0001 00:00:00 GMT", time(-62_135_596_800, 0)),
    ] {
        let quoted = format!("\"{text}\"");
        assert_eq!(read::<Http>(&quoted), Ok(Http { v }), "{text}");
        assert_eq!(written(&Http { v }), quoted);
    }
    assert_eq!(
        http_date::parse("Sun, 02 Jan 2000 20:34:56.456 GMT"),
        Ok(time(946_845_296, 456_000_000))
    );
    assert_eq!(
        http_date::format(time(-1, 999_999_999)).unwrap(),
        "Wed, 31 Dec 1969 23:59:59 GMT"
    );
}

#[test]
fn a_text_that_is_no_time_is_refused_with_what_is_wrong() {
    let form = TimeError::Form {
        expected: "one like 2019-12-16T23:48:18Z",
    };
    for (text, error) in [
        ("", form),
        ("2019-12-16", form),
        ("2019-12-16 23:48:18Z", form),
        ("2019-12-16T23:48:18", form),
        ("2019-12-16T23:48:18.Z", form),
        ("2019-12-16T23:48Z", form),
        ("2019-12-16T23:48:18Z ", form),
        ("2019-12-16T23:48:18+0100", form),
        ("+2019-12-16T23:48:18Z", form),
        ("12019-12-16T23:48:18Z", form),
        ("２019-12-16T23:48:18Z", form),
        ("2019-02-29T00:00:00Z", TimeError::NoSuchTime),
        ("2019-13-01T00:00:00Z", TimeError::NoSuchTime),
        ("2019-00-01T00:00:00Z", TimeError::NoSuchTime),
        ("2019-12-00T00:00:00Z", TimeError::NoSuchTime),
        ("2019-12-16T24:00:00Z", TimeError::NoSuchTime),
        ("2019-12-16T23:60:00Z", TimeError::NoSuchTime),
        ("2019-12-16T23:48:61Z", TimeError::NoSuchTime),
        ("2019-12-16T23:48:18+24:00", TimeError::NoSuchTime),
        ("0000-12-31T23:59:59Z", TimeError::Range),
        ("0001-01-01T00:00:00+00:01", TimeError::Range),
        ("9999-12-31T23:59:59-00:01", TimeError::Range),
    ] {
        assert_eq!(iso8601::parse(text), Err(error), "{text}");
    }
    for text in [
        "Sun, 2 Jan 2000 20:34:56 GMT",
        "Sunday, 02-Jan-00 20:34:56 GMT",
        "Sun Jan  2 20:34:56 2000",
        "Sun, 02 Jan 2000 20:34:56 UTC",
        "Sun, 02 jan 2000 20:34:56 GMT",
        "Sun, 02 Jan 2000 20:34:56 GMT ",
    ] {
        let form = TimeError::Form {
            expected: "one like Sun, 02 Jan 2000 20:34:56 GMT",
        };
        assert_eq!(http_date::parse(text), Err(form), "{text}");
    }
    assert_eq!(
        http_date::parse("Sun, 30 Feb 2000 20:34:56 GMT"),
        Err(TimeError::NoSuchTime)
    );
    assert_eq!(
        read::<Iso>("\"yesterday\"").unwrap_err(),
        "a time is not in its form: expected one like 2019-12-16T23:48:18Z at line 1 column 16"
    );
}

#[test]
fn special_floats_are_strings_and_the_others_numbers() {
    for (text, v) in [
        ("1234.5", 1234.5),
        ("-0.0", -0.0),
        ("123456789.12345679", 123_456_789.123_456_79),
        ("1.7976931348623157e+308", f64::MAX),
        ("\"Infinity\"", f64::INFINITY),
        ("\"-Infinity\"", f64::NEG_INFINITY),
    ] {
        assert_eq!(read::<Double>(text), Ok(Double { v }), "{text}");
        assert_eq!(written(&Double { v }).replace("e308", "e+308"), text);
    }
    assert_eq!(written(&Double { v: f64::NAN }), "\"NaN\"");
    assert_eq!(written(&Float { v: f32::NAN }), "\"NaN\"");
    assert_eq!(written(&Float { v: 0.1 }), "0.1");
    assert_eq!(read::<Float>("0.1"), Ok(Float { v: 0.1 }));
    assert_eq!(read::<Float>("7"), Ok(Float { v: 7.0 }));
    assert_eq!(read::<Double>("-7"), Ok(Double { v: -7.0 }));
    let double: Double = decode(br#"{"v":"NaN"}"#).unwrap();
    let float: Float = decode(br#"{"v":"NaN"}"#).unwrap();
    assert!(double.v.is_nan() && float.v.is_nan());
    assert_eq!(
        read::<Float>("\"-Infinity\""),
        Ok(Float {
            v: f32::NEG_INFINITY
        })
    );
}

#[test]
fn what_is_no_float_is_refused() {
    for text in [
        "\"nan\"",
        "\"inf\"",
        "\"+Infinity\"",
        "\"1.5\"",
        "\"\"",
        "true",
        "[]",
        "{}",
        "{\"a\":1}",
        "null",
    ] {
        assert!(read::<Double>(text).is_err(), "{text}");
        assert!(read::<Float>(text).is_err(), "{text}");
    }
    assert!(read::<Double>("1e39").is_ok());
    let error = read::<Float>("1e39").unwrap_err();
    assert!(error.starts_with("a float is out of range"), "{error}");
}

#[test]
fn a_number_is_read_in_the_way_that_arbitrary_precision_hands_it_on() {
    let body = r#"{"v":{"$serde_json::private::Number":"1234.5"}}"#;
    assert_eq!(
        serde_json::from_str::<Double>(body).unwrap(),
        Double { v: 1234.5 }
    );
    assert_eq!(decode::<Float>(body.as_bytes()), Ok(Float { v: 1234.5 }));
    assert_eq!(
        decode::<Epoch>(body.as_bytes()),
        Ok(Epoch {
            v: time(1234, 500_000_000)
        })
    );
}

#[test]
fn blobs_are_padded_base64_of_the_standard_alphabet() {
    for (text, bytes) in [
        ("\"\"", &b""[..]),
        ("\"Zg==\"", b"f"),
        ("\"Zm8=\"", b"fo"),
        ("\"Zm9v\"", b"foo"),
        ("\"+/+/\"", b"\xfb\xff\xbf"),
    ] {
        let v = bytes.to_vec();
        assert_eq!(written(&Blob { v: v.clone() }), text);
        assert_eq!(read::<Blob>(text), Ok(Blob { v }), "{text}");
        let v = Bytes::copy_from_slice(bytes);
        assert_eq!(written(&BlobBytes { v: v.clone() }), text);
        assert_eq!(read::<BlobBytes>(text), Ok(BlobBytes { v }), "{text}");
    }
    for text in ["\"Zg\"", "\"-_-_\"", "\"Zm 9v\"", "\"hush!\"", "\"Zh==\""] {
        let error = read::<Blob>(text).unwrap_err();
        assert!(error.starts_with("a blob is not base64"), "{text}: {error}");
        assert!(!error.contains("hush"));
    }
}

#[test]
fn a_null_stays_in_sparse_lists_and_maps_and_is_left_out_of_dense_ones() {
    let v = vec![Some(time(1, 0)), None, Some(time(2, 500_000_000))];
    assert_eq!(written(&SparseTimes { v: v.clone() }), "[1,null,2.5]");
    assert_eq!(read("[1,null,2.5]"), Ok(SparseTimes { v }));

    let dense = read(r#"["1970-01-01T00:00:01Z",null]"#);
    assert_eq!(
        dense,
        Ok(DenseTimes {
            v: vec![time(1, 0)]
        })
    );

    let map = BTreeMap::from([
        ("a".to_owned(), Some(b"f".to_vec())),
        ("b".to_owned(), None),
    ]);
    let sparse = SparseBlobMap { v: map };
    assert_eq!(written(&sparse), r#"{"a":"Zg==","b":null}"#);
    assert_eq!(read(r#"{"a":"Zg==","b":null}"#), Ok(sparse));

    let v = HashMap::from([("a".to_owned(), b"f".to_vec())]);
    assert_eq!(read(r#"{"a":"Zg==","b":null}"#), Ok(BlobMap { v }));

    let v = BTreeMap::from([("a".to_owned(), vec![b"f".to_vec()])]);
    let lists = BlobLists { v };
    assert_eq!(written(&lists), r#"{"a":["Zg=="]}"#);
    assert_eq!(read(r#"{"a":["Zg==",null],"b":null}"#), Ok(lists));

    assert_eq!(read("[1,null,2]"), Ok(DenseList { v: vec![1, 2] }));
    let v = BTreeMap::from([("a".to_owned(), 1)]);
    assert_eq!(written(&DenseMap { v: v.clone() }), r#"{"a":1}"#);
    assert_eq!(read(r#"{"a":1,"b":null}"#), Ok(DenseMap { v }));
}

#[test]
fn an_optional_member_is_absent_null_or_there() {
    #[derive(Serialize, Deserialize, Debug, PartialEq, Default)]
    #[serde(default)]
    struct Members {
        #[serde(
            with = "crate::value::epoch_seconds",
            skip_serializing_if = "Option::is_none"
        )]
        time: Option<SystemTime>,
        #[serde(with = "crate::value::blob", skip_serializing_if = "Option::is_none")]
        blob: Option<Vec<u8>>,
        #[serde(with = "crate::value::float", skip_serializing_if = "Option::is_none")]
        float: Option<f32>,
        #[serde(with = "crate::value::dense", skip_serializing_if = "Option::is_none")]
        list: Option<Vec<i32>>,
    }
    let none = Members::default();
    assert_eq!(&encode(&none).unwrap()[..], b"{}");
    let nulls = br#"{"time":null,"blob":null,"float":null,"list":null}"#;
    for body in [&b"{}"[..], nulls] {
        assert_eq!(decode::<Members>(body).unwrap(), none);
        assert_eq!(serde_json::from_slice::<Members>(body).unwrap(), none);
    }
    let all = Members {
        time: Some(UNIX_EPOCH),
        blob: Some(b"f".to_vec()),
        float: Some(0.5),
        list: Some(vec![1]),
    };
    let body = encode(&all).unwrap();
    assert_eq!(
        &body[..],
        br#"{"time":0,"blob":"Zg==","float":0.5,"list":[1]}"#
    );
    assert_eq!(decode::<Members>(&body).unwrap(), all);
}

#[test]
fn big_numbers_keep_every_digit() {
    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Members {
        v: BigNumber,
        #[serde(skip_serializing_if = "Option::is_none")]
        w: Option<Vec<Option<BigNumber>>>,
    }
    for number in [
        "0",
        "-0",
        "1.10",
        "123456789012345678901234567890",
        "-0.000000000000000000000000000000000000001",
        "1e400",
        "1.5E-400",
    ] {
        let body = format!("{{\"v\":{number},\"w\":[null,{number}]}}");
        let members: Members = decode(body.as_bytes()).unwrap();
        assert_eq!(members.v.as_str(), number);
        assert_eq!(encode(&members).unwrap(), body.as_bytes());
        assert_eq!(number.parse::<BigNumber>(), Ok(members.v));
    }
    for text in [
        "", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x1", "NaN", "1 ", "1a", "--1", "\"1\"",
        "1.2.3", "1e5.5",
    ] {
        assert_eq!(text.parse::<BigNumber>(), Err(NotANumber), "{text}");
    }
    for body in [
        "{\"v\":\"1\"}",
        "{\"v\":null}",
        "{\"v\":[1]}",
        "{\"v\":true}",
    ] {
        assert!(decode::<Members>(body.as_bytes()).is_err(), "{body}");
    }
    let huge: BigNumber = "1e400".parse().unwrap();
    assert!(huge.to_f64().is_infinite());
    assert_eq!(
        BigNumber::from(u128::MAX).to_string(),
        u128::MAX.to_string()
    );
}

#[test]
fn the_modules_reach_the_members_of_unions_and_flattened_structures() {
    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    enum Union {
        #[serde(with = "crate::value::blob")]
        B(Vec<u8>),
        #[serde(with = "crate::value::epoch_seconds")]
        T(SystemTime),
    }
    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Outer {
        union: Union,
        #[serde(flatten)]
        inner: Inner,
    }
    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Inner {
        #[serde(with = "crate::value::epoch_seconds")]
        time: SystemTime,
        #[serde(with = "crate::value::float")]
        float: Vec<Option<f64>>,
    }
    for union in [Union::B(b"f".to_vec()), Union::T(time(1, 500_000_000))] {
        let outer = Outer {
            union,
            inner: Inner {
                time: time(7, 0),
                float: vec![None, Some(f64::INFINITY), Some(1.0)],
            },
        };
        let body = encode(&outer).unwrap();
        assert_eq!(decode::<Outer>(&body).unwrap(), outer);
        assert_eq!(serde_json::from_slice::<Outer>(&body).unwrap(), outer);
    }
}

const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;

proptest! {
    #[test]
    fn a_time_in_our_centuries_survives_as_a_number_to_the_microsecond(
        seconds in -4_000_000_000_i64..4_000_000_000,
        micros in 0..1_000_000_u32,
    ) {
        let v = time(seconds, micros * 1000);
        let text = written(&Epoch { v });
        prop_assert_eq!(read::<Epoch>(&text), Ok(Epoch { v }), "{}", text);
    }

    #[test]
    fn every_time_survives_as_a_number_to_the_millisecond(
        seconds in FIRST..=LAST,
        millis in 0..1000_u32,
    ) {
        let v = time(seconds, millis * 1_000_000);
        let text = written(&Epoch { v });
        prop_assert_eq!(read::<Epoch>(&text), Ok(Epoch { v }), "{}", text);
    }

    #[test]
    fn every_time_survives_as_text(seconds in FIRST..=LAST, nanos in 0..1_000_000_000_u32) {
        let v = time(seconds, nanos);
        let text = written(&Iso { v });
        prop_assert_eq!(read::<Iso>(&text), Ok(Iso { v }), "{}", text);
        let whole = time(seconds, 0);
        let text = written(&Http { v });
        prop_assert_eq!(read::<Http>(&text), Ok(Http { v: whole }), "{}", text);
    }

    #[test]
    fn blobs_and_floats_survive(v in any::<Vec<u8>>(), double in any::<f64>(), float in any::<f32>()) {
        let blob = Blob { v };
        prop_assert_eq!(read::<Blob>(&written(&blob)), Ok(blob));
        let read_double: Double = decode(&encode(&Double { v: double }).unwrap()).unwrap();
        prop_assert!(read_double.v.to_bits() == double.to_bits() || double.is_nan() && read_double.v.is_nan());
        let read_float: Float = decode(&encode(&Float { v: float }).unwrap()).unwrap();
        prop_assert!(read_float.v.to_bits() == float.to_bits() || float.is_nan() && read_float.v.is_nan());
    }

    #[test]
    fn nothing_panics_on_any_text_or_number(text in any::<String>(), number in any::<f64>()) {
        let quoted = serde_json::to_string(&text).unwrap();
        let numeric = serde_json::to_string(&number).unwrap();
        for value in [quoted, numeric] {
            let _ = (read::<Epoch>(&value), read::<Iso>(&value), read::<Http>(&value));
            let _ = (read::<Blob>(&value), read::<SparseTimes>(&value));
        }
        let _ = text.parse::<BigNumber>();
    }

    #[test]
    fn a_text_near_a_time_never_panics(text in "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{0,12})?(Z|[+-][0-9]{2}:[0-9]{2})") {
        if let Ok(time) = iso8601::parse(&text) {
            let again = iso8601::format(time).unwrap();
            prop_assert_eq!(iso8601::parse(&again), Ok(time));
        }
    }
}
