//! Why a server did not start.

use std::io;
use std::net::SocketAddr;

use crate::{DataDirError, FaultError};

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address cannot be listened on: another program has the port, the machine does not have
    /// the address, or the port is one that only the system's administrator may take.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Two credentials have this access key, so it would not be clear which secret holds.
    #[error("two credentials have the access key {0:?}; give each its own")]
    DuplicateAccessKey(String),
    /// No region can be called so.
    #[error(
        "{0:?} cannot be a region's name; give letters, digits and hyphens, at most 64, like \
         us-east-1"
    )]
    Region(String),
    /// The data directory cannot be used.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// A declared queue cannot be made.
    #[error("the declared queue {name:?} cannot be made: {part}{reason}")]
    Queue {
        /// Its name.
        name: String,
        /// What of it is wrong, with a colon; empty for the queue as a whole.
        part: String,
        /// Why, and what would be right.
        reason: String,
    },
    /// A fault that the server was to begin with cannot be.
    #[error("there can be no such fault: {0}")]
    Fault(FaultError),
    /// The system gave no thread, or no runtime could be made.
    #[error("cannot start the server's thread: {0}")]
    Thread(io::Error),
}
