//! Tables for the terminal: few lines, numbers right-aligned, CJK counted at its width.
//!
//! Most tables list rows of one kind, so a column says both its heading and what a row shows in it: the two cannot
//! come apart. Tables of another shape are put together row by row.

use crate::cli::error::Stop;
use crate::cli::output::{Output, clean};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table as Grid, TableComponent, presets};

/// A column of a list of rows.
pub struct Column<'a, R> {
    /// The catalogue's key, or nothing.
    heading: &'static str,
    right: bool,
    cell: &'a dyn Fn(&R, &Output) -> String,
}

/// A column of numbers.
pub fn number<'a, R>(heading: &'static str, cell: &'a dyn Fn(&R, &Output) -> String) -> Column<'a, R> {
    Column { heading, right: true, cell }
}

/// A column of words.
pub fn text<'a, R>(heading: &'static str, cell: &'a dyn Fn(&R, &Output) -> String) -> Column<'a, R> {
    Column { heading, right: false, cell }
}

/// Rows under a heading; nothing where there are none.
pub fn section<R>(
    heading: &str,
    rows: &[R],
    columns: &[Column<'_, R>],
    out: &mut Output,
) -> Result<(), Stop> {
    if rows.is_empty() {
        return Ok(());
    }
    out.heading(heading)?;
    Table::of(rows, columns, out).print(out)
}

/// A table under construction.
pub struct Table {
    grid: Grid,
    right: Vec<bool>,
}

impl Table {
    /// `columns`: heading, and whether the column holds numbers.
    pub fn new(out: &Output, columns: &[(&str, bool)]) -> Table {
        let mut grid = Grid::new();
        // One line under the headings; rows need none.
        grid.load_preset(presets::NOTHING);
        let line = if out.ascii { '-' } else { '\u{2500}' };
        grid.set_style(TableComponent::HeaderLines, line);
        grid.set_style(TableComponent::MiddleHeaderIntersections, line);
        grid.set_content_arrangement(if out.terminal {
            ContentArrangement::Dynamic
        } else {
            ContentArrangement::Disabled
        });
        let right: Vec<bool> = columns.iter().map(|&(_, right)| right).collect();
        let header = columns.iter().map(|&(name, right)| cell(&out.shown(name), right));
        grid.set_header(header.collect::<Vec<_>>());
        Table { grid, right }
    }

    /// The table of these rows.
    pub fn of<R>(rows: &[R], columns: &[Column<'_, R>], out: &Output) -> Table {
        let heading = |key: &'static str| if key.is_empty() { "" } else { out.label(key) };
        let headings: Vec<_> = columns.iter().map(|column| (heading(column.heading), column.right)).collect();
        let mut table = Table::new(out, &headings);
        for row in rows {
            table.row(out, columns.iter().map(|column| (column.cell)(row, out)));
        }
        table
    }

    /// Adds a row; a cell that is missing stays empty.
    pub fn row<I>(&mut self, out: &Output, cells: I)
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let cells = cells
            .into_iter()
            .enumerate()
            .map(|(i, text)| cell(&out.shown(text.as_ref()), self.right.get(i).copied().unwrap_or(false)));
        self.grid.add_row(cells.collect::<Vec<_>>());
    }

    pub fn print(&self, out: &mut Output) -> Result<(), Stop> {
        for line in self.grid.lines() {
            out.line(line.trim_end())?;
        }
        Ok(())
    }
}

fn cell(text: &str, right: bool) -> Cell {
    let alignment = if right { CellAlignment::Right } else { CellAlignment::Left };
    Cell::new(clean(text)).set_alignment(alignment)
}
