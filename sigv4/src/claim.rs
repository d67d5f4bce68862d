//! What a request says of its own signature, before anything of it is believed.

mod names;
mod stated;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use percent_encoding::percent_decode;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::algorithm::Algorithm;
use crate::authorization::{Authorization, HasDate};
use crate::error::{ClaimError, Fragment, Parameter};
use crate::headers;
use crate::presign::{EXPIRES_MAX_SECONDS, is_presigned};
use crate::request::Request;
use crate::scope::{Scope, is_scope_part};
use crate::text;
use crate::time::DateTime;
use crate::uri;

use self::names::Names;
use self::stated::Stated;

/// The longest query that is read, in bytes: the longest target that the `http` types hold.
const QUERY_MAX: usize = 64 * 1024;
/// The most parameters in a query.
const QUERY_PARAMETERS_MAX: usize = 1024;
/// The longest session token in a header, in bytes. AWS states no limit; they have some hundreds.
const SESSION_TOKEN_MAX: usize = 64 * 1024;

/// The signature a request carries: who says to have signed it, when, and for what.
///
/// Verifying takes three steps, of which the second is yours: parse the claim, find the secret of
/// its access key, and [`verify`](Self::verify). Until then everything in here is only what
/// the sender says.
///
/// What is read: in the header form an `Authorization` of at most 8 KiB, in the query form a query
/// of at most 64 KiB and 1024 parameters; at most 128 signed headers and a session
/// token of at most 64 KiB. Anything malformed is
/// refused: a parameter that is missing or repeated, signed headers that are not in lower case,
/// sorted, and named once.
#[derive(Clone)]
pub struct Claim {
    /// Access key id, signed headers and signature, one after the other.
    texts: String,
    names: Names,
    signed_headers_at: usize,
    signature_at: usize,
    scope: Scope,
    date_time: DateTime,
    session_token: Option<Zeroizing<String>>,
    form: Form,
}

/// Where a request carries its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In the `Authorization` header.
    Header,
    /// In the query: a presigned request.
    Query {
        /// How long it lives from its date on: 1 second to 7 days.
        expires: Duration,
    },
}

impl Claim {
    /// Reads the signature of a request, in whichever form it is.
    ///
    /// # Errors
    /// [`ClaimError::Missing`] when there is none; the others when it is malformed or there are two.
    ///
    /// # Example
    /// ```
    /// use sigv4::{Claim, ClaimError, Request};
    ///
    /// let headers: [(&str, &[u8]); 3] = [
    ///     ("Host", b"example.com"),
    ///     ("X-Amz-Date", b"20150830T123600Z"),
    ///     ("Authorization", b"AWS4-HMAC-SHA256 \
    ///         Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
    ///         SignedHeaders=host;x-amz-date, Signature=5fa0"),
    /// ];
    /// let claim = Claim::parse(&Request::new("GET", "/", &headers))?;
    /// assert_eq!(claim.access_key_id(), "AKIDEXAMPLE");
    /// assert_eq!(claim.scope().region(), "us-east-1");
    /// assert_eq!(
    ///     Claim::parse(&Request::new("GET", "/", &headers[..2])).err(),
    ///     Some(ClaimError::Missing)
    /// );
    /// # Ok::<(), ClaimError>(())
    /// ```
    pub fn parse(request: &Request<'_>) -> Result<Self, ClaimError> {
        Self::parse_accepting(request, &[Algorithm::HmacSha256])
    }

    /// The one reader of claims. The scope's shape says which of the accepted algorithms it is.
    pub(crate) fn parse_accepting(
        request: &Request<'_>,
        accepted: &[Algorithm],
    ) -> Result<Self, ClaimError> {
        let query = request.query.unwrap_or_default();
        check_size("the length of the query in bytes", query.len(), QUERY_MAX)?;
        let parameters = uri::pieces(query).count();
        check_size(
            "the number of query parameters",
            parameters,
            QUERY_PARAMETERS_MAX,
        )?;
        // A second one would leave open which of them was meant.
        let stated = Stated::of(request);
        stated.host.single("Host")?;
        stated.content_sha256.single(headers::CONTENT_SHA256)?;
        let authorization = stated.authorization.single("Authorization")?;
        match (authorization, is_presigned(request)) {
            (None, false) => Err(ClaimError::Missing),
            (Some(_), true) => Err(ClaimError::BothForms),
            (Some(authorization), false) => Self::parse_header(&stated, authorization, accepted),
            (None, true) => Self::parse_query(query, accepted),
        }
    }

