//! The crate from outside: what is signed verifies, what counts and what does not, and that no
//! input makes it panic.

mod equivalents;
mod hostile;
mod properties;
mod wire;
