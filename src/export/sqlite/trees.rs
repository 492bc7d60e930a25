//! Trees of pages, built from the leaves up. Rows come in the order in which the tree holds them, so each
//! page is filled once and written.

use super::pages::{Kind, PAGE, Page, Pages, is_local};
use super::record::{Record, push_varint};
use std::io::{self, Write};

/// The tree of a table: rows by their ids, which count from 1.
pub(super) struct TableTree {
    page: Page,
    /// Pages written so far, with the last id on each.
    leaves: Vec<(u32, i64)>,
    pub rows: i64,
}

/// Children of an interior page of a table; their cells always fit, whatever the ids.
const TABLE_FAN: usize = 250;

impl TableTree {
    pub fn new() -> TableTree {
        TableTree { page: Page::new(Kind::TableLeaf, 0), leaves: Vec::new(), rows: 0 }
    }

    #[inline]
    pub fn push(&mut self, pages: &mut Pages<impl Write>, record: &mut Record) -> io::Result<()> {
        self.rows += 1;
        if is_local(Kind::TableLeaf, record.row()) {
            let (bytes, length) = record.cell(Some(self.rows));
            return self.push_cell(pages, bytes, length);
        }
        let cell = pages.cut_cell(Kind::TableLeaf, record.row(), Some(self.rows))?;
        self.push_cell(pages, &cell, cell.len())
    }

    /// Adds the last `length` bytes.
    #[inline]
    fn push_cell(&mut self, pages: &mut Pages<impl Write>, bytes: &[u8], length: usize) -> io::Result<()> {
        if !self.page.push_end(bytes, length) {
            let number = pages.write(self.page.finish(0))?;
            self.leaves.push((number, self.rows - 1));
            self.page.push_end(bytes, length);
        }
        Ok(())
    }

    /// Writes what is left and returns the root.
    pub fn finish(mut self, pages: &mut Pages<impl Write>) -> io::Result<u32> {
        self.last_leaf(pages)?;
        while self.leaves.len() > 1 {
            let mut above = Vec::new();
            for children in even_parts(&self.leaves, TABLE_FAN) {
                let mut page = Page::new(Kind::TableInterior, 0);
                let last = interior(&mut page, children);
                above.push((pages.write(page.finish(last.0))?, last.1));
            }
            self.leaves = above;
        }
        Ok(self.leaves.first().map_or(0, |&(root, _)| root))
    }

    /// Writes what is left and returns page 1, which is the root, with room for the file's header.
    pub fn finish_as_first(mut self, pages: &mut Pages<impl Write>) -> io::Result<Box<[u8; PAGE]>> {
        self.last_leaf(pages)?;
        let mut page = Page::new(Kind::TableInterior, 100);
        let last = interior(&mut page, self.leaves.get(..TABLE_FAN).unwrap_or(&self.leaves));
        Ok(Box::new(*page.finish(last.0)))
    }

    fn last_leaf(&mut self, pages: &mut Pages<impl Write>) -> io::Result<()> {
        if !self.page.is_empty() || self.leaves.is_empty() {
            self.leaves.push((pages.write(self.page.finish(0))?, self.rows));
        }
        Ok(())
    }
}

/// Puts all children but the last on a page as cells; returns the last.
fn interior(page: &mut Page, children: &[(u32, i64)]) -> (u32, i64) {
    let Some((&last, others)) = children.split_last() else { return (0, 0) };
    let mut cell = Vec::new();
    for &(child, last_id) in others {
        cell.clear();
        cell.extend_from_slice(&child.to_be_bytes());
        push_varint(&mut cell, last_id.cast_unsigned());
        page.push(&cell);
    }
    last
}

/// `items` in parts of at most `most` that differ by one at most, so that none is left with one item.
fn even_parts<T>(items: &[T], most: usize) -> impl Iterator<Item = &[T]> {
    let parts = items.len().div_ceil(most.max(2)).max(1);
    (0..parts).map(move |i| items.get(items.len() * i / parts..items.len() * (i + 1) / parts).unwrap_or(&[]))
}

/// The tree of an index: entries in their order. Entries stand between pages, too, not only on leaves.
pub(super) struct IndexTree {
    page: Page,
    /// Pages written so far, with the entry that follows each (none after the last).
    done: Vec<(u32, Vec<u8>)>,
    /// The entry that goes between the page written last and the one to come.
    between: Option<Vec<u8>>,
}

impl IndexTree {
    pub fn new() -> IndexTree {
        IndexTree { page: Page::new(Kind::IndexLeaf, 0), done: Vec::new(), between: None }
    }

    #[inline]
    pub fn push(&mut self, pages: &mut Pages<impl Write>, record: &mut Record) -> io::Result<()> {
        if is_local(Kind::IndexLeaf, record.row()) {
            let (bytes, length) = record.cell(None);
            return self.push_cell(pages, bytes, length);
        }
        let cell = pages.cut_cell(Kind::IndexLeaf, record.row(), None)?;
        self.push_cell(pages, &cell, cell.len())
    }

    /// Adds the last `length` bytes.
    #[inline]
    fn push_cell(&mut self, pages: &mut Pages<impl Write>, bytes: &[u8], length: usize) -> io::Result<()> {
        if let Some(between) = self.between.take() {
            let number = pages.write(self.page.finish(0))?;
            self.done.push((number, between));
        }
        if !self.page.push_end(bytes, length) {
            self.between = Some(bytes[bytes.len() - length..].to_vec());
        }
        Ok(())
    }

    /// Writes what is left and returns the root.
    pub fn finish(mut self, pages: &mut Pages<impl Write>) -> io::Result<u32> {
        if let Some(cell) = self.between.take() {
            // Nothing follows, and no page may be empty: the last entry of the full page goes between.
            let last = self.page.pop();
            let number = pages.write(self.page.finish(0))?;
            self.done.push((number, last));
            self.page.push(&cell);
        }
        let mut level = self.done;
        level.push((pages.write(self.page.finish(0))?, Vec::new()));
        while level.len() > 1 {
            let longest = level.iter().map(|(_, entry)| entry.len()).max().unwrap_or(0);
            let fan = (PAGE - 12) / (longest + 6) + 1;
            let mut above = Vec::new();
            for children in even_parts(&level, fan) {
                let Some((last, others)) = children.split_last() else { continue };
                let mut page = Page::new(Kind::IndexInterior, 0);
                for (child, entry) in others {
                    page.push(&[&child.to_be_bytes(), entry.as_slice()].concat());
                }
                above.push((pages.write(page.finish(last.0))?, last.1.clone()));
            }
            level = above;
        }
        Ok(level.first().map_or(0, |&(root, _)| root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_even() {
        let items: Vec<u32> = (0..503).collect();
        for (len, most) in [(1, 250), (250, 250), (251, 250), (503, 250), (5, 4)] {
            let parts: Vec<&[u32]> = even_parts(&items[..len], most).collect();
            assert_eq!(parts.concat(), items[..len]);
            assert!(parts.iter().all(|part| part.len() <= most && (len == 1 || part.len() > 1)), "{len}");
        }
    }
}
