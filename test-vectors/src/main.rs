//! The conformance runner: every vector through `sigv4`, signed and verified.
//!
//! Prints what of AWS's suite is corrected or skipped and why, a comparison for each failure, a summary
//! for each kind, and last `N passed, N failed`. Exit status: 0 when nothing failed, 1 when something
//! did, 2 when the vectors could not be read, a signer could not be started, or an argument is wrong.
//! With `--signer` another program than `sigv4` is held to them.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use test_vectors::report::Report;
use test_vectors::run::run;
use test_vectors::signer::{self, Limits, Program, StartError};
use test_vectors::subject::Sigv4;
use test_vectors::{LoadError, suite, vectors};

#[derive(Parser)]
#[command(about = "AWS's published signing vectors and our own, through sigv4")]
struct Arguments {
    /// Which vectors to run; all of them when none is named.
    selection: Vec<Selection>,
    /// Another copy of AWS's suite: the folder that holds the folders `v4` and `v4a`. Without it, the copy inside
    /// the pinned crates.io package.
    #[arg(long, value_name = "DIR")]
    suite: Option<PathBuf>,
    /// Holds another signer to the vectors, instead of `sigv4`: a command that reads a case a line, as
    /// JSON, and answers a line. Only `sigv4` is run, unless `sigv4a` is named too.
    #[arg(long, value_name = "CMD")]
    signer: Option<String>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Start(#[from] StartError),
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Selection {
    /// Signature Version 4.
    Sigv4,
    /// SigV4a, the asymmetric signature.
    Sigv4a,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match report(&arguments) {
        Ok(report) => {
            println!("{report}");
            match report.failed() {
                0 => ExitCode::SUCCESS,
                _ => ExitCode::FAILURE,
            }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs what is selected, and prints what is to be known of the vectors.
fn report(arguments: &Arguments) -> Result<Report, Error> {
    let selected = |selection| match (&arguments.selection[..], &arguments.signer) {
        // A signer that knows SigV4a is the exception.
        ([], Some(_)) => selection == Selection::Sigv4,
        ([], None) => true,
        (named, _) => named.contains(&selection),
    };
    let folder = match &arguments.suite {
        Some(folder) => folder.clone(),
        None => suite::locate()?,
    };
    let mut suites = Vec::new();
    let mut own = Vec::new();
    if selected(Selection::Sigv4) {
        suites.push(suite::load(&folder)?);
        own = vectors::load(&vectors::folder())?;
    }
    if selected(Selection::Sigv4a) {
        suites.push(suite::load_v4a(&folder)?);
    }
    let mut cases = Vec::new();
    for suite in suites {
        for note in &suite.notes {
            println!("{note}");
        }
        cases.extend(suite.cases);
    }
    cases.extend(own);
    Ok(match &arguments.signer {
        Some(command) => signer::run(Program::start(command, Limits::default())?, &cases),
        None => run(&Sigv4, &cases),
    })
}
