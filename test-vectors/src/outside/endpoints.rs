//! AWS's endpoint cases of SQS and DynamoDB, as botocore carries them, through the client's builder.

use aws_json::client::{BuildError, Builder, Client, Credentials, EndpointError, Service, Variant};
use serde::Deserialize;

use crate::LoadError;
use crate::botocore::Botocore;
use crate::outside::{Kind, Run, Verdict};

/// Runs all cases.
///
/// # Errors
///
/// If a file cannot be read, is in another form, or has another number of cases than it is known for.
pub fn run(botocore: &Botocore, run: &mut Run) -> Result<(), LoadError> {
    let services: [(Kind, &str, ServiceOf); 2] = [
        (Kind::SqsEndpoint, SQS, |_| sqs()),
        (Kind::DynamoDbEndpoint, DYNAMODB, dynamodb),
    ];
    for (kind, path, service) in services {
        let (file, count): (File, usize) = botocore.read(path)?;
        if file.test_cases.len() != count {
            let problem = format!("{} cases; expected {count}", file.test_cases.len());
            return Err(LoadError::malformed(path.as_ref(), problem));
        }
        for case in &file.test_cases {
            run.add(kind, case.name(), case.verdict(service(&case.params)));
        }
    }
    Ok(())
}

/// The service that a case calls.
type ServiceOf = fn(&Params) -> Service;

/// The client's settings that a case is about.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "PascalCase")]
struct Params {
    region: Option<String>,
    #[serde(rename = "UseFIPS")]
    use_fips: bool,
    use_dual_stack: bool,
    endpoint: Option<String>,
    is_search_operation: bool,
    // What endpoints of an account are made from.
    #[serde(rename = "AccountId")]
    _account_id: Option<String>,
    #[serde(rename = "AccountIdEndpointMode")]
    _account_id_endpoint_mode: Option<String>,
    #[serde(rename = "ResourceArn")]
    _resource_arn: Option<String>,
    #[serde(rename = "ResourceArnList")]
    _resource_arn_list: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    test_cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
struct Case {
    documentation: String,
    #[serde(default)]
    params: Params,
    expect: Expect,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
enum Expect {
    Endpoint(Endpoint),
    Error(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Endpoint {
    url: String,
    #[serde(default)]
    properties: Properties,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    auth_schemes: Vec<AuthScheme>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuthScheme {
    signing_region: String,
}

impl Case {
    fn name(&self) -> String {
        self.documentation.trim().to_owned()
    }

    fn verdict(&self, service: Service) -> Verdict {
        if let Some(reason) = self.inapplicable() {
            return Verdict::Skipped(reason);
        }
        let expected = match &self.expect {
            Expect::Error(message) => format!("error: {message}"),
            Expect::Endpoint(endpoint) => {
                let slash = if endpoint.url.ends_with('/') { "" } else { "/" };
                let region = endpoint.properties.auth_schemes.first();
                let region = region.map(|scheme| &*scheme.signing_region);
                // Without one the rules leave it to the caller; a client here always has one.
                let region = region.or(self.params.region.as_deref());
                let region = region.unwrap_or("us-east-1");
                format!("{}{slash} in {region}", endpoint.url)
            }
        };
        let got = match self.builder(service).build() {
            Ok(client) => format!("{} in {}", client.endpoint_url(), client.region()),
            Err(error) => format!("error: {}", self.in_words_of_aws(&error)),
        };
        Verdict::compare("endpoint", &expected, &got)
    }

    /// Why this case is not run, if it is not.
    fn inapplicable(&self) -> Option<&'static str> {
        let is_of_account = match &self.expect {
            Expect::Endpoint(endpoint) => {
                self.params.endpoint.is_none()
                    && [".ddb.", ".search-ddb."]
                        .iter()
                        .any(|part| endpoint.url.contains(part))
            }
            Expect::Error(error) => error.contains("AccountId") || error.contains("account ID"),
        };
        let is_of_dual_stack = matches!(
            &self.expect,
            Expect::Error(error) if error.starts_with("Endpoint override is not supported")
        );
        if is_of_account {
            Some(
                "endpoints of an account are not made here: those of the region serve all accounts",
            )
        } else if is_of_dual_stack {
            Some("a dual-stack name given as the endpoint is called, as any other that is given")
        } else {
            None
        }
    }

    fn builder(&self, service: Service) -> Builder {
        let params = &self.params;
        let mut builder = Client::builder(service)
            .credentials(Credentials::new("test", "test"))
            .variant(match (params.use_fips, params.use_dual_stack) {
                (false, false) => Variant::Plain,
                (true, false) => Variant::Fips,
                (false, true) => Variant::DualStack,
                (true, true) => Variant::FipsDualStack,
            });
        if let Some(region) = &params.region {
            builder = builder.region(region);
        }
        if let Some(url) = &params.endpoint {
            builder = builder.endpoint(url);
        }
        builder
    }

    /// An error as AWS's rules put it, where they have one for it.
    fn in_words_of_aws(&self, error: &BuildError) -> String {
        let BuildError::Endpoint(error) = error else {
            return error.to_string();
        };
        match error {
            EndpointError::NoRegion => "Invalid Configuration: Missing Region".to_owned(),
            EndpointError::Variant { variant } => {
                let what = match variant {
                    Variant::DualStack => "Dualstack",
                    Variant::Plain | Variant::Fips | Variant::FipsDualStack => "FIPS",
                };
                let with = match &self.params.endpoint {
                    Some(_) => "custom",
                    None => "local",
                };
                format!("Invalid Configuration: {what} and {with} endpoint are not supported")
            }
            error => error.to_string(),
        }
    }
}

fn sqs() -> Service {
    Service::new("sqs", "AmazonSQS").plain_fips_in_govcloud()
}

fn dynamodb(params: &Params) -> Service {
    let service = Service::new("dynamodb", "DynamoDB_20120810")
        .plain_fips_in_govcloud()
        .local_endpoint("http://localhost:8000");
    if params.is_search_operation {
        service.endpoint_name("search-dynamodb")
    } else {
        service
    }
}

const SQS: &str = "tests/functional/endpoint-rules/sqs/endpoint-tests-1.json";
const DYNAMODB: &str = "tests/functional/endpoint-rules/dynamodb/endpoint-tests-1.json";
