//! The endpoint in a queue's URL.

use aws_json::client::{Endpoint, Variant};

use super::service;

/// Where a queue is, by the host in its URL, with the region that the host's name tells. None if
/// the URL is not one of https at one of SQS's own hosts:
///
/// | host | |
/// |---|---|
/// | `sqs.<region>.…`, `sqs-fips.<region>.…` | in any of AWS's partitions, dual stack included |
/// | `<region>.queue.amazonaws.com`, `queue.amazonaws.com` | as older tools had them; the latter is us-east-1 |
/// | `<id>.sqs.<region>.vpce.…` | a VPC's own endpoint |
///
/// A queue's URL may come from anywhere, and whoever gets a call also gets the session token in it.
/// So no other host is believed, under AWS's domains neither, where anybody can have a name.
///
/// [`aws_json::client::Client::at`] makes a transport of one;
/// [`Client::follow_queue_urls`](super::Client::follow_queue_urls) does so for each call.
///
/// ```
/// use sqs::client::queue_endpoint;
///
/// let url = "https://eu-west-1.queue.amazonaws.com/111122223333/orders";
/// let endpoint = queue_endpoint(url).ok_or("not SQS's")?;
/// assert_eq!(endpoint.to_string(), "https://eu-west-1.queue.amazonaws.com/");
/// assert_eq!(endpoint.region(), "eu-west-1");
/// assert!(queue_endpoint("https://sqs.example.com/111122223333/orders").is_none());
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn queue_endpoint(queue_url: &str) -> Option<Endpoint> {
    let rest = queue_url.strip_prefix("https://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let endpoint = Endpoint::new(&format!("https://{host}")).ok()?;
    let name = endpoint.uri().host()?.to_ascii_lowercase();
    (endpoint.tells_region() && is_queue_host(&name, endpoint.region())).then_some(endpoint)
}

/// Whether this is one of SQS's names in the region, in whole: what only begins like one can be
/// anybody's.
fn is_queue_host(name: &str, region: &str) -> bool {
    if name == "queue.amazonaws.com" {
        return true;
    }
    let own = format!("sqs.{region}.");
    [
        Variant::Plain,
        Variant::DualStack,
        Variant::Fips,
        Variant::FipsDualStack,
    ]
    .into_iter()
    .filter_map(|variant| Endpoint::of(&service(), region, variant).ok())
    .any(|endpoint| {
        let host = endpoint.uri().host().unwrap_or_default();
        let Some(domain) = host.strip_prefix(&own) else {
            return name == host;
        };
        let of_vpc = name
            .split_once('.')
            .and_then(|(_, rest)| rest.strip_prefix(&own)?.strip_prefix("vpce."));
        let legacy = name
            .strip_prefix(region)
            .and_then(|rest| rest.strip_prefix(".queue."));
        name == host || of_vpc == Some(domain) || legacy == Some(domain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;
    #[cfg(feature = "tls")]
    use crate::client::Credentials;

    #[test]
    fn hosts_of_sqs_tell_the_endpoint_and_the_region() {
        for (host, region) in [
            ("sqs.eu-west-1.amazonaws.com", "eu-west-1"),
            ("sqs-fips.us-east-2.amazonaws.com", "us-east-2"),
            ("sqs.ap-southeast-2.api.aws", "ap-southeast-2"),
            ("sqs.cn-north-1.amazonaws.com.cn", "cn-north-1"),
            ("sqs.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"),
            ("sqs.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
            ("queue.amazonaws.com", "us-east-1"),
            ("eu-central-1.queue.amazonaws.com", "eu-central-1"),
            ("cn-north-1.queue.amazonaws.com.cn", "cn-north-1"),
            ("SQS.EU-West-1.amazonaws.com", "eu-west-1"),
            ("sqs-fips.us-gov-west-1.api.aws", "us-gov-west-1"),
            (
                "vpce-0123-abcd.sqs.eu-west-1.vpce.amazonaws.com",
                "eu-west-1",
            ),
        ] {
            let url = format!("https://{host}/111122223333/orders.fifo");
            let endpoint = queue_endpoint(&url).unwrap_or_else(|| panic!("{host} is SQS's"));
            assert_eq!(endpoint.to_string(), format!("https://{host}/"));
            assert_eq!(endpoint.region(), region, "{host}");
        }
    }

    #[test]
    fn no_other_host_is_believed() {
        for url in [
            "",
            "orders",
            "http://sqs.eu-west-1.amazonaws.com/1/orders",
            "https://127.0.0.1:9324/000000000000/orders",
            "https://sqs.example.com/1/orders",
            "https://sqs.eu-west-1.amazonaws.com.example.com/1/orders",
            "https://sqs.eu-west-1.amazonaws.com@example.com/1/orders",
            "https://example.com#.sqs.eu-west-1.amazonaws.com/1/orders",
            "https://abc.execute-api.eu-west-1.amazonaws.com/1/orders",
            "https://sqs.s3.eu-west-1.amazonaws.com/1/orders",
            "https://queue.eu-west-1.amazonaws.com/1/orders",
            "https://x.queue.amazonaws.com/1/orders",
            "https://sqs.execute-api.eu-west-1.vpce.amazonaws.com/1/orders",
            "https://sqs.eu-west-1.bucket.s3.eu-west-1.amazonaws.com/1/orders",
            "https://sqs.eu-west-1.abc.execute-api.eu-west-1.amazonaws.com/1/orders",
            "https://eu-west-1.queue.bucket.s3.eu-west-1.amazonaws.com/1/orders",
            "https://a.sqs.eu-west-1.vpce.bucket.s3.eu-west-1.amazonaws.com/1/orders",
            "https://a.b.sqs.eu-west-1.vpce.amazonaws.com/1/orders",
            "https://sqs.eu-west-1.localhost.localstack.cloud/1/orders",
            "https://sqs.eu-west-1.amazonaws.com.cn/1/orders",
            "https://sqs.eu-west-1.amazonaws.com%2eexample.com/1/orders",
            "https://sqs.eu-west-1.amazonaws.com\\.example.com/1/orders",
        ] {
            assert_eq!(queue_endpoint(url), None, "{url}");
        }
    }

    const ELSEWHERE: &str = "https://sqs.eu-west-1.amazonaws.com/111122223333/orders";

    #[cfg(feature = "tls")]
    #[test]
    fn calls_follow_the_url_only_where_it_was_asked_for() {
        let builder = || Client::builder().credentials(Credentials::new("test", "test"));
        let built = builder().region("us-east-1").build().expect("a client");
        let client = Client::new(built);
        assert_eq!(client.endpoint_for(Some(ELSEWHERE)), None);
        let following = client.follow_queue_urls();
        let endpoint = following.endpoint_for(Some(ELSEWHERE));
        assert_eq!(endpoint.expect("another").region(), "eu-west-1");
        assert_eq!(following.endpoint_for(Some("orders")), None);
        assert_eq!(following.endpoint_for(None), None);
        let fips = builder().region("us-east-1").variant(Variant::Fips);
        let fips = Client::new(fips.build().expect("a client")).follow_queue_urls();
        assert_eq!(fips.endpoint_for(Some(ELSEWHERE)), None, "it was asked for");
    }

    #[test]
    fn an_endpoint_that_was_given_is_not_left() {
        let client = Client::local("http://127.0.0.1:9324").expect("a client");
        let following = client.follow_queue_urls();
        assert_eq!(following.endpoint_for(Some(ELSEWHERE)), None);
    }
}
