//! Settings from outside the code: environment variables and shared files.

mod environment;
mod error;

pub use self::environment::{Environment, FILE_LIMIT};
pub use self::error::ConfigError;
