//! AWS Query: a form, in the body of a POST or in the URL, that names its operation as the
//! parameter `Action`; the answers are XML, or JSON of their own.

mod json;

use aws_query::{Parameters, ReadError, Source};
use axum::body::Body;
use axum::response::Response;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, Uri};
use sqs::{Error, ErrorCode, Operation, query};

use super::Named;
use crate::http::answer::Failure;
use crate::http::asked::{self, Unasked, text_of};
use crate::seed::RequestId;

/// The parameter that names a queue.
const QUEUE_URL: &str = "QueueUrl";

/// What the parameters end with that hold a handle.
const HANDLES: [&str; 2] = ["ReceiptHandle", "TaskHandle"];

/// Whether a request says of itself that it is one of this protocol.
pub(super) fn is_meant(method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    has_action(uri) || method == Method::POST && is_form(headers)
}

/// Whether a URL names an operation.
pub(super) fn has_action(uri: &Uri) -> bool {
    let mut parameters = uri.query().unwrap_or_default().split('&');
    parameters.any(|parameter| parameter.starts_with("Action="))
}

/// Whether a body is a form by its Content-Type, whatever parameters that has.
fn is_form(headers: &HeaderMap) -> bool {
    let text = text_of(headers, &CONTENT_TYPE);
    let essence = text.split_once(';').map_or(text, |(essence, _)| essence);
    essence.trim().eq_ignore_ascii_case(query::FORM)
}

/// Whether the body is a form: that of a POST whose type says so or which has none.
pub(super) fn has_form(request: &Parts) -> bool {
    request.method == Method::POST
        && (is_form(&request.headers) || !request.headers.contains_key(CONTENT_TYPE))
}

/// What a request asks for.
pub(crate) struct Asked<'a> {
    parameters: Result<Parameters<'a>, ReadError>,
    /// The path, if it is a queue's.
    queue: Option<&'a str>,
    /// Whether the path stands for the parameter that is not there.
    is_by_path: bool,
}

impl<'a> Asked<'a> {
    /// Takes the parameters of the URL, and of the body of a POST if that is a form or of no type at
    /// all. A queue's path stands for the parameter `QueueUrl`; AWS takes the parameter if there are
    /// both.
    pub(super) fn new(request: &'a Parts, body: &'a [u8]) -> Self {
        let in_url = request.uri.query().unwrap_or_default();
        let form = has_form(request).then_some(Source::Form(body));
        let sources = [Source::Query(in_url.as_bytes())].into_iter().chain(form);
        let mut parameters = Parameters::parse(sources);
        let queue = Some(request.uri.path()).filter(|path| *path != "/");
        let mut is_by_path = false;
        if let (Ok(parameters), Some(queue)) = (&mut parameters, queue) {
            is_by_path = parameters.get(QUEUE_URL).is_none();
            parameters.or_insert(QUEUE_URL, queue);
        }
        Self {
            parameters,
            queue,
            is_by_path,
        }
    }

    pub(super) fn operation(&self) -> Result<Operation, Unasked> {
        let parameters = self.parameters.as_ref().map_err(|error| {
            let advice = "The parameters of a form are separated by & and percent-encoded.";
            Unasked::new(query::refusal(error), advice)
        })?;
        let operation = query::operation(parameters).map_err(|error| {
            let advice = advice(&error, parameters.action().unwrap_or_default());
            Unasked::new(error, advice)
        })?;
        match operation {
            Operation::CreateQueue | Operation::ListQueues if self.queue.is_some() => {
                let message = format!("The action {operation} is not valid for this endpoint.");
                let error = Error::new(ErrorCode::UnknownOperationException, message);
                let advice = "It is not about one queue, so it goes to / and not to a queue's URL.";
                Err(Unasked::new(error, advice))
            }
            operation => Ok(operation),
        }
    }

    pub(super) fn input(&self, operation: Operation) -> Result<sqs::Request, Error> {
        let read = match &self.parameters {
            Ok(parameters) => query::read(operation, parameters),
            Err(error) => return Err(query::refusal(error)),
        };
        read.map_err(|error| query::refusal(&error))
    }

