//! Queues that are there from the start, with what is in them.

mod trial;

use std::collections::BTreeMap;

use sqs::{
    CreateQueueInput, MessageAttributeValue, QueueArn, QueueAttributeName, SendMessageInput,
    SetQueueAttributesInput,
};
use sqs_engine::{Context, QueueAddress};

pub(crate) use self::trial::{Part, trial};
use crate::AccountId;

/// What the name of a FIFO queue ends with.
pub(crate) const FIFO_SUFFIX: &str = ".fifo";

/// The access key that declarations act with. No signature names it.
const ACCESS_KEY_ID: &str = "fake-sqs";

/// Queue URLs that nobody sees begin with it.
const BASE_URL: &str = "http://localhost";

/// A queue that a server has when it starts, and again after a reset.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use fake_sqs::{FakeSqs, QueueDeclaration};
///
/// let sqs = FakeSqs::builder()
///     .queue(QueueDeclaration::new("orders-dead"))
///     .queue(
///         QueueDeclaration::new("orders")
///             .attribute("VisibilityTimeout", 5)
///             .tag("team", "shop")
///             .dead_letter("orders-dead", 3)
///             .message("the first order"),
///     )
///     .start()
///     .await?;
/// # drop(sqs);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a declaration does nothing until it is given to a builder"]
pub struct QueueDeclaration {
    name: String,
    account: Option<AccountId>,
    region: Option<String>,
    attributes: BTreeMap<String, String>,
    tags: BTreeMap<String, String>,
    dead_letter: Option<DeadLetter>,
    messages: Vec<MessageDeclaration>,
}

/// Where the messages of a queue go that are received too often.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DeadLetter {
    queue: String,
    max_receive_count: u32,
}

impl QueueDeclaration {
    /// An empty queue with SQS's defaults, in the server's default account and `us-east-1`. It is a
    /// FIFO queue if its name ends in `.fifo`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            account: None,
            region: None,
            attributes: BTreeMap::new(),
            tags: BTreeMap::new(),
            dead_letter: None,
            messages: Vec::new(),
        }
    }

    /// In this account.
    pub fn account(mut self, account: AccountId) -> Self {
        self.account = Some(account);
        self
    }

    /// In this region.
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// With this attribute, as CreateQueue takes it: `attribute("DelaySeconds", 5)`.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "numbers are given as they are, not by reference"
    )]
    pub fn attribute(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.attributes.insert(name.into(), value.to_string());
        self
    }

    /// With this tag.
    pub fn tag(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags.insert(key.into(), value.into());
        self
    }

    /// With a dead-letter queue, which gets what was received `max_receive_count` times: 1 to 1000.
    /// It is named alone, is in the same account and region, and must be declared too; in which
    /// order does not matter, and two queues may name each other.
    pub fn dead_letter(mut self, queue: impl Into<String>, max_receive_count: u32) -> Self {
        self.dead_letter = Some(DeadLetter {
            queue: queue.into(),
            max_receive_count,
        });
        self
    }

    /// With this message in it, behind those given before.
    pub fn message(mut self, message: impl Into<MessageDeclaration>) -> Self {
        self.messages.push(message.into());
        self
    }

    /// What is to be done for this queue, once its place is known.
    pub(crate) fn resolve(&self, account: AccountId, region: &str) -> Declared {
        let account = self.account.unwrap_or(account);
        let region = self.region.as_deref().unwrap_or(region);
        let mut attributes = self.attributes.clone();
        if self.name.ends_with(FIFO_SUFFIX) {
            let fifo = QueueAttributeName::FifoQueue.name().to_owned();
            attributes.entry(fifo).or_insert_with(|| "true".to_owned());
        }
        // What names another queue is set when all queues are there.
        let policy = attributes.remove(QueueAttributeName::RedrivePolicy.name());
        let policy = match &self.dead_letter {
            Some(DeadLetter {
                queue,
                max_receive_count,
            }) => {
                let target = QueueArn::new(region, account.as_str(), queue);
                let policy = serde_json::json!({
                    "deadLetterTargetArn": target.to_string(),
                    "maxReceiveCount": max_receive_count,
                });
                Some(policy.to_string())
            }
            None => policy,
        };
        let redrive = policy.map(|policy| {
            let name = QueueAttributeName::RedrivePolicy.name().to_owned();
            SetQueueAttributesInput {
                queue_url: Some(self.name.clone()),
                attributes: Some([(name, policy)].into()),
            }
        });
        let tags = self.tags.iter();
        let tags = tags.map(|(key, value)| (key.clone(), Some(value.clone())));
        let create = CreateQueueInput {
            attributes: Some(attributes),
            tags: Some(tags.collect()),
            ..CreateQueueInput::new(&self.name)
        };
        let sends = self.messages.iter().map(|message| message.send(&self.name));
        Declared {
            address: QueueAddress::new(account.as_str(), region, &self.name),
            create,
            redrive,
            sends: sends.collect(),
        }
    }
}

