use std::time::UNIX_EPOCH;

use http::Request;
use http_body_util::Full;
use sigv4::{Claim, HeaderList, Secret, SigningKey, VerifySettings};

use super::attempt::Attempt;
use super::skew::Skew;
use super::*;
use crate::codec::content_type::Version;

/// 2015-08-30 12:36:00 UTC.
const NOW: Duration = Duration::from_secs(1_440_938_160);

fn client(service: Service, url: &str, credentials: Credentials) -> Client {
    Client::builder(service)
        .endpoint(url)
        .credentials(credentials)
        .time_source(|| UNIX_EPOCH + NOW)
        .build()
        .unwrap()
}

fn credentials() -> Credentials {
    Credentials::new("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
}

/// The request as the client would send it.
async fn signed(client: &Client, operation: &str, body: &'static str) -> Request<Full<Bytes>> {
    signed_to(&client.endpoint, client, operation, body).await
}

async fn signed_to(
    endpoint: &Endpoint,
    client: &Client,
    operation: &str,
    body: &'static str,
) -> Request<Full<Bytes>> {
    let now = client.inner.clock.now();
    let identity = client.inner.signers.current(now).await.unwrap();
    let call = Call {
        endpoint: Cow::Borrowed(endpoint),
        operation,
        input: Bytes::from_static(body.as_bytes()),
        content_encoding: None,
        held_for: Duration::ZERO,
        nature: Nature {
            safe_to_retry: true,
            long_poll: false,
        },
    };
    let attempt = Attempt {
        number: 1,
        invocation_id: b"00000000-0000-4000-8000-000000000000",
        skew: Skew::default(),
    };
    let request = client.inner.request(&call, attempt, &identity, now);
    request.map_err(Error::new).unwrap()
}

/// The request as text: its URI, then a line a header.
fn written(request: &Request<Full<Bytes>>) -> Vec<String> {
    let headers = request.headers().iter();
    let lines = headers.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()));
    let mut lines: Vec<_> = lines.collect();
    lines.sort_unstable();
    lines.insert(0, format!("{} {}", request.method(), request.uri()));
    lines
}

// The signatures of the next two are botocore's, for the same headers, body, time and key.

