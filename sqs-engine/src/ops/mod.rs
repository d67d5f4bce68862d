//! The operations, one file for each family, named as the shapes are.
//!
//! Each operation parses its input, whose members may all be missing, into checked values, and then
//! acts. Where AWS's order of checks is known it is kept; elsewhere the order is: the queue, whether
//! required members are there, each value by itself, values against the queue.

pub(crate) mod attributes;
mod batch;
pub(crate) mod control;
mod delete;
mod message_attributes;
pub(crate) mod move_task;
mod permissions;
mod purge;
mod queues;
pub(crate) mod receive;
mod send;
mod tags;
mod visibility;

use sqs::{Request, Response};

use crate::engine::{Context, Engine, Outcome};

/// Performs one call.
pub(crate) fn perform(engine: &mut Engine, context: &Context, request: Request) -> Outcome {
    let answer = match request {
        Request::AddPermission(input) => {
            permissions::add(engine, context, input).map(Response::AddPermission)
        }
        Request::CancelMessageMoveTask(input) => {
            move_task::cancel(engine, context, input).map(Response::CancelMessageMoveTask)
        }
        Request::ChangeMessageVisibility(input) => {
            visibility::change(engine, context, &input).map(Response::ChangeMessageVisibility)
        }
        Request::ChangeMessageVisibilityBatch(input) => {
            visibility::change_batch(engine, context, input)
                .map(Response::ChangeMessageVisibilityBatch)
        }
        Request::CreateQueue(input) => {
            queues::create(engine, context, input).map(Response::CreateQueue)
        }
        Request::DeleteMessage(input) => {
            delete::delete(engine, context, &input).map(Response::DeleteMessage)
        }
        Request::DeleteMessageBatch(input) => {
            delete::delete_batch(engine, context, input).map(Response::DeleteMessageBatch)
        }
        Request::DeleteQueue(input) => {
            queues::delete(engine, context, &input).map(Response::DeleteQueue)
        }
        Request::GetQueueAttributes(input) => {
            attributes::get(engine, context, input).map(Response::GetQueueAttributes)
        }
        Request::GetQueueUrl(input) => {
            queues::url(engine, context, input).map(Response::GetQueueUrl)
        }
        Request::ListDeadLetterSourceQueues(input) => {
            queues::list_sources(engine, context, input).map(Response::ListDeadLetterSourceQueues)
        }
        Request::ListMessageMoveTasks(input) => {
            move_task::list(engine, context, input).map(Response::ListMessageMoveTasks)
        }
        Request::ListQueueTags(input) => {
            tags::list(engine, context, &input).map(Response::ListQueueTags)
        }
        Request::ListQueues(input) => {
            queues::list(engine, context, input).map(Response::ListQueues)
        }
        Request::PurgeQueue(input) => {
            purge::purge(engine, context, &input).map(Response::PurgeQueue)
        }
        Request::ReceiveMessage(input) => return receive::receive(engine, context, input),
        Request::RemovePermission(input) => {
            permissions::remove(engine, context, input).map(Response::RemovePermission)
        }
        Request::SendMessage(input) => {
            send::send(engine, context, input).map(Response::SendMessage)
        }
        Request::SendMessageBatch(input) => {
            send::send_batch(engine, context, input).map(Response::SendMessageBatch)
        }
        Request::SetQueueAttributes(input) => {
            attributes::set(engine, context, input).map(Response::SetQueueAttributes)
        }
        Request::StartMessageMoveTask(input) => {
            move_task::start(engine, context, input).map(Response::StartMessageMoveTask)
        }
        Request::TagQueue(input) => tags::tag(engine, context, input).map(Response::TagQueue),
        Request::UntagQueue(input) => tags::untag(engine, context, input).map(Response::UntagQueue),
    };
    Outcome::Done(answer)
}
