//! The parts of a server, made from what was chosen and put together.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use prometheus_client::metrics::gauge::Gauge;
use sqs_engine::{InFlightLimits, Rules};

use super::StartError;
use crate::Credential;
use crate::admin::{Admin, Events, Guard};
use crate::auth::{Authenticator, is_region};
use crate::changes::Changes;
use crate::clock::WallClock;
use crate::control::{Control, Home};
use crate::declare::{self, Declared};
use crate::driver::{Driver, Setup};
use crate::faults::{Fault, FaultError, Faults, Rule};
use crate::http::observe::Observer;
use crate::http::sqs_route::SqsRoute;
use crate::http::{self, Parts, limits};
use crate::journal::Journal;
use crate::metrics::Metrics;
use crate::record::Recorder;
use crate::seed::{RequestIds, Seed};
use crate::server::REGION;
use crate::settings::Settings;
use crate::store::{Restored, Store};

/// Where and when a server is.
pub(crate) struct Place {
    /// The host in queue URLs for a request that names none.
    pub(crate) address: SocketAddr,
    /// What signatures are checked by.
    pub(crate) clock: WallClock,
    /// The real time that the queues' clock starts at and whose jumps it follows.
    pub(crate) wall: WallClock,
}

/// A server without its socket.
pub(crate) struct Assembled {
    pub(crate) driver: Arc<Driver>,
    pub(crate) control: Control,
    pub(crate) router: Router,
    /// Shows how many connections are open.
    pub(crate) connections: Gauge,
}

pub(super) fn assemble(
    settings: Settings,
    declared: Vec<Declared>,
    credentials: &[Credential],
    place: &Place,
) -> Result<Assembled, StartError> {
    let faults = faults_of(&settings)?;
    let home = home(&settings, credentials)?;
    let seed = settings.seed.map_or(Seed::Drawn, Seed::Given);
    let rules = settings.rules.unwrap_or_default();
    let in_flight = InFlightLimits::default();
    let in_flight = InFlightLimits {
        standard: settings.in_flight_standard.unwrap_or(in_flight.standard),
        fifo: settings.in_flight_fifo.unwrap_or(in_flight.fifo),
    };
    let (recorder, restored) = match state(&settings, rules, in_flight)? {
        Some((store, restored)) => (Some(Arc::new(store) as Arc<dyn Recorder>), restored),
        None => (None, None),
    };
    let changes = Arc::new(Changes::new());
    let faults = Arc::new(Faults::new(seed, faults, Arc::clone(&changes)));
    let driver = Arc::new(Driver::new(Setup {
        seed,
        rules,
        limits: in_flight,
        auto_create: settings.auto_create.unwrap_or_default(),
        clock: settings.clock.unwrap_or_default(),
        wall: place.wall,
        declared,
        changes: Arc::clone(&changes),
        recorder,
        restored,
    }));
    driver.declare();
    let journal = settings.journal.unwrap_or_default();
    let journal = Arc::new(Journal::new(journal, Arc::clone(&changes)));
    let metrics = Arc::new(Metrics::new(Arc::clone(&driver), Arc::clone(&journal)));
    let control = Control::new(
        Arc::clone(&driver),
        Arc::clone(&journal),
        Arc::clone(&faults),
        home,
        &crate::endpoint_url(place.address),
    );
    let router = http::router(Parts {
        sqs: SqsRoute {
            driver: Arc::clone(&driver),
            faults,
            address: place.address,
        },
        cors: settings.cors.unwrap_or_default(),
        authenticator: Authenticator::new(credentials, place.clock),
        admin: Admin {
            control: control.clone(),
            metrics: Arc::clone(&metrics),
            guard: Guard::new(settings.control_hosts),
            events: Events::new(changes),
        },
        observer: Observer {
            request_ids: RequestIds::new(seed.value()),
            journal,
            metrics: Arc::clone(&metrics),
            driver: Arc::clone(&driver),
        },
    });
    Ok(Assembled {
        driver,
        control,
        router,
        connections: metrics.connections(),
    })
}

/// Where queues are that are named alone.
fn home(settings: &Settings, credentials: &[Credential]) -> Result<Home, StartError> {
    // There is at least one credential, and each has its account by now.
    let account = credentials.first().and_then(Credential::account);
    let region = settings.region.as_deref().unwrap_or(REGION);
    if !is_region(region) {
        return Err(StartError::Region(region.to_owned()));
    }
    Ok(Home {
        account: account.or(settings.account).unwrap_or_default(),
        region: region.to_owned(),
    })
}

/// The faults that the server begins with.
fn faults_of(settings: &Settings) -> Result<Vec<Rule>, StartError> {
    let faults = &settings.faults;
    if faults.len() > limits::FAULTS_MAX {
        return Err(StartError::Fault(FaultError::too_many(limits::FAULTS_MAX)));
    }
    let rules = faults.iter().cloned().map(Fault::rule);
    rules.collect::<Result<_, _>>().map_err(StartError::Fault)
}

/// Where the state is kept, if it is, and what is there.
fn state(
    settings: &Settings,
    rules: Rules,
    in_flight: InFlightLimits,
) -> Result<Option<(Store, Option<Restored>)>, StartError> {
    let Some(path) = &settings.data_dir else {
        return Ok(None);
    };
    let (store, restored) = Store::open(path, rules, in_flight)?;
    if let Some(restored) = &restored {
        let inspect = restored.engine.inspect();
        tracing::info!(
            "taking up {}: {} queues, {} messages; the seed is still that of its beginning",
            path.display(),
            inspect.queue_count(),
            inspect.counts().total()
        );
    }
    Ok(Some((store, restored)))
}

/// The credentials with their accounts, the built-in one if none was given.
pub(super) fn credentials(settings: &Settings) -> Result<Vec<Credential>, StartError> {
    let account = settings.account.unwrap_or_default();
    let given = settings.credentials.iter().cloned();
    let mut credentials: Vec<Credential> = given
        .map(|credential| match credential.account() {
            Some(_) => credential,
            None => credential.with_account(account),
        })
        .collect();
    if credentials.is_empty() {
        credentials.push(Credential::default().with_account(account));
    }
    let mut keys = HashSet::new();
    match credentials
        .iter()
        .find(|credential| !keys.insert(credential.access_key_id()))
    {
        Some(twice) => Err(StartError::DuplicateAccessKey(
            twice.access_key_id().to_owned(),
        )),
        None => Ok(credentials),
    }
}

/// The declared queues as the calls that make them, which have been tried.
pub(super) fn declared(settings: &Settings) -> Result<Vec<Declared>, StartError> {
    let account = settings.account.unwrap_or_default();
    let region = settings.region.as_deref().unwrap_or(REGION);
    let queues = settings.queues.iter();
    let declared: Vec<_> = queues.map(|queue| queue.resolve(account, region)).collect();
    match declare::trial(&declared).into_iter().next() {
        None => Ok(declared),
        Some(fault) => Err(StartError::Queue {
            name: declared[fault.queue].address.name.clone(),
            part: fault.part.to_string(),
            reason: fault.reason,
        }),
    }
}
