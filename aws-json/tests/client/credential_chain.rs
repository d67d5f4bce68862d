//! Credentials that need the feature `credential-chain`, from stubs of EC2's metadata and of STS.

use std::time::{Duration, UNIX_EPOCH};

use aws_json::client::config::Environment;
use aws_json::client::credentials::{
    CredentialsError, InstanceCredentials, ProvideCredentials, Provided, WebIdentityCredentials,
};

use crate::server::{Answer, Server, bounded};

const IMDS: &str = "AWS_EC2_METADATA_SERVICE_ENDPOINT";

async fn instance(variables: &[(&str, &str)]) -> Result<Provided, CredentialsError> {
    let environment = Environment::from_iter(variables.iter().copied());
    bounded(InstanceCredentials::new(&environment).provide()).await
}

#[track_caller]
fn check(provided: &Provided, key: &str) {
    assert_eq!(provided.credentials().access_key_id(), key);
    assert!(provided.credentials().secret().matches("hush-secret"));
    assert_eq!(provided.credentials().session_token(), Some("hush-token"));
    let expires = UNIX_EPOCH + Duration::from_secs(4_102_444_800);
    assert_eq!(provided.expires(), Some(expires));
}

/// STS's answer, with credentials that last until 2100.
fn sts(operation: &str, key: &str) -> Answer {
    Answer::ok(format!(
        "<{operation}Response><{operation}Result><Credentials>\
         <AccessKeyId>{key}</AccessKeyId><SecretAccessKey>hush-secret</SecretAccessKey>\
         <SessionToken>hush-token</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration>\
         </Credentials></{operation}Result></{operation}Response>"
    ))
}

#[tokio::test]
async fn an_instance_hands_out_credentials_for_a_token() {
    let document = r#"{"Code":"Success","AccessKeyId":"ASIA1","SecretAccessKey":"hush-secret",
        "Token":"hush-token","Expiration":"2100-01-01T00:00:00Z"}"#;
    let server = Server::start([
        Answer::ok("hush-session"),
        Answer::ok("the-role"),
        Answer::ok(document),
    ])
    .await;
    let url = format!("{}/", server.url());
    check(&instance(&[(IMDS, &url)]).await.unwrap(), "ASIA1");
    let requests = server.recorded();
    let lines: Vec<_> = requests.iter().map(|request| &*request.line).collect();
    assert_eq!(
        lines,
        [
            "PUT /latest/api/token HTTP/1.1",
            "GET /latest/meta-data/iam/security-credentials/ HTTP/1.1",
            "GET /latest/meta-data/iam/security-credentials/the-role HTTP/1.1",
        ]
    );
    assert_eq!(
        requests[2].header("x-aws-ec2-metadata-token"),
        "hush-session"
    );
}

#[tokio::test]
async fn an_instance_that_refuses_is_an_error_without_the_token() {
    let server = Server::start([
        Answer::ok("hush-session"),
        Answer::new(403, &[], "hush-session may not"),
    ])
    .await;
    let error = instance(&[(IMDS, &server.url())]).await.unwrap_err();
    assert!(!error.is_absent());
    assert_eq!(
        error.to_string(),
        "EC2's metadata gave no credentials: IMDS access denied: (redacted) may not"
    );
    assert!(!format!("{error:?}").contains("hush"));
}

#[tokio::test]
async fn where_nobody_answers_is_no_instance() {
    let port = Server::start([]).await.port();
    let url = format!("http://127.0.0.1:{port}");
    let error = instance(&[(IMDS, &url)]).await.unwrap_err();
    assert!(error.is_absent());
    let begin = "this is no EC2 instance, as nobody answers for its metadata: cannot connect to ";
    assert!(error.to_string().starts_with(begin), "{error}");

    let disabled = [(IMDS, &*url), ("AWS_EC2_METADATA_DISABLED", "TRUE")];
    let error = instance(&disabled).await.unwrap_err();
    assert!(error.is_absent());
    assert_eq!(
        error.to_string(),
        "the variable AWS_EC2_METADATA_DISABLED is true, so EC2's metadata is not asked for"
    );
    let mode = [("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "IPv5")];
    assert_eq!(
        instance(&mode).await.unwrap_err().to_string(),
        "the variable AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE is \"IPv5\"; it must be IPv4 or IPv6"
    );
}

/// An environment of a pod with a token, whose STS is this server.
fn pod(server: &Server) -> Environment {
    let url = server.url();
    Environment::from_iter([
        ("AWS_WEB_IDENTITY_TOKEN_FILE", "/run/token"),
        ("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/pod"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ENDPOINT_URL_STS", &*url),
    ])
    .file("/run/token", "hush.web.token\n")
}

#[tokio::test]
async fn a_token_in_a_file_is_exchanged_for_credentials() {
    let server = Server::start([sts("AssumeRoleWithWebIdentity", "ASIA1")]).await;
    let provider = WebIdentityCredentials::new(&pod(&server));
    check(&bounded(provider.provide()).await.unwrap(), "ASIA1");
    let request = server.only_request();
    assert_eq!(request.line, "POST / HTTP/1.1");
    assert_eq!(
        String::from_utf8(request.body).unwrap(),
        "Action=AssumeRoleWithWebIdentity&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fpod\
         &WebIdentityToken=hush.web.token&Version=2011-06-15&RoleSessionName=aws-json"
    );
}

#[tokio::test]
async fn sts_may_refuse_a_token_and_repeat_it() {
    let body = "<ErrorResponse><Error><Code>InvalidIdentityToken</Code>\
                <Message>no hush.web.token</Message></Error></ErrorResponse>";
    let server = Server::start([Answer::new(400, &[], body)]).await;
    let provider = WebIdentityCredentials::new(&pod(&server));
    let error = bounded(provider.provide()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the role arn:aws:iam::123456789012:role/pod cannot be taken with the token in \
         /run/token: InvalidIdentityToken: no [REDACTED]"
    );
    assert!(!format!("{error:?}").contains("hush"));
}

#[tokio::test]
async fn a_web_identity_that_is_half_set_is_told() {
    let provide = |environment: Environment| async move {
        let error = WebIdentityCredentials::new(&environment).provide().await;
        let error = error.unwrap_err();
        (error.is_absent(), error.to_string())
    };
    let nothing = Environment::from_iter([("AWS_ROLE_ARN", "arn")]);
    let text = "the variable AWS_WEB_IDENTITY_TOKEN_FILE is not set".to_owned();
    assert_eq!(provide(nothing).await, (true, text));
    let no_role = Environment::from_iter([("AWS_WEB_IDENTITY_TOKEN_FILE", "/t")]);
    let text = "the variable AWS_WEB_IDENTITY_TOKEN_FILE is set and AWS_ROLE_ARN is not: set both";
    assert_eq!(provide(no_role).await, (false, text.to_owned()));
    let no_file = Environment::from_iter([
        ("AWS_WEB_IDENTITY_TOKEN_FILE", "/t"),
        ("AWS_ROLE_ARN", "arn"),
    ]);
    let text = "the token's file /t is not there".to_owned();
    assert_eq!(provide(no_file).await, (false, text));
}
