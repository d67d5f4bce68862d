//! What the program is told: flags, and the environment behind them.
//!
//! A flag wins over its environment variable, which wins over the default. The variables are read
//! here rather than by clap, because credentials in one variable are separated by spaces while a
//! secret given by flag may hold a space, because an empty variable means "not set" (compose files
//! pass such), and because clap would repeat a value that it refuses, which may be a secret.

use std::ffi::OsString;
use std::fmt;
use std::net::{AddrParseError, IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};
use fake_sqs::{ControlHost, Credential, CredentialError, FakeSqs, Rules};
use tracing::level_filters::LevelFilter;

/// Where the server listens unless it is told otherwise.
const LISTEN_DEFAULT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 9324);

/// A local Amazon SQS that verifies every signature.
#[derive(Debug, Parser)]
#[command(name = "fake-sqs", version)]
#[command(after_help = "Every flag has an environment variable; the flag wins over it.")]
struct Flags {
    /// Address and port to listen on; port 0 takes a free one [env: FAKE_SQS_LISTEN] [default:
    /// 127.0.0.1:9324]
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<String>,

    /// An access key and its secret, and the account they belong to; repeatable. The first one
    /// replaces the built-in test:test:000000000000 [env: FAKE_SQS_CREDENTIALS, separated by
    /// spaces]
    #[arg(long, value_name = "KEY:SECRET[:ACCOUNT]")]
    credential: Vec<String>,

    /// Turn off the two 60-second rules: a deleted queue's name can be used again at once, and a
    /// queue can be purged again at once [env: FAKE_SQS_RELAXED=1]
    #[arg(long)]
    relaxed: bool,

    /// Number from which message ids, receipt handles and request ids follow [env: FAKE_SQS_SEED]
    /// [default: random, printed in the log]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<String>,

    /// A further Host name that the control interface answers to, besides loopback names;
    /// repeatable [env: FAKE_SQS_CONTROL_HOSTS, separated by spaces]
    #[arg(long, value_name = "NAME")]
    control_host: Vec<String>,

    /// What is logged, on standard error: off, error, warn, info, debug or trace [env:
    /// FAKE_SQS_LOG] [default: info]
    #[arg(long, value_name = "LEVEL")]
    log: Option<String>,

    #[command(subcommand)]
    command: Option<Subcommands>,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Exit with 0 if a server is ready, and with 1 if not: for container health checks
    Health {
        /// The server to ask [default: the address of FAKE_SQS_LISTEN, or http://127.0.0.1:9324]
        #[arg(long, value_name = "URL")]
        endpoint: Option<String>,
    },
}

/// What the program is to do.
#[derive(Debug)]
pub(crate) enum Command {
    /// Serve until a signal comes.
    Serve(Serve),
    /// Ask a server whether it is ready.
    Health { endpoint: String },
}

/// How to serve.
#[derive(Debug)]
pub(crate) struct Serve {
    pub(crate) listen: SocketAddr,
    /// Empty: the built-in one.
    pub(crate) credentials: Vec<Credential>,
    pub(crate) rules: Rules,
    pub(crate) seed: Option<u64>,
    pub(crate) control_hosts: Vec<ControlHost>,
    pub(crate) log: LevelFilter,
}

impl Serve {
    /// The server that these arguments describe.
    pub(crate) fn builder(&self) -> fake_sqs::Builder {
        let mut builder = FakeSqs::builder().listen(self.listen).rules(self.rules);
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

    /// What was given that is probably not what was meant. No secret is in it.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        let odd = |credential: &&Credential| credential.secret_access_key().contains([':', ',']);
        self.credentials.iter().filter(odd).map(|credential| {
            format!(
                "the secret of the access key {:?} contains ':' or ','. If that is not meant: an \
                 account is exactly 12 digits, and credentials in {} are separated by spaces",
                credential.access_key_id(),
                CREDENTIALS.variable
            )
        })
    }
}

/// Why the arguments cannot be used.
#[derive(Debug)]
pub(crate) enum ArgumentError {
    /// Clap's own: its message, or the help that was asked for.
    Clap(clap::Error),
    /// A value that means nothing; the text says where it was given.
    Value(String),
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clap(error) => {
                let text = error.to_string();
                f.write_str(text.strip_prefix("error: ").unwrap_or(&text))
            }
            Self::Value(text) => f.write_str(text),
        }
    }
}

