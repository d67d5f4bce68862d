//! What each key of the document means.

use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sqs_engine::Rules;
use toml::de::{DeTable, DeValue};

use super::Configuration;
use super::queues::{QueuePlaces, check_queues, json, queue};
use super::reader::{Entry, Mistake, Mistakes, Place, Table};
use crate::auth::is_region;
use crate::clock::ClockStart;
use crate::driver::AutoCreate;
use crate::faults::{Fault, FaultSpec};
use crate::http::cors::Cors;
use crate::http::limits::FAULTS_MAX;
use crate::in_words;
use crate::journal::Bounds;
use crate::settings::Settings;
use crate::{AccountId, Credential, CredentialError, SecretError};

/// The levels of logging.
const LOG_LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

pub(super) const ACCOUNT: &str = "an account: exactly 12 digits, in quotes";

const REGION: &str = "a region's name: letters, digits and hyphens, like us-east-1";

const LISTEN: &str = "ADDR:PORT, where ADDR is an IP address or localhost: 127.0.0.1:9324, for \
    example, or 0.0.0.0:9324 to be reached from other machines";

/// Which `connections` are allowed.
const CONNECTIONS: RangeInclusive<usize> = 1..=1_000_000;

/// Reads a whole document, or finds everything that is wrong with it.
pub(super) fn read(text: &str) -> Result<Configuration, Vec<Mistake>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mistakes = Mistakes::default();
    for error in &errors {
        let place = Place::root(error.span().map_or(0, |span| span.start));
        mistakes.add(&place, format!("this is not TOML: {}", error.message()));
    }
    if !errors.is_empty() {
        // What follows a mistake in the form would be told as missing or unknown.
        return Err(mistakes.into_sorted());
    }
    let root = Table::new(Place::root(0), root.into_inner(), &mistakes);
    let (configuration, places) = document(root);
    check_queues(&configuration, &places, &mistakes);
    match mistakes.into_sorted() {
        none if none.is_empty() => Ok(configuration),
        mistakes => Err(mistakes),
    }
}

fn document(mut root: Table<'_, '_>) -> (Configuration, Vec<QueuePlaces>) {
    let mut settings = Settings {
        listen: root.take("listen").and_then(|entry| {
            let Listen(address) = entry.parsed(LISTEN)?;
            Some(address)
        }),
        account: root.take("account").and_then(|entry| entry.parsed(ACCOUNT)),
        region: root.take("region").and_then(region),
        seed: root.take("seed").and_then(|entry| {
            entry.integer(
                0..=u64::MAX,
                "a whole number from 0 to 18446744073709551615",
            )
        }),
        ..Settings::default()
    };
    let log = root.take("log").and_then(log);
    let switch = |entry: Option<Entry<'_, '_>>| entry.and_then(Entry::boolean);
    settings.rules = switch(root.take("relaxed")).map(|relaxed| match relaxed {
        true => Rules::Relaxed,
        false => Rules::Strict,
    });
    settings.auto_create = switch(root.take("auto_create")).map(|on| match on {
        true => AutoCreate::On,
        false => AutoCreate::Off,
    });
    settings.cors = switch(root.take("cors")).map(|on| match on {
        true => Cors::On,
        false => Cors::Off,
    });
    for host in root
        .take("control_hosts")
        .into_iter()
        .flat_map(Entry::elements)
    {
        let form = "a host name or address, without a scheme or a port";
        settings.control_hosts.extend(host.parsed(form));
    }
    settings.data_dir = root
        .take("data_dir")
        .and_then(|entry| entry.parsed("a path that is not empty"))
        .map(|NotEmpty(path)| path.into());
    credentials(root.take("credentials"), &mut settings);
    if let Some(table) = root.take("limits").and_then(Entry::table) {
        limits(table, &mut settings);
    }
    settings.clock = root.take("clock").and_then(Entry::table).map(clock);
    let mut places = Vec::new();
    for table in root.take("queues").into_iter().flat_map(Entry::elements) {
        if let Some((queue, place)) = table.table().and_then(queue) {
            settings.queues.push(queue);
            places.push(place);
        }
    }
    let faults = root.take("faults").into_iter().flat_map(Entry::elements);
    for (number, entry) in faults.enumerate() {
        if number == FAULTS_MAX {
            entry.wrong(format!("a server has at most {FAULTS_MAX} faults"));
            break;
        }
        settings.faults.extend(fault(entry));
    }
    root.finish();
    (Configuration { settings, log }, places)
}

