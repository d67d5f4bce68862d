use super::*;

#[test]
fn the_path_is_kept_and_ends_in_a_slash() {
    for (url, uri) in [
        ("http://127.0.0.1:9324", "http://127.0.0.1:9324/"),
        ("http://127.0.0.1:9324/", "http://127.0.0.1:9324/"),
        ("https://example.com/custom", "https://example.com/custom/"),
        (
            "https://example.com/a/b%20c/",
            "https://example.com/a/b%20c/",
        ),
        ("HTTP://localhost", "http://localhost/"),
        // Nor is there a port that is the scheme's own: HTTP/2 sends it as it stands here.
        ("http://localhost:80/x", "http://localhost/x/"),
        ("https://[::1]:443", "https://[::1]/"),
        ("http://localhost:443", "http://localhost:443/"),
    ] {
        assert_eq!(Endpoint::new(url).unwrap().to_string(), uri, "{url}");
    }
}

#[test]
fn the_host_header_has_only_a_port_that_is_not_the_schemes_own() {
    for (url, host) in [
        ("http://localhost", "localhost"),
        ("http://localhost:80", "localhost"),
        ("http://localhost:443", "localhost:443"),
        (
            "https://sqs.us-east-1.amazonaws.com:443/x",
            "sqs.us-east-1.amazonaws.com",
        ),
        ("https://localhost:80", "localhost:80"),
        ("http://[::1]:9324", "[::1]:9324"),
    ] {
        assert_eq!(Endpoint::new(url).unwrap().host_header(), host, "{url}");
    }
}

#[test]
fn the_region_comes_from_an_aws_host() {
    let region = |url| Endpoint::new(url).unwrap().region().to_owned();
    assert_eq!(
        region("https://sqs.eu-central-1.amazonaws.com"),
        "eu-central-1"
    );
    assert_eq!(region("https://SQS.EU-West-1.AmazonAWS.com"), "eu-west-1");
    assert_eq!(region("http://127.0.0.1:9324"), "us-east-1");
}

#[test]
fn what_is_no_endpoint_is_refused_with_the_reason() {
    for (url, reason) in [
        ("", "it must begin with http:// or https://"),
        ("localhost:9324", "it must begin with http:// or https://"),
        ("ftp://localhost", "it must begin with http:// or https://"),
        ("/é", "it must begin with http:// or https://"),
        ("http://", "it is not a URL"),
        ("http:///path", "it is not a URL"),
        ("http://:80", "it has no host"),
        ("http://a b", "it is not a URL"),
        ("http://localhost/a b", "it is not a URL"),
        (
            "http://localhost?x=1",
            "it must not have a query or a fragment",
        ),
        (
            "http://localhost/#x",
            "it must not have a query or a fragment",
        ),
        (
            "http://localhost:0",
            "its port is not a number from 1 to 65535",
        ),
        (
            "http://localhost:65536",
            "its port is not a number from 1 to 65535",
        ),
        (
            "http://localhost:",
            "its port is not a number from 1 to 65535",
        ),
        (
            "http://user:hush@localhost",
            "it must not hold a user or a password: credentials are set apart",
        ),
    ] {
        let error = Endpoint::new(url).unwrap_err();
        assert_eq!(error, EndpointError::Url { reason }, "{url}");
        assert!(!error.to_string().contains("hush"));
    }
}

fn sqs() -> Service {
    Service::new("sqs", "AmazonSQS").plain_fips_in_govcloud()
}

fn dynamodb() -> Service {
    Service::new("dynamodb", "DynamoDB_20120810")
        .plain_fips_in_govcloud()
        .local_endpoint("http://localhost:8000")
}

fn of(service: &Service, region: &str, variant: Variant) -> String {
    let endpoint = Endpoint::of(service, region, variant).unwrap();
    assert_eq!(endpoint.region(), region);
    endpoint.to_string()
}

