//! What is done to queues from outside, and what can be seen of them without touching them.

use std::time::Duration;

use sqs::{
    ChangeMessageVisibilityInput, CreateQueueInput, DeleteMessageInput, DeleteQueueInput,
    ErrorCode, Message, PurgeQueueInput, ReceiveMessageInput, Request, Response, SendMessageInput,
};
use sqs_engine::inspect::{QueueFilter, QueueView};
use sqs_engine::{
    Command, Config, Context, ControlAction, Effect, Engine, MessageId, Missing, Outcome,
    QueueAddress, Timestamp,
};

const ACCOUNT: &str = "000000000000";
const REGION: &str = "us-east-1";

struct World {
    engine: Engine,
    now: Timestamp,
}

impl World {
    fn new() -> Self {
        Self {
            engine: Engine::new(Config::default()),
            now: Timestamp::from_millis(1_000_000_000),
        }
    }

    fn wait(&mut self, seconds: u64) {
        self.now = self.now.after(Duration::from_secs(seconds));
        self.engine.advance(self.now);
    }

    fn call_in(
        &mut self,
        account: &str,
        region: &str,
        request: Request,
    ) -> Result<Response, ErrorCode> {
        let context = Context::new(account, "test", region, "http://localhost");
        let command = Command::Handle { context, request };
        // As it is when it is read from where it was written down.
        let written = serde_json::to_string(&command).expect("written");
        let command = serde_json::from_str(&written).expect("read");
        match self.engine.perform(self.now, command) {
            Effect::Call(Outcome::Done(answer)) => answer.map_err(|error| error.code()),
            other => panic!("{other:?}"),
        }
    }

    fn call(&mut self, request: impl Into<Request>) -> Result<Response, ErrorCode> {
        self.call_in(ACCOUNT, REGION, request.into())
    }

    fn control(&mut self, name: &str, action: ControlAction) -> Result<(), Missing> {
        let queue = QueueAddress::new(ACCOUNT, REGION, name);
        match self
            .engine
            .perform(self.now, Command::Control { queue, action })
        {
            Effect::Control(done) => done,
            other => panic!("{other:?}"),
        }
    }

    fn create(&mut self, name: &str) {
        let mut input = CreateQueueInput::new(name);
        if name.ends_with(".fifo") {
            let fifo = ("FifoQueue".to_owned(), "true".to_owned());
            input.attributes = Some([fifo].into());
        }
        self.call(input).expect("created");
    }

    fn send(&mut self, name: &str, body: &str) -> MessageId {
        let mut input = SendMessageInput::new(name, body);
        if name.ends_with(".fifo") {
            input.message_group_id = Some(body[..1].to_owned());
            input.message_deduplication_id = Some(body.to_owned());
        }
        match self.call(input).expect("sent") {
            Response::SendMessage(output) => {
                output.message_id.expect("an id").parse().expect("an id")
            }
            other => panic!("{other:?}"),
        }
    }

    fn receive(&mut self, name: &str) -> Vec<Message> {
        let mut input = ReceiveMessageInput::new(name);
        input.max_number_of_messages = Some(10);
        match self.call(input).expect("received") {
            Response::ReceiveMessage(output) => output.messages,
            other => panic!("{other:?}"),
        }
    }

    fn bodies(&mut self, name: &str) -> Vec<String> {
        let messages = self.receive(name).into_iter();
        messages.filter_map(|message| message.body).collect()
    }

    fn queue(&self, name: &str) -> QueueView<'_> {
        let queue = self.engine.inspect().queue(ACCOUNT, REGION, name);
        queue.expect("it is there")
    }

    /// The handles that can be seen from outside, by body.
    fn handles(&self, name: &str) -> Vec<(String, Option<String>)> {
        let messages = self.queue(name).messages();
        messages
            .map(|message| (message.body().to_owned(), message.receipt_handle()))
            .collect()
    }
}

fn handle(message: &Message) -> String {
    message.receipt_handle.clone().expect("a handle")
}

