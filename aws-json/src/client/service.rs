//! What the client has to know of a service and of its operations.

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::retry::Defaults;
use crate::codec::content_type::Version;

/// A service that speaks the protocol.
///
/// ```
/// use aws_json::client::Service;
/// use aws_json::codec::content_type::Version;
///
/// let sqs = Service::new("sqs", "AmazonSQS").query_compatible();
/// let kms = Service::new("kms", "TrentService").version(Version::V1_1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    pub(super) signing_name: Cow<'static, str>,
    pub(super) target_prefix: Cow<'static, str>,
    pub(super) version: Version,
    pub(super) query_mode: QueryMode,
    endpoint_prefix: Option<Cow<'static, str>>,
    id: Option<Cow<'static, str>>,
    pub(super) govcloud_fips: GovcloudFips,
    pub(super) local_endpoint: Option<Cow<'static, str>>,
    pub(super) retries: Defaults,
}

impl Service {
    /// A service of protocol version 1.0.
    ///
    /// The signing name stands in the scope of signatures (`sqs`), the target prefix in
    /// `X-Amz-Target` before the operation (`AmazonSQS`). Calls of `dynamodb`, which is the
    /// signing name of its Streams too, are retried more often and sooner: see
    /// [`Client`](super::Client).
    #[must_use]
    pub fn new(
        signing_name: impl Into<Cow<'static, str>>,
        target_prefix: impl Into<Cow<'static, str>>,
    ) -> Self {
        let signing_name = signing_name.into();
        let retries = match &*signing_name {
            "dynamodb" => Defaults::DYNAMODB,
            _ => Defaults::STANDARD,
        };
        Self {
            signing_name,
            target_prefix: target_prefix.into(),
            version: Version::V1_0,
            query_mode: QueryMode::Unsaid,
            endpoint_prefix: None,
            id: None,
            govcloud_fips: GovcloudFips::OwnName,
            local_endpoint: None,
            retries,
        }
    }

    /// Speaks this version of the protocol.
    #[must_use]
    pub fn version(mut self, version: Version) -> Self {
        self.version = version;
        self
    }

    /// Once spoke the Query protocol, so that clients ask for its error codes with the header
    /// `x-amzn-query-mode`. No other service may be sent it.
    #[must_use]
    pub fn query_compatible(mut self) -> Self {
        self.query_mode = QueryMode::Compatible;
        self
    }

    /// What stands before the region in the names of AWS's endpoints (`streams.dynamodb`), where
    /// it is not the signing name.
    #[must_use]
    pub fn endpoint_name(mut self, prefix: impl Into<Cow<'static, str>>) -> Self {
        self.endpoint_prefix = Some(prefix.into());
        self
    }

    /// The name by which the environment knows the service, where it is not the signing name:
    /// AWS's service id (`DynamoDB Streams`, which is `DYNAMODB_STREAMS` in variables and
    /// `dynamodb_streams` in shared files).
    #[must_use]
    pub fn id(mut self, id: impl Into<Cow<'static, str>>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Has no FIPS name of its own in GovCloud, since its plain name there is one already: SQS
    /// and DynamoDB are such services.
    #[must_use]
    pub fn plain_fips_in_govcloud(mut self) -> Self {
        self.govcloud_fips = GovcloudFips::PlainName;
        self
    }

    /// Takes the region `local` for a server at this URL, as DynamoDB does with
    /// `http://localhost:8000`.
    #[must_use]
    pub fn local_endpoint(mut self, url: impl Into<Cow<'static, str>>) -> Self {
        self.local_endpoint = Some(url.into());
        self
    }

    pub(super) fn endpoint_prefix(&self) -> &str {
        self.endpoint_prefix.as_ref().unwrap_or(&self.signing_name)
    }

    /// The id in lower_snake_case.
    pub(super) fn snake_id(&self) -> String {
        let id = self.id.as_ref().unwrap_or(&self.signing_name);
        let lower = |c: char| match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => c,
            _ => '_',
        };
        id.chars().map(lower).collect()
    }
}

/// Whether `x-amzn-query-mode` is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryMode {
    Unsaid,
    Compatible,
}

/// What a service's FIPS name in GovCloud is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GovcloudFips {
    OwnName,
    PlainName,
}