#[tokio::test]
async fn an_sqs_request_is_signed_as_botocore_signs_it() {
    let service = Service::new("sqs", "AmazonSQS").query_compatible();
    let client = client(
        service,
        "http://sqs.eu-central-1.amazonaws.com",
        credentials(),
    );
    let request = signed(&client, "CreateQueue", r#"{"QueueName":"orders"}"#).await;
    assert_eq!(
        written(&request),
        [
            "POST http://sqs.eu-central-1.amazonaws.com/",
            "amz-sdk-invocation-id: 00000000-0000-4000-8000-000000000000",
            "amz-sdk-request: attempt=1; max=3",
            "authorization: AWS4-HMAC-SHA256 \
             Credential=AKIDEXAMPLE/20150830/eu-central-1/sqs/aws4_request, \
             SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-target;\
             x-amzn-query-mode, \
             Signature=aa83ef588dc942d86d653c1f53df0c9f8a73bac3133b9890074e6c9faa647394",
            "content-length: 22",
            "content-type: application/x-amz-json-1.0",
            "host: sqs.eu-central-1.amazonaws.com",
            concat!("user-agent: aws-json/", env!("CARGO_PKG_VERSION")),
            "x-amz-date: 20150830T123600Z",
            "x-amz-target: AmazonSQS.CreateQueue",
            "x-amzn-query-mode: true",
        ]
    );
}

#[tokio::test]
async fn a_request_with_a_path_and_a_token_is_signed_as_botocore_signs_it() {
    let service = Service::new("kms", "TrentService").version(Version::V1_1);
    let credentials = credentials().with_session_token("session/token+==");
    let client = client(service, "http://127.0.0.1:9324/custom/path", credentials);
    let request = signed(&client, "ListKeys", "{}").await;
    assert_eq!(
        written(&request),
        [
            "POST http://127.0.0.1:9324/custom/path/",
            "amz-sdk-invocation-id: 00000000-0000-4000-8000-000000000000",
            "amz-sdk-request: attempt=1; max=3",
            "authorization: AWS4-HMAC-SHA256 \
             Credential=AKIDEXAMPLE/20150830/us-east-1/kms/aws4_request, \
             SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-security-token;\
             x-amz-target, \
             Signature=1d5ad21caf2c2bae8ca9e8995134d09be16a4125a0cca866376eb2213a6ca185",
            "content-length: 2",
            "content-type: application/x-amz-json-1.1",
            "host: 127.0.0.1:9324",
            concat!("user-agent: aws-json/", env!("CARGO_PKG_VERSION")),
            "x-amz-date: 20150830T123600Z",
            "x-amz-security-token: session/token+==",
            "x-amz-target: TrentService.ListKeys",
        ]
    );
}

#[test]
fn a_region_that_is_given_counts_before_the_hosts() {
    let builder = |url: &str| {
        Client::builder(Service::new("sqs", "AmazonSQS"))
            .endpoint(url)
            .credentials(credentials())
    };
    let aws = "http://sqs.eu-central-1.amazonaws.com";
    assert_eq!(builder(aws).build().unwrap().region(), "eu-central-1");
    assert_eq!(
        builder(aws).region("us-west-2").build().unwrap().region(),
        "us-west-2"
    );
    let local = builder("http://localhost:9324/x").build().unwrap();
    assert_eq!(local.region(), "us-east-1");
    assert_eq!(local.endpoint_url(), "http://localhost:9324/x/");
}

#[test]
fn what_is_missing_or_cannot_be_right_is_refused() {
    let builder = || Client::builder(Service::new("sqs", "AmazonSQS"));
    let whole = || {
        builder()
            .endpoint("http://localhost")
            .credentials(credentials())
    };
    let refused = |builder: Builder| builder.build().unwrap_err();
    assert_eq!(
        refused(builder().credentials(credentials())),
        BuildError::Endpoint(EndpointError::NoRegion)
    );
    assert_eq!(
        refused(builder().endpoint("http://localhost")),
        BuildError::NoCredentials
    );
    for region in ["", "us east 1", "us/east", "é"] {
        let region = region.to_owned();
        let error = BuildError::Endpoint(EndpointError::Region {
            region: region.clone(),
        });
        assert_eq!(refused(whole().region(region)), error);
    }
    for (signing_name, target_prefix) in [("", "A"), ("s/q", "A"), ("sqs", ""), ("sqs", "A B")] {
        let service = Service::new(signing_name, target_prefix);
        let builder = Client::builder(service)
            .endpoint("http://h")
            .credentials(credentials());
        assert_eq!(refused(builder), BuildError::Service);
    }
}

/// An operation that goes to a host of its own.
struct Prefixed;

impl Operation for Prefixed {
    const NAME: &'static str = "Prefixed";
    const SAFE_TO_RETRY: bool = true;
    const HOST_PREFIX: &'static str = "foo.{Label}.";
    type Input = str;
    type Output = ();

    fn host_label<'a>(input: &'a str, name: &str) -> Option<&'a str> {
        (name == "Label").then_some(input)
    }
}

#[tokio::test]
async fn a_host_prefix_is_in_the_uri_the_header_and_the_signature() {
    let service = Service::new("sqs", "AmazonSQS");
    let client = client(service, "http://example.com:8080/custom", credentials());
    let endpoint = client.endpoint_of::<Prefixed>("bar").unwrap();
    let request = signed_to(&endpoint, &client, "Prefixed", "{}").await;
    assert_eq!(request.uri(), "http://foo.bar.example.com:8080/custom/");
    assert_eq!(request.headers()["host"], "foo.bar.example.com:8080");
    let headers = HeaderList::new(request.method(), request.uri(), request.headers());
    let claim = Claim::parse(&headers.request()).unwrap();
    let secret = Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
    let key = SigningKey::derive(&secret, claim.scope());
    let settings = VerifySettings::default().with_service("sqs");
    let verified = claim.verify(&headers.request(), b"{}", &key, UNIX_EPOCH + NOW, &settings);
    assert!(verified.is_ok(), "{verified:?}");
    // The region is the endpoint's.
    assert_eq!(claim.scope().region(), "us-east-1");
}

