use serde_json::json;

use super::*;
use crate::FakeSqs;
use crate::testing::Harness;

fn parse(text: &str) -> Configuration {
    match Configuration::parse("f.toml", text) {
        Ok(configuration) => configuration,
        Err(error) => panic!("{error}"),
    }
}

/// The problems of a document, a line each, without the file's name.
fn problems(text: &str) -> Vec<String> {
    let error = Configuration::parse("f", text).expect_err(text).to_string();
    let lines = error.lines().map(|line| {
        let line = line.strip_prefix("f:").expect("the file's name");
        line.to_owned()
    });
    lines.collect()
}

#[track_caller]
fn assert_problem(text: &str, expected: &str) {
    let found = problems(text);
    assert!(
        found.len() == 1 && found[0].starts_with(expected),
        "{expected}\n{found:#?}"
    );
}

/// A document with every key that there is.
const EVERYTHING: &str = r#"
listen = "localhost:0"
log = "DEBUG"
seed = 18446744073709551615
relaxed = true
auto_create = true
cors = true
control_hosts = ["sqs.internal", "[fd00::1]"]
account = "111111111111"
region = "eu-west-1"

[[credentials]]
access_key_id = "AKIDA"
secret_access_key = "hunter2"

[[credentials]]
access_key_id = "AKIDB"
secret_access_key = "hunter3"
session_token = "token3"
account = "222222222222"

[limits]
in_flight_standard = 3
in_flight_fifo = 2
connections = 64
journal_requests = 100
journal_bytes = 100000

[clock]
start = 2026-01-01T00:00:00Z
frozen = true

[[faults]]
action = "SendMessage"
queue = "orders"
times = 3
fault = { kind = "throttle" }

[[queues]]
name = "orders"
attributes = { VisibilityTimeout = 5, DelaySeconds = "0", RedriveAllowPolicy = { redrivePermission = "denyAll" } }
tags = { team = "shop" }
dead_letter = { queue = "dead", max_receive_count = 3 }

[[queues.messages]]
body = "first"
attributes = { kind = "order", tries = 3, share = 0.5, raw = { type = "Binary.png", value = "AAE=" } }

[[queues.messages]]
body = "second"
delay_seconds = 900

[[queues]]
name = "dead"
dead_letter = { queue = "dead", max_receive_count = 1000 }

[[queues]]
name = "orders.fifo"
account = "222222222222"
region = "us-west-2"
messages = [{ body = "third", group_id = "g", deduplication_id = "1" }]
"#;

#[tokio::test]
async fn everything_can_be_said() {
    let configuration = parse(EVERYTHING);
    assert_eq!(
        configuration.listen().map(|address| address.to_string()),
        Some("127.0.0.1:0".to_owned())
    );
    assert_eq!(configuration.log(), Some("debug"));
    assert_eq!(configuration.queue_count(), 3);
    let settings = &configuration.settings;
    let tokens = settings.credentials.iter().map(|c| c.session_token());
    assert_eq!(tokens.collect::<Vec<_>>(), [None, Some("token3")]);
    assert_eq!(settings.connections_max, Some(64));
    assert_eq!(settings.in_flight_fifo, Some(2));
    assert_eq!(settings.faults.len(), 1);
    let server = Harness::with(FakeSqs::builder().configuration(configuration));
    let health = http::Request::get("/_fake/health")
        .header("host", "sqs.internal")
        .body(bytes::Bytes::new())
        .expect("a request");
    let health = server.send(health).await.json();
    assert_eq!(health["queues"], 3);
    assert_eq!(health["messages"], 3);
    assert_eq!(health["clock"]["now"], 1_767_225_600_000_i64);
    assert_eq!(health["clock"]["mode"], "frozen");
}

/// A server in the account and region of the built-in credential.
fn serving(text: &str) -> Harness {
    Harness::with(FakeSqs::builder().configuration(parse(text)))
}

