mod asker;
mod other;

use aws_query::{Form as MemberForm, Source};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;

use self::asker::{Asker, Found, Kind};
use self::other::Names;
use super::*;
use crate::operation::table::operation_table;
use crate::shapes::{
    attributes::*, delete::*, message::*, move_task::*, permissions::*, purge::*, queues::*,
    receive::*, send::*, tags::*, visibility::*,
};

macro_rules! responses {
    ($(
        $(#[$doc:meta])*
        $name:ident $method:ident($input:ident)
            -> $output:ident, $body:ident, $repeat:ident, $pace:ident;
    )+) => {
        /// A response of every operation, filled in.
        fn responses(found: &Found) -> Vec<Response> {
            vec![$(
                Response::$name($output::deserialize(Asker::new(found)).expect(stringify!($name))),
            )+]
        }
    };
}

operation_table!(responses);

/// A request of every operation, filled in.
fn requests(found: &Found) -> Vec<Request> {
    let read = |&operation: &Operation| Request::read(operation, Asker::new(found));
    Operation::ALL
        .iter()
        .map(|it| read(it).expect("a request"))
        .collect()
}

fn parse(form: &str) -> Parameters<'_> {
    Parameters::parse([Source::Form(form.as_bytes())]).expect(form)
}

fn read_form(operation: Operation, form: &str) -> Result<Request, ReadError> {
    read(operation, &parse(form))
}

/// What the result element of an answer says, as JSON.
fn read_xml(operation: Operation, document: &str) -> Option<serde_json::Value> {
    let document = roxmltree::Document::parse(document).expect("well-formed XML");
    let root = document.root_element();
    let namespace = "http://queue.amazonaws.com/doc/2012-11-05/";
    let name = format!("{operation}Response");
    assert!(root.has_tag_name((namespace, name.as_str())), "{operation}");
    let metadata = other::children(root, "ResponseMetadata")
        .next()
        .expect("metadata");
    let id = other::children(metadata, "RequestId")
        .next()
        .expect("an id");
    assert_eq!(other::text(id), "r-1");
    let result = other::children(root, &format!("{operation}Result")).next()?;
    Some(other::json(&format!("{operation}Output"), result))
}

#[test]
fn the_table_has_the_names_of_awss_model() {
    let found = Found::default();
    requests(&found);
    responses(&found);
    let found = found.into_inner();
    let names = other::names();

    let asked: BTreeSet<_> = found.keys().copied().collect();
    let listed: BTreeSet<_> = names
        .keys()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(
        asked, listed,
        "names.txt has the members of the shapes, and no others"
    );

    let mut rows = BTreeSet::new();
    for shape in MODEL.shapes() {
        for member in shape.members() {
            let key = (shape.name(), member.name());
            assert!(rows.insert(key), "{key:?} is there twice");
            assert!(found.contains_key(&key), "no shape has {key:?}");
        }
    }
    for (&(shape, member), kind) in &found {
        let rows = MODEL.shapes().iter().filter(|row| row.name() == shape);
        let row = rows
            .flat_map(Shape::members)
            .find(|row| row.name() == member);
        let (wire, form) = row.map_or((member, MemberForm::Plain), |row| (row.wire(), row.form()));
        let (in_table, of) = match form {
            MemberForm::Plain => (Names::Plain(wire.into()), Kind::Plain),
            MemberForm::List => (Names::List(wire.into()), Kind::List),
            MemberForm::Map { key, value } => {
                (Names::Map(wire.into(), key.into(), value.into()), Kind::Map)
            }
        };
        assert_eq!(*kind, of, "{shape}.{member}");
        assert_eq!(
            in_table,
            names[&(shape.into(), member.into())],
            "{shape}.{member}"
        );
    }
}

#[test]
fn every_request_is_read_from_a_form() {
    for request in requests(&Found::default()) {
        let operation = request.operation();
        let form = other::form(&format!("{operation}Input"), &json!(request));
        assert_eq!(read_form(operation, &form), Ok(request), "{form}");
    }
}

