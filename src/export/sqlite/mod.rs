//! A SQLite database of the tables, written page by page.
//!
//! The rows of a table come in the order of their ids and an index can be put in order at once, so the
//! file is made in one pass from the leaves up, with full pages and nothing to be undone. No SQLite
//! is needed for it, so the same code runs in a browser. What a database file consists of is at sqlite.org/fileformat2.html; tests ask SQLite itself.

mod keys;
mod order;
mod pages;
mod record;
mod trees;

use super::tables::{Source, TABLES, Table, VIEWS, Value, needs_replay};
use keys::Keys;
use order::order;
use pages::{PAGE, Pages};
use record::{Record, same_width};
use std::io::{self, Write};
use trees::{IndexTree, TableTree};

/// The length of the first page, which is known last.
pub const FIRST: usize = PAGE;

/// "HBML": tells `file` and us whose database it is.
const APPLICATION: u32 = 0x4842_4d4c;
/// The version of SQLite that the file says it is of.
const VERSION: u32 = 3_040_000;

/// Writes one database.
pub struct Writer<W> {
    pages: Pages<W>,
    /// The schema's rows: type, name, table, root, statement.
    schema: Vec<(&'static str, String, &'static str, u32, Option<String>)>,
    /// The greatest id of each table.
    sequence: Vec<(&'static str, i64)>,
    indexes: bool,
    of_runs: bool,
    record: Record,
}

impl<W: Write> Writer<W> {
    /// `out` takes all of the file but its first [`FIRST`] bytes, which come last. Without
    /// `indexes` only those are made that a `UNIQUE` column has.
    pub fn new(out: W, indexes: bool) -> Writer<W> {
        Writer {
            pages: Pages::new(out),
            schema: Vec::new(),
            sequence: Vec::new(),
            indexes,
            of_runs: false,
            record: Record::new(),
        }
    }

    /// Writes the tables that `wanted` says yes to, in order.
    pub fn tables(&mut self, source: &Source<'_>, wanted: impl Fn(&Table) -> bool) -> io::Result<()> {
        self.of_runs |= source.snapshot.is_none();
        TABLES.iter().filter(|table| wanted(table)).try_for_each(|table| self.table(source, table))
    }

    /// Writes everything: tables, those that need a replay last, then views.
    pub fn everything(mut self, source: &Source<'_>) -> io::Result<(W, Box<[u8; PAGE]>)> {
        self.tables(source, before_replay)?;
        self.tables(source, |table| needs_replay(table.id))?;
        self.finish()
    }

    fn table(&mut self, source: &Source<'_>, table: &'static Table) -> io::Result<()> {
        let mut keys: Vec<Keys> = Vec::new();
        for (at, column) in table.columns.iter().enumerate() {
            let indexed = self.indexes && table.indexes.iter().any(|(_, of)| of.contains(&column.name));
            if indexed || column.is_unique() {
                keys.push(Keys::new(column.name, at, column.holds));
            }
        }
        let mut tree = TableTree::new();
        let (pages, record) = (&mut self.pages, &mut self.record);
        source.rows(table.id, &mut |cells| {
            record.set(true, cells);
            keys.iter_mut().for_each(|keys| keys.push(cells));
            tree.push(pages, record)
        })?;
        let rows = tree.rows;
        let root = tree.finish(pages)?;
        self.schema.push(("table", table.name.to_owned(), table.name, root, Some(table.create_sql())));
        if rows > 0 {
            self.sequence.push((table.name, rows));
        }
        keys.iter_mut().for_each(Keys::settle);
        let unique = table.columns.iter().filter(|column| column.is_unique());
        for (number, column) in unique.enumerate() {
            let root = self.index(&keys, &[column.name], rows as usize)?;
            let name = format!("sqlite_autoindex_{}_{}", table.name, number + 1);
            self.schema.push(("index", name, table.name, root, None));
        }
        let indexes = if self.indexes { table.indexes } else { &[] };
        for (name, columns) in indexes {
            let root = self.index(&keys, columns, rows as usize)?;
            let sql = format!("CREATE INDEX {name} ON {}({})", table.name, columns.join(", "));
            self.schema.push(("index", (*name).to_owned(), table.name, root, Some(sql)));
        }
        Ok(())
    }

