//! Event streams: messages, each wrapped in one that carries its date and its signature.

mod error;
mod frame;

use std::fmt;
use std::time::{Duration, SystemTime};

pub use self::error::{EventError, VerifyEventsError};
use self::frame::Frame;

use crate::canonical::StringToSign;
use crate::chain::{Link, Piece, sha256};
use crate::claim::Claim;
use crate::credentials::Secret;
use crate::error::SignError;
use crate::key::{Signature, SigningKey};
use crate::request::{Payload, Request};
use crate::scope::{Scope, TERMINATOR};
use crate::sign::{Signed, Signer};
use crate::streaming::StreamingPayload;
use crate::time::DateTime;
use crate::verify::{Verified, VerifySettings};

/// The largest message of an event stream, in bytes, with its framing: 24 MiB, the limit of AWS's
/// own event stream libraries.
pub(crate) const MESSAGE_MAX: usize = 24 * 1024 * 1024;

impl Signer {
    /// Signs, in the header form, a request whose body will be an event stream, and gives what signs
    /// and wraps its messages. `x-amz-content-sha256` is added whatever the settings say.
    ///
    /// # Errors
    /// [`SignError`], as for [`sign`](Self::sign).
    ///
    /// # Example
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use sigv4::{Credentials, Request, Signer};
    ///
    /// let signer = Signer::new(Credentials::new("access", "secret"), "us-east-1", "demo");
    /// let headers: [(&str, &[u8]); 1] = [("Host", b"demo.us-east-1.amazonaws.com")];
    /// let request = Request::new("POST", "/streaming", &headers);
    /// let now = UNIX_EPOCH + Duration::from_secs(348_474_600);
    ///
    /// let (signed, mut events) = signer.sign_events(&request, now)?;
    /// assert_eq!(signed.headers().last().unwrap().1, "STREAMING-AWS4-HMAC-SHA256-EVENTS");
    /// let mut body = Vec::new();
    /// events.push(b"a message", now, &mut body)?;
    /// // An empty one says that it was the last.
    /// events.push(b"", now, &mut body)?;
    /// # Ok::<(), sigv4::SignError>(())
    /// ```
    pub fn sign_events(
        &self,
        request: &Request<'_>,
        now: SystemTime,
    ) -> Result<(Signed, EventSigner), SignError> {
        let signed = self.sign(
            request,
            Payload::Streaming(StreamingPayload::SignedEvents),
            now,
        )?;
        let day = self.day(signed.at)?;
        let chain = EventChain {
            secret: self.credentials.secret().clone(),
            scope: day.scope.clone(),
            key: day.key.clone(),
            previous: *signed.signature(),
        };
        Ok((signed, EventSigner { chain }))
    }
}

impl Claim {
    /// Checks the claim against a request whose body is a signed event stream and still to come, and
    /// gives what checks and unwraps its messages.
    ///
    /// It checks what [`verify`](Self::verify) checks, in the same order, but that
    /// `x-amz-content-sha256` must announce such a body. It takes the secret and not a key, since a
    /// stream can outlive the day, and a message is signed with the key of its own day.
    ///
    /// # Errors
    /// [`VerifyEventsError::Request`] where `verify` would refuse,
    /// [`VerifyEventsError::NotEvents`] if the request announces no signed event stream.
    pub fn verify_events(
        &self,
        request: &Request<'_>,
        secret: &Secret,
        now: SystemTime,
        settings: &VerifySettings,
    ) -> Result<(Verified, EventVerifier), VerifyEventsError> {
        let payload = StreamingPayload::SignedEvents;
        if StreamingPayload::of(request) != Some(payload) {
            return Err(VerifyEventsError::NotEvents);
        }
        let key = SigningKey::derive(secret, self.scope());
        let verified = self.verify_head(request, payload, &key, now, settings)?;
        let verifier = EventVerifier {
            chain: EventChain {
                secret: secret.clone(),
                scope: self.scope().clone(),
                key,
                // The signature was found equal to one computed here, so it reads like one.
                previous: Signature::parse(self.signature()).ok_or(VerifyEventsError::NotEvents)?,
            },
            tolerance: settings.tolerance,
            limit: MESSAGE_MAX,
            state: State::Open,
        };
        Ok((verified, verifier))
    }
}

/// Signs the messages of an event stream one after the other, each with the signature before it, and
/// wraps each in one with the headers `:date` and `:chunk-signature`.
/// [`Signer::sign_events`] makes one.
///
/// Source: <https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html>.
pub struct EventSigner {
    chain: EventChain,
}