#[tokio::test]
async fn what_is_declared_is_there_and_again_after_a_reset() {
    let server = serving(
        r#"
        relaxed = true
        [[queues]]
        name = "a"
        attributes = { VisibilityTimeout = 7 }
        dead_letter = { queue = "b", max_receive_count = 2 }
        messages = [{ body = "hello", attributes = { n = 1 } }]
        [[queues]]
        name = "b"
        dead_letter = { queue = "a", max_receive_count = 1 }
        "#,
    );
    let url = "http://localhost:9324/000000000000/a";
    let take = json!({"QueueUrl": url, "MessageAttributeNames": ["All"]});
    for body in ["{}", r#"{"account":"000000000000"}"#, "{}"] {
        let input = json!({"QueueUrl": url, "AttributeNames": ["All"]});
        let attributes = server.call("GetQueueAttributes", &input).await.json();
        let attributes = &attributes["Attributes"];
        assert_eq!(attributes["VisibilityTimeout"], "7");
        assert_eq!(
            attributes["RedrivePolicy"],
            r#"{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:b","maxReceiveCount":2}"#
        );
        let received = server.call("ReceiveMessage", &take).await.json();
        assert_eq!(received["Messages"][0]["Body"], "hello");
        let attribute = &received["Messages"][0]["MessageAttributes"]["n"];
        assert_eq!(
            attribute,
            &json!({"DataType": "Number", "StringValue": "1"})
        );

        // What came later goes; so does a queue that was deleted.
        server
            .call("CreateQueue", &json!({"QueueName": "later"}))
            .await;
        server.call("DeleteQueue", &json!({"QueueUrl": "b"})).await;
        let reset = http::Request::post("/_fake/reset")
            .header("host", "localhost")
            .body(bytes::Bytes::from_static(body.as_bytes()))
            .expect("a request");
        assert_eq!(server.send(reset).await.status, 200);
        let listed = server.call("ListQueues", &json!({})).await.json();
        let base = "http://localhost:9324/000000000000";
        assert_eq!(
            listed["QueueUrls"],
            json!([format!("{base}/a"), format!("{base}/b")])
        );
    }
}

#[tokio::test]
async fn what_the_builder_was_given_wins() {
    let file = parse("auto_create = true\n[[queues]]\nname = 'a'\n");
    let builder = FakeSqs::builder()
        .auto_create(crate::AutoCreate::Off)
        .queue(crate::QueueDeclaration::new("b").message("hello"))
        .configuration(file);
    let server = Harness::with(builder);
    let missing = server
        .call("ReceiveMessage", &json!({"QueueUrl": "c"}))
        .await;
    assert_eq!(missing.status, 400);
    for queue in ["a", "b"] {
        let there = server
            .call("ReceiveMessage", &json!({"QueueUrl": queue}))
            .await;
        assert_eq!(there.status, 200, "{}", there.text());
    }
}

#[test]
fn every_mistake_is_told_at_once_in_its_place() {
    let text = r#"listen = "9324"
sed = 1
relaxed = "yes"
limits = { conections = 5, in_flight_fifo = -1 }

[[credentials]]
access_key_id = "AK/ID"
secret_access_key = "hunter2"

[[credentials]]
access_key_id = "AKID"
acount = "123456789012"

[[queues]]
name = "orders"
attributes = { VisibilityTimeout = 43201, DelaySecond = 1 }
dead_letter = { queue = "nowhere", max_receive_count = 3 }
messages = [{ body = "" }, { bdy = "x" }]
"#;
    let expected = [
        "1:1: listen: it is \"9324\"; it must be ADDR:PORT, where",
        "2:1: sed: unknown key; perhaps `seed` is meant",
        "3:1: relaxed: it is a string; it must be true or false",
        "4:12: limits.conections: unknown key; perhaps `connections` is meant",
        "4:28: limits.in_flight_fifo: it is -1; it must be a whole number of messages from 0 to",
        "7:1: credentials[0].access_key_id: it must be 1 to 128 printable ASCII characters",
        "10:1: credentials[1]: `secret_access_key` is missing",
        "12:1: credentials[1].acount: unknown key; perhaps `account` is meant",
        "16:16: queues[0].attributes.VisibilityTimeout: InvalidAttributeValue: ",
        "16:43: queues[0].attributes.DelaySecond: InvalidAttributeName: Unknown Attribute \
         DelaySecond. Perhaps DelaySeconds is meant.",
        "17:1: queues[0].dead_letter: InvalidParameterValueException: ",
        "18:13: queues[0].messages[0]: ",
        "18:28: queues[0].messages[1]: `body` is missing",
        "18:30: queues[0].messages[1].bdy: unknown key; perhaps `body` is meant",
    ];
    let found = problems(text);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{expected}\n{found}");
    }
    assert!(!found.concat().contains("hunter"), "{found:#?}");
}

