//! The example of `sqs` as its users run it: a program that is told where to go by configuration
//! alone.

use std::fs;
use std::process::{Command, Output};

use conformance::bound::within;
use fake_sqs::FakeSqs;
use sqs::{Client, GetQueueAttributesInput, GetQueueUrlInput};

/// Runs the program with these variables and no others.
async fn round_trip(variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_round_trip"));
    command.env_clear().envs(variables.iter().copied());
    let run = tokio::task::spawn_blocking(move || command.output());
    within(run)
        .await
        .expect("the thread does not panic")
        .expect("the program runs")
}

/// What the program did: it printed the message, and left none.
async fn check(server: &FakeSqs, output: &Output) {
    let (stdout, stderr) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    assert_eq!(String::from_utf8_lossy(stdout), "hello\n", "{stderr}");
    let sqs = Client::local(&server.endpoint_url()).expect("a client");
    let found = within(sqs.get_queue_url(GetQueueUrlInput::new("round-trip")))
        .await
        .expect("its queue");
    let url = found.queue_url.expect("a URL");
    let names = [
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
    ];
    let output = within(sqs.get_queue_attributes(GetQueueAttributesInput::new(url, names)))
        .await
        .expect("attributes");
    for name in names {
        assert_eq!(output.attributes[name], "0", "{name}");
    }
}

#[tokio::test]
async fn the_round_trip_goes_where_a_variable_says() {
    let server = FakeSqs::start().await;
    let output = round_trip(&[
        ("AWS_ENDPOINT_URL_SQS", &server.endpoint_url()),
        ("AWS_ACCESS_KEY_ID", server.credentials().access_key_id()),
        (
            "AWS_SECRET_ACCESS_KEY",
            server.credentials().secret_access_key(),
        ),
    ])
    .await;
    check(&server, &output).await;
}

#[tokio::test]
async fn the_round_trip_goes_where_a_profile_says() {
    let server = FakeSqs::start().await;
    let folder = std::env::temp_dir().join(format!("round-trip-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let (config, credentials) = (folder.join("config"), folder.join("credentials"));
    let url = server.endpoint_url();
    let text = format!("[profile local]\nregion = us-east-1\nendpoint_url = {url}\n");
    fs::write(&config, text).expect("a file");
    let key = server.credentials();
    let (id, secret) = (key.access_key_id(), key.secret_access_key());
    let text = format!("[local]\naws_access_key_id = {id}\naws_secret_access_key = {secret}\n");
    fs::write(&credentials, text).expect("a file");
    let path = |path: &std::path::Path| path.to_str().expect("text").to_owned();
    let output = round_trip(&[
        ("AWS_PROFILE", "local"),
        ("AWS_CONFIG_FILE", &path(&config)),
        ("AWS_SHARED_CREDENTIALS_FILE", &path(&credentials)),
    ])
    .await;
    fs::remove_dir_all(&folder).expect("the folder is removed");
    check(&server, &output).await;
}

#[tokio::test]
async fn the_round_trip_says_what_it_lacks() {
    let output = round_trip(&[]).await;
    assert!(!output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("Region"), "{stderr}");
}
