//! An answer as it arrives: its head first, then as much of its body as is allowed.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_ENCODING, HeaderName};
use http::response::Parts;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Body;

use super::credentials::Identity;
use super::error::{BODY_KEPT, Kind};
use super::redact::{self, LONGEST_SPELLING};
use crate::codec::error_body::Refusal;
use crate::codec::headers::{self, X_AMZ_REQUEST_ID, X_AMZN_REQUESTID};

/// How much room is made for a body before any of it is there, in bytes.
const READY: usize = 64 * 1024;

/// How much of an error's names is kept, in bytes: more than AWS's have.
const NAME_KEPT: usize = 256;

/// How much of an error's message is kept, in bytes.
const MESSAGE_KEPT: usize = 16 * 1024;

/// How much of the name of an encoding is told.
const ENCODING_SHOWN: usize = 100;

/// What arrived of an answer.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: BytesMut,
    /// Who signed what this answers.
    identity: Arc<Identity>,
}

impl Answer {
    /// An answer of which the head is there.
    pub(super) fn new(head: Parts, identity: Arc<Identity>) -> Self {
        let mut headers = head.headers;
        if let Some(secret) = secret(&identity) {
            for name in &SHOWN {
                let value = headers.get(name);
                if value.is_some_and(|it| redact::without(it.as_bytes(), secret).is_some()) {
                    headers.remove(name);
                }
            }
        }
        Self {
            status: head.status,
            headers,
            body: BytesMut::new(),
            identity,
        }
    }

    /// Reads the body, of which what arrived stays when this ends in an error or is dropped
    /// because time ran out.
    pub(super) async fn fill<B>(&mut self, mut incoming: B, limit: usize) -> Result<(), Kind>
    where
        B: Body<Data = Bytes> + Unpin,
        Kind: From<B::Error>,
    {
        // The length is the other side's word: not more than this is made ready on it.
        let announced = usize::try_from(incoming.size_hint().lower()).unwrap_or(usize::MAX);
        self.body.reserve(announced.min(limit).min(READY));
        while let Some(frame) = incoming.frame().await {
            let Ok(data) = frame?.into_data() else {
                continue;
            };
            let room = limit - self.body.len();
            self.body.extend_from_slice(&data[..data.len().min(room)]);
            if data.len() > room {
                return Err(Kind::TooLarge(limit));
            }
        }
        Ok(())
    }

    /// How the body says that it is encoded, beyond "not at all".
    pub(super) fn encoding(&self) -> Option<String> {
        let value = self.headers.get(CONTENT_ENCODING)?;
        let text = String::from_utf8_lossy(value.as_bytes());
        let text = text.trim();
        let none = text.is_empty() || text.eq_ignore_ascii_case("identity");
        (!none).then(|| text.chars().take(ENCODING_SHOWN).collect())
    }

    /// The request id that the service gave.
    pub(super) fn request_id(&self) -> Option<&str> {
        headers::request_id(&self.headers)
    }

    /// The error in a refusal, and nothing for an answer that is none. From now on the session
    /// token stands nowhere in the body or the error, wherever the service repeated it. Of the
    /// body there is only what an error keeps.
    pub(super) fn refusal(&mut self) -> Refusal {
        let mut refusal = if self.status.is_success() {
            Refusal::default()
        } else {
            Refusal::read(&self.headers, &self.body)
        };
        if let Some(secret) = secret(&self.identity) {
            self.body
                .truncate(BODY_KEPT + LONGEST_SPELLING * secret.len());
            if let Some(clean) = redact::without(&self.body, secret) {
                self.body = BytesMut::from(&clean[..]);
            }
            refusal.redact(|text| redact::text_without(text, secret));
        }
        self.body.truncate(BODY_KEPT);
        refusal.cut(NAME_KEPT, MESSAGE_KEPT);
        refusal
    }
}

/// What nothing that is shown may hold.
fn secret(identity: &Identity) -> Option<&[u8]> {
    let token = identity.session_token()?.as_bytes();
    Some(token).filter(|token| !token.is_empty())
}

/// The headers of which an error or a span shows the value.
const SHOWN: [HeaderName; 3] = [X_AMZN_REQUESTID, X_AMZ_REQUEST_ID, CONTENT_ENCODING];

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use http::Response;
    use http_body_util::Full;
    use hyper::body::{Frame, SizeHint};

    use super::*;

    impl From<Infallible> for Kind {
        fn from(never: Infallible) -> Self {
            match never {}
        }
    }

    /// A body that announces more than it holds.
    struct Boasting(Full<Bytes>, u64);

    impl Body for Boasting {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Pin::new(&mut self.0).poll_frame(context)
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(self.1)
        }
    }

    fn answer(encoding: Option<&str>) -> Answer {
        let mut response = Response::new(());
        if let Some(encoding) = encoding {
            let value = encoding.parse().unwrap();
            response.headers_mut().insert(CONTENT_ENCODING, value);
        }
        let credentials = sigv4::Credentials::new("AKIDEXAMPLE", "hush");
        let identity = Identity::new(credentials, "us-east-1", "sqs");
        Answer::new(response.into_parts().0, Arc::new(identity))
    }

    #[tokio::test]
    async fn no_room_is_made_on_the_word_of_the_other_side() {
        for announced in [1 << 20, 1 << 40, u64::MAX] {
            let mut answer = answer(None);
            let body = Boasting(Full::from("{}"), announced);
            answer.fill(body, usize::MAX).await.unwrap();
            assert_eq!(&answer.body[..], b"{}");
            assert!(answer.body.capacity() <= READY, "{announced}");
        }
    }

    #[tokio::test]
    async fn what_is_kept_ends_at_the_limit() {
        let mut answer = answer(None);
        let body = Full::from(Bytes::from(vec![b'x'; 1 << 20]));
        let result = answer.fill(body, 1_000).await;
        assert!(matches!(result, Err(Kind::TooLarge(1_000))));
        assert_eq!(answer.body.len(), 1_000);
    }

    #[test]
    fn an_encoding_is_any_but_identity() {
        for (value, told) in [
            (None, None),
            (Some(""), None),
            (Some("identity"), None),
            (Some(" Identity "), None),
            (Some("gzip"), Some("gzip")),
            (Some("aws-chunked, gzip"), Some("aws-chunked, gzip")),
        ] {
            assert_eq!(answer(value).encoding().as_deref(), told);
        }
    }
}
