//! `POST /_fake/reset`.

use axum::extract::{Request, State};
use serde::Deserialize;

use super::answer::{AdminError, Json};
use super::members;
use crate::AccountId;
use crate::control::{Control, ResetScope};
use crate::http::limits;

/// The form that the body has, for errors.
const FORM: &str = r#"{} or {"account":"000000000000"}"#;

/// Members that are not known are refused: a misspelled `account` would reset everything.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    account: Option<String>,
}

/// Forgets everything, or everything of one account.
pub(super) async fn reset(
    State(control): State<Control>,
    request: Request,
) -> Result<Json<serde_json::Map<String, serde_json::Value>>, AdminError> {
    let body = members::body(request, limits::CONTROL_BODY_BYTES_MAX).await?;
    let scope = scope(&body)?;
    control.reset(scope).await.map_err(AdminError::Control)?;
    tracing::info!(?scope, "reset");
    Ok(Json(serde_json::Map::new()))
}

fn scope(body: &[u8]) -> Result<ResetScope, AdminError> {
    let wrong = |reason: String| AdminError::Json { form: FORM, reason };
    let members: Members = members::read(body, FORM)?;
    match members.account {
        None => Ok(ResetScope::Everything),
        Some(account) => {
            let account: AccountId = account
                .parse()
                .map_err(|e: crate::AccountIdError| wrong(e.to_string()))?;
            Ok(ResetScope::Account(account))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scope_is_everything_unless_an_account_is_given() {
        for body in ["", "{}", " {} ", r#"{"account":null}"#] {
            assert_eq!(scope(body.as_bytes()).expect(body), ResetScope::Everything);
        }
        let account = "123456789012".parse().expect("an account");
        let body = br#"{"account":"123456789012"}"#;
        assert_eq!(
            scope(body).expect("an account"),
            ResetScope::Account(account)
        );
    }

    #[test]
    fn a_body_that_is_not_understood_resets_nothing() {
        for body in [
            "{",
            "[]",
            "[null]",
            r#"["123456789012"]"#,
            "null",
            "\"\"",
            r#"{"acount":"123456789012"}"#,
            r#"{"account":"12"}"#,
            r#"{"account":123456789012}"#,
            r#"{"account":""}"#,
        ] {
            let error = scope(body.as_bytes()).expect_err(body);
            assert!(
                error
                    .to_string()
                    .starts_with("the body must be JSON like {} or"),
                "{error}"
            );
        }
    }
}
