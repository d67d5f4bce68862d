//! The settable attributes of a queue: their values, their defaults, and how they are parsed.

use std::collections::BTreeMap;
use std::time::Duration;

use sqs::limits::{self, Limit};
use sqs::{Error, ErrorCode, QueueAttributeName};

use crate::errors;
use crate::policy::Policy;
use crate::queue::fifo_attributes::{FifoAttributes, FifoChange, QueueKind};
use crate::queue::redrive::{RedriveAllowPolicy, RedrivePolicy};

/// What can be set of a queue, checked. All times are in seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueueAttributes {
    delay: u32,
    maximum_message_size: u32,
    retention: u32,
    receive_wait: u32,
    visibility: u32,
    encryption: Encryption,
    /// Shown only while there is a key of KMS.
    kms_reuse: u32,
    redrive: Option<Box<RedrivePolicy>>,
    redrive_allow: Option<Box<RedriveAllowPolicy>>,
    policy: Option<Box<Policy>>,
    fifo: Option<FifoAttributes>,
}

/// How AWS would encrypt the messages. Here nothing is encrypted: it is kept and shown.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Encryption {
    /// By SQS's own keys.
    Sqs,
    /// By a key of KMS.
    Kms { key: Box<str> },
    /// Not at all.
    None,
}

impl Default for QueueAttributes {
    fn default() -> Self {
        let or_zero = |limit: Limit| limit.default().unwrap_or_default();
        Self {
            delay: or_zero(limits::DELAY_SECONDS),
            maximum_message_size: or_zero(limits::MAXIMUM_MESSAGE_SIZE),
            retention: or_zero(limits::MESSAGE_RETENTION_PERIOD),
            receive_wait: or_zero(limits::WAIT_TIME_SECONDS),
            visibility: or_zero(limits::VISIBILITY_TIMEOUT),
            encryption: Encryption::Sqs,
            kms_reuse: or_zero(limits::KMS_DATA_KEY_REUSE_PERIOD_SECONDS),
            redrive: None,
            redrive_allow: None,
            policy: None,
            fifo: None,
        }
    }
}

impl QueueAttributes {
    /// What a queue of this kind has if nothing is said.
    pub(crate) fn of(kind: QueueKind) -> Self {
        Self {
            fifo: match kind {
                QueueKind::Standard => None,
                QueueKind::Fifo => Some(FifoAttributes::default()),
            },
            ..Self::default()
        }
    }

    pub(crate) fn kind(&self) -> QueueKind {
        match self.fifo {
            None => QueueKind::Standard,
            Some(_) => QueueKind::Fifo,
        }
    }

    pub(crate) fn fifo(&self) -> Option<&FifoAttributes> {
        self.fifo.as_ref()
    }

    pub(crate) fn delay(&self) -> Duration {
        seconds(self.delay)
    }

    /// In bytes, a message's attributes counted in.
    pub(crate) fn maximum_message_size(&self) -> usize {
        usize::try_from(self.maximum_message_size).unwrap_or(usize::MAX)
    }

    pub(crate) fn retention(&self) -> Duration {
        seconds(self.retention)
    }

    pub(crate) fn receive_wait(&self) -> Duration {
        seconds(self.receive_wait)
    }

    pub(crate) fn visibility(&self) -> Duration {
        seconds(self.visibility)
    }

    pub(crate) fn redrive(&self) -> Option<&RedrivePolicy> {
        self.redrive.as_deref()
    }

    pub(crate) fn redrive_allow(&self) -> Option<&RedriveAllowPolicy> {
        self.redrive_allow.as_deref()
    }

    /// Who else may use the queue.
    pub(crate) fn policy(&self) -> Option<&Policy> {
        self.policy.as_deref()
    }

    pub(crate) fn set_policy(&mut self, policy: Option<Policy>) {
        self.policy = policy.map(Box::new);
    }

    /// An empty key ends KMS's encryption: its attributes go, and SQS's own encryption does not
    /// come back by itself.
    fn set_kms_key(&mut self, key: &str) {
        if !key.is_empty() {
            self.encryption = Encryption::Kms { key: key.into() };
        } else if self.encryption != Encryption::Sqs {
            self.encryption = Encryption::None;
            self.kms_reuse = Self::default().kms_reuse;
        }
    }