#[test]
fn a_purge_from_outside_neither_waits_nor_makes_others_wait() {
    let mut world = World::new();
    world.create("q");
    world.call(PurgeQueueInput::new("q")).expect("purged");
    world.send("q", "a");
    assert_eq!(world.control("q", ControlAction::Purge), Ok(()));
    assert_eq!(world.queue("q").counts().total(), 0);
    world.wait(60);
    world.send("q", "b");
    assert_eq!(world.control("q", ControlAction::Purge), Ok(()));
    world
        .call(PurgeQueueInput::new("q"))
        .expect("the rule was not set off");
    assert_eq!(
        world.call(PurgeQueueInput::new("q")),
        Err(ErrorCode::PurgeQueueInProgress)
    );
}

#[test]
fn a_purge_from_outside_forgets_the_sends_of_a_fifo_queue() {
    let mut world = World::new();
    world.create("q.fifo");
    let first = world.send("q.fifo", "a");
    assert_eq!(world.send("q.fifo", "a"), first);
    assert_eq!(world.control("q.fifo", ControlAction::Purge), Ok(()));
    assert_ne!(world.send("q.fifo", "a"), first);
}

#[test]
fn a_queue_deleted_from_outside_leaves_its_name_free() {
    let mut world = World::new();
    world.create("q");
    assert_eq!(world.control("q", ControlAction::DeleteQueue), Ok(()));
    assert_eq!(world.engine.inspect().queue_count(), 0);
    world.create("q");
    assert_eq!(
        world.control("r", ControlAction::DeleteQueue),
        Err(Missing::Queue)
    );
}

#[test]
fn a_name_can_be_freed_that_a_call_has_taken() {
    let mut world = World::new();
    world.create("q");
    world.call(DeleteQueueInput::new("q")).expect("deleted");
    let again = || CreateQueueInput::new("q");
    assert_eq!(world.call(again()), Err(ErrorCode::QueueDeletedRecently));
    assert_eq!(world.control("q", ControlAction::FreeName), Ok(()));
    assert!(world.call(again()).is_ok());
    // Also when there is nothing to free.
    assert_eq!(world.control("r", ControlAction::FreeName), Ok(()));
    // What was freed does not come back when the deletion would have been forgotten.
    world.call(DeleteQueueInput::new("q")).expect("deleted");
    world.wait(59);
    assert_eq!(world.call(again()), Err(ErrorCode::QueueDeletedRecently));
}

#[test]
fn a_message_is_deleted_in_whatever_state_and_once() {
    let mut world = World::new();
    world.create("q.fifo");
    let [a, b, c] = ["a1", "a2", "b1"].map(|body| world.send("q.fifo", body));
    let received = world.receive("q.fifo");
    assert_eq!(received.len(), 3);
    let delete = |id| ControlAction::DeleteMessage { id };
    for id in [b, a, c] {
        assert_eq!(world.control("q.fifo", delete(id)), Ok(()));
        assert_eq!(world.control("q.fifo", delete(id)), Err(Missing::Message));
    }
    assert_eq!(world.control("r", delete(a)), Err(Missing::Queue));
    // As after a DeleteMessage: the handle's message is gone, which is a success.
    let gone = DeleteMessageInput::new("q.fifo", handle(&received[0]));
    assert!(world.call(gone).is_ok());
    // And the send is still remembered.
    assert_eq!(world.send("q.fifo", "a1"), a);
    assert_eq!(world.queue("q.fifo").counts().total(), 0);
}

#[test]
fn a_released_message_is_visible_and_its_group_goes_on() {
    let mut world = World::new();
    world.create("q.fifo");
    let [a1, _a2] = ["a1", "a2"].map(|body| world.send("q.fifo", body));
    let mut input = ReceiveMessageInput::new("q.fifo");
    input.max_number_of_messages = Some(1);
    world.call(input).expect("received");
    assert_eq!(world.bodies("q.fifo"), [""; 0], "a1 blocks its group");
    let release = ControlAction::ReleaseMessage { id: a1 };
    assert_eq!(world.control("q.fifo", release), Ok(()));
    assert_eq!(world.bodies("q.fifo"), ["a1", "a2"]);

    world.create("q");
    let mut late = SendMessageInput::new("q", "late");
    late.delay_seconds = Some(900);
    world.call(late).expect("sent");
    let id = world.queue("q").messages().next().expect("there").id();
    let release = ControlAction::ReleaseMessage { id };
    assert_eq!(world.control("q", release), Ok(()));
    assert_eq!(world.control("q", release), Ok(()), "it is visible already");
    assert_eq!(world.bodies("q"), ["late"]);
    let unknown = "01234567-89ab-4cde-8f01-23456789abcd"
        .parse()
        .expect("an id");
    let release = ControlAction::ReleaseMessage { id: unknown };
    assert_eq!(world.control("q", release), Err(Missing::Message));
}

