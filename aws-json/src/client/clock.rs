//! The one place in this crate that reads time.

use std::sync::Arc;
use std::time::SystemTime;

/// Where the time of a signature comes from.
#[derive(Clone)]
pub(super) struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    pub(super) fn new(source: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    pub(super) fn now(&self) -> SystemTime {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the clock")]
        Self::new(SystemTime::now)
    }
}
