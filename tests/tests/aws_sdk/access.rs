//! Tags, permissions, and what another account may do.

use std::collections::HashMap;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{MessageSystemAttributeName, QueueAttributeName};
use conformance::bound::within;
use conformance::wire::Wire;
use conformance::{on_each_wire, sdk};
use fake_sqs::{FakeSqs, InFlightLimits};
use serde_json::{Value, json};

use crate::{arn, bodies, create, receive, refused, send};

on_each_wire! {
    tags_are_added_listed_and_taken_away,
    permissions_are_statements_of_the_policy,
    another_account_is_let_in_where_a_permission_says_so,
    a_policy_that_denies_wins,
    over_limit,
}

const OTHER: &str = "111122223333";

/// A server with two accounts, a client for each, and the URL of the first one's queue `orders`.
async fn accounts(wire: Wire) -> (FakeSqs, Client, Client, String) {
    let credential = |text: &str| text.parse().expect("a credential");
    let server = FakeSqs::builder()
        .credential(credential("owner:owner"))
        .credential(credential("other:other:111122223333"))
        .start()
        .await
        .expect("a server");
    let owner = sdk::client(&server, wire);
    let other = sdk::client_with_credentials(&server, wire, "other", "other");
    let url = create(&owner, "orders").await;
    (server, owner, other, url)
}

async fn permit(sqs: &Client, url: &str, label: &str, actions: &[&str]) {
    let actions = actions.iter().map(|&action| action.to_owned()).collect();
    let call = sqs
        .add_permission()
        .queue_url(url)
        .label(label)
        .aws_account_ids(OTHER)
        .set_actions(Some(actions));
    within(call.send()).await.expect("the permission is added");
}

async fn policy(sqs: &Client, url: &str) -> Option<Value> {
    let call = sqs
        .get_queue_attributes()
        .queue_url(url)
        .attribute_names(QueueAttributeName::Policy);
    let attributes = within(call.send()).await.expect("attributes").attributes?;
    let text = attributes.get(&QueueAttributeName::Policy)?;
    Some(serde_json::from_str(text).expect("a policy is JSON"))
}

/// What a caller of the other account is told.
fn denied(action: &str) -> (u16, String, String) {
    let queue = arn("orders");
    let text = format!(
        "User: arn:aws:iam::{OTHER}:root is not authorized to perform: sqs:{action} on resource: \
         {queue} because no identity-based policy allows the sqs:{action} action"
    );
    (403, "AccessDenied".to_owned(), text)
}

async fn tags_are_added_listed_and_taken_away(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client(&server, wire);
    let call = sqs.create_queue().queue_name("orders").tags("team", "shop");
    let url = within(call.send()).await.expect("a queue").queue_url;
    let url = url.expect("its URL");
    let call = sqs
        .tag_queue()
        .queue_url(&url)
        .tags("env", "")
        .tags("a", "b");
    within(call.send()).await.expect("it is tagged");
    let list = || within(sqs.list_queue_tags().queue_url(&url).send());
    let pairs = |pairs: &[(&str, &str)]| -> HashMap<String, String> {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    };
    assert_eq!(
        list().await.expect("tags").tags,
        Some(pairs(&[("team", "shop"), ("env", ""), ("a", "b")]))
    );
    let call = sqs
        .untag_queue()
        .queue_url(&url)
        .tag_keys("a")
        .tag_keys("none");
    within(call.send()).await.expect("it is untagged");
    assert_eq!(
        list().await.expect("tags").tags,
        Some(pairs(&[("team", "shop"), ("env", "")]))
    );
    let call = sqs
        .untag_queue()
        .queue_url(&url)
        .tag_keys("team")
        .tag_keys("env");
    within(call.send()).await.expect("it is untagged");
    assert_eq!(list().await.expect("an answer").tags, None);

    let call = sqs
        .create_queue()
        .queue_name("orders")
        .tags("team", "other");
    assert_refused!(
        call,
        is_queue_name_exists,
        400,
        "QueueAlreadyExists",
        "A queue already exists with the same name and a different value for tags"
    );
}

async fn permissions_are_statements_of_the_policy(wire: Wire) {
    let (_server, owner, _, url) = accounts(wire).await;
    assert_eq!(policy(&owner, &url).await, None);
    permit(&owner, &url, "one", &["SendMessage"]).await;
    permit(&owner, &url, "many", &["ReceiveMessage", "DeleteMessage"]).await;
    let queue = arn("orders");
    let statement = |sid: &str, action: Value| {
        json!({
            "Sid": sid,
            "Effect": "Allow",
            "Principal": {"AWS": format!("arn:aws:iam::{OTHER}:root")},
            "Action": action,
            "Resource": queue,
        })
    };
    let expected = json!({
        "Version": "2008-10-17",
        "Id": format!("{queue}/SQSDefaultPolicy"),
        "Statement": [
            statement("one", json!("SQS:SendMessage")),
            statement("many", json!(["SQS:ReceiveMessage", "SQS:DeleteMessage"])),
        ],
    });
    assert_eq!(policy(&owner, &url).await, Some(expected));
    for label in ["one", "many"] {
        let call = owner.remove_permission().queue_url(&url).label(label);
        within(call.send()).await.expect("it is removed");
    }
    assert_eq!(policy(&owner, &url).await, None);
    let call = owner.remove_permission().queue_url(&url).label("one");
    let refused = refused(within(call.send()).await);
    assert_eq!(
        (refused.status, &*refused.code, &*refused.message),
        (
            400,
            "InvalidParameterValue",
            "Value one for parameter Label is invalid. Reason: can't find label."
        )
    );
}

