//! How AddPermission and RemovePermission change a policy.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sqs::limits::{self, Limit};
use sqs::{Error, ErrorCode, Operation, partition};

use super::Policy;
use super::parse::{self, Members, is_account, statement_texts};
use crate::access::Sharing;
use crate::directory::QueueName;
use crate::errors::{self, invalid_value};

/// A checked AddPermission: who may do what.
pub(crate) struct Grant {
    accounts: Vec<String>,
    actions: Vec<String>,
}

impl Grant {
    /// Checks the accounts and actions of an AddPermission.
    ///
    /// Any account of 12 digits will do: which ones exist is not known here.
    pub(crate) fn parse(accounts: Vec<String>, actions: Vec<String>) -> Result<Self, Error> {
        if actions.is_empty() {
            return Err(errors::missing_parameter("Actions"));
        }
        if accounts.is_empty() || !accounts.iter().all(|account| is_account(account)) {
            let accounts = format!("[{}]", accounts.join(", "));
            return Err(invalid_value(accounts, "PrincipalId", "Unable to verify."));
        }
        let limit = limits::ACTIONS_PER_STATEMENT;
        check_count(actions.len(), "Actions", limit)?;
        for action in &actions {
            check_action(action)?;
        }
        Ok(Self { accounts, actions })
    }
}

/// The policy with one more statement, in the form that AWS gives it.
pub(crate) fn add(
    policy: Option<&Policy>,
    queue: &QueueName,
    label: &str,
    grant: &Grant,
) -> Result<Policy, Error> {
    let arn = queue.arn();
    let statement = raw(&Statement {
        sid: label,
        effect: "Allow",
        principal: Principals {
            aws: OneOrMore::new(grant.accounts.iter().map(|account| {
                let partition = partition(&queue.region);
                format!("arn:{partition}:iam::{account}:root")
            })),
        },
        action: OneOrMore::new(grant.actions.iter().map(|action| format!("SQS:{action}"))),
        resource: &arn,
    })?;
    let Some(policy) = policy else {
        let members = Members(vec![
            ("Version".into(), raw(&"2008-10-17")?),
            ("Id".into(), raw(&format!("{arn}/SQSDefaultPolicy"))?),
        ]);
        return written(members, &[statement]);
    };
    if policy.sids().any(|sid| sid == label) {
        return Err(invalid_value(label, "Label", "Already exists."));
    }
    let (members, mut statements) = parts(policy)?;
    statements.push(statement);
    check_count(statements.len(), "Statements", limits::POLICY_STATEMENTS)?;
    written(members, &statements)
}

/// The policy without the statement of this label; `None` when nothing is left of it.
pub(crate) fn remove(policy: Option<&Policy>, label: &str) -> Result<Option<Policy>, Error> {
    let place = policy.and_then(|policy| {
        let is_it = |sid: &Option<Box<str>>| sid.as_deref() == Some(label);
        let mut statements = policy.statements.iter();
        Some((policy, statements.position(|one| is_it(&one.sid))?))
    });
    let Some((policy, place)) = place else {
        return Err(invalid_value(label, "Label", "can't find label."));
    };
    let (members, mut statements) = parts(policy)?;
    if statements.len() == 1 {
        return Ok(None);
    }
    statements.remove(place);
    written(members, &statements).map(Some)
}

/// A policy that was set, taken apart again.
fn parts(policy: &Policy) -> Result<(Members, Vec<Box<RawValue>>), Error> {
    let members: Members = serde_json::from_str(policy.text()).map_err(|_| broken())?;
    let statements = statement_texts(&members).ok_or_else(broken)?;
    Ok((members, statements))
}

/// Puts a policy together: its members in their order, with these statements.
fn written(mut members: Members, statements: &[Box<RawValue>]) -> Result<Policy, Error> {
    let statements = raw(statements)?;
    match members.0.iter_mut().find(|(name, _)| name == "Statement") {
        Some((_, value)) => *value = statements,
        None => members.0.push(("Statement".into(), statements)),
    }
    let members: Result<Vec<_>, Error> = members
        .0
        .iter()
        .map(|(name, value)| Ok(format!("{}:{}", raw(name)?, value)))
        .collect();
    parse::policy(&format!("{{{}}}", members?.join(",")))
}

