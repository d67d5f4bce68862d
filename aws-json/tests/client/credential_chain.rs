//! Credentials that need the feature `credential-chain`, from stubs of EC2's metadata and of STS.

use std::time::{Duration, UNIX_EPOCH};

use aws_json::client::config::Environment;
use aws_json::client::credentials::{
    CredentialsChain, CredentialsError, InstanceCredentials, ProfileCredentials,
    ProvideCredentials, Provided, WebIdentityCredentials,
};

use crate::server::{Answer, Nobody, Recorded, Server, bounded};
use crate::still::Still;

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
    let _still = Still::begin();
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
    let _still = Still::begin();
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
    let nobody = Nobody::new();
    let url = nobody.url();
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

/// The configuration file, and where STS and IAM Identity Center are.
fn machine(config: &str, url: &str) -> Environment {
    Environment::from_iter([
        ("HOME", "/home/me"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ENDPOINT_URL", url),
    ])
    .file("/home/me/.aws/config", config)
}

async fn of_profile(environment: &Environment) -> Result<Provided, CredentialsError> {
    bounded(ProfileCredentials::new(environment).provide()).await
}

/// Why a configuration file gives no credentials, before anybody is asked.
async fn refused(config: &str) -> String {
    let server = Server::start([]).await;
    let error = of_profile(&machine(config, &server.url()))
        .await
        .unwrap_err();
    assert!(server.recorded().is_empty());
    assert!(!error.is_absent());
    assert!(!format!("{error:?}").contains("hush"), "{error:?}");
    error.to_string()
}

/// The parameter of a request to STS, from the query or the body.
fn parameter(request: &Recorded, name: &str) -> Option<String> {
    let query = request.line.split(['?', ' ']).nth(2)?;
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let value = pairs.clone().find(|(key, _)| *key == name)?.1;
    Some(value.replace("%3A", ":").replace("%2F", "/"))
}

/// Checks that a request to STS is signed by this key for where it arrived.
fn check_signature(request: &Recorded, key: &str, secret: &str, token: Option<&str>) {
    let target = request.line.split(' ').nth(1).unwrap();
    let headers: Vec<(&str, &[u8])> = request
        .headers
        .iter()
        .map(|(name, value)| (&**name, value.as_bytes()))
        .collect();
    let signed = sigv4::Request::new("GET", target, &headers);
    let claim = sigv4::Claim::parse(&signed).unwrap();
    assert_eq!(claim.access_key_id(), key);
    assert_eq!(claim.session_token(), token);
    let settings = sigv4::VerifySettings::default()
        .with_region("eu-west-1")
        .with_service("sts");
    let at = request.header("x-amz-date");
    let at = UNIX_EPOCH
        + Duration::from_secs(
            u64::try_from(sigv4::DateTime::parse(at).unwrap().unix_seconds()).unwrap(),
        );
    let key = sigv4::SigningKey::derive(&sigv4::Secret::new(secret), claim.scope());
    let _verified = claim
        .verify(&signed, &request.body, &key, at, &settings)
        .unwrap();
}

#[tokio::test]
async fn a_role_is_taken_with_the_credentials_of_the_source_profile() {
    let server = Server::start([
        sts("AssumeRole", "ASIAFIRST00000001"),
        sts("AssumeRole", "ASIASECOND0000002"),
    ])
    .await;
    let config = "
        [default]
        role_arn = arn:aws:iam::123456789012:role/second
        source_profile = first
        external_id = some-id
        duration_seconds = 900
        role_session_name = me
        [profile first]
        role_arn = arn:aws:iam::123456789012:role/first
        source_profile = keys
        [profile keys]
        aws_access_key_id = AKIDEXAMPLE
        aws_secret_access_key = hush-key
        ";
    let config = config.replace("        ", "");
    let provided = of_profile(&machine(&config, &server.url())).await.unwrap();
    check(&provided, "ASIASECOND0000002");

    let [first, second] = &server.recorded()[..] else {
        panic!("two roles are two calls");
    };
    assert_eq!(parameter(first, "Action").unwrap(), "AssumeRole");
    let role = |name| format!("arn:aws:iam::123456789012:role/{name}");
    assert_eq!(parameter(first, "RoleArn"), Some(role("first")));
    assert_eq!(parameter(first, "RoleSessionName").unwrap(), "aws-json");
    assert_eq!(parameter(first, "ExternalId"), None);
    check_signature(first, "AKIDEXAMPLE", "hush-key", None);
    assert_eq!(parameter(second, "RoleArn"), Some(role("second")));
    assert_eq!(parameter(second, "RoleSessionName").unwrap(), "me");
    assert_eq!(parameter(second, "ExternalId").unwrap(), "some-id");
    assert_eq!(parameter(second, "DurationSeconds").unwrap(), "900");
    check_signature(
        second,
        "ASIAFIRST00000001",
        "hush-secret",
        Some("hush-token"),
    );
}

#[tokio::test]
async fn a_role_may_be_taken_with_the_profiles_own_keys_or_those_in_variables() {
    let own = "[default]\nrole_arn = arn:aws:iam::123456789012:role/r\nsource_profile = default\n\
               aws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = hush-key\n";
    let server = Server::start([sts("AssumeRole", "ASIAFIRST00000001")]).await;
    check(
        &of_profile(&machine(own, &server.url())).await.unwrap(),
        "ASIAFIRST00000001",
    );
    check_signature(&server.only_request(), "AKIDEXAMPLE", "hush-key", None);

    let variables = "[default]\nrole_arn = arn:aws:iam::123456789012:role/r\n\
                     credential_source = Environment\n";
    let server = Server::start([sts("AssumeRole", "ASIAFIRST00000001")]).await;
    let environment = machine(variables, &server.url())
        .set("AWS_ACCESS_KEY_ID", "AKIDVARIABLE")
        .set("AWS_SECRET_ACCESS_KEY", "hush-key");
    check(
        &of_profile(&environment).await.unwrap(),
        "ASIAFIRST00000001",
    );
    check_signature(&server.only_request(), "AKIDVARIABLE", "hush-key", None);

    let server = Server::start([]).await;
    let error = of_profile(&machine(variables, &server.url()))
        .await
        .unwrap_err();
    assert!(!error.is_absent());
    assert_eq!(
        error.to_string(),
        "the profile default: the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set"
    );
}

#[tokio::test]
async fn a_role_may_be_taken_with_a_token_in_a_file() {
    let config = "[default]\nrole_arn = arn:aws:iam::123456789012:role/r\n\
                  web_identity_token_file = /run/token\n";
    let server = Server::start([sts("AssumeRoleWithWebIdentity", "ASIA1")]).await;
    let environment = machine(config, &server.url()).file("/run/token", "hush.web.token");
    check(&of_profile(&environment).await.unwrap(), "ASIA1");
    let body = String::from_utf8(server.only_request().body).unwrap();
    assert!(body.contains("WebIdentityToken=hush.web.token"), "{body}");
}

#[tokio::test]
async fn sts_may_refuse_a_role_and_repeat_the_session_token() {
    let config = "[default]\nrole_arn = arn:aws:iam::123456789012:role/r\nsource_profile = keys\n\
                  [profile keys]\naws_access_key_id = ASIA1\naws_secret_access_key = hush-key\n\
                  aws_session_token = hush-token\n";
    let body = "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code>\
                <Message>x-amz-security-token:hush-token</Message></Error></ErrorResponse>";
    let server = Server::start([Answer::new(403, &[], body)]).await;
    let error = of_profile(&machine(config, &server.url()))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the role arn:aws:iam::123456789012:role/r cannot be taken: SignatureDoesNotMatch: \
         x-amz-security-token:(redacted)"
    );
    assert!(!format!("{error:?}").contains("hush"));
}