async fn another_account_is_let_in_where_a_permission_says_so(wire: Wire) {
    let (_server, owner, other, url) = accounts(wire).await;
    let write = || {
        within(
            other
                .send_message()
                .queue_url(&url)
                .message_body("a")
                .send(),
        )
    };
    let find = || {
        other
            .get_queue_url()
            .queue_name("orders")
            .queue_owner_aws_account_id("000000000000")
    };
    let refusal = refused(write().await);
    assert_eq!(
        (refusal.status, refusal.code, refusal.message),
        denied("sendmessage")
    );
    assert_refused!(
        find(),
        is_queue_does_not_exist,
        400,
        "AWS.SimpleQueueService.NonExistentQueue",
        "The specified queue does not exist or you do not have access to it."
    );

    permit(&owner, &url, "writers", &["SendMessage", "GetQueueUrl"]).await;
    let found = within(find().send()).await.expect("a queue");
    assert_eq!(found.queue_url(), Some(&*url));
    send(&other, &url, "from outside").await;
    let refusal = refused(within(other.receive_message().queue_url(&url).send()).await);
    assert_eq!(
        (refusal.status, refusal.code, refusal.message),
        denied("receivemessage")
    );

    let call = owner
        .receive_message()
        .queue_url(&url)
        .message_system_attribute_names(MessageSystemAttributeName::SenderId);
    let messages = within(call.send()).await.expect("an answer").messages;
    let messages = messages.expect("a message");
    assert_eq!(bodies(&messages), ["from outside"]);
    let attributes = messages[0].attributes().expect("attributes");
    assert_eq!(attributes[&MessageSystemAttributeName::SenderId], OTHER);

    let call = owner.remove_permission().queue_url(&url).label("writers");
    within(call.send()).await.expect("it is removed");
    let refusal = refused(write().await);
    assert_eq!(
        (refusal.status, refusal.code, refusal.message),
        denied("sendmessage")
    );
}

async fn a_policy_that_denies_wins(wire: Wire) {
    let (_server, owner, other, url) = accounts(wire).await;
    let policy = json!({
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": "*", "Action": "sqs:*", "Resource": "*"},
            {
                "Effect": "Deny",
                "Principal": {"AWS": OTHER},
                "Action": "sqs:Receive*",
                "Resource": arn("*"),
            },
        ],
    });
    let call = owner
        .set_queue_attributes()
        .queue_url(&url)
        .attributes(QueueAttributeName::Policy, policy.to_string());
    within(call.send()).await.expect("the policy is set");
    send(&other, &url, "from outside").await;
    let refusal = refused(within(other.receive_message().queue_url(&url).send()).await);
    assert_eq!((refusal.status, &*refusal.code), (403, "AccessDenied"));
    assert_eq!(bodies(&receive(&owner, &url).await), ["from outside"]);
}

async fn over_limit(wire: Wire) {
    let (_server, owner, _, url) = accounts(wire).await;
    let actions = vec!["SendMessage".to_owned(); 8];
    let call = owner
        .add_permission()
        .queue_url(&url)
        .label("many")
        .aws_account_ids(OTHER)
        .set_actions(Some(actions));
    assert_refused!(
        call,
        is_over_limit,
        403,
        "OverLimit",
        "8 Actions were found, maximum allowed is 7."
    );

    let limits = InFlightLimits {
        standard: 2,
        ..InFlightLimits::default()
    };
    let server = FakeSqs::builder().in_flight_limits(limits).start().await;
    let server = server.expect("a server");
    let sqs = sdk::client(&server, wire);
    let url = create(&sqs, "orders").await;
    for body in ["one", "two", "three"] {
        send(&sqs, &url, body).await;
    }
    let in_flight = receive(&sqs, &url).await;
    assert_eq!(bodies(&in_flight), ["one", "two"]);
    assert_refused!(
        sqs.receive_message().queue_url(&url),
        is_over_limit,
        403,
        "OverLimit",
        "Too many messages have been received without being deleted.\n\
         Please delete your received messages or let them timeout before receiving more."
    );
    let call = sqs
        .delete_message()
        .queue_url(&url)
        .set_receipt_handle(in_flight[0].receipt_handle.clone());
    within(call.send()).await.expect("it is deleted");
    assert_eq!(bodies(&receive(&sqs, &url).await), ["three"]);
}
