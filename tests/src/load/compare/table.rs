//! The table that is printed.

use std::cell::Cell;
use std::fmt;
use std::fs;
use std::thread;

use serde_json::{Value, json};

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
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The rows.
    pub rows: Vec<Row>,
    /// The last line of the text: a run's, for scripts that read it.
    pub last_line: Option<String>,
    /// How many of them were told already.
    pub(super) told: Cell<usize>,
}

impl Table {
    /// Adds a row.
    pub fn add(&mut self, what: &str, measured: String, limit: &str, met: bool) {
        self.rows.push(Row {
            what: what.to_owned(),
            measured,
            limit: limit.to_owned(),
            met,
        });
    }

    /// The same as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                json!({"what": row.what, "measured": row.measured, "limit": row.limit, "met": row.met})
            })
            .collect();
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
        match &self.last_line {
            Some(last_line) => write!(f, "\n{last_line}"),
            None => Ok(()),
        }
    }
}

impl Row {
    fn cells(&self) -> [&str; 4] {
        let met = if self.met { "met" } else { "MISSED" };
        [&self.what, &self.measured, &self.limit, met]
    }
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
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let mut table = Table::default();
        table.add("send", "70 %".to_owned(), "≥ 60 %", true);
        table.add("a long one", "1 %".to_owned(), "≤ 1 %", false);
        let text = table.to_string();
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines[0], "| what       | measured | must be |        |");
        assert_eq!(lines[1], "|------------|----------|---------|--------|");
        assert_eq!(lines[2], "| send       | 70 %     | ≥ 60 %  | met    |");
        assert_eq!(lines[3], "| a long one | 1 %      | ≤ 1 %   | MISSED |");
        assert_eq!(table.json()["rows"][1]["met"], false);
    }
}
