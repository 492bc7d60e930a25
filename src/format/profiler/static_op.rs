//! `static_op_mem.csv`: memory of a static graph by operator, with a line that sums the others up.

use super::table::Table;
use crate::format::Result;
use crate::model::Warnings;
use crate::model::profile::{StaticOp, StaticOps};
use std::io::Read;

/// The node index that means "never released".
const NEVER: i64 = 4_294_967_295;

/// Reads the whole table; rows stay in the order of the file.
pub fn read_static_ops(source: impl Read) -> Result<StaticOps> {
    let mut table = Table::open(source)?;
    let operator = Some(table.need("op name")?);
    let size = Some(table.need("size")?);
    let [device, model, graph, start, end] =
        ["device_id", "model name", "graph id", "node index start", "node index end"].map(|n| table.find(n));
    let mut out = StaticOps::default();
    let mut warnings = Warnings::default();
    while let Some(row) = table.next(&mut warnings)? {
        let operator = row.text(operator).into_owned();
        let op = StaticOp {
            device: row.text(device).into_owned(),
            is_total: operator.eq_ignore_ascii_case("total"),
            operator,
            model: row.text(model).into_owned(),
            graph: row.text(graph).into_owned(),
            node_start: row.number(start, &mut warnings).map_or(0, |n| n.max(0).unsigned_abs()),
            node_end: row
                .number(end, &mut warnings)
                .filter(|&n| (0..NEVER).contains(&n))
                .map(i64::unsigned_abs),
            bytes: row.number(size, &mut warnings).unwrap_or(0),
        };
        out.rows.push(op);
    }
    out.warnings = warnings;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_marked_and_never_has_no_end() {
        let text = "Device_id,Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)\n\
                    host,sqrt_01,0,0,31,32,2343.78125\nhost,TOTAL,0,1,1,4294967295,19910.5\n";
        let table = read_static_ops(text.as_bytes()).unwrap();
        assert_eq!(
            (table.rows[0].node_end, table.rows[0].bytes, table.rows[0].is_total),
            (Some(32), 2_400_032, false)
        );
        assert_eq!(
            (table.rows[1].node_end, table.rows[1].bytes, table.rows[1].is_total),
            (None, 19910 * 1024 + 512, true)
        );
    }
}
