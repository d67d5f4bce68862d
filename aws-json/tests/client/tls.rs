//! Endpoints over TLS.

use std::sync::Arc;

use aws_json::client::Builder;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};

use crate::server::{Answer, Server, bounded, builder, sqs};

fn certificate() -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(include_bytes!("tls/certificate.pem")).unwrap()
}

async fn server(answers: impl IntoIterator<Item = Answer>) -> Server {
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate()], key)
        .unwrap();
    Server::start_tls(answers, TlsAcceptor::from(Arc::new(config))).await
}

fn client_of(server: &Server) -> Builder {
    builder(sqs(), format!("https://localhost:{}", server.port()))
}

fn trusting() -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(certificate()).unwrap();
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
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
    let url = format!("https://127.0.0.2:{}", server.port());
    let client = builder(sqs(), url).tls_config(trusting()).build().unwrap();
    let error = bounded(client.call_value("list_queues", None))
        .await
        .unwrap_err();
    assert!(error.is_connect());
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

#[tokio::test]
async fn no_cryptography_is_installed_for_the_process() {
    let server = server([Answer::ok("{}")]).await;
    let client = client_of(&server).tls_config(trusting()).build().unwrap();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    assert!(CryptoProvider::get_default().is_none());
}
