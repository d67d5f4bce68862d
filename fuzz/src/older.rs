//! The Query protocol: forms that come in, XML that goes out.

use std::collections::BTreeMap;

use aws_query::{Parameters, ReadError, Source};
use roxmltree::{Document, Node};
use serde::de::DeserializeOwned;
use sqs::{
    Error, ErrorCode, GetQueueAttributesOutput, ListMessageMoveTasksOutput, Message,
    MessageAttributeValue, Operation, ReceiveMessageOutput, Response, SendMessageBatchOutput,
    query,
};

/// A form, as the input of every SQS operation.
///
/// Encoded once more, with its pairs in another order and with a parameter that means nothing, it
/// says the same.
pub fn form(data: &[u8]) {
    for source in [Source::Form(data), Source::Query(data)] {
        let parameters = match Parameters::parse([source]) {
            Ok(parameters) => parameters,
            Err(error) => {
                is_short(&error);
                continue;
            }
        };
        let _ = query::operation(&parameters).map_err(|error| {
            assert!(error.message().len() < 512, "{error}");
        });
        let mut pairs: Vec<String> = parameters
            .iter()
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect();
        pairs.reverse();
        let again = pairs.join("&");
        let again = Parameters::parse([Source::Form(again.as_bytes())]).expect("well encoded");
        assert!(again.iter().eq(parameters.iter()), "{again:?}");

        let mut more = again.clone();
        more.or_insert("Zzz.1.Unknown", "1");
        for &operation in Operation::ALL {
            let read = query::read(operation, &parameters);
            assert_eq!(query::read(operation, &again), read);
            assert_eq!(query::read(operation, &more), read);
            if let Err(error) = read {
                is_short(&error);
                let document = query::write_error(&query::refusal(&error), "id");
                Document::parse(&document).expect("well-formed XML");
            }
        }
    }
}

/// Texts, and outputs as JSON, that are written as XML and read by a parser of somebody else.
///
/// Texts are separated by FF, which UTF-8 does not have.
pub fn xml(data: &[u8]) {
    let texts: Vec<String> = data
        .split(|&byte| byte == 0xff)
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect();
    error_comes_back(&texts[0]);
    message_comes_back(&texts);
    is_well_formed::<ReceiveMessageOutput>(data);
    is_well_formed::<SendMessageBatchOutput>(data);
    is_well_formed::<GetQueueAttributesOutput>(data);
    is_well_formed::<ListMessageMoveTasksOutput>(data);
}

fn error_comes_back(text: &str) {
    let error = Error::new(ErrorCode::InvalidParameterValueException, text);
    let document = query::write_error(&error, text);
    let document = Document::parse(&document).expect("well-formed XML");
    let root = document.root_element();
    let error = child(root, "Error").expect("an error");
    assert_eq!(text_of(error, "Message"), as_xml(text));
    assert_eq!(text_of(root, "RequestId"), as_xml(text));
}

fn message_comes_back(texts: &[String]) {
    let value = |text: &String| MessageAttributeValue::string(text);
    let attributes: BTreeMap<_, _> = (0..)
        .map(|n: u32| format!("a{n:09}"))
        .zip(texts.iter().map(value))
        .collect();
    let output = ReceiveMessageOutput {
        messages: vec![Message {
            body: Some(texts[0].clone()),
            attributes: texts.iter().map(|it| (it.clone(), it.clone())).collect(),
            message_attributes: attributes,
            ..Message::default()
        }],
    };
    let message = &output.messages[0];
    let document = query::write(&output.clone().into(), "id").expect("a shape that can be written");
    let document = Document::parse(&document).expect("well-formed XML");
    let result = child(document.root_element(), "ReceiveMessageResult").expect("a result");
    let element = child(result, "Message").expect("a message");
    assert_eq!(text_of(element, "Body"), as_xml(&texts[0]));

    let found: Vec<_> = children(element, "Attribute")
        .map(|it| (text_of(it, "Name"), text_of(it, "Value")))
        .collect();
    let sent = |(name, value): (&String, &String)| (as_xml(name), as_xml(value));
    let sent: Vec<_> = message.attributes.iter().map(sent).collect();
    assert_eq!(found, sent);

    let found: Vec<_> = children(element, "MessageAttribute")
        .map(|it| text_of(child(it, "Value").expect("a value"), "StringValue"))
        .collect();
    let sent: Vec<_> = texts.iter().map(|it| as_xml(it)).collect();
    assert_eq!(found, sent);
}

fn is_well_formed<T: DeserializeOwned>(data: &[u8])
where
    Response: From<T>,
{
    if let Ok(output) = serde_json::from_slice::<T>(data) {
        let document = query::write(&output.into(), "id").expect("a shape that can be written");
        Document::parse(&document).expect("well-formed XML");
    }
}

/// What XML makes of a text: the characters that it does not have are replaced.
fn as_xml(text: &str) -> String {
    let is_none = |it: char| match it {
        '\t' | '\n' | '\r' => false,
        other => other < ' ' || matches!(other, '\u{fffe}' | '\u{ffff}'),
    };
    text.replace(is_none, "\u{fffd}")
}

fn children<'a, 'i: 'a>(of: Node<'a, 'i>, name: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    of.children()
        .filter(move |child| child.is_element() && child.tag_name().name() == name)
}

fn child<'a, 'i: 'a>(of: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    children(of, name).next()
}

fn text_of(of: Node<'_, '_>, name: &str) -> String {
    let child = child(of, name).unwrap_or_else(|| panic!("no {name}"));
    child.text().unwrap_or_default().to_owned()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn is_short(error: &ReadError) {
    assert!(error.to_string().len() < 1024, "{error}");
}
