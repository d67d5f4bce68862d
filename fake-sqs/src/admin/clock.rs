//! `GET /_fake/clock`, and `POST /_fake/clock/freeze`, `/resume` and `/advance`.

use std::time::Duration;

use axum::extract::{Request, State};
use serde::Deserialize;

use super::answer::{AdminError, Json};
use super::members;
use crate::control::Control;
use crate::http::limits;
use crate::inside::Clock;

/// The form that the body of an advance has, for errors.
const ADVANCE: &str = r#"{"seconds":43200}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: f64,
}

/// What the queues' clock shows.
pub(super) async fn show(State(control): State<Control>) -> Json<Clock> {
    Json(control.clock())
}

/// Stops the queues' time.
pub(super) async fn freeze(
    State(control): State<Control>,
    request: Request,
) -> Result<Json<Clock>, AdminError> {
    members::none(request).await?;
    let clock = control.freeze().await.map_err(AdminError::Control)?;
    Ok(Json(clock))
}

/// Lets the queues' time go on.
pub(super) async fn resume(
    State(control): State<Control>,
    request: Request,
) -> Result<Json<Clock>, AdminError> {
    members::none(request).await?;
    let clock = control.resume().await.map_err(AdminError::Control)?;
    Ok(Json(clock))
}

/// Moves the queues' time forward.
pub(super) async fn advance(
    State(control): State<Control>,
    request: Request,
) -> Result<Json<Clock>, AdminError> {
    let body = members::body(request, limits::CONTROL_BODY_BYTES_MAX).await?;
    let by = duration(&body)?;
    let clock = control.advance(by).await.map_err(AdminError::Control)?;
    Ok(Json(clock))
}

fn duration(body: &[u8]) -> Result<Duration, AdminError> {
    let Advance { seconds } = members::read(body, ADVANCE)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| AdminError::Json {
        form: ADVANCE,
        reason: format!("{seconds} seconds is less than none, or more than a clock can hold"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_be_fractions_and_must_not_go_back() {
        for (body, expected) in [
            (r#"{"seconds":0}"#, Duration::ZERO),
            (r#"{"seconds":0.25}"#, Duration::from_millis(250)),
            (r#"{"seconds":43200}"#, Duration::from_secs(43_200)),
        ] {
            assert_eq!(duration(body.as_bytes()).expect(body), expected);
        }
        for body in [
            "",
            "{}",
            "[1]",
            r#"{"seconds":-1}"#,
            r#"{"seconds":1e300}"#,
            r#"{"seconds":null}"#,
            r#"{"seconds":"1"}"#,
            r#"{"seconds":1,"minutes":1}"#,
        ] {
            let error = duration(body.as_bytes()).expect_err(body).to_string();
            let expected = "the body must be JSON like {\"seconds\":43200}: ";
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