#[test]
fn a_release_answers_the_poll_that_waits() {
    let mut world = World::new();
    world.create("q");
    let id = world.send("q", "a");
    assert_eq!(world.bodies("q"), ["a"]);
    let mut input = ReceiveMessageInput::new("q");
    input.wait_time_seconds = Some(20);
    let context = Context::new(ACCOUNT, "test", REGION, "http://localhost");
    let request = input.into();
    let waits = world
        .engine
        .perform(world.now, Command::Handle { context, request });
    let Effect::Call(Outcome::Waiting(poll)) = waits else {
        panic!("{waits:?}")
    };
    let seen: Vec<_> = world.queue("q").polls().map(|poll| poll.id()).collect();
    assert_eq!(seen, [poll]);
    let view = world.queue("q").polls().next().expect("one");
    assert_eq!(view.ends_at(), world.now.after(Duration::from_secs(20)));
    assert_eq!(view.max_messages(), 1);
    let release = ControlAction::ReleaseMessage { id };
    assert_eq!(world.control("q", release), Ok(()));
    let (answered, answer) = world.engine.poll_completed().expect("answered");
    assert_eq!(answered, poll);
    assert!(answer.is_ok());
    assert_eq!(world.queue("q").polls().count(), 0);
}

#[test]
fn the_handle_that_is_shown_is_the_one_that_was_given() {
    let mut world = World::new();
    world.create("q");
    world.send("q", "a");
    world.send("q", "b");
    assert_eq!(world.handles("q"), [("a".into(), None), ("b".into(), None)]);
    let received = world.receive("q");
    let given = |messages: &[Message]| -> Vec<_> {
        messages
            .iter()
            .map(|message| (message.body.clone().expect("a body"), Some(handle(message))))
            .collect()
    };
    assert_eq!(world.handles("q"), given(&received));

    // A change of the timeout is none of the handle.
    world.wait(5);
    let change = ChangeMessageVisibilityInput::new("q", handle(&received[0]), 100);
    world.call(change).expect("changed");
    assert_eq!(world.handles("q"), given(&received));

    // A later receive has another one.
    world.wait(30);
    let again = world.receive("q");
    let shown = world.handles("q");
    assert_eq!(shown[0].1.as_deref(), Some(&*handle(&received[0])));
    assert_eq!(shown[1].1.as_deref(), Some(&*handle(&again[0])));
    assert_ne!(shown[1].1.as_deref(), Some(&*handle(&received[1])));

    // One that is visible again, and is hidden by its old handle, is held by that one.
    world.wait(100);
    assert_eq!(world.handles("q"), [("a".into(), None), ("b".into(), None)]);
    let change = ChangeMessageVisibilityInput::new("q", handle(&received[0]), 10);
    world.call(change).expect("changed");
    assert_eq!(
        world.handles("q")[0].1.as_deref(),
        Some(&*handle(&received[0]))
    );
}