#[test]
fn an_empty_form_is_a_request_of_every_operation() {
    for &operation in Operation::ALL {
        let request =
            read_form(operation, "Action=A&Version=V&Unknown=1").expect("all may be absent");
        let is_batch = operation.name().ends_with("Batch");
        let expected = if is_batch {
            json!({ "Entries": [] })
        } else {
            json!({})
        };
        assert_eq!(json!(request), expected, "{operation}");
    }
}

#[test]
fn every_response_is_read_by_an_xml_parser() {
    for response in responses(&Found::default()) {
        let operation = response.operation();
        let document = write(&response, "r-1").expect("a shape that can be written");
        let expected = operation.has_output().then(|| json!(response));
        assert_eq!(read_xml(operation, &document), expected, "{document}");
    }
}

#[test]
fn an_output_that_says_nothing_has_an_empty_result() {
    let document = write(&ReceiveMessageOutput::default().into(), "r-1").expect("XML");
    assert_eq!(
        document,
        "<?xml version=\"1.0\"?>\
         <ReceiveMessageResponse xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\">\
         <ReceiveMessageResult></ReceiveMessageResult>\
         <ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata></ReceiveMessageResponse>"
    );
    let document = write(&DeleteMessageOutput {}.into(), "r-1").expect("XML");
    assert_eq!(
        document,
        "<?xml version=\"1.0\"?>\
         <DeleteMessageResponse xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\">\
         <ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata></DeleteMessageResponse>"
    );
}

/// As botocore and the examples of AWS's documentation of that time send them.
#[test]
fn requests_as_clients_send_them() {
    let form = "Action=SendMessageBatch&Version=2012-11-05\
                &QueueUrl=http%3A%2F%2F127.0.0.1%3A9324%2F000000000000%2Forders\
                &SendMessageBatchRequestEntry.1.Id=a\
                &SendMessageBatchRequestEntry.1.MessageBody=h%C3%A9llo+1+%2B+1\
                &SendMessageBatchRequestEntry.1.DelaySeconds=5\
                &SendMessageBatchRequestEntry.1.MessageAttribute.1.Name=color\
                &SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.StringValue=blue\
                &SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.DataType=String\
                &SendMessageBatchRequestEntry.1.MessageAttribute.2.Name=blob\
                &SendMessageBatchRequestEntry.1.MessageAttribute.2.Value.BinaryValue=AQID\
                &SendMessageBatchRequestEntry.1.MessageAttribute.2.Value.DataType=Binary\
                &SendMessageBatchRequestEntry.1.MessageSystemAttribute.1.Name=AWSTraceHeader\
                &SendMessageBatchRequestEntry.1.MessageSystemAttribute.1.Value.StringValue=Root%3D1\
                &SendMessageBatchRequestEntry.1.MessageSystemAttribute.1.Value.DataType=String\
                &SendMessageBatchRequestEntry.2.Id=b\
                &SendMessageBatchRequestEntry.2.MessageBody=two";
    let first = SendMessageBatchRequestEntry {
        delay_seconds: Some(5),
        message_attributes: Some(
            [
                ("color".into(), MessageAttributeValue::string("blue")),
                ("blob".into(), MessageAttributeValue::binary([1, 2, 3])),
            ]
            .into(),
        ),
        message_system_attributes: Some(
            [(
                "AWSTraceHeader".into(),
                MessageSystemAttributeValue::string("Root=1"),
            )]
            .into(),
        ),
        ..SendMessageBatchRequestEntry::new("a", "h\u{e9}llo 1 + 1")
    };
    let expected = SendMessageBatchInput::new(
        "http://127.0.0.1:9324/000000000000/orders",
        [first, SendMessageBatchRequestEntry::new("b", "two")],
    );
    let parameters = parse(form);
    let operation = operation(&parameters).expect("an operation");
    assert_eq!(read(operation, &parameters), Ok(expected.into()));

    // An empty batch, and a list without names: botocore sends the member's name.
    assert_eq!(
        read_form(Operation::SendMessageBatch, "QueueUrl=q&Entries="),
        Ok(SendMessageBatchInput::new("q", []).into())
    );
    assert_eq!(
        read_form(Operation::UntagQueue, "QueueUrl=q&TagKeys="),
        Ok(UntagQueueInput::new("q", [""; 0]).into())
    );
    // One entry without a number, as boto 2 sends it.
    assert_eq!(
        read_form(Operation::GetQueueAttributes, "AttributeName=All"),
        Ok(Request::GetQueueAttributes(GetQueueAttributesInput {
            attribute_names: Some(vec!["All".into()]),
            ..GetQueueAttributesInput::default()
        }))
    );
    assert_eq!(
        read_form(
            Operation::SetQueueAttributes,
            "Attribute.Name=VisibilityTimeout&Attribute.Value=35"
        ),
        Ok(Request::SetQueueAttributes(SetQueueAttributesInput {
            attributes: Some([("VisibilityTimeout".into(), "35".into())].into()),
            ..SetQueueAttributesInput::default()
        }))
    );
    // A tag without a value, and an attribute without one, are the service's to refuse.
    let tags = Some([("team".into(), None)].into());
    assert_eq!(
        read_form(Operation::TagQueue, "Tag.1.Key=team"),
        Ok(Request::TagQueue(TagQueueInput {
            tags,
            ..TagQueueInput::default()
        }))
    );
    let attributes = [("color".into(), MessageAttributeValue::default())].into();
    assert_eq!(
        read_form(Operation::SendMessage, "MessageAttribute.1.Name=color"),
        Ok(Request::SendMessage(SendMessageInput {
            message_attributes: Some(attributes),
            ..SendMessageInput::default()
        }))
    );
}

