//! How many files the process may have open: each connection is one.

use fake_sqs::limits;

/// Files that are open besides connections: the listener, the log, the data directory, the runtime.
const BESIDES: u64 = 64;

/// Raises the limit as far as the system lets it, and says so if that is too low for as many
/// connections as are served by default.
pub(crate) fn raise_limit() {
    let needed = limits::CONNECTIONS_MAX as u64 + BESIDES;
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit < needed => tracing::warn!(
            "the system lets this process have {limit} files open, each connection being one: with \
             more than about {} connections, further ones wait. `ulimit -Hn` shows the limit",
            limit.saturating_sub(BESIDES)
        ),
        Ok(limit) => tracing::debug!(limit, "files that may be open"),
        Err(error) => tracing::warn!(
            %error,
            "the number of files that this process may have open cannot be raised"
        ),
    }
}
