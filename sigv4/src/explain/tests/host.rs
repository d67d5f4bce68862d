use super::Rig;
use crate::explain::{HostSource, Mistake};

fn rewritten(signed: &str, received: &str, source: HostSource) -> Mistake {
    Mistake::HostRewritten {
        signed: signed.to_owned(),
        received: received.to_owned(),
        source,
    }
}

#[test]
fn a_rewritten_host_is_found_in_what_proxies_say() {
    let received = Rig::post().signed().set("host", "backend:8080");
    let expected = rewritten("localhost:9324", "backend:8080", HostSource::Forwarded);
    for (name, value) in [
        ("X-Forwarded-Host", "localhost:9324"),
        ("x-forwarded-host", "elsewhere, localhost:9324 , backend"),
        ("x-original-host", "localhost:9324"),
        (
            "Forwarded",
            "for=192.0.2.1;proto=http;host=\"localhost:9324\", host=backend",
        ),
    ] {
        received
            .clone()
            .set(name, value)
            .assert_mistake(expected.clone());
    }
    let name_alone = received
        .set("x-forwarded-host", "localhost")
        .set("x-forwarded-port", "9324");
    name_alone.assert_mistake(expected);
}

#[test]
fn a_rewritten_host_is_found_among_the_verifiers_own() {
    let mut received = Rig::post().signed().set("host", "10.0.0.7:9324");
    received.hosts = vec!["sqs.example.com", "localhost:80"];
    received.assert_mistake(rewritten(
        "localhost:9324",
        "10.0.0.7:9324",
        HostSource::Own,
    ));
}

#[test]
fn the_local_machine_has_several_names() {
    let received = Rig::post().signed().set("host", "127.0.0.1:9324");
    received.assert_mistake(rewritten(
        "localhost:9324",
        "127.0.0.1:9324",
        HostSource::Loopback,
    ));
}

/// An address without brackets has no port, whatever it ends in.
#[test]
fn a_bare_address_has_no_port() {
    let received = Rig::post()
        .set("host", "localhost")
        .signed()
        .set("host", "::1");
    received.assert_mistake(rewritten("localhost", "::1", HostSource::Loopback));
}

#[test]
fn sixteen_hosts_that_proxies_name_are_tried_and_as_many_own() {
    let hosts: Vec<String> = (1..=17).map(|n| format!("host-{n}.example")).collect();
    for (signed, is_found) in [(1, true), (16, true), (17, false)] {
        let signed = &hosts[signed - 1];
        let rig = Rig::post()
            .set("host", signed)
            .signed()
            .set("host", "backend");
        let forwarded = rig.clone().set("x-forwarded-host", &hosts.join(","));
        let mut own = rig;
        own.hosts = hosts.iter().map(|host| &*host.clone().leak()).collect();
        for (rig, source) in [(forwarded, HostSource::Forwarded), (own, HostSource::Own)] {
            let expected = is_found.then(|| rewritten(signed, "backend", source));
            assert_eq!(rig.explain().mistakes(), expected.as_slice(), "{signed}");
        }
    }
}

#[test]
fn a_port_is_dropped() {
    Rig::post()
        .signed()
        .set("host", "localhost")
        .assert_mistake(Mistake::PortDropped {
            signed: "localhost:9324".to_owned(),
            received: "localhost".to_owned(),
        });
    let unusual = Rig::post()
        .set("host", "[::1]:12345")
        .signed()
        .set("host", "[::1]");
    unusual
        .set("x-forwarded-port", "12345")
        .assert_mistake(Mistake::PortDropped {
            signed: "[::1]:12345".to_owned(),
            received: "[::1]".to_owned(),
        });
}

#[test]
fn a_port_is_added() {
    let received = Rig::post()
        .set("host", "example.com")
        .signed()
        .set("host", "example.com:443");
    received.assert_mistake(Mistake::PortAdded {
        signed: "example.com".to_owned(),
        received: "example.com:443".to_owned(),
    });
}

#[test]
fn a_host_comes_in_another_case() {
    let received = Rig::post().signed().set("host", "LocalHost:9324");
    received.assert_mistake(Mistake::HostCase {
        signed: "localhost:9324".to_owned(),
        received: "LocalHost:9324".to_owned(),
    });
    let mut received = Rig::post().set("host", "SQS.example.com").signed();
    received.hosts = vec!["SQS.example.com"];
    received
        .set("host", "sqs.example.com")
        .assert_mistake(Mistake::HostCase {
            signed: "SQS.example.com".to_owned(),
            received: "sqs.example.com".to_owned(),
        });
}

#[test]
fn an_empty_host_is_signed() {
    let hash = super::sha256_hex("");
    let canonical = format!(
        "GET\n/\n\nhost:\nx-amz-date:{}\n\nhost;x-amz-date\n{hash}",
        super::DATE
    );
    Rig::get("/")
        .by_hand(&canonical, &super::Hand::default())
        .assert_mistake(Mistake::HostEmpty);
}

#[test]
fn no_host_is_signed() {
    let hash = super::sha256_hex("");
    let canonical = format!("GET\n/\n\nx-amz-date:{}\n\nx-amz-date\n{hash}", super::DATE);
    let received = Rig::get("/").by_hand(&canonical, &super::Hand::default());
    received.assert_mistake(Mistake::HostNotSigned);
}
