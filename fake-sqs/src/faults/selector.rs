//! Which calls a fault is for.

use std::collections::BTreeMap;

use sqs::{MessageAttributeValue, Operation, Request};
use sqs_engine::inspect::{Inspect, MessageView};
use sqs_engine::{Context, QueueAddress};

use super::spec::AttributeSpec;
use crate::AccountId;

/// What must hold of a call. `None` leaves it open.
#[derive(Clone, Debug)]
pub(super) struct Selector {
    pub(super) action: Option<Operation>,
    pub(super) queue: Option<String>,
    pub(super) account: Option<AccountId>,
    pub(super) region: Option<String>,
    pub(super) messages: Option<MessageSelector>,
}

/// What must hold of a message.
#[derive(Clone, Debug)]
pub(super) struct MessageSelector {
    pub(super) group: Option<String>,
    pub(super) id: Option<String>,
    /// A part of it.
    pub(super) body: Option<String>,
    pub(super) attribute: Option<AttributeSpec>,
}

/// What a call is about, as far as it says so itself.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) operation: Operation,
    pub(super) queue: Option<QueueAddress>,
    account: String,
    region: String,
}

/// A message that a call is about.
pub(super) struct Item<'a> {
    /// Its id in a batch.
    pub(super) entry: Option<&'a str>,
    pub(super) message: Meant<'a>,
}

/// How a call means a message.
pub(super) enum Meant<'a> {
    /// It is to be sent.
    Sent {
        body: &'a str,
        attributes: Option<&'a BTreeMap<String, MessageAttributeValue>>,
        group: Option<&'a str>,
    },
    /// It was received with this handle.
    Held { handle: &'a str },
}

impl Subject {
    pub(super) fn new(context: &Context, request: &Request) -> Self {
        let queue = QueueAddress::named_by(context, request);
        let (account, region) = match &queue {
            Some(queue) => (&queue.account, &queue.region),
            None => (&context.account, &context.region),
        };
        Self {
            operation: request.operation(),
            account: account.clone(),
            region: region.clone(),
            queue,
        }
    }

    pub(super) fn is_fifo(&self) -> bool {
        let queue = self.queue.as_ref();
        queue.is_some_and(|queue| queue.name.ends_with(".fifo"))
    }
}

impl Selector {
    /// Whether a call fits, whatever its messages are.
    pub(super) fn fits(&self, call: &Subject) -> bool {
        let Self {
            action,
            queue,
            account,
            region,
            messages,
        } = self;
        let names = |name: &String| call.queue.as_ref().is_some_and(|queue| queue.name == *name);
        action.is_none_or(|action| action == call.operation)
            && queue.as_ref().is_none_or(names)
            && account.is_none_or(|account| account.as_str() == call.account)
            && region.as_ref().is_none_or(|region| *region == call.region)
            && (messages.is_none() || takes_messages(call.operation))
    }

    /// Whether it fits a message.
    pub(super) fn fits_message(&self, call: &Subject, item: &Item<'_>, now: Inspect<'_>) -> bool {
        let Some(messages) = &self.messages else {
            return true;
        };
        match item.message {
            Meant::Sent {
                body,
                attributes,
                group,
            } => {
                // Nothing that is still to be sent has an id.
                messages.id.is_none() && messages.fits(body, attributes, group)
            }
            Meant::Held { handle } => call
                .held(handle, now)
                .is_some_and(|message| messages.fits_stored(message)),
        }
    }

    /// Whether it fits a message that was received just now.
    pub(super) fn fits_given(&self, call: &Subject, handle: &str, now: Inspect<'_>) -> bool {
        let message = Meant::Held { handle };
        self.fits_message(
            call,
            &Item {
                entry: None,
                message,
            },
            now,
        )
    }
}

impl Subject {
    fn held<'a>(&self, handle: &str, now: Inspect<'a>) -> Option<MessageView<'a>> {
        let QueueAddress {
            account,
            region,
            name,
        } = self.queue.as_ref()?;
        now.queue(account, region, name)?.message_of(handle)
    }
}

impl MessageSelector {
    /// Whether it leaves everything open.
    pub(super) fn is_any(&self) -> bool {
        let Self {
            group,
            id,
            body,
            attribute,
        } = self;
        group.is_none() && id.is_none() && body.is_none() && attribute.is_none()
    }

