//! What a run prints.

use std::fmt::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

use super::crew::Outcome;
use super::ledger::Fault;
use super::mix::Mix;

/// A run, with all that is told of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was done.
    pub mix: Mix,
    /// By how many connections.
    pub connections: u16,
    /// The length of a body in bytes.
    pub size: usize,
    /// What came of it.
    pub outcome: Outcome,
    /// What must not be: how many, and the first of them.
    pub faults: (u64, Vec<Fault>),
    /// Messages that came again and may: from a standard queue, or after their deletion failed.
    pub doubled: u64,
    /// Messages that were not looked for after the run, since there was no time left, or no server, or that may be
    /// behind one that was not deleted.
    pub unchecked: u64,
    /// The server was not there any more when the run was over.
    pub gone: Option<Gone>,
    /// Why the server's processor time is not known, if it is not.
    pub time_unknown: &'static str,
    /// The same run against the floor.
    pub floor: Option<Outcome>,
    /// Why there is none, or why another number is not there.
    pub remarks: Vec<String>,
}

/// A server that went away in the middle of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// How long it was measured until then.
    pub after: Duration,
    /// What connecting to it says now.
    pub why: String,
}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { after, why } = self;
        if after.is_zero() {
            return write!(
                f,
                "the server went away before anything was measured: {why}"
            );
        }
        let seconds = after.as_secs_f64();
        write!(
            f,
            "the server went away after {seconds:.1} s of what is measured: {why}"
        )
    }
}

impl Report {
    /// What a run came to, and nothing else yet.
    #[must_use]
    pub fn new(mix: Mix, outcome: Outcome) -> Self {
        Self {
            mix,
            connections: 0,
            size: 0,
            outcome,
            faults: (0, Vec::new()),
            doubled: 0,
            unchecked: 0,
            gone: None,
            time_unknown: "it was not asked for",
            floor: None,
            remarks: Vec::new(),
        }
    }

    fn latency(&self) -> &super::histogram::Histogram {
        match self.mix {
            // What counts there is how soon a poll is woken.
            Mix::Poll | Mix::Idle => &self.outcome.tally.wakes,
            Mix::Send | Mix::Cycle | Mix::Batch | Mix::Fifo => &self.outcome.tally.requests,
        }
    }

    /// Whether it has polls that wait.
    #[must_use]
    pub fn has_polls(&self) -> bool {
        matches!(self.mix, Mix::Poll | Mix::Idle)
    }

    /// The share of the floor's requests a second.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let floor = self.floor.as_ref()?.requests_per_second();
        (floor > 0.0).then(|| self.outcome.requests_per_second() / floor)
    }

    /// The same numbers as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let Outcome { tally, .. } = &self.outcome;
        let times = |histogram: &super::histogram::Histogram| {
            json!({
                "count": histogram.count(),
                "p50_ms": rounded(milliseconds(histogram.percentile(50.0))),
                "p90_ms": rounded(milliseconds(histogram.percentile(90.0))),
                "p99_ms": rounded(milliseconds(histogram.percentile(99.0))),
                "max_ms": rounded(milliseconds(histogram.max())),
            })
        };
        let floor = self.floor.as_ref().map(Outcome::requests_per_second);
        let operations = tally.operations.iter();
        let operations: serde_json::Map<String, Value> = operations
            .map(|(name, histogram)| ((*name).to_owned(), times(histogram)))
            .collect();
        let mut json = json!({
            "mix": self.mix.name(),
            "connections": self.connections,
            "size": self.size,
            "seconds": seconds(self.outcome.measured),
            "processor_seconds_measured": seconds(self.outcome.watched),
            "requests": tally.answered,
            "requests_per_second": rounded(self.outcome.requests_per_second()),
            "messages_per_second": rounded(self.outcome.messages_per_second()),
            "latency": times(self.latency()),
            "operations": operations,
            "errors": tally.error_count(),
            "errors_by_code": tally.errors,
            "last_error": tally.last_error,
            "gave_up": tally.gave_up,
            "faults": {
                "count": self.faults.0,
                "first": self.faults.1.iter().map(ToString::to_string).collect::<Vec<_>>(),
            },
            "empty_receives": tally.empty,
            "rate": self.outcome.rate,
            "missed": tally.missed,
            "early_polls": tally.early,
            "unwoken": tally.unwoken,
            "doubled": self.doubled,
            "unchecked": self.unchecked,
            "client_processor_seconds": self.outcome.client_time.map(seconds),
            "server_processes": self.outcome.servers,
            "server_processor_seconds": self.outcome.server_time.map(seconds),
            "floor_requests_per_second": floor.map(rounded),
            "floor_ratio": self.ratio().map(rounded),
            "server_went_away_after_seconds": self.gone.as_ref().map(|gone| seconds(gone.after)),
            "remarks": self.remarks,
        });
        if self.has_polls() {
            let (before, after) = self.outcome.waiting;
            json["polls_waiting"] = json!([before, after]);
        }
        json
    }
}

