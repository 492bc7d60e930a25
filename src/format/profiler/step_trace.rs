//! `step_trace_time.csv`: how each step spent its time. Its columns vary with the version, so they are
//! kept by name.

use super::table::Table;
use crate::format::Result;
use crate::model::Warnings;
use crate::model::profile::StepTrace;
use std::io::Read;

/// Reads the whole table.
pub fn read_step_trace(source: impl Read) -> Result<StepTrace> {
    let mut table = Table::open(source)?;
    table.need("step")?;
    let columns = table.names();
    let mut out = StepTrace { columns, ..StepTrace::default() };
    let mut warnings = Warnings::default();
    while let Some(row) = table.next(&mut warnings)? {
        out.rows.push(row.cells().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect());
    }
    out.warnings = warnings;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_keep_their_names() {
        let text = "Step,Computing,Communication(Not Overlapped),Free\r\n50,8873.7,101963.2,25744.0\r\n";
        let table = read_step_trace(text.as_bytes()).unwrap();
        assert_eq!(table.columns, ["step", "computing", "communication(not overlapped)", "free"]);
        assert_eq!(table.rows, [["50", "8873.7", "101963.2", "25744.0"]]);
    }
}
