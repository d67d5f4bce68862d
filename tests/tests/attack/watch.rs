//! What must not happen in the server while it is attacked: panics, and errors in its log.

use std::io;
use std::panic;
use std::sync::{Mutex, Once, PoisonError};
use std::thread;

/// What has happened in this process.
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Begins to look, once in the process.
pub(crate) fn begin() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if thread::current()
                .name()
                .is_some_and(|name| name.starts_with("fake-sqs"))
            {
                note(panic.to_string());
            }
            before(panic);
        }));
        tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::ERROR)
            .with_ansi(false)
            .with_writer(|| Errors)
            .init();
    });
}

/// What has been seen since this was asked last.
pub(crate) fn seen() -> Vec<String> {
    std::mem::take(&mut *SEEN.lock().unwrap_or_else(PoisonError::into_inner))
}

fn note(what: String) {
    SEEN.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(what);
}

struct Errors;

impl io::Write for Errors {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        note(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