#[tokio::test]
async fn sts_that_does_not_listen_is_told() {
    let config = "[default]\nrole_arn = arn:aws:iam::123456789012:role/r\nsource_profile = default\n\
                  aws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = hush-key\n";
    let nobody = Nobody::new();
    let url = nobody.url();
    let environment = machine(config, &url);
    let error = of_profile(&environment).await.unwrap_err();
    let begin = format!(
        "the role arn:aws:iam::123456789012:role/r cannot be taken: cannot connect to {url}/: "
    );
    assert!(error.to_string().starts_with(&begin), "{error}");
}

#[tokio::test]
async fn a_profile_that_leads_nowhere_is_an_error_with_its_line() {
    let arn = "arn:aws:iam::123456789012:role/r";
    for (config, text) in [
        (
            format!("[default]\nrole_arn = {arn}\n"),
            "/home/me/.aws/config, line 2: role_arn is set, and says not for whom: set \
             source_profile, credential_source or web_identity_token_file",
        ),
        (
            format!(
                "[default]\nrole_arn = {arn}\nsource_profile = b\n[profile b]\nrole_arn = {arn}\nsource_profile = default\n"
            ),
            "/home/me/.aws/config, line 6: source_profile leads in a circle: default -> b -> default",
        ),
        (
            format!("[default]\nrole_arn = {arn}\nsource_profile = b\n"),
            "/home/me/.aws/config, line 3: source_profile is \"b\", which is no profile",
        ),
        (
            format!("[default]\nrole_arn = {arn}\nsource_profile = b\n[profile b]\nregion = x\n"),
            "the profile b has no credentials to take the role arn:aws:iam::123456789012:role/r with",
        ),
        (
            format!(
                "[default]\nrole_arn = {arn}\nsource_profile = b\ncredential_source = Environment\n"
            ),
            "/home/me/.aws/config, line 3: source_profile is set, and so is credential_source: \
             set one of them",
        ),
        (
            format!("[default]\nrole_arn = {arn}\ncredential_source = Env\n"),
            "/home/me/.aws/config, line 3: credential_source is \"Env\"; it must be Environment, \
             EcsContainer or Ec2InstanceMetadata",
        ),
        (
            format!("[default]\nrole_arn = {arn}\nduration_seconds = 60\n"),
            "/home/me/.aws/config, line 3: duration_seconds is \"60\"; it must be a number from \
             900 to 43200",
        ),
        (
            format!("[default]\nrole_arn = {arn}\nmfa_serial = arn\n"),
            "/home/me/.aws/config, line 3: mfa_serial is set, and nobody can be asked for a code \
             here: use a session that somebody has logged in to",
        ),
        (
            "[default]\nsso_account_id = 1\n".to_owned(),
            "/home/me/.aws/config, line 2: sso_account_id is set: set sso_account_id and \
             sso_role_name, both",
        ),
        (
            "[default]\nsso_account_id = 1\nsso_role_name = r\nsso_session = s\n".to_owned(),
            "/home/me/.aws/config, line 4: sso_session is \"s\"; there is no [sso-session s]",
        ),
        (
            SSO.replace("eu-west-1", "example.com/"),
            "/home/me/.aws/config, line 6: sso_region cannot be a region, as eu-west-1 is one",
        ),
        (
            "[default]\naws_secret_access_key = hush\n".to_owned(),
            "/home/me/.aws/config, line 2: aws_secret_access_key is set and aws_access_key_id is \
             not: set both",
        ),
    ] {
        assert_eq!(refused(&config).await, text, "{config}");
    }
}