    /// The access key id, by which to find the secret. In the header form the signature does not
    /// cover it: what proves it is that the secret it leads to is the right one, so no two keys
    /// may share a secret.
    #[must_use]
    pub fn access_key_id(&self) -> &str {
        &self.texts[..self.signed_headers_at]
    }

    /// The credential scope, as the request states it.
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// When the request says it was signed.
    #[must_use]
    pub const fn date_time(&self) -> DateTime {
        self.date_time
    }

    /// The names of the headers it says are signed: in lower case, sorted, each once.
    pub fn signed_headers(&self) -> impl Iterator<Item = &str> {
        self.names.of(self.signed_headers_text())
    }

    /// The session token that came with it. It is as good as a password while it lasts: compare it
    /// with [`has_session_token`](Self::has_session_token), keep it out of logs.
    #[must_use]
    pub fn session_token(&self) -> Option<&str> {
        self.session_token.as_ref().map(|token| token.as_str())
    }

    /// Whether exactly this session token came with it, or none if `expected` is none. Texts are
    /// compared in a time that depends on their lengths alone.
    #[must_use]
    pub fn has_session_token(&self, expected: Option<&str>) -> bool {
        match (self.session_token(), expected) {
            (None, None) => true,
            (Some(given), Some(expected)) => given.as_bytes().ct_eq(expected.as_bytes()).into(),
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// Where the signature stands.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    pub(crate) fn signed_headers_text(&self) -> &str {
        &self.texts[self.signed_headers_at..self.signature_at]
    }

    pub(crate) fn signature(&self) -> &str {
        &self.texts[self.signature_at..]
    }

    fn parse_header(
        stated: &Stated<'_>,
        authorization: &[u8],
        accepted: &[Algorithm],
    ) -> Result<Self, ClaimError> {
        let amz_date = stated.amz_date.single("X-Amz-Date")?;
        let date = match amz_date {
            Some(_) => None,
            None => stated.date.single("Date")?,
        };
        let has_date = if amz_date.or(date).is_some() {
            HasDate::Yes
        } else {
            HasDate::No
        };
        let parts = Authorization::parse(authorization, has_date, accepted)?;
        let (access_key_id, scope) = parse_credential(parts.algorithm, parts.credential)?;
        let date_time = match (amz_date, date) {
            (Some(value), _) => text_of("X-Amz-Date", value).map(DateTime::parse)?,
            (None, Some(value)) => {
                let value = text_of("Date", value)?;
                DateTime::parse(value).or_else(|| DateTime::parse_http_date(value))
            }
            (None, None) => None,
        };
        let date_time = date_time.ok_or_else(|| ClaimError::Date {
            fragment: Fragment::new(amz_date.or(date).unwrap_or_default()),
        })?;
        let token = stated
            .security_token
            .single("X-Amz-Security-Token")?
            .map(|value| text_of("X-Amz-Security-Token", value))
            .transpose()?;
        let what = "the length of the session token in bytes";
        check_size(what, token.map_or(0, str::len), SESSION_TOKEN_MAX)?;
        let names = Names::parse(parts.signed_headers)?;
        Ok(Self {
            texts: [access_key_id, parts.signed_headers, parts.signature].concat(),
            names,
            signed_headers_at: access_key_id.len(),
            signature_at: access_key_id.len() + parts.signed_headers.len(),
            scope,
            date_time,
            session_token: token.map(|token| Zeroizing::new(token.to_owned())),
            form: Form::Header,
        })
    }

    fn parse_query(query: &[u8], accepted: &[Algorithm]) -> Result<Self, ClaimError> {
        let mut missing = Vec::new();
        let mut take = |parameter: Parameter| {
            let value = parameter_value(query, parameter.query_name())?;
            if value.is_none() {
                missing.push(parameter);
            }
            Ok(value.unwrap_or_default())
        };
        let algorithm = take(Parameter::Algorithm)?;
        let credential = take(Parameter::Credential)?;
        let signature = take(Parameter::Signature)?;
        let signed_headers = take(Parameter::SignedHeaders)?;
        let date = take(Parameter::Date)?;
        let expires = take(Parameter::Expires)?;
        if !missing.is_empty() {
            return Err(ClaimError::MissingQueryParameters {
                parameters: missing,
            });
        }
        let algorithm =
            Algorithm::named(&algorithm, accepted).ok_or_else(|| ClaimError::Algorithm {
                fragment: Fragment::new(algorithm.as_bytes()),
            })?;
        let (access_key_id, scope) = parse_credential(algorithm, &credential)?;
        let date_time = DateTime::parse(&date).ok_or_else(|| ClaimError::Date {
            fragment: Fragment::new(date.as_bytes()),
        })?;
        let expires = parse_expires(&expires)?;
        let names = Names::parse(&signed_headers)?;
        Ok(Self {
            texts: [access_key_id, &signed_headers, &signature].concat(),
            names,
            signed_headers_at: access_key_id.len(),
            signature_at: access_key_id.len() + signed_headers.len(),
            scope,
            date_time,
            session_token: parameter_value(query, "X-Amz-Security-Token")?
                .map(|token| Zeroizing::new(token.into_owned())),
            form: Form::Query { expires },
        })
    }
}

/// Shows what is claimed, neither the signature nor a session token.
impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim")
            .field("access_key_id", &self.access_key_id())
            .field("scope", &self.scope)
            .field("date_time", &self.date_time)
            .field("signed_headers", &self.signed_headers_text())
            .field(
                "session_token",
                &self.session_token.as_ref().map(|_| "redacted"),
            )
            .field("form", &self.form)
            .finish_non_exhaustive()
    }
}

