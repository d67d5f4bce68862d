//! The names of queue attributes and of message system attributes.

use std::fmt;

/// Writes an enum of names with its lookups.
macro_rules! names {
    ($(#[$enum_doc:meta])* $enum:ident { $($(#[$doc:meta])* $variant:ident $name:literal;)+ }) => {
        $(#[$enum_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $enum {
            $($(#[$doc])* $variant,)+
        }

        impl $enum {
            /// Every name, [`All`](Self::All) included.
            pub const ALL: &[$enum] = &[$($enum::$variant),+];

            /// The name as AWS spells it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($enum::$variant => $name,)+
                }
            }

            /// What AWS calls by this name; none for a name that it does not know. Case counts.
            #[must_use]
            pub fn from_name(name: &str) -> Option<$enum> {
                match name {
                    $($name => Some($enum::$variant),)+
                    _ => None,
                }
            }
        }

        impl fmt::Display for $enum {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.name())
            }
        }

        impl From<$enum> for String {
            fn from(name: $enum) -> String {
                name.name().to_owned()
            }
        }
    };
}

names! {
    /// An attribute of a queue. All values are strings on the wire.
    ///
    /// Shapes hold attribute names as strings, since AWS adds some and a request may name one that
    /// does not exist; this enum goes wherever a shape's constructor takes a name.
    ///
    /// ```
    /// use sqs::{GetQueueAttributesInput, QueueAttributeName};
    ///
    /// let names = [QueueAttributeName::QueueArn, QueueAttributeName::VisibilityTimeout];
    /// let input = GetQueueAttributesInput::new("orders", names);
    /// assert_eq!(input.attribute_names.unwrap(), ["QueueArn", "VisibilityTimeout"]);
    /// ```
    ///
    /// Ranges and defaults: [SetQueueAttributes] and [`limits`](crate::limits).
    ///
    /// [SetQueueAttributes]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
    QueueAttributeName {
        /// Asks for all that apply; not an attribute itself.
        All "All";
        /// How many messages can be received now. Read only.
        ApproximateNumberOfMessages "ApproximateNumberOfMessages";
        /// How many messages wait for their delay to end. Read only.
        ApproximateNumberOfMessagesDelayed "ApproximateNumberOfMessagesDelayed";
        /// How many messages are in flight. Read only.
        ApproximateNumberOfMessagesNotVisible "ApproximateNumberOfMessagesNotVisible";
        /// FIFO queues: whether the body's SHA-256 is the deduplication id where none is given.
        /// `false` by default.
        ContentBasedDeduplication "ContentBasedDeduplication";
        /// When the queue was made, in seconds since 1970. Read only.
        CreatedTimestamp "CreatedTimestamp";
        /// FIFO queues: whether deduplication ids count for the whole `queue`, the default, or for
        /// each `messageGroup`.
        DeduplicationScope "DeduplicationScope";
        /// The delay of messages that bring none: [0 to 900 seconds](crate::limits::DELAY_SECONDS).
        DelaySeconds "DelaySeconds";
        /// `true` makes a FIFO queue. Only at its creation; a standard queue does not have it.
        FifoQueue "FifoQueue";
        /// FIFO queues: whether the quota is `perQueue`, the default, or `perMessageGroupId`.
        FifoThroughputLimit "FifoThroughputLimit";
        /// How long a data key of KMS is used:
        /// [60 to 86400 seconds](crate::limits::KMS_DATA_KEY_REUSE_PERIOD_SECONDS).
        KmsDataKeyReusePeriodSeconds "KmsDataKeyReusePeriodSeconds";
        /// The KMS key that encrypts messages: id, ARN or alias.
        KmsMasterKeyId "KmsMasterKeyId";
        /// When an attribute was last set, in seconds since 1970. Read only.
        LastModifiedTimestamp "LastModifiedTimestamp";
        /// How large a message may be:
        /// [1024 to 1048576 bytes](crate::limits::MAXIMUM_MESSAGE_SIZE).
        MaximumMessageSize "MaximumMessageSize";
        /// How long messages are kept:
        /// [60 to 1209600 seconds](crate::limits::MESSAGE_RETENTION_PERIOD).
        MessageRetentionPeriod "MessageRetentionPeriod";
        /// Who may do what with the queue, as an IAM policy of
        /// [at most 8192 bytes](crate::limits::POLICY_SIZE).
        Policy "Policy";
        /// The queue's ARN. Read only.
        QueueArn "QueueArn";
        /// How long receives wait that do not say it themselves:
        /// [0 to 20 seconds](crate::limits::WAIT_TIME_SECONDS).
        ReceiveMessageWaitTimeSeconds "ReceiveMessageWaitTimeSeconds";
        /// Which queues may use this one as their dead-letter queue, as JSON.
        RedriveAllowPolicy "RedriveAllowPolicy";
        /// The dead-letter queue and the number of receives before it, as JSON.
        RedrivePolicy "RedrivePolicy";
        /// Whether SQS encrypts messages with keys of its own. `true` by default.
        SqsManagedSseEnabled "SqsManagedSseEnabled";
        /// How long a received message stays hidden:
        /// [0 to 43200 seconds](crate::limits::VISIBILITY_TIMEOUT).
        VisibilityTimeout "VisibilityTimeout";
    }
}

