//! imas_mem_variable.csv: session, name, output, offset, size, realsize, and whose memory it uses.

use super::cell;
use crate::model::ge::GeLog;
use std::io::{Result, Write};

/// Writes all variables in time order.
pub fn write_variables(log: &GeLog, out: &mut dyn Write) -> Result<()> {
    for process in &log.processes {
        for row in &process.variables {
            let offset = if row.is_address { format!("{:#x}", row.offset) } else { row.offset.to_string() };
            let size =
                |size: Option<crate::model::Bytes>| size.map_or(String::new(), |size| size.0.to_string());
            writeln!(
                out,
                "Process_{},session,{},name,{},output,{},offset,{offset},size,{},realsize,{},reuse of,{}",
                process.pid,
                row.session,
                cell(log.text(row.name)),
                row.output,
                size(row.size),
                size(row.real_size),
                row.reuse_of.map_or("".into(), |id| cell(log.text(id)))
            )?;
        }
    }
    Ok(())
}
