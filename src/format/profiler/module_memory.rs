//! `npu_module_mem.csv`: reserved memory by runtime module over time, and the report by component that
//! is written once beside an out-of-memory snapshot (the same table without a time).

use super::table::Table;
use crate::format::Result;
use crate::model::Warnings;
use crate::model::profile::{ModuleMemory, ModuleSample};
use std::io::Read;

/// Reads the whole table; rows stay in the order of the file.
pub fn read_module_memory(source: impl Read) -> Result<ModuleMemory> {
    let mut table = Table::open(source)?;
    let module = Some(table.need("component")?);
    let reserved = Some(table.need("total reserved")?);
    let at = table.find("timestamp");
    let device = table.find("device").or(table.find("device_id")).or(table.find("device type"));
    let mut out = ModuleMemory::default();
    let mut warnings = Warnings::default();
    while let Some(row) = table.next(&mut warnings)? {
        let time = row.nanos(at, &mut warnings);
        if at.is_some() && time.is_none() {
            warnings.add("row_without_time", Some(row.at), || "a row without a time was left out".to_owned());
            continue;
        }
        let sample = ModuleSample {
            module: out.strings.intern(&row.text(module)),
            at: time,
            reserved: row.number(reserved, &mut warnings).filter(|&bytes| bytes >= 0),
            device: out.strings.intern(&row.text(device)),
        };
        out.rows.push(sample);
    }
    out.warnings = warnings;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Nanos;

    #[test]
    fn minus_one_kb_is_an_unknown_level() {
        let text = "Device_id,Component,Timestamp(us),Total Reserved(KB),Device\r\n0,TSD,7.000\t,-1,NPU:0\n0,SLOG,8.000\t,1.5,NPU:0\r\n";
        let table = read_module_memory(text.as_bytes()).unwrap();
        assert_eq!(table.rows[0].reserved, None);
        assert_eq!((table.rows[1].reserved, table.rows[1].at), (Some(1536), Some(Nanos(8000))));
        assert_eq!(table.strings.get(table.rows[1].device), "NPU:0");
    }

    #[test]
    fn a_report_made_once_has_no_time() {
        let table = read_module_memory(&b"Component,Total Reserved(MB)\nHCCL,2\n"[..]).unwrap();
        assert_eq!((table.rows[0].at, table.rows[0].reserved), (None, Some(2 << 20)));
    }
}