impl EventSigner {
    /// Signs a message, wraps it, and appends it. `payload` is what the service takes: the whole
    /// encoded inner message, or nothing to say that no more will come. The date is written in whole
    /// seconds; when it is of another day than the request's, its key is derived.
    ///
    /// # Errors
    /// [`SignError::EventTooLarge`] above 24 MiB with the framing, [`SignError::Date`] outside the
    /// years 0 to 9999; nothing is signed or appended then.
    pub fn push(
        &mut self,
        payload: &[u8],
        now: SystemTime,
        out: &mut Vec<u8>,
    ) -> Result<(), SignError> {
        if payload.len() > MESSAGE_MAX - frame::SIGNED_OVERHEAD {
            return Err(SignError::EventTooLarge { limit: MESSAGE_MAX });
        }
        let at = DateTime::from_system_time(now)?;
        let signature = self.sign(payload, at);
        frame::write_signed(out, at, &signature, payload);
        Ok(())
    }

    /// Signs a message without wrapping it, for those who have an encoder of event streams: its
    /// `:date` is to be this date, a timestamp without milliseconds, and its `:chunk-signature` the
    /// 32 bytes that this text is in hexadecimal.
    pub fn sign(&mut self, payload: &[u8], at: DateTime) -> Signature {
        let headers = frame::date_header(at);
        self.chain.turn_to_day(at);
        self.chain.sign(at, &headers, payload)
    }

    /// What the signature of a message is made of, if that message comes next.
    #[must_use]
    pub fn string_to_sign(&self, payload: &[u8], at: DateTime) -> StringToSign {
        let mut chain = self.chain.clone();
        chain.turn_to_day(at);
        let piece = EventChain::piece(&frame::date_header(at), payload);
        chain.link(at, &piece).to_string_to_sign()
    }
}

/// Shows what it signs for, neither key nor signature.
impl fmt::Debug for EventSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventSigner")
            .field("scope", &self.chain.scope)
            .finish_non_exhaustive()
    }
}

/// A message out of an event stream, its signature found right.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// When it was signed, by its `:date`.
    pub date: DateTime,
    /// The message that was wrapped; empty if this is the end of the stream.
    pub payload: &'a [u8],
}

/// Shows the date and how long the payload is, not the payload.
impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({}, {} bytes)", self.date, self.payload.len())
    }
}

/// Checks and unwraps the messages of an event stream one after the other.
/// [`Claim::verify_events`] makes one.
///
/// It holds no input: what arrives is collected by the caller, at most one message, and a message is
/// judged when it is whole. [`decode`](Self::decode) refuses one that is too large as soon as its
/// first 12 bytes are there.
pub struct EventVerifier {
    chain: EventChain,
    tolerance: Duration,
    limit: usize,
    state: State,
}

enum State {
    Open,
    /// The empty message came.
    Ended,
    Failed(EventError),
}

