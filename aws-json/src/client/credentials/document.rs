//! The JSON that credentials are handed out in.

use serde_json::{Map, Value};
use sigv4::Credentials;

use super::Provided;
use crate::value::iso8601;

/// Reads `AccessKeyId`, `SecretAccessKey`, `Token` and `Expiration`, the last two of which may be
/// absent. What is wrong is told without a word of the document.
pub(super) fn read(text: &[u8]) -> Result<Provided, String> {
    let text = str::from_utf8(text).unwrap_or_default();
    let Ok(Value::Object(members)) = serde_json::from_str(text) else {
        return Err("it is not a JSON object".to_owned());
    };
    let required = |name: &str| {
        member(&members, name)?.ok_or_else(|| format!("it has no member {name} that is text"))
    };
    let mut credentials = Credentials::new(required("AccessKeyId")?, required("SecretAccessKey")?);
    if let Some(token) = member(&members, "Token")? {
        credentials = credentials.with_session_token(token);
    }
    let provided = Provided::new(credentials);
    Ok(match member(&members, "Expiration")? {
        None => provided,
        Some(text) => provided.expiring(iso8601::parse(text).map_err(|_| {
            "its member Expiration is no time such as 2030-01-02T03:04:05Z".to_owned()
        })?),
    })
}

/// A member that is text and not empty; absent if it is null or empty.
fn member<'a>(members: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, String> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Array(_) | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            Err(format!("its member {name} is not text"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    fn error(text: &str) -> String {
        read(text.as_bytes()).unwrap_err()
    }

    #[test]
    fn a_whole_document() {
        let text = br#"{"RoleArn": "arn", "AccessKeyId": "A", "SecretAccessKey": "S", "Token": "T",
                        "Expiration": "2015-08-30T12:36:00.250Z", "AccountId": null}"#;
        let provided = read(text).unwrap();
        assert_eq!(provided.credentials().access_key_id(), "A");
        assert!(provided.credentials().secret().matches("S"));
        assert_eq!(provided.credentials().session_token(), Some("T"));
        let expires = UNIX_EPOCH + Duration::from_millis(1_440_938_160_250);
        assert_eq!(provided.expires(), Some(expires));
    }

    #[test]
    fn the_token_and_the_end_may_be_absent() {
        let provided = read(br#"{"AccessKeyId":"A","SecretAccessKey":"S","Token":""}"#).unwrap();
        assert_eq!(provided.credentials().session_token(), None);
        assert_eq!(provided.expires(), None);
    }

    #[test]
    fn what_is_wrong_is_told_without_a_secret() {
        assert_eq!(error("hush"), "it is not a JSON object");
        assert_eq!(error("[\"hush\"]"), "it is not a JSON object");
        assert_eq!(
            error(r#"{"AccessKeyId":"A","Secret":"hush"}"#),
            "it has no member SecretAccessKey that is text"
        );
        assert_eq!(
            error(r#"{"AccessKeyId":"","SecretAccessKey":"hush"}"#),
            "it has no member AccessKeyId that is text"
        );
        assert_eq!(
            error(r#"{"AccessKeyId":"A","SecretAccessKey":["hush"]}"#),
            "its member SecretAccessKey is not text"
        );
        for time in [
            "hush",
            "2015-08-30",
            "2015-13-30T12:36:00Z",
            "2015-08-30T12:36:00",
        ] {
            let text =
                format!(r#"{{"AccessKeyId":"A","SecretAccessKey":"S","Expiration":"{time}"}}"#);
            assert_eq!(
                error(&text),
                "its member Expiration is no time such as 2030-01-02T03:04:05Z"
            );
        }
    }
}
