use super::*;

fn form(bytes: &[u8]) -> Result<Parameters<'_>, ReadError> {
    Parameters::parse([Source::Form(bytes)])
}

fn query(bytes: &[u8]) -> Result<Parameters<'_>, ReadError> {
    Parameters::parse([Source::Query(bytes)])
}

fn pairs(parameters: &Parameters<'_>) -> Vec<(String, String)> {
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    parameters.iter().map(owned).collect()
}

#[test]
fn pairs_are_taken_apart_at_the_first_equals_sign() {
    let parameters = form(b"b=1=2&a&c=&&d=%3d&").expect("a form");
    let expected = [("a", ""), ("b", "1=2"), ("c", ""), ("d", "=")];
    assert_eq!(
        pairs(&parameters),
        expected.map(|(a, b)| (a.into(), b.into()))
    );
}

#[test]
fn nothing_is_a_form_without_parameters() {
    for empty in [&b""[..], b"&", b"&&&"] {
        assert_eq!(form(empty), Ok(Parameters::default()));
    }
}

#[test]
fn a_plus_is_a_space_in_a_body_and_itself_in_a_query_string() {
    assert_eq!(
        form(b"a+b=1+2%2B").expect("a form").get("a b"),
        Some("1 2+")
    );
    let parameters = query(b"a+b=1+2%2B%20").expect("a query");
    assert_eq!(parameters.get("a+b"), Some("1+2+ "));
}

#[test]
fn percent_encoding_is_read_strictly() {
    for (bytes, offset) in [
        (&b"a=%"[..], 2),
        (b"a=%4", 2),
        (b"a=1%4g", 3),
        (b"a=%g4", 2),
        (b"x=1&a=12%%41", 8),
        (b"%=1", 0),
        (b"a=%+1", 2),
        (b"a=%-1", 2),
    ] {
        for (place, result) in [("body", form(bytes)), ("query string", query(bytes))] {
            let error = result.expect_err("not encoded");
            let expected = ReadError::Encoding {
                place,
                offset,
                expected: "two hexadecimal digits after the percent sign",
            };
            assert_eq!(error, expected, "{}", String::from_utf8_lossy(bytes));
        }
    }
    let error = form(b"a=%zz").expect_err("not encoded");
    assert_eq!(
        error.to_string(),
        "the body is not form-encoded at byte 2: expected two hexadecimal digits after the percent \
         sign"
    );
}

#[test]
fn what_is_not_utf_8_is_refused() {
    for (bytes, offset) in [
        (&b"a=b\xff"[..], 3),
        (b"a=b%ff", 2),
        (b"x=y&%c3=1", 4),
        // A surrogate, and a form that is too long.
        (b"a=%ed%a0%80", 2),
        (b"a=%c0%af", 2),
    ] {
        let error = form(bytes).expect_err("not UTF-8");
        let expected = ReadError::Encoding {
            place: "body",
            offset,
            expected: "UTF-8",
        };
        assert_eq!(error, expected, "{}", String::from_utf8_lossy(bytes));
    }
    // A character may be written in both ways at once.
    let mixed = form(b"a=\xe2%98\x83").expect("UTF-8");
    assert_eq!(mixed.get("a"), Some("\u{2603}"));
}

#[test]
fn a_name_may_be_there_once_in_all_sources() {
    let twice = [
        Parameters::parse([Source::Form(b"A=1&B=2&A=1")]),
        Parameters::parse([Source::Form(b"A=1&%41=2")]),
        Parameters::parse([Source::Query(b"A=1"), Source::Form(b"A=1")]),
    ];
    for result in twice {
        let parameter = "A".to_owned();
        assert_eq!(result, Err(ReadError::Duplicate { parameter }));
    }
    let action = Parameters::parse([Source::Query(b"Action=A"), Source::Form(b"Action=A")]);
    assert!(matches!(action, Err(ReadError::Duplicate { .. })));
    let cases = form(b"a=1&A=2").expect("names are told apart by case");
    assert_eq!((cases.get("a"), cases.get("A")), (Some("1"), Some("2")));
}

#[test]
fn there_is_a_bound_on_how_many_there_are() {
    let many = |count: usize| -> String { (0..count).map(|n| format!("&p{n}=")).collect() };
    assert!(form(many(MAX_PARAMETERS).as_bytes()).is_ok());
    assert_eq!(
        form(many(MAX_PARAMETERS + 1).as_bytes()),
        Err(ReadError::TooMany)
    );
    let both = many(MAX_PARAMETERS);
    let sources = [Source::Query(b"Action=A"), Source::Form(both.as_bytes())];
    assert_eq!(Parameters::parse(sources), Err(ReadError::TooMany));
}

#[test]
fn what_belongs_to_the_request_is_not_the_operations() {
    let parameters = query(
        b"Action=A&Version=2012-11-05&QueueUrl=q&X-Amz-Signature=s&x-amz-date=d&AWSAccessKeyId=k\
          &Signature=s&SignatureMethod=m&SignatureVersion=2&Timestamp=t&Expires=e&SecurityToken=t",
    )
    .expect("a query");
    assert_eq!(
        pairs(&parameters),
        [("QueueUrl".to_owned(), "q".to_owned())]
    );
    assert_eq!(parameters.action(), Some("A"));
    assert_eq!(parameters.version(), Some("2012-11-05"));
    assert_eq!(parameters.get("X-Amz-Signature"), Some("s"));
    assert_eq!(parameters.get("Nothing"), None);
}

#[test]
fn what_is_inserted_does_not_replace() {
    let mut parameters = form(b"QueueUrl=a&Z=1").expect("a form");
    parameters.or_insert("QueueUrl", "b");
    parameters.or_insert("A", "1");
    parameters.or_insert("Version", "v");
    assert_eq!(parameters.get("QueueUrl"), Some("a"));
    assert_eq!(parameters.get("A"), Some("1"));
    assert_eq!(parameters.version(), Some("v"));
    assert_eq!(parameters.iter().count(), 3);
}

#[test]
fn debug_shows_no_value() {
    let source = Source::Query(b"X-Amz-Security-Token=secret&MessageBody=secret");
    let parameters = Parameters::parse([source]).expect("a query");
    assert_eq!(format!("{source:?}"), "query string(46 bytes)");
    assert_eq!(
        format!("{parameters:?}"),
        "{\"X-Amz-Security-Token\", \"MessageBody\"}"
    );
}

#[test]
fn errors_repeat_a_part_of_long_names_and_no_control_characters() {
    let name = "\u{e9}".repeat(1000);
    let error = form(format!("{name}=1&{name}=2").as_bytes()).expect_err("twice");
    let parameter = error.parameter().expect("a name");
    assert_eq!(parameter, format!("{}\u{2026}", "\u{e9}".repeat(64)));
    let error = form(b"a%0a%1b%7f=1&a%0a%1b%7f=2").expect_err("twice");
    assert_eq!(error.parameter(), Some(r"a\n\u{1b}\u{7f}"));
}
