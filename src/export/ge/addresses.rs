//! imas_mem_addr.csv: the regions of each loaded graph, and behind them where its operators lie.

use super::{cell, name_cell};
use crate::model::Arrange;
use crate::model::ge::GeLog;
use std::io::{Result, Write};

/// Writes all processes, graph by graph.
pub fn write_addresses(log: &GeLog, out: &mut dyn Write) -> Result<()> {
    for process in &log.processes {
        let bases = process.bases.iter().map(|row| row.graph);
        let mut graphs: Vec<u64> = bases.chain(process.addresses.iter().map(|row| row.graph)).collect();
        graphs.sort_unstable();
        graphs.dedup();
        let mut addresses: Vec<_> = process.addresses.iter().collect();
        addresses.arrange_by_key(|row| row.graph);
        for graph in graphs {
            for row in process.bases.iter().filter(|row| row.graph == graph) {
                let (from, size) = (row.address.0, row.size.0);
                writeln!(
                    out,
                    "Process_{},{graph},baseaddr,memaddr,{from:#x},mem_size,{size},type,{},valid memaddr range[{from:#x}~{:#x}]",
                    process.pid,
                    row.region.as_str(),
                    from.saturating_add(size)
                )?;
            }
            let first = addresses.partition_point(|row| row.graph < graph);
            for row in addresses[first..].iter().take_while(|row| row.graph == graph) {
                let name = name_cell(log.text(row.name), row.slot, row.index);
                writeln!(
                    out,
                    "{},type,{},size,{},memaddr,{:#x}",
                    cell(&name),
                    row.region.as_str(),
                    row.size.map_or(0, |size| size.0),
                    row.address.0
                )?;
            }
        }
    }
    Ok(())
}
