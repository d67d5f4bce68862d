//! What the program is told: flags, the environment behind them, and a file behind that.
//!
//! A flag wins over its environment variable, which wins over the file, which wins over the default.

mod flags;
mod settings;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Parser;
use fake_sqs::{
    AutoCreate, Configuration, ConfigurationError, ControlHost, Cors, Credential, FakeSqs, Rules,
};
use tracing::level_filters::LevelFilter;

use self::flags::{Flags, Subcommands, discreet};
pub(crate) use self::settings::Variables;
use self::settings::{
    AUTO_CREATE, CONFIG, CORS, CREDENTIALS, DATA_DIR, LISTEN, LOG, Listen, RELAXED, SEED, Switch,
    is_no_setting,
};

/// Where the server listens unless it is told otherwise.
const LISTEN_DEFAULT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 9324);

/// What the program is to do.
#[derive(Debug)]
pub(crate) enum Command {
    /// Serve until a signal comes.
    Serve(Box<Serve>),
    /// Ask a server whether it is ready.
    Health { endpoint: String },
    /// Run a recorded history again.
    Replay { directory: PathBuf },
    /// Check a configuration file.
    Check { file: PathBuf },
}

/// How to serve; what is not given has its default.
#[derive(Debug)]
pub(crate) struct Serve {
    config: Option<Configuration>,
    listen: Option<SocketAddr>,
    /// Empty: the file's, or else the built-in one.
    credentials: Vec<Credential>,
    data_dir: Option<PathBuf>,
    rules: Option<Rules>,
    auto_create: Option<AutoCreate>,
    seed: Option<u64>,
    control_hosts: Vec<ControlHost>,
    cors: Option<Cors>,
    log: Option<LevelFilter>,
    /// Names that look like settings' and are none.
    unknown_variables: Vec<String>,
}

impl Serve {
    /// The server that these arguments describe.
    pub(crate) fn builder(&self) -> fake_sqs::Builder {
        let mut builder = FakeSqs::builder().listen(self.listen());
        if let Some(config) = &self.config {
            builder = builder.configuration(config.clone());
        }
        if let Some(path) = &self.data_dir {
            builder = builder.data_dir(path);
        }
        if let Some(rules) = self.rules {
            builder = builder.rules(rules);
        }
        if let Some(auto_create) = self.auto_create {
            builder = builder.auto_create(auto_create);
        }
        if let Some(cors) = self.cors {
            builder = builder.cors(cors);
        }
        if let Some(seed) = self.seed {
            builder = builder.seed(seed);
        }
        for credential in &self.credentials {
            builder = builder.credential(credential.clone());
        }
        for host in &self.control_hosts {
            builder = builder.control_host(host.clone());
        }
        builder
    }

    /// Where to listen.
    fn listen(&self) -> SocketAddr {
        let in_file = self.config.as_ref().and_then(Configuration::listen);
        self.listen.or(in_file).unwrap_or(LISTEN_DEFAULT)
    }

    /// What is logged.
    pub(crate) fn log(&self) -> LevelFilter {
        let in_file = self.config.as_ref().and_then(Configuration::log);
        // The file was checked: it names a level.
        let in_file = in_file.and_then(|level| level.parse().ok());
        self.log.or(in_file).unwrap_or(LevelFilter::INFO)
    }

    /// Whether the built-in credential is the one that is served.
    pub(crate) fn has_built_in_credential(&self) -> bool {
        let mut config = self.config.iter();
        self.credentials.is_empty() && !config.any(Configuration::has_credentials)
    }

    /// What was given that is probably not what was meant. No secret is in it.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        let odd = |credential: &&Credential| credential.secret_access_key().contains([':', ',']);
        let odd = self.credentials.iter().filter(odd).map(|credential| {
            format!(
                "the secret of the access key {:?} contains ':' or ','. If that is not meant: an \
                 account is exactly 12 digits, and credentials in {} are separated by spaces",
                credential.access_key_id(),
                CREDENTIALS.variable
            )
        });
        let unknown = self.unknown_variables.iter();
        odd.chain(unknown.map(|name| is_no_setting(name)))
    }
}

/// Why the arguments cannot be used.
#[derive(Debug)]
pub(crate) enum ArgumentError {
    /// Clap's own: its message, or the help that was asked for.
    Clap(clap::Error),
    /// A value that means nothing; the text says where it was given.
    Value(String),
    /// The configuration file cannot be used.
    Configuration(ConfigurationError),
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clap(error) => {
                let text = error.to_string();
                f.write_str(text.strip_prefix("error: ").unwrap_or(&text))
            }
            Self::Value(text) => f.write_str(text),
            Self::Configuration(error) => error.fmt(f),
        }
    }
}

impl Command {
    /// Parses the program's arguments (the first is its name), and the variables behind them.
    pub(crate) fn parse<A: Into<OsString> + Clone>(
        arguments: impl IntoIterator<Item = A>,
        variables: Variables<'_>,
    ) -> Result<Self, ArgumentError> {
        let flags = Flags::try_parse_from(arguments).map_err(discreet)?;
        match &flags.command {
            Some(Subcommands::Health {
                endpoint: Some(endpoint),
            }) => Ok(Self::Health {
                endpoint: endpoint.clone(),
            }),
            Some(Subcommands::Check { file }) => Ok(Self::Check { file: file.clone() }),
            Some(Subcommands::Health { endpoint: None }) => {
                let listen = listen(&flags, &variables)?.unwrap_or(LISTEN_DEFAULT);
                Ok(Self::Health {
                    endpoint: fake_sqs::endpoint_url(listen),
                })
            }
            Some(Subcommands::Replay { directory }) => Ok(Self::Replay {
                directory: directory.clone(),
            }),
            None => serve(&flags, &variables).map(Box::new).map(Self::Serve),
        }
    }
}

fn serve(flags: &Flags, variables: &Variables<'_>) -> Result<Serve, ArgumentError> {
    let rules = |switch| match switch {
        Switch::On => Rules::Relaxed,
        Switch::Off => Rules::Strict,
    };
    let auto_create = |switch| match switch {
        Switch::On => AutoCreate::On,
        Switch::Off => AutoCreate::Off,
    };
    let cors = |switch| match switch {
        Switch::On => Cors::On,
        Switch::Off => Cors::Off,
    };
    let config = variables.path(CONFIG, flags.config.as_deref());
    let config = config.map(Configuration::read).transpose();
    Ok(Serve {
        config: config.map_err(ArgumentError::Configuration)?,
        listen: listen(flags, variables)?,
        credentials: variables.credentials(&flags.credential)?,
        data_dir: variables.path(DATA_DIR, flags.data_dir.as_deref()),
        rules: variables.switch(&RELAXED, flags.relaxed)?.map(rules),
        auto_create: variables
            .switch(&AUTO_CREATE, flags.auto_create)?
            .map(auto_create),
        seed: variables.one(&SEED, flags.seed.as_deref())?,
        control_hosts: variables.control_hosts(&flags.control_host)?,
        cors: variables.switch(&CORS, flags.cors)?.map(cors),
        log: variables.one(&LOG, flags.log.as_deref())?,
        unknown_variables: variables.unknown(),
    })
}

fn listen(flags: &Flags, variables: &Variables<'_>) -> Result<Option<SocketAddr>, ArgumentError> {
    let listen = variables.one(&LISTEN, flags.listen.as_deref())?;
    Ok(listen.map(|Listen(address)| address))
}
