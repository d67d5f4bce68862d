//! The `fake-sqs` program.

fn main() {}
