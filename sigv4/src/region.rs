//! The region that a host's name tells.

/// Signed for when a host tells no region, as AWS's own tools do for a local emulator.
const UNKNOWN: &str = "us-east-1";

/// The suffixes under which AWS serves, of every partition.
const SUFFIXES: [&str; 14] = [
    ".amazonaws.com",
    ".amazonaws.com.cn",
    ".amazonaws.eu",
    ".api.aws",
    ".api.amazonwebservices.com.cn",
    ".api.amazonwebservices.eu",
    ".c2s.ic.gov",
    ".sc2s.sgov.gov",
    ".csp.hci.ic.gov",
    ".cloud.adc-e.uk",
    ".api.aws.ic.gov",
    ".api.aws.scloud",
    ".api.aws.hci.ic.gov",
    ".api.cloud-aws.adc-e.uk",
];

/// The region in the name of an AWS endpoint, or `us-east-1` for any other host.
///
/// Known are the plain, FIPS and dual-stack names of all partitions
/// (`sqs.eu-west-1.amazonaws.com`, `sqs-fips.us-east-2.api.aws`), names with further labels before
/// the service (`vpce-1.sqs.eu-west-1.vpce.amazonaws.com`, a bucket), the legacy names of SQS
/// (`eu-west-1.queue.amazonaws.com`; `queue.amazonaws.com` is `us-east-1`), and LocalStack's
/// (`sqs.eu-west-1.localhost.localstack.cloud`). A port is ignored. Names are read in lower case
/// only, since a region is signed for in lower case and the result borrows from `host`.
///
/// # Example
/// ```
/// use sigv4::region_from_host;
///
/// assert_eq!(region_from_host("sqs.eu-west-1.amazonaws.com"), "eu-west-1");
/// assert_eq!(region_from_host("localhost:9324"), "us-east-1");
/// ```
#[must_use]
pub fn region_from_host(host: &str) -> &str {
    region_in_host(host).unwrap_or(UNKNOWN)
}

/// The region in the name of an AWS endpoint, as [`region_from_host`] knows them, or none for a
/// host whose name tells no region.
///
/// # Example
/// ```
/// use sigv4::region_in_host;
///
/// assert_eq!(region_in_host("eu-west-1.queue.amazonaws.com"), Some("eu-west-1"));
/// assert_eq!(region_in_host("queue.amazonaws.com"), Some("us-east-1"));
/// assert_eq!(region_in_host("localhost:9324"), None);
/// ```
#[must_use]
pub fn region_in_host(host: &str) -> Option<&str> {
    let name = host.split(':').next().unwrap_or_default();
    let name = name.strip_suffix('.').unwrap_or(name);
    if let Some(before) = name.strip_suffix(".localhost.localstack.cloud") {
        return region_of(before.rsplit('.').next());
    }
    if name == "queue.amazonaws.com" {
        return Some("us-east-1");
    }
    let before = SUFFIXES
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))?;
    let mut labels = before.rsplit('.');
    match labels.next() {
        // `<region>.queue`, and `<endpoint>.<service>.<region>.vpce`.
        Some("queue" | "vpce") => region_of(labels.next()),
        last => region_of(last),
    }
}

fn region_of(label: Option<&str>) -> Option<&str> {
    label.filter(|label| is_region(label))
}

/// Whether a label has the form of a region: lower-case words and a number, as `us-gov-west-1`.
fn is_region(label: &str) -> bool {
    let mut words = label.split('-');
    let number = words.next_back().unwrap_or_default();
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    let count = words.clone().count();
    (2..=3).contains(&count)
        && words.clone().all(is_word)
        && words.next().is_some_and(|area| PREFIXES.contains(&area))
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
}

/// What regions' names begin with. `vpce-1` and a bucket `my-files-2` are not regions.
const PREFIXES: [&str; 11] = [
    "us", "eu", "ap", "sa", "ca", "me", "af", "il", "mx", "cn", "eusc",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_form_tells_its_region() {
        for (host, region) in [
            ("sqs.eu-west-1.amazonaws.com", "eu-west-1"),
            ("sqs.eu-west-1.amazonaws.com:443", "eu-west-1"),
            ("sqs.eu-west-1.amazonaws.com.", "eu-west-1"),
            ("sqs-fips.us-east-2.amazonaws.com", "us-east-2"),
            ("sqs.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
            ("sqs.cn-north-1.amazonaws.com.cn", "cn-north-1"),
            ("sqs.us-iso-east-1.c2s.ic.gov", "us-iso-east-1"),
            ("sqs.us-isob-east-1.sc2s.sgov.gov", "us-isob-east-1"),
            ("sqs.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"),
            ("sqs.ap-southeast-2.api.aws", "ap-southeast-2"),
            ("sqs-fips.us-gov-east-1.api.aws", "us-gov-east-1"),
            (
                "sqs.cn-northwest-1.api.amazonwebservices.com.cn",
                "cn-northwest-1",
            ),
            (
                "sqs.eusc-de-east-1.api.amazonwebservices.eu",
                "eusc-de-east-1",
            ),
            ("sqs.eu-isoe-west-1.cloud.adc-e.uk", "eu-isoe-west-1"),
            (
                "sqs.eu-isoe-west-1.api.cloud-aws.adc-e.uk",
                "eu-isoe-west-1",
            ),
            ("sqs-fips.us-isof-south-1.csp.hci.ic.gov", "us-isof-south-1"),
            ("sqs.us-isof-east-1.api.aws.hci.ic.gov", "us-isof-east-1"),
            ("sqs.us-iso-west-1.api.aws.ic.gov", "us-iso-west-1"),
            ("sqs.us-isob-east-1.api.aws.scloud", "us-isob-east-1"),
            ("vpce-1a2b.dynamodb.us-east-1.vpce.api.aws", "us-east-1"),
            ("dynamodb.il-central-1.amazonaws.com", "il-central-1"),
            ("bucket.s3.mx-central-1.amazonaws.com", "mx-central-1"),
            ("eu-west-2.queue.amazonaws.com", "eu-west-2"),
            ("cn-north-1.queue.amazonaws.com.cn", "cn-north-1"),
            ("queue.amazonaws.com", "us-east-1"),
            (
                "vpce-0a1b-2c.sqs.eu-central-1.vpce.amazonaws.com",
                "eu-central-1",
            ),
            ("sqs.eu-west-1.localhost.localstack.cloud:4566", "eu-west-1"),
            ("123456789012.ddb.us-west-2.amazonaws.com", "us-west-2"),
        ] {
            assert_eq!(region_from_host(host), region, "{host}");
            assert_eq!(region_in_host(host), Some(region), "{host}");
        }
    }

    #[test]
    fn any_other_host_is_us_east_1() {
        for host in [
            "",
            "localhost",
            "localhost:9324",
            "127.0.0.1:9324",
            "[::1]:9324",
            "amazonaws.com",
            "sqs.amazonaws.com",
            "iam.amazonaws.com",
            "my-files-2.amazonaws.com",
            "sqs.eu-west-1.example.com",
            "sqs.eu-west-1.amazonaws.com.example.com",
            "localhost.localstack.cloud:4566",
            "queue.localhost.localstack.cloud:4566",
            "sqs.eu-west.amazonaws.com",
            "sqs.eu-west-.amazonaws.com",
            "sqs.eu--1.amazonaws.com",
            "SQS.EU-WEST-1.AMAZONAWS.COM",
        ] {
            assert_eq!(region_from_host(host), "us-east-1", "{host:?}");
            assert_eq!(region_in_host(host), None, "{host:?}");
        }
    }
}
