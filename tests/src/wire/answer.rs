//! An answer of the Query protocol, XML, as the answer that the JSON protocol has for the same.
//!
//! Reading is strict: an element more or less than the model has, another namespace, an order or a
//! header that Amazon does not send is an error. So each call of a test checks the form of its answer.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use roxmltree::{Document, Node};
use serde_json::{Map, Value, json};

use super::model::{Kind, Member, NAMESPACE, operation, shape_id};
use crate::raw::{Answer, JSON};

/// The header with the request's id.
const REQUEST_ID: &str = "x-amzn-requestid";

/// The header with the code of an error, which only the JSON protocol has.
const QUERY_ERROR: HeaderName = HeaderName::from_static("x-amzn-query-error");

/// An answer that no service gives which speaks the Query protocol.
#[derive(Debug, PartialEq, Eq)]
pub struct NoAnswer(String);

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no answer of the Query protocol: {}", self.0)
    }
}

impl std::error::Error for NoAnswer {}

/// A refusal to read, as `Err`.
fn no<T>(reason: impl Into<String>) -> Result<T, NoAnswer> {
    Err(NoAnswer(reason.into()))
}

/// The answer to a call of `action` as the JSON protocol has it.
///
/// # Errors
///
/// When it is not in the form that Amazon answers the call in.
pub fn as_json(action: &str, answer: Answer) -> Result<Answer, NoAnswer> {
    let read = read(action, &answer);
    let (query_error, body) = match read {
        Ok(read) => read,
        Err(NoAnswer(reason)) => {
            let text = String::from_utf8_lossy(&answer.body);
            return no(format!("{reason}, in {} {text:?}", answer.status));
        }
    };
    let mut headers = answer.headers;
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    if let Some(query_error) = query_error {
        headers.insert(QUERY_ERROR, query_error);
    }
    Ok(Answer {
        status: answer.status,
        headers,
        body,
    })
}

/// What the header of the Query protocol's error says, if it is one, and the body.
fn read(action: &str, answer: &Answer) -> Result<(Option<HeaderValue>, Bytes), NoAnswer> {
    if answer.headers.get(CONTENT_TYPE) != Some(&HeaderValue::from_static("text/xml")) {
        return no(format!("the type is not text/xml: {:?}", answer.headers));
    }
    if let Some(length) = answer.headers.get(CONTENT_LENGTH)
        && length.as_bytes() != answer.body.len().to_string().as_bytes()
    {
        return no(format!("the length is not {length:?}"));
    }
    if answer.headers.contains_key(QUERY_ERROR) {
        return no(format!("{QUERY_ERROR} is a header of the JSON protocol"));
    }
    let Ok(text) = std::str::from_utf8(&answer.body) else {
        return no("it is not UTF-8");
    };
    let document = Document::parse(text).or_else(|error| no(error.to_string()))?;
    let root = document.root_element();
    if root.has_tag_name((NAMESPACE, "ErrorResponse")) {
        let (code, body) = refusal(answer, root)?;
        return Ok((Some(code), body));
    }
    if answer.status != StatusCode::OK {
        return no("the status is an error's");
    }
    Ok((None, result(action, &answer.headers, root)?))
}

/// The body of an answer that is no error: empty when the operation has no output.
fn result(action: &str, headers: &HeaderMap, root: Node<'_, '_>) -> Result<Bytes, NoAnswer> {
    let Some(operation) = operation(action) else {
        return no(format!("{action} is no operation"));
    };
    named(root, &format!("{action}Response"))?;
    let name = format!("{action}Result");
    let (body, metadata) = match (operation.output, &elements(root)?[..]) {
        (None, [metadata]) => (Bytes::new(), *metadata),
        (Some(output), [result, metadata]) => {
            named(*result, &name)?;
            let members = structure(output, *result)?;
            (Value::Object(members).to_string().into(), *metadata)
        }
        (_, elements) => return no(format!("the parts of {elements:?}")),
    };
    named(metadata, "ResponseMetadata")?;
    let [id] = elements(metadata)?[..] else {
        return no("ResponseMetadata has not one element");
    };
    request_id(headers, id)?;
    Ok(body)
}

