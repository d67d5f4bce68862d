//! The command line as clap reads it, into texts that are not looked at yet.

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};

use super::ArgumentError;

/// A local Amazon SQS that verifies every signature.
#[derive(Debug, Parser)]
#[command(name = "fake-sqs", version)]
#[command(
    after_help = "Every flag has an environment variable; the flag wins over it, and it over the file."
)]
pub(super) struct Flags {
    /// Address and port to listen on; port 0 takes a free one [env: FAKE_SQS_LISTEN] [default:
    /// 127.0.0.1:9324]
    #[arg(long, value_name = "ADDR:PORT")]
    pub(super) listen: Option<String>,

    /// An access key and its secret, and the account they belong to; repeatable. The first one
    /// replaces the built-in test:test:000000000000 [env: FAKE_SQS_CREDENTIALS, separated by
    /// spaces]
    #[arg(long, value_name = "KEY:SECRET[:ACCOUNT]")]
    pub(super) credential: Vec<String>,

    /// A TOML file with settings, credentials and queues; flags and variables win over it [env:
    /// FAKE_SQS_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Keep the state in this directory, and take up what is there [env: FAKE_SQS_DATA_DIR]
    /// [default: none; the state is gone with the server]
    #[arg(long, value_name = "DIR")]
    pub(super) data_dir: Option<PathBuf>,

    /// Turn off the two 60-second rules: a deleted queue's name can be used again at once, and a
    /// queue can be purged again at once [env: FAKE_SQS_RELAXED=1]
    #[arg(long)]
    pub(super) relaxed: bool,

    /// Create a queue that is missing, with defaults, when it is first used; FIFO if its name ends
    /// in .fifo [env: FAKE_SQS_AUTO_CREATE=1]
    #[arg(long)]
    pub(super) auto_create: bool,

    /// Number from which message ids, receipt handles and request ids follow [env: FAKE_SQS_SEED]
    /// [default: random, printed in the log]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) seed: Option<String>,

    /// A further Host name that the control interface answers to, besides loopback names;
    /// repeatable [env: FAKE_SQS_CONTROL_HOSTS, separated by spaces]
    #[arg(long, value_name = "NAME")]
    pub(super) control_host: Vec<String>,

    /// Let web pages of other origins call SQS; never the control interface [env: FAKE_SQS_CORS=1]
    #[arg(long)]
    pub(super) cors: bool,

    /// What is logged, on standard error: off, error, warn, info, debug or trace [env:
    /// FAKE_SQS_LOG] [default: info]
    #[arg(long, value_name = "LEVEL")]
    pub(super) log: Option<String>,

    #[command(subcommand)]
    pub(super) command: Option<Subcommands>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Subcommands {
    /// Exit with 0 if a server is ready, and with 1 if not: for container health checks
    Health {
        /// The server to ask [default: the address of FAKE_SQS_LISTEN, or http://127.0.0.1:9324]
        #[arg(long, value_name = "URL")]
        endpoint: Option<String>,
    },
    /// Run what is recorded in a data directory again: exit with 0 if the answers are the same,
    /// and with 1, and a line for each, if some are not
    Replay {
        /// The directory; no server may be using it
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },

    /// Check a configuration file: exit with 0 if it is right, and with 2 if not, telling everything
    /// that is wrong with it
    Check {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// Words clap's refusal anew if it repeats an argument that nobody asked for, unless that is a flag:
/// after `--credential KEY SECRET`, with a space where a colon belongs, it is the secret.
pub(super) fn discreet(error: clap::Error) -> ArgumentError {
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
        "an argument is neither a flag nor one of the commands `health`, `check` and `replay` (it \
         is not repeated here, since it may be a secret). Without a command fake-sqs serves; a \
         credential is one argument, \
         --credential KEY:SECRET. See fake-sqs --help"
            .to_owned(),
    )
}
