//! The rows of a SQLite file, read straight from its pages.
//!
//! Only what reading tables through needs: a walk over a tree of pages, and the cells of each row. So the page
//! in the browser reads databases without a SQLite of its own, and nothing in a file can make a query run. The
//! file lies in memory whole, as its pages come in no order. Format: sqlite.org/fileformat2.html.

use super::columns::{Columns, columns_of};
use crate::format::{Error, ErrorKind, Result};
use crate::model::Position;

/// Trees are never deeper: even one of 2^32 pages is not.
const DEEPEST: usize = 64;
/// A row of more bytes than this is not believed.
const LONGEST_ROW: u64 = 1 << 30;

/// A database file.
pub struct Database {
    bytes: Vec<u8>,
    page: usize,
    /// Bytes of a page that hold something: some extensions keep a few for themselves.
    usable: usize,
    tables: Vec<TableInfo>,
}

/// A table of the file.
pub struct TableInfo {
    pub name: String,
    pub columns: Columns,
    root: u32,
}

/// A cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cell<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'a str),
    /// Bytes, and text that is not UTF-8.
    Bytes,
}

/// A row, while it is looked at.
pub struct Row<'a> {
    pub id: i64,
    cells: Vec<Cell<'a>>,
}

impl<'a> Row<'a> {
    pub fn cell(&self, column: Option<usize>) -> Cell<'a> {
        column.and_then(|at| self.cells.get(at)).copied().unwrap_or(Cell::Null)
    }

    /// A whole number, also where it is stored as text or with a fraction of zero.
    pub fn int(&self, column: Option<usize>) -> Option<i64> {
        match self.cell(column) {
            Cell::Int(value) => Some(value),
            Cell::Real(value) if value.fract() == 0.0 && value.abs() < 9e18 => Some(value as i64),
            Cell::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    pub fn real(&self, column: Option<usize>) -> Option<f64> {
        match self.cell(column) {
            Cell::Int(value) => Some(value as f64),
            Cell::Real(value) => Some(value),
            Cell::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    pub fn text(&self, column: Option<usize>) -> Option<&'a str> {
        match self.cell(column) {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }
}

fn damaged(what: &str, at: usize) -> Error {
    Error::new(ErrorKind::Malformed, format!("the database is damaged: {what}"))
        .at(Position::Byte(at as u64))
        .hint("sqlite3 FILE 'PRAGMA integrity_check' says more; copy the file again, or export it again")
}

impl Database {
    pub fn new(bytes: Vec<u8>) -> Result<Database> {
        let header = bytes.get(..100).ok_or_else(|| damaged("it is shorter than its header", bytes.len()))?;
        let page = match be16(header, 16) {
            1 => 65_536,
            page if page.is_power_of_two() && page >= 512 => page,
            _ => return Err(damaged("its pages have no possible size", 16)),
        };
        let usable = page.saturating_sub(usize::from(header.get(20).copied().unwrap_or(0)));
        if usable < 480 {
            return Err(damaged("its pages have no room", 20));
        }
        if !matches!(be32(header, 56), 0 | 1) {
            return Err(Error::new(ErrorKind::UnknownFormat, "the database holds its texts in UTF-16")
                .hint("sqlite3 FILE .dump | sqlite3 NEW.db makes one in UTF-8"));
        }
        let mut database = Database { bytes, page, usable, tables: Vec::new() };
        let mut tables = Vec::new();
        database.walk(1, &mut |row| {
            let [kind, name, root, sql] = [0, 1, 3, 4].map(Some);
            let (Some("table"), Some(name), Some(sql)) = (row.text(kind), row.text(name), row.text(sql))
            else {
                return Ok(());
            };
            let root = row.int(root).and_then(|root| u32::try_from(root).ok()).unwrap_or(0);
            if let Some(columns) = columns_of(sql) {
                tables.push(TableInfo { name: name.to_owned(), columns, root });
            }
            Ok(())
        })?;
        database.tables = tables;
        Ok(database)
    }

    /// The table of that name, whatever the case of its letters.
    pub fn table(&self, name: &str) -> Option<&TableInfo> {
        self.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// Where the named columns of a table stand; a table that is not there has none.
    pub fn columns<const N: usize>(&self, table: &str, names: [&str; N]) -> [Option<usize>; N] {
        names.map(|name| self.table(table).and_then(|table| table.columns.find(name)))
    }

    /// Calls `each` with every row of a table, in the order of their ids; a table that is not there has none.
    pub fn rows(&self, table: &str, each: &mut dyn FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
        let Some(table) = self.table(table) else { return Ok(()) };
        let own_id = table.columns.row_id;
        self.walk(table.root, &mut |row| {
            if let Some(cell) = own_id.and_then(|at| row.cells.get_mut(at)) {
                *cell = Cell::Int(row.id);
            }
            each(row)
        })
    }

    fn walk(&self, root: u32, each: &mut dyn FnMut(&mut Row<'_>) -> Result<()>) -> Result<()> {
        // Pages still to visit, the next one last. Each is visited once, or the file goes in circles.
        let mut waiting = vec![root];
        let mut left = self.bytes.len() / self.page + 1;
        let mut assembled = Vec::new();
        while let Some(number) = waiting.pop() {
            left =
                left.checked_sub(1).ok_or_else(|| damaged("its pages refer to each other in circles", 0))?;
            let (bytes, start) = self.page(number)?;
            let base = if number == 1 { 100 } else { 0 };
            let cells = be16(bytes, base + 3);
            let kind = bytes.get(base).copied().unwrap_or(0);
            let header = if kind == 5 { 12 } else { 8 };
            let place = |cell: usize| be16(bytes, base + header + 2 * cell);
            match kind {
                5 => {
                    if waiting.len() > DEEPEST * self.page {
                        return Err(damaged("its tree is too deep", start));
                    }
                    waiting.push(be32(bytes, base + 8));
                    waiting.extend((0..cells).rev().map(|cell| be32(bytes, place(cell))));
                }
                13 => {
                    for cell in 0..cells {
                        self.row(bytes, place(cell), start, &mut assembled, each)?;
                    }
                }
                _ => return Err(damaged("a page is of another kind than expected", start)),
            }
        }
        Ok(())
    }

    fn page(&self, number: u32) -> Result<(&[u8], usize)> {
        let start = (number as usize).checked_sub(1).and_then(|before| before.checked_mul(self.page));
        let start = start.ok_or_else(|| damaged("it refers to a page that cannot be", 0))?;
        let page = start.checked_add(self.page).and_then(|end| self.bytes.get(start..end));
        // The file may have been cut within its last page.
        Ok((page.ok_or_else(|| damaged("it ends before one of its pages", self.bytes.len()))?, start))
    }

    fn row(
        &self,
        page: &[u8],
        at: usize,
        start: usize,
        assembled: &mut Vec<u8>,
        each: &mut dyn FnMut(&mut Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let bad = || damaged("a row does not fit its page", start + at);
        let mut reader = page.get(at..self.usable).ok_or_else(bad)?;
        let len = varint(&mut reader).ok_or_else(bad)?;
        let id = varint(&mut reader).ok_or_else(bad)?.cast_signed();
        if len > LONGEST_ROW || len > self.bytes.len() as u64 {
            return Err(bad());
        }
        let len = len as usize;
        let most = self.usable - 35;
        if len <= most {
            let payload = reader.get(..len).ok_or_else(bad)?;
            return each(&mut cells(payload, id).ok_or_else(bad)?);
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let local = least + (len - least) % (self.usable - 4);
        let local = if local <= most { local } else { least };
        assembled.clear();
        assembled.extend_from_slice(reader.get(..local).ok_or_else(bad)?);
        let mut next = be32(reader.get(local..local + 4).ok_or_else(bad)?, 0);
        // Every turn adds a page's bytes, so a circle ends.
        while assembled.len() < len {
            let (bytes, _) = self.page(next)?;
            let part = bytes.get(4..self.usable).unwrap_or(&[]);
            assembled.extend_from_slice(part.get(..len - assembled.len()).unwrap_or(part));
            next = be32(bytes, 0);
        }
        each(&mut cells(assembled, id).ok_or_else(bad)?)
    }
}

fn be16(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 2).map_or(0, |two| usize::from(two[0]) << 8 | usize::from(two[1]))
}

fn be32(bytes: &[u8], at: usize) -> u32 {
    (be16(bytes, at) as u32) << 16 | be16(bytes, at + 2) as u32
}

/// A number of up to nine bytes, seven bits each.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for i in 0..9 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if i == 8 {
            return Some(value << 8 | u64::from(byte));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// The cells of a row; `None` where it contradicts itself.
fn cells(payload: &[u8], id: i64) -> Option<Row<'_>> {
    let mut header = payload;
    let header_len = usize::try_from(varint(&mut header)?).ok()?;
    let taken = payload.len() - header.len();
    let mut header = payload.get(taken..header_len)?;
    let mut body = payload.get(header_len..)?;
    let mut cells = Vec::with_capacity(header.len());
    while !header.is_empty() {
        let kind = varint(&mut header)?;
        let len = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind,
            5 => 6,
            6 | 7 => 8,
            12.. => (kind - 12) / 2,
            _ => return None,
        };
        let (value, rest) = body.split_at_checked(usize::try_from(len).ok()?)?;
        body = rest;
        cells.push(match kind {
            0 => Cell::Null,
            7 => Cell::Real(f64::from_bits(unsigned(value))),
            8 => Cell::Int(0),
            9 => Cell::Int(1),
            1..=6 => {
                let unused = 64 - 8 * value.len() as u32;
                Cell::Int((unsigned(value) << unused).cast_signed() >> unused)
            }
            kind if kind % 2 == 1 => std::str::from_utf8(value).map_or(Cell::Bytes, Cell::Text),
            _ => Cell::Bytes,
        });
    }
    Some(Row { id, cells })
}

fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}
