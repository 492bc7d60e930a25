//! `operator_memory.csv`: one row an allocation, in every generation since 2023 and as msprof writes it.

use super::table::{Column, Row, Table};
use crate::format::Result;
use crate::model::profile::{OperatorRow, OperatorTable, Totals};
use crate::model::{Nanos, StringId, Warnings};
use std::io::Read;

/// The columns of a running total at one event.
struct TotalColumns([Option<Column>; 3]);

impl TotalColumns {
    fn find<R: Read>(table: &Table<R>, event: &str) -> TotalColumns {
        TotalColumns(
            ["allocated", "reserved", "active"].map(|what| table.find(&format!("{event} total {what}"))),
        )
    }

    fn read(&self, row: &Row<'_>, warnings: &mut Warnings) -> Totals {
        let [allocated_mb, reserved_mb, active_mb] = self.0.map(|column| row.megabytes(column, warnings));
        Totals { allocated_mb, reserved_mb, active_mb }
    }
}

/// Reads the whole table; rows stay in the order of the file.
pub fn read_operator_memory(source: impl Read) -> Result<OperatorTable> {
    let mut table = Table::open(source)?;
    let name = Some(table.need("name")?);
    let size = Some(table.need("size")?);
    let alloc = Some(table.need("allocation time")?);
    let [release, block_release, duration, block_duration, stream] =
        ["release time", "active release time", "duration", "active duration", "stream ptr"]
            .map(|n| table.find(n));
    let device = table.find("device type").or(table.find("device_id")).or(table.find("device"));
    let at_alloc = TotalColumns::find(&table, "allocation");
    let at_release = TotalColumns::find(&table, "release");
    let mut out = OperatorTable::default();
    out.has_block_release = block_release.is_some();
    let mut warnings = Warnings::default();
    while let Some(row) = table.next(&mut warnings)? {
        let Some(bytes) = row.number(size, &mut warnings) else {
            warnings.add("row_without_size", Some(row.at), || "a row without a size was left out".to_owned());
            continue;
        };
        let alloc = row.nanos(alloc, &mut warnings);
        let release = row.nanos(release, &mut warnings);
        let block_release = row.nanos(block_release, &mut warnings);
        let since = |end: Option<Nanos>| Some(Nanos(end?.0.saturating_sub(alloc?.0)));
        let duration = row.nanos(duration, &mut warnings).or(since(release));
        let block_duration = row.nanos(block_duration, &mut warnings).or(since(block_release));
        if [duration, block_duration].iter().flatten().any(|d| d.0 < 0) {
            warnings.add("negative_duration", Some(row.at), || "a row ends before it starts".to_owned());
        }
        let row = OperatorRow {
            name: out.strings.intern(&row.text(name)),
            size: bytes,
            alloc,
            release,
            block_release,
            duration,
            block_duration,
            at_alloc: at_alloc.read(&row, &mut warnings),
            at_release: at_release.read(&row, &mut warnings),
            stream: row.unsigned(stream, &mut warnings),
            device: out.strings.intern(&row.text(device)),
            stack: StringId::NONE,
        };
        out.push(row);
    }
    out.warnings = warnings;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> OperatorTable {
        read_operator_memory(text.as_bytes()).unwrap()
    }

    #[test]
    fn reads_tabs_quotes_blanks_and_mixed_line_ends() {
        let table = read(concat!(
            "\u{feff}Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),Active Duration(us),",
            "Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation Total Active(MB),Release Total Allocated(MB),",
            "Release Total Reserved(MB),Release Total Active(MB),Stream Ptr,Device Type\r\n",
            "aten::empty,18816.5,\"1779785515596661.420\t\",1779785515596662.420\t,,\"1.000\t\",,954.37060546875,1452.0,,,,,897357296,NPU:0\n",
            "\"two\nlines\",0.5,1779785515596663.001\t,N/A,1779785515596664.001\t,N/A,1.000\t,19071.60547,,,,,,18446744073709551615,NPU:0\r\n",
            ",-512,,1779785515596665.000\t,,,,,,,1.5,2,1.5,1,NPU:0\n"
        ));
        assert_eq!(table.len(), 3);
        let first = table.get(0).unwrap();
        assert_eq!((table.name(0), first.size), ("aten::empty", 18816 * 1024 + 512));
        assert_eq!(first.alloc, Some(Nanos(1_779_785_515_596_661_420)));
        assert_eq!((first.duration, first.block_release), (Some(Nanos(1000)), None));
        assert_eq!((first.at_alloc.allocated_mb, first.stream), (954.370_605_468_75, Some(897_357_296)));
        assert!(first.at_alloc.active_mb.is_nan());
        let second = table.get(1).unwrap();
        assert_eq!((table.name(1), second.duration, second.release), ("two\nlines", None, None));
        assert_eq!(second.stream, Some(u64::MAX));
        assert_eq!((second.block_duration, second.at_alloc.allocated_mb), (Some(Nanos(1000)), 19071.60547));
        let third = table.get(2).unwrap();
        assert_eq!((table.name(2), third.size, third.alloc), ("", -512 * 1024, None));
        assert_eq!(third.release, Some(Nanos(1_779_785_515_596_665_000)));
    }

    #[test]
    fn reads_the_tool_chain_form_with_kb_totals_and_no_release_time() {
        let table = read(concat!(
            "Device_id,Name,Size(KB),Allocation Time(us),Duration(us),Allocation Total Allocated(KB),Allocation Total Reserved(KB),",
            "Release Total Allocated(KB),Release Total Reserved(KB)\n",
            "0,MatMul,2,100.5,N/A,1024,2048,,\n0,MatMul,2,101,3.25,1536,2048,1024,2048\n"
        ));
        let row = table.get(1).unwrap();
        assert_eq!((row.duration, row.release, row.at_alloc.allocated_mb), (Some(Nanos(3250)), None, 1.5));
        assert_eq!(table.strings.get(row.device), "0");
        assert_eq!(table.get(0).unwrap().duration, None);
        assert!(table.warnings.is_empty());
    }

    #[test]
    fn odd_cells_are_counted_and_the_rest_is_kept() {
        let table = read("Name,Size(KB),Allocation Time(us),Duration(us)\na,1,1.69512E+15,5\nb,x,1,1\nc,2\n");
        assert_eq!(table.len(), 2);
        assert_eq!(table.get(0).unwrap().alloc, Some(Nanos(1_695_120_000_000_000_000)));
        let kinds: Vec<_> = table.warnings.iter().map(|w| (w.kind.as_str(), w.count)).collect();
        assert_eq!(
            kinds,
            [("precision_lost", 1), ("bad_number", 1), ("row_without_size", 1), ("short_row", 1)]
        );
        let error = read_operator_memory(&b"Name,Size\na,1\n"[..]).unwrap_err();
        assert!(error.to_string().contains("allocation time"), "{error}");
    }
}