    /// All of them, as a request could set them: for a snapshot.
    pub(crate) fn image(&self) -> BTreeMap<String, String> {
        let reuse = QueueAttributeName::KmsDataKeyReusePeriodSeconds;
        let hidden = (reuse, self.kms_reuse.to_string());
        let all = std::iter::once(hidden).chain(self.shown());
        all.map(|(name, value)| (name.name().to_owned(), value))
            .collect()
    }

    /// What a snapshot has of them.
    ///
    /// # Errors
    ///
    /// As for a request that sets them.
    pub(crate) fn restore(
        image: &BTreeMap<String, String>,
        kind: QueueKind,
    ) -> Result<Self, Error> {
        Changes::parse(image, kind)?.applied(&Self::of(kind))
    }

    /// Those of the settable attributes that a listing of all shows.
    pub(crate) fn shown(&self) -> Vec<(QueueAttributeName, String)> {
        use QueueAttributeName as Name;
        let mut shown = vec![
            (Name::DelaySeconds, self.delay.to_string()),
            (
                Name::MaximumMessageSize,
                self.maximum_message_size.to_string(),
            ),
            (Name::MessageRetentionPeriod, self.retention.to_string()),
            (
                Name::ReceiveMessageWaitTimeSeconds,
                self.receive_wait.to_string(),
            ),
            (Name::VisibilityTimeout, self.visibility.to_string()),
            (
                Name::SqsManagedSseEnabled,
                (self.encryption == Encryption::Sqs).to_string(),
            ),
        ];
        if let Encryption::Kms { key } = &self.encryption {
            shown.push((Name::KmsMasterKeyId, key.to_string()));
            shown.push((
                Name::KmsDataKeyReusePeriodSeconds,
                self.kms_reuse.to_string(),
            ));
        }
        if let Some(policy) = &self.redrive {
            shown.push((Name::RedrivePolicy, policy.to_json()));
        }
        if let Some(policy) = &self.redrive_allow {
            shown.push((Name::RedriveAllowPolicy, policy.to_json()));
        }
        if let Some(policy) = self.policy() {
            shown.push((Name::Policy, policy.text().to_owned()));
        }
        shown.extend(self.fifo.iter().flat_map(FifoAttributes::shown));
        shown
    }
}

/// Attributes as a request gives them, checked as a whole: either all of them are good or none is
/// applied.
#[derive(Debug)]
pub(crate) struct Changes(Vec<Change>);

#[derive(Debug, PartialEq, Eq)]
enum Change {
    Delay(u32),
    Fifo(FifoChange),
    KmsKey(Box<str>),
    KmsReuse(u32),
    ManagedSse(bool),
    MaximumMessageSize(u32),
    /// `None` removes it.
    Policy(Option<Policy>),
    ReceiveWait(u32),
    Redrive(Option<Box<RedrivePolicy>>),
    RedriveAllow(Option<Box<RedriveAllowPolicy>>),
    Retention(u32),
    Visibility(u32),
}

impl Changes {
    /// Parses the attributes of a queue, in the order of their names.
    ///
    /// # Errors
    ///
    /// `InvalidAttributeName` for a name that is unknown, read-only, or not this kind of queue's;
    /// `InvalidAttributeValue` for a value that is malformed or out of range;
    /// `OverLimit` for a policy that is too large.
    pub(crate) fn parse(
        attributes: &BTreeMap<String, String>,
        kind: QueueKind,
    ) -> Result<Self, Error> {
        let changes: Result<Vec<_>, _> = attributes
            .iter()
            .map(|(name, value)| Change::parse(name, value, kind))
            .collect();
        let changes = changes?;
        let has_key = |change: &Change| matches!(change, Change::KmsKey(key) if !key.is_empty());
        if changes.iter().any(has_key) && changes.contains(&Change::ManagedSse(true)) {
            let message = "You can use one type of server-side encryption (SSE) at one time. \
                           You can either enable KMS SSE or SQS SSE.";
            return Err(Error::new(ErrorCode::InvalidAttributeName, message));
        }
        Ok(Self(changes))
    }