impl Command {
    /// Parses the program's arguments (the first is its name), and `environment` behind them.
    pub(crate) fn parse<A: Into<OsString> + Clone>(
        arguments: impl IntoIterator<Item = A>,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ArgumentError> {
        let flags = Flags::try_parse_from(arguments).map_err(discreet)?;
        let variables = Variables(environment);
        let listen = || {
            let Listen(address) =
                variables.one(&LISTEN, flags.listen.as_deref(), Listen(LISTEN_DEFAULT))?;
            Ok(address)
        };
        match flags.command {
            Some(Subcommands::Health {
                endpoint: Some(endpoint),
            }) => Ok(Self::Health { endpoint }),
            Some(Subcommands::Health { endpoint: None }) => Ok(Self::Health {
                endpoint: fake_sqs::endpoint_url(listen()?),
            }),
            None => Ok(Self::Serve(Serve {
                listen: listen()?,
                credentials: variables.credentials(&flags.credential)?,
                rules: variables.rules(flags.relaxed)?,
                seed: variables.optional(&SEED, flags.seed.as_deref())?,
                control_hosts: variables.control_hosts(&flags.control_host)?,
                log: variables.one(&LOG, flags.log.as_deref(), LevelFilter::INFO)?,
            })),
        }
    }
}

/// A flag and its variable, with the words for what they take.
struct Setting {
    flag: &'static str,
    variable: &'static str,
    form: &'static str,
}

const LISTEN: Setting = Setting {
    flag: "--listen",
    variable: "FAKE_SQS_LISTEN",
    form: "ADDR:PORT, where ADDR is an IP address or localhost: 127.0.0.1:9324, for example, or \
           0.0.0.0:9324 to be reached from other machines",
};
const CREDENTIALS: Setting = Setting {
    flag: "--credential",
    variable: "FAKE_SQS_CREDENTIALS",
    form: "KEY:SECRET or KEY:SECRET:ACCOUNT",
};
const RELAXED: Setting = Setting {
    flag: "--relaxed",
    variable: "FAKE_SQS_RELAXED",
    form: "1, true, yes or on, or 0, false, no or off",
};
const SEED: Setting = Setting {
    flag: "--seed",
    variable: "FAKE_SQS_SEED",
    form: "a whole number from 0 to 18446744073709551615",
};
const CONTROL_HOSTS: Setting = Setting {
    flag: "--control-host",
    variable: "FAKE_SQS_CONTROL_HOSTS",
    form: "a host name or address, without a scheme or a port",
};
const LOG: Setting = Setting {
    flag: "--log",
    variable: "FAKE_SQS_LOG",
    form: "off, error, warn, info, debug or trace",
};

/// An address to listen on. Of names, only `localhost` is one: it means 127.0.0.1.
struct Listen(SocketAddr);

impl FromStr for Listen {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.strip_prefix("localhost:") {
            Some(port) => format!("{}:{port}", Ipv4Addr::LOCALHOST).parse(),
            None => text.parse(),
        }
        .map(Self)
    }
}

/// The environment variables of the process, or of a test.
struct Variables<'a>(&'a dyn Fn(&str) -> Option<OsString>);

impl Variables<'_> {
    /// A setting that always has a value.
    fn one<T: FromStr>(
        &self,
        setting: &Setting,
        flag: Option<&str>,
        default: T,
    ) -> Result<T, ArgumentError> {
        Ok(self.optional(setting, flag)?.unwrap_or(default))
    }

    /// A setting that may have none.
    fn optional<T: FromStr>(
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

    fn credentials(&self, flags: &[String]) -> Result<Vec<Credential>, ArgumentError> {
        if !flags.is_empty() {
            return parse_credentials(flags.iter().map(String::as_str), CREDENTIALS.flag);
        }
        let text = self.text(CREDENTIALS.variable)?.unwrap_or_default();
        parse_credentials(text.split_ascii_whitespace(), CREDENTIALS.variable)
    }

    fn rules(&self, flag: bool) -> Result<Rules, ArgumentError> {
        if flag {
            return Ok(Rules::Relaxed);
        }
        match self
            .text(RELAXED.variable)?
            .map(|text| text.to_ascii_lowercase())
            .as_deref()
        {
            Some("1" | "true" | "yes" | "on") => Ok(Rules::Relaxed),
            None | Some("0" | "false" | "no" | "off") => Ok(Rules::Strict),
            Some(text) => Err(wrong(text, RELAXED.variable, &RELAXED)),
        }
    }

    fn control_hosts(&self, flags: &[String]) -> Result<Vec<ControlHost>, ArgumentError> {
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
        match (self.0)(name)
            .filter(|text| !text.is_empty())
            .map(OsString::into_string)
        {
            None => Ok(None),
            Some(Ok(text)) => Ok(Some(text)),
            Some(Err(_)) => Err(ArgumentError::Value(format!("{name} is not valid UTF-8"))),
        }
    }
}

