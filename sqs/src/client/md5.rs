//! Compares the digests in SQS's answers with what was sent and what came.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;

use aws_json::client::Operation;

use super::Error;
use crate::digest::{Md5, of_attributes, of_system_attributes};
use crate::shapes::message::{MessageAttributeValue, MessageSystemAttributeValue};
use crate::shapes::receive::{Message, ReceiveMessageInput, ReceiveMessageOutput};
use crate::shapes::send::{
    SendMessageBatchInput, SendMessageBatchOutput, SendMessageBatchRequestEntry,
    SendMessageBatchResultEntry, SendMessageInput, SendMessageOutput,
};

/// Messages whose digests in the answer are not those of what was sent or received.
///
/// ```
/// # use sqs::client::{Error, Md5Error};
/// fn damaged(error: &Error) -> usize {
///     Md5Error::of(error).map_or(0, |error| error.mismatches().len())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Md5Error {
    mismatches: Vec<Md5Mismatch>,
}

impl Md5Error {
    /// What differs, if this is why a call failed.
    #[must_use]
    pub fn of(error: &Error) -> Option<&Md5Error> {
        error.source()?.downcast_ref()
    }

    /// Each digest that differs, at least one; in the order of the messages.
    #[must_use]
    pub fn mismatches(&self) -> &[Md5Mismatch] {
        &self.mismatches
    }
}

impl fmt::Display for Md5Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mismatch) in self.mismatches.iter().enumerate() {
            if index > 0 {
                formatter.write_str("; ")?;
            }
            mismatch.fmt(formatter)?;
        }
        Ok(())
    }
}

impl StdError for Md5Error {}

/// A digest that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Md5Mismatch {
    message_id: Option<String>,
    entry_id: Option<String>,
    part: Md5Part,
    computed: Option<Md5>,
    answered: Option<String>,
}

impl Md5Mismatch {
    /// The message, by the id that SQS gave it.
    #[must_use]
    pub fn message_id(&self) -> Option<&str> {
        self.message_id.as_deref()
    }

    /// The entry of a SendMessageBatch, by the id in its request.
    #[must_use]
    pub fn entry_id(&self) -> Option<&str> {
        self.entry_id.as_deref()
    }

    /// What the digest is of.
    #[must_use]
    pub fn part(&self) -> Md5Part {
        self.part
    }

    /// The digest of what was sent or received; none if there is nothing to digest.
    #[must_use]
    pub fn computed(&self) -> Option<Md5> {
        self.computed
    }

    /// The digest in the answer; none if there is none.
    #[must_use]
    pub fn answered(&self) -> Option<&str> {
        self.answered.as_deref()
    }
}

impl fmt::Display for Md5Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the MD5 of the {} of message ", self.part)?;
        match (&self.message_id, &self.entry_id) {
            (Some(id), _) => formatter.write_str(id)?,
            (None, Some(entry)) => write!(formatter, "(entry {entry})")?,
            (None, None) => formatter.write_str("(without an id)")?,
        }
        match &self.computed {
            Some(computed) => write!(formatter, " is {computed}")?,
            None => formatter.write_str(" does not exist")?,
        }
        match &self.answered {
            Some(answered) => write!(formatter, ", and SQS says {answered:?}"),
            None => formatter.write_str(", and SQS gives none"),
        }
    }
}

/// What a digest is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Md5Part {
    /// The body.
    Body,
    /// The message attributes.
    Attributes,
    /// The system attributes of a send.
    SystemAttributes,
}

impl fmt::Display for Md5Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Md5Part::Body => "body",
            Md5Part::Attributes => "attributes",
            Md5Part::SystemAttributes => "system attributes",
        })
    }
}

/// Whether a client compares digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checks {
    Off,
    On,
}

impl Checks {
    /// Looks at an answer, if it is to be.
    pub(super) fn check<I: Checked>(self, input: &I, output: &I::Output) -> Result<(), Error> {
        let mismatches = match self {
            Checks::Off => Vec::new(),
            Checks::On => input.mismatches(output),
        };
        if mismatches.is_empty() {
            Ok(())
        } else {
            Err(Error::rejected(Md5Error { mismatches }))
        }
    }

