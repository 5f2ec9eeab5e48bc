//! What an experiment found: tables of numbers with their errors, as text, CSV and JSON.

use crate::arena::statistics::SampleMean;
use crate::csv::quoted;
use crate::render::{Plot, Point};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A number that was measured, and half the width of its 95 % interval if that is known.
pub type Measured = (f64, Option<f64>);

/// A measured number as a point of a curve.
pub fn point(x: u32, (y, error): Measured) -> Point {
    Point { x: x.into(), y, error }
}

/// One entry of a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Nothing is known here.
    Empty,
    /// Words.
    Text(String),
    /// A number, and the decimals that it is shown with.
    Number(f64, usize),
    /// A measured number, half the width of its 95 % interval if that is known, and the decimals of both.
    Measured(f64, Option<f64>, usize),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

/// With one decimal, as percentages are shown.
impl From<Measured> for Cell {
    fn from((number, error): Measured) -> Cell {
        Cell::Measured(number, error, 1)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Cell {
        Cell::Number(number as f64, 0)
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Cell {
        Cell::Number(number.into(), 0)
    }
}

impl Cell {
    /// A number that may not be known.
    pub fn maybe(number: Option<f64>, decimals: usize) -> Cell {
        number.map_or(Cell::Empty, |number| Cell::Number(number, decimals))
    }

    /// The mean of a sample with its error, 0 if the sample is empty.
    pub fn mean(sample: &SampleMean, decimals: usize) -> Cell {
        Cell::Measured(sample.mean().unwrap_or(0.0), sample.error(), decimals)
    }

    fn text(&self) -> String {
        match self {
            Cell::Empty => "–".to_owned(),
            Cell::Text(text) => text.clone(),
            Cell::Number(number, decimals) => format!("{number:.decimals$}"),
            // Nothing was decided.
            Cell::Measured(number, ..) if number.is_nan() => "–".to_owned(),
            Cell::Measured(number, None, decimals) => format!("{number:.decimals$}"),
            Cell::Measured(number, Some(error), decimals) => format!("{number:.decimals$} ± {error:.decimals$}"),
        }
    }

    fn json(&self) -> Value {
        match self {
            Cell::Empty => Value::Null,
            Cell::Text(text) => json!(text),
            Cell::Number(number, _) => json!(number),
            Cell::Measured(value, error, _) => json!({ "value": value, "error": error }),
        }
    }
}

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The heads of its columns.
    pub columns: Vec<String>,
    /// Its rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows. Between the heads of the columns there is ` | `.
    pub fn new(title: impl Into<String>, columns: &str) -> Table {
        Table { title: title.into(), columns: columns.split(" | ").map(str::to_owned).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// The table for a terminal, columns aligned.
    pub fn text(&self) -> String {
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect();
        let width = |i: usize| {
            let cells = rows.iter().map(|row| row[i].chars().count());
            cells.chain([self.columns[i].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let line = |cells: &[String]| {
            let padded: Vec<String> =
                cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
            padded.join("  ") + "\n"
        };
        let mut text = format!("{}\n\n{}", self.title, line(&self.columns));
        for row in &rows {
            text += &line(row);
        }
        text
    }

    /// The table as CSV; a measured column is followed by one with its errors.
    pub fn csv(&self) -> String {
        let measured = |i: usize| self.rows.iter().any(|row| matches!(row[i], Cell::Measured(..)));
        // A field of each column, given what stands in it and in the one with its errors.
        let line = |fields: &mut dyn Iterator<Item = (String, String)>| {
            let fields = fields.enumerate().flat_map(|(i, (value, error))| [Some(value), measured(i).then_some(error)]);
            fields.flatten().collect::<Vec<String>>().join(",") + "\n"
        };
        let field = |cell: &Cell| match cell {
            Cell::Text(text) => (quoted(text), String::new()),
            Cell::Number(number, _) => (number.to_string(), String::new()),
            Cell::Measured(number, error, _) if !number.is_nan() => {
                (number.to_string(), error.map_or_else(String::new, |error| error.to_string()))
            }
            Cell::Empty | Cell::Measured(..) => (String::new(), String::new()),
        };
        let mut csv = line(&mut self.columns.iter().map(|head| (quoted(head), quoted(&format!("{head} error")))));
        for row in &self.rows {
            csv += &line(&mut row.iter().map(field));
        }
        csv
    }

    fn json(&self) -> Value {
        let row = |row: &Vec<Cell>| {
            let cells = self.columns.iter().cloned().zip(row.iter().map(Cell::json));
            Value::Object(cells.collect::<Map<_, _>>())
        };
        json!({ "title": self.title, "rows": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}

/// Everything that an experiment found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings {
    /// Its tables, the one that answers the paper first.
    pub tables: Vec<Table>,
    /// Its pictures.
    pub plots: Vec<Plot>,
    /// Other files that are written beside them: their names and what is in them.
    pub files: Vec<(String, String)>,
    /// What to know when reading them.
    pub notes: Vec<String>,
    /// The evaluations that it was run with, and their fingerprints.
    pub evaluations: BTreeMap<String, u32>,
}

impl Findings {
    /// Tables and pictures with one note.
    pub fn new(tables: Vec<Table>, plots: Vec<Plot>, note: impl Into<String>) -> Findings {
        Findings { tables, plots, notes: vec![note.into()], ..Findings::default() }
    }

    /// All tables and notes as text.
    pub fn text(&self) -> String {
        let tables: Vec<String> = self.tables.iter().map(Table::text).collect();
        let mut text = tables.join("\n");
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        if !self.evaluations.is_empty() {
            let prints: Vec<String> =
                self.evaluations.iter().map(|(name, print)| format!("{name} {print:08x}")).collect();
            let _ = write!(text, "\nRun with: {}\n", prints.join(", "));
        }
        text
    }

    /// All tables and notes as JSON.
    pub fn json(&self, head: &Value) -> Value {
        let prints = self.evaluations.iter().map(|(name, print)| (name.clone(), json!(format!("{print:08x}"))));
        json!({
            "experiment": head,
            "tables": self.tables.iter().map(Table::json).collect::<Vec<_>>(),
            "notes": self.notes,
            "evaluations": prints.collect::<Map<_, _>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_text_csv_and_json() {
        let mut table = Table::new("Won, in percent", "depth | won | paper");
        table.row(vec![Cell::from(4u64), Cell::Measured(52.25, Some(3.5), 1), Cell::Empty]);
        table.row(vec![Cell::from("a, b"), Cell::Measured(50.0, None, 1), Cell::Number(69.0, 0)]);
        let text = "Won, in percent\n\ndepth         won  paper\n    4  52.2 ± 3.5      –\n a, b        50.0     69\n";
        assert_eq!(table.text(), text);
        assert_eq!(table.csv(), "depth,won,won error,paper\n4,52.25,3.5,\n\"a, b\",50,,69\n");
        let findings = Findings { tables: vec![table], ..Findings::default() };
        let json = findings.json(&json!("x"));
        assert_eq!(json["tables"][0]["rows"][0]["won"], json!({ "value": 52.25, "error": 3.5 }));
        assert_eq!(json["tables"][0]["rows"][0]["paper"], Value::Null);
    }
}
