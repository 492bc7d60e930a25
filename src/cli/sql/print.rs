//! Rows of a question as a table, as JSON, or as CSV.

use super::failure;
use crate::cli::error::{Failure, Stop};
use crate::cli::output::Output;
use crate::cli::table::Table;
use hbmlens::text::Message;
use rusqlite::Statement;
use rusqlite::types::ValueRef;
use serde_json::Value;
use std::io::Write;

pub fn rows(
    statement: &mut Statement<'_>,
    csv: bool,
    most: usize,
    out: &mut Output,
    query: &str,
) -> Result<(), Stop> {
    let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    let failed = |error: rusqlite::Error| Stop::from(failure(&error, query));
    let mut rows = statement.query([]).map_err(failed)?;
    let mut next = |cells: &mut Vec<Value>| -> Result<bool, Stop> {
        cells.clear();
        let Some(row) = rows.next().map_err(failed)? else { return Ok(false) };
        for column in 0..columns.len() {
            cells.push(cell(row.get_ref(column).map_err(failed)?));
        }
        Ok(true)
    };
    let mut cells = Vec::new();
    if csv {
        let told = |error: csv::Error| match error.into_kind() {
            csv::ErrorKind::Io(error) => Stop::from(error),
            other => Failure::new("io", format!("the rows could not be written: {other:?}")).into(),
        };
        let mut writer = csv::Writer::from_writer(out.raw());
        writer.write_record(&columns).map_err(told)?;
        while next(&mut cells)? {
            writer.write_record(cells.iter().map(text)).map_err(told)?;
        }
        return Ok(writer.flush()?);
    }
    if out.json {
        let head = serde_json::json!({ "schema": "hbmlens.sql/1", "columns": columns });
        let head = head.to_string();
        write!(out.raw(), "{},\"rows\":[", head.trim_end_matches('}'))?;
        let mut separator = "";
        while next(&mut cells)? {
            write!(out.raw(), "{separator}")?;
            serde_json::to_writer(out.raw(), &cells)?;
            separator = ",";
        }
        return Ok(out.raw().write_all(b"]}\n")?);
    }
    let mut kept: Vec<Vec<Value>> = Vec::new();
    let mut more = 0_u64;
    while next(&mut cells)? {
        if kept.len() < most { kept.push(std::mem::take(&mut cells)) } else { more += 1 }
    }
    let numbers =
        |column: usize| kept.iter().all(|row| matches!(row[column], Value::Number(_) | Value::Null));
    let heads: Vec<(&str, bool)> =
        columns.iter().enumerate().map(|(i, name)| (name.as_str(), numbers(i))).collect();
    let mut table = Table::new(out, &heads);
    for row in &kept {
        table.row(out, row.iter().map(text));
    }
    table.print(out)?;
    let count = kept.len() as u64 + more;
    out.say(&Message::new("sql.rows").count("count", count))?;
    if more > 0 {
        out.say(&Message::new("sql.more").count("shown", kept.len() as u64))?;
    }
    Ok(())
}

fn cell(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => value.into(),
        // Infinities have no place in JSON.
        ValueRef::Real(value) => serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into(),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
