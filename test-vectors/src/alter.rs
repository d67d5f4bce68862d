//! Signed requests that must be refused: each is a published one with one thing changed.
//!
//! A verifier that accepts everything would pass every published request; it cannot pass these.

use std::time::{Duration, SystemTime};

use crate::case::{Algorithm, Case, Context, Form, Payload, SessionToken};
use crate::message::Message;

/// What a verifier is asked: is this request, at this moment, signed by whom the context says?
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The signed request.
    pub message: Message,
    /// The secret that the verifier finds, the region and service it serves, and its settings.
    pub context: Context,
    /// The verifier's time.
    pub now: SystemTime,
}

/// An attempt that must be refused.
#[derive(Debug, Clone)]
pub struct Altered {
    /// What was changed.
    pub what: &'static str,
    /// The request with that change.
    pub attempt: Attempt,
}

impl Attempt {
    /// The signed request of a case as it is published, at the moment of its signing.
    #[must_use]
    pub fn published(case: &Case, signed: &Message) -> Self {
        Self {
            message: signed.clone(),
            context: case.context.clone(),
            now: case.context.timestamp,
        }
    }
}

/// Every alteration that a signed request must be refused for.
///
/// # Errors
///
/// The name of an alteration that cannot be made, because the request is not signed in this form.
pub fn alterations(case: &Case, form: Form, signed: &Message) -> Result<Vec<Altered>, String> {
    let mut list = List {
        published: Attempt::published(case, signed),
        altered: Vec::new(),
    };
    list.change_message()?;
    list.change_signature(form)?;
    match form {
        Form::Header => list.change_header_form()?,
        Form::Query => list.change_query_form()?,
    }
    if case.context.algorithm == Algorithm::V4a {
        list.change_region_set(form)?;
    }
    list.change_verifier()?;
    Ok(list.altered)
}

/// How far the clocks of signer and verifier may be apart.
const WINDOW: Duration = Duration::from_secs(15 * 60);
const SECOND: Duration = Duration::from_secs(1);

struct List {
    published: Attempt,
    altered: Vec<Altered>,
}

impl List {
    /// Adds the published attempt with a change; a change returns `None` when it finds nothing to act on.
    fn add(
        &mut self,
        what: &'static str,
        change: impl FnOnce(&mut Attempt) -> Option<()>,
    ) -> Result<(), String> {
        let mut attempt = self.published.clone();
        change(&mut attempt).ok_or_else(|| {
            format!(
                "a request with {what} cannot be made of {}",
                self.published.message
            )
        })?;
        self.altered.push(Altered { what, attempt });
        Ok(())
    }