/// Actions are named without a prefix, and as AWS spells them.
fn check_action(action: &str) -> Result<(), Error> {
    let reason = match Operation::from_name(action).map(Sharing::of) {
        _ if action == "*" => return Ok(()),
        Some(Sharing::ByPolicy) if !action.ends_with("Batch") => return Ok(()),
        Some(Sharing::Never) => "Only the queue owner is allowed to invoke this action.",
        // To policies the batch operations do not exist.
        Some(Sharing::ByPolicy) | None => {
            "Please refer to the appropriate WSDL for a list of valid actions."
        }
    };
    Err(invalid_value(format!("SQS:{action}"), "ActionName", reason))
}

fn check_count(found: usize, what: &str, limit: Limit) -> Result<(), Error> {
    if limit.contains(found) {
        return Ok(());
    }
    let max = limit.max();
    let message = format!("{found} {what} were found, maximum allowed is {max}.");
    Err(Error::new(ErrorCode::OverLimit, message))
}

fn raw<T: Serialize + ?Sized>(value: &T) -> Result<Box<RawValue>, Error> {
    to_raw_value(value).map_err(|_| broken())
}

/// Cannot be: what is stored was parsed before, and what is added has the form of JSON.
fn broken() -> Error {
    Error::new(
        ErrorCode::InternalFailure,
        "The queue's policy could not be edited.",
    )
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Statement<'a> {
    sid: &'a str,
    effect: &'a str,
    principal: Principals,
    action: OneOrMore,
    resource: &'a str,
}

#[derive(Serialize)]
struct Principals {
    #[serde(rename = "AWS")]
    aws: OneOrMore,
}

/// One string, or a list of several.
#[derive(Serialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn new(values: impl Iterator<Item = String>) -> Self {
        let mut values: Vec<_> = values.collect();
        match values.len() {
            1 => Self::One(values.remove(0)),
            _ => Self::More(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue() -> QueueName {
        QueueName {
            account: "000000000000".into(),
            region: "us-east-1".into(),
            name: "q".into(),
        }
    }

    fn grant(accounts: &[&str], actions: &[&str]) -> Grant {
        let owned = |list: &[&str]| list.iter().map(|&item| item.to_owned()).collect();
        Grant::parse(owned(accounts), owned(actions)).unwrap()
    }

    const OWN: &str = r#"{ "Id":"mine", "Statement": {"Resource":"*","Action":"sqs:Get*",
        "Effect":"Allow","Principal":"*", "Condition" : {"Bool":{"aws:SecureTransport":true}}},
        "Version":"2012-10-17"}"#;

    #[test]
    fn a_first_permission_makes_the_policy() {
        let policy = add(
            None,
            &queue(),
            "l",
            &grant(&["111122223333"], &["SendMessage"]),
        );
        assert_eq!(
            policy.unwrap().text(),
            r#"{"Version":"2008-10-17","Id":"arn:aws:sqs:us-east-1:000000000000:q/SQSDefaultPolicy","Statement":[{"Sid":"l","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"SQS:SendMessage","Resource":"arn:aws:sqs:us-east-1:000000000000:q"}]}"#
        );
    }

    #[test]
    fn a_policy_of_ones_own_stays_as_it_is_around_the_new_statement() {
        let own = Policy::parse(OWN).unwrap();
        let grant = grant(&["111122223333", "444455556666"], &["*", "PurgeQueue"]);
        let added = add(Some(&own), &queue(), "l", &grant).unwrap();
        let statement = r#"{"Resource":"*","Action":"sqs:Get*",
        "Effect":"Allow","Principal":"*", "Condition" : {"Bool":{"aws:SecureTransport":true}}}"#;
        assert_eq!(
            added.text(),
            format!(
                r#"{{"Id":"mine","Statement":[{statement},{{"Sid":"l","Effect":"Allow","Principal":{{"AWS":["arn:aws:iam::111122223333:root","arn:aws:iam::444455556666:root"]}},"Action":["SQS:*","SQS:PurgeQueue"],"Resource":"arn:aws:sqs:us-east-1:000000000000:q"}}],"Version":"2012-10-17"}}"#
            )
        );
        let removed = remove(Some(&added), "l").unwrap().unwrap();
        assert_eq!(
            removed.text(),
            format!(r#"{{"Id":"mine","Statement":[{statement}],"Version":"2012-10-17"}}"#)
        );
    }

    #[test]
    fn the_principals_are_in_the_queue_s_partition() {
        let queue = QueueName {
            region: "cn-north-1".into(),
            ..queue()
        };
        let policy = add(None, &queue, "l", &grant(&["111122223333"], &["*"])).unwrap();
        assert!(
            policy
                .text()
                .contains("\"arn:aws-cn:iam::111122223333:root\""),
            "{}",
            policy.text()
        );
    }
}