    fn fits_stored(&self, message: MessageView<'_>) -> bool {
        let id = self.id.as_ref();
        let attributes = self
            .attribute
            .as_ref()
            .map(|_| message.message_attributes());
        id.is_none_or(|id| *id == message.id().to_string())
            && self.fits(message.body(), attributes.as_ref(), message.group())
    }

    /// Whether everything but the id fits.
    fn fits(
        &self,
        body: &str,
        attributes: Option<&BTreeMap<String, MessageAttributeValue>>,
        group: Option<&str>,
    ) -> bool {
        let part = self.body.as_ref();
        part.is_none_or(|part| body.contains(part.as_str()))
            && (self.group.is_none() || self.group.as_deref() == group)
            && self.attribute.as_ref().is_none_or(|wanted| {
                let given = attributes.and_then(|attributes| attributes.get(&wanted.name));
                given.is_some_and(|given| {
                    wanted.value.is_none() || wanted.value == given.string_value
                })
            })
    }
}

/// The messages that a call is about, as far as it says so itself.
pub(super) fn items(request: &Request) -> Vec<Item<'_>> {
    match request {
        Request::SendMessage(input) => vec![Item {
            entry: None,
            message: Meant::Sent {
                body: input.message_body.as_deref().unwrap_or_default(),
                attributes: input.message_attributes.as_ref(),
                group: input.message_group_id.as_deref(),
            },
        }],
        Request::SendMessageBatch(input) => entries(input.entries.as_ref(), |entry| Item {
            entry: entry.id.as_deref(),
            message: Meant::Sent {
                body: entry.message_body.as_deref().unwrap_or_default(),
                attributes: entry.message_attributes.as_ref(),
                group: entry.message_group_id.as_deref(),
            },
        }),
        Request::DeleteMessage(input) => vec![held(None, input.receipt_handle.as_deref())],
        Request::DeleteMessageBatch(input) => entries(input.entries.as_ref(), |entry| {
            held(entry.id.as_deref(), entry.receipt_handle.as_deref())
        }),
        Request::ChangeMessageVisibility(input) => {
            vec![held(None, input.receipt_handle.as_deref())]
        }
        Request::ChangeMessageVisibilityBatch(input) => entries(input.entries.as_ref(), |entry| {
            held(entry.id.as_deref(), entry.receipt_handle.as_deref())
        }),
        Request::AddPermission(_)
        | Request::CancelMessageMoveTask(_)
        | Request::CreateQueue(_)
        | Request::DeleteQueue(_)
        | Request::GetQueueAttributes(_)
        | Request::GetQueueUrl(_)
        | Request::ListDeadLetterSourceQueues(_)
        | Request::ListMessageMoveTasks(_)
        | Request::ListQueueTags(_)
        | Request::ListQueues(_)
        | Request::PurgeQueue(_)
        | Request::ReceiveMessage(_)
        | Request::RemovePermission(_)
        | Request::SetQueueAttributes(_)
        | Request::StartMessageMoveTask(_)
        | Request::TagQueue(_)
        | Request::UntagQueue(_) => Vec::new(),
    }
}

fn entries<'a, E>(
    entries: Option<&'a Vec<E>>,
    item: impl FnMut(&'a E) -> Item<'a>,
) -> Vec<Item<'a>> {
    entries.into_iter().flatten().map(item).collect()
}

fn held<'a>(entry: Option<&'a str>, handle: Option<&'a str>) -> Item<'a> {
    let handle = handle.unwrap_or_default();
    Item {
        entry,
        message: Meant::Held { handle },
    }
}

/// Whether calls of this operation are about messages that can be told apart.
pub(super) fn takes_messages(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::ChangeMessageVisibility
            | Operation::ChangeMessageVisibilityBatch
            | Operation::DeleteMessage
            | Operation::DeleteMessageBatch
            | Operation::ReceiveMessage
            | Operation::SendMessage
            | Operation::SendMessageBatch
    )
}

/// Whether calls of this operation name no queue.
pub(super) fn queue_less(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::CancelMessageMoveTask | Operation::ListQueues
    )
}
