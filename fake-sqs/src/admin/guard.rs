//! Who may use the control interface: whoever runs on this machine, and no web page of another
//! site in a browser on it.
//!
//! The interface is unsigned, so two doors are kept shut. A page elsewhere can make its own host
//! name resolve to 127.0.0.1 (DNS rebinding): then `Host` is that name, and only loopback names
//! are answered. And a page can send a request here without reading the answer: then the browser
//! says so in `Origin` or `Sec-Fetch-Site`.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, header};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// How much of a name from outside is repeated in an error, in characters.
const SHOWN_CHARS_MAX: usize = 80;

/// A host name that the control interface answers to, besides the loopback names.
///
/// It is compared without its port and without regard to case. An IPv6 address is written in
/// brackets, as in a URL.
///
/// ```
/// use fake_sqs::ControlHost;
///
/// let host: ControlHost = "SQS.internal".parse()?;
/// assert_eq!(host.as_str(), "sqs.internal");
/// assert!("sqs.internal:9324".parse::<ControlHost>().is_err());
/// # Ok::<(), fake_sqs::ControlHostError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlHost(String);

impl ControlHost {
    /// The name, in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ControlHost {
    type Err = ControlHostError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Authority::try_from(text) {
            Ok(authority) if authority.host() == text => Ok(Self(text.to_ascii_lowercase())),
            Ok(_) | Err(_) => Err(ControlHostError),
        }
    }
}

/// A text that is not a host name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a control host is a name such as sqs.internal or an address such as [fd00::1], without a scheme or a port"
)]
pub struct ControlHostError;

/// Decides which requests the control interface answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    control_hosts: Vec<ControlHost>,
}

impl Guard {
    /// Loopback names and these are answered, whatever the port.
    pub(crate) fn new(control_hosts: Vec<ControlHost>) -> Self {
        Self { control_hosts }
    }

    /// Says why a request is refused.
    pub(crate) fn check(&self, request: &Parts) -> Result<(), Denied> {
        let host = single_host(&request.headers)?;
        self.check_host(&host)?;
        if let Some(authority) = request.uri.authority() {
            self.check_host(authority)?;
        }
        check_origin(&request.headers, &host)?;
        check_fetch_site(&request.headers)
    }

    fn check_host(&self, authority: &Authority) -> Result<(), Denied> {
        let host = authority.host().to_ascii_lowercase();
        let is_allowed =
            is_loopback(&host) || self.control_hosts.iter().any(|allowed| allowed.0 == host);
        // No client sends user information here: it makes one host look like another.
        if authority.as_str().contains('@') {
            Err(Denied::Host(shown(authority.as_str())))
        } else if is_allowed {
            Ok(())
        } else {
            Err(Denied::Host(shown(&host)))
        }
    }
}

/// Why the control interface does not answer; the text says what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Denied {
    #[error("the control interface needs exactly one Host header that names a host")]
    NoHost,
    #[error(
        "the control interface answers only to loopback names such as localhost, not to {0:?}; \
         to allow that name, start fake-sqs with --control-host"
    )]
    Host(String),
    #[error(
        "the control interface does not answer a page of another origin ({0:?}); call it from a \
         program, or from a page that fake-sqs itself serves"
    )]
    Origin(String),
    #[error(
        "the control interface does not answer a page of another site (Sec-Fetch-Site is {0:?}); \
         call it from a program, or from a page that fake-sqs itself serves"
    )]
    FetchSite(String),
}

fn single_host(headers: &HeaderMap) -> Result<Authority, Denied> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(Denied::NoHost);
    };
    Authority::try_from(host.as_bytes()).map_err(|_| Denied::NoHost)
}

/// `localhost`, an address in 127.0.0.0/8, or `[::1]`. A name that merely resolves to loopback is
/// not one: who answers for it in the DNS can change its mind.
fn is_loopback(host: &str) -> bool {
    if let Some(bracketed) = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
    {
        return bracketed.parse() == Ok(Ipv6Addr::LOCALHOST);
    }
    host == "localhost" || matches!(host.parse(), Ok(IpAddr::V4(address)) if address.is_loopback())
}

/// An `Origin` must be the very origin that the request goes to. `null` (a sandboxed frame, a file)
/// is another one.
fn check_origin(headers: &HeaderMap, host: &Authority) -> Result<(), Denied> {
    for origin in headers.get_all(header::ORIGIN) {
        let own = origin
            .as_bytes()
            .strip_prefix(b"http://")
            .is_some_and(|authority| authority.eq_ignore_ascii_case(host.as_str().as_bytes()));
        if !own {
            return Err(Denied::Origin(shown(&String::from_utf8_lossy(
                origin.as_bytes(),
            ))));
        }
    }
    Ok(())
}

