//! A queue's policy: who else may do what there.
//!
//! The language is IAM's, as far as a queue's policy can use it here:
//!
//! * An access key stands for an account. So a statement that allows a user or a role of an account
//!   allows the account's keys; one that denies only some user or role of it denies nobody here,
//!   and only one that means the whole account does.
//! * `*` as the principal means every caller. There are no anonymous ones: each is signed.
//! * `NotPrincipal` spares an account of which it names anything. Together with `Allow` it allows
//!   nobody, since IAM does not support that.
//! * A statement with a condition is kept and shown, and never matches, whether it allows or
//!   denies: what conditions ask for (networks, TLS, organizations, the ARN of a topic) does not
//!   exist here, and a `Deny` without TLS, which very many policies have, would lock everybody out.
//! * Policy variables such as `${aws:username}` are not filled in.
//!
//! Sources: IAM's [elements reference] and [evaluation logic].
//!
//! [elements reference]: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html
//! [evaluation logic]: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html

pub(crate) mod edit;
mod parse;
mod wildcard;

use sqs::Error;

/// A policy that was set: its text as it was given, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    text: Box<str>,
    statements: Vec<Statement>,
}

/// What a policy says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Allowed,
    Denied,
    /// Neither is said.
    Unmentioned,
}

/// A call, in the words of policies.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The caller's account.
    pub(crate) account: &'a str,
    /// `sqs:SendMessage`.
    pub(crate) action: &'a str,
    /// The queue's ARN.
    pub(crate) resource: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Statement {
    sid: Option<Box<str>>,
    effect: Effect,
    principals: Listed<Principal>,
    actions: Listed<Box<str>>,
    resources: Listed<Box<str>>,
    /// How many condition keys it has.
    conditions: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Allow,
    Deny,
}

/// What an element lists, or all that its `Not…` form does not list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Listed<T> {
    Only(Vec<T>),
    AllBut(Vec<T>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Principal {
    Everyone,
    /// A whole account, by its id.
    Account(Box<str>),
    /// A user, role or session of this account.
    Identity {
        account: Box<str>,
    },
    /// A service, an identity provider, a deleted identity: nobody who could call here.
    Other,
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    ///
    /// `InvalidAttributeValue` for what is not a policy of a queue, `OverLimit` for one that is too
    /// long or has too much of something.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        parse::policy(text)
    }

    /// The text, as it was given.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether both say the same in the same words; blanks and the order of members do not count.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let value = |policy: &Self| serde_json::from_str::<serde_json::Value>(&policy.text).ok();
        self.text == other.text || value(self) == value(other)
    }

    /// What it says of a call: a denial wins over everything.
    pub(crate) fn judge(&self, call: Call<'_>) -> Verdict {
        let says = |effect| {
            self.statements
                .iter()
                .any(|statement| statement.effect == effect && statement.matches(call))
        };
        if says(Effect::Deny) {
            Verdict::Denied
        } else if says(Effect::Allow) {
            Verdict::Allowed
        } else {
            Verdict::Unmentioned
        }
    }

    fn sids(&self) -> impl Iterator<Item = &str> {
        self.statements
            .iter()
            .filter_map(|statement| statement.sid.as_deref())
    }
}

impl Statement {
    fn matches(&self, call: Call<'_>) -> bool {
        let action =
            |pattern: &str| wildcard::fits(pattern, call.action, |a, b| a.eq_ignore_ascii_case(&b));
        let resource = |pattern: &str| wildcard::fits(pattern, call.resource, |a, b| a == b);
        self.conditions == 0
            && self.concerns(call.account)
            && self.actions.takes(|pattern| action(pattern))
            && self.resources.takes(|pattern| resource(pattern))
    }

    /// Whether it is about the keys of this account.
    fn concerns(&self, account: &str) -> bool {
        match (&self.principals, self.effect) {
            (Listed::Only(list), Effect::Allow) => list.iter().any(|one| one.is_of(account)),
            (Listed::Only(list), Effect::Deny) => list.iter().any(|one| one.is_all_of(account)),
            (Listed::AllBut(list), Effect::Deny) => !list.iter().any(|one| one.is_of(account)),
            (Listed::AllBut(_), Effect::Allow) => false,
        }
    }
}