    pub(super) fn handle_with_blank(&self) -> Option<&'static str> {
        let mut all = self.parameters.as_ref().ok()?.iter();
        all.find_map(|(name, value)| {
            let last = name.rsplit('.').next();
            let handle = HANDLES.into_iter().find(|handle| last == Some(handle))?;
            value.contains(' ').then_some(handle)
        })
    }

    pub(super) fn named(&self) -> Option<Named> {
        let parameters = self.parameters.as_ref().ok()?;
        let text = |name| parameters.get(name).map(str::to_owned);
        let queue_name = text("QueueName");
        // GetQueueUrl may go to any queue's path.
        let is_meant = !self.is_by_path || queue_name.is_none();
        Some(Named {
            queue_url: text(QUEUE_URL).filter(|_| is_meant),
            queue_name,
            owner: text("QueueOwnerAWSAccountId"),
        })
    }

    /// Whether a request is signed in a way that was given up: by versions 1 and 2 of AWS's
    /// signatures, which are parameters of the form.
    pub(super) fn has_old_signature(&self) -> bool {
        let has = |name| matches!(&self.parameters, Ok(all) if all.get(name).is_some());
        has("SignatureVersion") || has("Signature") && has("AWSAccessKeyId")
    }
}

/// What would be right, for the log.
fn advice(error: &Error, action: &str) -> String {
    match error.code() {
        ErrorCode::NoSuchVersion => {
            format!(
                "The version of SQS's API is {}, or is left out.",
                query::VERSION
            )
        }
        ErrorCode::MissingAction => {
            "Action=ReceiveMessage is one, in the URL or in a form.".to_owned()
        }
        _ => match asked::alike(action) {
            Some(operation) => format!("Perhaps {operation} is meant."),
            None => "ReceiveMessage is one, for example.".to_owned(),
        },
    }
}

/// What the answers are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rendering {
    /// What all SDKs read.
    Xml,
    /// For a client that would rather have JSON.
    Json,
}

impl Rendering {
    /// JSON if the client names it, and does not name XML as something that it likes better. What it
    /// only allows, as `*/*` does, is no wish. Several headers are one list.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut best = (0, Self::Xml);
        let texts = headers.get_all(ACCEPT).iter();
        let texts = texts.filter_map(|value| value.to_str().ok());
        for range in texts.flat_map(|text| text.split(',')) {
            let mut parts = range.split(';').map(str::trim);
            let rendering = match parts
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase()
                .as_str()
            {
                json::CONTENT_TYPE => Self::Json,
                query::XML | "application/xml" => Self::Xml,
                _ => continue,
            };
            let weight = parts.find_map(|part| part.strip_prefix(['q', 'Q'])?.strip_prefix('='));
            let weight = weight.map_or(1_000, thousandths);
            if weight > best.0 {
                best = (weight, rendering);
            }
        }
        best.1
    }

    fn content_type(self) -> &'static str {
        match self {
            Self::Xml => query::XML,
            Self::Json => json::CONTENT_TYPE,
        }
    }
}

/// A weight of `Accept` (RFC 9110, section 12.4.2): from 0 to 1, with three digits after the point at
/// most. What is none weighs nothing.
fn thousandths(weight: &str) -> u32 {
    let (whole, rest) = weight.split_once('.').unwrap_or((weight, ""));
    let thousandths = format!("{whole}{rest:0<3.3}").parse();
    thousandths.ok().filter(|it| *it <= 1_000).unwrap_or(0)
}

/// The body of an answer that is a success.
pub(super) fn body(
    rendering: Rendering,
    response: &sqs::Response,
    request_id: RequestId,
) -> Result<Vec<u8>, Error> {
    let operation = response.operation();
    match rendering {
        Rendering::Xml => query::write(response, &request_id.to_string())
            .map(String::into_bytes)
            .map_err(|error| super::unwritten(operation, &error)),
        Rendering::Json => {
            json::write(response, request_id).map_err(|error| super::unwritten(operation, &error))
        }
    }
}

/// An answer that is a success.
pub(super) fn success(rendering: Rendering, body: Vec<u8>) -> Response {
    answer(rendering, body, StatusCode::OK)
}

/// An answer that is an error.
pub(super) fn error(
    rendering: Rendering,
    error: &Error,
    status: StatusCode,
    request_id: RequestId,
) -> Response {
    let body = match rendering {
        Rendering::Xml => query::write_error(error, &request_id.to_string()).into_bytes(),
        Rendering::Json => json::write_error(error, request_id),
    };
    let mut response = answer(rendering, body, status);
    let told = Error::new(error.code(), query::message(error));
    response.extensions_mut().insert(Failure(told));
    response
}

fn answer(rendering: Rendering, body: Vec<u8>, status: StatusCode) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static(rendering.content_type());
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}