    /// Looks at a received message by itself, if it is to be.
    #[cfg(feature = "receiver")]
    pub(super) fn check_message(self, message: &Message) -> Result<(), Md5Error> {
        let mismatches: Vec<_> = match self {
            Checks::Off => Vec::new(),
            Checks::On => received(message).collect(),
        };
        if mismatches.is_empty() {
            Ok(())
        } else {
            Err(Md5Error { mismatches })
        }
    }

    /// Looks at one entry of a batch, if it is to be.
    pub(super) fn check_entry(
        self,
        entry: &SendMessageBatchRequestEntry,
        result: &SendMessageBatchResultEntry,
    ) -> Result<(), Md5Error> {
        let mismatches = match self {
            Checks::Off => Vec::new(),
            Checks::On => entry_mismatches(entry, result),
        };
        if mismatches.is_empty() {
            Ok(())
        } else {
            Err(Md5Error { mismatches })
        }
    }
}

/// An operation's input, next to which its answer is looked at.
pub(super) trait Checked: Operation {
    /// The digests that differ. An operation that has none is never wrong.
    fn mismatches(&self, _output: &Self::Output) -> Vec<Md5Mismatch> {
        Vec::new()
    }
}

impl Checked for SendMessageInput {
    fn mismatches(&self, output: &SendMessageOutput) -> Vec<Md5Mismatch> {
        let sent = Sent {
            body: self.message_body.as_deref(),
            attributes: self.message_attributes.as_ref(),
            system_attributes: self.message_system_attributes.as_ref(),
        };
        let answered = Answered {
            message_id: output.message_id.as_deref(),
            entry_id: None,
            body: output.md5_of_message_body.as_deref(),
            attributes: output.md5_of_message_attributes.as_deref(),
            system_attributes: output.md5_of_message_system_attributes.as_deref(),
        };
        sent.against(&answered).collect()
    }
}

impl Checked for SendMessageBatchInput {
    fn mismatches(&self, output: &SendMessageBatchOutput) -> Vec<Md5Mismatch> {
        let entries = self.entries.as_deref().unwrap_or_default();
        let of = |result: &SendMessageBatchResultEntry| {
            entries
                .iter()
                .find(|entry| entry.id.as_ref() == Some(&result.id))
                .map(|entry| entry_mismatches(entry, result))
                .unwrap_or_default()
        };
        output.successful.iter().flat_map(of).collect()
    }
}

impl Checked for ReceiveMessageInput {
    fn mismatches(&self, output: &ReceiveMessageOutput) -> Vec<Md5Mismatch> {
        output.messages.iter().flat_map(received).collect()
    }
}

/// What differs in one entry of a batch.
pub(super) fn entry_mismatches(
    entry: &SendMessageBatchRequestEntry,
    result: &SendMessageBatchResultEntry,
) -> Vec<Md5Mismatch> {
    let sent = Sent {
        body: entry.message_body.as_deref(),
        attributes: entry.message_attributes.as_ref(),
        system_attributes: entry.message_system_attributes.as_ref(),
    };
    let answered = Answered {
        message_id: some(&result.message_id),
        entry_id: Some(&result.id),
        body: some(&result.md5_of_message_body),
        attributes: result.md5_of_message_attributes.as_deref(),
        system_attributes: result.md5_of_message_system_attributes.as_deref(),
    };
    sent.against(&answered).collect()
}

/// What differs in a received message.
fn received(message: &Message) -> impl Iterator<Item = Md5Mismatch> + use<> {
    let came = Sent {
        body: message.body.as_deref(),
        attributes: Some(&message.message_attributes),
        system_attributes: None,
    };
    came.against(&Answered {
        message_id: message.message_id.as_deref(),
        entry_id: None,
        body: message.md5_of_body.as_deref(),
        attributes: message.md5_of_message_attributes.as_deref(),
        system_attributes: None,
    })
}

/// What digests are computed of.
struct Sent<'a> {
    body: Option<&'a str>,
    attributes: Option<&'a BTreeMap<String, MessageAttributeValue>>,
    system_attributes: Option<&'a BTreeMap<String, MessageSystemAttributeValue>>,
}

