//! The conformance runner: every vector through `sigv4`, signed and verified.
//!
//! Prints what of AWS's suite is corrected or skipped and why, a comparison for each failure, a summary
//! for each kind, and last `N passed, N failed`. Exit status: 0 when nothing failed, 1 when something
//! did, 2 when the vectors could not be read or an argument is wrong.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use test_vectors::run::run;
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
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints everything; the number of failed cases.
fn report(arguments: &Arguments) -> Result<usize, LoadError> {
    let selected =
        |selection| arguments.selection.is_empty() || arguments.selection.contains(&selection);
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
    let report = run(&Sigv4, &cases);
    println!("{report}");
    Ok(report.failed())
}
