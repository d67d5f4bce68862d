//! The journal of a server in this process.

use std::fmt;
use std::time::Duration;

use sqs::Operation;

use crate::control::Control;
use crate::journal::{Entry, Filter, Query, Reach, Request};
use crate::{FakeSqs, QueueHandle};

/// What was asked of the server. See [`journal`](crate::journal).
impl FakeSqs {
    /// All requests that were made, oldest first, as far as the journal still has them. A request is
    /// there before its client has the answer.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.requests_where(&Filter::new())
    }

    /// The requests that a filter lets through, oldest first.
    ///
    /// Why a signature was refused is found out after the answer; [`wait_for`](Self::wait_for) waits
    /// for that.
    #[must_use]
    pub fn requests_where(&self, filter: &Filter) -> Vec<Request> {
        self.remote().control.journal().look(filter)
    }

    /// Waits until there are at least so many requests that a filter lets through, and gives them.
    ///
    /// It does not matter what the caller's runtime can do, nor whether its time is paused: the wait
    /// is the server's, and real.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    ///
    /// use fake_sqs::FakeSqs;
    /// use fake_sqs::journal::{Filter, Outcome};
    /// # use sqs::*;
    ///
    /// let server = FakeSqs::start().await;
    /// # let client = Client::new(Client::builder()
    /// #     .endpoint(server.endpoint_url())
    /// #     .region(server.region())
    /// #     .credentials(&fake_sqs::Credential::new("test", "not its secret")?)
    /// #     .build()?);
    /// # let _ = client.list_queues(ListQueuesInput::default()).await;
    /// // … the code under test signs with the wrong secret …
    /// let refused = Filter::new().outcome(Outcome::Refused);
    /// let requests = server.wait_for(&refused, 1, Duration::from_secs(60)).await?;
    /// let refusal = requests[0].refusal.as_ref().ok_or("it was refused")?;
    /// println!("{}; {}", refusal.explanation, refusal.advice);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`TooFew`] when there are fewer by then.
    pub async fn wait_for(
        &self,
        filter: &Filter,
        at_least: usize,
        bound: Duration,
    ) -> Result<Vec<Request>, TooFew> {
        let query = Query {
            filter: filter.clone(),
            reach: Reach::Oldest {
                limit: usize::MAX,
                at_least,
            },
        };
        let read = |control: Control| async move { control.journal().read(&query, bound).await };
        let found = match self.remote().spawn(read).await {
            Ok(page) => page.requests,
            // The server has stopped.
            Err(_) => self.requests_where(filter),
        };
        if found.len() >= at_least {
            Ok(found)
        } else {
            Err(TooFew {
                wanted: at_least,
                found,
            })
        }
    }
}

/// What the journal knows of this queue. Requests of every account are meant, in the region of the
/// handle, that name a queue of this name.
impl QueueHandle {
    /// The ids of the messages that were sent, in their order.
    #[must_use]
    pub fn sent(&self) -> Vec<String> {
        let filter = Filter::new()
            .action(Operation::SendMessage)
            .action(Operation::SendMessageBatch);
        let requests = self.control().journal().look(&self.only(filter));
        requests
            .into_iter()
            .flat_map(|request| request.message_ids)
            .collect()
    }

    /// How often a message was received.
    #[must_use]
    pub fn received(&self, id: impl fmt::Display) -> usize {
        self.count(Filter::new().action(Operation::ReceiveMessage), id)
    }

    /// How often a message was deleted. A standard queue lets a message be deleted again after it is
    /// gone.
    #[must_use]
    pub fn deleted(&self, id: impl fmt::Display) -> usize {
        let filter = Filter::new()
            .action(Operation::DeleteMessage)
            .action(Operation::DeleteMessageBatch);
        self.count(filter, id)
    }

    /// The requests that set the visibility timeout of a message. Those that came too late have it
    /// among their [`stale_ids`](Request::stale_ids).
    #[must_use]
    pub fn visibility_changes(&self, id: impl fmt::Display) -> Vec<Request> {
        let filter = Filter::new()
            .action(Operation::ChangeMessageVisibility)
            .action(Operation::ChangeMessageVisibilityBatch)
            .message_id(id);
        self.control().journal().look(&self.only(filter))
    }

    fn only(&self, filter: Filter) -> Filter {
        let address = self.address();
        filter.queue(&*address.name).region(&*address.region)
    }

    /// How often a message is among those of the requests: one request can have it twice.
    fn count(&self, filter: Filter, id: impl fmt::Display) -> usize {
        let id = id.to_string();
        let filter = self.only(filter).message_id(&id);
        let of = |entry: &Entry| {
            entry
                .message_ids()
                .iter()
                .filter(|other| **other == id)
                .count()
        };
        self.control().journal().count(&filter, of)
    }
}

/// There were not as many requests as were waited for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub struct TooFew {
    /// How many were waited for.
    pub wanted: usize,
    /// Those that there are.
    pub found: Vec<Request>,
}

