//! From the text of a policy to what it says.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sqs::limits::{self, Limit};
use sqs::{Error, ErrorCode, QueueAttributeName};

use super::{Effect, Listed, Policy, Principal, Statement};
use crate::errors;

/// Reads a policy. Its length is checked before anything else, which bounds all the rest.
pub(super) fn policy(text: &str) -> Result<Policy, Error> {
    if !limits::POLICY_SIZE.contains(text.len()) {
        return Err(over("Submitted policy is over max allowed size.".into()));
    }
    let statements = statements(text)
        .ok_or_else(|| errors::invalid_attribute(QueueAttributeName::Policy.name()))?;
    check_counts(&statements)?;
    Ok(Policy {
        text: text.into(),
        statements,
    })
}

/// The members of a JSON object as they stand, each value in its own words: what is edited keeps
/// the order and the form in which it was given. A member that is there twice is an error.
pub(super) struct Members(pub(super) Vec<(String, Box<RawValue>)>);

impl Members {
    pub(super) fn get(&self, name: &str) -> Option<&RawValue> {
        self.0
            .iter()
            .find_map(|(member, value)| (member == name).then_some(&**value))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = Members(Vec::new());
        while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
            if members.get(&name).is_some() {
                return Err(A::Error::custom("a member is there twice"));
            }
            members.0.push((name, value));
        }
        Ok(members)
    }
}

/// The statements of a policy, one or a list of them, each in its own words.
pub(super) fn statement_texts(members: &Members) -> Option<Vec<Box<RawValue>>> {
    let text = members.get("Statement")?;
    if text.get().starts_with('[') {
        serde_json::from_str(text.get()).ok()
    } else {
        Some(vec![text.to_owned()])
    }
}

/// `None` for what is no policy of a queue. AWS does not say what is wrong either.
fn statements(text: &str) -> Option<Vec<Statement>> {
    let document: Members = serde_json::from_str(text).ok()?;
    for (name, value) in &document.0 {
        let value: Value = serde_json::from_str(value.get()).ok()?;
        let good = match name.as_str() {
            "Version" => matches!(value.as_str()?, "2008-10-17" | "2012-10-17"),
            "Id" => value.is_string(),
            "Statement" => true,
            _ => false,
        };
        if !good {
            return None;
        }
    }
    let statements: Option<Vec<_>> = statement_texts(&document)?
        .iter()
        .map(|text| statement(text))
        .collect();
    let statements = statements.filter(|statements| !statements.is_empty())?;
    let mut seen = BTreeSet::new();
    let distinct = statements
        .iter()
        .filter_map(|statement| statement.sid.as_deref())
        .all(|sid| seen.insert(sid));
    distinct.then_some(statements)
}

fn statement(text: &RawValue) -> Option<Statement> {
    let members: Members = serde_json::from_str(text.get()).ok()?;
    let mut statement = Map::new();
    for (name, value) in &members.0 {
        if !ELEMENTS.contains(&name.as_str()) {
            return None;
        }
        statement.insert(name.clone(), serde_json::from_str(value.get()).ok()?);
    }
    Some(Statement {
        sid: match statement.get("Sid") {
            None => None,
            Some(sid) => Some(sid.as_str()?.into()),
        },
        effect: match statement.get("Effect")?.as_str()? {
            "Allow" => Effect::Allow,
            "Deny" => Effect::Deny,
            _ => return None,
        },
        principals: listed(&statement, "Principal", "NotPrincipal", principals)?,
        actions: listed(&statement, "Action", "NotAction", actions)?,
        resources: listed(&statement, "Resource", "NotResource", texts)?,
        conditions: conditions(statement.get("Condition"))?,
    })
}

/// One of the two elements must be there, and not both.
fn listed<T>(
    statement: &Map<String, Value>,
    name: &str,
    negated: &str,
    read: impl Fn(&Value) -> Option<Vec<T>>,
) -> Option<Listed<T>> {
    match (statement.get(name), statement.get(negated)) {
        (Some(value), None) => read(value).map(Listed::Only),
        (None, Some(value)) => read(value).map(Listed::AllBut),
        (Some(_), Some(_)) | (None, None) => None,
    }
}

/// A string, or a list of at least one.
fn texts(value: &Value) -> Option<Vec<Box<str>>> {
    match value {
        Value::String(text) => Some(vec![text.as_str().into()]),
        Value::Array(list) if !list.is_empty() => list
            .iter()
            .map(|item| item.as_str().map(Into::into))
            .collect(),
        Value::Array(_) | Value::Bool(_) | Value::Null | Value::Number(_) | Value::Object(_) => {
            None
        }
    }
}

/// An action is `*`, or has its service in front.
fn actions(value: &Value) -> Option<Vec<Box<str>>> {
    texts(value).filter(|actions| {
        let is_action = |action: &str| action == "*" || action.contains(':');
        actions.iter().all(|action| is_action(action))
    })
}

