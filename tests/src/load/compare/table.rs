//! The table that is printed.

use std::cell::Cell;
use std::fmt;
use std::fs;
use std::thread;

use serde_json::{Map, Value, json};

use crate::load::crew::Outcome;
use crate::load::mix::Mix;
use crate::load::report::Report;

/// One number that must be reached.
#[derive(Clone, Debug)]
pub struct Row {
    /// What is measured.
    pub what: String,
    /// What came of it.
    pub measured: String,
    /// What must be reached.
    pub limit: String,
    /// Whether it is.
    pub met: bool,
    /// The number that is judged, and what it must reach, in the units that `limit` has, shares as 0 to 1; none where
    /// there is none.
    pub value: Option<(f64, f64)>,
    /// Further numbers, by name.
    pub numbers: Vec<(&'static str, f64)>,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The rows.
    pub rows: Vec<Row>,
    /// The last line of the text: the first run's, for scripts that read it.
    last_line: Option<String>,
    /// How many of them were told already.
    pub(super) told: Cell<usize>,
}

impl Table {
    /// Adds a row: what, what must be reached in words and as a number, what came of it the same way, and whether it
    /// is reached.
    pub fn add(&mut self, what: &str, measured: (String, f64), limit: (&str, f64), met: bool) {
        self.rows.push(Row {
            what: what.to_owned(),
            measured: measured.0,
            limit: limit.0.to_owned(),
            met,
            value: Some((measured.1, limit.1)),
            numbers: Vec::new(),
        });
    }

    /// Adds further numbers to the last row.
    pub fn with(&mut self, numbers: impl IntoIterator<Item = (&'static str, f64)>) {
        if let Some(row) = self.rows.last_mut() {
            row.numbers.extend(numbers);
        }
    }

    /// Adds a row that is missed, as it could not be measured.
    pub fn not_measured(&mut self, what: &str, why: &str) {
        // A cell of a table has one line and no bars.
        let why = why.replace(char::is_control, " ").replace('|', "/");
        self.rows.push(Row {
            what: what.to_owned(),
            measured: format!("not measured: {why}"),
            limit: "measured".to_owned(),
            met: false,
            value: None,
            numbers: Vec::new(),
        });
    }

    /// Notes a run: the first one's numbers stand in the last line.
    pub fn ran(&mut self, mix: Mix, outcome: &Outcome) {
        let last_line = &mut self.last_line;
        last_line.get_or_insert_with(|| Report::new(mix, outcome.clone()).last_line());
    }

    /// The same as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(Row::json).collect();
        json!({"machine": machine(), "rows": rows})
    }
}

/// A table in Markdown, which is text for people too.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}; server and load share them", machine())?;
        writeln!(f)?;
        let heads = ["what", "measured", "must be", ""];
        let cells: Vec<[&str; 4]> = self.rows.iter().map(Row::cells).collect();
        let width = |column: usize| {
            let widths = cells.iter().map(|row| row[column].chars().count());
            widths
                .chain([heads[column].len()])
                .max()
                .unwrap_or_default()
        };
        let widths = [width(0), width(1), width(2), width(3)];
        let line = |f: &mut fmt::Formatter<'_>, row: &[&str; 4]| {
            for (cell, width) in row.iter().zip(widths) {
                write!(f, "| {cell:width$} ")?;
            }
            writeln!(f, "|")
        };
        line(f, &heads)?;
        for width in widths {
            write!(f, "|{}", "-".repeat(width + 2))?;
        }
        writeln!(f, "|")?;
        cells.iter().try_for_each(|row| line(f, row))?;
        let last_line = self.last_line.clone();
        let last_line =
            last_line.unwrap_or_else(|| Report::new(Mix::Cycle, Outcome::default()).last_line());
        write!(f, "\n{last_line}")
    }
}

impl Row {
    fn cells(&self) -> [&str; 4] {
        let met = if self.met { "met" } else { "MISSED" };
        [&self.what, &self.measured, &self.limit, met]
    }

    fn json(&self) -> Value {
        let numbers = self.numbers.iter();
        let numbers: Map<String, Value> = numbers
            .map(|(name, number)| ((*name).to_owned(), rounded(*number).into()))
            .collect();
        json!({
            "what": self.what,
            "measured": self.measured,
            "limit": self.limit,
            "met": self.met,
            "value": self.value.map(|(value, _)| rounded(value)),
            "bound": self.value.map(|(_, bound)| bound),
            "numbers": numbers,
        })
    }
}

/// To four decimals: what is finer is noise.
fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

/// Its processors.
fn machine() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let model = model.map(|model| model.trim_start_matches(['\t', ' ', ':']));
    format!("{cores} cores of {}", model.unwrap_or("an unknown kind"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sqs::Operation;

    use super::*;
    use crate::clock;

    const NOTHING: &str = "0 requests/s, p50 0.000 ms, p99 0.000 ms, 0 errors";

    fn table() -> Table {
        let mut table = Table::default();
        table.add("send", ("70 %".to_owned(), 0.7), ("≥ 60 %", 0.6), true);
        table.with([("requests_per_second", 12.345_678)]);
        table.add(
            "a long one",
            ("1 %".to_owned(), 0.01),
            ("≤ 1 %", 0.01),
            false,
        );
        table
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let text = table().to_string();
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines[0], "| what       | measured | must be |        |");
        assert_eq!(lines[1], "|------------|----------|---------|--------|");
        assert_eq!(lines[2], "| send       | 70 %     | ≥ 60 %  | met    |");
        assert_eq!(lines[3], "| a long one | 1 %      | ≤ 1 %   | MISSED |");
    }

    #[test]
    fn json_has_what_is_said_as_numbers_too() {
        let mut table = table();
        table.not_measured("the part polls", "no |\nserver");
        let json = table.json();
        let right = json!({"what": "send", "measured": "70 %", "limit": "≥ 60 %", "met": true,
            "value": 0.7, "bound": 0.6, "numbers": {"requests_per_second": 12.3457}});
        assert_eq!(json["rows"][0], right);
        let right = json!({"what": "the part polls", "measured": "not measured: no / server",
            "limit": "measured", "met": false, "value": null, "bound": null, "numbers": {}});
        assert_eq!(json["rows"][2], right);
    }

    #[test]
    fn there_is_always_a_last_line_and_it_is_the_first_runs() {
        let mut table = table();
        let last = |table: &Table| table.to_string().lines().last().map(str::to_owned);
        assert_eq!(last(&table).as_deref(), Some(NOTHING));
        let mut outcome = Outcome {
            measured: Duration::from_secs(1),
            ..Outcome::default()
        };
        let took = Duration::from_millis(2);
        outcome.tally.succeeded(Operation::SendMessage, took);
        outcome.tally.answered(clock::moment());
        table.ran(Mix::Batch, &outcome);
        table.ran(Mix::Cycle, &Outcome::default());
        let right = "1 requests/s, p50 2.000 ms, p99 2.000 ms, 0 errors";
        assert_eq!(last(&table).as_deref(), Some(right));
    }
}