#[test]
fn messages_are_looked_at_by_state_and_page_by_page() {
    let mut world = World::new();
    world.create("q");
    for number in 0..6 {
        let mut input = SendMessageInput::new("q", number.to_string());
        // The later it is sent, the sooner it is visible.
        input.delay_seconds = (number > 3).then_some(100 - number);
        world.call(input).expect("sent");
    }
    let mut receive = ReceiveMessageInput::new("q");
    receive.max_number_of_messages = Some(2);
    world.call(receive).expect("received");
    let queue = world.queue("q");
    let bodies = |messages: &mut dyn Iterator<Item = _>| -> Vec<String> {
        messages
            .map(|message: sqs_engine::inspect::MessageView<'_>| message.body().to_owned())
            .collect()
    };
    assert_eq!(bodies(&mut queue.delayed_after(None)), ["5", "4"]);
    assert_eq!(bodies(&mut queue.in_flight_after(None)), ["0", "1"]);
    assert_eq!(bodies(&mut queue.messages_after(None)).len(), 6);

    let first = queue.delayed_after(None).next().expect("one");
    let place = first.due_place().expect("it is delayed").to_string();
    let place = place.parse().expect("a place");
    assert_eq!(bodies(&mut queue.delayed_after(Some(place))), ["4"]);
    let first = queue.in_flight_after(None).next().expect("one");
    assert_eq!(bodies(&mut queue.in_flight_after(first.due_place())), ["1"]);
    let third = queue.messages().nth(2).expect("three");
    assert_eq!(third.due_place(), None, "it is visible");
    let place = third.place().to_string().parse().expect("a place");
    assert_eq!(
        bodies(&mut queue.messages_after(Some(place))),
        ["3", "4", "5"]
    );
}

#[test]
fn queues_are_looked_at_by_place_and_page_by_page() {
    let mut world = World::new();
    for account in ["111111111111", "222222222222"] {
        for region in ["eu-west-1", "us-east-1"] {
            for name in ["a1", "a2", "b"] {
                let create = CreateQueueInput::new(name).into();
                world.call_in(account, region, create).expect("created");
            }
        }
    }
    let inspect = world.engine.inspect();
    let all = QueueFilter::default();
    let list = |filter, after: Option<&QueueAddress>| -> Vec<QueueAddress> {
        inspect
            .queues_after(filter, after)
            .map(|queue| QueueAddress::new(queue.account(), queue.region(), queue.name()))
            .collect()
    };
    let everything = list(all, None);
    assert_eq!(everything.len(), 12);
    assert!(everything.is_sorted());
    for filter in [
        all,
        QueueFilter {
            account: Some("222222222222"),
            ..all
        },
        QueueFilter {
            region: Some("us-east-1"),
            ..all
        },
        QueueFilter { prefix: "a", ..all },
        QueueFilter {
            account: Some("111111111111"),
            region: Some("eu-west-1"),
            prefix: "b",
        },
        QueueFilter {
            account: Some("3"),
            ..all
        },
    ] {
        let expected: Vec<_> = everything
            .iter()
            .filter(|queue| {
                filter
                    .account
                    .is_none_or(|account| queue.account == account)
                    && filter.region.is_none_or(|region| queue.region == region)
                    && queue.name.starts_with(filter.prefix)
            })
            .cloned()
            .collect();
        assert_eq!(list(filter, None), expected, "{filter:?}");
        let gone = [
            "0/x/a1",
            "111111111111/eu-west-1/a11",
            "111111111111/f/a",
            "2/a/a",
            "9/x/y",
        ];
        let gone = gone.map(|text| {
            let mut parts = text.split('/');
            let mut part = || parts.next().expect("three parts");
            QueueAddress::new(part(), part(), part())
        });
        for after in everything.iter().chain(&gone) {
            let later: Vec<_> = expected
                .iter()
                .filter(|queue| *queue > after)
                .cloned()
                .collect();
            assert_eq!(list(filter, Some(after)), later, "{filter:?} after {after}");
        }
    }
}

#[test]
fn deduplication_ids_are_looked_at_page_by_page() {
    let mut world = World::new();
    world.create("q.fifo");
    for body in ["a", "b", "c"] {
        world.send("q.fifo", body);
        world.wait(100);
    }
    let ids = |after: Option<&str>| -> Vec<String> {
        let queue = world.queue("q.fifo");
        match after {
            None => queue
                .deduplication_ids()
                .map(|id| id.id().to_owned())
                .collect(),
            Some(after) => queue
                .deduplication_ids_after(after)
                .map(|id| id.id().to_owned())
                .collect(),
        }
    };
    assert_eq!(ids(None), ["b", "c"], "five minutes are over for the first");
    let first = world
        .queue("q.fifo")
        .deduplication_ids()
        .next()
        .expect("one")
        .sequence_number();
    assert_eq!(ids(Some(&first)), ["c"]);
    assert_eq!(ids(Some("x")), ["b", "c"]);
    assert_eq!(ids(Some("99999999999999999999")), [""; 0]);
}