fn log(entry: Entry<'_, '_>) -> Option<String> {
    let LogLevel(level) = entry.parsed("off, error, warn, info, debug or trace")?;
    Some(level)
}

pub(super) fn region(entry: Entry<'_, '_>) -> Option<String> {
    let RegionName(name) = entry.parsed(REGION)?;
    Some(name)
}

fn credentials(entry: Option<Entry<'_, '_>>, settings: &mut Settings) {
    let mut keys: Vec<String> = Vec::new();
    for table in entry.into_iter().flat_map(Entry::elements) {
        let Some(mut table) = table.table() else {
            continue;
        };
        let account = table
            .take("account")
            .and_then(|entry| entry.parsed::<AccountId>(ACCOUNT));
        let key = table.need("access_key_id");
        let key_place = key.as_ref().map(|entry| entry.place.clone());
        let key = key.and_then(Entry::string);
        let secret = table.need("secret_access_key");
        let secret_place = secret.as_ref().map(|entry| entry.place.clone());
        let secret = secret.and_then(Entry::string);
        let token = table.take("session_token");
        let token_place = token.as_ref().map(|entry| entry.place.clone());
        let token = token.and_then(Entry::string);
        if let (Some(key), Some(secret)) = (key, secret) {
            if keys.contains(&key) {
                table.wrong_at(
                    key_place.as_ref(),
                    format!("two credentials have the access key {key:?}; give each its own"),
                );
            }
            keys.push(key.clone());
            let credential = Credential::new(key, secret);
            let credential = credential.and_then(|credential| match token {
                Some(token) => credential.with_session_token(token),
                None => Ok(credential),
            });
            match credential {
                Ok(credential) => settings.credentials.push(match account {
                    Some(account) => credential.with_account(account),
                    None => credential,
                }),
                Err(error) => {
                    let (place, message) = match error {
                        CredentialError::Secret(reason) => (&secret_place, secret_reason(reason)),
                        CredentialError::SessionToken(reason) => {
                            (&token_place, secret_reason(reason))
                        }
                        CredentialError::AccessKeyId | CredentialError::NoSecret => (
                            &key_place,
                            "it must be 1 to 128 printable ASCII characters without white space, \
                             '/', ',', '=' or ':'"
                                .to_owned(),
                        ),
                    };
                    table.wrong_at(place.as_ref(), message);
                }
            }
        }
        table.finish();
    }
}

fn secret_reason(reason: SecretError) -> String {
    format!("it {reason}")
}

fn limits(mut table: Table<'_, '_>, settings: &mut Settings) {
    let in_flight = |entry: Entry<'_, '_>| {
        entry.integer(
            0..=u32::MAX,
            "a whole number of messages from 0 to 4294967295",
        )
    };
    settings.in_flight_standard = table.take("in_flight_standard").and_then(in_flight);
    settings.in_flight_fifo = table.take("in_flight_fifo").and_then(in_flight);
    settings.connections_max = table.take("connections").and_then(|entry| {
        entry.integer(
            CONNECTIONS,
            "a whole number of connections from 1 to 1000000",
        )
    });
    let requests = table
        .take("journal_requests")
        .and_then(|entry| entry.integer(0..=usize::MAX, "a whole number of requests from 0 on"));
    let bytes = table
        .take("journal_bytes")
        .and_then(|entry| entry.integer(0..=usize::MAX, "a whole number of bytes from 0 on"));
    if requests.is_some() || bytes.is_some() {
        let default = Bounds::default();
        settings.journal = Some(Bounds {
            requests: requests.unwrap_or(default.requests),
            bytes: bytes.unwrap_or(default.bytes),
        });
    }
    table.finish();
}