#[test]
fn what_is_not_toml_is_told_with_its_place() {
    for (text, place) in [
        ("a = 1\nb = \n", "2:"),
        ("[queues\n", "1:"),
        ("é = 1\n", "1:1"),
        ("relaxed = true\nrelaxed = true\n", "2:1"),
    ] {
        let found = problems(text);
        assert!(found[0].starts_with(place), "{found:?}");
        assert!(found[0].contains("this is not TOML: "), "{found:?}");
    }
}

#[test]
fn no_secret_is_repeated() {
    for text in [
        "credentials = 'AKID:hunter2'",
        "credentials = ['AKID:hunter2']",
        "[credentials]\nsecret_access_key = 'hunter2'",
        "[[credentials]]\naccess_key_id = 'a'\nsecret_access_key = \"hunter2\\n\"",
        "[[credentials]]\naccess_key_id = 'a'\nsecret_access_key = ['hunter2']",
        "[[credentials]]\naccess_key_id = 'a'\nsecret_access_key = 's'\nsession_token = 'hunter2 '",
        "[[credentials]]\naccess_key_id = 'a'\nsecret_access_key = 'hunter2",
        "[[credentials]]\naccess_key_id = 'a'\nsecret_access_key = hunter2",
        "[[credentials]]\naccess_key_id = 'a'\nsecret_access_key = 'hunter2' token2",
    ] {
        let error = Configuration::parse("f", text).expect_err(text);
        let said = format!("{error} {error:?}");
        assert!(!said.contains("hunter2"), "{said}");
    }
    let fine = "[[credentials]]\naccess_key_id='a'\nsecret_access_key='hunter2'\n\
                session_token='hunter2'";
    let said = format!("{:?}", parse(fine));
    assert!(!said.contains("hunter2"), "{said}");
}

#[test]
fn each_kind_of_mistake_has_its_words() {
    for (text, expected) in [
        (
            "[[faults]]\nfault = { kind = 'x' }",
            "1:1: faults[0]: `x` is not known here; what is, is `error`, `throttle`, `delay`,",
        ),
        (
            "[[faults]]\nfault = 'throttle'",
            "1:1: faults[0]: there is the string \"throttle\" where an object with its kind, like \
             {\"kind\":\"throttle\"}, must be",
        ),
        (
            "[[faults]]\naction = 'SendMesage'\nfault = { kind = 'throttle' }",
            "1:1: faults[0]: action: SQS has no operation \"SendMesage\"; perhaps SendMessage is meant",
        ),
        (
            "[[faults]]\nshare = 2.0\nfault = { kind = 'throttle' }",
            "1:1: faults[0]: ",
        ),
        (
            "faults = [1]",
            "1:11: faults[0]: it is an integer; it must be a table",
        ),
        (
            "account = '1'",
            "1:1: account: it is \"1\"; it must be an account: exactly 12 digits",
        ),
        (
            "account = 123456789012",
            "1:1: account: it is an integer; it must be an account",
        ),
        (
            "region = 'a b'",
            "1:1: region: it is \"a b\"; it must be a region's name",
        ),
        (
            "log = 'loud'",
            "1:1: log: it is \"loud\"; it must be off, error, warn",
        ),
        (
            "control_hosts = ['a:1']",
            "1:18: control_hosts[0]: it is \"a:1\"; it must be a host",
        ),
        (
            "control_hosts = 'a'",
            "1:1: control_hosts: it is a string; it must be an array",
        ),
        (
            "limits = 1",
            "1:1: limits: it is an integer; it must be a table",
        ),
        (
            "zzz = 1",
            "1:1: zzz: unknown key; known here are account, auto_create, clock, control_hosts, cors, credentials, data_dir",
        ),
        ("\"a b\" = 1", "1:1: \"a b\": unknown key"),
        (
            "[clock]\nstart = '2026'",
            "2:1: clock.start: it must be a date-time with an offset",
        ),
        (
            "[clock]\nstart = 2026-01-01",
            "2:1: clock.start: it is 2026-01-01; it must be",
        ),
        (
            "[clock]\noffset_seconds = 1\nstart = 2026-01-01T00:00:00Z",
            "3:1: clock.start: `start` and `offset_seconds` cannot both",
        ),
        (
            "[clock]\noffset_seconds = nan",
            "2:1: clock.offset_seconds: it must be a number of",
        ),
        (
            "[[credentials]]\naccess_key_id='a'\nsecret_access_key='s'\n\
             [[credentials]]\naccess_key_id='a'\nsecret_access_key='s'",
            "5:1: credentials[1].access_key_id: two credentials have the access key \"a\"",
        ),
    ] {
        assert_problem(text, expected);
    }
}

