//! How a server is put together.

mod assemble;
mod start_error;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;

use sqs_engine::{InFlightLimits, Rules};

pub(crate) use self::assemble::{Assembled, Place};
use self::assemble::{assemble, credentials, declared};
pub use self::start_error::StartError;
use crate::clock::{ClockStart, WallClock};
use crate::driver::AutoCreate;
use crate::faults::Fault;
use crate::http::cors::Cors;
use crate::http::limits;
use crate::journal::Bounds;
use crate::server::Server;
use crate::settings::Settings;
use crate::{AccountId, Configuration, ControlHost, Credential, FakeSqs, QueueDeclaration};

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

    /// The region of the queues that name none, and what [`FakeSqs::region`] gives: `us-east-1` unless
    /// it is set. Calls are served in any region, each with its own queues.
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.given.region = Some(region.into());
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
    /// [`StartError`] when two credentials have the same key, when a declared queue, the region or a
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
    /// [`StartError`] when two credentials have the same key, when a declared queue, the region or a
    /// fault cannot be, when the address cannot be listened on, or when the data directory cannot be
    /// used.
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
            wall: WallClock::System,
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
    fn a_region_is_one_or_nothing_starts() {
        let bind = |region: &str| Builder::new().region(region).bind();
        assert_eq!(bind("eu-west-1").expect("a server").region(), "eu-west-1");
        let error = bind("eu west").map(|_| ()).expect_err("a space");
        assert_eq!(
            error.to_string(),
            "\"eu west\" cannot be a region's name; give letters, digits and hyphens, at most 64, \
             like us-east-1"
        );
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