/// Parses the value of a flag or variable that holds no secret.
fn parse<T: FromStr>(text: &str, source: &str, setting: &Setting) -> Result<T, ArgumentError> {
    text.parse().map_err(|_| wrong(text, source, setting))
}

fn wrong(text: &str, source: &str, setting: &Setting) -> ArgumentError {
    ArgumentError::Value(format!("{source} is {text:?}; it must be {}", setting.form))
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

/// Words clap's refusal anew if it repeats an argument that nobody asked for, unless that is a flag:
/// after `--credential KEY SECRET`, with a space where a colon belongs, it is the secret.
fn discreet(error: clap::Error) -> ArgumentError {
    let kind = match error.kind() {
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        _ => return ArgumentError::Clap(error),
    };
    let is_flag = match error.get(kind) {
        // Of a cluster of short flags clap names one letter.
        Some(ContextValue::String(text)) => text.starts_with("--") || text.len() == 2,
        _ => false,
    };
    if is_flag {
        return ArgumentError::Clap(error);
    }
    ArgumentError::Value(
        "an argument is neither a flag nor the command `health` (it is not repeated here, since it \
         may be a secret). Without a command fake-sqs serves; a credential is one argument, \
         --credential KEY:SECRET. See fake-sqs --help"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    type Arguments<'a> = &'a [&'a str];
    type Environment<'a> = &'a [(&'a str, &'a str)];

    fn command(
        arguments: Arguments<'_>,
        variables: Environment<'_>,
    ) -> Result<Command, ArgumentError> {
        let arguments = ["fake-sqs"].iter().chain(arguments).copied();
        Command::parse(arguments, &|name| {
            let (_, value) = variables.iter().find(|(variable, _)| *variable == name)?;
            Some(OsString::from(value))
        })
    }

    fn serve(arguments: &[&str], variables: &[(&str, &str)]) -> Serve {
        match command(arguments, variables) {
            Ok(Command::Serve(serve)) => serve,
            other => panic!("{arguments:?} {variables:?}: {other:?}"),
        }
    }

    fn error(arguments: &[&str], variables: &[(&str, &str)]) -> String {
        command(arguments, variables)
            .expect_err("bad arguments")
            .to_string()
    }

    fn keys(serve: &Serve) -> Vec<&str> {
        serve
            .credentials
            .iter()
            .map(Credential::access_key_id)
            .collect()
    }

    #[test]
    fn without_arguments_the_defaults_hold() {
        let serve = serve(&[], &[]);
        assert_eq!(serve.listen.to_string(), "127.0.0.1:9324");
        assert_eq!(keys(&serve), [""; 0]);
        assert_eq!(serve.rules, Rules::Strict);
        assert_eq!(serve.seed, None);
        assert_eq!(serve.control_hosts, []);
        assert_eq!(serve.log, LevelFilter::INFO);
    }

    #[test]
    fn flags_are_read() {
        let serve = serve(
            &[
                "--listen=[::1]:0",
                "--credential",
                "a:s 1",
                "--credential",
                "b:s2:123456789012",
                "--relaxed",
                "--seed",
                "18446744073709551615",
                "--control-host",
                "sqs",
                "--control-host=sqs.internal",
                "--log=debug",
            ],
            &[],
        );
        assert_eq!(serve.listen.to_string(), "[::1]:0");
        assert_eq!(keys(&serve), ["a", "b"]);
        assert_eq!(serve.credentials[0].secret_access_key(), "s 1");
        assert_eq!(serve.rules, Rules::Relaxed);
        assert_eq!(serve.seed, Some(u64::MAX));
        assert_eq!(
            serve
                .control_hosts
                .iter()
                .map(ControlHost::as_str)
                .collect::<Vec<_>>(),
            ["sqs", "sqs.internal"]
        );
        assert_eq!(serve.log, LevelFilter::DEBUG);
    }

    const VARIABLES: [(&str, &str); 6] = [
        ("FAKE_SQS_LISTEN", "0.0.0.0:9000"),
        ("FAKE_SQS_CREDENTIALS", " a:s1  b:s2:123456789012 "),
        ("FAKE_SQS_RELAXED", "1"),
        ("FAKE_SQS_SEED", "7"),
        ("FAKE_SQS_CONTROL_HOSTS", "sqs sqs.internal"),
        ("FAKE_SQS_LOG", "off"),
    ];

    #[test]
    fn variables_are_read() {
        let serve = serve(&[], &VARIABLES);
        assert_eq!(serve.listen.to_string(), "0.0.0.0:9000");
        assert_eq!(keys(&serve), ["a", "b"]);
        assert_eq!(serve.rules, Rules::Relaxed);
        assert_eq!(serve.seed, Some(7));
        assert_eq!(serve.control_hosts.len(), 2);
        assert_eq!(serve.log, LevelFilter::OFF);
    }

    #[test]
    fn a_flag_wins_over_its_variable() {
        let flags = [
            "--listen=127.0.0.1:1",
            "--credential=c:s",
            "--seed=8",
            "--control-host=other",
            "--log=warn",
        ];
        let serve = serve(&flags, &VARIABLES);
        assert_eq!(serve.listen.to_string(), "127.0.0.1:1");
        assert_eq!(keys(&serve), ["c"]);
        assert_eq!(serve.seed, Some(8));
        assert_eq!(serve.control_hosts.len(), 1);
        assert_eq!(serve.log, LevelFilter::WARN);
    }

    #[test]
    fn an_empty_variable_is_not_set() {
        let empty = VARIABLES.map(|(name, _)| (name, ""));
        let serve = serve(&[], &empty);
        assert_eq!(serve.listen.to_string(), "127.0.0.1:9324");
        assert_eq!(serve.rules, Rules::Strict);
        assert_eq!(serve.seed, None);
    }

    #[test]
    fn relaxed_as_a_variable_is_yes_or_no() {
        for (text, rules) in [
            ("1", Rules::Relaxed),
            ("true", Rules::Relaxed),
            ("yes", Rules::Relaxed),
            ("ON", Rules::Relaxed),
            ("0", Rules::Strict),
            ("False", Rules::Strict),
            ("no", Rules::Strict),
            ("off", Rules::Strict),
        ] {
            assert_eq!(
                serve(&[], &[("FAKE_SQS_RELAXED", text)]).rules,
                rules,
                "{text}"
            );
        }
        assert_eq!(
            error(&[], &[("FAKE_SQS_RELAXED", "maybe")]),
            "FAKE_SQS_RELAXED is \"maybe\"; it must be 1, true, yes or on, or 0, false, no or off"
        );
    }

    #[test]
    fn an_error_says_where_and_what_would_be_right() {
        let cases: [(Arguments<'_>, Environment<'_>, &str); 7] = [
            (
                &["--listen", "9324"],
                &[],
                "--listen is \"9324\"; it must be ADDR:PORT",
            ),
            (
                &[],
                &[("FAKE_SQS_LISTEN", "x")],
                "FAKE_SQS_LISTEN is \"x\"; it must be ADDR:PORT",
            ),
            (
                &["--seed", "-1"],
                &[],
                "--seed is \"-1\"; it must be a whole number",
            ),
            (
                &["--seed", "ten"],
                &[],
                "--seed is \"ten\"; it must be a whole number",
            ),
            (
                &["--control-host", "a:1"],
                &[],
                "--control-host is \"a:1\"; it must be a host name",
            ),
            (
                &["--log", "loud"],
                &[],
                "--log is \"loud\"; it must be off, error",
            ),
            (&["--data-dir", "x"], &[], "--data-dir"),
        ];
        for (arguments, variables, expected) in cases {
            let error = error(arguments, variables);
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn localhost_is_an_address_and_other_names_are_none() {
        let listen = |text: &str| serve(&["--listen", text], &[]).listen.to_string();
        assert_eq!(listen("localhost:9400"), "127.0.0.1:9400");
        assert_eq!(listen("localhost:0"), "127.0.0.1:0");
        for text in [
            "9400",
            ":9400",
            "sqs:9400",
            "localhost",
            "localhost:",
            "localhost:x",
        ] {
            let error = error(&["--listen", text], &[]);
            let expected = format!(
                "--listen is {text:?}; it must be ADDR:PORT, where ADDR is an IP address or \
                 localhost: 127.0.0.1:9324, for example"
            );
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn a_stray_argument_is_told_what_there_is() {
        for arguments in [&["serve"][..], &["health", "now"]] {
            let error = error(arguments, &[]);
            assert!(
                error.starts_with("an argument is neither a flag nor"),
                "{error}"
            );
            assert!(
                error.contains("Without a command fake-sqs serves"),
                "{error}"
            );
        }
        let flag = error(&["--no-such"], &[]);
        assert!(
            flag.starts_with("unexpected argument '--no-such'"),
            "{flag}"
        );
    }

    #[test]
    fn the_form_of_a_credential_is_stated_once() {
        for credential in ["test", "a/b:s", "k:"] {
            let error = error(&["--credential", credential], &[]);
            assert_eq!(
                error.matches("KEY:SECRET or KEY:SECRET:ACCOUNT").count(),
                1,
                "{error}"
            );
        }
    }

    #[test]
    fn a_secret_that_looks_like_more_than_one_is_warned_of_and_not_shown() {
        let warnings = |text: &str| -> Vec<String> {
            serve(&[], &[("FAKE_SQS_CREDENTIALS", text)])
                .warnings()
                .collect()
        };
        for text in [
            "k:hunter2:123",
            "k:hunter2,c:hunter3",
            "a:s k:hunter2:0123456789012",
        ] {
            let told = warnings(text);
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(
                told[0].contains("access key \"k\" contains ':'"),
                "{told:?}"
            );
            assert!(told[0].contains("exactly 12 digits"), "{told:?}");
            assert!(told[0].contains("separated by spaces"), "{told:?}");
            assert!(!told[0].contains("hunter"), "{told:?}");
        }
        assert_eq!(warnings("a:s/+= b:s:123456789012"), [""; 0]);
    }

    #[test]
    fn a_bad_credential_is_named_by_its_number_and_never_repeated() {
        let cases: [(Arguments<'_>, Environment<'_>); 7] = [
            (&["--credential", "hunter2"], &[]),
            (&["--credential", "k:s", "--credential", "a/b:hunter2"], &[]),
            (&["--credential", "k:", "hunter2"], &[]),
            (&["--credential", "k", "hunter2"], &[]),
            (&["--relaxed", "k:hunter2"], &[]),
            (&["--credentials=k:hunter2"], &[]),
            (&[], &[("FAKE_SQS_CREDENTIALS", "k:s hunter2")]),
        ];
        for (arguments, variables) in cases {
            let error = error(arguments, variables);
            assert!(!error.contains("hunter2"), "{error}");
        }
        let second = error(cases[1].0, cases[1].1);
        assert!(
            second.contains("--credential, number 2: the access key id"),
            "{second}"
        );
        let variable = error(cases[6].0, cases[6].1);
        assert!(
            variable.contains("FAKE_SQS_CREDENTIALS, number 2: a credential is"),
            "{variable}"
        );
    }

    #[test]
    fn health_asks_where_the_server_listens() {
        let endpoint =
            |arguments: &[&str], variables: &[(&str, &str)]| match command(arguments, variables) {
                Ok(Command::Health { endpoint }) => endpoint,
                other => panic!("{other:?}"),
            };
        assert_eq!(endpoint(&["health"], &[]), "http://127.0.0.1:9324");
        assert_eq!(endpoint(&["health"], &VARIABLES), "http://127.0.0.1:9000");
        assert_eq!(
            endpoint(&["health"], &[("FAKE_SQS_LISTEN", "[::]:1")]),
            "http://[::1]:1"
        );
        assert_eq!(
            endpoint(&["health", "--endpoint", "http://sqs:1"], &VARIABLES),
            "http://sqs:1"
        );
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Flags::command().debug_assert();
    }
}
