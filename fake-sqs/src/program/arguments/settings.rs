//! What can be set, where it is looked for, and how its text is read.
//!
//! The variables are read here rather than by clap, because credentials in one variable are
//! separated by spaces while a secret given by flag may hold a space, because an empty variable
//! means "not set" (compose files pass such), and because clap would repeat a value that it
//! refuses, which may be a secret.

use std::ffi::OsString;
use std::net::{AddrParseError, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use fake_sqs::{ControlHost, Credential, CredentialError};

use super::ArgumentError;

/// A flag and its variable, with the words for what they take.
pub(super) struct Setting {
    pub(super) flag: &'static str,
    pub(super) variable: &'static str,
    form: &'static str,
}

pub(super) const LISTEN: Setting = Setting {
    flag: "--listen",
    variable: "FAKE_SQS_LISTEN",
    form: "ADDR:PORT, where ADDR is an IP address or localhost: 127.0.0.1:9324, for example, or \
           0.0.0.0:9324 to be reached from other machines",
};
pub(super) const CREDENTIALS: Setting = Setting {
    flag: "--credential",
    variable: "FAKE_SQS_CREDENTIALS",
    form: "KEY:SECRET or KEY:SECRET:ACCOUNT",
};
/// What it takes needs no words: any text is a path.
pub(super) const DATA_DIR: &str = "FAKE_SQS_DATA_DIR";
pub(super) const RELAXED: Setting = Setting {
    flag: "--relaxed",
    variable: "FAKE_SQS_RELAXED",
    form: SWITCH,
};
pub(super) const AUTO_CREATE: Setting = Setting {
    flag: "--auto-create",
    variable: "FAKE_SQS_AUTO_CREATE",
    form: SWITCH,
};
pub(super) const SEED: Setting = Setting {
    flag: "--seed",
    variable: "FAKE_SQS_SEED",
    form: "a whole number from 0 to 18446744073709551615",
};
pub(super) const CONTROL_HOSTS: Setting = Setting {
    flag: "--control-host",
    variable: "FAKE_SQS_CONTROL_HOSTS",
    form: "a host name or address, without a scheme or a port",
};
pub(super) const CORS: Setting = Setting {
    flag: "--cors",
    variable: "FAKE_SQS_CORS",
    form: SWITCH,
};
pub(super) const LOG: Setting = Setting {
    flag: "--log",
    variable: "FAKE_SQS_LOG",
    form: "off, error, warn, info, debug or trace",
};

/// The variable of `--config`.
pub(super) const CONFIG: &str = "FAKE_SQS_CONFIG";

/// What the variable of a flag without a value takes.
const SWITCH: &str = "1, true, yes or on, or 0, false, no or off";

/// What a flag without a value says, or its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

impl FromStr for Switch {
    type Err = NoSwitch;

    fn from_str(text: &str) -> Result<Self, NoSwitch> {
        match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(Self::On),
            "0" | "false" | "no" | "off" => Ok(Self::Off),
            _ => Err(NoSwitch),
        }
    }
}

/// A text that is neither yes nor no.
pub(super) struct NoSwitch;

/// An address to listen on.
pub(super) struct Listen(pub(super) SocketAddr);

impl FromStr for Listen {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        fake_sqs::listen_address(text).map(Self)
    }
}

/// What the variables of settings begin with.
const PREFIX: &str = "FAKE_SQS_";

/// Names this program, for the tests that start it.
const PROGRAM: &str = "FAKE_SQS_BIN";

/// All variables that are read.
const VARIABLES: [&str; 10] = [
    LISTEN.variable,
    CREDENTIALS.variable,
    CONFIG,
    DATA_DIR,
    RELAXED.variable,
    AUTO_CREATE.variable,
    SEED.variable,
    CONTROL_HOSTS.variable,
    CORS.variable,
    LOG.variable,
];

/// The environment variables of the process, or of a test.
#[derive(Clone, Copy)]
pub(crate) struct Variables<'a> {
    /// The value of one. Windows asks nothing of a name's case, so names are not compared here.
    pub(crate) value: &'a dyn Fn(&str) -> Option<OsString>,
    /// The names of all that are set.
    pub(crate) names: &'a dyn Fn() -> Vec<OsString>,
}

