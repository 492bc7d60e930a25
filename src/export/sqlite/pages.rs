//! Pages: what a database file is made of, and the cells on a page.
//!
//! Pages are written once, in order of their numbers, and nothing is ever changed again, so the file can
//! go straight to a disk or into parts of a download. Only page 1, which names the roots of all tables,
//! is known last.

use super::record::{STEP, push_varint};
use std::io::{self, Write};

pub(super) const PAGE: usize = 4096;

/// The page that holds the byte at 1 GiB, which SQLite locks and never uses.
const LOCK_PAGE: u32 = (1 << 30) / PAGE as u32 + 1;

/// The most bytes of a row that a leaf of a table holds without overflow pages, and of an index.
const MOST_LOCAL: [usize; 2] = [PAGE - 35, (PAGE - 12) * 64 / 255 - 23];
/// What stays on the page when a row does overflow.
const LEAST_LOCAL: usize = (PAGE - 12) * 32 / 255 - 23;

/// The kinds of pages, by the byte they begin with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    IndexInterior = 2,
    TableInterior = 5,
    IndexLeaf = 10,
    TableLeaf = 13,
}

impl Kind {
    fn is_interior(self) -> bool {
        matches!(self, Kind::IndexInterior | Kind::TableInterior)
    }

    fn is_index(self) -> bool {
        matches!(self, Kind::IndexInterior | Kind::IndexLeaf)
    }
}

/// Where pages go.
pub(super) struct Pages<W> {
    out: W,
    /// The number of the next page.
    next: u32,
}

/// True if a row stays whole on its page.
#[inline]
pub(super) fn is_local(kind: Kind, row: &[u8]) -> bool {
    row.len() <= MOST_LOCAL[usize::from(kind.is_index())]
}

impl<W: Write> Pages<W> {
    /// `out` takes every page from the second on.
    pub fn new(out: W) -> Pages<W> {
        Pages { out, next: 2 }
    }

    pub fn into_inner(self) -> W {
        self.out
    }

    /// How many pages the file has.
    pub fn count(&self) -> u32 {
        self.next - 1
    }

    /// Writes a page and returns its number.
    pub fn write(&mut self, bytes: &[u8; PAGE]) -> io::Result<u32> {
        let number = self.number()?;
        self.out.write_all(bytes)?;
        Ok(number)
    }

    fn number(&mut self) -> io::Result<u32> {
        if self.next == LOCK_PAGE {
            self.out.write_all(&[0; PAGE])?;
            self.next += 1;
        }
        let number = self.next;
        self.next = number
            .checked_add(1)
            .ok_or_else(|| io::Error::other("the database would be larger than SQLite's can be"))?;
        Ok(number)
    }

    /// Makes the cell of a row that does not stay whole on its page: what does stay, behind its length and its
    /// id. The rest goes to pages of its own.
    pub fn cut_cell(&mut self, kind: Kind, row: &[u8], id: Option<i64>) -> io::Result<Vec<u8>> {
        let mut cell = Vec::new();
        push_varint(&mut cell, row.len() as u64);
        if let Some(id) = id {
            push_varint(&mut cell, id.cast_unsigned());
        }
        let most = MOST_LOCAL[usize::from(kind.is_index())];
        let local = LEAST_LOCAL + (row.len() - LEAST_LOCAL) % (PAGE - 4);
        let local = if local <= most { local } else { LEAST_LOCAL };
        let (here, rest) = row.split_at(local);
        cell.extend_from_slice(here);
        let first = self.overflow(rest)?;
        cell.extend_from_slice(&first.to_be_bytes());
        Ok(cell)
    }

    /// A chain of overflow pages; returns the first.
    fn overflow(&mut self, rest: &[u8]) -> io::Result<u32> {
        let parts = rest.chunks(PAGE - 4);
        let last = parts.len() - 1;
        let mut first = None;
        for (i, part) in parts.enumerate() {
            let mut page = [0; PAGE];
            let number = if self.next == LOCK_PAGE { self.next + 1 } else { self.next };
            let after = if number + 1 == LOCK_PAGE { number + 2 } else { number + 1 };
            let next = if i == last { 0 } else { after };
            page[..4].copy_from_slice(&next.to_be_bytes());
            page[4..4 + part.len()].copy_from_slice(part);
            self.write(&page)?;
            first.get_or_insert(number);
        }
        Ok(first.unwrap_or(0))
    }
}

/// A page that is being filled: cells from its end, their places from its beginning.
pub(super) struct Page {
    bytes: Box<[u8; PAGE]>,
    kind: Kind,
    /// 100 on page 1, which begins with the file's header.
    base: usize,
    cells: usize,
    /// Where the last cell begins.
    content: usize,
}

impl Page {
    pub fn new(kind: Kind, base: usize) -> Page {
        Page { bytes: Box::new([0; PAGE]), kind, base, cells: 0, content: PAGE }
    }

    fn header(&self) -> usize {
        self.base + if self.kind.is_interior() { 12 } else { 8 }
    }

    pub fn is_empty(&self) -> bool {
        self.cells == 0
    }

    /// Adds a cell; false if there is no room.
    #[inline]
    pub fn push(&mut self, cell: &[u8]) -> bool {
        self.push_end(cell, cell.len())
    }

    /// Adds the last `length` bytes as a cell; false if there is no room.
    #[inline]
    pub fn push_end(&mut self, bytes: &[u8], length: usize) -> bool {
        let place = self.header() + 2 * self.cells;
        if place + 2 + length > self.content {
            return false;
        }
        // Short ones with what is before them, which comes to where nothing is yet.
        let step = if length <= STEP && place + 2 + STEP <= self.content { STEP } else { length };
        let from = bytes.len().saturating_sub(step);
        match (bytes[from..].first_chunk::<STEP>(), step) {
            (Some(cell), STEP) => self.bytes[self.content - STEP..self.content].copy_from_slice(cell),
            _ => self.bytes[self.content - length..self.content]
                .copy_from_slice(&bytes[bytes.len() - length..]),
        }
        self.content -= length;
        self.bytes[place..place + 2].copy_from_slice(&(self.content as u16).to_be_bytes());
        self.cells += 1;
        true
    }

    /// Takes the last cell off again.
    pub fn pop(&mut self) -> Vec<u8> {
        let Some(place) = (self.header() + 2 * self.cells).checked_sub(4) else { return Vec::new() };
        let before = u16::from_be_bytes([self.bytes[place], self.bytes[place + 1]]);
        let end = if self.cells > 1 { usize::from(before) } else { PAGE };
        let cell = self.bytes[self.content..end].to_vec();
        self.content = end;
        self.cells -= 1;
        cell
    }

    /// Completes the page and empties it. `right` is the last child of an interior page.
    pub fn finish(&mut self, right: u32) -> &[u8; PAGE] {
        let at = self.base;
        self.bytes[at] = self.kind as u8;
        self.bytes[at + 3..at + 5].copy_from_slice(&(self.cells as u16).to_be_bytes());
        self.bytes[at + 5..at + 7].copy_from_slice(&(self.content as u16).to_be_bytes());
        if self.kind.is_interior() {
            self.bytes[at + 8..at + 12].copy_from_slice(&right.to_be_bytes());
        }
        (self.cells, self.content) = (0, PAGE);
        &self.bytes
    }
}