    fn index(&mut self, keys: &[Keys], columns: &[&str], rows: usize) -> io::Result<u32> {
        let columns: Vec<&Keys> =
            columns.iter().filter_map(|name| keys.iter().find(|keys| keys.name == *name)).collect();
        let mut tree = IndexTree::new();
        let (pages, record) = (&mut self.pages, &mut self.record);
        let mut cells = vec![Value::Null; columns.len() + 1];
        order(rows, &columns).each_set(&columns, |set| {
            let Some(&first) = set.first() else { return Ok(()) };
            cells.iter_mut().zip(&columns).for_each(|(cell, keys)| *cell = keys.cell(first));
            // Entries of a set differ in their ids alone.
            let mut same_below = 0;
            for id in set.iter().map(|&row| i64::from(row) + 1) {
                if id < same_below {
                    record.set_last(id);
                } else {
                    cells[columns.len()] = Value::Int(id);
                    record.set(false, &cells);
                    same_below = same_width(id);
                }
                tree.push(pages, record)?;
            }
            Ok::<(), io::Error>(())
        })?;
        tree.finish(&mut self.pages)
    }

    /// Writes what is left; gives back what took the file, and the file's first bytes.
    pub fn finish(mut self) -> io::Result<(W, Box<[u8; PAGE]>)> {
        let mut tree = TableTree::new();
        for (name, last) in &self.sequence {
            self.record.set(false, &[Value::Text(name), Value::Int(*last)]);
            tree.push(&mut self.pages, &mut self.record)?;
        }
        let root = tree.finish(&mut self.pages)?;
        let sql = "CREATE TABLE sqlite_sequence(name,seq)".to_owned();
        self.schema.push(("table", "sqlite_sequence".to_owned(), "sqlite_sequence", root, Some(sql)));
        for (name, select) in VIEWS {
            let sql = format!("CREATE VIEW {name} AS {select}");
            self.schema.push(("view", name.to_owned(), name, 0, Some(sql)));
        }
        let mut tree = TableTree::new();
        for (kind, name, table, root, sql) in &self.schema {
            let sql = sql.as_deref().into();
            let cells =
                [Value::Text(kind), Value::Text(name), Value::Text(table), Value::Int((*root).into()), sql];
            self.record.set(false, &cells);
            tree.push(&mut self.pages, &mut self.record)?;
        }
        let mut first = tree.finish_as_first(&mut self.pages)?;
        header(&mut first, self.pages.count(), if self.of_runs { 2 } else { 1 });
        Ok((self.pages.into_inner(), first))
    }
}

/// The file's own header, in the first hundred bytes.
fn header(first: &mut [u8; PAGE], pages: u32, content: u32) {
    first[..16].copy_from_slice(b"SQLite format 3\0");
    first[16..18].copy_from_slice(&(PAGE as u16).to_be_bytes());
    // Rollback journal; no reserved bytes; the fixed fractions of payloads.
    first[18..24].copy_from_slice(&[1, 1, 0, 64, 32, 32]);
    let mut word = |at: usize, value: u32| first[at..at + 4].copy_from_slice(&value.to_be_bytes());
    word(24, 1); // change counter
    word(28, pages);
    word(40, 1); // schema cookie
    word(44, 4); // schema format
    word(56, 1); // UTF-8
    word(60, content); // the user's version: 1 for a snapshot, 2 for runs of a profiler
    word(68, APPLICATION);
    word(92, 1); // the change counter that the version is valid for
    word(96, VERSION);
}

/// A whole database in memory.
pub fn image(source: &Source<'_>, indexes: bool) -> io::Result<Vec<u8>> {
    let (mut bytes, first) = Writer::new(vec![0; PAGE], indexes).everything(source)?;
    bytes[..PAGE].copy_from_slice(&first[..]);
    Ok(bytes)
}

/// The tables that a snapshot has by itself: they can be written before anything is replayed.
pub fn before_replay(table: &Table) -> bool {
    !needs_replay(table.id)
}
