use super::{DATE, Hand, Rig, sha256_hex, signer};
use crate::credentials::Credentials;
use crate::explain::{HeaderJoin, HeaderSpace, Mistake};
use crate::sign::Signer;

/// Signed by hand with these header lines.
fn by_hand(rig: Rig, lines: &str, names: &str) -> Rig {
    let hash = sha256_hex("");
    let canonical = format!(
        "GET\n/\n\nhost:example.com\n{lines}x-amz-date:{DATE}\n\nhost;{names}x-amz-date\n{hash}"
    );
    rig.by_hand(&canonical, &Hand::default())
}

fn changed(name: &str, signed: &str, received: &str) -> Mistake {
    Mistake::HeaderChanged {
        name: name.to_owned(),
        signed: signed.to_owned(),
        received: received.to_owned(),
    }
}

fn removed(name: &str, signed: Option<&str>) -> Mistake {
    Mistake::HeaderRemoved {
        name: name.to_owned(),
        signed: signed.map(str::to_owned),
    }
}

#[test]
fn white_space_is_signed_as_it_is() {
    let space = |signed| Mistake::HeaderSpace {
        name: "my-header".to_owned(),
        signed,
    };
    let rig = Rig::get("/").add("My-Header", "  a   \"b  c\"  ");
    let inner = by_hand(rig.clone(), "my-header:a   \"b  c\"\n", "my-header;");
    inner.assert_mistake(space(HeaderSpace::InnerKept));
    let all = by_hand(rig, "my-header:  a   \"b  c\"  \n", "my-header;");
    all.assert_mistake(space(HeaderSpace::AllKept));
}

#[test]
fn a_repeated_header_is_joined_otherwise() {
    let join = |signed| Mistake::HeaderJoin {
        name: "my-header".to_owned(),
        signed,
    };
    for (lines, signed) in [
        ("my-header:b, a, c\n", HeaderJoin::CommaSpace),
        (
            "my-header:b\nmy-header:a\nmy-header:c\n",
            HeaderJoin::SeparateLines,
        ),
        ("my-header:a,b,c\n", HeaderJoin::Sorted),
        ("my-header:c\n", HeaderJoin::LastOnly),
        ("my-header:b\n", HeaderJoin::FirstOnly),
    ] {
        let rig = Rig::get("/")
            .add("my-header", "b")
            .add("My-Header", "a")
            .add("my-header", "c");
        by_hand(rig, lines, "my-header;").assert_mistake(join(signed));
    }
    let one_line = Rig::get("/").add("my-header", "a, b");
    by_hand(one_line, "my-header:a,b\n", "my-header;").assert_mistake(join(HeaderJoin::Comma));
}

#[test]
fn accept_encoding_is_changed() {
    let rig = Rig::post().add("accept-encoding", "identity").signed();
    let received = rig.clone().set("accept-encoding", "gzip, br");
    received.assert_mistake(changed("accept-encoding", "identity", "gzip, br"));
    rig.without("accept-encoding")
        .assert_mistake(removed("accept-encoding", Some("identity")));
}

#[test]
fn content_length_is_changed_or_removed() {
    let length = super::BODY.len().to_string();
    let rig = Rig::post().add("content-length", &length).signed();
    rig.clone()
        .set("content-length", "7")
        .assert_mistake(changed("content-length", &length, "7"));
    rig.without("content-length")
        .assert_mistake(removed("content-length", Some(&length)));
}

#[test]
fn a_charset_is_added_or_removed() {
    let plain = "application/x-amz-json-1.0";
    for charset in ["; charset=utf-8", "; charset=UTF-8", ";charset=utf-8"] {
        let with = format!("{plain}{charset}");
        let added = Rig::post().signed().set("content-type", &with);
        added.assert_mistake(changed("content-type", plain, &with));
        let removed = Rig::post()
            .set("content-type", &with)
            .signed()
            .set("content-type", plain);
        removed.assert_mistake(changed("content-type", &with, plain));
    }
    let other = Rig::post().set("content-type", "application/json").signed();
    other.set("content-type", plain).assert_mistake(changed(
        "content-type",
        "application/json",
        plain,
    ));
}

#[test]
fn a_proxy_appends_to_a_forwarding_header() {
    let rig = Rig::post().add("x-forwarded-for", "192.0.2.1").signed();
    let received = rig.set("x-forwarded-for", "192.0.2.1, 192.0.2.2, 192.0.2.3");
    received.assert_mistake(changed(
        "x-forwarded-for",
        "192.0.2.1",
        "192.0.2.1, 192.0.2.2, 192.0.2.3",
    ));
}

#[test]
fn a_signed_header_is_gone_and_its_value_unknown() {
    let rig = Rig::post()
        .add("my-header", "who knows")
        .signed()
        .without("my-header");
    let explanation = rig.explain();
    assert_eq!(explanation.mistakes(), [removed("my-header", None)]);
    assert_eq!(explanation.certainty(), crate::explain::Certainty::Partial);
    let empty = by_hand(Rig::get("/"), "my-header:\n", "my-header;");
    empty.assert_mistake(removed("my-header", Some("")));
}

#[test]
fn an_amz_header_is_added() {
    let rig = Rig::post().signed().add("X-Amz-Cf-Id", "abc");
    rig.assert_mistake(Mistake::HeaderAdded {
        name: "x-amz-cf-id".to_owned(),
    });
}

