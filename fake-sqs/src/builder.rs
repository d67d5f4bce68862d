//! How a server is put together.

use std::collections::HashSet;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use prometheus_client::metrics::gauge::Gauge;
use sqs_engine::{InFlightLimits, Rules};

use crate::admin::{Admin, Events, Guard};
use crate::auth::Authenticator;
use crate::changes::Changes;
use crate::clock::{ClockStart, WallClock};
use crate::control::Control;
use crate::declare::{self, Declared};
use crate::driver::{AutoCreate, Driver, Setup};
use crate::faults::{Fault, FaultError, Faults, Rule};
use crate::http::cors::Cors;
use crate::http::observe::Observer;
use crate::http::sqs_route::SqsRoute;
use crate::http::{self, Parts, limits};
use crate::journal::{Bounds, Journal};
use crate::metrics::Metrics;
use crate::record::Recorder;
use crate::seed::{RequestIds, Seed};
use crate::server::{REGION, Server};
use crate::settings::Settings;
use crate::store::{Restored, Store};
use crate::{
    AccountId, Configuration, ControlHost, Credential, DataDirError, FakeSqs, QueueDeclaration,
};

/// Everything that can be chosen about a server. Made by [`FakeSqs::builder`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use fake_sqs::{Credential, FakeSqs, Rules};
///
/// let sqs = FakeSqs::builder()
///     .account("123456789012".parse()?)
///     .credential(Credential::new("AKIDORDERS", "its secret")?)
///     .credential("AKIDBILLING:its secret:210987654321".parse()?)
///     .rules(Rules::Relaxed)
///     .seed(7)
///     .start()
///     .await?;
/// assert_eq!(sqs.credentials().access_key_id(), "AKIDORDERS");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until it is started"]
pub struct Builder {
    given: Settings,
    file: Settings,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            given: Settings::default(),
            file: Settings::default(),
        }
    }

    /// Takes what a configuration file says. What is given to the builder itself wins over it,
    /// whichever comes first; queues come on top of the file's. A second file replaces the first.
    pub fn configuration(mut self, configuration: Configuration) -> Self {
        self.file = configuration.settings;
        self
    }

    /// Listens on this address. Port 0, the default on 127.0.0.1, takes a free one.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.given.listen = Some(address);
        self
    }

    /// Serves whoever signs with this credential. The first one replaces the built-in `test` with
    /// the secret `test`; further ones are added to it.
    pub fn credential(mut self, credential: Credential) -> Self {
        self.given.credentials.push(credential);
        self
    }

    /// The account of the credentials and queues that name none; `000000000000` unless it is set.
    pub fn account(mut self, account: AccountId) -> Self {
        self.given.account = Some(account);
        self
    }

    /// Whether the two 60-second rules hold, which make tests wait that create a queue again after
    /// deleting it, or purge one twice. They do unless [`Rules::Relaxed`] is set.
    pub fn rules(mut self, rules: Rules) -> Self {
        self.given.rules = Some(rules);
        self
    }

    /// Whether a queue that is missing is created when it is first used. It is an error, as on AWS,
    /// unless [`AutoCreate::On`] is set.
    pub fn auto_create(mut self, auto_create: AutoCreate) -> Self {
        self.given.auto_create = Some(auto_create);
        self
    }

    /// How many messages of a queue may be in flight: 120,000, unless a test that must see the limit
    /// reached sets it low. At it a standard queue refuses to give more with OverLimit, and a FIFO
    /// queue gives nothing.
    pub fn in_flight_limits(mut self, limits: InFlightLimits) -> Self {
        self.given.in_flight_standard = Some(limits.standard);
        self.given.in_flight_fifo = Some(limits.fifo);
        self
    }

    /// How many connections are served at once; further ones wait. It is
    /// [`CONNECTIONS_MAX`](crate::limits::CONNECTIONS_MAX) unless it is set, and at least 1.
    pub fn connections_max(mut self, connections: usize) -> Self {
        self.given.connections_max = Some(connections.max(1));
        self
    }

    /// The number from which message ids, receipt handles and request ids follow: with the same
    /// seed, the same calls get the same ids. Without one they differ with every start and reset.
    pub fn seed(mut self, seed: u64) -> Self {
        self.given.seed = Some(seed);
        self
    }

    /// What the queues' clock shows at the start and after a reset: real time, unless it is set.
    pub fn clock(mut self, start: ClockStart) -> Self {
        self.given.clock = Some(start);
        self
    }

    /// Has this queue from the start, and again after a reset.
    pub fn queue(mut self, queue: QueueDeclaration) -> Self {
        self.given.queues.push(queue);
        self
    }

    /// Lets the control interface under `/_fake/` answer to this `Host` too. Loopback names are
    /// always answered.
    pub fn control_host(mut self, host: ControlHost) -> Self {
        self.given.control_hosts.push(host);
        self
    }

    /// Whether web pages of other origins may call SQS. They may not unless [`Cors::On`] is set.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.given.cors = Some(cors);
        self
    }

    /// How much the journal of requests keeps.
    pub fn journal(mut self, bounds: Bounds) -> Self {
        self.given.journal = Some(bounds);
        self
    }

    /// Keeps the state in this directory, which is made if it is not there, and takes up what is in
    /// it. Without one, everything is in memory and gone with the server.
    ///
    /// An answer goes out when what it rests on cannot be lost any more, not by the end of the
    /// process and not by that of the machine. Kept are queues with everything in and about them and
    /// the queues' clock: while it runs, time without a server passes too. Messages that were
    /// received stay in flight for as long as they were to. The seed is that of the directory's
    /// beginning, or of the last reset; the other settings are those of this builder.
    ///
    /// When it cannot be written, calls that would change something fail with InternalFailure, and
    /// nothing has changed; they succeed again when there is room again. A directory is used by one
    /// server at a time.
    pub fn data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.given.data_dir = Some(path.into());
        self
    }

    /// Begins with this fault, also after a reset. [`FakeSqs::fault`] is for those that come and go.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use fake_sqs::{FakeSqs, Fault};
    ///
    /// // One call in ten is throttled, and the same ones each time.
    /// let builder = FakeSqs::builder().fault(Fault::throttle().share(0.1)).seed(7);
    /// let server = builder.start().await?;
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fault(mut self, fault: Fault) -> Self {
        self.given.faults.push(fault);
        self
    }

    /// Starts the server on a thread and a runtime of its own.
    ///
    /// # Errors
    ///
    /// [`StartError`] when two credentials have the same key, when a declared queue is wrong or a
    /// fault cannot be, when the address cannot be listened on, when the data directory cannot be
    /// used, or when the system gives no thread or no runtime.
    pub async fn start(self) -> Result<FakeSqs, StartError> {
        FakeSqs::spawn(self.bind()?)
    }

    /// Takes the port without serving it yet: connections wait until [`Server::run`] is called, on
    /// whatever runtime the caller has.
    ///
    /// # Errors
    ///
    /// [`StartError`] when two credentials have the same key, when a declared queue is wrong or a
    /// fault cannot be, or when the address cannot be listened on.
    pub fn bind(self) -> Result<Server, StartError> {
        let settings = self.settings();
        let credentials = credentials(&settings)?;
        let declared = declared(&settings)?;
        let listen = settings.listen;
        let listen = listen.unwrap_or_else(|| (Ipv4Addr::LOCALHOST, 0).into());
        let connections_max = settings.connections_max;
        let failed = |source| StartError::Listen {
            address: listen,
            source,
        };
        let listener = TcpListener::bind(listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let place = Place {
            address,
            clock: WallClock::System,
        };
        let Assembled {
            driver,
            control,
            router,
            connections,
        } = assemble(settings, declared, &credentials, &place)?;
        Ok(Server {
            listener,
            address,
            credentials,
            connections_max: connections_max.unwrap_or(limits::CONNECTIONS_MAX),
            driver,
            control,
            router,
            connections,
        })
    }

    /// The server without its socket: what answers requests, and what lets time pass.
    #[cfg(test)]
    pub(crate) fn assemble(self, place: &Place) -> Result<Assembled, StartError> {
        let settings = self.settings();
        let credentials = credentials(&settings)?;
        let declared = declared(&settings)?;
        assemble(settings, declared, &credentials, place)
    }

    /// What holds: what was given, and the file behind it.
    fn settings(self) -> Settings {
        self.given.over(self.file)
    }
}

