//! A call's JSON as the parameters of the Query protocol.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use super::model::{Kind, Member, VERSION, operation};

/// The content type of a form, as Amazon's clients wrote it.
pub const FORM: &str = "application/x-www-form-urlencoded; charset=utf-8";

/// What no form escapes, and the blank, which is a plus sign.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b' ');

/// A call that no client of the Query protocol can make.
#[derive(Debug, PartialEq, Eq)]
pub struct NoForm(String);

impl fmt::Display for NoForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no form of the Query protocol: {}", self.0)
    }
}

impl std::error::Error for NoForm {}

/// The form that calls `action` with the members of `body`, a JSON object or nothing.
///
/// An operation or a member that the model has not is written as it is when it is no list and no map,
/// so that a test can call what does not exist.
///
/// # Errors
///
/// When the body is not a JSON object, or has what a form cannot say.
pub fn form(action: &str, body: &[u8]) -> Result<String, NoForm> {
    let members: Map<String, Value> = match body {
        b"" => Map::new(),
        body => serde_json::from_slice(body).map_err(|error| NoForm(error.to_string()))?,
    };
    let known = operation(action).map_or(&[][..], |operation| operation.input);
    let mut form = Form(String::new());
    form.parameter("Action", action);
    form.parameter("Version", VERSION);
    form.structure("", known, &members)?;
    Ok(form.0)
}

/// The form so far.
struct Form(String);

impl Form {
    fn parameter(&mut self, name: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.extend(utf8_percent_encode(name, ESCAPED));
        self.0.push('=');
        for part in utf8_percent_encode(value, ESCAPED) {
            self.0.push_str(&part.replace(' ', "+"));
        }
    }

    /// The members of a structure; `prefix` ends with a dot unless it is empty.
    fn structure(
        &mut self,
        prefix: &str,
        known: &[Member],
        members: &Map<String, Value>,
    ) -> Result<(), NoForm> {
        for (name, value) in members {
            match known.iter().find(|member| member.json == name) {
                Some(member) => self.member(prefix, member, value)?,
                None => self.scalar(&format!("{prefix}{name}"), value)?,
            }
        }
        Ok(())
    }

    fn member(&mut self, prefix: &str, member: &Member, value: &Value) -> Result<(), NoForm> {
        let name = format!("{prefix}{}", member.query);
        match (&member.kind, value) {
            (_, Value::Null) => Ok(()),
            // An empty list is said by its own name, where the name of its elements would stand.
            (Kind::List(_), Value::Array(elements)) if elements.is_empty() => {
                self.parameter(&format!("{prefix}{}", member.json), "");
                Ok(())
            }
            (Kind::List(of), Value::Array(elements)) => (1..)
                .zip(elements)
                .try_for_each(|(n, element)| self.value(&format!("{name}.{n}"), of, element)),
            (Kind::Map { key, value, of }, Value::Object(pairs)) => {
                (1..).zip(pairs).try_for_each(|(n, (name_of, held))| {
                    self.parameter(&format!("{name}.{n}.{key}"), name_of);
                    self.value(&format!("{name}.{n}.{value}"), of, held)
                })
            }
            (kind, value) => self.value(&name, kind, value),
        }
    }

    fn value(&mut self, name: &str, kind: &Kind, value: &Value) -> Result<(), NoForm> {
        match (kind, value) {
            (Kind::Structure(known), Value::Object(members)) => {
                self.structure(&format!("{name}."), known, members)
            }
            (Kind::Text | Kind::Number | Kind::Flag, value) => self.scalar(name, value),
            (kind, value) => Err(NoForm(format!("{name} is {kind:?}, not {value}"))),
        }
    }

