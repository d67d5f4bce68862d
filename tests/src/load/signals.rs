//! The signals that end the program.

use std::io;

/// Completes with so many of them, counted from this call on.
///
/// # Errors
///
/// When the system does not tell of them.
pub(super) fn interrupted(times: usize) -> Result<impl Future<Output = ()>, String> {
    let mut signals = Signals::new().map_err(|error| format!("no signals: {error}"))?;
    Ok(async move {
        for _ in 0..times {
            signals.next().await;
        }
    })
}

/// Ctrl-C, and what service managers send.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
