//! One thing to measure.

use std::hint::black_box;
use std::time::Duration;

use crate::clock;

/// A named piece of work.
pub struct Case {
    /// Who does it: `sigv4`, `floor`, or a package.
    pub who: &'static str,
    /// What is done, as `sign 118 B`.
    pub what: String,
    run: Box<dyn FnMut(u64) -> Duration>,
}

impl Case {
    /// Work that needs nothing made ready.
    pub fn new<T>(
        who: &'static str,
        what: impl Into<String>,
        mut work: impl FnMut() -> T + 'static,
    ) -> Self {
        let run = move |times| {
            clock::time(|| {
                for _ in 0..times {
                    black_box(work());
                }
            })
        };
        Self {
            who,
            what: what.into(),
            run: Box::new(run),
        }
    }

    /// Work that uses up an input, which is made before the clock starts.
    pub fn consuming<I, T>(
        who: &'static str,
        what: impl Into<String>,
        mut input: impl FnMut() -> I + 'static,
        mut work: impl FnMut(I) -> T + 'static,
    ) -> Self {
        let run = move |times| {
            let inputs: Vec<I> = (0..times).map(|_| input()).collect();
            let mut outputs = Vec::with_capacity(inputs.len());
            clock::time(|| {
                for input in inputs {
                    outputs.push(black_box(work(input)));
                }
            })
        };
        Self {
            who,
            what: what.into(),
            run: Box::new(run),
        }
    }

    /// How long it takes to do it this many times.
    pub fn time(&mut self, times: u64) -> Duration {
        (self.run)(times)
    }
}
