//! Where credentials come from, over a loopback interface, and how calls are signed with them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use aws_json::client::config::Environment;
use aws_json::client::credentials::{
    ContainerCredentials, CredentialsChain, CredentialsError, ProfileCredentials,
    ProvideCredentials, ProvideFuture, Provided,
};
use aws_json::client::{Client, Credentials};

use crate::server::{Answer, Nobody, Server, bounded, sqs};

const DOCUMENT: &str = r#"{"AccessKeyId":"ASIA1","SecretAccessKey":"hush-secret",
    "Token":"hush-token","Expiration":"2015-08-30T12:36:00Z"}"#;

const FULL_URI: &str = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
const TOKEN: &str = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
const TOKEN_FILE: &str = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";

async fn provided(environment: &Environment) -> Result<Provided, CredentialsError> {
    bounded(ContainerCredentials::new(environment).provide()).await
}

/// The error of a container whose endpoint answers so; checked for secrets.
async fn refused(answers: impl IntoIterator<Item = Answer>) -> (String, usize) {
    let server = Server::start(answers).await;
    let url = format!("{}/role", server.url());
    let environment = Environment::from_iter([(FULL_URI, &*url), (TOKEN, "hush-auth")]);
    let error = provided(&environment).await.unwrap_err();
    assert!(!error.is_absent());
    let text = error.to_string();
    assert!(!format!("{error:?} {text}").contains("hush"), "{error:?}");
    (
        text.replace(&server.url(), "http://container"),
        server.recorded().len(),
    )
}

/// The error of a container whose variables say so.
async fn misled(variables: &[(&str, &str)]) -> String {
    let environment = Environment::from_iter(variables.iter().copied());
    let error = provided(&environment).await.unwrap_err();
    assert!(!error.is_absent());
    error.to_string()
}

#[tokio::test]
async fn a_container_hands_out_credentials_that_end() {
    let server = Server::start([Answer::ok(DOCUMENT)]).await;
    let url = format!("{}/role?x=1", server.url());
    let environment = Environment::from_iter([(FULL_URI, &*url), (TOKEN, "Bearer hush")]);
    let provided = provided(&environment).await.unwrap();
    assert_eq!(provided.credentials().access_key_id(), "ASIA1");
    assert!(provided.credentials().secret().matches("hush-secret"));
    assert_eq!(provided.credentials().session_token(), Some("hush-token"));
    let expires = UNIX_EPOCH + Duration::from_secs(1_440_938_160);
    assert_eq!(provided.expires(), Some(expires));
    assert!(!format!("{provided:?}").contains("hush"));
    let request = server.only_request();
    assert_eq!(request.line, "GET /role?x=1 HTTP/1.1");
    assert_eq!(request.header("authorization"), "Bearer hush");
    assert!(request.header("user-agent").starts_with("aws-json/"));
}

#[tokio::test]
async fn the_tokens_file_counts_before_the_variable() {
    let server = Server::start([Answer::ok(DOCUMENT), Answer::ok(DOCUMENT)]).await;
    let url = server.url();
    let variables = [
        (FULL_URI, &*url),
        (TOKEN, "old"),
        (TOKEN_FILE, "/run/token"),
    ];
    let environment = Environment::from_iter(variables).file("/run/token", "new\r\n");
    provided(&environment).await.unwrap();
    assert_eq!(server.only_request().header("authorization"), "new");

    let no_token = Environment::from_iter([(FULL_URI, &*url)]);
    provided(&no_token).await.unwrap();
    let headers = server.recorded()[1].headers.clone();
    assert!(headers.iter().all(|(name, _)| name != "authorization"));
}

#[tokio::test]
async fn a_container_in_trouble_is_asked_three_times() {
    let server = Server::start([
        Answer::new(503, &[], ""),
        Answer::raw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"),
        Answer::ok(DOCUMENT),
    ])
    .await;
    let environment = Environment::from_iter([(FULL_URI, server.url())]);
    provided(&environment).await.unwrap();
    assert_eq!(server.recorded().len(), 3);

    let busy = || Answer::new(429, &[], "");
    let (text, asked) = refused([busy(), busy(), busy()]).await;
    assert_eq!(
        text,
        "http://container/role refused to give the container's credentials (429)"
    );
    assert_eq!(asked, 3);
}

