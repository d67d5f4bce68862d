//! Declarations are tried on an engine that is thrown away: what it refuses, the server's own engine
//! would refuse.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sqs::{CreateQueueInput, Error, QueueAttributeName, Request, Response};
use sqs_engine::{Config, Engine, Outcome, Timestamp};

use super::Declared;

/// What is wrong with a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Which of the declarations, counted from 0.
    pub(crate) queue: usize,
    /// What of it.
    pub(crate) part: Part,
    /// Why, in SQS's words where it is SQS that refuses.
    pub(crate) reason: String,
}

/// A part of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Queue,
    Attribute(String),
    Tags,
    DeadLetter,
    /// Counted from 0.
    Message(usize),
}

/// With a colon behind it; the queue as a whole has no words.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Queue => Ok(()),
            Self::Attribute(name) => write!(f, "its attribute {name}: "),
            Self::Tags => f.write_str("its tags: "),
            Self::DeadLetter => f.write_str("its dead-letter queue: "),
            Self::Message(number) => write!(f, "its message number {}: ", number + 1),
        }
    }
}

/// Everything that is wrong with these declarations. None of them is made if there is anything.
pub(crate) fn trial(declared: &[Declared]) -> Vec<Fault> {
    let mut trial = Trial {
        engine: Engine::new(Config::default()),
        faults: Vec::new(),
    };
    let mut taken = BTreeSet::new();
    let mut made = Vec::new();
    for (queue, declared) in declared.iter().enumerate() {
        if !taken.insert(&declared.address) {
            let reason = "this queue is declared twice; give each its own name".to_owned();
            trial.fault(queue, Part::Queue, reason);
        } else if trial.create(queue, declared) {
            made.push((queue, declared));
        }
    }
    for (queue, declared) in &made {
        if let Some(redrive) = &declared.redrive
            && let Err(error) = trial.call(declared, redrive.clone())
        {
            trial.fault(*queue, Part::DeadLetter, dead_letter_reason(&error));
        }
    }
    for (queue, declared) in &made {
        for (number, send) in declared.sends.iter().enumerate() {
            if let Err(error) = trial.call(declared, send.clone()) {
                trial.fault(*queue, Part::Message(number), error.to_string());
            }
        }
    }
    trial.faults
}

struct Trial {
    engine: Engine,
    faults: Vec<Fault>,
}

impl Trial {
    fn fault(&mut self, queue: usize, part: Part, reason: String) {
        self.faults.push(Fault {
            queue,
            part,
            reason,
        });
    }

    /// Creates a queue, or finds out which parts of it stand in the way. Then it is created without
    /// those, so that what names it or is in it can be tried too. False if its name is no name.
    fn create(&mut self, queue: usize, declared: &Declared) -> bool {
        let Err(whole) = self.call(declared, declared.create.clone()) else {
            return true;
        };
        let bare = CreateQueueInput {
            attributes: only(&declared.create, &[QueueAttributeName::FifoQueue]),
            tags: None,
            ..declared.create.clone()
        };
        let before = self.faults.len();
        for (name, value) in declared.create.attributes.iter().flatten() {
            let mut alone = CreateQueueInput {
                attributes: only(&declared.create, needed_by(name)),
                ..bare.clone()
            };
            let attributes = alone.attributes.get_or_insert_default();
            attributes.insert(name.clone(), value.clone());
            if let Err(error) = apart(declared, alone) {
                let part = Part::Attribute(name.clone());
                self.fault(queue, part, attribute_reason(name, &error));
            }
        }
        let tagged = CreateQueueInput {
            tags: declared.create.tags.clone(),
            ..bare.clone()
        };
        // A name or a kind that is wrong is wrong with every attribute.
        if let Err(error) = apart(declared, bare.clone()) {
            self.faults.truncate(before);
            self.fault(queue, Part::Queue, error.to_string());
            return false;
        }
        if let Err(error) = apart(declared, tagged) {
            self.fault(queue, Part::Tags, error.to_string());
        }
        if self.faults.len() == before {
            self.fault(queue, Part::Queue, whole.to_string());
        }
        self.call(declared, bare).is_ok()
    }

    fn call(&mut self, declared: &Declared, input: impl Into<Request>) -> Result<Response, Error> {
        perform(&mut self.engine, declared, input.into())
    }
}

/// A call to an engine in which there is nothing yet.
fn apart(declared: &Declared, input: CreateQueueInput) -> Result<Response, Error> {
    perform(&mut Engine::new(Config::default()), declared, input.into())
}

fn perform(engine: &mut Engine, declared: &Declared, request: Request) -> Result<Response, Error> {
    match engine.handle(Timestamp::from_millis(0), &declared.context(), request) {
        Outcome::Done(answer) => answer,
        Outcome::Waiting(_) => unreachable!("no declaration receives"),
    }
}

/// The attributes without which another cannot be had.
fn needed_by(name: &str) -> &'static [QueueAttributeName] {
    match QueueAttributeName::from_name(name) {
        Some(QueueAttributeName::FifoThroughputLimit) => &[
            QueueAttributeName::FifoQueue,
            QueueAttributeName::DeduplicationScope,
        ],
        Some(_) | None => &[QueueAttributeName::FifoQueue],
    }
}