/// Text for people; the last line is always of the same form.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { tally, .. } = &self.outcome;
        writeln!(
            f,
            "{}: {}, bodies of {} B, {:.1} s measured",
            self.mix.name(),
            counted(u64::from(self.connections), "connection"),
            self.size,
            self.outcome.measured.as_secs_f64()
        )?;
        writeln!(
            f,
            "messages {}: {:.0}/s",
            self.mix.counts(),
            self.outcome.messages_per_second()
        )?;
        for (name, histogram) in &tally.operations {
            writeln!(
                f,
                "  {name:<20} {:>9}  {}",
                histogram.count(),
                Times(histogram)
            )?;
        }
        if self.has_polls() {
            let wakes = &tally.wakes;
            writeln!(
                f,
                "  {:<20} {:>9}  {}",
                "send to answer",
                wakes.count(),
                Times(wakes)
            )?;
            let (before, after) = self.outcome.waiting;
            writeln!(
                f,
                "polls waiting: {before} at the beginning and {after} at the end; {} ended early; {} woke none",
                tally.early,
                counted(tally.unwoken, "message")
            )?;
        }
        if let Some(rate) = self.outcome.rate {
            let missed = tally.missed;
            writeln!(
                f,
                "asked for: {rate:.0} requests/s, of which {missed} never began"
            )?;
        }
        for (code, count) in &tally.errors {
            writeln!(f, "  error {code}: {count}")?;
        }
        if let Some(error) = tally.last_error.as_ref() {
            writeln!(f, "  the last error: {error}")?;
        }
        let own = self.outcome.watched;
        let mut line = format!(
            "processor time: client {}",
            Share(self.outcome.client_time, own, "this system does not tell")
        );
        write!(
            line,
            ", server {}",
            Share(self.outcome.server_time, own, self.time_unknown)
        )?;
        if self.outcome.server_time.is_some() {
            write!(line, ": {}", self.outcome.servers.join(", "))?;
        }
        writeln!(f, "{line}")?;
        self.write_checks(f)?;
        if let (Some(floor), Some(ratio)) = (&self.floor, self.ratio()) {
            writeln!(
                f,
                "the bare server: {:.0} requests/s; this is {:.0} % of it",
                floor.requests_per_second(),
                ratio * 100.0
            )?;
        }
        for remark in &self.remarks {
            writeln!(f, "{remark}")?;
        }
        write!(f, "{}", self.last_line())
    }
}

impl Report {
    /// What the checks found.
    fn write_checks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_fifo = self.mix == Mix::Fifo;
        let gave_up = self.outcome.tally.gave_up;
        if gave_up > 0 {
            writeln!(f, "{} gave up", counted(gave_up, "connection"))?;
        }
        if let (count, [first, ..]) = (self.faults.0, self.faults.1.as_slice()) {
            writeln!(f, "{}; the first: {first}", counted(count, "fault"))?;
        }
        if self.doubled > 0 {
            let who = if is_fifo {
                "those may whose deletion failed"
            } else {
                "a standard queue may"
            };
            let messages = counted(self.doubled, "message");
            writeln!(f, "{messages} came again, as {who}")?;
        }
        if self.unchecked > 0 {
            let why = match &self.gone {
                Some(_) => "since the server went away",
                None if is_fifo => "for want of time, or behind what may not have been deleted",
                None => "for want of time",
            };
            let messages = counted(self.unchecked, "message");
            writeln!(f, "left unchecked {why}: {messages}")?;
        }
        Ok(())
    }

    /// `N requests/s, p50 X ms, p99 Y ms, N errors`: scripts read it.
    #[must_use]
    pub fn last_line(&self) -> String {
        let latency = self.latency();
        format!(
            "{:.0} requests/s, p50 {:.3} ms, p99 {:.3} ms, {} errors",
            self.outcome.requests_per_second(),
            milliseconds(latency.percentile(50.0)),
            milliseconds(latency.percentile(99.0)),
            self.outcome.tally.error_count()
        )
    }
}

/// A number of things: "1 queue", "2 queues".
#[must_use]
pub fn counted(count: u64, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{ending}")
}

/// To three decimals: what is finer is noise.
fn rounded(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}

fn seconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64())
}

/// A time in milliseconds.
#[must_use]
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

struct Times<'a>(&'a super::histogram::Histogram);

impl fmt::Display for Times<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "p50 {:.3}  p90 {:.3}  p99 {:.3}  max {:.3} ms",
            milliseconds(self.0.percentile(50.0)),
            milliseconds(self.0.percentile(90.0)),
            milliseconds(self.0.percentile(99.0)),
            milliseconds(self.0.max())
        )
    }
}

