//! `hbmlens sql`: a question in SQL about a file's tables. Only reading is possible: whatever else a
//! statement wants, SQLite is told not to allow.

mod print;

use crate::cli::Outcome;
use crate::cli::args::Common;
use crate::cli::database;
use crate::cli::error::{Failure, Stop};
use crate::cli::output::Output;
use hbmlens::model::Position;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

#[derive(clap::Args)]
pub struct Args {
    /// A snapshot, a profiler folder, or a database (.db)
    #[arg(value_name = "FILE")]
    file: String,
    /// The question; without one, the tables and their columns are listed
    #[arg(value_name = "SELECT")]
    query: Option<String>,
    /// Another input under a name of its own: --attach ref=B.db, then ref.segments
    #[arg(long, value_name = "NAME=FILE", value_parser = parse_attach)]
    attach: Vec<(String, String)>,
    /// Print all rows as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Rows that the terminal shows; exports have all.
const MOST_SHOWN: usize = 10_000;

/// What is asked where nothing is.
const SCHEMA: &str = "SELECT m.type AS type, m.name AS name, group_concat(c.name, ', ') AS columns \
                      FROM sqlite_master m JOIN pragma_table_info(m.name) c \
                      WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%' GROUP BY m.name ORDER BY m.rowid";

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    let mut all_good = true;
    let mut connection = open_main(&args.file, args, out, &mut all_good)?;
    for (name, file) in &args.attach {
        attach(&mut connection, name, file, args, out, &mut all_good)?;
    }
    let failed = |error: rusqlite::Error| Stop::from(failure(&error, ""));
    connection.execute_batch("PRAGMA query_only = ON").map_err(failed)?;
    connection.authorizer(Some(only_reading)).map_err(failed)?;
    let query = args.query.as_deref().unwrap_or(SCHEMA);
    let mut statement = connection.prepare(query).map_err(|error| failure(&error, query))?;
    if statement.column_count() == 0 {
        return Err(Failure::new("sql", "the statement asks for nothing")
            .hint("it should be a SELECT")
            .into());
    }
    print::rows(&mut statement, args.csv, MOST_SHOWN, out, query)?;
    Ok(crate::cli::input_outcome(all_good))
}

/// A database file is opened as it is; of everything else the tables are made in memory.
fn open_main(file: &str, args: &Args, out: &mut Output, good: &mut bool) -> Result<Connection, Stop> {
    let failed = |error: rusqlite::Error| Stop::from(failure(&error, "").of_file(file));
    if database::is_database(Path::new(file)) {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(uri(file), flags).map_err(failed)?;
        // Opening looks at nothing yet.
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(())).map_err(failed)?;
        return Ok(connection);
    }
    let mut connection = Connection::open_in_memory().map_err(failed)?;
    let image = image(file, args, out, good)?;
    connection.deserialize_read_exact("main", &image[..], image.len(), true).map_err(failed)?;
    Ok(connection)
}

fn attach(
    connection: &mut Connection,
    name: &str,
    file: &str,
    args: &Args,
    out: &mut Output,
    good: &mut bool,
) -> Result<(), Stop> {
    let failed = |error: rusqlite::Error| Stop::from(failure(&error, "").of_file(file));
    let is_file = database::is_database(Path::new(file));
    let target = if is_file { uri(file) } else { ":memory:".to_owned() };
    connection.execute("ATTACH ?1 AS ?2", [target.as_str(), name]).map_err(failed)?;
    if !is_file {
        let image = image(file, args, out, good)?;
        connection.deserialize_read_exact(name, &image[..], image.len(), true).map_err(failed)?;
    }
    Ok(())
}

fn image(file: &str, args: &Args, out: &mut Output, good: &mut bool) -> Result<Vec<u8>, Stop> {
    let (input, all_good) = database::read(file, &args.common, out)?;
    *good &= all_good;
    let (mut image, first) = database::write(&input, vec![0; hbmlens::export::sqlite::FIRST], true)?;
    image[..first.len()].copy_from_slice(&first[..]);
    Ok(image)
}

/// A file's name for SQLite, never written to. A journal beside it is followed; without one nothing is
/// locked, so that files on read-only disks open too.
fn uri(file: &str) -> String {
    let mut uri = "file:".to_owned();
    let whole =
        std::fs::canonicalize(file).map_or_else(|_| file.into(), |p| p.to_string_lossy().into_owned());
    for byte in whole.bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' | b':' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    let has = |ending: &str| std::fs::metadata(format!("{file}{ending}")).is_ok_and(|m| m.len() > 0);
    uri.push_str(if has("-wal") || has("-journal") { "?mode=ro" } else { "?immutable=1" });
    uri
}

/// Reading, functions and looking at the schema.
fn only_reading(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Allow
        }
        // With a value it sets something, unless that is the table to tell of.
        AuthAction::Pragma { pragma_name, pragma_value } => {
            let of_schema = ["table_info", "table_xinfo", "index_list", "index_info", "foreign_key_list"];
            let checks = ["integrity_check", "quick_check", "foreign_key_check"];
            let harmless = of_schema.iter().chain(&checks).any(|name| pragma_name.eq_ignore_ascii_case(name));
            if pragma_value.is_none() || harmless { Authorization::Allow } else { Authorization::Deny }
        }
        _ => Authorization::Deny,
    }
}

/// An error of SQLite with its place in the question.
pub(super) fn failure(error: &rusqlite::Error, query: &str) -> Failure {
    match error {
        rusqlite::Error::SqlInputError { msg, offset, .. } => {
            let mut failure = Failure::new("sql", msg.as_str());
            if let Ok(offset) = usize::try_from(*offset) {
                failure.position = Some(Position::Byte(offset as u64));
                failure.hint = Some(pointed_out(query, offset));
            }
            failure
        }
        rusqlite::Error::SqliteFailure(code, message) => {
            let message = message.clone().unwrap_or_else(|| code.to_string());
            let failure = Failure::new("sql", message);
            if code.code == rusqlite::ErrorCode::AuthorizationForStatementDenied {
                failure.hint("only reading is possible here; hbmlens convert makes a database of your own")
            } else {
                failure
            }
        }
        other => Failure::new("sql", other.to_string()),
    }
}

/// The line with the place, and a mark under it.
fn pointed_out(query: &str, offset: usize) -> String {
    let before = query.get(..offset).unwrap_or(query);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = query.get(start..).unwrap_or("").lines().next().unwrap_or("");
    let column = before.get(start..).unwrap_or("").chars().count();
    format!("{line}\n{}^", " ".repeat(column))
}

fn parse_attach(text: &str) -> Result<(String, String), String> {
    let (name, file) = text.split_once('=').ok_or("write NAME=FILE")?;
    let word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !word || ["main", "temp"].iter().any(|taken| name.eq_ignore_ascii_case(taken)) {
        return Err(format!("{name:?} cannot be the name of a database"));
    }
    Ok((name.to_owned(), file.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_stands_under_the_place() {
        assert_eq!(pointed_out("SELECT\n  a, FROM t", 12), "  a, FROM t\n     ^");
        assert_eq!(pointed_out("x", 9), "x\n ^");
    }

    #[test]
    fn names_of_databases_are_words() {
        assert_eq!(parse_attach("ref=a=b.db"), Ok(("ref".to_owned(), "a=b.db".to_owned())));
        assert!(
            parse_attach("main=a").is_err() && parse_attach("a b=c").is_err() && parse_attach("a").is_err()
        );
    }
}
