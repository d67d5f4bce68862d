use super::*;

const CONFIG: &str = "/home/me/.aws/config";
const CREDENTIALS: &str = "/home/me/.aws/credentials";

fn environment(variables: &[(&str, &str)], config: &str) -> Environment {
    Environment::from_iter(variables.iter().copied())
        .set("HOME", "/home/me")
        .file(CONFIG, config)
}

fn read(variables: &[(&str, &str)], config: &str) -> Settings {
    Settings::read(&environment(variables, config), "sqs").unwrap()
}

fn refused(variables: &[(&str, &str)], config: &str) -> String {
    let settings = Settings::read(&environment(variables, config), "sqs");
    settings.unwrap_err().to_string()
}

fn endpoint(variables: &[(&str, &str)], config: &str) -> Option<String> {
    let endpoint = read(variables, config).endpoint;
    endpoint.map(|endpoint| endpoint.to_string())
}

#[test]
fn nothing_set_is_nothing_set() {
    for environment in [
        Environment::from_iter([("X", "y")]),
        environment(&[("AWS_REGION", ""), ("AWS_MAX_ATTEMPTS", "")], ""),
        environment(
            &[],
            "[default]\nregion =\nmax_attempts =\nendpoint_url = # none\n",
        ),
    ] {
        let settings = Settings::read(&environment, "sqs").unwrap();
        assert_eq!(settings.region, None);
        assert_eq!(settings.endpoint, None);
        assert_eq!(settings.variant, Variant::Plain);
        assert_eq!(settings.max_attempts, None);
        assert_eq!(settings.clock_skew, None);
    }
}

#[cfg(feature = "compression")]
#[test]
fn what_is_compressed_is_read_from_two_settings() {
    const OFF: &str = "AWS_DISABLE_REQUEST_COMPRESSION";
    const MIN: &str = "AWS_REQUEST_MIN_COMPRESSION_SIZE_BYTES";
    let config = "[default]\ndisable_request_compression = true\n[profile dev]\n\
                  request_min_compression_size_bytes = 128\n";
    let dev = ("AWS_PROFILE", "dev");
    for (variables, expected) in [
        (&[][..], Some(Compression::Off)),
        (&[(OFF, "false")], None),
        (&[(OFF, "false"), (MIN, "0")], Some(Compression::From(0))),
        (&[(MIN, "1")], Some(Compression::Off)),
        (&[dev], Some(Compression::From(128))),
        (
            &[dev, (MIN, "10485760")],
            Some(Compression::From(10_485_760)),
        ),
        (&[dev, (OFF, "TRUE")], Some(Compression::Off)),
    ] {
        assert_eq!(
            read(variables, config).compression,
            expected,
            "{variables:?}"
        );
    }
    for text in ["10485761", "-1", "1e3", "99999999999999999999"] {
        assert_eq!(
            refused(&[(MIN, text)], ""),
            format!(
                "the variable AWS_REQUEST_MIN_COMPRESSION_SIZE_BYTES is {text:?}; it must be a \
                 number of bytes from 0 to 10485760"
            )
        );
    }
}

#[test]
fn a_region_is_looked_for_in_order() {
    let config = "[default]\nregion = eu-west-3\n[profile dev]\nregion = eu-north-1\n";
    let (first, second) = (
        ("AWS_REGION", "eu-west-1"),
        ("AWS_DEFAULT_REGION", "eu-west-2"),
    );
    for (variables, region) in [
        (&[first, second][..], "eu-west-1"),
        (&[("AWS_REGION", ""), second], "eu-west-2"),
        (&[], "eu-west-3"),
        (&[("AWS_PROFILE", "dev")], "eu-north-1"),
        (&[("AWS_PROFILE", "default")], "eu-west-3"),
        (&[("AWS_PROFILE", "dev"), second], "eu-west-2"),
    ] {
        let settings = read(variables, config);
        assert_eq!(settings.region.as_deref(), Some(region), "{variables:?}");
    }
}

#[test]
fn an_endpoint_is_looked_for_in_order() {
    let config = "\
[default]
endpoint_url = http://profile
services = local
[profile plain]
endpoint_url = http://plain
[profile other]
endpoint_url = http://other
services = empty
[services local]
sqs =
    # The one that counts.
    endpoint_url = http://first
    endpoint_url = http://services
dynamodb =
    endpoint_url = http://dynamodb
[services empty]
sqs =
    endpoint_url =
";
    let own = ("AWS_ENDPOINT_URL_SQS", "http://own");
    let all = ("AWS_ENDPOINT_URL", "http://all");
    for (variables, url) in [
        (&[own, all][..], "http://own/"),
        (&[("AWS_ENDPOINT_URL_SQS", ""), all], "http://all/"),
        (
            &[("AWS_ENDPOINT_URL_DYNAMODB", "http://x")],
            "http://services/",
        ),
        (&[], "http://services/"),
        (&[("AWS_PROFILE", "plain")], "http://plain/"),
        (&[("AWS_PROFILE", "other")], "http://other/"),
    ] {
        assert_eq!(
            endpoint(variables, config).as_deref(),
            Some(url),
            "{variables:?}"
        );
    }
    let other = Settings::read(&environment(&[], config), "dynamodb_streams").unwrap();
    assert_eq!(other.endpoint.unwrap().to_string(), "http://profile/");

    for value in ["true", "TRUE"] {
        let ignore = ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", value);
        assert_eq!(endpoint(&[ignore, own, all], config), None);
    }
    let ignore = ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "false");
    assert_eq!(
        endpoint(&[ignore, own], config).as_deref(),
        Some("http://own/")
    );
    let config = format!("{config}[default]\nignore_configured_endpoint_urls = true\n");
    assert_eq!(endpoint(&[own, all], &config), None);
    assert_eq!(
        endpoint(&[ignore, all], &config).as_deref(),
        Some("http://all/")
    );
}