fn check_size(what: &'static str, size: usize, limit: usize) -> Result<(), ClaimError> {
    if size > limit {
        Err(ClaimError::TooLarge { what, limit })
    } else {
        Ok(())
    }
}

/// A header's value as text, without the white space around it.
pub(crate) fn text_of<'a>(name: &'static str, value: &'a [u8]) -> Result<&'a str, ClaimError> {
    std::str::from_utf8(headers::trim(value)).map_err(|_| ClaimError::NotText { name })
}

/// The one value of a query parameter, decoded, if it is there.
pub(crate) fn parameter_value<'a>(
    query: &'a [u8],
    name: &'static str,
) -> Result<Option<Cow<'a, str>>, ClaimError> {
    let mut values = uri::pieces(query).filter(|(_, key, _)| uri::is_named(key, name));
    let Some((_, _, value)) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(ClaimError::Repeated { name });
    }
    let value = percent_decode(value).decode_utf8();
    value.map(Some).map_err(|_| ClaimError::NotText { name })
}

/// Splits a credential into access key id and scope. Which day, region and service it names is for
/// verifying to judge; how many parts there are is not: five, and without a region four.
fn parse_credential(algorithm: Algorithm, credential: &str) -> Result<(&str, Scope), ClaimError> {
    let (id, scope) = text::cut(credential, b'/');
    scope
        .filter(|_| is_scope_part(id))
        .and_then(|scope| Some((id, Scope::parse(algorithm, scope)?)))
        .ok_or_else(|| ClaimError::Credential {
            fragment: Fragment::new(credential),
        })
}

