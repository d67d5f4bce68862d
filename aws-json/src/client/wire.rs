//! One exchange on the wire: a signed request out, a whole answer in.

use std::error::Error;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, Uri};
use http_body_util::Full;
use hyper_util::client::legacy::connect::{CaptureConnection, capture_connection};
use tokio::time::Sleep;

use super::answer::Answer;
use super::connector::Pool;
use super::credentials::Identity;
use super::error::{Kind, causes};

/// The pool of connections, and what is read from them.
pub(super) struct Wire {
    pub(super) pool: Pool,
    pub(super) response_limit: usize,
}

/// An exchange without a whole answer.
pub(super) struct Failure {
    pub(super) kind: Kind,
    /// What there is of an answer, from its head on.
    pub(super) answer: Option<Answer>,
    pub(super) reached: Reached,
}

/// How far a request came that was not answered in whole.
///
/// What is sent again on another connection by hyper-util itself, without a word, is what
/// hyper gives back untouched because a connection from the pool was found closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// There was no connection that could be used, or not a byte was written to it, or the server
    /// said that it did nothing with it. It can be sent again whatever it does.
    Nobody,
    /// It was given to a connection: the service may have done all of it, or nothing.
    Perhaps,
}

impl Wire {
    /// Sends a request and reads the whole answer, whatever its status, within the limit. The
    /// connection is not used again unless there is such an answer and it is no sign of trouble
    /// at the other end.
    pub(super) fn exchange<'a>(
        &'a self,
        mut request: Request<Full<Bytes>>,
        uri: &'a Uri,
        signed_by: Arc<Identity>,
        limit: Duration,
    ) -> impl Future<Output = Result<Answer, Failure>> + Send + 'a {
        let connection = Used(Some(capture_connection(&mut request)));
        // Here, as what follows would keep the request until the answer is there, and twice.
        let mut sending = self.pool.request(request);
        async move {
            let mut deadline = pin!(tokio::time::sleep(limit));
            let response = match before(Some(deadline.as_mut()), Pin::new(&mut sending)).await {
                Some(Ok(response)) => response,
                Some(Err(error)) => return Err(Failure::of_sending(error, &uri.to_string())),
                None => {
                    return Err(Failure {
                        kind: Kind::Timeout(limit),
                        answer: None,
                        reached: connection.reached(),
                    });
                }
            };
            let (head, incoming) = response.into_parts();
            let mut answer = Answer::new(head, signed_by);
            let filled = before(
                Some(deadline),
                pin!(answer.fill(incoming, self.response_limit)),
            )
            .await
            .unwrap_or(Err(Kind::Timeout(limit)));
            match filled {
                Ok(()) => {
                    if !is_trouble(answer.status) {
                        connection.keep();
                    }
                    Ok(answer)
                }
                Err(kind) => Err(Failure {
                    kind,
                    answer: Some(answer),
                    reached: Reached::Perhaps,
                }),
            }
        }
    }
}

impl Failure {
    fn of_sending(error: hyper_util::client::legacy::Error, endpoint: &str) -> Self {
        // Without the first, there was no connection, or it broke before it was given a request.
        let begun = error.connect_info().is_some() && !causes(&error).any(is_untouched);
        let (reached, kind) = if !begun {
            let endpoint = endpoint.to_owned();
            (Reached::Nobody, Kind::Connect { endpoint, error })
        } else if causes(&error).any(is_refused_stream) {
            (Reached::Nobody, Kind::Send(error))
        } else {
            (Reached::Perhaps, Kind::Send(error))
        };
        Self {
            kind,
            answer: None,
            reached,
        }
    }
}

/// The connection that a request was given to, which is dropped from the pool unless the exchange
/// ends well. That it is dropped when the caller stops waiting, too, is for HTTP/2: of a connection
/// on which nothing arrives any more, other calls would otherwise wait in vain.
struct Used(Option<CaptureConnection>);

impl Used {
    /// The exchange ended well.
    fn keep(mut self) {
        self.0 = None;
    }

    fn reached(&self) -> Reached {
        let captured = self.0.as_ref();
        if captured.is_some_and(|captured| captured.connection_metadata().is_some()) {
            Reached::Perhaps
        } else {
            Reached::Nobody
        }
    }
}

impl Drop for Used {
    fn drop(&mut self) {
        if let Some(captured) = &self.0
            && let Some(connected) = &*captured.connection_metadata()
        {
            connected.poison();
        }
    }
}

/// Whether whoever answered so may be in trouble, and a new connection perhaps lead to another.
fn is_trouble(status: StatusCode) -> bool {
    matches!(status.as_u16(), 500 | 502 | 503 | 504)
}

/// Whether hyper says that it gives a request back without having written a byte of it. Were the
/// connection one from the pool, hyper-util would have sent it on another.
fn is_untouched(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref().is_some_and(hyper::Error::is_canceled)
}

/// Whether an HTTP/2 server reset the request's stream in the way that says that it did nothing
/// with it (RFC 9113, section 8.7).
#[cfg(feature = "http2")]
fn is_refused_stream(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref().is_some_and(|error: &h2::Error| {
        error.is_reset() && error.is_remote() && error.reason() == Some(h2::Reason::REFUSED_STREAM)
    })
}

#[cfg(not(feature = "http2"))]
fn is_refused_stream(_: &(dyn Error + 'static)) -> bool {
    false
}

/// What the work gives, or none if there is a deadline and it comes first. The work is lent, as a
/// future that is handed over lies in memory twice.
pub(super) async fn before<F: Future>(
    mut deadline: Option<Pin<&mut Sleep>>,
    mut work: Pin<&mut F>,
) -> Option<F::Output> {
    poll_fn(
        |context| match (work.as_mut().poll(context), &mut deadline) {
            (Poll::Ready(output), _) => Poll::Ready(Some(output)),
            (Poll::Pending, Some(deadline)) => deadline.as_mut().poll(context).map(|()| None),
            (Poll::Pending, None) => Poll::Pending,
        },
    )
    .await
}
