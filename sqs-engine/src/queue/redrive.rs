//! Dead letters: a queue's RedrivePolicy and RedriveAllowPolicy, as values.
//!
//! Here is what a policy may say. Whether the target of one exists, and lets this queue use it, is
//! checked where the attribute is set: `ops::attributes`.

use serde_json::{Map, Value};
use sqs::{Error, ErrorCode, QueueArn, QueueArnError, QueueAttributeName, limits};

use crate::directory::QueueName;
use crate::errors;

/// Where a queue's messages go that were received too often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RedrivePolicy {
    pub(crate) target: QueueArn,
    /// How often a message is received here before it is moved.
    pub(crate) max_receive_count: u32,
}

/// Which queues may use a queue for their dead letters. Without one, all may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RedriveAllowPolicy {
    AllowAll,
    DenyAll,
    ByQueue(Vec<QueueArn>),
}

impl RedrivePolicy {
    /// Reads the attribute's value; none if it is empty, which removes the policy.
    ///
    /// The count may be a number or a text of digits. AWS's reference gives it a default and AWS
    /// itself refuses a policy without it.
    ///
    /// # Errors
    ///
    /// `InvalidAttributeValue` for what is no JSON map, and `InvalidParameterValueException` for a
    /// map that is not a policy.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, Error> {
        if text.is_empty() {
            return Ok(None);
        }
        let invalid = |reason: &str| Self::refuse(text, reason);
        let policy = json_map(Self::ATTRIBUTE, "Redrive policy", text)?;
        check_names(&policy, [COUNT, TARGET]).map_err(|reason| invalid(&reason))?;
        let member = |name: &str| {
            let missing = format!("Redrive policy does not contain mandatory attribute: {name}.");
            policy
                .get(name)
                .filter(|value| !value.is_null())
                .ok_or_else(|| invalid(&missing))
        };
        let (target, count) = (member(TARGET)?, member(COUNT)?);
        let max_receive_count = whole_number(count)
            .and_then(|count| u32::try_from(count).ok())
            .filter(|count| limits::MAX_RECEIVE_COUNT.contains(*count))
            .ok_or_else(|| {
                let given = count
                    .as_str()
                    .map_or_else(|| count.to_string(), str::to_owned);
                invalid(&format!(
                    "Invalid value for maxReceiveCount: {given}, valid values are from 1 to 1000 \
                     both inclusive."
                ))
            })?;
        let target = target.as_str().unwrap_or_default().parse();
        let target = target.map_err(|error: QueueArnError| {
            invalid(match error {
                QueueArnError::Service(_) => {
                    "Only SQS queues are valid resources for deadLetterTargetArn."
                }
                _ => "Dead-letter target ARN should be fully qualified ARN.",
            })
        })?;
        Ok(Some(Self {
            target,
            max_receive_count,
        }))
    }

    /// The refusal of a policy as it was `given`.
    pub(crate) fn refuse(given: &str, reason: &str) -> Error {
        refuse(Self::ATTRIBUTE, given, reason)
    }

    /// The form in which AWS gives it back: target first, the count as a number.
    pub(crate) fn to_json(&self) -> String {
        let target = quoted(&self.target);
        let count = self.max_receive_count;
        format!("{{\"{TARGET}\":{target},\"{COUNT}\":{count}}}")
    }

    const ATTRIBUTE: QueueAttributeName = QueueAttributeName::RedrivePolicy;
}

