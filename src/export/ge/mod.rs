//! The report files of imas, cell for cell, and the trace for Perfetto.
//!
//! Their readers are Excel, people's scripts and GE's own replay, which count cells; so the order of
//! cells is fixed, cells are key and value in turn, and there is no header row.

mod addresses;
mod graph;
mod perfetto;
mod pool;
mod total;
mod variables;

pub use addresses::write_addresses;
pub use graph::{write_graphs, write_summary};
pub use perfetto::write_perfetto;
pub use pool::write_pools;
pub use total::write_total;
pub use variables::write_variables;

use crate::model::ge::{GeLog, Slot};
use std::borrow::Cow;
use std::io::{Result, Write};

/// Writes one report file.
pub type Writer = fn(&GeLog, &mut dyn Write) -> Result<()>;

/// The files of a report directory, by name.
pub const FILES: [(&str, Writer); 5] = [
    ("imas_mem_graph.csv", write_graphs),
    ("imas_mem_addr.csv", write_addresses),
    ("imas_mem_variable.csv", write_variables),
    ("imas_mem_pool.csv", write_pools),
    ("imas_graph_perfetto.json", write_perfetto),
];

/// `17376768(16.57M)`: bytes, and the same for people. Zero stands alone.
pub fn size_text(bytes: u64) -> String {
    const UNITS: [(&str, f64); 3] = [("K", 1024.0), ("M", 1024.0 * 1024.0), ("G", 1024.0 * 1024.0 * 1024.0)];
    if bytes == 0 {
        return "0".to_owned();
    }
    let value = bytes as f64;
    match UNITS.iter().rev().find(|(_, unit)| value >= *unit) {
        Some((name, unit)) => format!("{bytes}({:.2}{name})", value / unit),
        None => format!("{bytes}({bytes}B)"),
    }
}

/// Two decimals.
fn percent(rate: f64) -> String {
    format!("{:.2}%", 100.0 * rate)
}

/// Names come from files: one with a comma, a quote or a line end in it is quoted, so that the cells
/// after it keep their places.
fn cell(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

/// `name_NODE_output_0`.
fn name_cell(name: &str, slot: Slot, index: u32) -> String {
    format!("name_{name}_{}_{index}", slot.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_print_as_published() {
        let published = [
            (17_376_768, "17376768(16.57M)"),
            (21_698_048, "21698048(20.69M)"),
            (133_424_128, "133424128(127.24M)"),
            (2_425_344, "2425344(2.31M)"),
            (3_652_818_576, "3652818576(3.40G)"),
            (8192, "8192(8.00K)"),
            (1536, "1536(1.50K)"),
            (0, "0"),
            (512, "512(512B)"),
        ];
        for (bytes, text) in published {
            assert_eq!(size_text(bytes), text);
        }
    }

    #[test]
    fn a_name_cannot_move_the_cells_after_it() {
        assert_eq!(cell("Conv2D"), "Conv2D");
        assert_eq!(cell("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
