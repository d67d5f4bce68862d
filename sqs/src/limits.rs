//! SQS's limits, one row each: the range, the unit, the default, and where AWS says so.
//!
//! Sources: the pages on [message], [queue] and [policy] quotas of the developer guide, and the
//! operations' pages of the API reference.
//!
//! [message]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
//! [queue]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html
//! [policy]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html

use std::fmt;
use std::ops::RangeInclusive;

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Bytes, of UTF-8 where it is text.
    Bytes,
    /// Characters.
    Characters,
    /// Decimal digits.
    Digits,
    /// Things: entries, messages, tags.
    Items,
    /// Messages in a second.
    MessagesPerSecond,
    /// Times that a message was received.
    Receives,
    /// Seconds.
    Seconds,
}

impl fmt::Display for Unit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Unit::Bytes => "bytes",
            Unit::Characters => "characters",
            Unit::Digits => "digits",
            Unit::Items => "items",
            Unit::MessagesPerSecond => "messages per second",
            Unit::Receives => "receives",
            Unit::Seconds => "seconds",
        })
    }
}

/// A range that SQS holds a number to, both ends allowed.
///
/// ```
/// use sqs::limits::{DELAY_SECONDS, MESSAGE_SIZE};
///
/// assert!(DELAY_SECONDS.contains(900));
/// assert!(!DELAY_SECONDS.contains(-1));
/// assert!(!MESSAGE_SIZE.contains("".len()));
/// assert_eq!(DELAY_SECONDS.to_string(), "DelaySeconds: 0 to 900 seconds, 0 by default");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    name: &'static str,
    min: u32,
    max: u32,
    unit: Unit,
    default: Option<u32>,
}

impl Limit {
    /// What is limited: AWS's name of the parameter or attribute where it has one.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The smallest value allowed.
    #[must_use]
    pub const fn min(&self) -> u32 {
        self.min
    }

    /// The largest value allowed.
    #[must_use]
    pub const fn max(&self) -> u32 {
        self.max
    }

    /// What the numbers count.
    #[must_use]
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// The value when none is given; none where there is no such value.
    #[must_use]
    pub const fn default(&self) -> Option<u32> {
        self.default
    }

    /// Whether a value is allowed. Takes any integer, so a negative one or one too large for the
    /// range's own type is simply not.
    #[must_use]
    pub fn contains(&self, value: impl TryInto<u32>) -> bool {
        value
            .try_into()
            .is_ok_and(|value| (self.min..=self.max).contains(&value))
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}: {} to {} {}",
            self.name, self.min, self.max, self.unit
        )?;
        match self.default {
            Some(default) => write!(formatter, ", {default} by default"),
            None => Ok(()),
        }
    }
}