    /// What the attributes are with them.
    ///
    /// They are applied in order, but first who encrypts, then with what, so that a reuse period
    /// finds its key.
    ///
    /// # Errors
    ///
    /// `InvalidAttributeValue` if the values, each good by itself, do not go together.
    pub(crate) fn applied(&self, attributes: &QueueAttributes) -> Result<QueueAttributes, Error> {
        let mut attributes = attributes.clone();
        let (encryption, others): (Vec<_>, Vec<_>) = self
            .0
            .iter()
            .partition(|change| matches!(change, Change::KmsKey(_) | Change::ManagedSse(_)));
        for change in encryption.into_iter().chain(others) {
            change.apply(&mut attributes);
        }
        attributes.fifo.iter().try_for_each(FifoAttributes::check)?;
        Ok(attributes)
    }

    /// The first attribute whose value would change.
    pub(crate) fn first_difference(
        &self,
        attributes: &QueueAttributes,
    ) -> Option<QueueAttributeName> {
        self.0
            .iter()
            .find_map(|change| change.difference(attributes))
    }
}

impl Change {
    fn parse(name: &str, value: &str, kind: QueueKind) -> Result<Self, Error> {
        use QueueAttributeName as Name;
        let unknown = || errors::unknown_attribute(name);
        let attribute = Name::from_name(name).ok_or_else(unknown)?;
        let is_fifo = kind == QueueKind::Fifo;
        let number = |limit: Limit| number(attribute, limit, value);
        match attribute {
            Name::ContentBasedDeduplication if is_fifo => {
                FifoChange::content_based(value).map(Self::Fifo)
            }
            Name::DeduplicationScope if is_fifo => FifoChange::scope(value).map(Self::Fifo),
            Name::FifoQueue if is_fifo => FifoChange::kind(value).map(Self::Fifo),
            Name::FifoThroughputLimit if is_fifo => FifoChange::throughput(value).map(Self::Fifo),
            Name::DelaySeconds => Ok(Self::Delay(number(limits::DELAY_SECONDS)?)),
            Name::KmsDataKeyReusePeriodSeconds => Ok(Self::KmsReuse(number(
                limits::KMS_DATA_KEY_REUSE_PERIOD_SECONDS,
            )?)),
            // An empty one ends the encryption by a key of KMS.
            Name::KmsMasterKeyId
                if value.is_empty()
                    || limits::KMS_MASTER_KEY_ID_LENGTH.contains(value.chars().count()) =>
            {
                Ok(Self::KmsKey(value.into()))
            }
            Name::KmsMasterKeyId => Err(errors::invalid_attribute(name)),
            Name::MaximumMessageSize => Ok(Self::MaximumMessageSize(number(
                limits::MAXIMUM_MESSAGE_SIZE,
            )?)),
            Name::MessageRetentionPeriod => {
                Ok(Self::Retention(number(limits::MESSAGE_RETENTION_PERIOD)?))
            }
            Name::ReceiveMessageWaitTimeSeconds => {
                Ok(Self::ReceiveWait(number(limits::WAIT_TIME_SECONDS)?))
            }
            Name::VisibilityTimeout => Ok(Self::Visibility(number(limits::VISIBILITY_TIMEOUT)?)),
            Name::SqsManagedSseEnabled => boolean(attribute, value).map(Self::ManagedSse),
            Name::RedriveAllowPolicy => RedriveAllowPolicy::parse(value)
                .map(|policy| Self::RedriveAllow(policy.map(Box::new))),
            Name::RedrivePolicy => {
                RedrivePolicy::parse(value).map(|policy| Self::Redrive(policy.map(Box::new)))
            }
            Name::Policy if value.is_empty() => Ok(Self::Policy(None)),
            Name::Policy => Ok(Self::Policy(Some(Policy::parse(value)?))),
            Name::DeduplicationScope | Name::FifoThroughputLimit => {
                let message =
                    format!("You can specify the {name} only when FifoQueue is set to true.");
                Err(Error::new(ErrorCode::InvalidAttributeName, message))
            }
            Name::All
            | Name::ApproximateNumberOfMessages
            | Name::ApproximateNumberOfMessagesDelayed
            | Name::ApproximateNumberOfMessagesNotVisible
            | Name::ContentBasedDeduplication
            | Name::CreatedTimestamp
            | Name::FifoQueue
            | Name::LastModifiedTimestamp
            | Name::QueueArn => Err(unknown()),
        }
    }

