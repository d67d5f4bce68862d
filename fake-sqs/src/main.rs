//! The `fake-sqs` program: a local Amazon SQS that verifies every signature.

mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run()
}
