//! AWS's partitions: groups of regions that share their DNS names and nothing else.

/// A partition. All of them have FIPS and dual-stack names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Partition {
    pub(super) name: &'static str,
    /// What a service's plain and FIPS names end in.
    pub(super) dns_suffix: &'static str,
    /// What its dual-stack names end in.
    pub(super) dual_stack_dns_suffix: &'static str,
    /// What regions begin with, before a word and a number.
    areas: &'static [&'static str],
    /// The pseudo-region of the services that are one for the whole partition.
    global: Option<&'static str>,
}

impl Partition {
    /// The partition that a region lies in. One that nobody has heard of is taken for a new one
    /// of the first, as AWS's own tools do.
    pub(super) fn of(region: &str) -> &'static Self {
        PARTITIONS
            .iter()
            .find(|partition| partition.holds(region))
            .unwrap_or(&PARTITIONS[0])
    }

    fn holds(&self, region: &str) -> bool {
        self.global == Some(region) || self.areas.iter().any(|area| is_in_area(region, area))
    }
}

/// Whether a region is `<area>-<word>-<number>`.
fn is_in_area(region: &str, area: &str) -> bool {
    let is_word = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    region
        .strip_prefix(area)
        .and_then(|rest| rest.strip_prefix('-'))
        .and_then(|rest| rest.split_once('-'))
        .is_some_and(|(word, number)| is_word(word) && is_number(number))
}

/// AWS's own, with the name of its table of partitions. The first is AWS as most know it.
const PARTITIONS: [Partition; 8] = [
    Partition {
        name: "aws",
        dns_suffix: "amazonaws.com",
        dual_stack_dns_suffix: "api.aws",
        areas: &["us", "eu", "ap", "sa", "ca", "me", "af", "il", "mx"],
        global: Some("aws-global"),
    },
    Partition {
        name: "aws-cn",
        dns_suffix: "amazonaws.com.cn",
        dual_stack_dns_suffix: "api.amazonwebservices.com.cn",
        areas: &["cn"],
        global: Some("aws-cn-global"),
    },
    Partition {
        name: GOVCLOUD,
        dns_suffix: "amazonaws.com",
        dual_stack_dns_suffix: "api.aws",
        areas: &["us-gov"],
        global: Some("aws-us-gov-global"),
    },
    Partition {
        name: "aws-iso",
        dns_suffix: "c2s.ic.gov",
        dual_stack_dns_suffix: "api.aws.ic.gov",
        areas: &["us-iso"],
        global: Some("aws-iso-global"),
    },
    Partition {
        name: "aws-iso-b",
        dns_suffix: "sc2s.sgov.gov",
        dual_stack_dns_suffix: "api.aws.scloud",
        areas: &["us-isob"],
        global: Some("aws-iso-b-global"),
    },
    Partition {
        name: "aws-iso-e",
        dns_suffix: "cloud.adc-e.uk",
        dual_stack_dns_suffix: "api.cloud-aws.adc-e.uk",
        areas: &["eu-isoe"],
        global: Some("aws-iso-e-global"),
    },
    Partition {
        name: "aws-iso-f",
        dns_suffix: "csp.hci.ic.gov",
        dual_stack_dns_suffix: "api.aws.hci.ic.gov",
        areas: &["us-isof"],
        global: Some("aws-iso-f-global"),
    },
    Partition {
        name: "aws-eusc",
        dns_suffix: "amazonaws.eu",
        dual_stack_dns_suffix: "api.amazonwebservices.eu",
        areas: &["eusc-de"],
        global: None,
    },
];

/// The partition of GovCloud.
pub(super) const GOVCLOUD: &str = "aws-us-gov";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_lies_in_its_partition() {
        for (region, name) in [
            ("us-east-1", "aws"),
            ("ap-southeast-7", "aws"),
            ("mx-central-1", "aws"),
            ("us-new-12", "aws"),
            ("aws-global", "aws"),
            ("cn-north-1", "aws-cn"),
            ("cn-new-1", "aws-cn"),
            ("aws-cn-global", "aws-cn"),
            ("us-gov-west-1", "aws-us-gov"),
            ("us-gov-new-1", "aws-us-gov"),
            ("aws-us-gov-global", "aws-us-gov"),
            ("us-iso-east-1", "aws-iso"),
            ("aws-iso-global", "aws-iso"),
            ("us-isob-west-1", "aws-iso-b"),
            ("aws-iso-b-global", "aws-iso-b"),
            ("eu-isoe-west-1", "aws-iso-e"),
            ("us-isof-south-1", "aws-iso-f"),
            ("eusc-de-east-1", "aws-eusc"),
            // Of no partition's form.
            ("eusc-fr-east-1", "aws"),
            ("us-gov-west", "aws"),
            ("us-gov-west-1x", "aws"),
            ("us-iso-far-east-1", "aws"),
            ("cn--1", "aws"),
            ("local", "aws"),
        ] {
            assert_eq!(Partition::of(region).name, name, "{region}");
        }
    }

    #[test]
    fn every_name_tells_its_region_to_the_signer() {
        for partition in &PARTITIONS {
            for suffix in [partition.dns_suffix, partition.dual_stack_dns_suffix] {
                for area in partition.areas {
                    let region = format!("{area}-east-1");
                    assert_eq!(Partition::of(&region), partition);
                    let host = format!("sqs-fips.{region}.{suffix}");
                    assert_eq!(sigv4::region_in_host(&host), Some(&*region), "{host}");
                }
            }
        }
    }
}
