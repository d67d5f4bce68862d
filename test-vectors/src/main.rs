//! The conformance runner: AWS's vectors and our own, through `sigv4` and `aws-json`.
//!
//! Prints what is corrected, skipped or not there and why, a comparison for each failure, a summary for each kind,
//! and last `N passed, N failed`. Exit status: 0 when nothing failed, 1 when something did, 2 when vectors could
//! not be read, a signer could not be started, or an argument is wrong. With `--signer` another program than
//! `sigv4` is held to the signing vectors.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use test_vectors::botocore::Botocore;
use test_vectors::json::skip::Skips;
use test_vectors::json::{self, case};
use test_vectors::outside::{self, endpoints, profiles};
use test_vectors::report::{Kinds, Report};
use test_vectors::run::run;
use test_vectors::signer::{self, Limits, Program, StartError};
use test_vectors::subject::Sigv4;
use test_vectors::{LoadError, suite, vectors};

#[derive(Parser)]
#[command(about = "AWS's vectors and our own, through sigv4 and aws-json")]
struct Arguments {
    /// Which vectors to run; all of them when none is named.
    selection: Vec<Selection>,
    /// Another copy of AWS's signing suite: the folder that holds the folders `v4` and `v4a`. Without it, the copy
    /// inside the pinned crates.io package.
    #[arg(long, value_name = "DIR")]
    suite: Option<PathBuf>,
    /// The folder that `vectors/aws-json/fetch DIR` filled. Without it, the one that it fills when no folder is
    /// named.
    #[arg(long, value_name = "DIR")]
    botocore: Option<PathBuf>,
    /// Holds another signer to the vectors, instead of `sigv4`: a command that reads a case a line, as JSON, and
    /// answers a line. Only `sigv4` is run, unless `sigv4a` is named too.
    #[arg(long, value_name = "CMD")]
    signer: Option<String>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("--signer is asked to sign only: it goes with sigv4 and sigv4a, not with aws-json")]
    NoSuchSigner,
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("no runtime for the client: {0}")]
    Runtime(#[from] std::io::Error),
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Selection {
    /// Signature Version 4.
    Sigv4,
    /// SigV4a, the asymmetric signature.
    Sigv4a,
    /// AWS's JSON protocol, and what a client of it finds outside its code.
    AwsJson,
}

/// What the last line says.
#[derive(Default)]
struct Total {
    passed: usize,
    failed: usize,
}

impl Total {
    /// Prints a report and counts it.
    fn add<K: Kinds>(&mut self, report: &Report<K>) {
        print!("{}", report.details());
        self.passed += report.passed();
        self.failed += report.failed();
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match total(&arguments) {
        Ok(Total { passed, failed }) => {
            println!("{passed} passed, {failed} failed");
            match failed {
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

/// Runs what is selected.
fn total(arguments: &Arguments) -> Result<Total, Error> {
    let selected = |selection| match (&arguments.selection[..], &arguments.signer) {
        // A signer that knows SigV4a is the exception.
        ([], Some(_)) => selection == Selection::Sigv4,
        ([], None) => true,
        (named, _) => named.contains(&selection),
    };
    let mut total = Total::default();
    if selected(Selection::Sigv4) || selected(Selection::Sigv4a) {
        total.add(&signatures(arguments, selected)?);
    }
    if selected(Selection::AwsJson) {
        if arguments.signer.is_some() {
            return Err(Error::NoSuchSigner);
        }
        aws_json(arguments, &mut total)?;
    }
    Ok(total)
}

/// Runs the signing vectors that are selected, and prints what is to be known of them.
fn signatures(
    arguments: &Arguments,
    selected: impl Fn(Selection) -> bool,
) -> Result<Report, Error> {
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

/// Runs the cases of the client, and prints what is to be known of them.
fn aws_json(arguments: &Arguments, total: &mut Total) -> Result<(), Error> {
    let skips = Skips::load(&Skips::file())?;
    let mut cases = case::own(&case::own_file())?;
    let botocore = match &arguments.botocore {
        Some(folder) => Botocore::at(folder)?,
        None => Botocore::locate()?,
    };
    let mut outside = outside::Run::default();
    profiles::run(&profiles::locate()?, &mut outside)?;
    if botocore.is_there() || arguments.botocore.is_some() {
        for skip in &skips.skipped {
            println!("{skip}");
        }
        let published = case::published(&botocore)?;
        total.add(&json::check_skips(&published, &skips));
        cases.extend(published);
        endpoints::run(&botocore, &mut outside)?;
    } else {
        println!("{}", botocore.how_to_fetch());
    }
    print!("{outside}");
    total.add(&json::run(&cases, &skips)?);
    total.add(&outside.report);
    Ok(())
}
