//! What a receiver counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// Writes the counts and the cells that they are kept in from one list.
macro_rules! stats {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// What a [`Receiver`](super::Receiver) has done since it was made.
        ///
        /// Every message that was received is in one of `handled`, `failed`, `lapsed` and
        /// `unhandled`, once its fate is known.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Stats {
            $($(#[$doc])* pub $name: u64,)+
        }

        #[derive(Debug, Default)]
        pub(super) struct Counters {
            $(pub(super) $name: Counter,)+
        }

        impl Counters {
            pub(super) fn stats(&self) -> Stats {
                Stats {
                    $($name: self.$name.0.load(Ordering::Relaxed),)+
                }
            }
        }
    };
}

stats! {
    /// Messages received.
    received,
    /// Messages whose handler succeeded.
    handled,
    /// Messages whose handler failed, panicked, took too long or was aborted, and damaged ones.
    failed,
    /// Messages whose visibility ended before their handler could begin.
    lapsed,
    /// Messages that were made visible again without having been handled: those behind a failed one
    /// of their group, and those that came when the receiver was stopping.
    unhandled,
    /// Messages deleted.
    deleted,
    /// Messages that were handled and could not be deleted. They come again.
    not_deleted,
    /// How often the visibility of a message was extended.
    extended,
    /// Receives that failed, after all that the client does to repeat them.
    failed_receives,
}

/// One count.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