/// `same-origin` is our own page, `none` the person at the address bar. `same-site` is refused like
/// `cross-site`: to a browser every port of localhost is one site.
fn check_fetch_site(headers: &HeaderMap) -> Result<(), Denied> {
    for site in headers.get_all(SEC_FETCH_SITE) {
        if !matches!(site.as_bytes(), b"same-origin" | b"none") {
            return Err(Denied::FetchSite(shown(&String::from_utf8_lossy(
                site.as_bytes(),
            ))));
        }
    }
    Ok(())
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn check(guard: &Guard, target: &str, headers: &[(&str, &str)]) -> Result<(), Denied> {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        guard.check(&parts)
    }

    fn check_host(host: &str) -> Result<(), Denied> {
        check(&Guard::default(), "/_fake/health", &[("host", host)])
    }

    #[test]
    fn loopback_names_are_answered_on_any_port() {
        for host in [
            "localhost",
            "LocalHost:9324",
            "127.0.0.1",
            "127.0.0.1:1",
            "127.8.9.10:9324",
            "[::1]",
            "[::1]:9324",
            "[0:0:0:0:0:0:0:1]:80",
        ] {
            assert_eq!(check_host(host), Ok(()), "{host}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for host in [
            "example.com",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "localhost.",
            "128.0.0.1",
            "0.0.0.0:9324",
            "2130706433",
            "0x7f.1",
            "[::2]",
            "[::ffff:10.0.0.1]",
        ] {
            assert!(matches!(check_host(host), Err(Denied::Host(_))), "{host}");
        }
        for host in ["", "a b", "[::1", "::1"] {
            assert!(check_host(host).is_err(), "{host}");
        }
    }

    #[test]
    fn user_info_cannot_pass_for_the_host() {
        assert!(check_host("localhost@example.com").is_err());
        assert!(check_host("127.0.0.1:80@example.com").is_err());
        assert!(check_host("example.com@localhost").is_err());
        assert!(check_host("example.com:80@127.0.0.1").is_err());
        assert!(check_host("@localhost").is_err());
    }

    #[test]
    fn exactly_one_host_is_needed() {
        let guard = Guard::default();
        assert_eq!(check(&guard, "/_fake/health", &[]), Err(Denied::NoHost));
        let two = [("host", "localhost"), ("host", "localhost")];
        assert_eq!(check(&guard, "/_fake/health", &two), Err(Denied::NoHost));
    }

    #[test]
    fn a_target_in_absolute_form_is_checked_too() {
        let guard = Guard::default();
        let host = [("host", "localhost")];
        assert!(check(&guard, "http://example.com/_fake/health", &host).is_err());
        assert_eq!(
            check(&guard, "http://localhost/_fake/health", &host),
            Ok(())
        );
    }

    #[test]
    fn a_control_host_is_answered_by_name() {
        let guard = Guard::new(vec!["SQS.internal".parse().expect("a name")]);
        assert_eq!(check(&guard, "/", &[("host", "sqs.INTERNAL:9324")]), Ok(()));
        assert_eq!(check(&guard, "/", &[("host", "localhost")]), Ok(()));
        assert!(check(&guard, "/", &[("host", "other.internal")]).is_err());
    }

    #[test]
    fn a_control_host_is_a_name_alone() {
        for text in [
            "",
            "sqs:9324",
            "http://sqs",
            "user@sqs",
            "a b",
            "fd00::1",
            "sqs/",
        ] {
            assert_eq!(text.parse::<ControlHost>(), Err(ControlHostError), "{text}");
        }
        for text in ["sqs", "sqs.internal", "10.0.0.7", "[fd00::1]"] {
            assert_eq!(text.parse::<ControlHost>().expect(text).as_str(), text);
        }
    }

    #[test]
    fn only_our_own_page_may_send() {
        let guard = Guard::default();
        let with = |name, value| check(&guard, "/", &[("host", "localhost:9324"), (name, value)]);
        for origin in ["http://localhost:9324", "http://LOCALHOST:9324"] {
            assert_eq!(with("origin", origin), Ok(()), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://localhost",
            "http://localhost:3000",
            "https://localhost:9324",
            "http://example.com",
            "http://localhost:9324.example.com",
        ] {
            assert!(
                matches!(with("origin", origin), Err(Denied::Origin(_))),
                "{origin}"
            );
        }
        for site in ["same-origin", "none"] {
            assert_eq!(with("sec-fetch-site", site), Ok(()), "{site}");
        }
        for site in ["cross-site", "same-site", "", "Same-Origin"] {
            assert!(
                matches!(with("sec-fetch-site", site), Err(Denied::FetchSite(_))),
                "{site}"
            );
        }
    }

    #[test]
    fn what_is_repeated_is_bounded() {
        let Err(Denied::Host(shown)) = check_host(&"a".repeat(200)) else {
            panic!("not refused by its name");
        };
        assert_eq!(shown.len(), SHOWN_CHARS_MAX);
    }
}