#[test]
fn every_partition_has_its_names() {
    for (region, plain, dual_stack) in [
        ("us-east-1", "amazonaws.com", "api.aws"),
        ("us-new-1", "amazonaws.com", "api.aws"),
        ("elsewhere", "amazonaws.com", "api.aws"),
        (
            "cn-north-1",
            "amazonaws.com.cn",
            "api.amazonwebservices.com.cn",
        ),
        ("us-iso-east-1", "c2s.ic.gov", "api.aws.ic.gov"),
        ("us-isob-east-1", "sc2s.sgov.gov", "api.aws.scloud"),
        ("eu-isoe-west-1", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"),
        ("us-isof-south-1", "csp.hci.ic.gov", "api.aws.hci.ic.gov"),
        ("eusc-de-east-1", "amazonaws.eu", "api.amazonwebservices.eu"),
    ] {
        for (variant, url) in [
            (Variant::Plain, format!("https://sqs.{region}.{plain}/")),
            (Variant::Fips, format!("https://sqs-fips.{region}.{plain}/")),
            (
                Variant::DualStack,
                format!("https://sqs.{region}.{dual_stack}/"),
            ),
            (
                Variant::FipsDualStack,
                format!("https://sqs-fips.{region}.{dual_stack}/"),
            ),
        ] {
            assert_eq!(of(&sqs(), region, variant), url);
        }
    }
}

#[test]
fn a_plain_name_in_govcloud_is_fips_where_the_service_says_so() {
    let kms = Service::new("kms", "TrentService");
    for (service, variant, url) in [
        (
            sqs(),
            Variant::Fips,
            "https://sqs.us-gov-west-1.amazonaws.com/",
        ),
        (
            sqs(),
            Variant::FipsDualStack,
            "https://sqs-fips.us-gov-west-1.api.aws/",
        ),
        (
            dynamodb(),
            Variant::Fips,
            "https://dynamodb.us-gov-west-1.amazonaws.com/",
        ),
        (
            kms,
            Variant::Fips,
            "https://kms-fips.us-gov-west-1.amazonaws.com/",
        ),
    ] {
        assert_eq!(of(&service, "us-gov-west-1", variant), url);
    }
}

#[test]
fn an_endpoint_name_that_is_not_the_signing_name_is_in_the_host() {
    let streams = dynamodb().endpoint_name("streams.dynamodb");
    assert_eq!(
        of(&streams, "eu-west-1", Variant::Plain),
        "https://streams.dynamodb.eu-west-1.amazonaws.com/"
    );
    for name in ["", ".", "a..b", "a/b", "a@b", "é"] {
        let service = sqs().endpoint_name(name);
        assert_eq!(
            Endpoint::of(&service, "eu-west-1", Variant::Plain),
            Err(EndpointError::Service),
            "{name}"
        );
    }
}

#[test]
fn the_region_local_is_a_local_server_of_dynamodb_only() {
    let local = Endpoint::of(&dynamodb(), "local", Variant::Plain).unwrap();
    assert_eq!(local.to_string(), "http://localhost:8000/");
    assert_eq!(local.region(), "us-east-1");
    for variant in [Variant::Fips, Variant::DualStack, Variant::FipsDualStack] {
        assert_eq!(
            Endpoint::of(&dynamodb(), "local", variant),
            Err(EndpointError::Variant { variant })
        );
    }
    assert_eq!(
        of(&sqs(), "local", Variant::Plain),
        "https://sqs.local.amazonaws.com/"
    );
}

#[test]
fn what_is_no_region_is_refused() {
    let long = "a".repeat(64);
    for region in [
        "",
        "-a",
        "a-",
        "1",
        "012",
        "us east 1",
        "us/east",
        "a.b",
        "é",
        "US-EAST-1",
        "a_b",
        "a@b",
        "a:1",
        "a\r\n",
        &long,
    ] {
        let refused = EndpointError::Region {
            region: region.to_owned(),
        };
        let of = Endpoint::of(&sqs(), region, Variant::Plain);
        assert_eq!(of, Err(refused.clone()), "{region:?}");
        let given = Endpoint::new("http://localhost").unwrap();
        assert_eq!(given.with_region(region), Err(refused), "{region:?}");
    }
    assert!(check_region(&long[1..]).is_ok());
    let huge = "x".repeat(100_000);
    let error = check_region(&huge).unwrap_err().to_string();
    assert!(error.len() < 250, "{error}");
}

#[test]
fn what_is_given_counts_before_what_is_usual() {
    let resolve = |url: Option<&str>, region, usual_region, variant| {
        let wanted = Wanted {
            given: url.map(|url| Endpoint::new(url).unwrap()),
            region,
            usual_region,
            variant,
        };
        let endpoint = wanted.resolve(&sqs())?;
        Ok((endpoint.to_string(), endpoint.region().to_owned()))
    };
    let resolved = |url: &str, region: &str| Ok((url.to_owned(), region.to_owned()));
    let plain = Variant::Plain;
    let (here, aws) = (
        "http://localhost:9/",
        "https://sqs.eu-west-1.amazonaws.com/",
    );
    let (one, two) = (Some("eu-west-1"), Some("eu-west-2"));
    // The name of AWS's in a region.
    assert_eq!(resolve(None, one, two, plain), resolved(aws, "eu-west-1"));
    assert_eq!(resolve(None, None, one, plain), resolved(aws, "eu-west-1"));
    assert_eq!(
        resolve(None, None, None, plain),
        Err(EndpointError::NoRegion)
    );
    // A server that is given, whose name tells no region, and one whose name does.
    for (url, told) in [(here, None), (aws, Some("eu-west-1"))] {
        for (region, usual) in [(None, None), (None, two), (two, None), (two, one)] {
            let expected = region.or(told).or(usual).unwrap_or("us-east-1");
            assert_eq!(
                resolve(Some(url), region, usual, plain),
                resolved(url, expected)
            );
        }
        for variant in [Variant::Fips, Variant::DualStack, Variant::FipsDualStack] {
            assert_eq!(
                resolve(Some(url), one, None, variant),
                Err(EndpointError::Variant { variant })
            );
        }
    }
}

/// The URL and the `Host` of an endpoint with `foo.` before it.
fn prefixed(url: &str) -> (String, String) {
    struct Foo;

    impl crate::client::Operation for Foo {
        const NAME: &'static str = "Foo";
        const SAFE_TO_RETRY: bool = true;
        const HOST_PREFIX: &'static str = "foo.";
        type Input = ();
        type Output = ();
    }

    let prefix = HostPrefix::of::<Foo>(&()).unwrap().unwrap();
    let endpoint = Endpoint::new(url)
        .unwrap()
        .with_region("eu-west-3")
        .unwrap();
    let prefixed = endpoint.with_host_prefix(&prefix).unwrap();
    assert_eq!(prefixed.region(), "eu-west-3");
    let host = prefixed.host_header().to_str().unwrap().to_owned();
    (prefixed.to_string(), host)
}

#[test]
fn a_prefix_goes_before_the_host_and_leaves_the_rest() {
    for (url, whole, host) in [
        (
            "https://example.com",
            "https://foo.example.com/",
            "foo.example.com",
        ),
        (
            "http://example.com:8080/custom",
            "http://foo.example.com:8080/custom/",
            "foo.example.com:8080",
        ),
        (
            "https://example.com:443/",
            "https://foo.example.com/",
            "foo.example.com",
        ),
    ] {
        assert_eq!(prefixed(url), (whole.to_owned(), host.to_owned()));
    }
}

#[test]
fn a_server_without_names_below_its_own_gets_no_prefix() {
    for (url, host) in [
        ("http://127.0.0.1:9324/", "127.0.0.1:9324"),
        ("http://[::1]:9324/", "[::1]:9324"),
        ("http://localhost:4566/x/", "localhost:4566"),
        ("http://LocalHost/", "LocalHost"),
    ] {
        assert_eq!(prefixed(url), (url.to_owned(), host.to_owned()));
    }
}

proptest::proptest! {
    /// What comes of any text has the form that every call relies on.
    #[test]
    fn any_text_is_an_endpoint_or_an_error(text in "(https?://)?[ -~é]{0,40}") {
        if let Ok(endpoint) = Endpoint::new(&text) {
            let url = endpoint.to_string();
            proptest::prop_assert!(url.ends_with('/'), "{url}");
            proptest::prop_assert_eq!(Endpoint::new(&url).unwrap(), endpoint.clone());
            proptest::prop_assert!(check_region(endpoint.region()).is_ok());
            proptest::prop_assert!(!endpoint.host_header().is_empty());
        }
    }

    #[test]
    fn any_region_is_a_name_of_aws_s_or_an_error(region in "[ -~]{0,70}|[a-z0-9-]{1,64}") {
        if let Ok(endpoint) = Endpoint::of(&sqs(), &region, Variant::Plain) {
            let host = endpoint.uri().host().unwrap();
            let begin = format!("sqs.{region}.");
            proptest::prop_assert!(host.starts_with(&begin), "{host}");
            proptest::prop_assert!(host.ends_with(Partition::of(&region).dns_suffix), "{host}");
        }
    }
}