/// The code of a refusal as the header of the JSON protocol has it, and the body.
fn refusal(answer: &Answer, root: Node<'_, '_>) -> Result<(HeaderValue, Bytes), NoAnswer> {
    let [error, id] = elements(root)?[..] else {
        return no("ErrorResponse has not two elements");
    };
    named(error, "Error")?;
    request_id(&answer.headers, id)?;
    let parts = elements(error)?;
    let names = ["Type", "Code", "Message", "Detail"];
    if parts.len() != names.len() {
        return no("Error has not four elements");
    }
    for (part, name) in parts.iter().zip(names) {
        named(*part, name)?;
    }
    let (kind, code, message) = (text(parts[0])?, text(parts[1])?, text(parts[2])?);
    if parts[3].has_children() {
        return no("Detail is not empty");
    }
    let status = answer.status;
    match kind.as_str() {
        "Sender" if status.is_client_error() => {}
        "Receiver" if status.is_server_error() => {}
        other => return no(format!("the Type is {other} and the status {status}")),
    }
    let Some(shape) = shape_id(&code) else {
        return no(format!("there is no error {code}"));
    };
    let header = HeaderValue::try_from(format!("{code};{kind}"))
        .or_else(|_| no(format!("{code} is no code")))?;
    let body = json!({"__type": shape, "message": message});
    Ok((header, body.to_string().into()))
}

/// Checks that an element holds the id that the header has.
fn request_id(headers: &HeaderMap, element: Node<'_, '_>) -> Result<(), NoAnswer> {
    named(element, "RequestId")?;
    let id = text(element)?;
    match headers.get(REQUEST_ID) {
        Some(header) if header.as_bytes() == id.as_bytes() => Ok(()),
        header => no(format!(
            "the request is {id} in the body, {header:?} in the header"
        )),
    }
}

/// The members of a structure, in JSON's names.
fn structure(known: &[Member], element: Node<'_, '_>) -> Result<Map<String, Value>, NoAnswer> {
    let mut by_name: BTreeMap<&str, Vec<Node<'_, '_>>> = BTreeMap::new();
    for child in elements(element)? {
        by_name
            .entry(child.tag_name().name())
            .or_default()
            .push(child);
    }
    let mut members = Map::new();
    for member in known {
        if let Some(found) = by_name.remove(member.query) {
            members.insert(member.json.to_owned(), values(member, &found)?);
        }
    }
    match by_name.first_key_value() {
        None => Ok(members),
        Some((name, _)) => no(format!("{name} in {}", element.tag_name().name())),
    }
}

/// The value of a member that has these elements.
fn values(member: &Member, found: &[Node<'_, '_>]) -> Result<Value, NoAnswer> {
    match (&member.kind, found) {
        (Kind::List(of), found) => {
            let list: Result<_, _> = found.iter().map(|element| value(of, *element)).collect();
            Ok(Value::Array(list?))
        }
        (Kind::Map { key, value, of }, found) => {
            let mut pairs = Map::new();
            for element in found {
                let (name, held) = pair((key, value), of, *element)?;
                if pairs.insert(name.clone(), held).is_some() {
                    return no(format!("{name} twice in {}", member.query));
                }
            }
            Ok(Value::Object(pairs))
        }
        (kind, [element]) => value(kind, *element),
        (_, _) => no(format!("more than one {}", member.query)),
    }
}

/// The key and the value of a map's element.
fn pair(
    (key, of_value): (&str, &str),
    of: &Kind,
    element: Node<'_, '_>,
) -> Result<(String, Value), NoAnswer> {
    let [name, held] = elements(element)?[..] else {
        return no(format!("{} is no pair", element.tag_name().name()));
    };
    named(name, key)?;
    named(held, of_value)?;
    Ok((text(name)?, value(of, held)?))
}

fn value(kind: &Kind, element: Node<'_, '_>) -> Result<Value, NoAnswer> {
    let of_text = |text: &str| no(format!("{} is {text:?}", element.tag_name().name()));
    match kind {
        Kind::Text => Ok(Value::String(text(element)?)),
        Kind::Number => {
            let text = text(element)?;
            text.parse::<i64>()
                .map_or_else(|_| of_text(&text), |number| Ok(Value::from(number)))
        }
        Kind::Flag => match &*text(element)? {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            other => of_text(other),
        },
        Kind::Structure(known) => Ok(Value::Object(structure(known, element)?)),
        Kind::List(_) | Kind::Map { .. } => of_text("a list or a map without a name"),
    }
}

/// Checks an element's name.
fn named(element: Node<'_, '_>, name: &str) -> Result<(), NoAnswer> {
    if element.has_tag_name((NAMESPACE, name)) {
        return Ok(());
    }
    no(format!("{:?} where {name} belongs", element.tag_name()))
}

/// The elements of an element that has nothing else.
fn elements<'a, 'input>(element: Node<'a, 'input>) -> Result<Vec<Node<'a, 'input>>, NoAnswer> {
    let children: Vec<_> = element.children().collect();
    match children
        .iter()
        .find(|child| child.tag_name().namespace() != Some(NAMESPACE))
    {
        None => Ok(children),
        Some(other) => no(format!("{other:?} in {}", element.tag_name().name())),
    }
}

