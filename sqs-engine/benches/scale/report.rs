//! What was measured, and whether it is as it must be.

use std::fmt;

#[derive(Default)]
pub(crate) struct Report {
    sections: Vec<Section>,
}

struct Section {
    title: String,
    /// What the columns between the name and the verdict are called.
    columns: Vec<String>,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    cells: Vec<String>,
    verdict: Verdict,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Met,
    Missed,
    /// There is no target for it.
    Told,
}

impl Report {
    pub(crate) fn section(&mut self, title: String, columns: &[&str]) {
        self.sections.push(Section {
            title,
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            rows: Vec::new(),
        });
    }

    /// A row of the latest section. `most` is the target for `value`, if there is one.
    pub(crate) fn row(&mut self, name: &str, cells: Vec<String>, value: f64, most: Option<f64>) {
        let verdict = match most {
            None => Verdict::Told,
            Some(most) if value <= most => Verdict::Met,
            Some(_) => Verdict::Missed,
        };
        let section = self.sections.last_mut().expect("a section was begun");
        section.rows.push(Row {
            name: name.to_owned(),
            cells,
            verdict,
        });
    }

    pub(crate) fn missed(&self) -> usize {
        let rows = self.sections.iter().flat_map(|section| &section.rows);
        rows.filter(|row| row.verdict == Verdict::Missed).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for section in &self.sections {
            write!(f, "\n{}\n\n| {:44} |", section.title, "")?;
            for column in &section.columns {
                write!(f, " {column:>14} |")?;
            }
            write!(f, " {:6} |\n|{:-<46}|", "target", "")?;
            for _ in &section.columns {
                write!(f, "{:-<15}:|", "")?;
            }
            writeln!(f, "{:-<8}|", "")?;
            for row in &section.rows {
                write!(f, "| {:44} |", row.name)?;
                for cell in &row.cells {
                    write!(f, " {cell:>14} |")?;
                }
                let verdict = match row.verdict {
                    Verdict::Met => "met",
                    Verdict::Missed => "MISSED",
                    Verdict::Told => "",
                };
                writeln!(f, " {verdict:6} |")?;
            }
        }
        Ok(())
    }
}