impl Principal {
    /// Whether it is somebody of this account.
    fn is_of(&self, caller: &str) -> bool {
        match self {
            Self::Everyone => true,
            Self::Account(account) | Self::Identity { account } => account.as_ref() == caller,
            Self::Other => false,
        }
    }

    /// Whether it is everybody of this account.
    fn is_all_of(&self, caller: &str) -> bool {
        match self {
            Self::Everyone => true,
            Self::Account(account) => account.as_ref() == caller,
            Self::Identity { .. } | Self::Other => false,
        }
    }
}

impl<T> Listed<T> {
    fn items(&self) -> &[T] {
        match self {
            Self::Only(list) | Self::AllBut(list) => list,
        }
    }

    fn takes(&self, is_it: impl Fn(&T) -> bool) -> bool {
        match self {
            Self::Only(list) => list.iter().any(is_it),
            Self::AllBut(list) => !list.iter().any(is_it),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const CALLER: &str = "111122223333";
    const QUEUE: &str = "arn:aws:sqs:us-east-1:000000000000:orders";

    fn judge(statements: &Value, action: &str) -> Verdict {
        let text = json!({ "Version": "2012-10-17", "Statement": statements }).to_string();
        let policy = Policy::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        policy.judge(Call {
            account: CALLER,
            action,
            resource: QUEUE,
        })
    }

    /// A statement that allows everything to everyone but for what is given here.
    fn statement(different: &[(&str, Value)]) -> Value {
        let mut statement = json!({
            "Effect": "Allow", "Principal": "*", "Action": "sqs:*", "Resource": "*",
        });
        for (name, value) in different {
            if let Some(usual) = name.strip_prefix("Not") {
                statement.as_object_mut().unwrap().remove(usual);
            }
            statement[name] = value.clone();
        }
        statement
    }

    fn verdict(different: &[(&str, Value)]) -> Verdict {
        judge(&statement(different), "sqs:SendMessage")
    }

    #[test]
    fn who_is_allowed() {
        for principal in [
            json!("*"),
            json!({ "AWS": "*" }),
            json!({ "AWS": CALLER }),
            json!({ "AWS": ["999999999999", CALLER] }),
            json!({ "AWS": "arn:aws:iam::111122223333:root" }),
            json!({ "AWS": "arn:aws:iam::111122223333:user/team/bob" }),
            json!({ "AWS": "arn:aws:iam::111122223333:role/consumer" }),
            json!({ "AWS": "arn:aws:sts::111122223333:assumed-role/consumer/session" }),
            json!({ "Service": "sns.amazonaws.com", "AWS": CALLER }),
        ] {
            let given = verdict(&[("Principal", principal.clone())]);
            assert_eq!(given, Verdict::Allowed, "{principal}");
        }
        for principal in [
            json!({ "AWS": "999999999999" }),
            json!({ "AWS": "arn:aws:iam::999999999999:root" }),
            json!({ "AWS": "AIDAEXAMPLEEXAMPLE" }),
            json!({ "Service": "sns.amazonaws.com" }),
            json!({ "Service": "*" }),
            json!({ "Federated": "cognito-identity.amazonaws.com" }),
        ] {
            let given = verdict(&[("Principal", principal.clone())]);
            assert_eq!(given, Verdict::Unmentioned, "{principal}");
        }
    }

    #[test]
    fn who_is_denied() {
        let deny = ("Effect", json!("Deny"));
        for principal in [
            json!("*"),
            json!({ "AWS": CALLER }),
            json!({ "AWS": "arn:aws:iam::111122223333:root" }),
        ] {
            let given = verdict(&[deny.clone(), ("Principal", principal.clone())]);
            assert_eq!(given, Verdict::Denied, "{principal}");
        }
        for principal in [
            json!({ "AWS": "999999999999" }),
            json!({ "AWS": "arn:aws:iam::111122223333:user/bob" }),
        ] {
            let given = verdict(&[deny.clone(), ("Principal", principal.clone())]);
            assert_eq!(given, Verdict::Unmentioned, "{principal}");
        }
    }

    #[test]
    fn not_principal_spares_whom_it_names_and_allows_nobody() {
        let deny = ("Effect", json!("Deny"));
        let others = ("NotPrincipal", json!({ "AWS": "999999999999" }));
        assert_eq!(verdict(&[deny.clone(), others.clone()]), Verdict::Denied);
        for spared in [
            json!({ "AWS": CALLER }),
            json!({ "AWS": "arn:aws:iam::111122223333:user/bob" }),
            json!("*"),
        ] {
            let given = verdict(&[deny.clone(), ("NotPrincipal", spared.clone())]);
            assert_eq!(given, Verdict::Unmentioned, "{spared}");
        }
        assert_eq!(verdict(&[others]), Verdict::Unmentioned);
    }

    #[test]
    fn actions_have_wildcards_and_no_case() {
        for action in [
            json!("*"),
            json!("sqs:*"),
            json!("SQS:SendMessage"),
            json!("Sqs:sendmessage"),
            json!("sqs:Send*"),
            json!("sqs:S?ndMessage"),
            json!(["sqs:ReceiveMessage", "sqs:SendMessage"]),
        ] {
            let given = verdict(&[("Action", action.clone())]);
            assert_eq!(given, Verdict::Allowed, "{action}");
        }
        for action in [
            json!("sqs:ReceiveMessage"),
            json!("sns:*"),
            json!("sqs:SendMessageBatch"),
            json!("sqs:Send"),
        ] {
            let given = verdict(&[("Action", action.clone())]);
            assert_eq!(given, Verdict::Unmentioned, "{action}");
        }
        let others = verdict(&[("NotAction", json!("sqs:Receive*"))]);
        assert_eq!(others, Verdict::Allowed);
        let this = verdict(&[("NotAction", json!(["sqs:DeleteMessage", "sqs:send*"]))]);
        assert_eq!(this, Verdict::Unmentioned);
    }

    #[test]
    fn resources_have_wildcards_and_case() {
        for resource in [
            json!("*"),
            json!(QUEUE),
            json!("arn:aws:sqs:*:*:orders"),
            json!(["arn:aws:sqs:us-east-1:000000000000:others", QUEUE]),
        ] {
            let given = verdict(&[("Resource", resource.clone())]);
            assert_eq!(given, Verdict::Allowed, "{resource}");
        }
        for resource in [
            json!("arn:aws:sqs:us-east-1:000000000000:Orders"),
            json!("arn:aws:sqs:us-east-1:000000000000:order"),
            json!("arn:aws:sqs:us-east-1:000000000000:${aws:username}"),
        ] {
            let given = verdict(&[("Resource", resource.clone())]);
            assert_eq!(given, Verdict::Unmentioned, "{resource}");
        }
        let others = json!("arn:aws:sqs:*:*:others");
        assert_eq!(verdict(&[("NotResource", others)]), Verdict::Allowed);
        assert_eq!(
            verdict(&[("NotResource", json!(QUEUE))]),
            Verdict::Unmentioned
        );
    }

    #[test]
    fn a_denial_wins_wherever_it_stands() {
        let allow = statement(&[]);
        let deny = statement(&[
            ("Effect", json!("Deny")),
            ("Action", json!("sqs:SendMessage")),
        ]);
        for statements in [json!([allow, deny]), json!([deny, allow])] {
            assert_eq!(judge(&statements, "sqs:SendMessage"), Verdict::Denied);
            assert_eq!(judge(&statements, "sqs:ReceiveMessage"), Verdict::Allowed);
        }
    }

    #[test]
    fn a_statement_with_a_condition_never_matches() {
        let condition = json!({ "Bool": { "aws:SecureTransport": "false" } });
        let condition = ("Condition", condition);
        assert_eq!(
            verdict(std::slice::from_ref(&condition)),
            Verdict::Unmentioned
        );
        assert_eq!(
            verdict(&[("Effect", json!("Deny")), condition]),
            Verdict::Unmentioned
        );
        assert_eq!(verdict(&[("Condition", json!({}))]), Verdict::Allowed);
    }
}
