//! The `total` text: each graph's and pool's figures, and the tree of what came from the device.

use super::{graph::write_summary, percent, size_text};
use crate::analysis::ge::GeReport;
use crate::analysis::ge::device::DeviceNode;
use std::io::{Result, Write};

/// Writes it from a report.
pub fn write_total(report: &GeReport, out: &mut dyn Write) -> Result<()> {
    for process in &report.processes {
        for graph in &process.graphs {
            write_summary(process.pid, &graph.key, graph.memtype, &graph.figures, out)?;
        }
        for pool in &process.pools {
            let pool = &pool.pool;
            writeln!(
                out,
                "Process_{},allocator_id,{},reuse rate,{} total,{},after_reuse,{},theory_min,{}",
                process.pid,
                pool.allocator,
                percent(pool.reuse_rate),
                size_text(pool.total.0),
                size_text(pool.after_reuse.0),
                size_text(pool.theory_min.0)
            )?;
        }
        let device = &process.device;
        if device.allocations > 0 {
            writeln!(out, "Process_{} Malloc memory from device:", process.pid)?;
            let root = DeviceNode {
                sum: device.total,
                peak: device.peak,
                count: device.allocations,
                children: device.children.clone(),
            };
            line(out, "total", "", &root)?;
            for (name, node) in &root.children {
                line(out, name, "|-", node)?;
                for (name, node) in &node.children {
                    line(out, name, "  |-", node)?;
                }
            }
            if device.unsized_frees > 0 {
                writeln!(out, "  ({} frees print no address: peaks are upper bounds)", device.unsized_frees)?;
            }
        }
        for stat in device.at_exit.iter().filter(|stat| stat.module.is_some()) {
            writeln!(
                out,
                "Process_{} at exit: {} dev{} {} current {} peak {}",
                process.pid,
                stat.memory,
                stat.device,
                stat.module.as_deref().unwrap_or_default(),
                size_text(stat.current.0),
                size_text(stat.peak.0)
            )?;
        }
    }
    Ok(())
}

/// `|-APP               28311712(27.00M)  peak 28311712(27.00M)`.
fn line(out: &mut dyn Write, name: &str, branch: &str, node: &DeviceNode) -> Result<()> {
    let label = format!("{branch}{name}");
    let sum = size_text(node.sum.0);
    writeln!(out, "{label:<20}{sum:<28} peak {}", size_text(node.peak.0))
}
