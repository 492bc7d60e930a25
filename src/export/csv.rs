//! Any table as CSV, for spreadsheets and scripts: the columns and rows of the database.
//!
//! A head line names the columns, `id` first. What is null is empty.

use super::tables::{Source, Table, Value};
use std::fmt::Write as _;
use std::io::{Error, Result, Write};

/// Writes a table.
pub fn write_table(source: &Source<'_>, table: &Table, out: impl Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_field("id").map_err(failed)?;
    writer.write_record(table.columns.iter().map(|column| column.name)).map_err(failed)?;
    let (mut id, mut number) = (0, String::new());
    source.rows(table.id, &mut |cells| {
        id += 1;
        for cell in std::iter::once(&Value::Int(id)).chain(cells) {
            number.clear();
            let text = match cell {
                Value::Null => "",
                Value::Text(text) => text,
                Value::Int(value) => shown(&mut number, value),
                Value::Real(value) => shown(&mut number, value),
            };
            writer.write_field(text).map_err(failed)?;
        }
        writer.write_record(None::<&[u8]>).map_err(failed)
    })?;
    writer.flush()
}

fn shown<'a>(text: &'a mut String, value: &dyn std::fmt::Display) -> &'a str {
    // A string takes whatever is written.
    let _ = write!(text, "{value}");
    text
}

fn failed(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => Error::other(format!("{other:?}")),
    }
}