#[test]
fn the_operation_is_named_by_its_action() {
    let of = |form: &str| operation(&parse(form));
    for &expected in Operation::ALL {
        assert_eq!(
            of(&format!("Action={expected}&Version=2012-11-05")),
            Ok(expected)
        );
        assert_eq!(of(&format!("Action={expected}")), Ok(expected));
    }
    for (form, code, message) in [
        (
            "",
            ErrorCode::MissingAction,
            "The request must contain the parameter Action.",
        ),
        (
            "Action=",
            ErrorCode::MissingAction,
            "The request must contain the parameter Action.",
        ),
        (
            "Action=Bogus",
            ErrorCode::UnknownOperationException,
            "The action Bogus is not valid for this endpoint.",
        ),
        (
            "Action=sendmessage",
            ErrorCode::UnknownOperationException,
            "The action sendmessage is not valid for this endpoint.",
        ),
        (
            "Action=SendMessage&Version=2009-02-01",
            ErrorCode::NoSuchVersion,
            "The requested version ( 2009-02-01 ) is not valid.",
        ),
        (
            "Action=SendMessage&Version=",
            ErrorCode::NoSuchVersion,
            "The requested version (  ) is not valid.",
        ),
    ] {
        assert_eq!(of(form), Err(Error::new(code, message)), "{form}");
    }
    let long = "A".repeat(10_000);
    for form in [format!("Action={long}"), format!("Version={long}")] {
        let error = of(&form).expect_err("no operation");
        assert!(error.message().len() < 200, "{error}");
    }
}