impl EventVerifier {
    /// The same with another limit for a message with its framing, in bytes; 24 MiB by default,
    /// the limit of AWS's own event stream libraries.
    #[must_use]
    pub const fn with_message_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Reads the message at the beginning of `input` and moves `input` past it, or leaves it as it is
    /// and returns none while the message is not whole: call again with more behind it.
    ///
    /// A message's date must be within the tolerance of the settings from `now`, both bounds
    /// included.
    ///
    /// # Errors
    /// [`EventError`], from then on always the same one. What came out before it is good, but not
    /// the whole stream.
    ///
    /// # Example
    /// ```
    /// # use std::time::{Duration, UNIX_EPOCH};
    /// # use sigv4::{Claim, Credentials, Request, Secret, Signer, VerifySettings};
    /// # let signer = Signer::new(Credentials::new("access", "secret"), "us-east-1", "demo");
    /// # let mut headers: Vec<(&str, &[u8])> = vec![("Host", b"localhost")];
    /// # let now = UNIX_EPOCH + Duration::from_secs(348_474_600);
    /// # let (signed, mut signer) =
    /// #     signer.sign_events(&Request::new("POST", "/", &headers), now).unwrap();
    /// # headers.extend(signed.headers().map(|(name, value)| (name, value.as_bytes())));
    /// # let mut body = Vec::new();
    /// # signer.push(b"hello", now, &mut body).unwrap();
    /// # signer.push(b"", now, &mut body).unwrap();
    /// # let arriving = body.chunks(7);
    /// let request = Request::new("POST", "/", &headers);
    /// let claim = Claim::parse(&request)?;
    /// let secret = Secret::new("secret");
    /// let settings = VerifySettings::default();
    /// let (_, mut events) = claim.verify_events(&request, &secret, now, &settings)?;
    ///
    /// let mut messages = Vec::new();
    /// let mut held = Vec::new();
    /// for bytes in arriving {
    ///     held.extend_from_slice(bytes);
    ///     let mut input = &held[..];
    ///     while let Some(event) = events.decode(&mut input, now)? {
    ///         messages.push(event.payload.to_vec());
    ///     }
    ///     held = input.to_vec();
    /// }
    /// events.finish()?;
    /// assert_eq!(messages, [b"hello".to_vec(), Vec::new()]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode<'i>(
        &mut self,
        input: &mut &'i [u8],
        now: SystemTime,
    ) -> Result<Option<Event<'i>>, EventError> {
        match &self.state {
            State::Failed(error) => return Err(error.clone()),
            State::Ended if input.is_empty() => return Ok(None),
            State::Ended => return self.fail(EventError::AfterEnd),
            State::Open => {}
        }
        let frame = match Frame::read(input, self.limit) {
            Ok(Some((frame, length))) => {
                *input = &input[length..];
                frame
            }
            Ok(None) => return Ok(None),
            Err(error) => return self.fail(error),
        };
        match self.check(&frame, now) {
            Ok(event) => {
                if event.payload.is_empty() {
                    self.state = State::Ended;
                }
                Ok(Some(event))
            }
            Err(error) => self.fail(error),
        }
    }

    /// Says whether the stream came to its end, an empty message, once no more of it comes. Without
    /// it, someone on the way may have cut off what followed.
    ///
    /// # Errors
    /// [`EventError::Truncated`] if it did not, or the error that ended decoding.
    pub fn finish(&self) -> Result<(), EventError> {
        match &self.state {
            State::Ended => Ok(()),
            State::Open => Err(EventError::Truncated),
            State::Failed(error) => Err(error.clone()),
        }
    }

    fn fail<T>(&mut self, error: EventError) -> Result<T, EventError> {
        self.state = State::Failed(error.clone());
        Err(error)
    }

    fn check<'i>(&mut self, frame: &Frame<'i>, now: SystemTime) -> Result<Event<'i>, EventError> {
        let wrapper = frame.wrapper()?;
        let date = wrapper.date;
        let now = DateTime::from_system_time(now).map_err(EventError::Now)?;
        let distance = date.unix_seconds().abs_diff(now.unix_seconds());
        if distance > self.tolerance.as_secs() {
            let tolerance = self.tolerance;
            return Err(EventError::Date {
                date,
                now,
                tolerance,
            });
        }
        self.chain.turn_to_day(date);
        self.chain
            .check(date, wrapper.date_header, frame.payload, wrapper.signature)
            .map_err(|string_to_sign| EventError::SignatureMismatch { string_to_sign })?;
        let payload = frame.payload;
        Ok(Event { date, payload })
    }
}

/// Shows what it verifies for, neither key nor signature.
impl fmt::Debug for EventVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventVerifier")
            .field("scope", &self.chain.scope)
            .field("tolerance", &self.tolerance)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// The signatures of a stream, and the key of the day they are at.
#[derive(Clone)]
struct EventChain {
    secret: Secret,
    scope: Scope,
    key: SigningKey,
    previous: Signature,
}

impl EventChain {
    /// Takes the key of the day of a moment.
    fn turn_to_day(&mut self, at: DateTime) {
        if self.scope.date() != at.date() {
            let (region, service) = (self.scope.region(), self.scope.service());
            self.scope = Scope::join([at.date(), region, service, TERMINATOR]);
            self.key = SigningKey::derive(&self.secret, &self.scope);
        }
    }

    fn sign(&mut self, at: DateTime, headers: &[u8], payload: &[u8]) -> Signature {
        let piece = Self::piece(headers, payload);
        self.previous = self.key.sign(&self.link(at, &piece).to_string_to_sign());
        self.previous
    }

    fn check(
        &mut self,
        at: DateTime,
        headers: &[u8],
        payload: &[u8],
        claimed: &[u8],
    ) -> Result<(), StringToSign> {
        let piece = Self::piece(headers, payload);
        let string_to_sign = self.link(at, &piece).to_string_to_sign();
        let signature = self.key.sign(&string_to_sign);
        if signature.matches(&hex::encode(claimed)) {
            self.previous = signature;
            Ok(())
        } else {
            Err(string_to_sign)
        }
    }

    fn piece(headers: &[u8], payload: &[u8]) -> Piece {
        Piece::Event {
            headers: sha256(headers),
            payload: sha256(payload),
        }
    }

    fn link<'a>(&'a self, at: DateTime, piece: &'a Piece) -> Link<'a> {
        Link {
            at,
            scope: &self.scope,
            previous: self.previous.as_str(),
            piece,
        }
    }
}
