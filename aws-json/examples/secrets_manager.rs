//! Secrets Manager's GetSecretValue, with protocol version 1.1, against a stub; and one of its errors:
//! `cargo run -p aws-json --example secrets_manager --features client`.

mod stub;

use std::error::Error;

use aws_json::client::{Client, Service};
use aws_json::codec::content_type::Version;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct GetSecretValueInput {
    secret_id: String,
}

/// Without `Debug`, so that nobody logs it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct GetSecretValueOutput {
    secret_string: Option<String>,
    #[serde(with = "aws_json::value::epoch_seconds")]
    created_date: Option<std::time::SystemTime>,
}

aws_json::operations! {
    /// Reads a secret.
    GetSecretValue(GetSecretValueInput) -> GetSecretValueOutput, safe to retry;
}

fn secrets_manager() -> Service {
    Service::new("secretsmanager", "secretsmanager")
        .version(Version::V1_1)
        .id("Secrets Manager")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let answer = json!({"SecretString": "open sesame", "CreatedDate": 1_700_000_000.5});
    let server = stub::Stub::start("200 OK", answer)?;

    // Of Secrets Manager itself it would be `Client::from_env(secrets_manager())?`.
    let client = Client::local(secrets_manager(), &server.url())?;
    let input = GetSecretValueInput {
        secret_id: "door".into(),
    };
    let output = client.call::<GetSecretValue>(&input).await?;
    let length = output.secret_string.as_deref().map_or(0, str::len);
    println!("{length} characters, made at {:?}", output.created_date);

    let request = server.request()?;
    assert_eq!(request.target, "secretsmanager.GetSecretValue");
    assert_eq!(request.content_type, "application/x-amz-json-1.1");
    assert!(
        request
            .authorization
            .contains("/secretsmanager/aws4_request")
    );
    assert_eq!(request.body, json!({"SecretId": "door"}));
    assert_eq!(length, 11);
    assert!(output.created_date.is_some());

    let refusal = json!({"__type": "ResourceNotFoundException", "Message": "No such secret."});
    let server = stub::Stub::start("400 Bad Request", refusal)?;
    let client = Client::local(secrets_manager(), &server.url())?;
    let Err(error) = client.call::<GetSecretValue>(&input).await else {
        return Err("the stub refused".into());
    };
    println!("{error}");
    assert!(error.is("ResourceNotFoundException"));
    assert_eq!(error.message(), Some("No such secret."));
    server.request()?;
    Ok(())
}

#[test]
fn it_runs() {
    main().expect("every step succeeds");
}
