//! AWS's published signing vectors, typed, and a conformance runner.
