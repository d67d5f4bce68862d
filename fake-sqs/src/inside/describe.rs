//! From the engine's views to what is shown of them.

use sqs_engine::MessageState;
use sqs_engine::inspect::{DeduplicationView, GroupView, MessageView, PollView, QueueView};

use super::{Blocker, DeduplicationId, Group, Message, Poll, Queue, State};

impl Queue {
    /// `base_url` is what its URL begins with, without a slash at the end.
    pub(super) fn describe(view: QueueView<'_>, base_url: &str) -> Self {
        Self {
            account: view.account().to_owned(),
            region: view.region().to_owned(),
            name: view.name().to_owned(),
            url: format!("{base_url}/{}/{}", view.account(), view.name()),
            arn: view.arn(),
            attributes: view.attributes(),
            tags: view.tags().clone(),
            counts: view.counts(),
            waiting_polls: view.waiting_polls(),
        }
    }
}

impl From<GroupView<'_>> for Group {
    fn from(view: GroupView<'_>) -> Self {
        let blocked_by = view.blocked_by();
        Self {
            name: view.name().to_owned(),
            messages: view.messages(),
            blocked_by: blocked_by.and_then(|message| {
                Some(Blocker {
                    id: message.id(),
                    state: message.state().into(),
                    visible_at: message.visible_at()?,
                })
            }),
        }
    }
}

impl From<DeduplicationView<'_>> for DeduplicationId {
    fn from(view: DeduplicationView<'_>) -> Self {
        Self {
            id: view.id().to_owned(),
            group: view.group().to_owned(),
            message: view.message(),
            sequence_number: view.sequence_number(),
            forgotten_at: view.forgotten_at(),
        }
    }
}

impl From<PollView<'_>> for Poll {
    fn from(view: PollView<'_>) -> Self {
        Self {
            ends_at: view.ends_at(),
            max_messages: view.max_messages(),
        }
    }
}

impl From<MessageView<'_>> for Message {
    fn from(view: MessageView<'_>) -> Self {
        Self {
            id: view.id(),
            body: view.body().to_owned(),
            md5: view.body_md5(),
            attributes: view.system_attributes(),
            message_attributes: view.message_attributes(),
            state: view.state().into(),
            visible_at: view.visible_at(),
            sent_at: view.sent_at(),
            expires_at: view.expires_at(),
            first_received_at: view.first_received_at(),
            receive_count: view.receive_count(),
            group: view.group().map(str::to_owned),
            deduplication_id: view.deduplication_id().map(str::to_owned),
            sequence_number: view.sequence_number(),
            receipt_handle: view.receipt_handle(),
        }
    }
}

impl From<MessageState> for State {
    fn from(state: MessageState) -> Self {
        match state {
            MessageState::Delayed { .. } => Self::Delayed,
            MessageState::InFlight { .. } => Self::InFlight,
            // The engine's enum may grow; what is not hidden is visible.
            MessageState::Visible | _ => Self::Visible,
        }
    }
}
