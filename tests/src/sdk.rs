//! Amazon's SDK for Rust, pointed at a server under test.
//!
//! It is built without default features and gets one HTTP client that speaks plain HTTP, so
//! that no TLS stack of its own is compiled.
//!
//! It speaks JSON. On [`Wire::Query`] an interceptor writes its request as a form, once and before it
//! is signed, so that the SDK's own signer, clock, credentials and retries are at work on that; and the
//! HTTP client reads each answer back.

use aws_sdk_sqs::config::http::HttpRequest;
use aws_sdk_sqs::config::interceptors::BeforeTransmitInterceptorContextMut;
use aws_sdk_sqs::config::retry::RetryConfig;
use aws_sdk_sqs::config::{
    BehaviorVersion, Builder, ConfigBag, Credentials, Intercept, Region, RuntimeComponents,
};
use aws_sdk_sqs::error::{BoxError, ConnectorError};
use aws_sdk_sqs::{Client, Config};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use fake_sqs::FakeSqs;
use http_body_util::BodyExt;

use crate::raw::Answer;
use crate::wire::{Wire, action_of, answer, form};

/// A client with the server's own credentials, in its region.
#[must_use]
pub fn client(server: &FakeSqs, wire: Wire) -> Client {
    Client::from_conf(config(server, wire).build())
}

/// A client that signs with another key and secret.
#[must_use]
pub fn client_with_credentials(server: &FakeSqs, wire: Wire, key: &str, secret: &str) -> Client {
    let config = config(server, wire).credentials_provider(credentials(key, secret));
    Client::from_conf(config.build())
}

/// A client that signs nothing.
#[must_use]
pub fn client_without_credentials(server: &FakeSqs, wire: Wire) -> Client {
    let config = config_without_credentials(server, wire).allow_no_auth();
    Client::from_conf(config.build())
}

/// What [`client`] is made of, for a test that changes a part of it.
///
/// Nothing is tried again: a refusal is what a test wants to see.
#[must_use]
pub fn config(server: &FakeSqs, wire: Wire) -> Builder {
    let own = server.credentials();
    config_without_credentials(server, wire)
        .credentials_provider(credentials(own.access_key_id(), own.secret_access_key()))
}

fn config_without_credentials(server: &FakeSqs, wire: Wire) -> Builder {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(server.endpoint_url())
        .region(Region::new(server.region()))
        .retry_config(RetryConfig::disabled());
    let http = aws_smithy_http_client::Builder::new().build_http();
    match wire {
        Wire::Json => config.http_client(http),
        Wire::Query => config.http_client(Reader(http)).interceptor(Writer),
    }
}

fn credentials(key: &str, secret: &str) -> Credentials {
    Credentials::new(key, secret, None, None, "tests")
}

/// Writes the SDK's request as a form.
#[derive(Debug)]
struct Writer;

impl Intercept for Writer {
    fn name(&self) -> &'static str {
        "Writer"
    }

    fn modify_before_retry_loop(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request_mut();
        let body = request.body().bytes().ok_or("a body in memory")?;
        let headers = request.headers();
        let target = headers.get("x-amz-target").ok_or("a target")?;
        let (_, action) = target.split_once('.').ok_or("an operation")?;
        let form = form::form(action, body)?;
        let headers = request.headers_mut();
        headers.remove("x-amz-target");
        headers.remove("x-amzn-query-mode");
        headers.insert("content-type", form::FORM);
        headers.insert("content-length", form.len().to_string());
        *request.body_mut() = form.into();
        Ok(())
    }
}

/// Reads XML as JSON, behind an HTTP client.
#[derive(Debug)]
struct Reader<T>(T);

impl HttpClient for Reader<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Reader(self.0.http_connector(settings, components)))
    }
}

impl HttpConnector for Reader<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let action = action_of(request.body().bytes().unwrap_or_default());
        let answer = self.0.call(request);
        HttpConnectorFuture::new(async move {
            let answer = answer.await?.try_into_http1x();
            let (parts, body) = answer.map_err(|error| other(error.into()))?.into_parts();
            let body = body.collect().await;
            let body = body.map_err(ConnectorError::io)?;
            let answer = Answer {
                status: parts.status,
                headers: parts.headers,
                body: body.to_bytes(),
            };
            read(&action, answer).map_err(other)
        })
    }
}

fn read(action: &str, answer: Answer) -> Result<HttpResponse, BoxError> {
    let answer = answer::as_json(action, answer)?;
    let mut response = http::Response::new(answer.body.into());
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    Ok(response.try_into()?)
}

fn other(error: BoxError) -> ConnectorError {
    ConnectorError::other(error, None)
}