    fn apply(&self, attributes: &mut QueueAttributes) {
        match self {
            Self::Delay(given) => attributes.delay = *given,
            Self::MaximumMessageSize(given) => attributes.maximum_message_size = *given,
            Self::Policy(given) => attributes.set_policy(given.clone()),
            Self::ReceiveWait(given) => attributes.receive_wait = *given,
            Self::Retention(given) => attributes.retention = *given,
            Self::Visibility(given) => attributes.visibility = *given,
            Self::KmsKey(key) => attributes.set_kms_key(key),
            Self::KmsReuse(given) => attributes.kms_reuse = *given,
            Self::Redrive(policy) => attributes.redrive.clone_from(policy),
            Self::RedriveAllow(policy) => attributes.redrive_allow.clone_from(policy),
            Self::ManagedSse(true) => {
                attributes.set_kms_key("");
                attributes.encryption = Encryption::Sqs;
            }
            Self::ManagedSse(false) => {
                if attributes.encryption == Encryption::Sqs {
                    attributes.encryption = Encryption::None;
                }
            }
            Self::Fifo(change) => {
                if let Some(fifo) = &mut attributes.fifo {
                    change.apply(fifo);
                }
            }
        }
    }

    fn difference(&self, now: &QueueAttributes) -> Option<QueueAttributeName> {
        use QueueAttributeName as Name;
        let (name, same) = match self {
            Self::Fifo(change) => return change.difference(&now.fifo.unwrap_or_default()),
            Self::Delay(given) => (Name::DelaySeconds, now.delay == *given),
            Self::MaximumMessageSize(given) => {
                (Name::MaximumMessageSize, now.maximum_message_size == *given)
            }
            Self::Policy(given) => (
                Name::Policy,
                match (given, now.policy()) {
                    (Some(given), Some(now)) => given.is_same(now),
                    (None, None) => true,
                    (Some(_), None) | (None, Some(_)) => false,
                },
            ),
            Self::ReceiveWait(given) => (
                Name::ReceiveMessageWaitTimeSeconds,
                now.receive_wait == *given,
            ),
            Self::Retention(given) => (Name::MessageRetentionPeriod, now.retention == *given),
            Self::Visibility(given) => (Name::VisibilityTimeout, now.visibility == *given),
            Self::KmsKey(given) => (Name::KmsMasterKeyId, now.encryption.key() == given.as_ref()),
            Self::KmsReuse(given) => (Name::KmsDataKeyReusePeriodSeconds, now.kms_reuse == *given),
            Self::ManagedSse(given) => (
                Name::SqsManagedSseEnabled,
                (now.encryption == Encryption::Sqs) == *given,
            ),
            Self::Redrive(given) => (Name::RedrivePolicy, now.redrive == *given),
            Self::RedriveAllow(given) => (Name::RedriveAllowPolicy, now.redrive_allow == *given),
        };
        (!same).then_some(name)
    }
}

impl Encryption {
    fn key(&self) -> &str {
        match self {
            Self::Kms { key } => key,
            Self::Sqs | Self::None => "",
        }
    }
}

/// Whole decimal numbers only: no sign, no blanks.
fn number(name: QueueAttributeName, limit: Limit, value: &str) -> Result<u32, Error> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    value
        .parse()
        .ok()
        .filter(|number: &u32| digits && limit.contains(*number))
        .ok_or_else(|| errors::invalid_attribute(name.name()))
}

/// AWS takes `True` as well and gives back `true`.
pub(crate) fn boolean(name: QueueAttributeName, value: &str) -> Result<bool, Error> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(errors::invalid_attribute(name.name())),
    }
}

