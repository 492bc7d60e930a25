//! imas_mem_pool.csv: a row a use of a pool's memory.
//!
//! GE's own replay reads cells 2, 8, 12 and 14 (from 0): the allocator, the bytes asked for, and the
//! moments of begin and end, which are numbers in order and not times.

use super::cell;
use crate::analysis::ge::pools::pools;
use crate::model::ge::GeLog;
use std::io::{Result, Write};

/// The end of what was not freed.
const NOT_FREED: u64 = 4_294_967_295;

/// Writes all uses in the order in which they were handed out.
pub fn write_pools(log: &GeLog, out: &mut dyn Write) -> Result<()> {
    for process in &log.processes {
        for row in pools(process).uses {
            let moment = |moment: Option<u64>| moment.unwrap_or(NOT_FREED);
            writeln!(
                out,
                "Process_{},allocator_id,{},name,{},size,{},realsize,{},address,{:#x},life time begin,{},life time end,{},cached_size,{},theory_size,{},kernel_free,{},pool_free,{}",
                process.pid,
                row.allocator,
                cell(log.text(row.name)),
                row.size.0,
                row.real_size.0,
                row.address.0,
                row.begin,
                moment(row.end()),
                row.cached_size.0,
                row.theory_size.0,
                moment(row.kernel_free),
                moment(row.pool_free)
            )?;
        }
    }
    Ok(())
}
