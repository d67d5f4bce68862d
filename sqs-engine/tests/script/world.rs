//! What a scenario happens in: an engine, the time, and the names of messages and polls.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use sqs::{
    AddPermissionInput, BatchResultErrorEntry, CancelMessageMoveTaskInput,
    ChangeMessageVisibilityInput, CreateQueueInput, DeleteMessageInput, DeleteQueueInput, Error,
    GetQueueAttributesInput, ListMessageMoveTasksInput, Message, Operation, PurgeQueueInput,
    ReceiveMessageInput, Request, Response, SendMessageBatchInput, SetQueueAttributesInput,
    StartMessageMoveTaskInput, TagQueueInput,
};
use sqs_engine::{
    Config, Context, Directives, Engine, InFlightLimits, Outcome, ReceiveFault, Rules, Timestamp,
    WaiterId,
};

use super::parse::{Expected, Step, expand_all};
use super::shapes::{Json, attribute_text, entry, fits, pairs};

pub(crate) struct World {
    engine: Engine,
    context: Context,
    now: Timestamp,
    /// The queue in use.
    url: String,
    /// What the messages are called, by id.
    names: BTreeMap<String, String>,
    /// The sequence numbers that sends gave, by the messages' names.
    sequence_numbers: BTreeMap<String, String>,
    /// What each receive of a message gave, by its name.
    received: BTreeMap<String, Vec<Message>>,
    polls: BTreeMap<String, WaiterId>,
    answers: BTreeMap<WaiterId, Result<Response, Error>>,
    /// The handle of the move task started last.
    task: String,
}