fn seconds(count: u32) -> Duration {
    Duration::from_secs(u64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<Changes, Error> {
        let map = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Changes::parse(&map.collect(), QueueKind::Standard)
    }

    fn after(start: &QueueAttributes, pairs: &[(&str, &str)]) -> QueueAttributes {
        parse(pairs).unwrap().applied(start).unwrap()
    }

    fn value(attributes: &QueueAttributes, name: QueueAttributeName) -> Option<String> {
        attributes
            .shown()
            .into_iter()
            .find_map(|(shown, value)| (shown == name).then_some(value))
    }

    #[test]
    fn every_number_keeps_to_its_range() {
        for (name, limit) in [
            ("DelaySeconds", limits::DELAY_SECONDS),
            (
                "KmsDataKeyReusePeriodSeconds",
                limits::KMS_DATA_KEY_REUSE_PERIOD_SECONDS,
            ),
            ("MaximumMessageSize", limits::MAXIMUM_MESSAGE_SIZE),
            ("MessageRetentionPeriod", limits::MESSAGE_RETENTION_PERIOD),
            ("ReceiveMessageWaitTimeSeconds", limits::WAIT_TIME_SECONDS),
            ("VisibilityTimeout", limits::VISIBILITY_TIMEOUT),
        ] {
            assert!(parse(&[(name, &limit.min().to_string())]).is_ok(), "{name}");
            assert!(parse(&[(name, &limit.max().to_string())]).is_ok(), "{name}");
            let below = (i64::from(limit.min()) - 1).to_string();
            let above = (i64::from(limit.max()) + 1).to_string();
            for bad in [
                &below, &above, "", " 60", "60 ", "+60", "60.0", "6e1", "١٢٣", "abc",
            ] {
                let error = parse(&[(name, bad)]).expect_err(bad);
                assert_eq!(
                    error.code(),
                    ErrorCode::InvalidAttributeValue,
                    "{name} {bad}"
                );
                assert_eq!(
                    error.message(),
                    format!("Invalid value for the parameter {name}.")
                );
            }
        }
    }

    #[test]
    fn names_that_cannot_be_set_are_unknown() {
        for name in [
            "Bogus",
            "",
            "All",
            "QueueArn",
            "CreatedTimestamp",
            "LastModifiedTimestamp",
            "FifoQueue",
            "ApproximateNumberOfMessages",
            "ContentBasedDeduplication",
            "delayseconds",
        ] {
            let error = parse(&[(name, "true")]).expect_err(name);
            assert_eq!(error.code(), ErrorCode::InvalidAttributeName, "{name}");
            assert_eq!(error.message(), format!("Unknown Attribute {name}."));
        }
        let error = parse(&[("DeduplicationScope", "queue")]).expect_err("a FIFO queue's");
        assert_eq!(
            error.message(),
            "You can specify the DeduplicationScope only when FifoQueue is set to true."
        );
    }

    #[test]
    fn a_kms_key_turns_sqs_encryption_off_and_its_removal_does_not_turn_it_on() {
        use QueueAttributeName as Name;
        let fresh = QueueAttributes::default();
        assert_eq!(
            value(&fresh, Name::SqsManagedSseEnabled).as_deref(),
            Some("true")
        );

        let with_key = after(
            &fresh,
            &[
                ("KmsMasterKeyId", "alias/x"),
                ("KmsDataKeyReusePeriodSeconds", "60"),
            ],
        );
        assert_eq!(
            value(&with_key, Name::SqsManagedSseEnabled).as_deref(),
            Some("false")
        );
        assert_eq!(
            value(&with_key, Name::KmsMasterKeyId).as_deref(),
            Some("alias/x")
        );
        assert_eq!(
            value(&with_key, Name::KmsDataKeyReusePeriodSeconds).as_deref(),
            Some("60")
        );

        let removed = after(
            &with_key,
            &[
                ("KmsMasterKeyId", ""),
                ("KmsDataKeyReusePeriodSeconds", "300"),
            ],
        );
        assert_eq!(
            value(&removed, Name::SqsManagedSseEnabled).as_deref(),
            Some("false")
        );
        assert_eq!(value(&removed, Name::KmsMasterKeyId), None);
        assert_eq!(value(&removed, Name::KmsDataKeyReusePeriodSeconds), None);

        let switched = after(&with_key, &[("SqsManagedSseEnabled", "True")]);
        assert_eq!(switched, fresh);
    }

    #[test]
    fn both_kinds_of_encryption_at_once_are_refused() {
        let both = [
            ("KmsMasterKeyId", "alias/x"),
            ("SqsManagedSseEnabled", "true"),
        ];
        let error = parse(&both).expect_err("both");
        assert_eq!(error.code(), ErrorCode::InvalidAttributeName);
        assert!(parse(&[("KmsMasterKeyId", ""), ("SqsManagedSseEnabled", "true")]).is_ok());
    }

    #[test]
    fn the_first_difference_is_by_value_not_by_text() {
        let fresh = QueueAttributes::default();
        let changes = parse(&[("DelaySeconds", "000"), ("VisibilityTimeout", "31")]).unwrap();
        assert_eq!(
            changes.first_difference(&fresh),
            Some(QueueAttributeName::VisibilityTimeout)
        );
        let same = parse(&[("SqsManagedSseEnabled", "TRUE"), ("Policy", "")]).unwrap();
        assert_eq!(same.first_difference(&fresh), None);
    }
}
