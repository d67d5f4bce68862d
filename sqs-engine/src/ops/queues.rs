//! CreateQueue, DeleteQueue, GetQueueUrl, ListQueues and ListDeadLetterSourceQueues.

use std::collections::BTreeMap;
use std::time::Duration;

use sqs::{
    CreateQueueInput, CreateQueueOutput, DeleteQueueInput, DeleteQueueOutput, Error, ErrorCode,
    GetQueueUrlInput, GetQueueUrlOutput, ListDeadLetterSourceQueuesInput,
    ListDeadLetterSourceQueuesOutput, ListQueuesInput, ListQueuesOutput, Operation,
    QueueAttributeName, limits,
};

use crate::access::{self, queue_for};
use crate::checks;
use crate::directory::QueueName;
use crate::engine::{Context, Engine, Rules, queue_url};
use crate::errors::{self, invalid_parameter};
use crate::ops::attributes::check_redrive;
use crate::ops::tags;
use crate::queue::Queue;
use crate::queue::attributes::{Changes, QueueAttributes, boolean};
use crate::queue::fifo_attributes::QueueKind;

/// For a queue that exists only the attributes given are compared, with their present values; and
/// its tags, if any are given.
pub(super) fn create(
    engine: &mut Engine,
    context: &Context,
    input: CreateQueueInput,
) -> Result<CreateQueueOutput, Error> {
    let name = input
        .queue_name
        .ok_or_else(|| errors::missing_parameter("QueueName"))?;
    let mut attributes = input.attributes.unwrap_or_default();
    let kind = check_kind(&name, &mut attributes)?;
    let changes = Changes::parse(&attributes, kind)?;
    let tags = tags::parse(input.tags)?;
    tags::check_count(&tags, &name)?;
    let url = queue_url(context, &context.account, &name);
    if let Some(id) = engine.find(&context.account, &context.region, &name) {
        let queue = engine.queue(id)?;
        if let Some(attribute) = changes.first_difference(&queue.attributes) {
            return Err(exists(&format!("attribute {attribute}")));
        }
        // No tags are not compared: AWS does not tell an empty map from none.
        if !tags.is_empty() && tags != queue.tags {
            return Err(exists("tags"));
        }
        return Ok(CreateQueueOutput {
            queue_url: Some(url),
        });
    }
    check_not_just_deleted(engine, context, &name)?;
    let settings = changes.applied(&QueueAttributes::of(kind))?;
    let source = QueueName {
        account: context.account.as_str().into(),
        region: context.region.as_str().into(),
        name: name.as_str().into(),
    };
    check_redrive(engine, &attributes, &source)?;
    let id = engine.ids.next_queue();
    let name = engine
        .directory
        .insert(&context.account, &context.region, &name, id);
    let in_flight_limit = engine.limits.of(kind);
    let mut queue = Queue::new(id, name, settings, in_flight_limit, engine.now);
    queue.tags = tags;
    engine.add_queue(queue);
    Ok(CreateQueueOutput {
        queue_url: Some(url),
    })
}

pub(super) fn delete(
    engine: &mut Engine,
    context: &Context,
    input: &DeleteQueueInput,
) -> Result<DeleteQueueOutput, Error> {
    let id = queue_for(
        engine,
        context,
        input.queue_url.as_deref(),
        Operation::DeleteQueue,
    )?;
    if let (Some(name), Rules::Strict) = (engine.drop_queue(id), engine.rules) {
        engine
            .directory
            .remember_deletion(name, engine.now, RECREATION_INTERVAL);
    }
    Ok(DeleteQueueOutput {})
}

/// Another account's queue that the caller may not look for is not told from one that is not
/// there.
pub(super) fn url(
    engine: &Engine,
    context: &Context,
    input: GetQueueUrlInput,
) -> Result<GetQueueUrlOutput, Error> {
    let name = input
        .queue_name
        .filter(|name| !name.is_empty())
        .ok_or_else(|| {
            let message =
                "Value for parameter QueueName is invalid. Reason: Must specify a queue name.";
            invalid_parameter(message)
        })?;
    let owner = input.queue_owner_aws_account_id.as_ref();
    let owner = owner.unwrap_or(&context.account);
    let found = engine.find(owner, &context.region, &name);
    if *owner == context.account {
        found.ok_or_else(errors::queue_does_not_exist)?;
    } else {
        found
            .and_then(|id| engine.queue(id).ok())
            .filter(|queue| access::check(queue, context, Operation::GetQueueUrl).is_ok())
            .ok_or_else(|| {
                let message = "The specified queue does not exist or you do not have access to it.";
                Error::new(ErrorCode::QueueDoesNotExist, message)
            })?;
    }
    Ok(GetQueueUrlOutput {
        queue_url: Some(queue_url(context, owner, &name)),
    })
}

/// Without MaxResults up to 1000 queues are listed, and no token says that there are more.
pub(super) fn list(
    engine: &Engine,
    context: &Context,
    input: ListQueuesInput,
) -> Result<ListQueuesOutput, Error> {
    let prefix = input.queue_name_prefix.unwrap_or_default();
    let page = Page::parse(engine, LISTING, input.max_results, input.next_token)?;
    let names = engine.directory.list(
        &context.account,
        &context.region,
        &prefix,
        page.place.as_deref(),
    );
    let (names, next_token) = page.fill(engine, names.map(|(name, _)| name));
    let urls = names
        .into_iter()
        .map(|name| queue_url(context, &context.account, name));
    Ok(ListQueuesOutput {
        queue_urls: urls.collect(),
        next_token,
    })
}

