//! Where calls go.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::Uri;
use http::header::HeaderValue;
use http::uri::{Authority, Parts, PathAndQuery, Scheme};

use super::EndpointOrigin;
use super::host_prefix::{HostPrefix, HostPrefixError};
use super::partition::{GOVCLOUD, Partition};
use super::service::{GovcloudFips, Service};

/// Where calls go, and the region that they are signed for.
///
/// ```
/// use aws_json::client::{Endpoint, Service, Variant};
///
/// let sqs = Service::new("sqs", "AmazonSQS");
/// let endpoint = Endpoint::of(&sqs, "cn-north-1", Variant::Plain)?;
/// assert_eq!(endpoint.to_string(), "https://sqs.cn-north-1.amazonaws.com.cn/");
///
/// let endpoint = Endpoint::new("https://vpce-1.sqs.eu-west-1.vpce.amazonaws.com")?;
/// assert_eq!(endpoint.region(), "eu-west-1");
///
/// let endpoint = Endpoint::new("http://localhost:4566/custom")?.with_region("eu-west-2")?;
/// assert_eq!(endpoint.to_string(), "http://localhost:4566/custom/");
/// assert_eq!(endpoint.region(), "eu-west-2");
/// # Ok::<(), aws_json::client::EndpointError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    uri: Uri,
    host_header: HeaderValue,
    region: Arc<str>,
}

impl Endpoint {
    /// An endpoint by its URL: `http://` or `https://`, a host, and perhaps a port and a path,
    /// which is kept and made to end in a slash.
    ///
    /// The region is read from the host's name where it tells one
    /// ([`region_in_host`](sigv4::region_in_host)), and is `us-east-1` for any other host, as
    /// AWS's own tools sign for a local server.
    ///
    /// # Errors
    ///
    /// [`EndpointError::Url`].
    pub fn new(url: &str) -> Result<Self, EndpointError> {
        let refuse = |reason| EndpointError::Url { reason };
        if !["http://", "https://"]
            .iter()
            .any(|scheme| has_prefix(url, scheme))
        {
            return Err(refuse("it must begin with http:// or https://"));
        }
        if url.contains(['?', '#']) {
            return Err(refuse("it must not have a query or a fragment"));
        }
        let uri: Uri = url.parse().map_err(|_| refuse("it is not a URL"))?;
        let authority = uri.authority().ok_or(refuse("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(refuse(
                "it must not hold a user or a password: credentials are set apart",
            ));
        }
        if authority.host().is_empty() {
            return Err(refuse("it has no host"));
        }
        let port_text = authority
            .as_str()
            .strip_prefix(authority.host())
            .unwrap_or_default();
        if !port_text.is_empty() && authority.port_u16().is_none_or(|port| port == 0) {
            return Err(refuse("its port is not a number from 1 to 65535"));
        }
        let host_header = host_header(&uri).ok_or(refuse("its host is not ASCII"))?;

