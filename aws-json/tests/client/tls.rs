//! Endpoints over TLS.

use std::sync::Arc;

use aws_json::client::{Builder, Error};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{
    ALL_VERSIONS, ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion,
};

use crate::server::{Answer, Server, bounded, builder, sqs};

fn certificate() -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(include_bytes!("tls/certificate.pem")).unwrap()
}

/// What a server of ours is configured with, before what a test adds.
pub(crate) fn server_config(versions: &[&'static SupportedProtocolVersion]) -> ServerConfig {
    server_config_with(versions, None)
}

fn server_config_with(
    versions: &[&'static SupportedProtocolVersion],
    clients: Option<Arc<dyn ClientCertVerifier>>,
) -> ServerConfig {
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/key.pem")).unwrap();
    let builder = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(versions)
        .unwrap();
    let builder = match clients {
        Some(verifier) => builder.with_client_cert_verifier(verifier),
        None => builder.with_no_client_auth(),
    };
    builder.with_single_cert(vec![certificate()], key).unwrap()
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

async fn server(answers: impl IntoIterator<Item = Answer>) -> Server {
    server_of(server_config(ALL_VERSIONS), answers).await
}

async fn server_of(config: ServerConfig, answers: impl IntoIterator<Item = Answer>) -> Server {
    Server::start_tls(answers, TlsAcceptor::from(Arc::new(config))).await
}

fn client_of(server: &Server) -> Builder {
    builder(sqs(), format!("https://localhost:{}", server.port()))
}

fn roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(certificate()).unwrap();
    roots
}

/// A configuration that trusts the servers here.
pub(crate) fn trusting() -> ClientConfig {
    trusting_with(ALL_VERSIONS)
}

fn trusting_with(versions: &[&'static SupportedProtocolVersion]) -> ClientConfig {
    ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots())
        .with_no_client_auth()
}

#[tokio::test]
async fn a_call_goes_over_tls_with_the_callers_configuration() {
    let server = server([Answer::ok(r#"{"QueueUrls":[]}"#)]).await;
    let mut config = trusting();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let client = client_of(&server).tls_config(config).build().unwrap();
    let output = bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    assert_eq!(output, serde_json::json!({"QueueUrls": []}));
    let request = server.only_request();
    assert_eq!(request.line, "POST / HTTP/1.1");
    assert_eq!(
        request.header("host"),
        format!("localhost:{}", server.port())
    );
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_certificate_that_nobody_signed_is_a_failure_to_connect() {
    let server = server([Answer::ok("{}")]).await;
    let client = client_of(&server).build().unwrap();
    let error = bounded(client.call_value("list_queues", None))
        .await
        .unwrap_err();
    assert!(error.is_connect() && !error.is_timeout());
    let told = error.to_string();
    assert!(told.starts_with("cannot connect to https://"), "{told}");
    assert!(
        told.ends_with(": invalid peer certificate: UnknownIssuer"),
        "{told}"
    );
    assert!(server.recorded().is_empty());
}

#[tokio::test]
async fn a_certificate_for_another_name_is_a_failure_to_connect() {
    let server = server([Answer::ok("{}")]).await;
    let url = format!("https://other.invalid:{}", server.port());
    let client = builder(sqs(), url)
        .resolve("other.invalid", ([127, 0, 0, 1], server.port()).into())
        .tls_config(trusting())
        .build()
        .unwrap();
    let error = bounded(client.call_value("list_queues", None))
        .await
        .unwrap_err();
    assert!(error.is_connect());
    assert!(error.to_string().contains("not valid for name"), "{error}");
    assert!(server.recorded().is_empty());
}

#[tokio::test]
async fn plain_http_to_a_tls_port_is_no_answer() {
    let server = server([Answer::ok("{}")]).await;
    let client = builder(sqs(), server.url()).build().unwrap();
    let error = bounded(client.call_value("list_queues", None))
        .await
        .unwrap_err();
    assert!(!error.is_connect());
    assert_eq!(error.status(), None);
}

/// The error of a call to this server, which it does not get.
async fn refused(server: &Server, config: ClientConfig) -> Error {
    let client = client_of(server).tls_config(config).build().unwrap();
    let error = bounded(client.call_value("list_queues", None))
        .await
        .unwrap_err();
    assert!(server.recorded().is_empty());
    error
}

#[track_caller]
fn assert_no_connection(error: &Error, cause: &str) {
    let told = error.to_string();
    assert!(told.starts_with("cannot connect to https://"), "{told}");
    assert!(told.contains(cause), "{told}");
    assert!(error.is_connect() && !error.is_timeout() && !error.is_outcome_unknown());
    assert_eq!(error.status(), None);
}

#[tokio::test]
async fn each_version_of_tls_is_spoken() {
    for version in [&TLS12, &TLS13] {
        let server = server_of(server_config(&[version]), [Answer::ok("{}")]).await;
        let client = client_of(&server).tls_config(trusting()).build().unwrap();
        bounded(client.call_value("list_queues", None))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn no_version_of_tls_in_common_is_a_failure_to_connect() {
    for (ours, theirs) in [(&TLS12, &TLS13), (&TLS13, &TLS12)] {
        let server = server_of(server_config(&[theirs]), [Answer::ok("{}")]).await;
        let error = refused(&server, trusting_with(&[ours])).await;
        assert_no_connection(&error, "ProtocolVersion");
    }
}

/// The port of a server that knows no TLS: it answers this whatever it hears, and hangs up.
async fn deaf(answer: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_exact(&mut [0; 5]).await.unwrap();
        stream.write_all(answer).await.unwrap();
    });
    port
}

#[tokio::test]
async fn https_to_a_port_without_tls_is_a_failure_to_connect() {
    for answer in [
        &b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"[..],
        b"\x15\x03\x03\x00\x02\x02\x28",
        b"\x00",
        b"",
    ] {
        let url = format!("https://localhost:{}", deaf(answer).await);
        let client = builder(sqs(), url).tls_config(trusting()).build().unwrap();
        let error = bounded(client.call_value("x", None)).await.unwrap_err();
        assert_no_connection(&error, "");
    }
}

#[tokio::test]
async fn a_server_that_asks_for_a_certificate_gets_none() {
    for version in [&TLS12, &TLS13] {
        let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots()), provider())
            .build()
            .unwrap();
        let config = server_config_with(&[version], Some(clients));
        let server = server_of(config, [Answer::ok("{}")]).await;
        let error = refused(&server, trusting()).await;
        assert!(!error.is_timeout());
        // With 1.3 the client may speak before it hears that nobody listens.
        assert!(error.is_connect() || version == &TLS13, "{error}");
        assert_eq!(error.is_outcome_unknown(), !error.is_connect());
    }
}

#[tokio::test]
async fn an_answer_that_ends_without_a_goodbye_broke_off() {
    // Without a length, whoever cuts the connection would choose what the answer is.
    let whole = "HTTP/1.1 200 OK\r\n\r\n{\"a\":1}";
    let server = server([Answer::cut(whole), Answer::raw(whole)]).await;
    let client = client_of(&server).tls_config(trusting()).build().unwrap();
    let error = bounded(client.call_value("x", None)).await.unwrap_err();
    let told = error.to_string();
    assert!(told.starts_with("the answer broke off: "), "{told}");
    let output = bounded(client.call_value("x", None)).await.unwrap();
    assert_eq!(output, serde_json::json!({"a": 1}));
}

#[tokio::test]
async fn no_cryptography_is_installed_for_the_process() {
    let server = server([Answer::ok("{}")]).await;
    let client = client_of(&server).tls_config(trusting()).build().unwrap();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    assert!(CryptoProvider::get_default().is_none());
}
