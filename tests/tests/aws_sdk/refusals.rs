//! Requests that are not signed as they must be, made with the SDK's own means.

use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::interceptors::BeforeTransmitInterceptorContextMut;
use aws_sdk_sqs::config::retry::RetryConfig;
use aws_sdk_sqs::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_sqs::error::BoxError;
use aws_smithy_async::time::StaticTimeSource;
use conformance::bound::within;
use conformance::wire::Wire;
use conformance::{clock, on_each_wire, sdk};
use fake_sqs::FakeSqs;

use crate::{create, receive, refused};

on_each_wire! {
    a_wrong_secret_is_refused,
    an_unknown_key_is_refused,
    a_request_without_signature_is_refused,
    a_body_changed_after_signing_is_refused,
    a_wrong_clock_is_refused,
    a_wrong_clock_is_corrected_from_the_date_of_the_answer,
}

const MISMATCH: &str = "The request signature we calculated does not match the signature you \
    provided. Check your AWS Secret Access Key and signing method. Consult the service \
    documentation for details.";

async fn a_wrong_secret_is_refused(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client_with_credentials(&server, wire, "test", "wrong");
    let refused = refused(within(sqs.list_queues().send()).await);
    assert_eq!(
        (refused.status, &*refused.code),
        (403, "SignatureDoesNotMatch")
    );
    assert!(refused.message.starts_with(MISMATCH), "{}", refused.message);
}

async fn an_unknown_key_is_refused(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client_with_credentials(&server, wire, "AKIDEXAMPLE", "test");
    let refused = refused(within(sqs.list_queues().send()).await);
    assert_eq!(
        (refused.status, &*refused.code),
        (403, "InvalidClientTokenId")
    );
    assert_eq!(
        refused.message,
        "The security token included in the request is invalid."
    );
}

async fn a_request_without_signature_is_refused(wire: Wire) {
    let server = FakeSqs::start().await;
    let sqs = sdk::client_without_credentials(&server, wire);
    let refused = refused(within(sqs.list_queues().send()).await);
    assert_eq!((refused.status, &*refused.code), (403, "AccessDenied"));
}

/// Replaces the body of a request that is signed already.
#[derive(Debug)]
struct Forger(&'static str);

impl Intercept for Forger {
    fn name(&self) -> &'static str {
        "Forger"
    }

    fn modify_before_transmit(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let body = context.request().body().bytes().ok_or("a body in memory")?;
        let forged = String::from_utf8(body.to_vec())?.replace("alice", self.0);
        *context.request_mut().body_mut() = forged.into();
        Ok(())
    }
}

async fn a_body_changed_after_signing_is_refused(wire: Wire) {
    let server = FakeSqs::start().await;
    let url = create(&sdk::client(&server, wire), "orders").await;
    let attempt = async |body| {
        let config = sdk::config(&server, wire).interceptor(Forger(body)).build();
        let call = Client::from_conf(config).send_message().queue_url(&url);
        within(call.message_body("pay alice").send()).await
    };

    let refused = refused(attempt("mallo").await);
    assert_eq!(
        (refused.status, &*refused.code),
        (403, "SignatureDoesNotMatch")
    );
    assert!(receive(&sdk::client(&server, wire), &url).await.is_empty());
    // The same way with the same body is accepted: it was the change that was refused.
    attempt("alice").await.expect("the message is accepted");
}

fn client_with_clock(
    server: &FakeSqs,
    wire: Wire,
    time: StaticTimeSource,
    retry: RetryConfig,
) -> Client {
    Client::from_conf(
        sdk::config(server, wire)
            .time_source(time)
            .retry_config(retry)
            .build(),
    )
}

async fn a_wrong_clock_is_refused(wire: Wire) {
    let server = FakeSqs::start().await;
    let sixteen_minutes = Duration::from_secs(16 * 60);
    for (time, text) in [
        (clock::now() - sixteen_minutes, "Signature expired: "),
        (
            clock::now() + sixteen_minutes,
            "Signature not yet current: ",
        ),
    ] {
        let time = StaticTimeSource::new(time);
        let sqs = client_with_clock(&server, wire, time, RetryConfig::disabled());
        let refused = refused(within(sqs.list_queues().send()).await);
        assert_eq!(
            (refused.status, &*refused.code),
            (403, "SignatureDoesNotMatch")
        );
        assert!(refused.message.starts_with(text), "{}", refused.message);
    }
}

async fn a_wrong_clock_is_corrected_from_the_date_of_the_answer(wire: Wire) {
    let server = FakeSqs::start().await;
    let stale = StaticTimeSource::new(clock::now() - Duration::from_secs(3600));
    let sqs = client_with_clock(&server, wire, stale, RetryConfig::standard());
    within(sqs.list_queues().send())
        .await
        .expect("the second attempt is accepted");
}
