//! Puts load on an SQS; see `conformance::load`.

use std::process::ExitCode;

fn main() -> ExitCode {
    conformance::load::program::run()
}