    fn change_message(&mut self) -> Result<(), String> {
        self.add("another method", |attempt| {
            let method = &mut attempt.message.method;
            *method = if method == "PUT" { "POST" } else { "PUT" }.to_owned();
            Some(())
        })?;
        self.add("another path", |attempt| {
            let end = attempt.message.path().len();
            attempt.message.target.insert(end, b'x');
            Some(())
        })?;
        self.add("one more query parameter", |attempt| {
            let separator = if attempt.message.query().is_some() {
                '&'
            } else {
                '?'
            };
            let parameter = format!("{separator}altered=1");
            attempt
                .message
                .target
                .extend_from_slice(parameter.as_bytes());
            Some(())
        })?;
        self.add("another Host", |attempt| {
            header_mut(&mut attempt.message, "host")?.push(b'x');
            Some(())
        })?;
        self.add("no Host", |attempt| {
            let headers = &mut attempt.message.headers;
            let before = headers.len();
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case("host"));
            (headers.len() < before).then_some(())
        })?;
        self.add("an x-amz header that is not signed", |attempt| {
            let header = ("X-Amz-Altered".to_owned(), b"1".to_vec());
            attempt.message.headers.push(header);
            Some(())
        })?;
        match self.published.context.settings.payload {
            Payload::Unsigned => Ok(()),
            Payload::Bytes => self.add("one more byte in the body", |attempt| {
                attempt.message.body.push(b' ');
                Some(())
            }),
        }
    }

    fn change_signature(&mut self, form: Form) -> Result<(), String> {
        self.add("another signature", |attempt| {
            let text = claim_mut(&mut attempt.message, form)?;
            let start = after(text, "Signature=")?;
            let digits = text[start..]
                .iter()
                .take_while(|byte| byte.is_ascii_hexdigit());
            // The first digits of an asymmetric signature are its syntax, the last ones its value.
            let at = start + digits.count().checked_sub(1)?;
            another_digit(text, at)
        })?;
        self.add("another access key", |attempt| {
            let text = claim_mut(&mut attempt.message, form)?;
            let at = after(text, "Credential=")?;
            another_digit(text, at)
        })
    }

    /// A set that covers the verifier's region too, so that only the signature can tell.
    fn change_region_set(&mut self, form: Form) -> Result<(), String> {
        self.add("a wider region set", |attempt| {
            let text = match form {
                Form::Header => header_mut(&mut attempt.message, "x-amz-region-set")?,
                Form::Query => &mut attempt.message.target,
            };
            let start = match form {
                Form::Header => 0,
                Form::Query => after(text, "X-Amz-Region-Set=")?,
            };
            text.splice(start..start, *b"*,");
            Some(())
        })
    }

    fn change_header_form(&mut self) -> Result<(), String> {
        self.add("another date", |attempt| {
            another_digit(header_mut(&mut attempt.message, "x-amz-date")?, SECONDS)
        })?;
        self.add("no header said to be signed", |attempt| {
            let claim = header_mut(&mut attempt.message, "authorization")?;
            let start = after(claim, "SignedHeaders=")?;
            let length = claim[start..].iter().position(|&byte| byte == b',')?;
            claim.drain(start..start + length);
            Some(())
        })?;
        if self.has_signed_token() {
            self.add("another session token", |attempt| {
                another_digit(header_mut(&mut attempt.message, "x-amz-security-token")?, 0)
            })?;
        }
        self.add("a clock 15 minutes and a second later", |attempt| {
            attempt.now += WINDOW + SECOND;
            Some(())
        })
    }

    fn change_query_form(&mut self) -> Result<(), String> {
        self.add("another date", |attempt| {
            let at = after(&attempt.message.target, "X-Amz-Date=")?;
            another_digit(&mut attempt.message.target, at + SECONDS)
        })?;
        self.add("a longer life", |attempt| {
            let at = after(&attempt.message.target, "X-Amz-Expires=")?;
            attempt.message.target.insert(at, b'1');
            Some(())
        })?;
        if self.has_signed_token() {
            self.add("another session token", |attempt| {
                let at = after(&attempt.message.target, "X-Amz-Security-Token=")?;
                another_digit(&mut attempt.message.target, at)
            })?;
        }
        self.add("a clock a second after its life", |attempt| {
            attempt.now += attempt.context.expires + SECOND;
            Some(())
        })
    }

    fn change_verifier(&mut self) -> Result<(), String> {
        self.add("another secret", |attempt| {
            attempt.context.secret_access_key.push('x');
            Some(())
        })?;
        self.add("another region served", |attempt| {
            attempt.context.region.push('x');
            Some(())
        })?;
        self.add("another service served", |attempt| {
            attempt.context.service.push('x');
            Some(())
        })?;
        self.add("a clock 15 minutes and a second earlier", |attempt| {
            attempt.now -= WINDOW + SECOND;
            Some(())
        })
    }

    /// A token that is sent unsigned may be changed unnoticed: that is what unsigned means.
    fn has_signed_token(&self) -> bool {
        let context = &self.published.context;
        context.session_token.is_some() && context.settings.session_token == SessionToken::Signed
    }
}

/// Where the last digit of `20150830T123600Z` stands.
const SECONDS: usize = 14;

fn header_mut<'a>(message: &'a mut Message, name: &str) -> Option<&'a mut Vec<u8>> {
    let found = message
        .headers
        .iter_mut()
        .find(|(given, _)| given.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}

/// Where a signature of this form stands.
fn claim_mut(message: &mut Message, form: Form) -> Option<&mut Vec<u8>> {
    match form {
        Form::Header => header_mut(message, "authorization"),
        Form::Query => Some(&mut message.target),
    }
}

/// The index of what follows a marker.
fn after(text: &[u8], marker: &str) -> Option<usize> {
    let found = text
        .windows(marker.len())
        .position(|window| window == marker.as_bytes());
    found.map(|at| at + marker.len())
}

/// Puts another digit at an index. A digit is legal wherever this is used, so that only the value is
/// wrong and not the syntax.
fn another_digit(text: &mut [u8], at: usize) -> Option<()> {
    let byte = text.get_mut(at)?;
    *byte = if *byte == b'0' { b'1' } else { b'0' };
    Some(())
}