/// Forms that cannot be read: operation, parameters, query code and words.
const REFUSED: &[(Operation, &str, &str, &str)] = &[
    (
        Operation::ReceiveMessage,
        "MaxNumberOfMessages=abc",
        "MalformedInput",
        "the parameter MaxNumberOfMessages is wrong: \"abc\" is not an integer from -2147483648 \
             to 2147483647",
    ),
    (
        Operation::SendMessage,
        "MessageAttribute.1.Name=a&MessageAttribute.1.Value.BinaryValue=%21",
        "MalformedInput",
        "the parameter MessageAttribute.1.Value.BinaryValue is wrong: a blob must be padded \
             base64 in the standard alphabet: Invalid symbol 33, offset 0.",
    ),
    (
        Operation::SetQueueAttributes,
        "Attribute.1.Name=Policy",
        "MissingParameter",
        "The request must contain the parameter Attribute.1.Value.",
    ),
    (
        Operation::SetQueueAttributes,
        "Attribute.1.Value=x",
        "MissingParameter",
        "The request must contain the parameter Attribute.1.Name.",
    ),
    (
        Operation::SendMessage,
        "MessageBody=a&MessageBody.1=b",
        "ConflictingQueryParameter",
        "The query parameter MessageBody is invalid. Its structure conflicts with that of \
             another parameter.",
    ),
    // As SDKs found that called lists as their members are called, or counted from 0.
    (
        Operation::ReceiveMessage,
        "AttributeName.0=All",
        "MalformedInput",
        "0 is not a valid index",
    ),
    (
        Operation::DeleteMessageBatch,
        "Entries.1.Id=msg1",
        "MalformedInput",
        "Top level element may not be treated as a list",
    ),
    (
        Operation::UntagQueue,
        "TagKeys.1=team",
        "MalformedInput",
        "the parameter TagKeys.1 has another name: its entries are called TagKey.1, TagKey.2 and \
             so on",
    ),
    (
        Operation::ReceiveMessage,
        "MessageAttributeNames.member.1=All",
        "MalformedInput",
        "Start of list found where not expected",
    ),
    (
        Operation::SetQueueAttributes,
        "Attributes.entry.1.key=a",
        "MalformedInput",
        "the parameter Attributes.entry.1.key has another name: its entries are called \
             Attribute.1, Attribute.2 and so on",
    ),
    (
        Operation::SendMessage,
        "MessageAttributes.1.key=Format&MessageAttributes.1.value.DataType=String",
        "InvalidParameterValue",
        "The request must contain non-empty message attribute name.",
    ),
    (
        Operation::SendMessage,
        "MessageAttribute.1.key=Key&MessageAttribute.1.value.DataType=string",
        "InvalidParameterValue",
        "The request must contain non-empty message attribute name.",
    ),
    (
        Operation::SendMessage,
        "MessageAttribute=",
        "InvalidParameterValue",
        "The request must contain non-empty message attribute name.",
    ),
    (
        Operation::SendMessageBatch,
        "SendMessageBatchRequestEntry.1.Id=a&SendMessageBatchRequestEntry.1.MessageAttribute=",
        "InvalidParameterValue",
        "The request must contain non-empty message attribute name.",
    ),
    (
        Operation::SendMessageBatch,
        "SendMessageBatchRequestEntry.1.Id=a&SendMessageBatchRequestEntry.2.MessageBody=b",
        "MissingParameter",
        "The request must contain the parameter SendMessageBatchRequestEntry.2.Id.",
    ),
    (
        Operation::SendMessageBatch,
        "SendMessageBatchRequestEntry.10.MessageBody=b&SendMessageBatchRequestEntry.9.Id=a",
        "MissingParameter",
        "The request must contain the parameter SendMessageBatchRequestEntry.10.Id.",
    ),
    (
        Operation::DeleteMessageBatch,
        "DeleteMessageBatchRequestEntry.1.ReceiptHandle=h",
        "MissingParameter",
        "The request must contain the parameter DeleteMessageBatchRequestEntry.1.Id.",
    ),
    (
        Operation::ChangeMessageVisibilityBatch,
        "ChangeMessageVisibilityBatchRequestEntry.1.ReceiptHandle=h",
        "MissingParameter",
        "The request must contain the parameter \
             ChangeMessageVisibilityBatchRequestEntry.1.Id.",
    ),
    (
        Operation::CreateQueue,
        "Attribute.1000000.Name=a&Attribute.1000000.Value=b",
        "MalformedInput",
        "the parameter Attribute.1000000 must be numbered from 1 to 4096, without leading zeros",
    ),
    (
        Operation::CreateQueue,
        "Tag.1.Key=a&Tag.2.Key=a",
        "MalformedInput",
        "the parameter Tag.2.Key repeats the key a; each key of a map may be there once",
    ),
];

#[test]
fn what_cannot_be_read_is_refused_as_sqs_does() {
    for &(operation, form, code, words) in REFUSED {
        let error = read_form(operation, form).expect_err(form);
        let refusal = refusal(&error);
        assert_eq!(
            (refusal.code().query_code(), refusal.message()),
            (code, words)
        );
        assert_eq!(refusal.code().status(), 400);
    }
}