impl RedriveAllowPolicy {
    /// Reads the attribute's value; none if it is empty, which removes the policy.
    ///
    /// # Errors
    ///
    /// `InvalidAttributeValue` for what is no JSON map, and `InvalidParameterValueException` for a
    /// map that is not a policy.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, Error> {
        if text.is_empty() {
            return Ok(None);
        }
        let policy = json_map(Self::ATTRIBUTE, "Redrive allow policy", text)?;
        Self::from_map(&policy)
            .map(Some)
            .map_err(|reason| refuse(Self::ATTRIBUTE, text, &reason))
    }

    /// `Err` is the reason. AWS's texts are known for the three ways in which permission and
    /// sources do not fit together; the others are ours.
    fn from_map(policy: &Map<String, Value>) -> Result<Self, String> {
        check_names(policy, [PERMISSION, SOURCES])?;
        let refused =
            |reason: &str| format!("Amazon SQS can't create the redrive allow policy. {reason}");
        let sources = match policy.get(SOURCES).unwrap_or(&Value::Null) {
            Value::Null => Vec::new(),
            Value::Array(sources) => sources
                .iter()
                .map(|source| source.as_str().unwrap_or_default().parse())
                .collect::<Result<Vec<_>, _>>()
                .map_err(|_| refused("Each of the sourceQueueArns must be the ARN of a queue."))?,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                return Err(refused("The sourceQueueArns must be a list of ARNs."));
            }
        };
        let one_for_all = match policy.get(PERMISSION).and_then(Value::as_str) {
            Some("allowAll") => Self::AllowAll,
            Some("denyAll") => Self::DenyAll,
            Some("byQueue") if sources.is_empty() => {
                return Err(refused(
                    "When you specify the byQueue permission type, you must also specify one or \
                     more sourceQueueArns values.",
                ));
            }
            Some("byQueue") if !limits::REDRIVE_SOURCE_QUEUES.contains(sources.len()) => {
                return Err(refused(
                    "The maximum number of source queue ARNs you can specify is 10.",
                ));
            }
            Some("byQueue") => return Ok(Self::ByQueue(sources)),
            Some(_) | None => {
                return Err(refused(
                    "The redrivePermission must be allowAll, denyAll or byQueue.",
                ));
            }
        };
        if sources.is_empty() {
            Ok(one_for_all)
        } else {
            Err(refused(
                "To specify one or more source queue ARNs, you must set redrivePermission to \
                 byQueue.",
            ))
        }
    }

    /// Whether the queue may send its dead letters here.
    pub(crate) fn allows(&self, source: &QueueName) -> bool {
        match self {
            Self::AllowAll => true,
            Self::DenyAll => false,
            Self::ByQueue(sources) => sources.iter().any(|arn| source.is_meant_by(arn)),
        }
    }

    /// The form in which AWS gives it back: the permission first.
    pub(crate) fn to_json(&self) -> String {
        let permission = match self {
            Self::AllowAll => "allowAll",
            Self::DenyAll => "denyAll",
            Self::ByQueue(_) => "byQueue",
        };
        match self {
            Self::AllowAll | Self::DenyAll => format!("{{\"{PERMISSION}\":\"{permission}\"}}"),
            Self::ByQueue(sources) => {
                let sources: Value = sources.iter().map(quoted).collect();
                format!("{{\"{PERMISSION}\":\"{permission}\",\"{SOURCES}\":{sources}}}")
            }
        }
    }

    const ATTRIBUTE: QueueAttributeName = QueueAttributeName::RedriveAllowPolicy;
}

/// Whether two queues, by their names, are both FIFO queues or both standard ones: only a FIFO
/// queue's name can end as it must.
pub(crate) fn is_same_kind(one: &str, other: &str) -> bool {
    one.ends_with(".fifo") == other.ends_with(".fifo")
}

fn refuse(attribute: QueueAttributeName, given: &str, reason: &str) -> Error {
    errors::invalid_value(given, attribute.name(), reason)
}

fn json_map(
    attribute: QueueAttributeName,
    what: &str,
    text: &str,
) -> Result<Map<String, Value>, Error> {
    serde_json::from_str(text).map_err(|_| {
        let message = format!(
            "Invalid value for the parameter {attribute}. Reason: {what} is not a valid JSON map."
        );
        Error::new(ErrorCode::InvalidAttributeValue, message)
    })
}

fn check_names(policy: &Map<String, Value>, known: [&str; 2]) -> Result<(), String> {
    if policy.keys().all(|name| known.contains(&name.as_str())) {
        return Ok(());
    }
    let known = known.join(", ");
    Err(format!(
        "Only following attributes are supported: [{known}]."
    ))
}

