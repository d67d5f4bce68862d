//! What was measured, as a table, and next to what must be reached.

use std::fmt;

use crate::threads::Threads;

/// The times of one case in nanoseconds.
pub struct Times {
    /// Who did it.
    pub who: &'static str,
    /// What was done.
    pub what: String,
    /// The median of the interleaved batches.
    pub interleaved: f64,
    /// Criterion's median.
    pub criterion: Option<f64>,
}

/// Everything that was measured.
pub struct Report {
    /// One for each case.
    pub times: Vec<Times>,
    /// Who, what, how many allocations.
    pub allocations: Vec<(String, String, usize)>,
    /// How many crates `sigv4` needs.
    pub dependencies: usize,
    /// One signer and many threads.
    pub threads: Threads,
}

/// A ratio that must be reached: a case of ours, another one, and the most that the first may be of the
/// second.
struct Target {
    words: &'static str,
    ours: &'static str,
    other: (&'static str, &'static str),
    most: f64,
}

const TARGETS: [Target; 7] = [
    Target {
        words: "sign 118 B, key cached / floor with the key cached",
        ours: "sign 118 B",
        other: ("floor", "key cached, 118 B"),
        most: 1.7,
    },
    Target {
        words: "sign 118 B, key cached / aws-sigv4",
        ours: "sign 118 B",
        other: ("aws-sigv4", "sign 118 B"),
        most: 0.25,
    },
    Target {
        words: "sign 118 B, new key each time / floor",
        ours: "sign 118 B, new key",
        other: ("floor", "new key, 118 B"),
        most: 1.4,
    },
    Target {
        words: "sign GET with 20 parameters, key cached / floor with the key cached",
        ours: "sign GET 20",
        other: ("floor", "key cached, GET 20"),
        most: 3.0,
    },
    Target {
        words: "sign 256 KiB, key cached / floor with the key cached",
        ours: "sign 256 KiB",
        other: ("floor", "key cached, 256 KiB"),
        most: 1.03,
    },
    Target {
        words: "verify 118 B, key cached / floor with the key cached",
        ours: "verify 118 B",
        other: ("floor", "key cached, 118 B"),
        most: 2.0,
    },
    Target {
        words: "verify 118 B, key cached / scratchstack-aws-signature",
        ours: "verify 118 B",
        other: ("scratchstack", "verify 118 B"),
        most: 0.333,
    },
];

const ALLOCATIONS_MOST: usize = 5;
const DEPENDENCIES_MOST: usize = 25;

impl Report {
    fn of(&self, who: &str, what: &str) -> &Times {
        let found = self
            .times
            .iter()
            .find(|times| times.who == who && times.what == what);
        found.expect("each target names cases that are measured")
    }

    fn write_times(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n| who | what | ns, interleaved | ns, Criterion |\n|---|---|---:|---:|"
        )?;
        for times in &self.times {
            let criterion = times
                .criterion
                .map_or("-".to_owned(), |ns| format!("{ns:.0}"));
            let Times {
                who,
                what,
                interleaved,
                ..
            } = times;
            writeln!(f, "| {who} | {what} | {interleaved:.0} | {criterion} |")?;
        }
        Ok(())
    }

    fn write_targets(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n| ratio | at most | interleaved | Criterion | |\n|---|---:|---:|---:|---|"
        )?;
        for Target {
            words,
            ours,
            other,
            most,
        } in &TARGETS
        {
            let (ours, other) = (self.of("sigv4", ours), self.of(other.0, other.1));
            let ratio = ours.interleaved / other.interleaved;
            let criterion = match (ours.criterion, other.criterion) {
                (Some(ours), Some(other)) => format!("{:.3}", ours / other),
                _ => "-".to_owned(),
            };
            let verdict = verdict(ratio <= *most);
            writeln!(
                f,
                "| {words} | {most} | {ratio:.3} | {criterion} | {verdict} |"
            )?;
        }
        let mut counts = self.allocations.iter();
        let signing = counts.find(|(who, what, _)| who == "sigv4" && what == "sign 118 B");
        let (_, _, signing) = signing.expect("it is counted");
        let met = verdict(*signing <= ALLOCATIONS_MOST);
        writeln!(
            f,
            "| allocations to sign 118 B | {ALLOCATIONS_MOST} | {signing} | | {met} |"
        )?;
        let (found, met) = (
            self.dependencies,
            verdict(self.dependencies <= DEPENDENCIES_MOST),
        );
        writeln!(
            f,
            "| normal dependencies without features | {DEPENDENCIES_MOST} | {found} | | {met} |"
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_times(f)?;
        writeln!(f, "\nAllocations for 118 B:")?;
        for (who, what, count) in &self.allocations {
            writeln!(f, "- {who}, {what}: {count}")?;
        }
        let Threads {
            alone,
            apart,
            shared,
        } = self.threads;
        writeln!(
            f,
            "\nOne signature of 118 B takes one thread {alone:.0} ns, each of two threads with a signer \
             of its own {apart:.0} ns, each of two threads that share one {shared:.0} ns."
        )?;
        self.write_targets(f)
    }
}

fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}