#[test]
fn fips_and_dual_stack_are_flags_of_their_own() {
    let config = "[default]\nuse_fips_endpoint = true\nuse_dualstack_endpoint = False\n";
    let (fips, dual) = ("AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT");
    for (variables, config, variant) in [
        (&[][..], config, Variant::Fips),
        (&[(dual, "true")], config, Variant::FipsDualStack),
        (&[(fips, "false")], config, Variant::Plain),
        (
            &[(fips, "false"), (dual, "True")],
            config,
            Variant::DualStack,
        ),
        (&[(fips, "true")], "", Variant::Fips),
        (&[(fips, "false")], "", Variant::Plain),
    ] {
        assert_eq!(read(variables, config).variant, variant, "{variables:?}");
    }
}

#[test]
fn attempts_and_clock() {
    let config = "[default]\nmax_attempts = 7\ndisable_clock_skew_correction = true\n";
    let settings = read(&[], config);
    assert_eq!(settings.max_attempts, Some(7));
    assert_eq!(settings.clock_skew, Some(ClockSkew::Ignore));
    let variables = [
        ("AWS_MAX_ATTEMPTS", "1"),
        ("AWS_DISABLE_CLOCK_SKEW_CORRECTION", "false"),
    ];
    let settings = read(&variables, config);
    assert_eq!(settings.max_attempts, Some(1));
    assert_eq!(settings.clock_skew, Some(ClockSkew::Correct));
}

#[test]
fn what_cannot_be_right_is_an_error_with_the_variable_and_the_right_form() {
    let long = "9".repeat(1_000);
    for (name, value, error) in [
        (
            "AWS_MAX_ATTEMPTS",
            "abc",
            "is \"abc\"; it must be a number from 1, such as 3",
        ),
        (
            "AWS_MAX_ATTEMPTS",
            "0",
            "is \"0\"; it must be a number from 1, such as 3",
        ),
        (
            "AWS_MAX_ATTEMPTS",
            "-1",
            "is \"-1\"; it must be a number from 1, such as 3",
        ),
        (
            "AWS_MAX_ATTEMPTS",
            " 3",
            "is \" 3\"; it must be a number from 1, such as 3",
        ),
        (
            "AWS_MAX_ATTEMPTS",
            &long,
            "is \"9999999999999999999999999999999999999999999999999999999999999999\"…; it must \
             be a number from 1, such as 3",
        ),
        (
            "AWS_USE_FIPS_ENDPOINT",
            "1",
            "is \"1\"; it must be true or false",
        ),
        (
            "AWS_USE_DUALSTACK_ENDPOINT",
            "yes",
            "is \"yes\"; it must be true or false",
        ),
        (
            "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
            "t",
            "is \"t\"; it must be true or false",
        ),
        (
            "AWS_DISABLE_CLOCK_SKEW_CORRECTION",
            "on",
            "is \"on\"; it must be true or false",
        ),
        (
            "AWS_REGION",
            "EU West",
            "is \"EU West\"; a region is made of lower-case letters, digits and hyphens, as in \
             us-east-1",
        ),
        (
            "AWS_ENDPOINT_URL",
            "localhost:4566",
            "cannot be used: it must begin with http:// or https://",
        ),
        (
            "AWS_ENDPOINT_URL_SQS",
            "http://me:hush@localhost",
            "cannot be used: it must not hold a user or a password: credentials are set apart",
        ),
        (
            "AWS_PROFILE",
            "dev",
            "is \"dev\", which is no profile in /home/me/.aws/config or \
             /home/me/.aws/credentials",
        ),
    ] {
        assert_eq!(
            refused(&[(name, value)], ""),
            format!("the variable {name} {error}")
        );
    }
    let nowhere = Environment::from_iter([("AWS_PROFILE", "dev")]);
    assert_eq!(
        Settings::read(&nowhere, "sqs").unwrap_err().to_string(),
        "the variable AWS_PROFILE is \"dev\", and HOME, where shared files would be, is not set"
    );
}

#[test]
fn what_cannot_be_right_in_a_file_is_an_error_with_the_line() {
    for (config, error) in [
        (
            "[default]\n\nmax_attempts = many",
            "line 3: max_attempts is \"many\"; it must be a number from 1, such as 3",
        ),
        (
            "[default]\nuse_fips_endpoint=yes",
            "line 2: use_fips_endpoint is \"yes\"; it must be true or false",
        ),
        (
            "[default]\nendpoint_url = localhost",
            "line 2: endpoint_url cannot be used: it must begin with http:// or https://",
        ),
        (
            "[default]\nservices = local",
            "line 2: services is \"local\"; there is no [services local]",
        ),
        (
            "[default]\nservices = local\n[services local]\nsqs =\n  endpoint_url = x",
            "line 4: sqs endpoint_url cannot be used: it must begin with http:// or https://",
        ),
        (
            "[default]\nregion = é",
            "line 2: region is \"é\"; a region is made of lower-case letters, digits and \
             hyphens, as in us-east-1",
        ),
        (
            "[default]\nregion",
            "line 2: Expected an '=' sign defining a property, as in name = value",
        ),
    ] {
        assert_eq!(refused(&[], config), format!("{CONFIG}, {error}"));
    }
    let environment = environment(&[], "").file(CREDENTIALS, "[default]\nmax_attempts = x\n");
    assert_eq!(
        Settings::read(&environment, "sqs").unwrap_err().to_string(),
        format!(
            "{CREDENTIALS}, line 2: max_attempts is \"x\"; it must be a number from 1, such as 3"
        )
    );
}
