//! `GET`, `POST` and `DELETE /_fake/faults`, and `DELETE /_fake/faults/{id}`.

use axum::extract::{Path, Request, State};
use serde::Serialize;
use serde_json::{Map, Value};

use super::answer::{AdminError, Json};
use super::members;
use crate::control::Control;
use crate::faults::{FaultId, FaultSpec, Listed, Rule};
use crate::http::{body, limits};

/// The form that a fault has, for errors.
const FORM: &str = r#"{"action":"SendMessage","queue":"orders","times":3,"fault":{"kind":"error","code":"OverLimit"}}"#;

/// All faults.
#[derive(Serialize)]
pub(super) struct All {
    faults: Vec<Listed>,
}

/// The fault that was made.
#[derive(Serialize)]
pub(super) struct Made {
    id: FaultId,
}

/// The faults that there are, in the order in which they were made.
pub(super) async fn list(State(control): State<Control>) -> Json<All> {
    let faults = control.faults().list();
    Json(All { faults })
}

/// Makes a fault.
pub(super) async fn add(
    State(control): State<Control>,
    request: Request,
) -> Result<Json<Made>, AdminError> {
    let body = body::read(request.into_body(), limits::CONTROL_BODY_BYTES_MAX)
        .await
        .map_err(AdminError::Body)?;
    let spec: FaultSpec = members::read(&body, FORM)?;
    let rule = Rule::new(spec).map_err(AdminError::Fault)?;
    let told = rule.to_string();
    let (id, _hits) = control.faults().add(rule).map_err(AdminError::Fault)?;
    tracing::info!(id, "a fault was made: {told}");
    Ok(Json(Made { id }))
}

/// Removes all faults.
pub(super) async fn clear(State(control): State<Control>) -> Json<Map<String, Value>> {
    control.faults().clear();
    Json(Map::new())
}

/// Removes one fault.
pub(super) async fn remove(
    State(control): State<Control>,
    Path(id): Path<String>,
) -> Result<Json<Map<String, Value>>, AdminError> {
    let known = id.parse().is_ok_and(|id| control.faults().remove(id));
    if known {
        Ok(Json(Map::new()))
    } else {
        Err(AdminError::NoSuchFault)
    }
}
