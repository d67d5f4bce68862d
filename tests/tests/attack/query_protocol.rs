//! The Query protocol's own: forms and query strings that are written wrong, twice or without end.

use crate::call::Call;
use crate::case::{Case, Expected, REFUSED, answered};
use crate::target::Target;

/// What a form is by its content type.
const FORM: &str = "application/x-www-form-urlencoded; charset=utf-8";

/// The path of the queue at which a call would be seen.
const QUEUE: &str = "/000000000000/orders";

/// A signed form.
fn form(target: &Target, body: impl Into<Vec<u8>>) -> Call {
    Call::post(target.address, QUEUE, body)
        .with("Content-Type", FORM)
        .signed()
}

/// A signed GET with this query string.
fn get(target: &Target, query: &str) -> Call {
    let call = Call::post(target.address, &format!("{QUEUE}?{query}"), "");
    call.method("GET").signed()
}

/// The same parameters in a form and in a query string.
fn both(
    target: &Target,
    name: &str,
    parameters: &str,
    expected: impl Fn() -> Expected,
) -> [Case; 2] {
    [
        Case::new(
            format!("{name}, in a form"),
            form(target, parameters).bytes(),
            expected(),
        ),
        Case::new(
            format!("{name}, in a URL"),
            get(target, parameters).bytes(),
            expected(),
        ),
    ]
}

/// A refusal as this protocol writes it.
fn refused() -> Expected {
    answered(REFUSED, "<ErrorResponse")
}

#[test]
fn a_form_that_is_written_wrong_is_refused() {
    let target = Target::new();
    let bad = [
        ("a percent sign alone", "Action=PurgeQueue&a=%"),
        ("one digit", "Action=PurgeQueue&a=%4"),
        ("no digits", "Action=PurgeQueue&a=%zz"),
        ("a percent sign in a name", "Action=PurgeQueue&%=a"),
        ("Unicode's escapes", "Action=PurgeQueue&a=%u0041"),
        ("what is not UTF-8", "Action=PurgeQueue&a=%ff%fe"),
        ("an overlong slash", "Action=PurgeQueue&a=%c0%af"),
        ("a surrogate", "Action=PurgeQueue&a=%ed%a0%80"),
        ("a name that is not UTF-8", "Action=PurgeQueue&%ff=a"),
        ("the action is not UTF-8", "Action=%ff"),
    ];
    for (name, parameters) in bad {
        target.withstands(both(&target, name, parameters, refused));
    }
    target.withstands([
        Case::new(
            "raw bytes",
            form(&target, b"Action=PurgeQueue&a=\xff".to_vec()).bytes(),
            refused(),
        ),
        Case::new(
            "NUL",
            form(&target, b"Action=PurgeQueue\0".to_vec()).bytes(),
            refused(),
        ),
        Case::new(
            "JSON",
            form(&target, "{\"Action\":\"PurgeQueue\"}").bytes(),
            refused(),
        ),
        Case::new("nothing", form(&target, "").bytes(), answered(REFUSED, "")),
        Case::new(
            "a million separators",
            form(&target, "&".repeat(1_000_000)).bytes(),
            answered(REFUSED, ""),
        ),
        Case::new(
            "a million equals signs",
            form(&target, "=".repeat(1_000_000)).bytes(),
            answered(REFUSED, ""),
        ),
        Case::new(
            "a million percent signs",
            form(&target, "%".repeat(1_000_000)).bytes(),
            refused(),
        ),
    ]);
}

#[test]
fn a_parameter_is_there_once() {
    let target = Target::new();
    for (name, parameters) in [
        ("Action twice", "Action=PurgeQueue&Action=PurgeQueue"),
        ("two Actions", "Action=ListQueues&Action=PurgeQueue"),
        (
            "Action twice, once encoded",
            "Action=PurgeQueue&%41ction=PurgeQueue",
        ),
        (
            "Version twice",
            "Action=PurgeQueue&Version=2012-11-05&Version=2012-11-05",
        ),
        (
            "another Version",
            "Action=PurgeQueue&Version=2000-01-01&Version=2012-11-05",
        ),
        ("a queue twice", "Action=PurgeQueue&QueueUrl=a&QueueUrl=b"),
        (
            "an attribute twice",
            "Action=SetQueueAttributes&Attribute.1.Name=DelaySeconds&Attribute.1.Value=1&Attribute.1.Value=2",
        ),
        (
            "one name in two entries",
            "Action=SetQueueAttributes&Attribute.1.Name=DelaySeconds&Attribute.1.Value=1&Attribute.2.Name=DelaySeconds&Attribute.2.Value=2",
        ),
        (
            "with a number and without",
            "Action=SetQueueAttributes&Attribute.Name=DelaySeconds&Attribute.Value=1&Attribute.1.Name=DelaySeconds&Attribute.1.Value=2",
        ),
    ] {
        target.withstands(both(&target, name, parameters, refused));
    }
    // In the URL and in the body.
    let divided = |query: &str, body: &str| {
        let call = Call::post(target.address, &format!("{QUEUE}?{query}"), body);
        call.with("Content-Type", FORM).signed().bytes()
    };
    target.withstands([
        Case::new(
            "Action in both",
            divided("Action=ListQueues", "Action=PurgeQueue"),
            refused(),
        ),
        Case::new(
            "the same Action in both",
            divided("Action=PurgeQueue", "Action=PurgeQueue"),
            refused(),
        ),
        Case::new(
            "a queue in both",
            divided("QueueUrl=a", "Action=PurgeQueue&QueueUrl=b"),
            refused(),
        ),
    ]);
}