/// The text of an element that has nothing else.
fn text(element: Node<'_, '_>) -> Result<String, NoAnswer> {
    let mut text = String::new();
    for child in element.children() {
        match child.text() {
            Some(part) if child.is_text() => text.push_str(part),
            _ => return no(format!("{child:?} in {}", element.tag_name().name())),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "725275ae-0b9b-4762-b238-436d7c65a1ac";

    fn answer(status: u16, body: &str) -> Answer {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/xml"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        headers.insert(REQUEST_ID, HeaderValue::from_static(ID));
        Answer {
            status: StatusCode::from_u16(status).expect("a status"),
            headers,
            body: body.to_owned().into(),
        }
    }

    /// An answer to `action` with these elements in front of its metadata.
    fn success(action: &str, elements: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?><{action}Response xmlns=\"{NAMESPACE}\">{elements}\
             <ResponseMetadata><RequestId>{ID}</RequestId></ResponseMetadata></{action}Response>"
        )
    }

    fn error(status: u16, kind: &str, code: &str) -> Answer {
        let body = format!(
            "<?xml version=\"1.0\"?>\n<ErrorResponse xmlns=\"{NAMESPACE}\"><Error>\
             <Type>{kind}</Type><Code>{code}</Code><Message>a &lt; b</Message><Detail/>\
             </Error><RequestId>{ID}</RequestId></ErrorResponse>\n"
        );
        answer(status, &body)
    }

    #[track_caller]
    fn read(action: &str, elements: &str) -> Value {
        let answer = as_json(action, answer(200, &success(action, elements)));
        answer.expect("an answer").json()
    }

    #[test]
    fn an_answer_without_a_result_has_no_body() {
        let answer = as_json("PurgeQueue", answer(200, &success("PurgeQueue", "")));
        let answer = answer.expect("an answer");
        assert_eq!((answer.status, &*answer.body), (StatusCode::OK, &b""[..]));
        assert_eq!(answer.header("content-type"), "application/x-amz-json-1.0");
        assert_eq!(answer.header("content-length"), "0");
        assert_eq!(answer.header("x-amzn-requestid"), ID);
    }

    #[test]
    fn a_result_has_texts_numbers_flags_lists_and_maps() {
        assert_eq!(read("ReceiveMessage", "<ReceiveMessageResult/>"), json!({}));
        let received = read(
            "ReceiveMessage",
            "<ReceiveMessageResult><Message><Body>a&#xD;\n&lt;b></Body>\
             <Attribute><Name>SenderId</Name><Value>1</Value></Attribute>\
             <Attribute><Name>SentTimestamp</Name><Value/></Attribute>\
             <MessageAttribute><Name>n</Name>\
             <Value><DataType>Binary</DataType><BinaryValue>AP8=</BinaryValue></Value>\
             </MessageAttribute></Message><Message/></ReceiveMessageResult>",
        );
        let first = json!({
            "Body": "a\r\n<b>",
            "Attributes": {"SenderId": "1", "SentTimestamp": ""},
            "MessageAttributes": {"n": {"DataType": "Binary", "BinaryValue": "AP8="}},
        });
        assert_eq!(received, json!({"Messages": [first, {}]}));

        let deleted = read(
            "DeleteMessageBatch",
            "<DeleteMessageBatchResult>\
             <DeleteMessageBatchResultEntry><Id>a</Id></DeleteMessageBatchResultEntry>\
             <BatchResultErrorEntry><Id>b</Id><SenderFault>true</SenderFault>\
             <Code>ReceiptHandleIsInvalid</Code></BatchResultErrorEntry>\
             <DeleteMessageBatchResultEntry><Id>c</Id></DeleteMessageBatchResultEntry>\
             </DeleteMessageBatchResult>",
        );
        let failed = json!({"Id": "b", "SenderFault": true, "Code": "ReceiptHandleIsInvalid"});
        assert_eq!(
            deleted,
            json!({"Successful": [{"Id": "a"}, {"Id": "c"}], "Failed": [failed]})
        );

        let tagged = "<ListQueueTagsResult><Tag><Key>k</Key><Value>v</Value></Tag>\
                      </ListQueueTagsResult>";
        assert_eq!(read("ListQueueTags", tagged), json!({"Tags": {"k": "v"}}));
        let cancelled = "<CancelMessageMoveTaskResult><ApproximateNumberOfMessagesMoved>7\
                         </ApproximateNumberOfMessagesMoved></CancelMessageMoveTaskResult>";
        assert_eq!(
            read("CancelMessageMoveTask", cancelled),
            json!({"ApproximateNumberOfMessagesMoved": 7})
        );
        let sources = "<ListDeadLetterSourceQueuesResult><QueueUrl>u</QueueUrl>\
                       </ListDeadLetterSourceQueuesResult>";
        assert_eq!(
            read("ListDeadLetterSourceQueues", sources),
            json!({"queueUrls": ["u"]})
        );
    }

    #[test]
    fn an_error_has_both_its_names() {
        let code = "AWS.SimpleQueueService.NonExistentQueue";
        let read = as_json("SendMessage", error(400, "Sender", code)).expect("an answer");
        assert_eq!(read.status, StatusCode::BAD_REQUEST);
        assert_eq!(
            read.header("x-amzn-query-error"),
            "AWS.SimpleQueueService.NonExistentQueue;Sender"
        );
        assert_eq!(
            read.json(),
            json!({"__type": "com.amazonaws.sqs#QueueDoesNotExist", "message": "a < b"})
        );
        let rows = [
            ("OverLimit", "com.amazonaws.sqs#OverLimit"),
            (
                "AWS.SimpleQueueService.EmptyBatchRequest",
                "com.amazonaws.sqs#EmptyBatchRequest",
            ),
            (
                "InvalidClientTokenId",
                "com.amazon.coral.service#UnrecognizedClientException",
            ),
        ];
        for (code, shape) in rows {
            let read = as_json("SendMessage", error(403, "Sender", code)).expect("an answer");
            assert_eq!(read.json()["__type"], shape);
        }
    }

    #[test]
    fn whatever_is_otherwise_is_no_answer() {
        let url = "<GetQueueUrlResult><QueueUrl>u</QueueUrl></GetQueueUrlResult>";
        assert_eq!(read("GetQueueUrl", url), json!({"QueueUrl": "u"}));
        let good = success("GetQueueUrl", url);
        let edits = [
            ("GetQueueUrlResponse", "GetQueueResponse"),
            ("GetQueueUrlResult", "GetQueueResult"),
            (NAMESPACE, "http://queue.amazonaws.com/doc/2011-10-01/"),
            ("<QueueUrl>u</QueueUrl>", "<Other>u</Other>"),
            (
                "<QueueUrl>u</QueueUrl>",
                "<QueueUrl>u</QueueUrl><QueueUrl/>",
            ),
            ("<QueueUrl>u</QueueUrl>", "<QueueUrl>u</QueueUrl>text"),
            ("<QueueUrl>u</QueueUrl>", "<QueueUrl><b>u</b></QueueUrl>"),
            ("<QueueUrl>u</QueueUrl>", "<QueueUrl>&#7;</QueueUrl>"),
            ("</GetQueueUrlResult>", "</GetQueueUrlResult> "),
            ("<RequestId>7", "<RequestId>8"),
            (url, ""),
        ];
        for (from, to) in edits {
            let bad = good.replace(from, to);
            assert_ne!(bad, good, "no {from}");
            assert!(as_json("GetQueueUrl", answer(200, &bad)).is_err(), "{bad}");
        }
        let without = success("GetQueueUrl", "");
        assert!(as_json("GetQueueUrl", answer(200, &without)).is_err());
        let with = success("PurgeQueue", "<PurgeQueueResult/>");
        assert!(as_json("PurgeQueue", answer(200, &with)).is_err());
        assert!(as_json("GetQueueUrl", answer(400, &good)).is_err());

        assert!(as_json("SendMessage", error(200, "Sender", "OverLimit")).is_err());
        assert!(as_json("SendMessage", error(500, "Sender", "OverLimit")).is_err());
        assert!(as_json("SendMessage", error(400, "Receiver", "OverLimit")).is_err());
        assert!(as_json("SendMessage", error(400, "Sender", "Bogus")).is_err());

        let changes: [fn(&mut HeaderMap); 5] = [
            |headers| drop(headers.insert(CONTENT_TYPE, JSON)),
            |headers| drop(headers.insert(CONTENT_LENGTH, HeaderValue::from(1))),
            |headers| drop(headers.insert(QUERY_ERROR, HeaderValue::from_static("a;Sender"))),
            |headers| drop(headers.remove(REQUEST_ID)),
            |headers| drop(headers.remove(CONTENT_TYPE)),
        ];
        for change in changes {
            let mut bad = answer(200, &good);
            change(&mut bad.headers);
            assert!(as_json("GetQueueUrl", bad).is_err());
        }
    }
}