    fn scalar(&mut self, name: &str, value: &Value) -> Result<(), NoForm> {
        match value {
            Value::Null => {}
            Value::String(text) => self.parameter(name, text),
            Value::Number(number) => self.parameter(name, &number.to_string()),
            Value::Bool(flag) => self.parameter(name, if *flag { "true" } else { "false" }),
            Value::Array(_) | Value::Object(_) => {
                return Err(NoForm(format!("{name} is one value, not {value}")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The parameters behind Action and Version, a line each.
    #[track_caller]
    fn parameters(action: &str, body: &Value) -> Vec<String> {
        let form = form(action, body.to_string().as_bytes()).expect("a form");
        let start = format!("Action={action}&Version=2012-11-05");
        let rest = form.strip_prefix(&start).expect("Action and Version");
        rest.split('&').skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn a_call_without_members_is_its_action_and_the_version() {
        let expected = Ok("Action=ListQueues&Version=2012-11-05".to_owned());
        assert_eq!(form("ListQueues", b"{}"), expected);
        assert_eq!(form("ListQueues", b""), expected);
    }

    #[test]
    fn attributes_are_numbered_pairs() {
        let call = json!({
            "QueueName": "MyQueue",
            "Attributes": {"DelaySeconds": "45", "VisibilityTimeout": "40"},
            "tags": {"QueueType": "Production"},
        });
        assert_eq!(
            parameters("CreateQueue", &call),
            [
                "Attribute.1.Name=DelaySeconds",
                "Attribute.1.Value=45",
                "Attribute.2.Name=VisibilityTimeout",
                "Attribute.2.Value=40",
                "QueueName=MyQueue",
                "Tag.1.Key=QueueType",
                "Tag.1.Value=Production",
            ]
        );
    }

    #[test]
    fn lists_are_numbered_from_one() {
        let queue = "http://127.0.0.1:9324/000000000000/q";
        let call = json!({
            "QueueUrl": queue,
            "Label": "l",
            "AWSAccountIds": ["125074342641", "111122223333"],
            "Actions": ["SendMessage", "ReceiveMessage"],
        });
        assert_eq!(
            parameters("AddPermission", &call),
            [
                "AWSAccountId.1=125074342641",
                "AWSAccountId.2=111122223333",
                "ActionName.1=SendMessage",
                "ActionName.2=ReceiveMessage",
                "Label=l",
                "QueueUrl=http%3A%2F%2F127.0.0.1%3A9324%2F000000000000%2Fq",
            ]
        );
        let call = json!({"TagKeys": ["a", "b"]});
        assert_eq!(
            parameters("UntagQueue", &call),
            ["TagKey.1=a", "TagKey.2=b"]
        );
    }

    #[test]
    fn message_attributes_have_a_value_with_members() {
        let call = json!({
            "MessageBody": "This is a test message",
            "DelaySeconds": 45,
            "MessageAttributes": {
                "my_attribute_name_1": {"DataType": "String", "StringValue": "my value+1"},
                "my_attribute_name_2": {"DataType": "Binary", "BinaryValue": "AP8="},
            },
            "MessageSystemAttributes": {
                "AWSTraceHeader": {"DataType": "String", "StringValue": "Root=1"},
            },
        });
        assert_eq!(
            parameters("SendMessage", &call),
            [
                "DelaySeconds=45",
                "MessageAttribute.1.Name=my_attribute_name_1",
                "MessageAttribute.1.Value.DataType=String",
                "MessageAttribute.1.Value.StringValue=my+value%2B1",
                "MessageAttribute.2.Name=my_attribute_name_2",
                "MessageAttribute.2.Value.BinaryValue=AP8%3D",
                "MessageAttribute.2.Value.DataType=Binary",
                "MessageBody=This+is+a+test+message",
                "MessageSystemAttribute.1.Name=AWSTraceHeader",
                "MessageSystemAttribute.1.Value.DataType=String",
                "MessageSystemAttribute.1.Value.StringValue=Root%3D1",
            ]
        );
    }

    #[test]
    fn the_entries_of_a_batch_have_the_name_of_their_operation() {
        let attribute = json!({"DataType": "String", "StringListValues": ["x", "y"]});
        let call = json!({"Entries": [
            {"Id": "test_msg_001", "MessageBody": "é"},
            {"Id": "b", "MessageBody": "", "MessageAttributes": {"k": attribute}},
        ]});
        assert_eq!(
            parameters("SendMessageBatch", &call),
            [
                "SendMessageBatchRequestEntry.1.Id=test_msg_001",
                "SendMessageBatchRequestEntry.1.MessageBody=%C3%A9",
                "SendMessageBatchRequestEntry.2.Id=b",
                "SendMessageBatchRequestEntry.2.MessageAttribute.1.Name=k",
                "SendMessageBatchRequestEntry.2.MessageAttribute.1.Value.DataType=String",
                "SendMessageBatchRequestEntry.2.MessageAttribute.1.Value.StringListValue.1=x",
                "SendMessageBatchRequestEntry.2.MessageAttribute.1.Value.StringListValue.2=y",
                "SendMessageBatchRequestEntry.2.MessageBody=",
            ]
        );
        let call = json!({"Entries": [{"Id": "a", "ReceiptHandle": "h", "VisibilityTimeout": 0}]});
        assert_eq!(
            parameters("ChangeMessageVisibilityBatch", &call),
            [
                "ChangeMessageVisibilityBatchRequestEntry.1.Id=a",
                "ChangeMessageVisibilityBatchRequestEntry.1.ReceiptHandle=h",
                "ChangeMessageVisibilityBatchRequestEntry.1.VisibilityTimeout=0",
            ]
        );
    }

    #[test]
    fn what_is_empty() {
        let call = json!({
            "Entries": [],
            "QueueUrl": null,
        });
        assert_eq!(parameters("DeleteMessageBatch", &call), ["Entries="]);
        let call = json!({"MessageBody": "", "MessageAttributes": {}});
        assert_eq!(parameters("SendMessage", &call), ["MessageBody="]);
    }

    #[test]
    fn what_is_unknown_is_written_as_it_is_and_what_cannot_be_said_is_an_error() {
        let call = json!({"A": "b", "C": 1, "D": true});
        assert_eq!(parameters("Bogus", &call), ["A=b", "C=1", "D=true"]);
        for (action, body) in [
            ("Bogus", r#"{"A":[]}"#),
            ("SendMessage", r#"{"MessageBody":{}}"#),
            ("SendMessage", r#"{"MessageAttributes":[]}"#),
            ("SendMessageBatch", r#"{"Entries":["a"]}"#),
            ("ListQueues", "[]"),
        ] {
            let refused = form(action, body.as_bytes());
            assert!(refused.is_err(), "{action} {body}: {refused:?}");
        }
    }
}