/// `"*"`, or an object with lists of principals by their kind.
fn principals(value: &Value) -> Option<Vec<Principal>> {
    match value {
        Value::String(text) if text == "*" => Some(vec![Principal::Everyone]),
        Value::Object(kinds) if !kinds.is_empty() => {
            let mut all = Vec::new();
            for (kind, value) in kinds {
                let names = texts(value)?;
                let read: Option<Vec<_>> = match kind.as_str() {
                    "AWS" => names.iter().map(|name| principal(name)).collect(),
                    "CanonicalUser" | "Federated" | "Service" => {
                        Some(names.iter().map(|_| Principal::Other).collect())
                    }
                    _ => None,
                };
                all.extend(read?);
            }
            Some(all)
        }
        Value::Array(_)
        | Value::Bool(_)
        | Value::Null
        | Value::Number(_)
        | Value::Object(_)
        | Value::String(_) => None,
    }
}

/// An AWS principal: everyone, an account's id, an ARN of IAM or STS, or the unique id that stands
/// for an identity that was deleted. Wildcards inside are not allowed, as with IAM.
fn principal(name: &str) -> Option<Principal> {
    if name == "*" {
        return Some(Principal::Everyone);
    }
    if is_account(name) {
        return Some(Principal::Account(name.into()));
    }
    let is_unique_id = name.starts_with('A')
        && (16..=128).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    if is_unique_id {
        return Some(Principal::Other);
    }
    let parts: Vec<_> = name.splitn(6, ':').collect();
    let ["arn", _, "iam" | "sts", "", account, identity] = parts[..] else {
        return None;
    };
    if name.contains(['*', '?']) || identity.is_empty() {
        return None;
    }
    Some(match (is_account(account), identity) {
        (true, "root") => Principal::Account(account.into()),
        (true, _) => Principal::Identity {
            account: account.into(),
        },
        // AWS's own, such as CloudFront's identities.
        (false, _) => Principal::Other,
    })
}

/// How many condition keys there are: an object of operators, each an object of keys.
fn conditions(value: Option<&Value>) -> Option<usize> {
    let Some(value) = value else {
        return Some(0);
    };
    let keys: Option<Vec<_>> = value
        .as_object()?
        .values()
        .map(|keys| keys.as_object().map(Map::len))
        .collect();
    Some(keys?.into_iter().sum())
}

/// AWS's words for too many actions are known; those for the others follow them.
fn check_counts(statements: &[Statement]) -> Result<(), Error> {
    let check = |found: usize, what: &str, limit: Limit| {
        if u32::try_from(found).is_ok_and(|found| found <= limit.max()) {
            return Ok(());
        }
        let max = limit.max();
        Err(over(format!(
            "{found} {what} the submitted policy, max allowed is {max}"
        )))
    };
    check(
        statements.len(),
        "statements were found in",
        limits::POLICY_STATEMENTS,
    )?;
    for statement in statements {
        let actions = statement.actions.items().len();
        let what = "actions were found in a statement from";
        check(actions, what, limits::ACTIONS_PER_STATEMENT)?;
    }
    let sum = |count: fn(&Statement) -> usize| statements.iter().map(count).sum();
    check(
        sum(|statement| statement.principals.items().len()),
        "principals were found in",
        limits::POLICY_PRINCIPALS,
    )?;
    check(
        sum(|statement| statement.conditions),
        "conditions were found in",
        limits::POLICY_CONDITIONS,
    )
}

/// Whether a text is the id of an account.
pub(super) fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn over(message: String) -> Error {
    Error::new(ErrorCode::OverLimit, message)
}

