//! The protocol that a request speaks, and that it is answered in.
//!
//! It is decided once, here, from the head of a request, before its body is read and before anybody
//! has looked at its signature: a refusal has to be read by the client, too. What is decided goes
//! with the request as its [`Reply`], and every answer is written by one.

mod json;
mod query;

use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode, Uri};
use serde::Deserialize;
use sqs::{Error, ErrorCode, Operation};

use self::query::Rendering;
use super::asked::Unasked;
use crate::seed::RequestId;

/// What a request is written in.
///
/// | a request | is one of |
/// |---|---|
/// | with `X-Amz-Target` | JSON |
/// | a POST whose body is JSON by its Content-Type | JSON |
/// | with the parameter `Action` in its URL | Query |
/// | a POST whose body is a form by its Content-Type | Query |
/// | any other POST | JSON: it is told what it lacks in that |
/// | anything else | Query: JSON knows nothing but POST |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// AWS JSON 1.0, which AWS's SDKs have spoken to SQS since the end of 2023.
    Json,
    /// AWS Query, which all did before: forms, and XML unless the client asks for JSON.
    Query(Rendering),
}

impl Protocol {
    /// The protocol of a request with this head.
    pub(crate) fn of(method: &Method, uri: &Uri, headers: &HeaderMap) -> Self {
        if json::is_meant(method, headers) {
            Self::Json
        } else if query::is_meant(method, uri, headers) || method != Method::POST {
            Self::Query(Rendering::of(headers))
        } else {
            Self::Json
        }
    }

    /// Whether a request can ask for anything by its method: a GET only in its URL.
    pub(crate) fn can_ask(self, request: &Parts) -> bool {
        match self {
            Self::Json => request.method == Method::POST,
            Self::Query(_) => {
                request.method == Method::POST
                    || request.method == Method::GET && query::has_action(&request.uri)
            }
        }
    }

    /// Whether there is a body that is not read, since its type says that it is none of the protocol.
    pub(crate) fn leaves_aside(self, request: &Parts, body: &[u8]) -> bool {
        match self {
            // It refuses what is not of its type.
            Self::Json => false,
            Self::Query(_) => {
                request.method == Method::POST && !body.is_empty() && !query::has_form(request)
            }
        }
    }

    /// What a request asks for, in the words of its protocol.
    pub(crate) fn asked<'a>(self, request: &'a Parts, body: &'a [u8]) -> Asked<'a> {
        match self {
            Self::Json => Asked::Json(json::Asked::new(&request.headers, body)),
            Self::Query(_) => Asked::Query(query::Asked::new(request, body)),
        }
    }
}

/// What a request asks for, as it stands there: nothing of it is read yet.
pub(crate) enum Asked<'a> {
    Json(json::Asked<'a>),
    Query(query::Asked<'a>),
}

impl Asked<'_> {
    /// Which operation is asked for.
    pub(crate) fn operation(&self) -> Result<Operation, Unasked> {
        match self {
            Self::Json(asked) => asked.operation(),
            Self::Query(asked) => asked.operation(),
        }
    }

    /// The operation's input.
    pub(crate) fn input(&self, operation: Operation) -> Result<sqs::Request, Error> {
        match self {
            Self::Json(asked) => asked.input(operation),
            Self::Query(asked) => asked.input(operation),
        }
    }

    /// Whether it is signed in a way that was given up, with what AWS had before Signature Version 4.
    pub(crate) fn has_old_signature(&self) -> bool {
        match self {
            Self::Json(_) => false,
            Self::Query(asked) => asked.has_old_signature(),
        }
    }

    /// The parameter with a receipt handle or a task's in which a blank stands. No handle that the
    /// server gave has one: in a form it was a `+`.
    pub(crate) fn handle_with_blank(&self) -> Option<&'static str> {
        match self {
            Self::Json(_) => None,
            Self::Query(asked) => asked.handle_with_blank(),
        }
    }

    /// The members that name a queue, if they can be read; whatever is wrong with the others.
    pub(crate) fn named(&self) -> Option<Named> {
        match self {
            Self::Json(asked) => asked.named(),
            Self::Query(asked) => asked.named(),
        }
    }
}

/// The members by which a request names its queue.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Named {
    pub(crate) queue_url: Option<String>,
    pub(crate) queue_name: Option<String>,
    #[serde(rename = "QueueOwnerAWSAccountId")]
    pub(crate) owner: Option<String>,
}

/// How a request is answered: in which protocol, and under which id. It goes with the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply {
    pub(crate) protocol: Protocol,
    pub(crate) request_id: RequestId,
}

impl Reply {
    /// The body of an answer that is a success.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::InternalFailure`], when it cannot be written.
    pub(crate) fn body(self, response: &sqs::Response) -> Result<Vec<u8>, Error> {
        match self.protocol {
            Protocol::Json => json::body(response),
            Protocol::Query(rendering) => query::body(rendering, response, self.request_id),
        }
    }

    /// An answer that is a success, with this body of [`body`](Self::body).
    pub(crate) fn success(self, body: Vec<u8>) -> Response {
        match self.protocol {
            Protocol::Json => json::success(body),
            Protocol::Query(rendering) => query::success(rendering, body),
        }
    }

    /// An answer that is an error, with the status of the error table.
    pub(crate) fn error(self, error: &Error) -> Response {
        let status = StatusCode::from_u16(error.code().status());
        self.error_with_status(error, status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
    }

    /// An answer that is an error, where HTTP has a better status than the error table.
    pub(crate) fn error_with_status(self, error: &Error, status: StatusCode) -> Response {
        match self.protocol {
            Protocol::Json => json::error(error, status),
            Protocol::Query(rendering) => query::error(rendering, error, status, self.request_id),
        }
    }
}

/// The error in place of an answer that is there, and cannot be written.
fn unwritten(operation: Operation, error: &dyn std::error::Error) -> Error {
    tracing::error!(%operation, %error, "an answer could not be written");
    let message = "The answer could not be written.";
    Error::new(ErrorCode::InternalFailure, message)
}

#[cfg(test)]
mod tests;
