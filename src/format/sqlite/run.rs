//! A profiler run out of the tables that this program exports. Each row brings the stack that was found for
//! it, so no trace is needed; of several runs in one file the first is read.

use super::database::{Database, Row};
use super::snapshot::{frames_of, read_warnings};
use crate::format::Result;
use crate::model::profile::{
    MemoryRecord, MemoryRecords, ModuleMemory, ModuleSample, OperatorRow, OperatorTable, ProfilerRun,
    RankKey, Totals,
};
use crate::model::{FastMap, Nanos, StringId, fast_map};
use serde_json::Value;

/// What separates the frames of a call stack in a trace.
pub(super) const FRAME_SEPARATOR: &str = ";\r\n";

pub(super) fn read(db: &Database) -> Result<ProfilerRun> {
    let mut run = ProfilerRun::default();
    let mut id = None;
    let [role, rank, timestamp, folder] = db.columns("runs", ["role", "rank", "timestamp", "folder"]);
    let mut others = 0_u64;
    db.rows("runs", &mut |row| {
        if id.is_some() {
            others += 1;
            return Ok(());
        }
        id = Some(row.id);
        let text = |column| row.text(column).unwrap_or("").to_owned();
        run.key = RankKey {
            role: text(role),
            rank: row.int(rank),
            timestamp: text(timestamp),
            folder: text(folder),
        };
        Ok(())
    })?;
    run.info.rank = run.key.rank;
    if others > 0 {
        run.warnings.add_many("other_runs", others, None, || {
            "the database holds several runs; the first is read here (hbmlens sql sees all)".to_owned()
        });
    }
    run.operators = operators(db, id)?;
    run.records = records(db, id)?;
    run.modules = modules(db, id)?;
    read_warnings(db, &mut |warning| {
        run.warnings.add_many(&warning.kind, warning.count, warning.position, || warning.detail);
    })?;
    Ok(run)
}

pub(super) fn nanos(row: &Row<'_>, column: Option<usize>) -> Option<Nanos> {
    row.int(column).map(Nanos)
}

fn operators(db: &Database, run: Option<i64>) -> Result<Option<OperatorTable>> {
    const TABLE: &str = "operator_memory";
    let mut table = OperatorTable::default();
    let mut stacks: FastMap<i64, StringId> = fast_map();
    let [json] = db.columns("call_stacks", ["frames_json"]);
    db.rows("call_stacks", &mut |row| {
        let frames = frames_of(row.text(json));
        let texts: Vec<&str> = frames.iter().filter_map(Value::as_str).collect();
        stacks.insert(row.id, table.strings.intern(&texts.join(FRAME_SEPARATOR)));
        Ok(())
    })?;
    let [run_id, name, size, stream, device, stack, stack_match] =
        db.columns(TABLE, ["run_id", "name", "size", "stream_ptr", "device", "stack_id", "stack_match"]);
    let times = db.columns(
        TABLE,
        [
            "allocation_time_ns",
            "release_time_ns",
            "active_release_time_ns",
            "duration_ns",
            "active_duration_ns",
        ],
    );
    let alloc_totals = db.columns(
        TABLE,
        ["allocation_total_allocated_mb", "allocation_total_reserved_mb", "allocation_total_active_mb"],
    );
    let release_totals = db.columns(
        TABLE,
        ["release_total_allocated_mb", "release_total_reserved_mb", "release_total_active_mb"],
    );
    let totals = |row: &Row<'_>, columns: [Option<usize>; 3]| {
        let [allocated_mb, reserved_mb, active_mb] = columns.map(|c| row.real(c).unwrap_or(f64::NAN));
        Totals { allocated_mb, reserved_mb, active_mb }
    };
    db.rows(TABLE, &mut |row| {
        if row.int(run_id) != run {
            return Ok(());
        }
        let [alloc, release, block_release, duration, block_duration] =
            times.map(|column| nanos(row, column));
        table.has_block_release |= block_release.is_some();
        let stack = row.int(stack).and_then(|id| stacks.get(&id)).copied().unwrap_or(StringId::NONE);
        let operator = OperatorRow {
            name: table.strings.intern(row.text(name).unwrap_or("")),
            size: row.int(size).unwrap_or(0),
            alloc,
            release,
            block_release,
            duration,
            block_duration,
            at_alloc: totals(row, alloc_totals),
            at_release: totals(row, release_totals),
            stream: row.int(stream).map(i64::cast_unsigned),
            device: table.strings.intern(row.text(device).unwrap_or("")),
            stack,
        };
        table.push(operator);
        let found = table.strings.intern(row.text(stack_match).unwrap_or("none"));
        table.stack_match.push(found);
        Ok(())
    })?;
    table.from_trace = !stacks.is_empty();
    Ok(Some(table).filter(|table| !table.is_empty()))
}

fn records(db: &Database, run: Option<i64>) -> Result<Option<MemoryRecords>> {
    const TABLE: &str = "memory_record";
    let mut table = MemoryRecords::default();
    let [run_id, component, at, allocated, reserved, active, stream, device] = db.columns(
        TABLE,
        [
            "run_id",
            "component",
            "timestamp_ns",
            "total_allocated",
            "total_reserved",
            "total_active",
            "stream_ptr",
            "device",
        ],
    );
    db.rows(TABLE, &mut |row| {
        let Some(at) = nanos(row, at).filter(|_| row.int(run_id) == run) else { return Ok(()) };
        let record = MemoryRecord {
            component: table.strings.intern(row.text(component).unwrap_or("")),
            at,
            allocated: row.int(allocated),
            reserved: row.int(reserved),
            active: row.int(active),
            stream: row.int(stream).map(i64::cast_unsigned),
            device: table.strings.intern(row.text(device).unwrap_or("")),
        };
        table.rows.push(record);
        Ok(())
    })?;
    Ok(Some(table).filter(|table| !table.rows.is_empty()))
}

fn modules(db: &Database, run: Option<i64>) -> Result<Option<ModuleMemory>> {
    const TABLE: &str = "module_memory";
    let mut table = ModuleMemory::default();
    let [run_id, module, at, reserved, device] =
        db.columns(TABLE, ["run_id", "module", "timestamp_ns", "total_reserved", "device"]);
    db.rows(TABLE, &mut |row| {
        if row.int(run_id) == run {
            let sample = ModuleSample {
                module: table.strings.intern(row.text(module).unwrap_or("")),
                at: nanos(row, at),
                reserved: row.int(reserved),
                device: table.strings.intern(row.text(device).unwrap_or("")),
            };
            table.rows.push(sample);
        }
        Ok(())
    })?;
    Ok(Some(table).filter(|table| !table.rows.is_empty()))
}
