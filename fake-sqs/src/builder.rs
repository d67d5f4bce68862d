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
use crate::clock::WallClock;
use crate::control::Control;
use crate::driver::{AutoCreate, Driver, Setup};
use crate::http::cors::Cors;
use crate::http::observe::Observer;
use crate::http::sqs_route::SqsRoute;
use crate::http::{self, Parts};
use crate::journal::{Bounds, Journal};
use crate::metrics::Metrics;
use crate::record::Recorder;
use crate::seed::{RequestIds, Seed};
use crate::server::Server;
use crate::store::{Restored, Store};
use crate::{AccountId, ControlHost, Credential, DataDirError, FakeSqs};

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
    listen: SocketAddr,
    credentials: Vec<Credential>,
    account: AccountId,
    rules: Rules,
    in_flight_limits: InFlightLimits,
    auto_create: AutoCreate,
    seed: Seed,
    control_hosts: Vec<ControlHost>,
    cors: Cors,
    journal: Bounds,
    data_dir: Option<PathBuf>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            credentials: Vec::new(),
            account: AccountId::default(),
            rules: Rules::default(),
            in_flight_limits: InFlightLimits::default(),
            auto_create: AutoCreate::default(),
            seed: Seed::Drawn,
            control_hosts: Vec::new(),
            cors: Cors::default(),
            journal: Bounds::default(),
            data_dir: None,
        }
    }

    /// Listens on this address. Port 0, the default on 127.0.0.1, takes a free one.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = address;
        self
    }

    /// Serves whoever signs with this credential. The first one replaces the built-in `test` with
    /// the secret `test`; further ones are added to it.
    pub fn credential(mut self, credential: Credential) -> Self {
        self.credentials.push(credential);
        self
    }

    /// The account of the credentials that name none; `000000000000` unless it is set.
    pub fn account(mut self, account: AccountId) -> Self {
        self.account = account;
        self
    }

    /// Whether the two 60-second rules hold, which make tests wait that create a queue again after
    /// deleting it, or purge one twice. They do unless [`Rules::Relaxed`] is set.
    pub fn rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Whether a queue that is missing is created when it is first used. It is an error, as on AWS,
    /// unless [`AutoCreate::On`] is set.
    pub fn auto_create(mut self, auto_create: AutoCreate) -> Self {
        self.auto_create = auto_create;
        self
    }

    /// How many messages of a queue may be in flight: 120,000, unless a test that must see the limit
    /// reached sets it low. At it a standard queue refuses to give more with OverLimit, and a FIFO
    /// queue gives nothing.
    pub fn in_flight_limits(mut self, limits: InFlightLimits) -> Self {
        self.in_flight_limits = limits;
        self
    }

    /// The number from which message ids, receipt handles and request ids follow: with the same
    /// seed, the same calls get the same ids. Without one they differ with every start and reset.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Seed::Given(seed);
        self
    }

    /// Lets the control interface under `/_fake/` answer to this `Host` too. Loopback names are
    /// always answered.
    pub fn control_host(mut self, host: ControlHost) -> Self {
        self.control_hosts.push(host);
        self
    }

    /// Whether web pages of other origins may call SQS. They may not unless [`Cors::On`] is set.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.cors = cors;
        self
    }

    /// How much the journal of requests keeps.
    pub fn journal(mut self, bounds: Bounds) -> Self {
        self.journal = bounds;
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
        self.data_dir = Some(path.into());
        self
    }

    /// Starts the server on a thread and a runtime of its own.
    ///
    /// # Errors
    ///
    /// [`StartError`] when two credentials have the same key, when the address cannot be listened
    /// on, when the data directory cannot be used, or when the system gives no thread or no runtime.
    pub async fn start(self) -> Result<FakeSqs, StartError> {
        FakeSqs::spawn(self.bind()?)
    }

    /// Takes the port without serving it yet: connections wait until [`Server::run`] is called, on
    /// whatever runtime the caller has.
    ///
    /// # Errors
    ///
    /// [`StartError`] when two credentials have the same key, when the address cannot be listened
    /// on, or when the data directory cannot be used.
    pub fn bind(self) -> Result<Server, StartError> {
        let credentials = self.resolved_credentials()?;
        let listen = self.listen;
        let failed = |source| StartError::Listen {
            address: listen,
            source,
        };
        let listener = TcpListener::bind(listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let Assembled {
            driver,
            control,
            router,
            connections,
        } = self.assemble(&credentials, address, WallClock::System)?;
        Ok(Server {
            listener,
            address,
            credentials,
            driver,
            control,
            router,
            connections,
        })
    }

    /// The server without its socket: what answers requests, and what lets time pass.
    pub(crate) fn assemble(
        self,
        credentials: &[Credential],
        address: SocketAddr,
        clock: WallClock,
    ) -> Result<Assembled, StartError> {
        let changes = Arc::new(Changes::new());
        let (recorder, restored) = match self.state()? {
            Some((store, restored)) => (Some(Arc::new(store) as Arc<dyn Recorder>), restored),
            None => (None, None),
        };
        let driver = Arc::new(Driver::new(Setup {
            seed: self.seed,
            rules: self.rules,
            limits: self.in_flight_limits,
            auto_create: self.auto_create,
            changes: Arc::clone(&changes),
            recorder,
            restored,
        }));
        let journal = Arc::new(Journal::new(self.journal, Arc::clone(&changes)));
        let metrics = Arc::new(Metrics::new(Arc::clone(&driver), Arc::clone(&journal)));
        // There is at least one credential, and each has its account by now.
        let account = credentials.first().and_then(Credential::account);
        let control = Control::new(
            Arc::clone(&driver),
            Arc::clone(&journal),
            account.unwrap_or(self.account),
            &crate::endpoint_url(address),
        );
        let router = http::router(Parts {
            sqs: SqsRoute {
                driver: Arc::clone(&driver),
                address,
            },
            cors: self.cors,
            authenticator: Arc::new(Authenticator::new(credentials, clock)),
            admin: Admin {
                control: control.clone(),
                metrics: Arc::clone(&metrics),
                guard: Guard::new(self.control_hosts),
                events: Events::new(changes),
            },
            observer: Observer {
                request_ids: RequestIds::new(self.seed.value()),
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

    /// Where the state is kept, if it is, and what is there.
    fn state(&self) -> Result<Option<(Store, Option<Restored>)>, StartError> {
        let Some(path) = &self.data_dir else {
            return Ok(None);
        };
        let (store, restored) = Store::open(path, self.rules, self.in_flight_limits)?;
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
    pub(crate) fn resolved_credentials(&self) -> Result<Vec<Credential>, StartError> {
        let given = self.credentials.iter().cloned();
        let mut credentials: Vec<Credential> = given
            .map(|credential| match credential.account() {
                Some(_) => credential,
                None => credential.with_account(self.account),
            })
            .collect();
        if credentials.is_empty() {
            credentials.push(Credential::default().with_account(self.account));
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
}

/// A server without its socket.
pub(crate) struct Assembled {
    pub(crate) driver: Arc<Driver>,
    pub(crate) control: Control,
    pub(crate) router: Router,
    /// Shows how many connections are open.
    pub(crate) connections: Gauge,
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
    /// The system gave no thread, or no runtime could be made.
    #[error("cannot start the server's thread: {0}")]
    Thread(io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounts(builder: &Builder) -> Vec<(String, String)> {
        let credentials = builder.resolved_credentials().expect("distinct keys");
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
