//! Every row of the error table is raised here through a real socket, or stands among the exempt
//! with the reason why a local server cannot raise it.

use std::fmt::Write;

use bytes::Bytes;
use conformance::on_each_wire;
use conformance::raw::{self, Answer, Signature};
use conformance::wire::Wire;
use fake_sqs::{FakeSqs, InFlightLimits};
use http::Request;
use http::header::{AUTHORIZATION, HeaderValue};
use sqs::ErrorCode::{self, *};

on_each_wire! {
    each_row_is_on_the_wire_as_the_table_has_it,
}

/// Why an error can be relied on to be on the wire as the table has it.
enum Proof {
    /// These calls, one a line as operation and body, raise it with the last; the others are
    /// answered. `$half` is a text of half a batch and a byte.
    Raised(String),
    /// This request raises it, which no client sends.
    Spoiled(Spoil),
    /// This form raises it, which is sent to `/` with this signature; no JSON does.
    Form(Signed, &'static str),
    /// It is not raised, for this reason.
    Exempt(&'static str),
}

enum Signed {
    /// By Signature Version 4.
    Well,
    /// Not at all, or by parameters.
    Otherwise,
}

const NO_KMS: &str = "nothing is encrypted, so no key is ever asked for";

/// What proves each error.
fn proofs() -> Vec<(ErrorCode, Proof)> {
    let mut proofs = vec![
        (
            InvalidAddress,
            Proof::Exempt("a queue's URL is good under every host"),
        ),
        (
            InvalidIdFormat,
            Proof::Exempt("deprecated by AWS, which answers ReceiptHandleIsInvalid"),
        ),
        (
            MessageNotInflight,
            Proof::Exempt("AWS hides a visible message again without an error"),
        ),
        (KmsAccessDenied, Proof::Exempt(NO_KMS)),
        (KmsDisabled, Proof::Exempt(NO_KMS)),
        (KmsInvalidKeyUsage, Proof::Exempt(NO_KMS)),
        (KmsInvalidState, Proof::Exempt(NO_KMS)),
        (KmsNotFound, Proof::Exempt(NO_KMS)),
        (KmsOptInRequired, Proof::Exempt(NO_KMS)),
        (KmsThrottled, Proof::Exempt(NO_KMS)),
        (
            ExpiredTokenException,
            Proof::Exempt("a credential's session token has no end"),
        ),
        (
            InternalFailure,
            Proof::Exempt("only a fault of the server itself brings it about"),
        ),
        (RequestThrottled, Proof::Raised(a_task_too_many())),
        (
            InvalidSecurity,
            Proof::Form(
                Signed::Otherwise,
                "Action=ListQueues&AWSAccessKeyId=test&SignatureVersion=2&Signature=AAAA",
            ),
        ),
        (
            ConflictingQueryParameter,
            Proof::Form(
                Signed::Well,
                "Action=TagQueue&QueueUrl=q&Tag.1.Key=a&Tag.1.Value=b&Tag.Key=c&Tag.Value=d",
            ),
        ),
        (MissingAction, Proof::Form(Signed::Well, "QueueName=q")),
        (
            NoSuchVersion,
            Proof::Form(Signed::Well, "Action=ListQueues&Version=2012-11-06"),
        ),
    ];
    for (code, calls) in RAISED {
        proofs.push((*code, Proof::Raised(calls.trim().to_owned())));
    }
    for (code, spoil) in SPOILED {
        proofs.push((*code, Proof::Spoiled(*spoil)));
    }
    proofs
}

const RAISED: &[(ErrorCode, &str)] = &[
    (
        BatchEntryIdsNotDistinct,
        r#"
CreateQueue {"QueueName":"q"}
SendMessageBatch {"QueueUrl":"q","Entries":[{"Id":"a","MessageBody":"1"},{"Id":"a","MessageBody":"2"}]}
"#,
    ),
    (
        BatchRequestTooLong,
        r#"
CreateQueue {"QueueName":"q"}
SendMessageBatch {"QueueUrl":"q","Entries":[{"Id":"a","MessageBody":"$half"},{"Id":"b","MessageBody":"$half"}]}
"#,
    ),
    (
        EmptyBatchRequest,
        r#"
CreateQueue {"QueueName":"q"}
DeleteMessageBatch {"QueueUrl":"q","Entries":[]}
"#,
    ),
    (
        InvalidAttributeName,
        r#"
CreateQueue {"QueueName":"q"}
GetQueueAttributes {"QueueUrl":"q","AttributeNames":["Colour"]}
"#,
    ),
    (
        InvalidAttributeValue,
        r#"
CreateQueue {"QueueName":"q","Attributes":{"DelaySeconds":"901"}}
"#,
    ),
    (
        InvalidBatchEntryId,
        r#"
CreateQueue {"QueueName":"q"}
SendMessageBatch {"QueueUrl":"q","Entries":[{"Id":"a b","MessageBody":"1"}]}
"#,
    ),
    (
        InvalidMessageContents,
        r#"
CreateQueue {"QueueName":"q"}
SendMessage {"QueueUrl":"q","MessageBody":"\u0007"}
"#,
    ),
    (
        OverLimit,
        // One message may be in flight.
        r#"
CreateQueue {"QueueName":"q"}
SendMessage {"QueueUrl":"q","MessageBody":"1"}
SendMessage {"QueueUrl":"q","MessageBody":"2"}
ReceiveMessage {"QueueUrl":"q","MaxNumberOfMessages":10}
ReceiveMessage {"QueueUrl":"q"}
"#,
    ),
    (
        PurgeQueueInProgress,
        r#"
CreateQueue {"QueueName":"q"}
PurgeQueue {"QueueUrl":"q"}
PurgeQueue {"QueueUrl":"q"}
"#,
    ),
    (
        QueueDeletedRecently,
        r#"
CreateQueue {"QueueName":"q"}
DeleteQueue {"QueueUrl":"q"}
CreateQueue {"QueueName":"q"}
"#,
    ),
    (QueueDoesNotExist, r#"PurgeQueue {"QueueUrl":"q"}"#),
    (
        QueueNameExists,
        r#"
CreateQueue {"QueueName":"q"}
CreateQueue {"QueueName":"q","Attributes":{"DelaySeconds":"1"}}
"#,
    ),
    (
        ReceiptHandleIsInvalid,
        r#"
CreateQueue {"QueueName":"q"}
DeleteMessage {"QueueUrl":"q","ReceiptHandle":"none"}
"#,
    ),
    (
        ResourceNotFoundException,
        r#"StartMessageMoveTask {"SourceArn":"arn:aws:sqs:us-east-1:000000000000:q"}"#,
    ),
    (
        TooManyEntriesInBatchRequest,
        r#"
CreateQueue {"QueueName":"q"}
DeleteMessageBatch {"QueueUrl":"q","Entries":[{"Id":"1"},{"Id":"2"},{"Id":"3"},{"Id":"4"},{"Id":"5"},{"Id":"6"},{"Id":"7"},{"Id":"8"},{"Id":"9"},{"Id":"10"},{"Id":"11"}]}
"#,
    ),
    (
        UnsupportedOperation,
        r#"
CreateQueue {"QueueName":"q"}
SendMessage {"QueueUrl":"q","MessageBody":"1","MessageAttributes":{"l":{"DataType":"String","StringListValues":["a"]}}}
"#,
    ),
    (
        InvalidParameterValueException,
        r#"CreateQueue {"QueueName":"no spaces"}"#,
    ),
    (
        MissingRequiredParameterException,
        r#"
CreateQueue {"QueueName":"q"}
SendMessage {"QueueUrl":"q"}
"#,
    ),
    (SerializationException, r#"ListQueues {"MaxResults":"a"}"#),
    (UnknownOperationException, "Bogus {}"),
];

/// A request as it comes from the client, to what is sent instead.
type Spoil = fn(Request<Bytes>) -> Request<Bytes>;

const SPOILED: &[(ErrorCode, Spoil)] = &[
    (AccessDeniedException, |request| request),
    (IncompleteSignatureException, |mut request| {
        let bogus = HeaderValue::from_static("AWS4-HMAC-SHA256 Credential=bogus");
        request.headers_mut().insert(AUTHORIZATION, bogus);
        request
    }),
    (InvalidSignatureException, |request| {
        let signature = Signature {
            secret: "wrong",
            ..Signature::default()
        };
        signature.sign(request)
    }),
    (UnrecognizedClientException, |request| {
        let signature = Signature {
            key: "AKIDEXAMPLE",
            ..Signature::default()
        };
        signature.sign(request)
    }),
];

/// An account has at most 100 tasks that move messages. Each of these has ten messages and moves
/// one in a second, so that the first is at work still when the last is started.
fn a_task_too_many() -> String {
    let mut calls = String::from("CreateQueue {\"QueueName\":\"q\"}\n");
    let entries: Vec<String> = (0..10)
        .map(|n| format!(r#"{{"Id":"{n}","MessageBody":"{n}"}}"#))
        .collect();
    let entries = entries.join(",");
    for n in 0..=sqs::limits::ACTIVE_MOVE_TASKS {
        let dead = format!("arn:aws:sqs:us-east-1:000000000000:dead-{n}");
        let policy = format!(r#"{{\"deadLetterTargetArn\":\"{dead}\",\"maxReceiveCount\":1}}"#);
        let written = write!(
            calls,
            r#"CreateQueue {{"QueueName":"dead-{n}"}}
SendMessageBatch {{"QueueUrl":"dead-{n}","Entries":[{entries}]}}
SetQueueAttributes {{"QueueUrl":"q","Attributes":{{"RedrivePolicy":"{policy}"}}}}
StartMessageMoveTask {{"SourceArn":"{dead}","DestinationArn":"arn:aws:sqs:us-east-1:000000000000:q","MaxNumberOfMessagesPerSecond":1}}
"#
        );
        written.expect("a string takes every text");
    }
    calls.trim().to_owned()
}

#[test]
fn each_row_is_proven_once() {
    let proofs = proofs();
    for code in ErrorCode::ALL {
        let found = proofs.iter().filter(|(proven, _)| proven == code).count();
        assert_eq!(
            found, 1,
            "{code} must be raised by one row here, or be exempt by one"
        );
    }
    assert_eq!(proofs.len(), ErrorCode::ALL.len());
    for (code, proof) in proofs {
        if let Proof::Exempt(reason) = proof {
            assert!(!reason.is_empty(), "{code} is exempt without a reason");
        }
    }
}

async fn each_row_is_on_the_wire_as_the_table_has_it(wire: Wire) {
    for (code, proof) in proofs() {
        let answer = match proof {
            Proof::Raised(calls) => raised(wire, &calls).await,
            Proof::Spoiled(spoil) => {
                let server = FakeSqs::start().await;
                let request = wire.call(&server, "ListQueues", "{}");
                wire.send(&server, spoil(request)).await
            }
            Proof::Form(signed, parameters) if wire == Wire::Query => {
                let server = FakeSqs::start().await;
                let form = raw::form(&server, "/", parameters);
                let request = match signed {
                    Signed::Well => Signature::default().sign(form),
                    Signed::Otherwise => form,
                };
                wire.send(&server, request).await
            }
            Proof::Form(_, _) | Proof::Exempt(_) => continue,
        };
        assert_is(code, &answer);
    }
}

/// The answer to the last of these calls, on a server of their own.
async fn raised(wire: Wire, calls: &str) -> Answer {
    let one = InFlightLimits {
        standard: 1,
        fifo: 1,
    };
    let server = FakeSqs::builder().in_flight_limits(one).start().await;
    let server = server.expect("a server");
    let half = "x".repeat(sqs::limits::BATCH_SIZE.max() as usize / 2 + 1);
    let mut last = None;
    for line in calls.lines() {
        if let Some((call, answer)) = last.replace((line, call(wire, &server, line, &half).await)) {
            assert_eq!(answer.status, 200, "{call}: {answer:?}");
        }
    }
    let (_, answer) = last.expect("a call");
    answer
}

async fn call(wire: Wire, server: &FakeSqs, line: &str, half: &str) -> Answer {
    let (operation, body) = line.split_once(' ').expect("an operation and a body");
    let request = wire.call(server, operation, body.replace("$half", half));
    wire.send(server, Signature::default().sign(request)).await
}

fn assert_is(code: ErrorCode, answer: &Answer) {
    assert_eq!(answer.status, code.status(), "{code}: {answer:?}");
    assert_eq!(answer.json()["__type"], code.shape_id(), "{answer:?}");
    assert_eq!(
        answer.header("x-amzn-query-error"),
        format!("{};{}", code.query_code(), code.fault())
    );
    assert_eq!(answer.header("content-type"), "application/x-amz-json-1.0");
    assert!(!answer.message().is_empty(), "{code} says nothing");
}