fn whole_number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().ok()
        }
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// As a string of JSON.
fn quoted(arn: &QueueArn) -> Value {
    Value::String(arn.to_string())
}

const TARGET: &str = "deadLetterTargetArn";
const COUNT: &str = "maxReceiveCount";
const PERMISSION: &str = "redrivePermission";
const SOURCES: &str = "sourceQueueArns";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ARN: &str = "arn:aws:sqs:us-east-1:000000000000:dead";

    #[test]
    fn the_normal_form_does_not_depend_on_how_it_was_written() {
        let normal = format!("{{\"deadLetterTargetArn\":\"{ARN}\",\"maxReceiveCount\":5}}");
        for text in [
            normal.clone(),
            format!(" {{ \"maxReceiveCount\" : \"5\", \"deadLetterTargetArn\" : \"{ARN}\" }} "),
            format!("{{\"maxReceiveCount\":\"05\",\"deadLetterTargetArn\":\"{ARN}\"}}"),
        ] {
            let policy = RedrivePolicy::parse(&text).unwrap().expect("a policy");
            assert_eq!(policy.to_json(), normal, "{text}");
        }
        assert_eq!(RedrivePolicy::parse("").unwrap(), None);
        assert_eq!(RedriveAllowPolicy::parse("").unwrap(), None);
    }

    #[test]
    fn counts_keep_to_their_range() {
        let with = |count: &str| {
            RedrivePolicy::parse(&format!(
                "{{\"deadLetterTargetArn\":\"{ARN}\",\"maxReceiveCount\":{count}}}"
            ))
        };
        for good in ["1", "1000", "\"1\"", "\"1000\""] {
            assert!(with(good).is_ok(), "{good}");
        }
        for bad in [
            "0", "-1", "1001", "1.0", "1e2", "true", "[]", "{}", "\"\"", "\" 1\"", "\"+1\"",
            "\"0\"", "\"1001\"", "\"many\"",
        ] {
            let error = with(bad).expect_err(bad);
            assert_eq!(error.code(), ErrorCode::InvalidParameterValueException);
            let shown = bad.trim_matches('"');
            // serde_json writes a number with an exponent in full.
            let shown = if bad == "1e2" { "100.0" } else { shown };
            let text = format!("Reason: Invalid value for maxReceiveCount: {shown}, valid");
            assert!(error.message().contains(&text), "{}", error.message());
        }
    }

    #[test]
    fn an_allow_policy_has_a_normal_form_too() {
        for (text, normal) in [
            (
                "{ \"redrivePermission\": \"allowAll\", \"sourceQueueArns\": [] }".to_owned(),
                "{\"redrivePermission\":\"allowAll\"}".to_owned(),
            ),
            (
                format!("{{\"sourceQueueArns\":[\"{ARN}\"],\"redrivePermission\":\"byQueue\"}}"),
                format!("{{\"redrivePermission\":\"byQueue\",\"sourceQueueArns\":[\"{ARN}\"]}}"),
            ),
        ] {
            let policy = RedriveAllowPolicy::parse(&text).unwrap().expect("a policy");
            assert_eq!(policy.to_json(), normal);
            assert_eq!(RedriveAllowPolicy::parse(&normal).unwrap(), Some(policy));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = RedrivePolicy::parse(&text);
            let _ = RedriveAllowPolicy::parse(&text);
        }

        #[test]
        fn any_map_is_read_or_refused(
            name in "deadLetterTargetArn|maxReceiveCount|redrivePermission|sourceQueueArns",
            value in "\\PC*",
            number in any::<f64>(),
        ) {
            let value = Value::from(value);
            for json in [format!("{{{}:{value}}}", Value::from(name.clone())),
                         format!("{{{}:{number}}}", Value::from(name.clone())),
                         format!("{{{}:[{value}]}}", Value::from(name))] {
                let _ = RedrivePolicy::parse(&json);
                let _ = RedriveAllowPolicy::parse(&json);
            }
        }
    }
}