#[test]
fn the_list_of_signed_headers_is_not_of_those_signed() {
    let name = || "my-header".to_owned();
    let rig = Rig::get("/").add("my-header", "a").by_hand_naming(
        "host;my-header;x-amz-date",
        &format!(
            "GET\n/\n\nhost:example.com\nx-amz-date:{DATE}\n\nhost;x-amz-date\n{}",
            sha256_hex("")
        ),
        &Hand::default(),
    );
    rig.assert_mistake(Mistake::HeaderListed { name: name() });
    rig.without("my-header")
        .assert_mistake(Mistake::HeaderListed { name: name() });

    let rig = Rig::get("/").add("my-header", "a").by_hand_naming(
        "host;x-amz-date",
        &format!(
            "GET\n/\n\nhost:example.com\nmy-header:a\nx-amz-date:{DATE}\n\n\
             host;my-header;x-amz-date\n{}",
            sha256_hex("")
        ),
        &Hand::default(),
    );
    rig.assert_mistake(Mistake::HeaderUnlisted { name: name() });
}

#[test]
fn a_name_without_a_line_is_listed() {
    let rig = Rig::get("/").by_hand_naming(
        "host;my-header;x-amz-date",
        &format!(
            "GET\n/\n\nhost:example.com\nx-amz-date:{DATE}\n\nhost;my-header;x-amz-date\n{}",
            sha256_hex("")
        ),
        &Hand::default(),
    );
    rig.assert_mistake(Mistake::HeaderListed {
        name: "my-header".to_owned(),
    });
}

#[test]
fn a_session_token_is_not_signed() {
    let unlisted = Rig::post()
        .signed()
        .add("X-Amz-Security-Token", "hush-hush");
    unlisted.assert_mistake(Mistake::SessionTokenUnsigned);

    let hash = sha256_hex("");
    let canonical =
        format!("GET\n/\n\nhost:example.com\nx-amz-date:{DATE}\n\nhost;x-amz-date\n{hash}");
    let names = "host;x-amz-date;x-amz-security-token";
    let listed = Rig::get("/").by_hand_naming(names, &canonical, &Hand::default());
    listed
        .add("x-amz-security-token", "hush-hush")
        .assert_mistake(Mistake::SessionTokenUnsigned);
}

#[test]
fn a_session_token_is_shown_nowhere() {
    let credentials = Credentials::new(super::ID, "another").with_session_token("hush-hush");
    let stranger = Signer::new(credentials, "us-east-1", "sqs");
    for rig in [
        Rig::post().signed_by(&stranger),
        Rig::post().presigned_by(&stranger),
        Rig::post()
            .signed_by(&stranger)
            .set("x-amz-security-token", "hush-hush, x"),
        Rig::post()
            .signed_by(&signer())
            .add("x-amz-security-token", "hush-hush"),
    ] {
        let explanation = rig.explain();
        let shown = format!("{explanation:?}{explanation}{}", explanation.report());
        assert!(!shown.contains("hush"), "{shown}");
    }
}

/// Signed while it was empty, as by a client that learns its token late.
#[test]
fn a_header_that_is_as_good_as_a_password_is_named_without_its_value() {
    let shown_of = |name: &str, is_secret: bool| {
        let mut lines = [("host", "example.com"), ("x-amz-date", DATE), (name, "")];
        lines.sort_unstable();
        let names = lines.map(|(name, _)| name).join(";");
        let lines = lines.map(|(name, value)| format!("{name}:{value}\n"));
        let hash = sha256_hex("");
        let canonical = format!("GET\n/\n\n{}\n{names}\n{hash}", lines.concat());
        let rig = Rig::get("/").add(name, "hush-hush");
        let rig = rig.by_hand(&canonical, &Hand::default());
        let received = if is_secret { "(redacted)" } else { "hush-hush" };
        rig.assert_mistake(changed(name, "", received));
        let explanation = rig.explain();
        let shown = format!("{explanation:?}{explanation}{}", explanation.report());
        assert_eq!(shown.contains("hush"), !is_secret, "{shown}");
    };
    for name in [
        "cookie",
        "proxy-authorization",
        "x-amz-copy-source-server-side-encryption-customer-key",
        "x-amz-s3session-token",
        "x-amz-security-token",
        "x-amz-server-side-encryption-customer-key",
    ] {
        shown_of(name, true);
    }
    shown_of("my-header", false);
}

#[test]
fn the_first_32_headers_that_are_not_listed_are_tried() {
    for (signed, is_found) in [(0, true), (31, true), (32, false)] {
        let name = format!("a-{signed:02}");
        let hash = sha256_hex("");
        let canonical = format!(
            "GET\n/\n\n{name}:1\nhost:example.com\nx-amz-date:{DATE}\n\n{name};host;x-amz-date\n\
             {hash}"
        );
        let mut rig = Rig::get("/").by_hand_naming("host;x-amz-date", &canonical, &Hand::default());
        for n in 0..40 {
            rig = rig.add(&format!("a-{n:02}"), "1");
        }
        let expected = is_found.then_some(Mistake::HeaderUnlisted { name });
        assert_eq!(rig.explain().mistakes(), expected.as_slice(), "{signed}");
    }
}