/// Where and when a server is.
pub(crate) struct Place {
    /// The host in queue URLs for a request that names none.
    pub(crate) address: SocketAddr,
    /// What signatures are checked by.
    pub(crate) clock: WallClock,
}

/// A server without its socket.
pub(crate) struct Assembled {
    pub(crate) driver: Arc<Driver>,
    pub(crate) control: Control,
    pub(crate) router: Router,
    /// Shows how many connections are open.
    pub(crate) connections: Gauge,
}

fn assemble(
    settings: Settings,
    declared: Vec<Declared>,
    credentials: &[Credential],
    place: &Place,
) -> Result<Assembled, StartError> {
    let faults = faults_of(&settings)?;
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
        declared,
        changes: Arc::clone(&changes),
        recorder,
        restored,
    }));
    driver.declare();
    let journal = settings.journal.unwrap_or_default();
    let journal = Arc::new(Journal::new(journal, Arc::clone(&changes)));
    let metrics = Arc::new(Metrics::new(Arc::clone(&driver), Arc::clone(&journal)));
    // There is at least one credential, and each has its account by now.
    let account = credentials.first().and_then(Credential::account);
    let control = Control::new(
        Arc::clone(&driver),
        Arc::clone(&journal),
        Arc::clone(&faults),
        account.or(settings.account).unwrap_or_default(),
        &crate::endpoint_url(place.address),
    );
    let router = http::router(Parts {
        sqs: SqsRoute {
            driver: Arc::clone(&driver),
            faults,
            address: place.address,
        },
        cors: settings.cors.unwrap_or_default(),
        authenticator: Arc::new(Authenticator::new(credentials, place.clock)),
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
fn credentials(settings: &Settings) -> Result<Vec<Credential>, StartError> {
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
fn declared(settings: &Settings) -> Result<Vec<Declared>, StartError> {
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

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address cannot be listened on: another program has the port, the machine does not have
    /// the address, or the port is one that only the system's administrator may take.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Two credentials have this access key, so it would not be clear which secret holds.
    #[error("two credentials have the access key {0:?}; give each its own")]
    DuplicateAccessKey(String),
    /// The data directory cannot be used.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// A declared queue cannot be made.
    #[error("the declared queue {name:?} cannot be made: {part}{reason}")]
    Queue {
        /// Its name.
        name: String,
        /// What of it is wrong, with a colon; empty for the queue as a whole.
        part: String,
        /// Why, and what would be right.
        reason: String,
    },
    /// A fault that the server was to begin with cannot be.
    #[error("there can be no such fault: {0}")]
    Fault(FaultError),
    /// The system gave no thread, or no runtime could be made.
    #[error("cannot start the server's thread: {0}")]
    Thread(io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounts(builder: &Builder) -> Vec<(String, String)> {
        let credentials = credentials(&builder.clone().settings()).expect("distinct keys");
        let pair = |credential: &Credential| {
            let account = credential.account().expect("an account by now");
            (credential.access_key_id().to_owned(), account.to_string())
        };
        credentials.iter().map(pair).collect()
    }

    fn pair(key: &str, account: &str) -> (String, String) {
        (key.to_owned(), account.to_owned())
    }

    #[test]
    fn the_first_credential_replaces_the_built_in_one() {
        let account = |text: &str| text.parse::<AccountId>().expect("an account");
        let credential = |text: &str| text.parse::<Credential>().expect("a credential");
        assert_eq!(accounts(&Builder::new()), [pair("test", "000000000000")]);
        let builder = Builder::new().account(account("111111111111"));
        assert_eq!(accounts(&builder), [pair("test", "111111111111")]);
        let builder = builder
            .credential(credential("a:s"))
            .credential(credential("b:s:222222222222"));
        assert_eq!(
            accounts(&builder),
            [pair("a", "111111111111"), pair("b", "222222222222")]
        );
    }

    #[test]
    fn a_key_is_given_once() {
        let credential = |text: &str| text.parse::<Credential>().expect("a credential");
        let builder = Builder::new()
            .credential(credential("a:hunter2"))
            .credential(credential("b:s"))
            .credential(credential("a:hunter3"));
        let error = builder
            .bind()
            .map(|_| ())
            .expect_err("the key a is there twice");
        assert!(
            matches!(&error, StartError::DuplicateAccessKey(key) if key == "a"),
            "{error:?}"
        );
        assert!(!format!("{error} {error:?}").contains("hunter"));
    }

    #[test]
    fn a_port_that_is_taken_is_named() {
        let taken = Builder::new().bind().expect("a free port");
        let error = Builder::new().listen(taken.address()).bind().map(|_| ());
        let error = error.expect_err("the port is taken");
        let expected = format!("cannot listen on {}: ", taken.address());
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}
