//! The conformance runner.

fn main() {}
