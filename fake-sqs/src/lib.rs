//! A local Amazon SQS for tests that verifies every signature.