/// Writes a constant for each limit, and the list of them all.
///
/// A row is: constant, AWS's name, range, unit, default, and the page of AWS's that says so.
macro_rules! limits {
    ($(
        $(#[$doc:meta])*
        $constant:ident $name:literal $min:literal..=$max:literal $unit:ident $default:expr,
            $book:ident $page:literal;
    )+) => {
        $(
            $(#[$doc])*
            #[doc = concat!("\n\n[", $page, "](", limits!(@$book), $page, ".html)")]
            pub const $constant: Limit = limit($name, $min..=$max, Unit::$unit, $default);
        )+

        /// Every limit of this module that is a range.
        pub const ALL: &[Limit] = &[$($constant),+];
    };
    (@api) => {
        "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_"
    };
    (@kms) => {
        "https://docs.aws.amazon.com/kms/latest/APIReference/API_"
    };
    (@guide) => {
        "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/"
    };
    (@tags) => {
        "https://docs.aws.amazon.com/tag-editor/latest/userguide/"
    };
}

const fn limit(
    name: &'static str,
    range: RangeInclusive<u32>,
    unit: Unit,
    default: Option<u32>,
) -> Limit {
    Limit {
        name,
        min: *range.start(),
        max: *range.end(),
        unit,
        default,
    }
}

limits! {
    // Numbers in requests and attributes.

    /// How long a message stays hidden after its send, per message and as a queue's attribute: at
    /// most 15 minutes.
    DELAY_SECONDS "DelaySeconds" 0..=900 Seconds Some(0), api "SendMessage";
    /// How long a received message stays hidden, per receive and as a queue's attribute: at most 12
    /// hours, which is also the most that all changes of one receive may add up to.
    VISIBILITY_TIMEOUT "VisibilityTimeout" 0..=43_200 Seconds Some(30),
        guide "sqs-visibility-timeout";
    /// How long a receive waits for a message; the queue's attribute is called
    /// `ReceiveMessageWaitTimeSeconds`.
    WAIT_TIME_SECONDS "WaitTimeSeconds" 0..=20 Seconds Some(0), guide "sqs-short-and-long-polling";
    /// How many messages a receive may give.
    MAX_NUMBER_OF_MESSAGES "MaxNumberOfMessages" 1..=10 Items Some(1), api "ReceiveMessage";
    /// How long a queue keeps a message: a minute to 14 days, 4 days by default.
    MESSAGE_RETENTION_PERIOD "MessageRetentionPeriod" 60..=1_209_600 Seconds Some(345_600),
        api "SetQueueAttributes";
    /// The attribute that bounds the size of a queue's messages: 1 KiB to 1 MiB.
    MAXIMUM_MESSAGE_SIZE "MaximumMessageSize" 1_024..=1_048_576 Bytes Some(1_048_576),
        api "SetQueueAttributes";
    /// How long SQS may use one data key before it asks KMS for the next: a minute to a day.
    KMS_DATA_KEY_REUSE_PERIOD_SECONDS "KmsDataKeyReusePeriodSeconds" 60..=86_400 Seconds Some(300),
        api "SetQueueAttributes";
    /// How long the id, ARN or alias of a key of KMS is.
    KMS_MASTER_KEY_ID_LENGTH "KmsMasterKeyId" 1..=2_048 Characters None, kms "DescribeKey";
    /// How often a message is received before it goes to the dead-letter queue. A RedrivePolicy
    /// must say it.
    MAX_RECEIVE_COUNT "maxReceiveCount" 1..=1_000 Receives None, guide "sqs-dead-letter-queues";
    /// How many source queues a RedriveAllowPolicy names under `byQueue`.
    REDRIVE_SOURCE_QUEUES "sourceQueueArns" 1..=10 Items None, api "SetQueueAttributes";
    /// How many URLs ListQueues and ListDeadLetterSourceQueues give at once.
    LIST_QUEUES_RESULTS "MaxResults" 1..=1_000 Items Some(1_000), api "ListQueues";
    /// How many tasks ListMessageMoveTasks gives.
    LIST_MOVE_TASKS_RESULTS "MaxResults" 1..=10 Items Some(1), api "ListMessageMoveTasks";
    /// How fast a move task may go, when a rate is given.
    MOVE_TASK_RATE "MaxNumberOfMessagesPerSecond" 1..=500 MessagesPerSecond None,
        api "StartMessageMoveTask";

    // Sizes and counts.

    /// The size of a message: its body's UTF-8 bytes, and the name, data type and value of each of
    /// its attributes. At most 1 MiB, since August 2025; it was 256 KiB before.
    MESSAGE_SIZE "message size" 1..=1_048_576 Bytes None, guide "quotas-messages";
    /// The size of all messages of a batch together, whatever the queue's `MaximumMessageSize`.
    BATCH_SIZE "batch size" 1..=1_048_576 Bytes None, api "SendMessageBatch";
    /// How many entries a batch has.
    BATCH_ENTRIES "Entries" 1..=10 Items None, api "SendMessageBatch";
    /// How many attributes of its sender's a message carries.
    MESSAGE_ATTRIBUTES "MessageAttributes" 0..=10 Items None, guide "sqs-message-metadata";
    /// How long a message attribute's name is.
    MESSAGE_ATTRIBUTE_NAME_LENGTH "message attribute name" 1..=256 Characters None,
        guide "sqs-message-metadata";
    /// How long a message attribute's data type is, its label included.
    MESSAGE_ATTRIBUTE_TYPE_LENGTH "message attribute data type" 1..=256 Bytes None,
        guide "sqs-message-metadata";
    /// How many significant digits a message attribute of the type Number has.
    NUMBER_DIGITS "Number" 1..=38 Digits None, guide "sqs-message-metadata";
    /// How many tags a queue has. AWS advises against more.
    TAGS "Tags" 0..=50 Items None, guide "sqs-queue-tags";
    /// How long a tag's key is.
    TAG_KEY_LENGTH "tag key" 1..=128 Characters None, tags "best-practices-and-strats";
    /// How long a tag's value is; it may be empty.
    TAG_VALUE_LENGTH "tag value" 0..=256 Characters None, tags "best-practices-and-strats";
    /// How long a queue's policy is.
    POLICY_SIZE "Policy" 1..=8_192 Bytes None, guide "quotas-policies";
    /// How many statements a queue's policy has.
    POLICY_STATEMENTS "policy statements" 1..=20 Items None, guide "quotas-policies";
    /// How many principals a queue's policy names.
    POLICY_PRINCIPALS "policy principals" 1..=50 Items None, guide "quotas-policies";
    /// How many conditions a queue's policy has.
    POLICY_CONDITIONS "policy conditions" 0..=10 Items None, guide "quotas-policies";
    /// How many actions one statement names.
    ACTIONS_PER_STATEMENT "Actions" 1..=7 Items None, guide "quotas-policies";

    // Identifiers.

    /// How long a queue's name is, a FIFO queue's `.fifo` counted in.
    QUEUE_NAME_LENGTH "QueueName" 1..=80 Characters None, api "CreateQueue";
    /// How long a batch entry's id is.
    BATCH_ENTRY_ID_LENGTH "Id" 1..=80 Characters None, api "SendMessageBatchRequestEntry";
    /// How long a statement's label is.
    LABEL_LENGTH "Label" 1..=80 Characters None, api "AddPermission";
    /// How long a `MessageGroupId`, a `MessageDeduplicationId` or a `ReceiveRequestAttemptId` is.
    FIFO_ID_LENGTH "MessageGroupId" 1..=128 Characters None, api "SendMessage";
    /// How long a receipt handle is.
    RECEIPT_HANDLE_LENGTH "ReceiptHandle" 1..=1_024 Characters None,
        guide "sqs-queue-message-identifiers";
}

/// How long a FIFO queue remembers a deduplication id, in seconds, and how long a receive can be
/// repeated with its attempt id: five minutes.
/// [Exactly-once processing](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-exactly-once-processing.html)
pub const DEDUPLICATION_SECONDS: u32 = 300;

/// How long after a purge the next one is refused, in seconds.
/// [PurgeQueue](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_PurgeQueue.html)
pub const PURGE_INTERVAL_SECONDS: u32 = 60;

/// How long after a deletion the queue's name cannot be taken again, in seconds.
/// [DeleteQueue](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteQueue.html)
pub const RECREATION_INTERVAL_SECONDS: u32 = 60;

/// About how many messages of a queue are in flight at most; AWS calls the number approximate.
/// [Message quotas](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html)
pub const MESSAGES_IN_FLIGHT: u32 = 120_000;

/// The powers of ten between which the amount of a message attribute of the type Number lies, both
/// allowed; and so is zero.
/// [Message metadata](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html)
pub const NUMBER_POWERS_OF_TEN: RangeInclusive<i64> = -128..=126;

/// How many messages of a group are in flight at least when a standard queue calls the group noisy
/// for their number.
/// [How fair queues work](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html)
pub const NOISY_GROUP_IN_FLIGHT: u32 = 30;

/// Of which share on a group is noisy, in per cent: of the messages in flight, or of the time that
/// messages recently spent there, when it has more than this.
/// [How fair queues work](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html)
pub const NOISY_GROUP_PERCENT: u32 = 10;

/// How long a noisy group is sent nothing before it is noisy no more, in seconds.
/// [How fair queues work](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html)
pub const NOISY_GROUP_SECONDS: u32 = 300;

/// How many of a dead-letter queue's latest move tasks AWS remembers.
/// [ListMessageMoveTasks](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasks.html)
pub const MOVE_TASKS_KEPT: u32 = 10;

/// How many move tasks an account runs at once.
/// [Message move tasks](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html)
pub const ACTIVE_MOVE_TASKS: u32 = 100;

/// How long a move task runs at most, in seconds: 36 hours.
/// [Message move tasks](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html)
pub const MOVE_TASK_SECONDS: u32 = 129_600;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_a_range_that_holds_its_default() {
        for limit in ALL {
            assert!(limit.min() <= limit.max(), "{limit}");
            assert!(
                limit
                    .default()
                    .is_none_or(|default| limit.contains(default)),
                "{limit}"
            );
        }
    }

    #[test]
    fn both_ends_are_allowed_and_nothing_beyond() {
        for limit in ALL {
            let (min, max) = (i64::from(limit.min()), i64::from(limit.max()));
            assert!(limit.contains(min) && limit.contains(max), "{limit}");
            assert!(
                !limit.contains(min - 1) && !limit.contains(max + 1),
                "{limit}"
            );
        }
    }

    #[test]
    fn a_number_of_any_type_is_compared_by_its_value() {
        assert!(!DELAY_SECONDS.contains(i64::MIN));
        assert!(!DELAY_SECONDS.contains(u64::MAX));
        // 2^32 would be 0 if it were cut to 32 bits.
        assert!(!DELAY_SECONDS.contains(1_u64 << 32));
        assert!(DELAY_SECONDS.contains(900_usize));
    }

    #[test]
    fn a_limit_says_its_name_range_unit_and_default() {
        assert_eq!(
            VISIBILITY_TIMEOUT.to_string(),
            "VisibilityTimeout: 0 to 43200 seconds, 30 by default"
        );
        assert_eq!(BATCH_ENTRIES.to_string(), "Entries: 1 to 10 items");
        assert_eq!(
            MOVE_TASK_RATE.to_string(),
            "MaxNumberOfMessagesPerSecond: 1 to 500 messages per second"
        );
    }
}