#[test]
fn parameters_are_bounded_in_number_and_index_and_depth() {
    let target = Target::new();
    let many = |count: usize, one: &dyn Fn(usize) -> String| {
        (0..count)
            .map(|n| format!("&{}", one(n)))
            .collect::<String>()
    };
    let send = "Action=SendMessage&MessageBody=x";
    let deep = |depth: usize| format!("{send}&{}=1", vec!["MessageAttribute.1"; depth].join("."));
    let cases = [
        (
            "100,000 parameters",
            format!("{send}{}", many(100_000, &|n| format!("p{n}=x"))),
        ),
        (
            "one more than there may be",
            format!("{send}{}", many(4_095, &|n| format!("p{n}=x"))),
        ),
        (
            "100,000 attributes",
            format!(
                "{send}{}",
                many(100_000, &|n| format!("MessageAttribute.{n}.Name=x"))
            ),
        ),
        (
            "1,000 entries",
            format!(
                "Action=SendMessageBatch{}",
                many(1_000, &|n| format!(
                    "SendMessageBatchRequestEntry.{}.Id=e{n}",
                    n + 1
                ))
            ),
        ),
        (
            "a body of more than a megabyte",
            format!(
                "Action=SendMessage&MessageBody={}",
                "x".repeat(1024 * 1024 + 1)
            ),
        ),
        (
            "a name of a megabyte",
            format!("{send}&MessageAttribute.1.{}=1", "x".repeat(1 << 20)),
        ),
        (
            "points of a megabyte",
            format!("{send}&MessageAttribute{}=1", ".1".repeat(1 << 19)),
        ),
    ];
    let cases = cases.map(|(name, body)| Case::new(name, form(&target, body).bytes(), refused()));
    target.withstands(cases);
    let rows = [
        ("an index of a million", "MessageAttribute.1000000.Name=a".to_owned()),
        ("an index beyond 64 bits", "MessageAttribute.99999999999999999999.Name=a".to_owned()),
        ("an index of zero", "MessageAttribute.0.Name=a".to_owned()),
        ("an index below zero", "MessageAttribute.-1.Name=a".to_owned()),
        ("a zero before an index", "MessageAttribute.01.Name=a".to_owned()),
        ("an index of other digits", "MessageAttribute.%D9%A1.Name=a".to_owned()),
        ("an attribute without a name", "MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=a".to_owned()),
        ("an attribute without a value", "MessageAttribute.1.Name=a".to_owned()),
        ("a text for a structure", "MessageAttribute.1.Name=a&MessageAttribute.1.Value=b".to_owned()),
        ("bad base64", "MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=Binary&MessageAttribute.1.Value.BinaryValue=%%%".replace("%%%", "!!!!")),
        ("base64 that breaks off", "MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=Binary&MessageAttribute.1.Value.BinaryValue=QUJ".to_owned()),
        ("names below a text", "MessageBody.1=a".to_owned()),
    ];
    for (name, more) in rows {
        let parameters = format!("{send}&{more}");
        target.withstands([Case::new(
            name,
            form(&target, parameters).bytes(),
            refused(),
        )]);
    }
    for depth in [20, 1_000, 10_000] {
        let bytes = form(&target, deep(depth)).bytes();
        target.withstands([Case::new(format!("{depth} deep"), bytes, refused())]);
    }
}

#[test]
fn numbers_that_are_none_are_refused() {
    let target = Target::new();
    let long = "9".repeat(100_000);
    for number in [
        "1e400",
        "NaN",
        "inf",
        "",
        "%20",
        "1.5",
        "0x1",
        "2147483648",
        "-2147483649",
        "1%00",
        "901",
        "-1",
        &long,
    ] {
        let parameters = format!("Action=SendMessage&MessageBody=x&DelaySeconds={number}");
        let name = format!("a delay of {number:.20?}");
        target.withstands([Case::new(
            name,
            form(&target, parameters).bytes(),
            refused(),
        )]);
    }
}