/// A file of `aws sso login` with a token that lasts until 2100. Its name is the SHA-1 of the
/// session's name, `corp`.
const LOGIN: (&str, &str) = (
    "/home/me/.aws/sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json",
    r#"{"accessToken":"hush-login","expiresAt":"2100-01-01T00:00:00Z"}"#,
);

const SSO: &str = "[default]\nsso_session = corp\nsso_account_id = 123456789012\n\
                   sso_role_name = Reader\n[sso-session corp]\nsso_region = eu-west-1\n\
                   sso_start_url = https://example.awsapps.com/start\n";

#[tokio::test]
async fn identity_center_gives_credentials_to_who_has_logged_in() {
    let document = r#"{"roleCredentials":{"accessKeyId":"ASIA1","secretAccessKey":"hush-secret",
        "sessionToken":"hush-token","expiration":4102444800000}}"#;
    let server = Server::start([Answer::ok(document)]).await;
    let environment = machine(SSO, &server.url()).file(LOGIN.0, LOGIN.1);
    check(&of_profile(&environment).await.unwrap(), "ASIA1");
    let request = server.only_request();
    assert_eq!(
        request.line,
        "GET /federation/credentials?role_name=Reader&account_id=123456789012 HTTP/1.1"
    );
    assert_eq!(request.header("x-amz-sso_bearer_token"), "hush-login");

    let server = Server::start([]).await;
    let error = of_profile(&machine(SSO, &server.url())).await.unwrap_err();
    assert!(!error.is_absent());
    assert_eq!(
        error.to_string(),
        "the profile default: IAM Identity Center gave no credentials: No valid SSO token found. \
         Please run 'aws sso login' first"
    );
}