        let mut path = uri.path().to_owned();
        if !path.ends_with('/') {
            path.push('/');
        }
        let mut parts: Parts = uri.into_parts();
        parts.path_and_query =
            Some(PathAndQuery::try_from(path).map_err(|_| refuse("its path is not legal"))?);
        // HTTP/2 sends it beside `Host`, and the two must not differ.
        parts.authority = Authority::try_from(host_header.as_bytes()).ok();
        let uri = Uri::from_parts(parts).map_err(|_| refuse("it is not a URL"))?;
        let region = region_in(&uri).unwrap_or_else(|| UNTOLD.into());
        Ok(Self {
            uri,
            host_header,
            region,
        })
    }

    /// AWS's own endpoint of a service in a region, in the partition that the region lies in. A
    /// region that nobody has heard of, of no partition's form, is taken for a new one of `aws`.
    ///
    /// # Errors
    ///
    /// If the region or the service's endpoint name cannot be one, or there is no such name.
    pub fn of(service: &Service, region: &str, variant: Variant) -> Result<Self, EndpointError> {
        check_region(region)?;
        if let Some(url) = &service.local_endpoint
            && region == LOCAL
        {
            return match variant {
                Variant::Plain => Self::new(url),
                Variant::Fips | Variant::DualStack | Variant::FipsDualStack => {
                    Err(EndpointError::Variant { variant })
                }
            };
        }
        let prefix = service.endpoint_prefix();
        if !is_host(prefix) {
            return Err(EndpointError::Service);
        }
        let partition = Partition::of(region);
        let is_plain_fips =
            partition.name == GOVCLOUD && matches!(service.govcloud_fips, GovcloudFips::PlainName);
        let (fips, suffix) = match variant {
            Variant::Plain => ("", partition.dns_suffix),
            Variant::Fips if is_plain_fips => ("", partition.dns_suffix),
            Variant::Fips => ("-fips", partition.dns_suffix),
            Variant::DualStack => ("", partition.dual_stack_dns_suffix),
            Variant::FipsDualStack => ("-fips", partition.dual_stack_dns_suffix),
        };
        Self::new(&format!("https://{prefix}{fips}.{region}.{suffix}"))?.with_region(region)
    }

    /// This endpoint, with calls signed for a region.
    ///
    /// # Errors
    ///
    /// [`EndpointError::Region`].
    pub fn with_region(mut self, region: &str) -> Result<Self, EndpointError> {
        check_region(region)?;
        if *self.region != *region {
            self.region = region.into();
        }
        Ok(self)
    }

    /// The URL, of which the path ends in a slash. `Display` writes it.
    #[must_use]
    pub const fn uri(&self) -> &Uri {
        &self.uri
    }

    pub(super) fn is_https(&self) -> bool {
        self.uri.scheme() == Some(&Scheme::HTTPS)
    }

    /// What `Host` says, and what is signed: the port only where it is not the scheme's own, as
    /// hyper would write it.
    pub(super) const fn host_header(&self) -> &HeaderValue {
        &self.host_header
    }

    /// This endpoint with an operation's prefix before its host. A server that is named by its
    /// address, or as `localhost`, has no names below its own, and is left as it is.
    pub(super) fn with_host_prefix(&self, prefix: &HostPrefix) -> Result<Self, HostPrefixError> {
        let host = self.uri.host().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        if host.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok() {
            return Ok(self.clone());
        }
        let host_and_port = self.host_header.to_str().unwrap_or_default();
        let whole = Bytes::from(prefix.before(host_and_port)?);
        // What a prefix is made of is legal in each of these, so no error is to be expected.
        let mut parts = self.uri.clone().into_parts();
        parts.authority = Authority::from_maybe_shared(whole.clone()).ok();
        let uri = Uri::from_parts(parts).map_err(|_| HostPrefixError::Template)?;
        Ok(Self {
            uri,
            host_header: HeaderValue::from_maybe_shared(whole)
                .map_err(|_| HostPrefixError::Template)?,
            region: Arc::clone(&self.region),
        })
    }

    /// The region that calls are signed for.
    #[must_use]
    pub fn region(&self) -> &str {
        &self.region
    }

    /// Whether the host's name tells a region, as the names of AWS's hosts do.
    #[must_use]
    pub fn tells_region(&self) -> bool {
        region_in(&self.uri).is_some()
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uri.fmt(f)
    }
}

/// What is known of where calls shall go.
pub(super) struct Wanted<'a> {
    /// The endpoint that is given instead of AWS's own.
    pub(super) given: Option<Endpoint>,
    /// The region that is asked for.
    pub(super) region: Option<&'a str>,
    /// The region otherwise, unless the endpoint that is given tells its own.
    pub(super) usual_region: Option<&'a str>,
    pub(super) variant: Variant,
}