#[test]
fn actions_that_there_are_not_do_nothing() {
    let target = Target::new();
    let long = "x".repeat(10_000);
    for action in [
        "",
        "purgequeue",
        "PurgeQueue%00",
        "PurgeQueue%20",
        "DropQueue",
        "AmazonSQS.PurgeQueue",
        "%3Cscript%3E",
        &long,
    ] {
        let name = format!("the action {action:.20?}");
        let parameters = format!("Action={action}");
        target.withstands(both(&target, &name, &parameters, || answered(REFUSED, "")));
    }
    for version in ["", "2012-11-06", "1", "x"] {
        let name = format!("the version {version:?}");
        let parameters = format!("Action=PurgeQueue&Version={version}");
        target.withstands(both(&target, &name, &parameters, refused));
    }
}

/// What is written into XML comes out of it as it went in, or not at all.
#[test]
fn nothing_that_a_request_says_breaks_out_of_the_answer() {
    let target = Target::new();
    let words = "%3C%2FMessage%3E%3CError%3E%5D%5D%3E%26lt%3B%22%27";
    for parameters in [
        format!("Action=DeleteMessage&ReceiptHandle={words}"),
        format!("Action={words}"),
        format!("Action=CreateQueue&QueueName={words}"),
        format!("Action=SetQueueAttributes&Attribute.1.Name={words}&Attribute.1.Value=1"),
    ] {
        let outcome = crate::wire::strike(
            target.address,
            &form(&target, &*parameters).bytes(),
            crate::case::Finish::Probe,
        );
        let answer = &outcome.answers[0];
        assert!((400..500).contains(&answer.status), "{answer:?}");
        assert!(!answer.body.contains("</Message><Error>"), "{answer:?}");
    }
}

/// One request must not be JSON to one part of the server and a form to another.
#[test]
fn a_request_of_two_protocols_is_one_of_them() {
    let target = Target::new();
    let purge = format!(r#"{{"QueueUrl":"http://{}{QUEUE}"}}"#, target.address);
    let json = |more: &str, content_type: &str| {
        let call = Call::post(target.address, &format!("{QUEUE}?{more}"), &*purge);
        call.with("Content-Type", content_type)
    };
    target.withstands([
        Case::new(
            "JSON, of a form's type",
            json("", FORM).signed().bytes(),
            answered(REFUSED, ""),
        ),
        Case::new(
            "JSON, with an action in its URL",
            json("Action=PurgeQueue", crate::call::JSON)
                .signed()
                .bytes(),
            answered(REFUSED, "__type"),
        ),
        Case::new(
            "a form, with a target",
            form(&target, "Action=PurgeQueue")
                .with("X-Amz-Target", "AmazonSQS.ListQueues")
                .bytes(),
            answered(REFUSED, "__type"),
        ),
        Case::new(
            "a form of no type",
            Call::post(target.address, QUEUE, "Action=PurgeQueue")
                .signed()
                .bytes(),
            answered(REFUSED, "__type"),
        ),
        Case::new(
            "a form of another type",
            Call::post(target.address, QUEUE, "Action=PurgeQueue")
                .with("Content-Type", "multipart/form-data; boundary=x")
                .signed()
                .bytes(),
            answered(REFUSED, "__type"),
        ),
    ]);
}

/// Whatever holds for a signature holds in this protocol.
#[test]
fn no_byte_of_a_form_can_be_changed() {
    let target = Target::new();
    let call = form(&target, "Action=PurgeQueue&Version=2012-11-05");
    let changed = |at: usize| {
        let mut body = call.body.clone();
        body[at] = if body[at] == b'x' { b'y' } else { b'x' };
        Case::new(
            format!("byte {at} changed"),
            call.clone().body(body).bytes(),
            refused(),
        )
    };
    target.withstands((0..call.body.len()).map(changed));
    let unsigned = call.clone().without("Authorization");
    target.withstands([
        Case::new("no signature", unsigned.bytes(), refused()),
        Case::new("a signature of old", unsigned.body("Action=PurgeQueue&AWSAccessKeyId=test&SignatureVersion=2&SignatureMethod=HmacSHA256&Signature=x&Timestamp=2026-01-01T00:00:00Z").bytes(), refused()),
        Case::new("another queue's path", call.clone().target("/000000000000/orders.fifo").bytes(), refused()),
        Case::new("as a GET", call.method("GET").bytes(), answered(REFUSED, "")),
    ]);
}