/// The digests of an answer.
struct Answered<'a> {
    message_id: Option<&'a str>,
    entry_id: Option<&'a str>,
    body: Option<&'a str>,
    attributes: Option<&'a str>,
    system_attributes: Option<&'a str>,
}

impl Sent<'_> {
    /// A digest that is not there where one must be differs too: a check that can be avoided by
    /// leaving something out is none. But SQS also digests a trace header that came as a header of
    /// HTTP, which is not known here.
    fn against(self, answered: &Answered<'_>) -> impl Iterator<Item = Md5Mismatch> + use<> {
        let body = Some(Md5::of(self.body.unwrap_or_default()));
        let attributes = self.attributes.and_then(of_attributes);
        let system = self.system_attributes.and_then(of_system_attributes);
        let system_answered = answered.system_attributes.filter(|_| system.is_some());
        [
            answered.compare(Md5Part::Body, body, answered.body),
            answered.compare(Md5Part::Attributes, attributes, answered.attributes),
            answered.compare(Md5Part::SystemAttributes, system, system_answered),
        ]
        .into_iter()
        .flatten()
    }
}

impl Answered<'_> {
    fn compare(
        &self,
        part: Md5Part,
        computed: Option<Md5>,
        answered: Option<&str>,
    ) -> Option<Md5Mismatch> {
        let same = match (computed, answered) {
            (Some(computed), Some(answered)) => {
                answered.eq_ignore_ascii_case(&computed.to_string())
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        (!same).then(|| Md5Mismatch {
            message_id: self.message_id.map(str::to_owned),
            entry_id: self.entry_id.map(str::to_owned),
            part,
            computed,
            answered: answered.map(|text| text.chars().take(ANSWERED_KEPT).collect()),
        })
    }
}

/// What an answer that lacks a member reads as.
fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// How much is kept of what the answer has for a digest, in characters: a digest has 32.
const ANSWERED_KEPT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    /// `hello` with the attribute `color`, and a trace header.
    fn entry(id: &str) -> SendMessageBatchRequestEntry {
        let trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
        SendMessageBatchRequestEntry {
            message_attributes: Some(
                [("color".to_owned(), MessageAttributeValue::string("blue"))].into(),
            ),
            message_system_attributes: Some(
                [(
                    "AWSTraceHeader".to_owned(),
                    MessageSystemAttributeValue::string(trace),
                )]
                .into(),
            ),
            ..SendMessageBatchRequestEntry::new(id, "hello")
        }
    }

    const BODY: &str = "5d41402abc4b2a76b9719d911017c592";
    const ATTRIBUTES: &str = "da1b33cc3cbfe8b1630921e78e6b9880";
    const SYSTEM: &str = "5ae4d5d7636402d80f4eb6d213245a88";

    fn stored(id: &str, message_id: &str) -> SendMessageBatchResultEntry {
        SendMessageBatchResultEntry {
            id: id.to_owned(),
            message_id: message_id.to_owned(),
            md5_of_message_body: BODY.to_owned(),
            md5_of_message_attributes: Some(ATTRIBUTES.to_owned()),
            md5_of_message_system_attributes: Some(SYSTEM.to_owned()),
            sequence_number: None,
        }
    }

    fn parts(mismatches: &[Md5Mismatch]) -> Vec<Md5Part> {
        mismatches.iter().map(Md5Mismatch::part).collect()
    }

    #[test]
    fn right_digests_are_accepted_in_either_case() {
        assert_eq!(entry_mismatches(&entry("a"), &stored("a", "id")), []);
        let upper = SendMessageBatchResultEntry {
            md5_of_message_body: BODY.to_uppercase(),
            ..stored("a", "id")
        };
        assert_eq!(entry_mismatches(&entry("a"), &upper), []);
    }

    #[test]
    fn each_part_is_compared() {
        let wrong = |change: fn(&mut SendMessageBatchResultEntry)| {
            let mut result = stored("a", "id");
            change(&mut result);
            parts(&entry_mismatches(&entry("a"), &result))
        };
        assert_eq!(
            wrong(|it| it.md5_of_message_body = ATTRIBUTES.into()),
            [Md5Part::Body]
        );
        assert_eq!(
            wrong(|it| it.md5_of_message_body = String::new()),
            [Md5Part::Body]
        );
        assert_eq!(
            wrong(|it| it.md5_of_message_attributes = Some(BODY.into())),
            [Md5Part::Attributes]
        );
        assert_eq!(
            wrong(|it| it.md5_of_message_attributes = None),
            [Md5Part::Attributes]
        );
        assert_eq!(
            wrong(|it| it.md5_of_message_system_attributes = None),
            [Md5Part::SystemAttributes]
        );
    }

    #[test]
    fn attributes_that_were_not_sent_have_no_digest() {
        let plain = SendMessageBatchRequestEntry::new("a", "hello");
        let mismatches = entry_mismatches(&plain, &stored("a", "id"));
        // The system attribute may have come from a header.
        assert_eq!(parts(&mismatches), [Md5Part::Attributes]);
        assert_eq!(mismatches[0].computed(), None);
        assert_eq!(mismatches[0].answered(), Some(ATTRIBUTES));
    }

    #[test]
    fn a_batch_tells_of_every_entry_and_names_it() {
        let input = SendMessageBatchInput::new("u", [entry("a"), entry("b"), entry("c")]);
        let damaged = |id: &str| SendMessageBatchResultEntry {
            md5_of_message_body: SYSTEM.to_owned(),
            ..stored(id, &format!("message-{id}"))
        };
        let output = SendMessageBatchOutput {
            successful: vec![damaged("c"), stored("b", "message-b"), damaged("a")],
            failed: Vec::new(),
        };
        let mismatches = input.mismatches(&output);
        let named: Vec<_> = mismatches
            .iter()
            .map(|it| (it.entry_id(), it.message_id()))
            .collect();
        assert_eq!(
            named,
            [
                (Some("c"), Some("message-c")),
                (Some("a"), Some("message-a"))
            ]
        );
        let error = Checks::On
            .check(&input, &output)
            .expect_err("two are damaged");
        let expected = format!(
            "the answer was not accepted: the MD5 of the body of message message-c is {BODY}, and \
             SQS says {SYSTEM:?}; the MD5 of the body of message message-a is {BODY}, and SQS says \
             {SYSTEM:?}"
        );
        assert_eq!(error.to_string(), expected);
        assert_eq!(
            Md5Error::of(&error).expect("the reason").mismatches(),
            mismatches
        );
        assert!(Checks::Off.check(&input, &output).is_ok());
    }

    #[test]
    fn a_received_message_is_compared_with_what_came_with_it() {
        let message = Message {
            message_id: Some("id".into()),
            body: Some("hello".into()),
            md5_of_body: Some(BODY.into()),
            message_attributes: [("color".to_owned(), MessageAttributeValue::string("blue"))]
                .into(),
            md5_of_message_attributes: Some(ATTRIBUTES.into()),
            ..Message::default()
        };
        let output = |message| ReceiveMessageOutput {
            messages: vec![message],
        };
        let input = ReceiveMessageInput::default();
        assert_eq!(input.mismatches(&output(message.clone())), []);
        let damaged = Message {
            body: Some("hallo".into()),
            ..message.clone()
        };
        assert_eq!(parts(&input.mismatches(&output(damaged))), [Md5Part::Body]);
        let lost = Message {
            message_attributes: BTreeMap::new(),
            ..message
        };
        assert_eq!(
            parts(&input.mismatches(&output(lost))),
            [Md5Part::Attributes]
        );
    }

    #[test]
    fn what_is_kept_of_the_answer_is_bounded() {
        let result = SendMessageBatchResultEntry {
            md5_of_message_body: "é".repeat(1_000),
            ..stored("a", "id")
        };
        let mismatches = entry_mismatches(&entry("a"), &result);
        assert_eq!(
            mismatches[0].answered().map(|it| it.chars().count()),
            Some(64)
        );
    }
}