#[test]
fn each_kind_of_mistake_in_a_queue_has_its_words() {
    for (text, expected) in [
        ("[[queues]]", "1:1: queues[0]: `name` is missing"),
        (
            "[[queues]]\nname = 'a.b'",
            "2:1: queues[0].name: InvalidParameterValue",
        ),
        (
            "[[queues]]\nname = 'a'\n[[queues]]\nname = 'a'",
            "4:1: queues[1].name: this queue is declared twice",
        ),
        (
            "[[queues]]\nname = 'a'\nattributes = { DelaySeconds = 1.5 }",
            "3:16: queues[0].attributes.DelaySeconds: it must be a string, a whole number",
        ),
        (
            "[[queues]]\nname = 'a'\nattributes = { RedrivePolicy = '{' }",
            "3:16: queues[0].attributes.RedrivePolicy: ",
        ),
        (
            "[[queues]]\nname = 'a'\ntags = { n = 1 }",
            "3:10: queues[0].tags.n: it is an integer; it must be a string",
        ),
        (
            "[[queues]]\nname = 'a.fifo'\nmessages = [{ body = 'b' }]",
            "3:13: queues[0].messages[0]: MissingRequiredParameter",
        ),
        (
            "[[queues]]\nname = 'a'\nmessages = [{ body = 'b', attributes = { x = true } }]",
            "3:42: queues[0].messages[0].attributes.x: it must be a string, a number, or",
        ),
        (
            "[[queues]]\nname = 'a'\n\
             messages = [{ body = 'b', attributes = { x = { type = 'Binary', value = '?' } } }]",
            "3:65: queues[0].messages[0].attributes.x.value: it must be base64",
        ),
        (
            "[[queues]]\nname = 'a'\ndead_letter = { queue = 'a', max_receive_count = 0 }",
            "3:30: queues[0].dead_letter.max_receive_count: it is 0; it must be a whole number",
        ),
    ] {
        assert_problem(text, expected);
    }
}

#[test]
fn a_date_is_a_time() {
    let start = |text: &str| parse(&format!("[clock]\nstart = {text}\n")).settings.clock;
    let at = |seconds| {
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        Some(crate::ClockStart::at(at))
    };
    for (text, seconds) in [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("2000-02-29T12:34:56Z", 951_827_696),
        ("2026-03-01T00:00:00-08:00", 1_772_352_000),
        ("9999-12-31T23:59:59Z", 253_402_300_799),
    ] {
        assert_eq!(start(text), at(seconds), "{text}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Configuration::read("/no/such/fake-sqs.toml").expect_err("no file");
    let said = error.to_string();
    assert!(
        said.starts_with("cannot read /no/such/fake-sqs.toml: "),
        "{said}"
    );
}

#[test]
fn more_faults_than_a_server_takes_are_a_mistake_at_the_first_that_is_too_many() {
    let faults = |count| "[[faults]]\nfault = { kind = 'throttle' }\n".repeat(count);
    assert_eq!(parse(&faults(1_000)).settings.faults.len(), 1_000);
    let error = Configuration::parse("f.toml", &faults(1_002)).expect_err("too many");
    assert_eq!(
        error.to_string(),
        "f.toml:2001:1: faults[1000]: a server has at most 1000 faults",
    );
}