#[tokio::test]
async fn a_host_prefix_that_cannot_be_is_an_error_before_anything_is_sent() {
    let service = Service::new("sqs", "AmazonSQS");
    let client = client(service, "http://example.com", credentials());
    let error = client.call::<Prefixed>("a.b").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the call cannot be sent: Label becomes part of the host's name, so it must be 1 to 63 \
         letters, digits and hyphens, with no hyphen at either end, and is \"a.b\""
    );
    assert!(!error.is_outcome_unknown() && !error.is_connect());
}

#[test]
fn https_without_tls_is_refused() {
    let built = Client::builder(Service::new("sqs", "AmazonSQS"))
        .endpoint("https://localhost")
        .credentials(credentials())
        .build();
    if cfg!(feature = "tls") {
        assert_eq!(built.unwrap().endpoint_url(), "https://localhost/");
    } else {
        let error = built.unwrap_err();
        assert_eq!(error, BuildError::NoTls);
        let told = error.to_string();
        assert!(
            told.starts_with("the endpoint is https, and TLS "),
            "{told}"
        );
        assert!(told.contains("the feature `tls` of aws-json"), "{told}");
    }
}

#[test]
fn the_defaults_are_the_documented_ones() {
    assert_eq!(CONNECT_TIMEOUT.as_millis(), 3_100);
    assert_eq!(ATTEMPT_TIMEOUT.as_secs(), 30);
    assert_eq!(POOL_IDLE_TIMEOUT.as_secs(), 15);
    assert_eq!(RESPONSE_LIMIT, 16_777_216);
}

#[test]
fn code_counts_before_the_environment() {
    let service = || Service::new("sqs", "AmazonSQS").id("SQS 2");
    let environment = config::Environment::from_iter([
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ENDPOINT_URL_SQS_2", "http://variable"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
    ]);
    let whole = |builder: Builder| {
        let client = builder.build().unwrap();
        (client.endpoint_url(), client.region().to_owned())
    };
    let built = |url: &str, region: &str| (url.to_owned(), region.to_owned());
    let builder = || Client::builder(service()).environment(&environment);
    assert_eq!(whole(builder()), built("http://variable/", "eu-west-1"));
    assert_eq!(
        whole(builder().region("eu-west-2")),
        built("http://variable/", "eu-west-2")
    );
    assert_eq!(
        whole(builder().endpoint("http://code")),
        built("http://code/", "eu-west-1")
    );
    // The host tells a region, and is in the code.
    let aws = "http://sqs.eu-west-3.amazonaws.com/";
    assert_eq!(whole(builder().endpoint(aws)), built(aws, "eu-west-3"));

    let fips = environment.set("AWS_USE_FIPS_ENDPOINT", "true");
    let builder = || Client::builder(service()).environment(&fips);
    let variant = Variant::Fips;
    assert_eq!(
        builder().build().unwrap_err(),
        BuildError::Endpoint(EndpointError::Variant { variant })
    );
    assert_eq!(
        whole(builder().variant(Variant::Plain)),
        built("http://variable/", "eu-west-1")
    );

    let wrong = fips.set("AWS_MAX_ATTEMPTS", "abc");
    let error = Client::builder(service())
        .environment(&wrong)
        .build()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the variable AWS_MAX_ATTEMPTS is \"abc\"; it must be a number from 1, such as 3"
    );
}

#[test]
fn a_local_client_needs_nothing_but_its_url() {
    let service = || Service::new("sqs", "AmazonSQS");
    let client = Client::local(service(), "http://localhost:9324/x").unwrap();
    assert_eq!(client.endpoint_url(), "http://localhost:9324/x/");
    assert_eq!(client.region(), "us-east-1");
    let cloud = "http://sqs.eu-west-1.localhost.localstack.cloud:4566";
    assert_eq!(
        Client::local(service(), cloud).unwrap().region(),
        "eu-west-1"
    );
    let reason = "it must begin with http:// or https://";
    assert_eq!(
        Client::local(service(), "localhost").unwrap_err(),
        BuildError::Endpoint(EndpointError::Url { reason })
    );
}

#[test]
fn a_call_without_an_attempt_is_refused() {
    let builder = Client::builder(Service::new("sqs", "AmazonSQS"))
        .endpoint("http://localhost")
        .credentials(credentials());
    let error = builder.max_attempts(0).build().unwrap_err();
    assert_eq!(error, BuildError::NoAttempts);
    assert_eq!(error.to_string(), "a call has at least one attempt, not 0");
}