impl Variables<'_> {
    /// Those that look like settings and are none, with their names only.
    pub(super) fn unknown(&self) -> Vec<String> {
        let is_setting = |name: &String| match cfg!(windows) {
            true => VARIABLES
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name)),
            false => VARIABLES.contains(&name.as_str()),
        };
        let looks_like_one = |name: &String| {
            let start = name.get(..PREFIX.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(PREFIX))
        };
        (self.names)()
            .into_iter()
            .filter_map(|name| name.into_string().ok())
            .filter(|name| looks_like_one(name) && !is_setting(name))
            .filter(|name| name != PROGRAM && !self.is_of_kubernetes(name))
            .collect()
    }

    /// Whether a variable is one that Kubernetes sets in each container beside a service named
    /// `fake-sqs`: <https://kubernetes.io/docs/concepts/services-networking/service/>.
    fn is_of_kubernetes(&self, name: &str) -> bool {
        match name.strip_prefix(PREFIX) {
            Some("PORT") => self.text(name).is_ok_and(|text| {
                text.is_some_and(|text| text.starts_with("tcp://") || text.starts_with("udp://"))
            }),
            Some(rest) => rest.starts_with("SERVICE_") || rest.starts_with("PORT_"),
            None => false,
        }
    }

    /// A path, if there is any.
    pub(super) fn path(&self, variable: &str, flag: Option<&Path>) -> Option<PathBuf> {
        let given = || (self.value)(variable).filter(|text| !text.is_empty());
        flag.map(Path::to_owned)
            .or_else(|| given().map(PathBuf::from))
    }

    /// A setting with one value, if there is any.
    pub(super) fn one<T: FromStr>(
        &self,
        setting: &Setting,
        flag: Option<&str>,
    ) -> Result<Option<T>, ArgumentError> {
        match flag {
            Some(text) => parse(text, setting.flag, setting).map(Some),
            None => match self.text(setting.variable)? {
                Some(text) => parse(&text, setting.variable, setting).map(Some),
                None => Ok(None),
            },
        }
    }

    /// A flag without a value, or its variable, which can also say no.
    pub(super) fn switch(
        &self,
        setting: &Setting,
        flag: bool,
    ) -> Result<Option<Switch>, ArgumentError> {
        match flag {
            true => Ok(Some(Switch::On)),
            false => self.one(setting, None),
        }
    }

    pub(super) fn credentials(&self, flags: &[String]) -> Result<Vec<Credential>, ArgumentError> {
        if !flags.is_empty() {
            return parse_credentials(flags.iter().map(String::as_str), CREDENTIALS.flag);
        }
        let text = self.text(CREDENTIALS.variable)?.unwrap_or_default();
        parse_credentials(text.split_ascii_whitespace(), CREDENTIALS.variable)
    }

    pub(super) fn control_hosts(
        &self,
        flags: &[String],
    ) -> Result<Vec<ControlHost>, ArgumentError> {
        if !flags.is_empty() {
            let parse_one = |text: &String| parse(text, CONTROL_HOSTS.flag, &CONTROL_HOSTS);
            return flags.iter().map(parse_one).collect();
        }
        let text = self.text(CONTROL_HOSTS.variable)?.unwrap_or_default();
        text.split_ascii_whitespace()
            .map(|text| parse(text, CONTROL_HOSTS.variable, &CONTROL_HOSTS))
            .collect()
    }

    /// The variable's text; an empty one counts as not set.
    fn text(&self, name: &str) -> Result<Option<String>, ArgumentError> {
        match (self.value)(name)
            .filter(|text| !text.is_empty())
            .map(OsString::into_string)
        {
            None => Ok(None),
            Some(Ok(text)) => Ok(Some(text)),
            Some(Err(_)) => Err(ArgumentError::Value(format!("{name} is not valid UTF-8"))),
        }
    }
}

/// What is said of a variable that looks like a setting and is none.
pub(super) fn is_no_setting(variable: &str) -> String {
    format!(
        "the variable {variable} is no setting and is ignored; there are {}",
        VARIABLES.join(", ")
    )
}

/// Parses the value of a flag or variable that holds no secret.
fn parse<T: FromStr>(text: &str, source: &str, setting: &Setting) -> Result<T, ArgumentError> {
    text.parse().map_err(|_| {
        ArgumentError::Value(format!("{source} is {text:?}; it must be {}", setting.form))
    })
}

/// Parses credentials; an error gives the number of the wrong one, and none of its text.
fn parse_credentials<'a>(
    texts: impl Iterator<Item = &'a str>,
    source: &str,
) -> Result<Vec<Credential>, ArgumentError> {
    let parse_one = |(n, text): (usize, &str)| {
        let name = |error| match error {
            // It states the form itself.
            CredentialError::NoSecret => {
                ArgumentError::Value(format!("{source}, number {n}: {error}"))
            }
            error => ArgumentError::Value(format!(
                "{source}, number {n}: {error} (the form is {})",
                CREDENTIALS.form
            )),
        };
        text.parse().map_err(name)
    };
    (1..).zip(texts).map(parse_one).collect()
}
