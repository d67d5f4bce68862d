//! Amazon SQS's behaviour as a pure, deterministic state machine.