names! {
    /// An attribute that SQS itself gives a message. All values are strings on the wire.
    ///
    /// ```
    /// use sqs::MessageSystemAttributeName;
    ///
    /// let name = MessageSystemAttributeName::from_name("AWSTraceHeader");
    /// assert_eq!(name, Some(MessageSystemAttributeName::AwsTraceHeader));
    /// ```
    ///
    /// AWS's page: [ReceiveMessage].
    ///
    /// [ReceiveMessage]: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
    MessageSystemAttributeName {
        /// Asks for all that the message has; not an attribute itself.
        All "All";
        /// When the message was first received, in milliseconds since 1970.
        ApproximateFirstReceiveTimestamp "ApproximateFirstReceiveTimestamp";
        /// How often the message was received, this time included.
        ApproximateReceiveCount "ApproximateReceiveCount";
        /// The X-Ray trace header of the send. The only one that a sender can give.
        AwsTraceHeader "AWSTraceHeader";
        /// The ARN of the queue that a dead-lettered message came from.
        DeadLetterQueueSourceArn "DeadLetterQueueSourceArn";
        /// The deduplication id of the send, or the one made from the body.
        MessageDeduplicationId "MessageDeduplicationId";
        /// The group id of the send.
        MessageGroupId "MessageGroupId";
        /// Who sent it: the id of an IAM user or role, or an account.
        SenderId "SenderId";
        /// When the message was sent, in milliseconds since 1970.
        SentTimestamp "SentTimestamp";
        /// FIFO queues: the number that the send gave.
        SequenceNumber "SequenceNumber";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in AWS's model, typed from it, in its order.
    const QUEUE: [&str; 22] = [
        "All",
        "Policy",
        "VisibilityTimeout",
        "MaximumMessageSize",
        "MessageRetentionPeriod",
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
        "CreatedTimestamp",
        "LastModifiedTimestamp",
        "QueueArn",
        "ApproximateNumberOfMessagesDelayed",
        "DelaySeconds",
        "ReceiveMessageWaitTimeSeconds",
        "RedrivePolicy",
        "FifoQueue",
        "ContentBasedDeduplication",
        "KmsMasterKeyId",
        "KmsDataKeyReusePeriodSeconds",
        "DeduplicationScope",
        "FifoThroughputLimit",
        "RedriveAllowPolicy",
        "SqsManagedSseEnabled",
    ];

    const MESSAGE: [&str; 10] = [
        "All",
        "SenderId",
        "SentTimestamp",
        "ApproximateReceiveCount",
        "ApproximateFirstReceiveTimestamp",
        "SequenceNumber",
        "MessageDeduplicationId",
        "MessageGroupId",
        "AWSTraceHeader",
        "DeadLetterQueueSourceArn",
    ];

    #[test]
    fn queue_attributes_are_those_of_the_model() {
        assert_eq!(QueueAttributeName::ALL.len(), QUEUE.len());
        for name in QUEUE {
            assert_eq!(
                QueueAttributeName::from_name(name).expect(name).name(),
                name
            );
        }
    }

    #[test]
    fn message_system_attributes_are_those_of_the_model() {
        assert_eq!(MessageSystemAttributeName::ALL.len(), MESSAGE.len());
        for name in MESSAGE {
            assert_eq!(
                MessageSystemAttributeName::from_name(name)
                    .expect(name)
                    .name(),
                name
            );
        }
    }

    #[test]
    fn names_are_found_as_spelt_only() {
        for name in ["", "all", "ALL", "Queuearn", " QueueArn", "Bogus"] {
            assert_eq!(QueueAttributeName::from_name(name), None, "{name}");
        }
        for name in ["", "all", "AwsTraceHeader", "awsTraceHeader"] {
            assert_eq!(MessageSystemAttributeName::from_name(name), None, "{name}");
        }
    }
}
