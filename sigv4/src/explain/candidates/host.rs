//! Other hosts than the one that arrived.

use super::{Candidates, Facet};
use crate::explain::case::{Case, TEXT_BYTES_MAX};
use crate::explain::mistake::{HostSource, Mistake};
use crate::headers;

/// The headers in which proxies name the host that they were asked for.
const FORWARDED: [&str; 3] = ["x-forwarded-host", "x-original-host", "forwarded"];

/// The ports that clients speak to most.
const PORTS: [&str; 8] = ["80", "443", "9324", "4566", "8000", "8080", "8443", "3000"];

/// The names by which a machine calls itself, and a container the machine.
const LOOPBACK: [&str; 5] = [
    "localhost",
    "127.0.0.1",
    "[::1]",
    "0.0.0.0",
    "host.docker.internal",
];

/// How many names the request's headers may give, and how many the verifier.
pub(in crate::explain) const HOSTS_MAX: usize = 16;

pub(super) fn add<'a>(case: &Case<'a>, all: &mut Candidates<'a>) {
    let Some(received) = case
        .base
        .line("host")
        .and_then(|line| text(&line.values[0]))
    else {
        return;
    };
    for (signed, source) in others(case, &received) {
        let value = signed.clone().into_bytes();
        all.add(
            Facet::Host,
            mistake(signed, &received, source),
            move |draft| {
                draft.set_line("host", value.clone());
            },
        );
    }
}

/// The hosts to try, none twice, none the received one.
fn others(case: &Case<'_>, received: &str) -> Vec<(String, HostSource)> {
    let mut found: Vec<(String, HostSource)> = Vec::new();
    let mut add = |host: String, source| {
        if host != received && host.len() <= TEXT_BYTES_MAX && found.iter().all(|(h, _)| *h != host)
        {
            found.push((host, source));
        }
    };
    let (name, port) = split_port(received);
    let forwarded = forwarded_hosts(case);
    let forwarded_port = case.header("x-forwarded-port").and_then(text);
    let given = forwarded
        .iter()
        .map(|host| (host.as_str(), HostSource::Forwarded));
    let own = case.hosts.iter().map(|host| (*host, HostSource::Own));
    let named: Vec<(&str, HostSource)> = given.chain(own.take(HOSTS_MAX)).collect();
    for &(host, source) in &named {
        add(host.to_owned(), source);
    }
    // Their names with the port that the received one has, or without any.
    for &(host, source) in &named {
        let (other, other_port) = split_port(host);
        for port in [port, forwarded_port.as_deref()].into_iter().flatten() {
            add(format!("{other}:{port}"), source);
        }
        if other_port.is_some() {
            add(other.to_owned(), source);
        }
    }
    if port.is_some() {
        add(name.to_owned(), HostSource::Own);
    }
    let ports = named.iter().filter_map(|(host, _)| split_port(host).1);
    for port in forwarded_port
        .as_deref()
        .into_iter()
        .chain(ports)
        .chain(PORTS)
    {
        if !port.is_empty() && port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit()) {
            add(format!("{name}:{port}"), HostSource::Own);
        }
    }
    add(received.to_ascii_lowercase(), HostSource::Own);
    for name in LOOPBACK {
        match port {
            Some(port) => add(format!("{name}:{port}"), HostSource::Loopback),
            None => add(name.to_owned(), HostSource::Loopback),
        }
    }
    add(String::new(), HostSource::Own);
    found
}

/// What a difference of two hosts is called.
fn mistake(signed: String, received: &str, source: HostSource) -> Mistake {
    let received = received.to_owned();
    if signed.is_empty() {
        return Mistake::HostEmpty;
    }
    if signed.eq_ignore_ascii_case(&received) {
        return Mistake::HostCase { signed, received };
    }
    let ((signed_name, signed_port), (name, port)) = (split_port(&signed), split_port(&received));
    match (signed_name == name, signed_port, port) {
        (true, Some(_), None) => Mistake::PortDropped { signed, received },
        (true, None, Some(_)) => Mistake::PortAdded { signed, received },
        (true | false, _, _) => Mistake::HostRewritten {
            signed,
            received,
            source,
        },
    }
}

/// The hosts that the request's headers name, in the order in which they do.
fn forwarded_hosts(case: &Case<'_>) -> Vec<String> {
    let mut hosts = Vec::new();
    for name in FORWARDED {
        for value in case.headers(name).filter_map(text) {
            for element in value.split([',', ';']) {
                let element = element.trim();
                let host = if name == "forwarded" {
                    match element.split_once('=') {
                        Some((key, host)) if key.trim().eq_ignore_ascii_case("host") => host.trim(),
                        Some(_) | None => continue,
                    }
                } else {
                    element
                };
                let host = host.trim_matches('"');
                if !host.is_empty() && hosts.len() < HOSTS_MAX {
                    hosts.push(host.to_owned());
                }
            }
        }
    }
    hosts
}

/// A host's name and port. The colons of an address without brackets begin no port.
fn split_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port))
            if port.bytes().all(|b| b.is_ascii_digit())
                && (!name.contains(':') || name.ends_with(']')) =>
        {
            (name, Some(port))
        }
        Some(_) | None => (host, None),
    }
}

fn text(value: impl AsRef<[u8]>) -> Option<String> {
    let text = std::str::from_utf8(headers::trim(value.as_ref())).ok()?;
    (text.len() <= 8 * TEXT_BYTES_MAX).then(|| text.to_owned())
}