/// Says what there is, one request a line.
impl fmt::Display for TooFew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wanted, found } = self;
        write!(f, "there are {} of {wanted} requests", found.len())?;
        for request in found {
            let action = request.action.map_or("no action", Operation::name);
            let queue = request.queue.as_deref().unwrap_or("no queue");
            write!(
                f,
                "\n{} {action} {queue} {}",
                request.seq,
                request.outcome.name()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::journal::Outcome;

    /// A server with a queue that has a message, and the message's id.
    async fn with_message() -> (FakeSqs, String) {
        let server = FakeSqs::start().await;
        let client = client(&server);
        let created = client
            .create_queue(sqs::CreateQueueInput::new("orders"))
            .await;
        created.expect("created");
        let sent = client
            .send_message(sqs::SendMessageInput::new("orders", "hello"))
            .await;
        let id = sent.expect("sent").message_id.expect("an id");
        (server, id)
    }

    fn client(server: &FakeSqs) -> sqs::Client {
        let client = sqs::Client::builder()
            .endpoint(server.endpoint_url())
            .region(server.region())
            .credentials(server.credentials());
        sqs::Client::new(client.build().expect("a client"))
    }

    #[test]
    fn a_test_that_has_no_runtime_left_and_blocks_its_thread_can_ask() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let (server, id) = runtime.block_on(with_message());
        drop(runtime);
        assert_eq!(server.requests().len(), 2);
        let orders = server.queue("orders");
        assert_eq!(orders.sent(), *std::slice::from_ref(&id));
        assert_eq!((orders.received(&id), orders.deleted(&id)), (0, 0));
        assert_eq!(server.queue("bills").sent(), Vec::<String>::new());
        assert_eq!(orders.in_region("eu-west-1").sent(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn what_comes_while_it_waits_ends_a_wait() {
        let (server, id) = with_message().await;
        let deleted = Filter::new()
            .action(Operation::DeleteMessage)
            .message_id(&id);
        let work = async {
            let client = client(&server);
            let input = sqs::ReceiveMessageInput::new("orders");
            let received = client.receive_message(input).await.expect("received");
            let handle = received.messages[0]
                .receipt_handle
                .clone()
                .expect("a handle");
            let change = sqs::ChangeMessageVisibilityInput::new("orders", &*handle, 60);
            client
                .change_message_visibility(change)
                .await
                .expect("changed");
            for _ in 0..2 {
                let input = sqs::DeleteMessageInput::new("orders", &*handle);
                client.delete_message(input).await.expect("deleted");
            }
        };
        let (found, ()) = tokio::join!(server.wait_for(&deleted, 2, Duration::from_secs(60)), work);
        let found = found.expect("both");
        assert_eq!((found.len(), &found[1].stale_ids), (2, &vec![id.clone()]));
        let orders = server.queue("orders");
        assert_eq!((orders.received(&id), orders.deleted(&id)), (1, 2));
        let changes = orders.visibility_changes(&id);
        assert_eq!((changes.len(), changes[0].stale_ids.len()), (1, 0));
        assert_eq!(changes[0].outcome, Outcome::Ok);
    }

    #[tokio::test]
    async fn a_client_that_hangs_up_is_seen() {
        let (server, _) = with_message().await;
        let client = client(&server);
        client
            .create_queue(sqs::CreateQueueInput::new("bills"))
            .await
            .expect("created");
        let input = sqs::ReceiveMessageInput {
            wait_time_seconds: Some(20),
            ..sqs::ReceiveMessageInput::new("bills")
        };
        let poll = tokio::spawn(async move { client.receive_message(input).await });
        while server
            .queue("bills")
            .waiting_polls()
            .await
            .expect("it is there")
            == 0
        {
            tokio::task::yield_now().await;
        }
        poll.abort();
        let hung_up = Filter::new().outcome(Outcome::HungUp);
        let found = server.wait_for(&hung_up, 1, Duration::from_secs(60)).await;
        assert_eq!(
            found.expect("it is noticed")[0].queue.as_deref(),
            Some("bills")
        );
    }

    #[tokio::test]
    async fn a_wait_in_vain_says_what_there_is() {
        let (server, _) = with_message().await;
        let sends = Filter::new().action(Operation::SendMessage);
        let error = server.wait_for(&sends, 2, Duration::from_millis(1)).await;
        let error = error.expect_err("there is one");
        assert_eq!((error.wanted, error.found.len()), (2, 1));
        let expected = "there are 1 of 2 requests\n2 SendMessage orders ok";
        assert_eq!(error.to_string(), expected);
    }

    #[tokio::test]
    async fn the_typed_record_is_the_one_of_the_control_interface() {
        let (server, id) = with_message().await;
        let found = server.requests_where(&Filter::new().message_id(&id).after(1));
        let written: Value = serde_json::to_value(&found[0]).expect("JSON");
        assert_eq!(written["action"], "SendMessage");
        assert_eq!(written["outcome"], "ok");
        assert_eq!(written["message_ids"], json!([id]));
    }
}