/// What a step gives.
enum Given {
    Text(String),
    Json(Value),
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Config::default())
    }

    fn with(config: Config) -> Self {
        Self {
            engine: Engine::new(Config { seed: 1, ..config }),
            context: Context::new("000000000000", "test", "us-east-1", "http://localhost"),
            now: Timestamp::from_millis(1_000_000_000),
            url: "http://localhost/000000000000/q".into(),
            names: BTreeMap::new(),
            sequence_numbers: BTreeMap::new(),
            received: BTreeMap::new(),
            polls: BTreeMap::new(),
            answers: BTreeMap::new(),
            task: String::new(),
        }
    }

    /// Performs a step; `Err` says how it went otherwise than expected.
    pub(crate) fn perform(&mut self, step: &Step) -> Result<(), String> {
        let given = self.give(step);
        if step.verb != "next" {
            self.context.directives = Directives::default();
        }
        let given = given.map_err(|error| (error.code().name(), error.into_message()));
        match (&step.expected, given) {
            (Expected::Success, Ok(_)) => Ok(()),
            (Expected::Success | Expected::Answer(_), Err((code, message))) => {
                Err(format!("was refused: {code}: {message}"))
            }
            (Expected::Answer(expected), Ok(Given::Text(text))) => {
                if expand_all(&self.fill_in(expected)) == text {
                    Ok(())
                } else {
                    Err(format!("gave: {text}"))
                }
            }
            (Expected::Answer(expected), Ok(Given::Json(json))) => {
                let expected = serde_json::from_str(&self.fill_in(expected))
                    .map_err(|error| format!("the expectation is not JSON: {error}"))?;
                if fits(&expected, &json) {
                    Ok(())
                } else {
                    Err(format!("gave: {json}"))
                }
            }
            (Expected::Error { .. }, Ok(Given::Text(text))) => Err(format!("gave: {text}")),
            (Expected::Error { .. }, Ok(Given::Json(json))) => Err(format!("gave: {json}")),
            (Expected::Error { code, message }, Err((given_code, given_message))) => {
                let message = message
                    .as_ref()
                    .map(|message| self.fill_in(message).replace("\\n", "\n"));
                if *code == given_code && message.is_none_or(|message| message == given_message) {
                    Ok(())
                } else {
                    Err(format!("was refused: {given_code}: {given_message}"))
                }
            }
        }
    }

    fn give(&mut self, step: &Step) -> Result<Given, Error> {
        let text = match step.verb.as_str() {
            "queue" => self.create(step)?,
            "use" => self.use_queue(&step.words[0]),
            "delete-queue" => self.done(DeleteQueueInput::new(&self.url))?,
            "set" => {
                let attributes = self.attributes(step);
                self.done(SetQueueAttributesInput::new(&self.url, attributes))?
            }
            "redrive" => self.redrive(&step.words[0], &step.words[1])?,
            "get" => self.get(step.names())?,
            "counts" => self.counts()?,
            "send" => self.send(step)?,
            "send-batch" => self.send_batch(step)?,
            "receive" => self.receive_all(step)?,
            "poll" => self.poll(step),
            "answer" => self.answer(&step.words[0])?,
            "cancel" => {
                self.engine.cancel(self.polls[&step.words[0]]);
                "ok".into()
            }
            "show" => self.show(step),
            "delete" => {
                for name in step.names() {
                    self.done(DeleteMessageInput::new(&self.url, self.handle(name)))?;
                }
                "ok".into()
            }
            "change" => {
                let seconds = step.words[1].parse().expect("a number of seconds");
                let handle = self.handle(&step.words[0]);
                self.done(ChangeMessageVisibilityInput::new(
                    &self.url, handle, seconds,
                ))?
            }
            "move" => self.start_task(step)?,
            "tasks" => self.tasks(&step.words[0])?,
            "stop-task" => self.stop_task()?,
            "purge" => self.done(PurgeQueueInput::new(&self.url))?,
            "tag" => {
                let tags = (1..=count(step)).map(|number| (format!("t{number}"), "x"));
                self.done(TagQueueInput::new(&self.url, tags))?
            }
            "permit" => self.permit(step)?,
            "policy" => {
                let policy = [("Policy", step.rest.as_str())];
                self.done(SetQueueAttributesInput::new(&self.url, policy))?
            }
            "call" => return self.call_json(&step.rest).map(Given::Json),
            "as" => self.call_as(step),
            "trace" => {
                self.context.trace_header = step.words.first().cloned();
                "ok".into()
            }
            "relaxed" => {
                *self = Self::with(Config {
                    rules: Rules::Relaxed,
                    ..Config::default()
                });
                "ok".into()
            }
            "limit" => {
                let in_flight = step.words[0].parse().expect("a number of messages");
                *self = Self::with(Config {
                    limits: InFlightLimits {
                        standard: in_flight,
                        fifo: in_flight,
                    },
                    ..Config::default()
                });
                "ok".into()
            }
            "next" => return Ok(Given::Text(self.next(step))),
            "tick" => self.tick(&step.words[0]),
            verb => panic!("no such step: {verb}"),
        };
        Ok(Given::Text(text))
    }

    /// The faults of the calls of the next step.
    fn next(&mut self, step: &Step) -> String {
        let (fault, names) = step.words.split_first().expect("a fault");
        let directives = Directives::default();
        self.context.directives = match fault.as_str() {
            "empty" => directives.receiving(ReceiveFault::Empty),
            "shuffled" => {
                let seed = names[0].parse().expect("a number");
                directives.receiving(ReceiveFault::Shuffled { seed })
            }
            "failing" => names.iter().fold(directives, |directives, name| {
                directives.failing_entry(BatchResultErrorEntry {
                    id: name.clone(),
                    sender_fault: false,
                    code: "InternalError".into(),
                    message: Some("Try again.".into()),
                })
            }),
            "expired" => names.iter().fold(directives, |directives, name| {
                directives.expiring(self.handle(name))
            }),
            fault => panic!("no such fault: {fault}"),
        };
        "ok".into()
    }

    fn create(&mut self, step: &Step) -> Result<String, Error> {
        let name = step.names().next().unwrap_or("q");
        let input = CreateQueueInput {
            attributes: Some(self.attributes(step)),
            ..CreateQueueInput::new(name)
        };
        let done = self.done(input)?;
        self.use_queue(name);
        Ok(done)
    }

    fn attributes(&self, step: &Step) -> BTreeMap<String, String> {
        let attributes = step.options().0.into_iter();
        attributes
            .map(|(name, value)| (name.to_owned(), self.fill_in(value)))
            .collect()
    }

    fn redrive(&mut self, target: &str, count: &str) -> Result<String, Error> {
        let arn = self.arn(target);
        let policy = serde_json::json!({ "deadLetterTargetArn": arn, "maxReceiveCount": count });
        let attributes = [("RedrivePolicy", policy.to_string())];
        self.done(SetQueueAttributesInput::new(&self.url, attributes))
    }

    fn start_task(&mut self, step: &Step) -> Result<String, Error> {
        let options = step.options();
        let input = StartMessageMoveTaskInput {
            destination_arn: options.text("to").map(|queue| self.arn(queue)),
            max_number_of_messages_per_second: options.number("rate"),
            ..StartMessageMoveTaskInput::new(self.arn(&step.words[0]))
        };
        let Response::StartMessageMoveTask(output) = self.call(input)? else {
            panic!("not an answer to StartMessageMoveTask");
        };
        self.task = output.task_handle.expect("a handle");
        Ok("ok".into())
    }

    fn tasks(&mut self, queue: &str) -> Result<String, Error> {
        let input = ListMessageMoveTasksInput {
            max_results: Some(10),
            ..ListMessageMoveTasksInput::new(self.arn(queue))
        };
        let Response::ListMessageMoveTasks(output) = self.call(input)? else {
            panic!("not an answer to ListMessageMoveTasks");
        };
        let tasks = output.results.into_iter().map(|task| {
            let status = task.status.expect("a status");
            let moved = task.approximate_number_of_messages_moved;
            let to_move = task
                .approximate_number_of_messages_to_move
                .expect("a count");
            let reason = task.failure_reason.map(|reason| format!(" {reason}"));
            format!("{status} {moved}/{to_move}{}", reason.unwrap_or_default())
        });
        let tasks: Vec<_> = tasks.collect();
        Ok(if tasks.is_empty() {
            "none".into()
        } else {
            tasks.join(", ")
        })
    }

    fn stop_task(&mut self) -> Result<String, Error> {
        let input = CancelMessageMoveTaskInput::new(&self.task);
        let Response::CancelMessageMoveTask(output) = self.call(input)? else {
            panic!("not an answer to CancelMessageMoveTask");
        };
        Ok(output.approximate_number_of_messages_moved.to_string())
    }

    fn arn(&self, queue: &str) -> String {
        let Context {
            account, region, ..
        } = &self.context;
        sqs::QueueArn::new(region, account, queue).to_string()
    }

    fn use_queue(&mut self, name: &str) -> String {
        self.url = if name.contains('/') {
            name.to_owned()
        } else {
            format!("http://localhost/{}/{name}", self.context.account)
        };
        "ok".into()
    }

    fn get<'a>(&mut self, names: impl Iterator<Item = &'a str>) -> Result<String, Error> {
        let input = GetQueueAttributesInput::new(&self.url, names);
        let Response::GetQueueAttributes(output) = self.call(input)? else {
            panic!("not an answer to GetQueueAttributes");
        };
        Ok(pairs(&output.attributes))
    }

    fn counts(&mut self) -> Result<String, Error> {
        let names =
            ["", "Delayed", "NotVisible"].map(|end| format!("ApproximateNumberOfMessages{end}"));
        let input = GetQueueAttributesInput::new(&self.url, &names);
        let Response::GetQueueAttributes(output) = self.call(input)? else {
            panic!("not an answer to GetQueueAttributes");
        };
        let [visible, delayed, in_flight] = names.map(|name| output.attributes[&name].clone());
        Ok(format!(
            "visible={visible} delayed={delayed} in-flight={in_flight}"
        ))
    }

    fn send(&mut self, step: &Step) -> Result<String, Error> {
        let mut repeated = Vec::new();
        for (name, options) in step.entries() {
            let entry = entry(name, &options);
            let input = sqs::SendMessageInput {
                queue_url: Some(self.url.clone()),
                message_body: entry.message_body,
                delay_seconds: entry.delay_seconds,
                message_attributes: entry.message_attributes,
                message_system_attributes: entry.message_system_attributes,
                message_deduplication_id: entry.message_deduplication_id,
                message_group_id: entry.message_group_id,
            };
            let Response::SendMessage(output) = self.call(input)? else {
                panic!("not an answer to SendMessage");
            };
            let id = output.message_id.expect("an id");
            repeated.extend(self.sent(name, id, output.sequence_number));
        }
        Ok(if repeated.is_empty() {
            "ok".into()
        } else {
            repeated.join(" ")
        })
    }

    /// Remembers a message by its name. Gives a word if the send repeated another, which must give
    /// what that one gave.
    fn sent(&mut self, name: &str, id: String, sequence_number: Option<String>) -> Option<String> {
        if let Some(first) = self.names.get(&id) {
            assert_eq!(
                sequence_number.as_ref(),
                self.sequence_numbers.get(first),
                "a repetition of {first} has its sequence number"
            );
            return Some(format!("{name} repeats {first}"));
        }
        self.names.insert(id, name.to_owned());
        if let Some(number) = sequence_number {
            self.sequence_numbers.insert(name.to_owned(), number);
        }
        None
    }

    fn send_batch(&mut self, step: &Step) -> Result<String, Error> {
        let entries = step.entries();
        let entries = entries.iter().map(|(name, options)| entry(name, options));
        let input = SendMessageBatchInput::new(&self.url, entries);
        let Response::SendMessageBatch(output) = self.call(input)? else {
            panic!("not an answer to SendMessageBatch");
        };
        let mut told: Vec<_> = output
            .successful
            .into_iter()
            .filter_map(|entry| self.sent(&entry.id, entry.message_id, entry.sequence_number))
            .collect();
        told.extend(output.failed.into_iter().map(|entry| {
            let message = entry.message.unwrap_or_default();
            format!("{} failed: {message}", entry.id)
        }));
        Ok(if told.is_empty() {
            "ok".into()
        } else {
            told.join(" ")
        })
    }

    fn receive_all(&mut self, step: &Step) -> Result<String, Error> {
        let mut given = Vec::new();
        for _ in 0..step.options().number("times").unwrap_or(1) {
            let response = self.call(self.receive(step))?;
            given.push(self.messages(&response));
        }
        Ok(given.join(" "))
    }

    fn permit(&mut self, step: &Step) -> Result<String, Error> {
        for number in 1..=count(step) {
            let label = format!("l{number}");
            let input =
                AddPermissionInput::new(&self.url, label, ["111122223333"], ["SendMessage"]);
            self.done(input)?;
        }
        Ok("ok".into())
    }

    fn receive(&self, step: &Step) -> ReceiveMessageInput {
        let options = step.options();
        let list = |name| {
            options
                .text(name)
                .map(|list| list.split(',').map(str::to_owned).collect())
        };
        ReceiveMessageInput {
            max_number_of_messages: options.number("max"),
            wait_time_seconds: options.number("wait"),
            visibility_timeout: options.number("visibility"),
            message_system_attribute_names: list("system"),
            message_attribute_names: list("attributes"),
            receive_request_attempt_id: options.text("attempt").map(str::to_owned),
            ..ReceiveMessageInput::new(&self.url)
        }
    }

    fn poll(&mut self, step: &Step) -> String {
        match self.handle_command(self.receive(step).into()) {
            Outcome::Waiting(id) => {
                self.polls.insert(step.words[0].clone(), id);
                "ok".into()
            }
            Outcome::Done(Ok(response)) => format!("did not wait: {}", self.messages(&response)),
            Outcome::Done(Err(error)) => format!("did not wait: {error}"),
        }
    }

    fn answer(&mut self, name: &str) -> Result<String, Error> {
        match self.answers.get(&self.polls[name]).cloned() {
            None => Ok("waiting".into()),
            Some(Err(error)) => Err(error),
            Some(Ok(response)) => Ok(self.messages(&response)),
        }
    }

    /// The messages of a receive by name; they are remembered by it.
    fn messages(&mut self, response: &Response) -> String {
        let Response::ReceiveMessage(output) = response else {
            panic!("not an answer to ReceiveMessage");
        };
        let mut names = Vec::new();
        for message in &output.messages {
            let known = self
                .names
                .get(message.message_id.as_deref().expect("an id"));
            let name = known.or(message.body.as_ref()).expect("a body").clone();
            let number = message.attributes.get("SequenceNumber");
            // A dead letter has a place, and so a number, of its own.
            if !message.attributes.contains_key("DeadLetterQueueSourceArn") {
                let sent = number.and(self.sequence_numbers.get(&name));
                assert_eq!(number, sent, "{name} has the number that its send gave");
            }
            let before = self.received.entry(name.clone()).or_default();
            if before.last() != Some(message) {
                before.push(message.clone());
            }
            names.push(name);
        }
        if names.is_empty() {
            "none".into()
        } else {
            names.join(" ")
        }
    }

    fn show(&self, step: &Step) -> String {
        let message = self.received[&step.words[0]].last().expect("a receive");
        let mut shown = BTreeMap::new();
        for what in &step.words[1..] {
            match what.as_str() {
                "system" => shown.extend(message.attributes.clone()),
                "attributes" => {
                    shown.extend(message.message_attributes.iter().map(attribute_text));
                }
                "md5" => {
                    let body = message.md5_of_body.clone();
                    shown.extend(body.map(|md5| ("body".into(), md5)));
                    let attributes = message.md5_of_message_attributes.clone();
                    shown.extend(attributes.map(|md5| ("attributes".into(), md5)));
                }
                what => panic!("nothing to show: {what}"),
            }
        }
        pairs(&shown)
    }

    fn call_as(&mut self, step: &Step) -> String {
        self.context.account = step.words[0].clone();
        if let Some(region) = step.words.get(1) {
            self.context.region = region.clone();
        }
        "ok".into()
    }

    fn tick(&mut self, text: &str) -> String {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let millis = match &text[digits.len()..] {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            unit => panic!("no such unit of time: {unit}"),
        };
        let count: u64 = digits.parse().expect("a number");
        self.now = self.now.after(Duration::from_millis(count * millis));
        self.engine.advance(self.now);
        self.collect();
        "ok".into()
    }

    /// Calls any operation by name, with its input as JSON.
    fn call_json(&mut self, rest: &str) -> Result<Value, Error> {
        let (name, json) = rest.split_once(' ').expect("an action and its input");
        let operation = Operation::from_name(name).unwrap_or_else(|| panic!("no action {name}"));
        let json = self.fill_in(json);
        let request = Request::read(operation, Json(&json))
            .unwrap_or_else(|error| panic!("the input of {name} does not fit: {error}"));
        let response = self.call(request)?;
        Ok(serde_json::to_value(response).expect("JSON"))
    }

    fn done(&mut self, input: impl Into<Request>) -> Result<String, Error> {
        self.call(input).map(|_| "ok".into())
    }

    fn call(&mut self, input: impl Into<Request>) -> Result<Response, Error> {
        match self.handle_command(input.into()) {
            Outcome::Done(answer) => answer,
            Outcome::Waiting(_) => panic!("the receive waits; write `poll` for it"),
        }
    }

    fn handle_command(&mut self, request: Request) -> Outcome {
        let outcome = self.engine.handle(self.now, &self.context, request);
        self.collect();
        outcome
    }

    fn collect(&mut self) {
        while let Some((id, answer)) = self.engine.poll_completed() {
            let twice = self.answers.insert(id, answer);
            assert!(twice.is_none(), "{id:?} was answered twice");
        }
        if let Some(deadline) = self.engine.next_deadline() {
            assert!(
                deadline > self.now,
                "a deadline at {deadline} is left behind"
            );
        }
    }

    /// The handle of the last receive of `A`, or of the second for `A.2`.
    fn handle(&self, name: &str) -> String {
        let (name, which) = match name.split_once('.') {
            Some((name, which)) => (name, which.parse().expect("the how-manieth receive")),
            None => (name, self.received.get(name).map_or(0, Vec::len)),
        };
        let receives = self
            .received
            .get(name)
            .unwrap_or_else(|| panic!("{name} was never received"));
        receives[which - 1]
            .receipt_handle
            .clone()
            .expect("a handle")
    }

    /// The id of the message that was sent under a name.
    fn id(&self, name: &str) -> String {
        let mut names = self.names.iter();
        let found = names.find(|(_, known)| *known == name);
        found
            .unwrap_or_else(|| panic!("{name} was never sent"))
            .0
            .clone()
    }

    /// Puts in what `$A`, `$url`, `$task`, `$id.A` and `$arn.name` stand for.
    fn fill_in(&self, text: &str) -> String {
        let mut parts = text.split('$');
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '.';
            let end = part.find(|c| !is_name(c)).unwrap_or(part.len());
            let name = part[..end].trim_end_matches('.');
            filled += &if name == "url" {
                self.url.clone()
            } else if name == "task" {
                self.task.clone()
            } else if let Some(name) = name.strip_prefix("id.") {
                self.id(name)
            } else if let Some(queue) = name.strip_prefix("arn.") {
                self.arn(queue)
            } else {
                self.handle(name)
            };
            filled += &part[name.len()..];
        }
        filled
    }
}

fn count(step: &Step) -> u32 {
    step.words[0].parse().expect("a number")
}