#[test]
fn an_entry_that_lacks_something_is_named_by_its_number() {
    let entry = "SendMessageBatchRequestEntry";
    let form = format!("{entry}.2.Id=a&{entry}.7.Id=b&{entry}.7.MessageAttribute=");
    assert_eq!(
        read_form(Operation::SendMessageBatch, &form),
        Err(ReadError::Missing {
            parameter: format!("{entry}.7.MessageAttribute.Name")
        })
    );
}

#[test]
fn every_error_is_written_with_its_query_code() {
    for &code in ErrorCode::ALL {
        let document = write_error(&Error::new(code, "a <b> & \"c\"\r\n"), "r-1");
        let document = roxmltree::Document::parse(&document).expect("well-formed XML");
        let root = document.root_element();
        let namespace = "http://queue.amazonaws.com/doc/2012-11-05/";
        assert!(root.has_tag_name((namespace, "ErrorResponse")));
        let error = other::children(root, "Error").next().expect("an error");
        let of = |node, name| other::text(other::children(node, name).next().expect(name));
        assert_eq!(of(error, "Type"), code.fault().name());
        assert_eq!(of(error, "Code"), code.query_code());
        assert_eq!(of(error, "Message"), "a <b> & \"c\"\r\n");
        assert_eq!(of(error, "Detail"), "");
        assert_eq!(of(root, "RequestId"), "r-1");
    }
}

#[test]
fn only_the_queue_that_does_not_exist_has_other_words() {
    let words = |code, message| {
        let document = write_error(&Error::new(code, message), "r");
        let (_, rest) = document.split_once("<Message>").expect("a message");
        rest.split_once("</Message>")
            .expect("a message")
            .0
            .to_owned()
    };
    let not_there = "The specified queue does not exist.";
    assert_eq!(
        words(ErrorCode::QueueDoesNotExist, not_there),
        "The specified queue does not exist for this wsdl version."
    );
    assert_eq!(
        words(ErrorCode::QueueDoesNotExist, "Other words."),
        "Other words."
    );
    assert_eq!(words(ErrorCode::InvalidAddress, not_there), not_there);
}

/// Every character that SQS allows in a body.
fn body() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        prop::sample::select(vec![
            '\t',
            '\n',
            '\r',
            ' ',
            '&',
            '<',
            '>',
            '"',
            ']',
            '\u{fffd}',
            '\u{10000}',
        ]),
        prop::char::range(' ', '\u{fffd}'),
        prop::char::range('\u{10000}', '\u{10ffff}'),
    ];
    vec(character, 0..20).prop_map(|it| it.into_iter().collect())
}

proptest! {
    #[test]
    fn messages_come_back_as_they_were_sent(
        bodies in vec(body(), 1..4),
        attributes in btree_map("[a-z]{1,3}", body(), 0..4),
        blob in vec(any::<u8>(), 0..9),
    ) {
        let mut values: BTreeMap<_, _> = attributes
            .into_iter()
            .map(|(name, value)| (name, MessageAttributeValue::string(value)))
            .collect();
        values.insert("blob".into(), MessageAttributeValue::binary(blob));

        let sent = SendMessageBatchInput::new("q", bodies.iter().map(|body| {
            SendMessageBatchRequestEntry {
                message_attributes: Some(values.clone()),
                ..SendMessageBatchRequestEntry::new("id", body)
            }
        }));
        let form = other::form("SendMessageBatchInput", &json!(sent));
        prop_assert_eq!(read_form(Operation::SendMessageBatch, &form), Ok(sent.into()));

        let received = ReceiveMessageOutput {
            messages: bodies.iter().map(|body| Message {
                // A text that looks like a number would be one in the reader's JSON.
                body: Some(format!("x{body}")),
                message_attributes: values
                    .iter()
                    .map(|(name, value)| (name.clone(), MessageAttributeValue {
                        string_value: value.string_value.as_ref().map(|it| format!("x{it}")),
                        binary_value: None,
                        ..value.clone()
                    }))
                    .collect(),
                ..Message::default()
            }).collect(),
        };
        let expected = json!(received);
        let document = write(&received.into(), "r-1").expect("XML");
        prop_assert_eq!(read_xml(Operation::ReceiveMessage, &document), Some(expected));
    }
}