/// An operation of a service, with the types of its input and output.
/// [`operations!`](crate::operations) declares the usual ones in a line.
///
/// ```
/// use aws_json::client::Operation;
///
/// #[derive(serde::Serialize)]
/// #[serde(rename_all = "PascalCase")]
/// struct GetQueueUrlInput {
///     queue_name: String,
/// }
///
/// #[derive(serde::Deserialize)]
/// #[serde(rename_all = "PascalCase")]
/// struct GetQueueUrlOutput {
///     queue_url: Option<String>,
/// }
///
/// struct GetQueueUrl;
///
/// impl Operation for GetQueueUrl {
///     const NAME: &'static str = "GetQueueUrl";
///     const SAFE_TO_RETRY: bool = true;
///     type Input = GetQueueUrlInput;
///     type Output = GetQueueUrlOutput;
/// }
/// ```
pub trait Operation {
    /// AWS's name, as it stands in `X-Amz-Target` after the prefix.
    const NAME: &'static str;

    /// Whether doing it twice does no more harm than doing it once, so that it may be sent again
    /// when nobody knows whether the first one arrived. If not, see
    /// [`UnknownOutcome`](super::UnknownOutcome).
    const SAFE_TO_RETRY: bool;

    /// Whether its callers call it again and again, as SQS's `ReceiveMessage`, so that an error
    /// must not come back at once when the client has spent its retries. See
    /// [`Client`](super::Client).
    const LONG_POLL: bool = false;

    /// What goes before the endpoint's host, where the service's model says so (Smithy's trait
    /// `endpoint`): `data.`, or `{AccountId}.data.` with labels that [`host_label`](Self::host_label)
    /// gives. It ends in a dot. A server that is named by its address or as `localhost` gets none
    /// of it.
    const HOST_PREFIX: &'static str = "";

    /// Whether the service takes its input compressed with gzip, where the service's model says so
    /// (Smithy's trait `requestCompression`), as CloudWatch's `PutMetricData`. A client with the
    /// feature `compression` then sends it so from 10,240 bytes on; one without it never does.
    const TAKES_GZIP: bool = false;

    /// What it takes, written as a JSON object. `()` if it takes nothing.
    type Input: Serialize + ?Sized;

    /// What it answers, read from a JSON object or an empty body. `()` if it answers nothing.
    type Output: DeserializeOwned;

    /// How long the service may hold this call on purpose, as in a long poll. It is added to the
    /// attempt's timeout.
    fn held_for(_input: &Self::Input) -> Duration {
        Duration::ZERO
    }

    /// The member of the input that stands in the [host's prefix](Self::HOST_PREFIX) under this
    /// name. It must be a label of a host's name: 1 to 63 letters, digits and hyphens, with no
    /// hyphen at either end.
    fn host_label<'a>(_input: &'a Self::Input, _name: &str) -> Option<&'a str> {
        None
    }
}

/// Declares operations, a line each: the name, what it takes and gives, and whether it is
/// [safe to retry](crate::client::Operation::SAFE_TO_RETRY). Each becomes a type that
/// [`Client::call`](crate::client::Client::call) is given. One of which more is to be said, as that
/// it is a long poll, is an `impl` of [`Operation`](crate::client::Operation) instead.
///
/// ```
/// use aws_json::client::{Client, Service};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize)]
/// #[serde(rename_all = "PascalCase")]
/// struct PutParameterInput {
///     name: String,
///     value: String,
/// }
///
/// #[derive(Debug, Deserialize)]
/// #[serde(rename_all = "PascalCase")]
/// struct PutParameterOutput {
///     version: i64,
/// }
///
/// aws_json::operations! {
///     /// Sets a parameter.
///     pub(crate) PutParameter(PutParameterInput) -> PutParameterOutput, not safe to retry;
///     /// Removes parameters.
///     pub(crate) DeleteParameters(serde_json::Value) -> serde_json::Value, safe to retry;
/// }
///
/// # async fn example(ssm: Client) -> Result<(), aws_json::client::Error> {
/// let input = PutParameterInput { name: "color".into(), value: "blue".into() };
/// println!("version {}", ssm.call::<PutParameter>(&input).await?.version);
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $visibility:vis $name:ident($input:ty) -> $output:ty, $($safe:ident)+;
    )+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            $visibility struct $name;

            impl $crate::client::Operation for $name {
                const NAME: &'static str = stringify!($name);
                const SAFE_TO_RETRY: bool = $crate::operations!(@ $($safe)+);
                type Input = $input;
                type Output = $output;
            }
        )+
    };
    (@ safe to retry) => { true };
    (@ not safe to retry) => { false };
}
