//! `memory_record.csv`: totals by component; five columns, seven, or msprof's in KB.

use super::table::Table;
use crate::format::Result;
use crate::model::Warnings;
use crate::model::profile::{MemoryRecord, MemoryRecords};
use std::io::Read;

/// Reads the whole table; rows stay in the order of the file.
pub fn read_memory_record(source: impl Read) -> Result<MemoryRecords> {
    let mut table = Table::open(source)?;
    let component = Some(table.need("component")?);
    let at = Some(table.need("timestamp")?);
    let [allocated, reserved, active, stream] =
        ["total allocated", "total reserved", "total active", "stream ptr"].map(|n| table.find(n));
    let device = table.find("device type").or(table.find("device_id")).or(table.find("device"));
    let mut out = MemoryRecords::default();
    let mut warnings = Warnings::default();
    while let Some(row) = table.next(&mut warnings)? {
        let Some(at) = row.nanos(at, &mut warnings) else {
            warnings.add("row_without_time", Some(row.at), || "a row without a time was left out".to_owned());
            continue;
        };
        let record = MemoryRecord {
            component: out.strings.intern(&row.text(component)),
            at,
            allocated: row.number(allocated, &mut warnings),
            reserved: row.number(reserved, &mut warnings),
            active: row.number(active, &mut warnings),
            stream: row.unsigned(stream, &mut warnings),
            device: out.strings.intern(&row.text(device)),
        };
        out.rows.push(record);
    }
    out.warnings = warnings;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Nanos, Position};

    #[test]
    fn reads_five_and_seven_columns() {
        let five = "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\nAPP,5.001\t,,2.5,NPU:0\n";
        let table = read_memory_record(five.as_bytes()).unwrap();
        assert_eq!(
            (table.rows[0].at, table.rows[0].allocated, table.rows[0].reserved),
            (Nanos(5001), None, Some(5 << 19))
        );
        let seven = "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device Type\r\n\
                     PTA,1.69512E+15,4599.740723,8582,4599.740723,9.4509E+13,NPU:1\r\nPTA,,1,1,1,1,NPU:1\r\n";
        let table = read_memory_record(seven.as_bytes()).unwrap();
        assert_eq!((table.rows.len(), table.rows[0].stream), (1, Some(94_509_000_000_000)));
        assert_eq!(table.warnings.get("precision_lost").unwrap().count, 2);
        assert_eq!(table.warnings.get("row_without_time").unwrap().position, Some(Position::Record(1)));
    }
}