fn clock(mut table: Table<'_, '_>) -> ClockStart {
    let start = table.take("start");
    let start_place = start.as_ref().map(|entry| entry.place.clone());
    let at = start.and_then(|entry| date_time(&entry));
    let offset = table.take("offset_seconds").and_then(|entry| {
        entry.seconds("a number of seconds; negative to be behind the real time")
    });
    let frozen = table.take("frozen").and_then(Entry::boolean);
    let mut start = ClockStart::now();
    match (at, offset) {
        (Some(_), Some(_)) => table.wrong_at(
            start_place.as_ref(),
            "`start` and `offset_seconds` cannot both say where the clock starts; leave one out",
        ),
        (Some(at), None) => start = ClockStart::at(at),
        (None, Some(offset)) => {
            let by = Duration::try_from_secs_f64(offset.abs());
            match by {
                Ok(by) if offset < 0.0 => start = ClockStart::behind(by),
                Ok(by) => start = ClockStart::ahead(by),
                Err(_) => table.wrong("`offset_seconds` is more than a clock can hold"),
            }
        }
        (None, None) => {}
    }
    table.finish();
    match frozen {
        Some(true) => start.frozen(),
        Some(false) | None => start,
    }
}

/// A fault, as the control interface takes it: the same members, with the same names.
fn fault(entry: Entry<'_, '_>) -> Option<Fault> {
    let DeValue::Table(_) = &entry.value else {
        let _none = entry.table();
        return None;
    };
    let spec: Result<FaultSpec, _> = serde_json::from_value(json(&entry.value));
    let spec = spec.map_err(|error| in_words::of_json(&error));
    let checked = spec.and_then(|spec| {
        let fault = Fault::from(spec);
        match fault.clone().rule() {
            Ok(_) => Ok(fault),
            Err(error) => Err(error.to_string()),
        }
    });
    match checked {
        Ok(fault) => Some(fault),
        Err(reason) => {
            entry.wrong(reason);
            None
        }
    }
}

/// A date-time with an offset, from 1970 on.
fn date_time(entry: &Entry<'_, '_>) -> Option<SystemTime> {
    let form = "a date-time with an offset, from 1970 on, like 2026-01-01T00:00:00Z";
    let DeValue::Datetime(value) = &entry.value else {
        entry.wrong(format!("it must be {form}, without quotes"));
        return None;
    };
    let time = since_1970(value).map(|since| UNIX_EPOCH + since);
    if time.is_none() {
        entry.wrong(format!("it is {value}; it must be {form}"));
    }
    time
}

fn since_1970(value: &toml::value::Datetime) -> Option<Duration> {
    let (date, time, offset) = (value.date?, value.time?, value.offset?);
    let minutes = match offset {
        toml::value::Offset::Z => 0,
        toml::value::Offset::Custom { minutes } => i64::from(minutes),
    };
    // Days from 1970 in the Gregorian calendar, with the year beginning in March so that the day
    // that some years have more is the last one.
    let (year, month) = (i64::from(date.year), i64::from(date.month));
    let year = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(date.day) - 1;
    let days = 365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719_468;
    let minutes = (days * 24 + i64::from(time.hour)) * 60 + i64::from(time.minute) - minutes;
    let seconds = minutes * 60 + i64::from(time.second.unwrap_or(0));
    let seconds = u64::try_from(seconds).ok()?;
    Some(Duration::new(seconds, time.nanosecond.unwrap_or(0)))
}

struct Listen(std::net::SocketAddr);

impl std::str::FromStr for Listen {
    type Err = std::net::AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        crate::listen_address(text).map(Self)
    }
}

struct NotEmpty(String);

impl std::str::FromStr for NotEmpty {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "" => Err(()),
            text => Ok(Self(text.to_owned())),
        }
    }
}

/// The name of a level of logging, in lower case.
struct LogLevel(String);

impl std::str::FromStr for LogLevel {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let level = text.to_ascii_lowercase();
        if LOG_LEVELS.contains(&level.as_str()) {
            Ok(Self(level))
        } else {
            Err(())
        }
    }
}

struct RegionName(String);

impl std::str::FromStr for RegionName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if is_region(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(())
        }
    }
}
