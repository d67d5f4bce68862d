//! Bodies of signed calls: what is no JSON, what is too much of it, and what is not what it should be.

use crate::call::Call;
use crate::case::{Case, Expected, REFUSED, answered};
use crate::target::Target;

/// The body of a send that is good but for what is added.
fn send(target: &Target, more: &[u8]) -> Vec<u8> {
    let url = format!(
        r#"{{"QueueUrl":"http://{}/000000000000/orders","MessageBody":"x""#,
        target.address
    );
    [url.as_bytes(), more, b"}"].concat()
}

/// Signed calls with these bodies.
fn calls(
    target: &Target,
    operation: &str,
    rows: impl IntoIterator<Item = (&'static str, Vec<u8>)>,
    expected: impl Fn() -> Expected,
) {
    let cases = rows.into_iter().map(|(name, body)| {
        let bytes = Call::new(target.address, operation, body).signed().bytes();
        Case::new(name, bytes, expected())
    });
    target.withstands(cases);
}

fn unreadable() -> Expected {
    answered(400, "SerializationException")
}

#[test]
fn what_is_no_json_is_refused() {
    let target = Target::new();
    let whole = [
        ("a blank", " "),
        ("a word", "hello"),
        ("a bracket", "{"),
        ("the other", "}"),
        ("an array", "[]"),
        ("a text", "\"{}\""),
        ("a number", "1"),
        ("nothing and more", "{}{}"),
        ("two values", "{} {}"),
        ("a comma", "{,}"),
        ("a comma at the end", "{\"QueueUrl\":\"x\",}"),
        ("single quotes", "{'QueueUrl':'x'}"),
        ("no quotes", "{QueueUrl:1}"),
        ("a comment", "{/* */}"),
        ("a name without a value", "{\"QueueUrl\"}"),
        ("a colon for a comma", "{\"QueueUrl\":\"x\":\"y\"}"),
        ("a byte order mark", "\u{feff}{}"),
        ("NUL at the end", "{}\0"),
        ("a form", "Action=PurgeQueue&Version=2012-11-05"),
        ("XML", "<a/>"),
    ];
    calls(
        &target,
        "PurgeQueue",
        whole.map(|(name, body)| (name, body.into())),
        unreadable,
    );
    let inside: [(&str, &[u8]); 18] = [
        ("NaN", b",\"DelaySeconds\":NaN"),
        ("Infinity", b",\"DelaySeconds\":Infinity"),
        ("a plus", b",\"DelaySeconds\":+1"),
        ("a zero before", b",\"DelaySeconds\":01"),
        ("a hexadecimal", b",\"DelaySeconds\":0x1"),
        ("a point at the end", b",\"DelaySeconds\":1."),
        ("a point before", b",\"DelaySeconds\":.1"),
        ("an exponent without digits", b",\"DelaySeconds\":1e"),
        ("a minus alone", b",\"DelaySeconds\":-"),
        ("True", b",\"DelaySeconds\":True"),
        ("a tab in a text", b",\"MessageGroupId\":\"a\tb\""),
        ("a line end in a text", b",\"MessageGroupId\":\"a\nb\""),
        ("an unknown escape", b",\"MessageGroupId\":\"\\x41\""),
        ("half an escape", b",\"MessageGroupId\":\"\\u00\""),
        ("half a surrogate", b",\"MessageGroupId\":\"\\ud800\""),
        (
            "surrogates in the wrong order",
            b",\"MessageGroupId\":\"\\udc00\\ud800\"",
        ),
        ("a text without an end", b",\"MessageGroupId\":\"a"),
        ("a backslash at the end", b",\"MessageGroupId\":\"a\\"),
    ];
    let rows = inside.map(|(name, more)| (name, send(&target, more)));
    calls(&target, "SendMessage", rows, unreadable);
}

#[test]
fn what_is_not_utf_8_is_refused_wherever_it_stands() {
    let target = Target::new();
    let bytes: [(&str, &[u8]); 8] = [
        ("a byte that begins nothing", b"\x80"),
        ("0xff", b"\xff"),
        ("a sequence that breaks off", b"\xe2\x82"),
        ("an overlong slash", b"\xc0\xaf"),
        ("an overlong NUL", b"\xc0\x80"),
        ("a surrogate", b"\xed\xa0\x80"),
        ("beyond Unicode", b"\xf4\x90\x80\x80"),
        ("a sequence of six", b"\xfc\x80\x80\x80\x80\x80"),
    ];
    for (before, after) in [
        (",\"MessageGroupId\":\"", "\""),
        (",\"", "\":1"),
        (",\"MessageSystemAttributes\":{\"", "\":{}}"),
    ] {
        let rows = bytes.map(|(name, bytes)| {
            let more = [before.as_bytes(), bytes, after.as_bytes()].concat();
            (name, send(&target, &more))
        });
        calls(&target, "SendMessage", rows, unreadable);
    }
}

#[test]
fn depth_is_refused_and_no_stack_is_used_up() {
    let target = Target::new();
    let nested = |open: &str, close: &str, depth: usize| {
        [open.repeat(depth), close.repeat(depth)]
            .concat()
            .into_bytes()
    };
    let inside = |member: &str, value: &[u8]| {
        send(
            &target,
            &[format!(",\"{member}\":").as_bytes(), value].concat(),
        )
    };
    let rows = [
        ("arrays", nested("[", "]", 100_000)),
        ("arrays that never close", vec![b'['; 100_000]),
        ("objects", nested("{\"a\":", "}", 100_000)),
        (
            "arrays in a text",
            inside("MessageGroupId", &nested("[", "]", 100_000)),
        ),
        (
            "arrays in a number",
            inside("DelaySeconds", &nested("[", "]", 100_000)),
        ),
        (
            "arrays in a map",
            inside("MessageAttributes", &nested("[", "]", 100_000)),
        ),
        (
            "objects in a map",
            inside("MessageAttributes", &nested("{\"a\":", "", 100_000)),
        ),
        ("eight million brackets", vec![b'['; 8 * 1024 * 1024 - 1]),
    ];
    calls(&target, "SendMessage", rows, unreadable);
    // What no operation knows is passed over, however deep it is.
    let other = |value: Vec<u8>| [b"{\"Other\":", &value[..], b"}"].concat();
    let rows = [
        (
            "arrays in a member that there is not",
            other(nested("[", "]", 100_000)),
        ),
        (
            "arrays that never close there",
            other(nested("[", "", 100_000)),
        ),
    ];
    let expected = [answered(200, "QueueUrls"), unreadable()];
    for (row, expected) in rows.into_iter().zip(expected) {
        let bytes = Call::new(target.address, "ListQueues", row.1)
            .signed()
            .bytes();
        target.withstands([Case::new(row.0, bytes, expected)]);
    }
}

#[test]
fn numbers_that_are_too_large_or_none_are_refused() {
    let target = Target::new();
    let delay = |number: &str| send(&target, format!(",\"DelaySeconds\":{number}").as_bytes());
    let digits = |count: usize| "9".repeat(count);
    let rows = [
        ("1e400", delay("1e400")),
        ("-1e400", delay("-1e400")),
        (
            "an exponent of many digits",
            delay(&format!("1e{}", digits(10_000))),
        ),
        ("400 digits", delay(&digits(400))),
        ("a million digits", delay(&digits(1_000_000))),
        ("2^31", delay("2147483648")),
        ("-2^31-1", delay("-2147483649")),
        ("2^32", delay("4294967296")),
        ("2^64", delay("18446744073709551616")),
        ("a text", delay("\"5\"")),
        ("an object", delay("{}")),
        ("an array", delay("[5]")),
        ("true", delay("true")),
    ];
    calls(&target, "SendMessage", rows, || answered(400, ""));
    let rows = [
        ("minus one", delay("-1")),
        ("901", delay("901")),
        ("2^31-1", delay("2147483647")),
    ];
    calls(&target, "SendMessage", rows, || {
        answered(400, "InvalidParameterValue")
    });
}

/// Of a member that is there twice the last counts, and however often it is there, reading it takes
/// no longer than its length.
#[test]
fn of_a_member_that_is_there_again_the_last_counts() {
    let target = Target::new();
    let list = |body: String| {
        Call::new(target.address, "ListQueues", body)
            .signed()
            .bytes()
    };
    let twice = |one: &str, other: &str| {
        list(format!(
            r#"{{"QueueNamePrefix":"{one}","QueueNamePrefix":"{other}"}}"#
        ))
    };
    let often = r#""QueueNamePrefix":"x","#.repeat(300_000);
    let often = list(format!(r#"{{{often}"QueueNamePrefix":"orders"}}"#));
    let different = (0..300_000)
        .map(|n| format!("\"x{n}\":0,"))
        .collect::<String>();
    let different = list(format!(r#"{{{different}"QueueNamePrefix":"orders"}}"#));
    target.withstands([
        Case::new(
            "the first is another",
            twice("other", "orders"),
            answered(200, "QueueUrls"),
        ),
        Case::new(
            "the last is another",
            twice("orders", "other"),
            answered(200, "{}"),
        ),
        Case::new(
            "the last is none",
            list(r#"{"QueueNamePrefix":"orders","QueueNamePrefix":1}"#.to_owned()),
            unreadable(),
        ),
        Case::new("300,000 times", often, answered(200, "QueueUrls")),
        Case::new(
            "300,000 that there are not",
            different,
            answered(200, "QueueUrls"),
        ),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn members_are_bounded_in_number() {
    let target = Target::new();
    let many = |count: usize, one: &dyn Fn(usize) -> String| {
        (0..count).map(one).collect::<Vec<_>>().join(",")
    };
    let url = format!("http://{}/000000000000/orders", target.address);
    let attribute = |n: usize| format!(r#""a{n}":{{"DataType":"String","StringValue":"x"}}"#);
    let attributes = many(50_000, &attribute);
    let entry = |n: usize| format!(r#"{{"Id":"e{n}","MessageBody":"x"}}"#);
    let entries = many(100_000, &entry);
    let tags = many(50_000, &|n| format!(r#""t{n}":"x""#));
    let rows = [
        (
            "SendMessage",
            "50,000 attributes",
            format!(
                r#"{{"QueueUrl":"{url}","MessageBody":"x","MessageAttributes":{{{attributes}}}}}"#
            ),
        ),
        (
            "SendMessageBatch",
            "100,000 entries",
            format!(r#"{{"QueueUrl":"{url}","Entries":[{entries}]}}"#),
        ),
        (
            "SendMessageBatch",
            "no entries",
            format!(r#"{{"QueueUrl":"{url}","Entries":[]}}"#),
        ),
        (
            "TagQueue",
            "50,000 tags",
            format!(r#"{{"QueueUrl":"{url}","Tags":{{{tags}}}}}"#),
        ),
        (
            "CreateQueue",
            "50,000 tags",
            format!(r#"{{"QueueName":"n","tags":{{{tags}}}}}"#),
        ),
        (
            "SetQueueAttributes",
            "50,000 attributes",
            format!(r#"{{"QueueUrl":"{url}","Attributes":{{{tags}}}}}"#),
        ),
        (
            "ReceiveMessage",
            "a wait of years",
            format!(r#"{{"QueueUrl":"{url}","WaitTimeSeconds":2147483647}}"#),
        ),
        (
            "ReceiveMessage",
            "more than ten",
            format!(r#"{{"QueueUrl":"{url}","MaxNumberOfMessages":2147483647}}"#),
        ),
        (
            "SendMessage",
            "a body of more than a megabyte",
            format!(
                r#"{{"QueueUrl":"{url}","MessageBody":"{}"}}"#,
                "x".repeat(1024 * 1024 + 1)
            ),
        ),
        (
            "SendMessage",
            "a character that XML does not have",
            format!(r#"{{"QueueUrl":"{url}","MessageBody":"\u0000"}}"#),
        ),
        (
            "DeleteMessage",
            "a handle of a megabyte",
            format!(
                r#"{{"QueueUrl":"{url}","ReceiptHandle":"{}"}}"#,
                "x".repeat(1 << 20)
            ),
        ),
        (
            "ChangeMessageVisibility",
            "a handle that is none",
            format!(r#"{{"QueueUrl":"{url}","ReceiptHandle":"' OR 1=1","VisibilityTimeout":0}}"#),
        ),
        (
            "AddPermission",
            "50,000 actions",
            format!(
                r#"{{"QueueUrl":"{url}","Label":"l","AWSAccountIds":["000000000000"],"Actions":[{}]}}"#,
                many(50_000, &|_| "\"SendMessage\"".to_owned())
            ),
        ),
        (
            "ListQueues",
            "a token that is none",
            r#"{"MaxResults":1,"NextToken":"\u0000../../etc"}"#.to_owned(),
        ),
        (
            "ListQueues",
            "fewer than none",
            r#"{"MaxResults":-2147483648}"#.to_owned(),
        ),
    ];
    for (operation, name, body) in rows {
        calls(&target, operation, [(name, body.into_bytes())], || {
            answered(REFUSED, "__type")
        });
    }
}

#[test]
fn queues_that_cannot_be_are_not_found_and_not_made() {
    let target = Target::new();
    let long = "x".repeat(1_000_000);
    let names = [
        "",
        " ",
        ".",
        "..",
        "../orders",
        "a/b",
        "a.b",
        "orders.fifo.fifo",
        "orders\\u0000",
        "\\ud83d\\ude00",
        "<script>",
        "a b",
        "orders;",
        "%2e",
        &long,
    ];
    let cases = names.map(|name| {
        let body = format!(r#"{{"QueueName":"{name}"}}"#);
        let bytes = Call::new(target.address, "CreateQueue", body)
            .signed()
            .bytes();
        Case::new(
            format!("a queue named {name:.20?}"),
            bytes,
            answered(400, "__type"),
        )
    });
    target.withstands(cases);
    let address = target.address;
    let urls = [
        "",
        "/",
        "x",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://",
        "http://[::1",
        "//000000000000/other",
        &long,
        &format!("http://{address}/000000000000/"),
        &format!("http://{address}/000000000000/orders/more"),
        &format!("http://{address}/111111111111/orders"),
        &format!("http://{address}/000000000000/%6frders"),
        &format!("http://{address}/000000000000/../111111111111/orders"),
    ];
    let cases = urls.map(|url| {
        let body = format!(r#"{{"QueueUrl":"{url}"}}"#);
        let bytes = Call::new(target.address, "PurgeQueue", body)
            .signed()
            .bytes();
        Case::new(
            format!("a queue at {url:.60?}"),
            bytes,
            answered(400, "__type"),
        )
    });
    target.withstands(cases);
}
