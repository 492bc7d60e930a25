//! Tables for the terminal: few lines, numbers right-aligned, CJK counted at its width.

use crate::cli::error::Stop;
use crate::cli::output::{Output, clean};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table as Grid, TableComponent, presets};

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