/// Those of the attributes that have one of these names.
fn only(
    create: &CreateQueueInput,
    names: &[QueueAttributeName],
) -> Option<BTreeMap<String, String>> {
    let given = create.attributes.as_ref()?;
    let chosen = names.iter().filter_map(|name| {
        let (name, value) = given.get_key_value(name.name())?;
        Some((name.clone(), value.clone()))
    });
    Some(chosen.collect())
}

/// SQS's words, and what would be right where it does not say that.
fn attribute_reason(name: &str, error: &Error) -> String {
    match QueueAttributeName::from_name(name) {
        Some(known) => match form(known) {
            Some(form) => format!("{error} It must be {form}."),
            None => error.to_string(),
        },
        None => {
            let known = QueueAttributeName::ALL.iter().map(|name| name.name());
            match crate::config::nearest(name, known) {
                Some(meant) => format!("{error} Perhaps {meant} is meant."),
                None => error.to_string(),
            }
        }
    }
}

fn dead_letter_reason(error: &Error) -> String {
    format!(
        "{error} A dead-letter queue is declared too, in the same account and region and of the \
         same kind, and takes what was received 1 to 1000 times."
    )
}

fn form(name: QueueAttributeName) -> Option<&'static str> {
    match name {
        QueueAttributeName::DelaySeconds => Some("a number of seconds from 0 to 900"),
        QueueAttributeName::MaximumMessageSize => Some("a number of bytes from 1024 to 1048576"),
        QueueAttributeName::MessageRetentionPeriod => {
            Some("a number of seconds from 60 to 1209600")
        }
        QueueAttributeName::ReceiveMessageWaitTimeSeconds => {
            Some("a number of seconds from 0 to 20")
        }
        QueueAttributeName::VisibilityTimeout => Some("a number of seconds from 0 to 43200"),
        QueueAttributeName::KmsDataKeyReusePeriodSeconds => {
            Some("a number of seconds from 60 to 86400")
        }
        QueueAttributeName::DeduplicationScope => Some("queue or messageGroup"),
        QueueAttributeName::FifoThroughputLimit => Some("perQueue or perMessageGroupId"),
        QueueAttributeName::ContentBasedDeduplication
        | QueueAttributeName::FifoQueue
        | QueueAttributeName::SqsManagedSseEnabled => Some("true or false"),
        // What JSON is wrong with, or that an attribute cannot be set, the words say already.
        QueueAttributeName::All
        | QueueAttributeName::ApproximateNumberOfMessages
        | QueueAttributeName::ApproximateNumberOfMessagesDelayed
        | QueueAttributeName::ApproximateNumberOfMessagesNotVisible
        | QueueAttributeName::CreatedTimestamp
        | QueueAttributeName::KmsMasterKeyId
        | QueueAttributeName::LastModifiedTimestamp
        | QueueAttributeName::Policy
        | QueueAttributeName::QueueArn
        | QueueAttributeName::RedriveAllowPolicy
        | QueueAttributeName::RedrivePolicy => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AccountId, MessageDeclaration, QueueDeclaration};

    fn faults(queues: &[QueueDeclaration]) -> Vec<Fault> {
        let resolve = |queue: &QueueDeclaration| queue.resolve(AccountId::default(), "us-east-1");
        trial(&queues.iter().map(resolve).collect::<Vec<_>>())
    }

    fn parts(queues: &[QueueDeclaration]) -> Vec<(usize, Part)> {
        let faults = faults(queues).into_iter();
        faults.map(|fault| (fault.queue, fault.part)).collect()
    }

    #[test]
    fn dead_letter_links_go_in_any_order_and_in_circles() {
        let queues = [
            QueueDeclaration::new("a").dead_letter("b", 1),
            QueueDeclaration::new("b").dead_letter("c", 1_000),
            QueueDeclaration::new("c")
                .dead_letter("a", 5)
                .message("hello"),
            QueueDeclaration::new("d.fifo").dead_letter("d.fifo", 2),
        ];
        assert_eq!(faults(&queues), []);
    }

    #[test]
    fn every_part_that_is_wrong_is_found() {
        let queues = [
            QueueDeclaration::new("a")
                .attribute("VisibilityTimeout", 43_201)
                .attribute("DelaySeconds", 900)
                .attribute("VisibilityTimout", 1)
                .tag("aws:mine", "x")
                .message("")
                .message("good"),
            QueueDeclaration::new("b").dead_letter("missing", 1),
            QueueDeclaration::new("c").dead_letter("a", 0),
            QueueDeclaration::new("no.dots").attribute("DelaySeconds", 901),
            QueueDeclaration::new("b"),
            QueueDeclaration::new("d.fifo").message(MessageDeclaration::new("no group")),
            QueueDeclaration::new("e").dead_letter("d.fifo", 1),
        ];
        assert_eq!(
            parts(&queues),
            [
                (0, Part::Attribute("VisibilityTimeout".to_owned())),
                (0, Part::Attribute("VisibilityTimout".to_owned())),
                (0, Part::Tags),
                (3, Part::Queue),
                (4, Part::Queue),
                (1, Part::DeadLetter),
                (2, Part::DeadLetter),
                (6, Part::DeadLetter),
                (0, Part::Message(0)),
                (5, Part::Message(0)),
            ]
        );
        let reasons: Vec<_> = faults(&queues).into_iter().map(|f| f.reason).collect();
        assert!(reasons[0].ends_with("It must be a number of seconds from 0 to 43200."));
        assert!(reasons[1].ends_with("Perhaps VisibilityTimeout is meant."));
    }
}