fn parse_expires(value: &str) -> Result<Duration, ClaimError> {
    let is_number = value.len() <= 6 && value.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = if is_number {
        value.parse().unwrap_or(0)
    } else {
        0
    };
    if (1..=EXPIRES_MAX_SECONDS).contains(&seconds) {
        Ok(Duration::from_secs(seconds))
    } else {
        Err(ClaimError::Expires {
            fragment: Fragment::new(value),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::names::SIGNED_HEADERS_MAX;
    use super::*;

    const DATE: (&str, &[u8]) = ("x-amz-date", b"20150830T123600Z");
    const GOOD: &str = "AWS4-HMAC-SHA256 Credential=AKID/20150830/us-east-1/sqs/aws4_request, \
                        SignedHeaders=host;x-amz-date, Signature=00";
    const GOOD_QUERY: &str = "X-Amz-Algorithm=AWS4-HMAC-SHA256\
                              &X-Amz-Credential=AKID%2F20150830%2Fus-east-1%2Fsqs%2Faws4_request\
                              &X-Amz-Date=20150830T123600Z&X-Amz-Expires=60\
                              &X-Amz-SignedHeaders=host&X-Amz-Signature=00";

    fn header_form(headers: &[(&str, &[u8])]) -> Result<Claim, ClaimError> {
        Claim::parse(&Request::new("GET", "/", headers))
    }

    fn authorized(authorization: &str) -> Result<Claim, ClaimError> {
        header_form(&[DATE, ("authorization", authorization.as_bytes())])
    }

    fn query_form(query: &str) -> Result<Claim, ClaimError> {
        Claim::parse(&Request::new("GET", &format!("/?{query}"), &[]))
    }

    fn fragment(text: &str) -> Fragment {
        Fragment::new(text)
    }

    #[test]
    fn both_forms_give_their_parts() {
        let claim = authorized(GOOD).unwrap();
        assert_eq!(claim.access_key_id(), "AKID");
        assert_eq!(
            claim.scope().to_string(),
            "20150830/us-east-1/sqs/aws4_request"
        );
        assert_eq!(claim.date_time().to_string(), "20150830T123600Z");
        assert_eq!(
            claim.signed_headers().collect::<Vec<_>>(),
            ["host", "x-amz-date"]
        );
        assert_eq!(claim.session_token(), None);
        assert_eq!(claim.form(), Form::Header);

        let claim = query_form(&format!("{GOOD_QUERY}&X-Amz-Security-Token=a%2Bb")).unwrap();
        assert_eq!(claim.access_key_id(), "AKID");
        assert_eq!(
            claim.scope().to_string(),
            "20150830/us-east-1/sqs/aws4_request"
        );
        assert_eq!(claim.session_token(), Some("a+b"));
        assert_eq!(
            claim.form(),
            Form::Query {
                expires: Duration::from_secs(60)
            }
        );
    }

    #[test]
    fn the_date_may_stand_in_a_date_header() {
        let with = |headers: &[(&str, &[u8])]| {
            let mut all = vec![("Authorization", GOOD.as_bytes())];
            all.extend_from_slice(headers);
            header_form(&all).map(|claim| claim.date_time().to_string())
        };
        let expected = Ok("20150830T123600Z".to_owned());
        assert_eq!(
            with(&[("Date", b"Sun, 30 Aug 2015 12:36:00 GMT")]),
            expected
        );
        assert_eq!(with(&[("Date", b" 20150830T123600Z ")]), expected);
        assert_eq!(with(&[DATE, ("Date", b"rubbish")]), expected);
        let date = |text| {
            Err(ClaimError::Date {
                fragment: fragment(text),
            })
        };
        assert_eq!(with(&[("Date", b"rubbish")]), date("rubbish"));
        assert_eq!(
            with(&[("X-Amz-Date", b"Sun, 30 Aug 2015 12:36:00 GMT")]),
            date("Sun, 30 Aug 2015 12:36:00 GMT")
        );
        let missing = ClaimError::MissingParameters {
            parameters: vec![Parameter::Date],
        };
        assert_eq!(with(&[]), Err(missing));
    }

    #[test]
    fn none_and_both_are_told_apart() {
        let authorization = ("Authorization", GOOD.as_bytes());
        assert_eq!(header_form(&[DATE]).err(), Some(ClaimError::Missing));
        let target = format!("/?{GOOD_QUERY}");
        let headers = [DATE, authorization];
        let both = Claim::parse(&Request::new("GET", &target, &headers));
        assert_eq!(both.err(), Some(ClaimError::BothForms));
        // A date or token alone is not a signature.
        assert_eq!(
            query_form("X-Amz-Date=1&X-Amz-Expires=1").err(),
            Some(ClaimError::Missing)
        );
        assert_eq!(
            query_form("X-Amz-Signature=00&X-Amz-Date=1").err(),
            Some(ClaimError::MissingQueryParameters {
                parameters: vec![
                    Parameter::Algorithm,
                    Parameter::Credential,
                    Parameter::SignedHeaders,
                    Parameter::Expires
                ]
            })
        );
    }

    #[test]
    fn what_must_stand_once_is_refused_twice() {
        let authorization = ("Authorization", GOOD.as_bytes());
        for (name, shown) in [
            ("host", "Host"),
            ("AUTHORIZATION", "Authorization"),
            ("x-amz-date", "X-Amz-Date"),
            ("x-amz-security-token", "X-Amz-Security-Token"),
            ("x-amz-content-sha256", "x-amz-content-sha256"),
        ] {
            let twice = [authorization, DATE, (name, b"1"), (name, b"1")];
            let refused = header_form(&twice).err();
            assert_eq!(
                refused,
                Some(ClaimError::Repeated { name: shown }),
                "{name}"
            );
        }
        for name in [
            "X-Amz-Algorithm",
            "X-Amz-Credential",
            "X-Amz-Signature",
            "X-Amz-SignedHeaders",
            "X-Amz-Date",
            "X-Amz-Expires",
        ] {
            let refused = query_form(&format!("{GOOD_QUERY}&{name}=1")).err();
            assert_eq!(refused, Some(ClaimError::Repeated { name }), "{name}");
            let spelled = name.replace('-', "%2D");
            let refused = query_form(&format!("{GOOD_QUERY}&{spelled}=1")).err();
            assert_eq!(refused, Some(ClaimError::Repeated { name }), "{name}");
        }
    }

    #[test]
    fn a_credential_has_five_parts() {
        for wrong in [
            "",
            "bogus",
            "a/b/c/d",
            "a/b/c/d/e/f",
            "/20150830/us-east-1/sqs/aws4_request",
            "a//c/d/e",
            "a\0/b/c/d/e",
            "a/b/c d/s/t",
            "é/b/c/d/e",
        ] {
            let header =
                format!("AWS4-HMAC-SHA256 Credential={wrong}, SignedHeaders=host, Signature=0");
            let expected = ClaimError::Credential {
                fragment: fragment(wrong),
            };
            assert_eq!(authorized(&header).err(), Some(expected), "{wrong:?}");
        }
        // Whether these four are the right ones is for verifying to say.
        let odd = "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=0";
        assert_eq!(authorized(odd).unwrap().scope().as_str(), "b/c/d/e");
    }

    #[test]
    fn signed_headers_are_a_sorted_list_in_lower_case() {
        for (names, wrong) in [
            ("", ""),
            ("Host", "Host"),
            ("host;host", "host"),
            ("x-amz-date;host", "host"),
            ("host;", ""),
            ("host;x amz", "x amz"),
        ] {
            let header = format!(
                "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders={names}, Signature=0"
            );
            let expected = ClaimError::SignedHeaders {
                fragment: fragment(wrong),
            };
            assert_eq!(authorized(&header).err(), Some(expected), "{names:?}");
        }
    }

    #[test]
    fn a_life_is_one_second_to_seven_days() {
        for seconds in ["1", "604800", "000060"] {
            let query = GOOD_QUERY.replace("Expires=60", &format!("Expires={seconds}"));
            assert!(query_form(&query).is_ok(), "{seconds}");
        }
        for wrong in [
            "",
            "0",
            "604801",
            "-1",
            "+1",
            "1.5",
            "1e3",
            "99999999999999999999",
            "x",
        ] {
            let query = GOOD_QUERY.replace("Expires=60", &format!("Expires={wrong}"));
            let expected = ClaimError::Expires {
                fragment: fragment(wrong),
            };
            assert_eq!(query_form(&query).err(), Some(expected), "{wrong:?}");
        }
    }

    #[test]
    fn sizes_are_bounded() {
        let limit = |result: Result<Claim, ClaimError>| match result {
            Err(ClaimError::TooLarge { limit, .. }) => limit,
            other => panic!("{other:?}"),
        };
        assert_eq!(limit(authorized(&"x".repeat(8 * 1024 + 1))), 8 * 1024);
        assert_eq!(limit(query_form(&"x".repeat(QUERY_MAX + 1))), QUERY_MAX);
        assert_eq!(
            limit(query_form(&"x&".repeat(QUERY_PARAMETERS_MAX + 1))),
            QUERY_PARAMETERS_MAX
        );
        let names: Vec<String> = (0..=SIGNED_HEADERS_MAX)
            .map(|n| format!("h{n:03}"))
            .collect();
        let names = names.join(";");
        let header =
            format!("AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders={names}, Signature=0");
        assert_eq!(limit(authorized(&header)), SIGNED_HEADERS_MAX);
        let token = "x".repeat(SESSION_TOKEN_MAX + 1);
        let headers = [
            DATE,
            ("authorization", GOOD.as_bytes()),
            ("x-amz-security-token", token.as_bytes()),
        ];
        assert_eq!(limit(header_form(&headers)), SESSION_TOKEN_MAX);
    }

    #[test]
    fn a_token_is_compared_whole_and_shown_nowhere() {
        let claim = query_form(&format!("{GOOD_QUERY}&X-Amz-Security-Token=hush")).unwrap();
        assert!(claim.has_session_token(Some("hush")));
        for other in [None, Some(""), Some("hus"), Some("hush!")] {
            assert!(!claim.has_session_token(other), "{other:?}");
        }
        assert!(!format!("{claim:?}").contains("hush"));
        assert!(authorized(GOOD).unwrap().has_session_token(None));
        assert!(!authorized(GOOD).unwrap().has_session_token(Some("")));
    }

    #[test]
    fn a_value_that_is_no_text_is_refused() {
        let authorization = ("authorization", GOOD.as_bytes());
        for (name, shown) in [
            ("x-amz-date", "X-Amz-Date"),
            ("x-amz-security-token", "X-Amz-Security-Token"),
        ] {
            let mut headers = vec![authorization, (name, &b"\xff"[..])];
            if name != DATE.0 {
                headers.push(DATE);
            }
            assert_eq!(
                header_form(&headers).err(),
                Some(ClaimError::NotText { name: shown })
            );
        }
        let query = GOOD_QUERY.replace("Signature=00", "Signature=%FF");
        let expected = ClaimError::NotText {
            name: "X-Amz-Signature",
        };
        assert_eq!(query_form(&query).err(), Some(expected));
    }
}