const ELEMENTS: [&str; 9] = [
    "Sid",
    "Effect",
    "Principal",
    "NotPrincipal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn statement() -> Value {
        json!({
            "Sid": "a", "Effect": "Allow", "Principal": "*", "Action": "sqs:*", "Resource": "*",
        })
    }

    fn parse(statements: &Value) -> Result<Policy, Error> {
        policy(&json!({ "Statement": statements }).to_string())
    }

    #[test]
    fn what_is_a_policy() {
        for text in [
            r#"{"Statement":{"Effect":"Deny","Principal":{"AWS":"111122223333"},"NotAction":["sqs:A"],"NotResource":"*"}}"#,
            r#" { "Version" : "2008-10-17", "Id":"x", "Statement":[ {"Effect":"Allow","Principal":"*","Action":"*","Resource":["*"],"Condition":{}} ] } "#,
        ] {
            let parsed = policy(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(parsed.text(), text, "kept as it is");
        }
    }

    #[test]
    fn what_is_none() {
        let mut bad = vec![
            "{}".to_owned(),
            "[]".into(),
            "null".into(),
            "text".into(),
            "{".into(),
            r#"{"Statement":[]}"#.into(),
            r#"{"Statement":"*"}"#.into(),
            r#"{"Statement":[["a","Allow"]]}"#.into(),
            format!(r#"{{"Version":"2020-01-01","Statement":{}}}"#, statement()),
            format!(r#"{{"Id":1,"Statement":{}}}"#, statement()),
            format!(r#"{{"Other":1,"Statement":{}}}"#, statement()),
            format!(r#"{{"Statement":{0},"Statement":{0}}}"#, statement()),
            format!(r#"{{"Statement":[{0},{0}]}}"#, statement()),
            format!(r#"{{"Statement":{}}}}}"#, statement()),
        ];
        for (element, value) in [
            ("Sid", json!(1)),
            ("Effect", json!("allow")),
            ("Effect", Value::Null),
            ("Principal", json!("111122223333")),
            ("Principal", json!([])),
            ("Principal", json!({})),
            ("Principal", json!({ "AWS": [] })),
            ("Principal", json!({ "AWS": "1111" })),
            ("Principal", json!({ "AWS": "arn:aws:iam::*:root" })),
            (
                "Principal",
                json!({ "AWS": "arn:aws:iam::111122223333:user/*" }),
            ),
            (
                "Principal",
                json!({ "AWS": "arn:aws:sqs:us-east-1:111122223333:q" }),
            ),
            ("Principal", json!({ "AWS": "arn:aws:iam::111122223333:" })),
            ("Principal", json!({ "Google": "x" })),
            ("NotPrincipal", json!("*")),
            ("Action", json!("SendMessage")),
            ("Action", json!([])),
            ("Action", json!([1])),
            ("NotAction", json!("sqs:*")),
            ("Resource", json!({})),
            ("NotResource", json!("*")),
            ("Condition", json!([])),
            ("Condition", json!({ "Bool": "x" })),
            ("Unknown", json!("x")),
        ] {
            let mut statement = statement();
            statement[element] = value;
            bad.push(json!({ "Statement": statement }).to_string());
        }
        for missing in ["Effect", "Principal", "Action", "Resource"] {
            let mut statement = statement();
            statement.as_object_mut().unwrap().remove(missing);
            bad.push(json!({ "Statement": statement }).to_string());
        }
        for text in bad {
            let error = policy(&text).expect_err(&text);
            assert_eq!(error.code(), ErrorCode::InvalidAttributeValue, "{text}");
            assert_eq!(error.message(), "Invalid value for the parameter Policy.");
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_does_no_harm() {
        let deep = format!("{}1{}", "[".repeat(3_000), "]".repeat(3_000));
        let text = format!(r#"{{"Statement":{{"Condition":{deep}}}}}"#);
        assert!(policy(&text).is_err());
    }

    fn refusal(statements: &Value) -> String {
        let error = parse(statements).expect_err("over a limit");
        assert_eq!(error.code(), ErrorCode::OverLimit);
        error.into_message()
    }

    #[test]
    fn a_policy_has_limits() {
        let repeated = |count: usize| {
            let statements = (0..count).map(|number| {
                let mut statement = statement();
                statement["Sid"] = json!(number.to_string());
                statement
            });
            Value::Array(statements.collect())
        };
        assert!(parse(&repeated(20)).is_ok());
        assert_eq!(
            refusal(&repeated(21)),
            "21 statements were found in the submitted policy, max allowed is 20"
        );

        let with = |element: &str, value: Value| {
            let mut statement = statement();
            statement[element] = value;
            statement
        };
        let actions = |count| with("Action", json!(vec!["sqs:SendMessage"; count]));
        assert!(parse(&actions(7)).is_ok());
        assert_eq!(
            refusal(&actions(8)),
            "8 actions were found in a statement from the submitted policy, max allowed is 7"
        );

        let principals = |count| with("Principal", json!({ "AWS": vec!["111122223333"; count] }));
        assert!(parse(&principals(50)).is_ok());
        assert_eq!(
            refusal(&principals(51)),
            "51 principals were found in the submitted policy, max allowed is 50"
        );

        let conditions = |count: usize| {
            let keys: Map<_, _> = (0..count)
                .map(|number| (format!("aws:RequestTag/{number}"), json!("x")))
                .collect();
            with("Condition", json!({ "StringEquals": keys }))
        };
        assert!(parse(&conditions(10)).is_ok());
        assert_eq!(
            refusal(&conditions(11)),
            "11 conditions were found in the submitted policy, max allowed is 10"
        );

        let sized = |size: usize| {
            let text = json!({ "Id": "", "Statement": statement() }).to_string();
            let id = "x".repeat(size - text.len());
            policy(&text.replace(r#""Id":"""#, &format!(r#""Id":"{id}""#)))
        };
        assert!(sized(8_192).is_ok());
        let error = sized(8_193).expect_err("too long");
        assert_eq!(error.code(), ErrorCode::OverLimit);
        assert_eq!(
            error.message(),
            "Submitted policy is over max allowed size."
        );
    }
}