#[tokio::test]
async fn identity_center_that_does_not_listen_is_told() {
    let nobody = Nobody::new();
    let url = nobody.url();
    let environment = machine(SSO, &url).file(LOGIN.0, LOGIN.1);
    let error = of_profile(&environment).await.unwrap_err();
    let begin = format!(
        "the profile default: IAM Identity Center gave no credentials: failed to fetch SSO \
         credentials: cannot connect to {url}/federation/credentials: "
    );
    assert!(error.to_string().starts_with(&begin), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_prints_credentials() {
    let process = |command: &str| {
        let config = format!("[default]\ncredential_process = {command}\n");
        let environment =
            Environment::from_iter([("HOME", "/home/me")]).file("/home/me/.aws/config", config);
        async move { of_profile(&environment).await }
    };
    let document = r#"{"Version":1,"AccessKeyId":"ASIA1","SecretAccessKey":"hush-secret",
        "SessionToken":"hush-token","Expiration":"2100-01-01T00:00:00Z"}"#;
    let document = document.replace('\n', " ");
    // Quotes are the shell's to understand.
    check(
        &process(&format!("printf '%s' '{document}'")).await.unwrap(),
        "ASIA1",
    );

    for (command, text) in [
        ("exit 3", "credential process failed with status 3"),
        ("echo hush", "failed to parse credential process output"),
        (
            "echo '\"hush-secret\"'",
            "failed to parse credential process output",
        ),
        ("head -c 70000 /dev/zero", "it prints more than 65536 bytes"),
        (
            "printf '%s' '{\"Version\":2,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"hush\"}'",
            "unsupported credential process version: 2",
        ),
    ] {
        let error = process(command).await.unwrap_err();
        assert!(!error.is_absent());
        assert_eq!(
            error.to_string(),
            format!("the profile default: its credential_process gave no credentials: {text}")
        );
        assert!(!format!("{error:?}").contains("hush"), "{error:?}");
    }
}

#[tokio::test]
async fn without_any_every_place_is_told_in_order() {
    let nobody = Nobody::new();
    let environment = Environment::from_iter([(IMDS, nobody.url())]);
    let error = bounded(CredentialsChain::new(&environment).provide())
        .await
        .unwrap_err();
    assert!(error.is_absent());
    let begin = "none are there; looked at in order: \
         (1) the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set; \
         (2) AWS_PROFILE is not set and no profile is called default; \
         (3) the variable AWS_WEB_IDENTITY_TOKEN_FILE is not set; \
         (4) the variables AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and \
         AWS_CONTAINER_CREDENTIALS_FULL_URI are not set; \
         (5) this is no EC2 instance, as nobody answers for its metadata: ";
    assert!(error.to_string().starts_with(begin), "{error}");
}
