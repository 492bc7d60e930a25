//! Profiler CSV as a table with named columns.
//!
//! The generations differ in columns, order, units and quoting, but a header names them all, so readers
//! ask for columns by name and take the unit from the parentheses: `Size(KB)`. Cells come with
//! trailing tabs, as `N/A`, or blank; all of that means the same here as it does to the writer.

use super::records::{Record, Records};
use crate::format::decimal::{Decimal, plain_scaled};
use crate::format::{Error, ErrorKind, Result};
use crate::model::{Nanos, Position, Warnings};
use std::io::Read;

/// Which profiler table a CSV is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CsvKind {
    OperatorMemory,
    MemoryRecord,
    ModuleMemory,
    StaticOps,
    StepTrace,
}

/// Tells the table by its header line (the first bytes of the file; a BOM and quotes may precede).
pub fn csv_kind(head: &[u8]) -> Option<CsvKind> {
    let line = head.split(|&b| b == b'\n' || b == b'\r').find(|line| !line.is_empty())?;
    let line = String::from_utf8_lossy(line.get(..line.len().min(4096))?);
    let names: Vec<String> = line.split(',').map(|cell| split_unit(cell).0).collect();
    let has = |name: &str| names.iter().any(|n| n == name);
    if has("name") && has("size") && has("allocation time") {
        Some(CsvKind::OperatorMemory)
    } else if has("component") && has("timestamp") && has("total allocated") {
        Some(CsvKind::MemoryRecord)
    } else if has("component") && has("total reserved") {
        Some(CsvKind::ModuleMemory)
    } else if has("op name") && has("size") && has("node index start") {
        Some(CsvKind::StaticOps)
    } else if has("step") && has("computing") {
        Some(CsvKind::StepTrace)
    } else {
        None
    }
}

/// `Size(KB)` → (`size`, `kb`); parentheses that hold no unit stay in the name.
fn split_unit(cell: &str) -> (String, String) {
    let cell = cell.trim_matches(|c: char| c.is_whitespace() || c == '"' || c == '\u{feff}');
    let lower = cell.to_ascii_lowercase();
    if let Some((name, rest)) = lower.rsplit_once('(')
        && let Some(unit) = rest.strip_suffix(')')
        && matches!(unit, "us" | "ns" | "ms" | "s" | "b" | "kb" | "mb" | "gb")
    {
        return (name.trim().to_owned(), unit.to_owned());
    }
    (lower, String::new())
}

/// A column that the file has: where, and how many of our units (bytes, ns) one of its units is.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    index: usize,
    multiplier: u64,
}

/// One CSV, its header read.
pub struct Table<R> {
    records: Records<R>,
    names: Vec<(String, String)>,
    /// Rows read, the header not counted.
    rows: u64,
}

impl<R: Read> Table<R> {
    pub fn open(source: R) -> Result<Table<R>> {
        let mut records = Records::new(source)?;
        let names = match records.next()? {
            Some(header) => header.iter().map(|cell| split_unit(&String::from_utf8_lossy(cell))).collect(),
            None => Vec::new(),
        };
        Ok(Table { records, names, rows: 0 })
    }

    /// The column of that name (lower case, without unit).
    pub fn find(&self, name: &str) -> Option<Column> {
        let index = self.names.iter().position(|(n, _)| n == name)?;
        let multiplier = match self.names[index].1.as_str() {
            "us" => 1000,
            "kb" => 1 << 10,
            "mb" => 1 << 20,
            "gb" => 1 << 30,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            _ => 1,
        };
        Some(Column { index, multiplier })
    }

    /// The same, where the table makes no sense without it.
    pub fn need(&self, name: &str) -> Result<Column> {
        self.find(name).ok_or_else(|| {
            let found: Vec<&str> = self.names.iter().map(|(n, _)| n.as_str()).collect();
            Error::new(
                ErrorKind::Unexpected,
                format!("the table has no column \"{name}\"; it has: {}", found.join(", ")),
            )
            .at(Position::Line(1))
            .hint("check that the first line of the file is its header")
        })
    }