impl Wanted<'_> {
    pub(super) fn origin(&self) -> EndpointOrigin {
        match (&self.given, self.variant) {
            (None, Variant::Plain) => EndpointOrigin::Region,
            (Some(_), _) | (None, Variant::Fips | Variant::DualStack | Variant::FipsDualStack) => {
                EndpointOrigin::Given
            }
        }
    }

    pub(super) fn resolve(self, service: &Service) -> Result<Endpoint, EndpointError> {
        let variant = self.variant;
        let Some(given) = self.given else {
            let region = self.region.or(self.usual_region);
            return Endpoint::of(service, region.ok_or(EndpointError::NoRegion)?, variant);
        };
        if variant != Variant::Plain {
            return Err(EndpointError::Variant { variant });
        }
        let usual = self.usual_region.filter(|_| !given.tells_region());
        match self.region.or(usual) {
            Some(region) => given.with_region(region),
            None => Ok(given),
        }
    }
}

/// Which of a service's names in a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// `sqs.eu-west-1.amazonaws.com`.
    #[default]
    Plain,
    /// With validated cryptography (FIPS 140): `sqs-fips.us-east-1.amazonaws.com`. Not every
    /// service has it in every region; where it has not, the name is unknown.
    Fips,
    /// Over IPv4 and IPv6: `sqs.eu-west-1.api.aws`.
    DualStack,
    /// Both: `sqs-fips.us-east-1.api.aws`.
    FipsDualStack,
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::Fips => "FIPS",
            Self::DualStack => "dual stack",
            Self::FipsDualStack => "FIPS and dual stack",
        })
    }
}

/// Why there is no such endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndpointError {
    /// The URL cannot be an endpoint's.
    Url {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Neither a URL nor a region was given.
    NoRegion,
    /// The region cannot be one.
    Region {
        /// The region given.
        region: String,
    },
    /// A name of AWS's was asked for together with a server that is given.
    Variant {
        /// Which name.
        variant: Variant,
    },
    /// The service's endpoint name cannot be one.
    Service,
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url { reason } => write!(f, "the endpoint cannot be used: {reason}"),
            Self::NoRegion => f.write_str(
                "neither a region nor an endpoint was given; eu-west-1 is one, or \
                 http://127.0.0.1:9324",
            ),
            Self::Region { region } => write!(
                f,
                "the region {region:?} cannot be one: it is made of at most 63 lower-case \
                 letters, digits and hyphens, as in us-east-1"
            ),
            Self::Variant { variant } => write!(
                f,
                "{variant} is a choice between AWS's own names, and not to be had with an \
                 endpoint that is given"
            ),
            Self::Service => f.write_str(
                "the service's endpoint name is not made of letters, digits, hyphens and dots",
            ),
        }
    }
}

impl Error for EndpointError {}

/// What calls are signed for where the host tells no region, as AWS's own tools do.
const UNTOLD: &str = "us-east-1";

/// The region that a host's name tells, in whatever case it is written.
fn region_in(uri: &Uri) -> Option<Arc<str>> {
    let host = uri.host()?.to_ascii_lowercase();
    sigv4::region_in_host(&host).map(Arc::from)
}

/// The region of DynamoDB that is a server on the own machine.
const LOCAL: &str = "local";

/// Whether this can be a region: a label of a host's name, in lower case, in which it is also
/// signed for.
pub(super) fn check_region(region: &str) -> Result<(), EndpointError> {
    let is_legal = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let is_region = (1..=63).contains(&region.len())
        && region.bytes().all(is_legal)
        && !region.starts_with('-')
        && !region.ends_with('-')
        && !region.bytes().all(|byte| byte.is_ascii_digit());
    if is_region {
        Ok(())
    } else {
        // Whatever it is, an error need not repeat more of it than a name can be long.
        let region = region.chars().take(64).collect();
        Err(EndpointError::Region { region })
    }
}

/// Whether this can be the beginning of a host's name.
fn is_host(text: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let mut labels = text.split('.');
    labels.all(|label| !label.is_empty() && label.bytes().all(is_legal))
}

fn has_prefix(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn host_header(uri: &Uri) -> Option<HeaderValue> {
    let host = uri.host()?;
    let default_port = if uri.scheme() == Some(&Scheme::HTTPS) {
        443
    } else {
        80
    };
    let value = match uri.port_u16() {
        Some(port) if port != default_port => format!("{host}:{port}"),
        Some(_) | None => host.to_owned(),
    };
    HeaderValue::try_from(value).ok()
}

#[cfg(test)]
mod tests;