#[tokio::test]
async fn a_refusal_says_what_the_container_says_and_no_token() {
    let body = r#"{"code": "AccessDenied", "message": "hush-auth may not\n"}"#;
    let (text, asked) = refused([Answer::new(403, &[], body)]).await;
    assert_eq!(
        text,
        "http://container/role refused to give the container's credentials (403): \
         AccessDenied: (redacted) may not\\n"
    );
    assert_eq!(asked, 1);
    let in_url = r#"{"message": "token=hush%2Dauth"}"#;
    let (text, _) = refused([Answer::new(403, &[], in_url)]).await;
    assert_eq!(
        text,
        "http://container/role refused to give the container's credentials (403): \
         token=(redacted)"
    );
    let (text, _) = refused([Answer::new(404, &[], "<html>hush-auth</html>")]).await;
    assert_eq!(
        text,
        "http://container/role refused to give the container's credentials (404)"
    );
}

#[tokio::test]
async fn an_answer_that_is_no_credentials_is_an_error() {
    let (text, _) = refused([Answer::ok("hush")]).await;
    assert_eq!(
        text,
        "the answer of http://container/role cannot be read as credentials: it is not a JSON \
         object"
    );
    let (text, asked) = refused([Answer::ok(vec![b'a'; 64 * 1024 + 1])]).await;
    assert_eq!(
        text,
        "the container's credentials cannot be had: http://container/role answered more than \
         65536 bytes"
    );
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn a_container_that_does_not_listen_is_an_error() {
    let nobody = Nobody::new();
    let url = nobody.url();
    let text = misled(&[(FULL_URI, &url)]).await;
    let begin = format!("the container's credentials cannot be had: cannot connect to {url}/: ");
    assert!(text.starts_with(&begin), "{text}");
}

#[tokio::test]
async fn without_its_variables_there_is_no_container() {
    let error = provided(&Environment::from_iter([(TOKEN, "hush")]))
        .await
        .unwrap_err();
    assert!(error.is_absent());
    assert_eq!(
        error.to_string(),
        "the variables AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and \
         AWS_CONTAINER_CREDENTIALS_FULL_URI are not set"
    );
}

#[tokio::test]
async fn a_token_is_sent_nowhere_in_the_clear_but_to_this_machine_and_the_agents() {
    for host in [
        "example.com",
        "169.254.169.254",
        "127.0.0.1.example.com",
        "localhost.example.com",
        "[fd00:ec2::24]",
        "10.0.0.1",
        "me:hush@example.com",
    ] {
        let text = misled(&[(FULL_URI, &format!("http://{host}/hush")), (TOKEN, "hush")]).await;
        assert!(
            text.contains(" in the clear; it must be https, or http to this machine"),
            "{text}"
        );
        assert!(!text.contains("hush"), "{text}");
    }
    for uri in ["ftp://localhost/", "localhost", "/path", "http:///"] {
        let text = misled(&[(FULL_URI, uri)]).await;
        assert!(
            text.starts_with("the variable AWS_CONTAINER_CREDENTIALS_FULL_URI "),
            "{text}"
        );
    }
    assert_eq!(
        misled(&[("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "@example.com/")]).await,
        "the variable AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is \"@example.com/\"; it must be a \
         path that begins with /"
    );
}

#[tokio::test]
async fn a_token_that_cannot_be_sent_is_an_error() {
    let uri = (FULL_URI, "http://localhost:1");
    assert_eq!(
        misled(&[uri, (TOKEN, "hush\nhush")]).await,
        "the token of the variable AWS_CONTAINER_AUTHORIZATION_TOKEN cannot be sent: it must be \
         one line of visible characters"
    );
    assert_eq!(
        misled(&[uri, (TOKEN_FILE, "/none")]).await,
        "the file \"/none\" that the variable AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names is not \
         there"
    );
}

/// Gives a new key every time.
struct Counting(AtomicUsize);

impl ProvideCredentials for Counting {
    fn provide(&self) -> ProvideFuture<'_> {
        let count = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        Box::pin(std::future::ready(if count == 3 {
            Err(CredentialsError::new("the vault is shut"))
        } else {
            let expires = UNIX_EPOCH + Duration::from_secs(3600 * count as u64);
            Ok(Provided::new(Credentials::new(format!("KEY{count}"), "hush")).expiring(expires))
        }))
    }
}

#[tokio::test]
async fn calls_are_signed_with_the_credentials_of_their_time() {
    let server = Server::start((0..3).map(|_| Answer::ok("{}"))).await;
    let now = std::sync::Arc::new(AtomicUsize::new(0));
    let client = Client::builder(sqs())
        .endpoint(server.url())
        .credentials_provider(Counting(AtomicUsize::new(0)))
        .time_source({
            let now = std::sync::Arc::clone(&now);
            move || UNIX_EPOCH + Duration::from_secs(now.load(Ordering::Relaxed) as u64)
        })
        .build()
        .unwrap();
    for second in [0, 10, 3600] {
        now.store(second, Ordering::Relaxed);
        bounded(client.call_value("list_queues", None))
            .await
            .unwrap();
    }
    let keys: Vec<String> = server
        .recorded()
        .iter()
        .map(|request| request.header("authorization")[..37].to_owned())
        .collect();
    let key = |key| format!("AWS4-HMAC-SHA256 Credential={key}/1970");
    assert_eq!(keys, [key("KEY1"), key("KEY1"), key("KEY2")]);

    now.store(7200, Ordering::Relaxed);
    let error = bounded(client.call_value("list_queues", None))
        .await
        .unwrap_err();
    assert!(error.is_credentials());
    assert_eq!(error.to_string(), "no credentials: the vault is shut");
    assert_eq!(server.recorded().len(), 3);
}

async fn of_profile(config: &str) -> Result<Provided, CredentialsError> {
    let environment =
        Environment::from_iter([("HOME", "/home/me")]).file("/home/me/.aws/config", config);
    bounded(ProfileCredentials::new(&environment).provide()).await
}

#[tokio::test]
async fn a_profile_may_hold_keys() {
    let keys = "aws_access_key_id = A\naws_secret_access_key = hush-secret\n";
    let provided = of_profile(&format!("[default]\n{keys}")).await.unwrap();
    assert_eq!(provided.credentials().access_key_id(), "A");
    assert!(provided.credentials().secret().matches("hush-secret"));
    assert_eq!(provided.credentials().session_token(), None);
    assert_eq!(provided.expires(), None);
    let config = format!("[default]\n{keys}aws_session_token = hush-token\n");
    let provided = of_profile(&config).await.unwrap();
    assert_eq!(provided.credentials().session_token(), Some("hush-token"));
}

#[tokio::test]
async fn a_profile_without_keys_is_absence_and_half_of_them_a_mistake() {
    let error = of_profile("[default]\nregion = eu-west-1\n")
        .await
        .unwrap_err();
    assert!(error.is_absent());
    assert_eq!(error.to_string(), "the profile default has no credentials");
    let error = of_profile("").await.unwrap_err();
    assert!(error.is_absent());
    let text = "AWS_PROFILE is not set and no profile is called default";
    assert_eq!(error.to_string(), text);
    let error = of_profile("[default]\naws_access_key_id = A\n")
        .await
        .unwrap_err();
    assert!(!error.is_absent());
    assert_eq!(
        error.to_string(),
        "/home/me/.aws/config, line 2: aws_access_key_id is set and aws_secret_access_key is not: \
         set both"
    );
}

#[tokio::test]
async fn a_profile_that_is_named_and_not_there_is_a_mistake() {
    let environment = Environment::from_iter([("HOME", "/home/me"), ("AWS_PROFILE", "dev")]);
    let error = ProfileCredentials::new(&environment)
        .provide()
        .await
        .unwrap_err();
    assert!(!error.is_absent());
    let begin = "the variable AWS_PROFILE is \"dev\", which is no profile in ";
    assert!(error.to_string().starts_with(begin), "{error}");
}

#[cfg(not(feature = "credential-chain"))]
#[tokio::test]
async fn what_needs_the_feature_says_so() {
    let keys = "aws_access_key_id = A\naws_secret_access_key = hush\n";
    for (config, name) in [
        (format!("[default]\nrole_arn = r\n{keys}"), "role_arn"),
        (
            format!("[default]\nsso_account_id = 1\n{keys}"),
            "sso_account_id",
        ),
        (
            "[default]\ncredential_process = p\n".to_owned(),
            "credential_process",
        ),
    ] {
        let error = of_profile(&config).await.unwrap_err();
        assert!(!error.is_absent());
        assert_eq!(
            error.to_string(),
            format!(
                "/home/me/.aws/config, line 2: {name} needs the feature `credential-chain` of \
                 aws-json"
            )
        );
    }
    // With keys, the command is not needed.
    let config = format!("[default]\ncredential_process = p\n{keys}");
    assert!(of_profile(&config).await.is_ok());

    let environment = Environment::from_iter([("AWS_WEB_IDENTITY_TOKEN_FILE", "/t")]);
    let error = CredentialsChain::new(&environment)
        .provide()
        .await
        .unwrap_err();
    assert!(!error.is_absent());
    assert_eq!(
        error.to_string(),
        "the variable AWS_WEB_IDENTITY_TOKEN_FILE is set, which needs the feature \
         `credential-chain` of aws-json"
    );
    let error = CredentialsChain::new(&Environment::from_iter([("A", "B")]))
        .provide()
        .await
        .unwrap_err();
    assert!(error.is_absent());
    assert_eq!(
        error.to_string(),
        "none are there; looked at in order: \
         (1) the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set; \
         (2) AWS_PROFILE is not set and no profile is called default; \
         (3) the variable AWS_WEB_IDENTITY_TOKEN_FILE is not set; \
         (4) the variables AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and \
         AWS_CONTAINER_CREDENTIALS_FULL_URI are not set; \
         (5) EC2's metadata is asked with the feature `credential-chain` of aws-json only"
    );
}

#[tokio::test]
async fn the_chain_takes_variables_then_the_profile_then_the_container() {
    let server = Server::start([Answer::ok(DOCUMENT)]).await;
    let url = server.url();
    let container = Environment::from_iter([("HOME", "/home/me"), (FULL_URI, &*url)]);
    let keys = "[default]\naws_access_key_id = FILE\naws_secret_access_key = hush\n";
    let profile = container.clone().file("/home/me/.aws/credentials", keys);
    let variables = profile
        .clone()
        .set("AWS_ACCESS_KEY_ID", "VARIABLE")
        .set("AWS_SECRET_ACCESS_KEY", "hush");
    for (environment, key) in [
        (variables, "VARIABLE"),
        (profile, "FILE"),
        (container, "ASIA1"),
    ] {
        let provided = bounded(CredentialsChain::new(&environment).provide())
            .await
            .unwrap();
        assert_eq!(provided.credentials().access_key_id(), key);
    }
    assert_eq!(server.recorded().len(), 1);
}

#[tokio::test]
async fn a_call_whose_credentials_are_called_expired_is_sent_again_with_others() {
    let expired = r#"{"__type":"com.amazon.coral.service#ExpiredTokenException"}"#;
    let server = Server::start([Answer::new(400, &[], expired), Answer::ok("{}")]).await;
    let client = Client::builder(sqs())
        .endpoint(server.url())
        .credentials_provider(Counting(AtomicUsize::new(0)))
        .time_source(|| UNIX_EPOCH)
        .random_source(|| 0)
        .build()
        .unwrap();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    let keys: Vec<String> = server
        .recorded()
        .iter()
        .map(|request| request.header("authorization")[..37].to_owned())
        .collect();
    let key = |key| format!("AWS4-HMAC-SHA256 Credential={key}/1970");
    assert_eq!(keys, [key("KEY1"), key("KEY2")]);

    // Those that were given in code have no others.
    let server = Server::start([Answer::new(400, &[], expired)]).await;
    let error = bounded(server.client().call_value("list_queues", None))
        .await
        .unwrap_err();
    assert!(error.is("ExpiredTokenException"));
    assert_eq!(server.recorded().len(), 1);
}

#[tokio::test]
async fn a_client_of_an_environment_finds_its_credentials_there() {
    let server = Server::start([Answer::ok(DOCUMENT), Answer::ok("{}")]).await;
    let url = server.url();
    let environment = Environment::from_iter([
        (FULL_URI, &*url),
        ("AWS_ENDPOINT_URL_SQS", &*url),
        ("AWS_REGION", "eu-west-1"),
    ]);
    let client = Client::builder(sqs())
        .environment(&environment)
        .build()
        .unwrap();
    bounded(client.call_value("list_queues", None))
        .await
        .unwrap();
    let call = &server.recorded()[1];
    let begin = "AWS4-HMAC-SHA256 Credential=ASIA1/";
    assert!(call.header("authorization").starts_with(begin), "{call:?}");
    assert_eq!(call.header("x-amz-security-token"), "hush-token");
}