    /// The names of all columns, lower case, without units.
    pub fn names(&self) -> Vec<String> {
        self.names.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The next record; `None` at the end.
    pub fn next(&mut self, warnings: &mut Warnings) -> Result<Option<Row<'_>>> {
        let Some(record) = self.records.next()? else { return Ok(None) };
        let at = Position::Record(self.rows);
        self.rows += 1;
        if record.len() < self.names.len() {
            warnings.add("short_row", Some(at), || {
                format!("a row has {} cells where the header has {}", record.len(), self.names.len())
            });
        }
        Ok(Some(Row { record, at }))
    }
}

/// One record; cells by column.
pub struct Row<'a> {
    record: Record<'a>,
    /// Which row it is, the header not counted.
    pub at: Position,
}

impl Row<'_> {
    /// All cells without blanks around them.
    pub fn cells(&self) -> impl Iterator<Item = &[u8]> {
        self.record.iter().map(<[u8]>::trim_ascii)
    }

    /// The cell without blanks around it; empty for a missing column, a missing cell and `N/A`.
    pub fn cell(&self, column: Option<Column>) -> &[u8] {
        let cell = column.and_then(|c| self.record.get(c.index)).unwrap_or(b"").trim_ascii();
        if cell.eq_ignore_ascii_case(b"n/a") { b"" } else { cell }
    }

    /// The cell as text, odd bytes replaced.
    pub fn text(&self, column: Option<Column>) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.cell(column))
    }

    /// The cell in bytes or nanoseconds; `None` where it is blank, and with a warning where it is no
    /// number.
    pub fn number(&self, column: Option<Column>, warnings: &mut Warnings) -> Option<i64> {
        let cell = self.cell(column);
        if cell.is_empty() {
            return None;
        }
        let plain = plain_scaled(cell, column.map_or(1, |c| c.multiplier));
        if plain.is_some() { plain } else { self.odd_number(cell, column, warnings) }
    }

    fn odd_number(&self, cell: &[u8], column: Option<Column>, warnings: &mut Warnings) -> Option<i64> {
        let value = Decimal::parse(cell).and_then(|d| {
            if d.scientific {
                warnings.add("precision_lost", Some(self.at), || {
                    format!(
                        "\"{}\" is what a spreadsheet leaves of a longer number: its last digits are lost",
                        String::from_utf8_lossy(cell)
                    )
                });
            }
            d.scaled(column.map_or(1, |c| c.multiplier))
        });
        if value.is_none() {
            warnings.add("bad_number", Some(self.at), || {
                format!(
                    "expected a number, found \"{}\"",
                    String::from_utf8_lossy(cell.get(..80).unwrap_or(cell))
                )
            });
        }
        value
    }

    /// A pointer-sized value, which may have its top bit set.
    pub fn unsigned(&self, column: Option<Column>, warnings: &mut Warnings) -> Option<u64> {
        let cell = self.cell(column);
        let whole = cell.iter().try_fold(0_u64, |n, b| {
            n.checked_mul(10)?.checked_add(u64::from(b.is_ascii_digit().then(|| b - b'0')?))
        });
        match whole {
            Some(n) if !cell.is_empty() => Some(n),
            _ => self.number(column, warnings).map(|n| n as u64),
        }
    }

    pub fn nanos(&self, column: Option<Column>, warnings: &mut Warnings) -> Option<Nanos> {
        self.number(column, warnings).map(Nanos)
    }

    /// The cell in MB as a float that holds it exactly (sizes are binary fractions); NaN where blank.
    pub fn megabytes(&self, column: Option<Column>, warnings: &mut Warnings) -> f64 {
        let cell = self.cell(column);
        if cell.is_empty() {
            return f64::NAN;
        }
        let exact = Decimal::parse(cell).and_then(Decimal::to_f64);
        let value = exact
            .or_else(|| std::str::from_utf8(cell).ok().and_then(|t| t.parse::<f64>().ok()))
            .filter(|v| v.is_finite());
        match value {
            Some(value) => value * (column.map_or(1, |c| c.multiplier) as f64 / f64::from(1 << 20)),
            None => {
                self.number(column, warnings);
                f64::NAN
            }
        }
    }
}
