//! Where calls go.

use std::fmt;

use http::Uri;
use http::header::HeaderValue;
use http::uri::{Parts, PathAndQuery, Scheme};

use super::builder::BuildError;

/// A parsed endpoint: every call is a POST to this URI.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    uri: Uri,
    host_header: HeaderValue,
}

impl Endpoint {
    /// Parses `http://` or `https://`, a host, and perhaps a port and a path, which is kept and
    /// made to end in a slash.
    pub(super) fn parse(url: &str) -> Result<Self, BuildError> {
        let refuse = |reason| BuildError::Endpoint { reason };
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
        let uri = Uri::from_parts(parts).map_err(|_| refuse("it is not a URL"))?;
        Ok(Self { uri, host_header })
    }

    pub(super) const fn uri(&self) -> &Uri {
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

    /// The region that the host's name tells, or `us-east-1`.
    pub(super) fn region(&self) -> &str {
        sigv4::region_from_host(self.uri.host().unwrap_or_default())
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uri.fmt(f)
    }
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
mod tests {
    use super::*;

    #[test]
    fn the_path_is_kept_and_ends_in_a_slash() {
        for (url, uri) in [
            ("http://127.0.0.1:9324", "http://127.0.0.1:9324/"),
            ("http://127.0.0.1:9324/", "http://127.0.0.1:9324/"),
            ("https://example.com/custom", "https://example.com/custom/"),
            (
                "https://example.com/a/b%20c/",
                "https://example.com/a/b%20c/",
            ),
            ("HTTP://localhost", "http://localhost/"),
        ] {
            assert_eq!(Endpoint::parse(url).unwrap().to_string(), uri, "{url}");
        }
    }

    #[test]
    fn the_host_header_has_only_a_port_that_is_not_the_schemes_own() {
        for (url, host) in [
            ("http://localhost", "localhost"),
            ("http://localhost:80", "localhost"),
            ("http://localhost:443", "localhost:443"),
            (
                "https://sqs.us-east-1.amazonaws.com:443/x",
                "sqs.us-east-1.amazonaws.com",
            ),
            ("https://localhost:80", "localhost:80"),
            ("http://[::1]:9324", "[::1]:9324"),
        ] {
            assert_eq!(Endpoint::parse(url).unwrap().host_header(), host, "{url}");
        }
    }

    #[test]
    fn the_region_comes_from_an_aws_host() {
        let region = |url| Endpoint::parse(url).unwrap().region().to_owned();
        assert_eq!(
            region("https://sqs.eu-central-1.amazonaws.com"),
            "eu-central-1"
        );
        assert_eq!(region("http://127.0.0.1:9324"), "us-east-1");
    }

    #[test]
    fn what_is_no_endpoint_is_refused_with_the_reason() {
        for (url, reason) in [
            ("", "it must begin with http:// or https://"),
            ("localhost:9324", "it must begin with http:// or https://"),
            ("ftp://localhost", "it must begin with http:// or https://"),
            ("/é", "it must begin with http:// or https://"),
            ("http://", "it is not a URL"),
            ("http:///path", "it is not a URL"),
            ("http://:80", "it has no host"),
            ("http://a b", "it is not a URL"),
            ("http://localhost/a b", "it is not a URL"),
            (
                "http://localhost?x=1",
                "it must not have a query or a fragment",
            ),
            (
                "http://localhost/#x",
                "it must not have a query or a fragment",
            ),
            (
                "http://localhost:0",
                "its port is not a number from 1 to 65535",
            ),
            (
                "http://localhost:65536",
                "its port is not a number from 1 to 65535",
            ),
            (
                "http://localhost:",
                "its port is not a number from 1 to 65535",
            ),
            (
                "http://user:hush@localhost",
                "it must not hold a user or a password: credentials are set apart",
            ),
        ] {
            let error = Endpoint::parse(url).unwrap_err();
            assert_eq!(error, BuildError::Endpoint { reason }, "{url}");
            assert!(!error.to_string().contains("hush"));
        }
    }
}
