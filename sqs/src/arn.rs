//! Amazon Resource Names of queues.

use std::fmt;
use std::str::FromStr;

/// The [ARN] of a queue: `arn:<partition>:sqs:<region>:<account>:<name>`.
///
/// A RedrivePolicy, a RedriveAllowPolicy and the move tasks name queues this way.
///
/// ```
/// use sqs::QueueArn;
///
/// let arn = QueueArn::new("eu-west-1", "000000000000", "orders");
/// assert_eq!(arn.to_string(), "arn:aws:sqs:eu-west-1:000000000000:orders");
///
/// let arn: QueueArn = "arn:aws-cn:sqs:cn-north-1:111122223333:orders.fifo".parse()?;
/// assert_eq!((arn.partition(), arn.region()), ("aws-cn", "cn-north-1"));
/// assert_eq!((arn.account(), arn.name()), ("111122223333", "orders.fifo"));
/// # Ok::<(), sqs::QueueArnError>(())
/// ```
///
/// [ARN]: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueArn {
    partition: String,
    region: String,
    account: String,
    name: String,
}

impl QueueArn {
    /// The ARN of a queue, in the [partition] of its region.
    ///
    /// The parts are taken as they are; one that is empty or holds a colon makes an ARN that cannot
    /// be parsed again.
    #[must_use]
    pub fn new(
        region: impl Into<String>,
        account: impl Into<String>,
        name: impl Into<String>,
    ) -> QueueArn {
        let region = region.into();
        QueueArn {
            partition: partition(&region).to_owned(),
            region,
            account: account.into(),
            name: name.into(),
        }
    }

    /// The partition: `aws`, `aws-cn`, …
    #[must_use]
    pub fn partition(&self) -> &str {
        &self.partition
    }

    /// The region.
    #[must_use]
    pub fn region(&self) -> &str {
        &self.region
    }

    /// The account that owns the queue.
    #[must_use]
    pub fn account(&self) -> &str {
        &self.account
    }

    /// The queue's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for QueueArn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let QueueArn {
            partition,
            region,
            account,
            name,
        } = self;
        write!(formatter, "arn:{partition}:sqs:{region}:{account}:{name}")
    }
}

impl FromStr for QueueArn {
    type Err = QueueArnError;

    /// Reads an ARN. Its parts must be there; whether such a region, account or queue exists is not
    /// asked, nor whether the partition is the region's.
    fn from_str(text: &str) -> Result<QueueArn, QueueArnError> {
        let mut parts = text.split(':');
        let mut next = || parts.next().filter(|part| !part.is_empty());
        let (Some("arn"), Some(partition), Some(service), Some(region), Some(account), Some(name)) =
            (next(), next(), next(), next(), next(), next())
        else {
            return Err(QueueArnError::Malformed);
        };
        if service != "sqs" {
            return Err(QueueArnError::Service(service.to_owned()));
        }
        if parts.next().is_some() {
            return Err(QueueArnError::Malformed);
        }
        Ok(QueueArn {
            partition: partition.to_owned(),
            region: region.to_owned(),
            account: account.to_owned(),
            name: name.to_owned(),
        })
    }
}

/// Why a text is not the ARN of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueArnError {
    /// It does not have six parts between colons, the first of them `arn`, none empty.
    Malformed,
    /// It is the ARN of something else; this is the service it names.
    Service(String),
}

impl fmt::Display for QueueArnError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueArnError::Malformed => formatter.write_str(
                "a queue's ARN has the form arn:<partition>:sqs:<region>:<account>:<queue name>",
            ),
            QueueArnError::Service(service) => {
                write!(
                    formatter,
                    "the ARN is one of the service {service:?}, not of \"sqs\""
                )
            }
        }
    }
}

impl std::error::Error for QueueArnError {}

/// The [partition] that a region belongs to; `aws` for a region of no known form, as AWS's own
/// tools take it.
///
/// ```
/// use sqs::partition;
///
/// assert_eq!(partition("us-east-1"), "aws");
/// assert_eq!(partition("us-gov-west-1"), "aws-us-gov");
/// ```
///
/// [partition]: https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
#[must_use]
pub fn partition(region: &str) -> &'static str {
    const PREFIXES: [(&str, &str); 7] = [
        ("cn-", "aws-cn"),
        ("eu-isoe-", "aws-iso-e"),
        ("eusc-", "aws-eusc"),
        ("us-gov-", "aws-us-gov"),
        ("us-iso-", "aws-iso"),
        ("us-isob-", "aws-iso-b"),
        ("us-isof-", "aws-iso-f"),
    ];
    PREFIXES
        .iter()
        .find(|(prefix, _)| region.starts_with(prefix))
        .map_or("aws", |(_, partition)| partition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_partition_is_known_by_its_regions() {
        for (region, expected) in [
            ("af-south-1", "aws"),
            ("eu-central-1", "aws"),
            ("il-central-1", "aws"),
            ("us-east-1", "aws"),
            ("cn-north-1", "aws-cn"),
            ("cn-northwest-1", "aws-cn"),
            ("us-gov-east-1", "aws-us-gov"),
            ("us-iso-east-1", "aws-iso"),
            ("us-isob-east-1", "aws-iso-b"),
            ("us-isof-south-1", "aws-iso-f"),
            ("eu-isoe-west-1", "aws-iso-e"),
            ("eusc-de-east-1", "aws-eusc"),
            ("local", "aws"),
            ("", "aws"),
        ] {
            assert_eq!(partition(region), expected, "{region}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for region in [
            "us-east-1",
            "cn-north-1",
            "us-gov-west-1",
            "eu-isoe-west-1",
            "local",
        ] {
            let arn = QueueArn::new(region, "123456789012", "orders.fifo");
            assert_eq!(arn.to_string().parse(), Ok(arn));
        }
    }

    #[test]
    fn the_partition_is_kept_as_it_was_given() {
        let arn: QueueArn = "arn:aws-cn:sqs:us-east-1:000000000000:q"
            .parse()
            .expect("well formed");
        assert_eq!(arn.partition(), "aws-cn");
        assert_eq!(arn.to_string(), "arn:aws-cn:sqs:us-east-1:000000000000:q");
    }

    #[test]
    fn a_text_without_the_six_parts_is_malformed() {
        for text in [
            "",
            "orders",
            "arn",
            "arn:aws:sqs:us-east-1:000000000000",
            "arn:aws:sqs:us-east-1:000000000000:",
            "arn:aws:sqs:us-east-1::orders",
            "arn:aws:sqs::000000000000:orders",
            "arn:aws::us-east-1:000000000000:orders",
            "arn::sqs:us-east-1:000000000000:orders",
            "ARN:aws:sqs:us-east-1:000000000000:orders",
            "arn:aws:sqs:us-east-1:000000000000:orders:more",
            "http://127.0.0.1:9324/000000000000/orders",
        ] {
            assert_eq!(
                text.parse::<QueueArn>(),
                Err(QueueArnError::Malformed),
                "{text}"
            );
        }
    }

    #[test]
    fn the_arn_of_something_else_names_its_service() {
        let error = "arn:aws:sns:us-east-1:000000000000:topic:subscription"
            .parse::<QueueArn>()
            .expect_err("SNS is not SQS");
        assert_eq!(error, QueueArnError::Service("sns".into()));
        assert_eq!(
            error.to_string(),
            "the ARN is one of the service \"sns\", not of \"sqs\""
        );
    }
}