pub(super) fn list_sources(
    engine: &Engine,
    context: &Context,
    input: ListDeadLetterSourceQueuesInput,
) -> Result<ListDeadLetterSourceQueuesOutput, Error> {
    let url = input.queue_url.as_deref();
    let id = queue_for(engine, context, url, Operation::ListDeadLetterSourceQueues)?;
    let target = &engine.queue(id)?.name;
    let listing = format!("{SOURCES} {}", target.name);
    let page = Page::parse(engine, &listing, input.max_results, input.next_token)?;
    let names = engine.sources.of(target, page.place.as_deref());
    let (names, next_token) = page.fill(engine, names);
    let urls = names
        .into_iter()
        .map(|name| queue_url(context, &target.account, name));
    Ok(ListDeadLetterSourceQueuesOutput {
        queue_urls: urls.collect(),
        next_token,
    })
}

/// A page of a listing of queues: where it begins, and what it may hold.
struct Page<'a> {
    listing: &'a str,
    max: usize,
    place: Option<String>,
    /// Without MaxResults no token says that there are more.
    has_token: bool,
}

impl<'a> Page<'a> {
    fn parse(
        engine: &Engine,
        listing: &'a str,
        max_results: Option<i32>,
        next_token: Option<String>,
    ) -> Result<Self, Error> {
        let max = max_results.map_or(limits::LIST_QUEUES_RESULTS.max(), i32::cast_unsigned);
        let max = checks::count(limits::LIST_QUEUES_RESULTS, max).ok_or_else(|| {
            let message = "Value for parameter MaxResults is invalid. \
                           Reason: MaxResults must be an integer between 1 and 1000.";
            invalid_parameter(message)
        })?;
        let place = next_token.map(|token| {
            let place = engine.ids.place(listing, &token);
            place.ok_or_else(|| invalid_parameter("Invalid or expired next token."))
        });
        Ok(Self {
            listing,
            max,
            place: place.transpose()?,
            has_token: max_results.is_some(),
        })
    }

    /// Takes the page's names from those after its place, with the token of the next page.
    fn fill<'b>(
        &self,
        engine: &Engine,
        names: impl Iterator<Item = &'b str>,
    ) -> (Vec<&'b str>, Option<String>) {
        let mut names: Vec<_> = names.take(self.max + 1).collect();
        let more = names.len() > self.max && self.has_token;
        names.truncate(self.max);
        let last = names.last().filter(|_| more);
        let token = last.map(|last| engine.ids.token(self.listing, last));
        (names, token)
    }
}

/// Checks the name, and takes `FifoQueue` out of the attributes: it says what kind of queue this
/// is, and what a name may be depends on it.
fn check_kind(name: &str, attributes: &mut BTreeMap<String, String>) -> Result<QueueKind, Error> {
    let fifo = QueueAttributeName::FifoQueue;
    let given = attributes.remove(fifo.name());
    if name.is_empty() {
        return Err(invalid_parameter("Queue name cannot be empty"));
    }
    let is_fifo = given
        .as_deref()
        .map(|value| boolean(fifo, value))
        .transpose()?;
    if is_fifo == Some(true) {
        let stem = name.strip_suffix(".fifo").unwrap_or_default();
        if !is_name(stem) || !limits::QUEUE_NAME_LENGTH.contains(name.len()) {
            let message = "The name of a FIFO queue can only include alphanumeric characters, \
                           hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in \
                           length.";
            return Err(invalid_parameter(message));
        }
        return Ok(QueueKind::Fifo);
    }
    if !is_name(name) {
        let message =
            "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length";
        return Err(invalid_parameter(message));
    }
    match given {
        // Saying that a standard queue is none of FIFO's is not allowed either.
        Some(_) => Err(errors::unknown_attribute(fifo.name())),
        None => Ok(QueueKind::Standard),
    }
}

fn is_name(text: &str) -> bool {
    limits::QUEUE_NAME_LENGTH.contains(text.len()) && checks::is_plain(text)
}

fn check_not_just_deleted(engine: &Engine, context: &Context, name: &str) -> Result<(), Error> {
    let deleted_at = engine
        .directory
        .deleted_at(&context.account, &context.region, name);
    match (engine.rules, deleted_at) {
        (Rules::Strict, Some(at)) if engine.now.since(at) < RECREATION_INTERVAL => {
            let message = "You must wait 60 seconds after deleting a queue before you can create \
                           another with the same name.";
            Err(Error::new(ErrorCode::QueueDeletedRecently, message))
        }
        (Rules::Strict | Rules::Relaxed, _) => Ok(()),
    }
}

fn exists(what: &str) -> Error {
    let message =
        format!("A queue already exists with the same name and a different value for {what}");
    Error::new(ErrorCode::QueueNameExists, message)
}

const RECREATION_INTERVAL: Duration =
    Duration::from_secs(limits::RECREATION_INTERVAL_SECONDS as u64);
/// What the tokens of ListQueues are good for, and those of ListDeadLetterSourceQueues.
const LISTING: &str = "queues";
const SOURCES: &str = "sources of";
