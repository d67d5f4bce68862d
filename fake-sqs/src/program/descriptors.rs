//! How many files the process may have open: each connection is one.

/// Files that are open besides connections: the listener, the log, the data directory, the runtime.
const BESIDES: u64 = 64;

/// Raises the limit as far as the system lets it, and says so if that is too low for as many
/// connections as the server serves.
pub(crate) fn raise_limit(connections_max: usize) {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) => {
            tracing::debug!(limit, "files that may be open");
            if let Some(warning) = too_low(limit, connections_max) {
                tracing::warn!("{warning}");
            }
        }
        Err(error) => tracing::warn!(
            %error,
            "the number of files that this process may have open cannot be raised"
        ),
    }
}

/// What is wrong with a limit at which not all connections get a file.
fn too_low(limit: u64, connections_max: usize) -> Option<String> {
    let connections = limit.saturating_sub(BESIDES);
    let is_low = usize::try_from(connections).is_ok_and(|room| room < connections_max);
    is_low.then(|| {
        format!(
            "the system lets this process have {limit} files open, each connection being one: with \
             more than about {connections} connections of the {connections_max} that may be, \
             further ones wait. `ulimit -Hn` shows the limit"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_too_low_for_as_many_connections_as_are_served() {
        assert_eq!(too_low(1_024, 960), None);
        assert_eq!(too_low(u64::MAX, 1_000_000), None);
        assert_eq!(
            too_low(1_024, 961).as_deref(),
            Some(
                "the system lets this process have 1024 files open, each connection being one: \
                 with more than about 960 connections of the 961 that may be, further ones wait. \
                 `ulimit -Hn` shows the limit"
            )
        );
        assert!(too_low(10, 1).is_some());
    }
}
