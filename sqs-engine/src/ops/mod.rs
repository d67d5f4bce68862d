//! The operations, one file for each family, named as the shapes are.
//!
//! Each operation parses its input, whose members may all be missing, into checked values, and then
//! acts. Where AWS's order of checks is known it is kept; elsewhere the order is: the queue, whether
//! required members are there, each value by itself, values against the queue.

pub(crate) mod attributes;
mod batch;
mod delete;
mod message_attributes;
pub(crate) mod move_task;
mod purge;
mod queues;
pub(crate) mod receive;
mod send;
mod visibility;

use sqs::{Request, Response};

use crate::engine::{Context, Engine, Outcome};
use crate::unsupported;

/// Performs one command.
pub(crate) fn perform(engine: &mut Engine, context: &Context, request: Request) -> Outcome {
    let answer = match request {
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
        Request::ListQueues(input) => {
            queues::list(engine, context, input).map(Response::ListQueues)
        }
        Request::PurgeQueue(input) => {
            purge::purge(engine, context, &input).map(Response::PurgeQueue)
        }
        Request::ReceiveMessage(input) => return receive::receive(engine, context, input),
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
        Request::AddPermission(_)
        | Request::ListQueueTags(_)
        | Request::RemovePermission(_)
        | Request::TagQueue(_)
        | Request::UntagQueue(_) => Err(unsupported::refuse(request.operation().name())),
    };
    Outcome::Done(answer)
}
