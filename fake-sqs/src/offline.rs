//! A server without a socket.

use std::fmt;
use std::net::Ipv4Addr;
use std::time::SystemTime;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;

use crate::builder::Place;
use crate::clock::WallClock;
use crate::http::accept::Unanswered;
use crate::http::head;
use crate::{Builder, StartError};

/// A server to which requests are handed, and that has no port, no thread and no timer. Made by
/// [`Builder::offline`].
///
/// All else is there: signatures are verified, against a time that is given to it, faults happen, and
/// the control interface answers. As there is no timer, nothing becomes due by itself while nobody
/// asks: a long poll ends by a message, or by `POST /_fake/clock/advance`.
///
/// It is for who must play requests again, each time with the same answers: with a
/// [seed](Builder::seed) and a [clock](Builder::clock) that stands, what it answers follows from what
/// it is asked.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::SystemTime;
///
/// use bytes::Bytes;
/// use fake_sqs::FakeSqs;
/// use http::Request;
///
/// let server = FakeSqs::builder().seed(7).offline(SystemTime::UNIX_EPOCH)?;
/// let health = Request::get("/_fake/health").header("Host", "localhost");
/// let answer = server.answer(health.body(Bytes::new())?).await.expect("no fault closes it");
/// assert_eq!(answer.status(), 200);
/// # Ok(())
/// # }
/// ```
pub struct Offline {
    router: Router,
}

impl Builder {
    /// The server without its socket. Signatures are checked against the time `wall`.
    ///
    /// # Errors
    ///
    /// As those of [`start`](Self::start), but for what comes of the socket and the thread.
    pub fn offline(self, wall: SystemTime) -> Result<Offline, StartError> {
        let assembled = self.assemble(&Place {
            address: (Ipv4Addr::LOCALHOST, 9324).into(),
            clock: WallClock::Stopped(wall),
            wall: WallClock::System,
        })?;
        assembled.control.ready();
        Ok(Offline {
            router: assembled.router,
        })
    }
}

impl Offline {
    /// Answers a request; `None` where a fault would close the connection instead.
    ///
    /// When the future is dropped, the request's client has hung up.
    ///
    /// # Panics
    ///
    /// When it is not polled on a tokio runtime with time.
    pub async fn answer(&self, request: Request<Bytes>) -> Option<Response<Bytes>> {
        let response = match head::check(&request) {
            Ok(()) => {
                let router = TowerToHyperService::new(self.router.clone());
                let Ok(response) = router.call(request.map(Body::from)).await;
                response
            }
            Err(wrong) => wrong.response(),
        };
        if response.extensions().get::<Unanswered>().is_some() {
            return None;
        }
        let (parts, body) = response.into_parts();
        // A body that breaks off is an answer that did not arrive.
        let body = body.collect().await.ok()?.to_bytes();
        Some(Response::from_parts(parts, body))
    }
}

impl fmt::Debug for Offline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offline").finish_non_exhaustive()
    }
}