/// Processor time, what share of one core that is, and why it is not known if it is not.
struct Share(Option<Duration>, Duration, &'static str);

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(time) if !self.1.is_zero() => write!(
                f,
                "{:.2} s ({:.1} % of a core)",
                time.as_secs_f64(),
                100.0 * time.as_secs_f64() / self.1.as_secs_f64()
            ),
            Some(_) | None => write!(f, "not known ({})", self.2),
        }
    }
}

#[cfg(test)]
mod tests {
    use sqs::Operation;

    use super::*;
    use crate::clock;
    use crate::load::content::Stamp;

    fn report() -> Report {
        let mut outcome = Outcome {
            measured: Duration::from_secs(2),
            ..Outcome::default()
        };
        for milliseconds in 1..=100 {
            let took = Duration::from_millis(milliseconds);
            outcome.tally.succeeded(Operation::SendMessage, took);
            outcome.tally.answered(clock::moment());
        }
        outcome.tally.failed("Throttled", 3);
        Report {
            mix: Mix::Send,
            connections: 4,
            size: 64,
            outcome,
            faults: (0, Vec::new()),
            doubled: 0,
            unchecked: 0,
            gone: None,
            time_unknown: "its process is not on this machine",
            floor: None,
            remarks: Vec::new(),
        }
    }

    #[test]
    fn the_last_line_has_its_form() {
        let text = report().to_string();
        let last = text.lines().last().expect("a line");
        assert_eq!(
            last,
            "50 requests/s, p50 50.332 ms, p99 99.615 ms, 3 errors"
        );
    }

    #[test]
    fn json_has_the_same_numbers() {
        let mut report = report();
        let mut floor = report.outcome.clone();
        floor.measured = Duration::from_secs(1);
        report.floor = Some(floor);
        let json = report.json();
        assert_eq!(json["requests_per_second"], 50.0);
        assert_eq!(json["floor_ratio"], 0.5);
        assert_eq!(json["errors_by_code"]["Throttled"], 3);
        assert_eq!(json["operations"]["SendMessage"]["count"], 100);
        assert_eq!(json["server_processor_seconds"], Value::Null);
    }

    #[test]
    fn what_is_wrong_is_told_in_text_and_json() {
        let mut report = report();
        let lost = Fault::Lost(Stamp { lane: 1, number: 7 });
        report.faults = (3, vec![lost]);
        report.outcome.tally.gave_up = 2;
        report.outcome.tally.last_error = Some("Throttled: slower (status 400)".to_owned());
        let text = report.to_string();
        let line = "2 connections gave up\n3 faults; the first: message 7 of sender 1 was accepted and is lost\n";
        assert!(text.contains(line), "{text}");
        let json = report.json();
        let first = ["message 7 of sender 1 was accepted and is lost"];
        assert_eq!(json["faults"], json!({"count": 3, "first": first}));
        assert_eq!(json["gave_up"], 2);
        assert_eq!(json["last_error"], "Throttled: slower (status 400)");
    }

    #[test]
    fn what_was_asked_for_and_never_began_is_told() {
        let mut report = report();
        report.outcome.rate = Some(100.0);
        report.outcome.tally.missed = 7;
        let text = report.to_string();
        let line = "\nasked for: 100 requests/s, of which 7 never began\n";
        assert!(text.contains(line), "{text}");
        assert_eq!(
            (&report.json()["rate"], &report.json()["missed"]),
            (&json!(100.0), &json!(7))
        );
    }

    #[test]
    fn a_run_in_which_nothing_happened_has_a_last_line_too() {
        let mut report = report();
        report.outcome = Outcome::default();
        assert_eq!(
            report.last_line(),
            "0 requests/s, p50 0.000 ms, p99 0.000 ms, 0 errors"
        );
    }
    #[test]
    fn json_is_rounded_and_tells_of_polls_where_there_are_some() {
        let mut report = report();
        report.outcome.measured = Duration::from_secs(3);
        let json = report.json();
        assert_eq!(json["requests_per_second"], 33.333);
        assert_eq!(json["latency"]["p50_ms"], 50.332);
        assert_eq!(json.get("polls_waiting"), None);
        report.mix = Mix::Idle;
        report.outcome.waiting = (3, 4);
        assert_eq!(report.json()["polls_waiting"], json!([3, 4]));
    }

    #[test]
    fn a_server_that_went_away_is_told_and_what_is_one_has_no_plural() {
        let mut report = report();
        report.connections = 1;
        report.unchecked = 1;
        report.time_unknown = "it went away";
        report.gone = Some(Gone {
            after: Duration::from_millis(1_240),
            why: "refused".to_owned(),
        });
        let text = report.to_string();
        for line in [
            "send: 1 connection, bodies",
            "left unchecked since the server went away: 1 message\n",
            "server not known (it went away)",
        ] {
            assert!(text.contains(line), "{text}");
        }
        assert_eq!(report.json()["server_went_away_after_seconds"], 1.24);
    }
}