/// A message that a declared queue has when it starts.
///
/// ```
/// use fake_sqs::{MessageDeclaration, QueueDeclaration};
/// use sqs::MessageAttributeValue;
///
/// let message = MessageDeclaration::new("hello")
///     .attribute("tries", MessageAttributeValue::number("3"))
///     .group_id("customer-7")
///     .deduplication_id("order-1");
/// let queue = QueueDeclaration::new("orders.fifo").message(message);
/// # drop(queue);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a declaration does nothing until it is given to a queue"]
pub struct MessageDeclaration {
    body: String,
    attributes: BTreeMap<String, MessageAttributeValue>,
    group_id: Option<String>,
    deduplication_id: Option<String>,
    delay_seconds: Option<i32>,
}

impl MessageDeclaration {
    /// A message with this body, to which all that holds for SendMessage applies.
    pub fn new(body: impl Into<String>) -> Self {
        Self {
            body: body.into(),
            attributes: BTreeMap::new(),
            group_id: None,
            deduplication_id: None,
            delay_seconds: None,
        }
    }

    /// With this attribute.
    pub fn attribute(mut self, name: impl Into<String>, value: MessageAttributeValue) -> Self {
        self.attributes.insert(name.into(), value);
        self
    }

    /// Of this message group. FIFO queues require one.
    pub fn group_id(mut self, id: impl Into<String>) -> Self {
        self.group_id = Some(id.into());
        self
    }

    /// With this deduplication id. FIFO queues require one, unless they make it of the content.
    pub fn deduplication_id(mut self, id: impl Into<String>) -> Self {
        self.deduplication_id = Some(id.into());
        self
    }

    /// Hidden for that many seconds after the start, 0 to 900, instead of the queue's own delay.
    pub fn delay_seconds(mut self, seconds: i32) -> Self {
        self.delay_seconds = Some(seconds);
        self
    }

    fn send(&self, queue: &str) -> SendMessageInput {
        SendMessageInput {
            message_attributes: Some(self.attributes.clone()),
            message_group_id: self.group_id.clone(),
            message_deduplication_id: self.deduplication_id.clone(),
            delay_seconds: self.delay_seconds,
            ..SendMessageInput::new(queue, &self.body)
        }
    }
}

/// A message with nothing but a body.
impl From<&str> for MessageDeclaration {
    fn from(body: &str) -> Self {
        Self::new(body)
    }
}

/// A declared queue as the calls that make it.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) address: QueueAddress,
    pub(crate) create: CreateQueueInput,
    /// Sets what names another queue.
    pub(crate) redrive: Option<SetQueueAttributesInput>,
    pub(crate) sends: Vec<SendMessageInput>,
}

impl Declared {
    /// Who makes those calls: the queue's owner.
    pub(crate) fn context(&self) -> Context {
        let QueueAddress {
            account, region, ..
        } = &self.address;
        Context::new(account, ACCESS_KEY_ID, region, BASE_URL)
    }
}
