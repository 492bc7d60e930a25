//! `ascend_pytorch_profiler_<rank>.db`: what the folder's tables and trace hold, in one file. Texts are
//! numbers into `STRING_IDS`; times are nanoseconds, sizes bytes.

use super::database::{Database, Row};
use super::run::{FRAME_SEPARATOR, nanos};
use crate::format::Result;
use crate::model::profile::{
    MemoryRecord, MemoryRecords, ModuleMemory, ModuleSample, OperatorRow, OperatorTable, ProfilerRun, Span,
    Step, Totals, TraceTable,
};
use crate::model::{Arrange, FastMap, Nanos, StringId, StringTable, fast_map};

/// Values of `PYTORCH_API.type`, where `ENUM_API_TYPE` does not name them otherwise.
const QUEUE: i64 = 50_002;
const PYTHON: i64 = 50_003;
const MARK: i64 = 50_004;

/// Texts by their numbers.
struct Texts {
    table: StringTable,
    ids: FastMap<i64, StringId>,
}

impl Texts {
    fn read(db: &Database, table: &str, value: &str) -> Result<Texts> {
        let [id, value] = db.columns(table, ["id", value]);
        let mut texts = Texts { table: StringTable::default(), ids: fast_map() };
        db.rows(table, &mut |row| {
            if let Some(id) = row.int(id) {
                texts.ids.insert(id, texts.table.intern(row.text(value).unwrap_or("")));
            }
            Ok(())
        })?;
        Ok(texts)
    }

    fn get(&self, id: Option<i64>) -> &str {
        id.and_then(|id| self.ids.get(&id)).map_or("", |&id| self.table.get(id))
    }
}

pub(super) fn read(db: &Database) -> Result<ProfilerRun> {
    let texts = Texts::read(db, "STRING_IDS", "value")?;
    let mut run = ProfilerRun::default();
    let [rank] = db.columns("RANK_DEVICE_MAP", ["rankId"]);
    db.rows("RANK_DEVICE_MAP", &mut |row| {
        // A rank of −1 says "no rank": the single card's.
        run.key.rank = run.key.rank.or(row.int(rank).filter(|&rank| rank >= 0));
        Ok(())
    })?;
    run.info.rank = run.key.rank;
    run.operators = Some(operators(db, &texts)?).filter(|table| !table.is_empty());
    run.records = Some(records(db, &texts)?).filter(|table| !table.rows.is_empty());
    run.modules = Some(modules(db)?).filter(|table| !table.rows.is_empty());
    run.trace = Some(trace(db, &texts)?).filter(|trace| trace.events > 0);
    Ok(run)
}

/// The CSV's word for a device.
fn device(strings: &mut StringTable, id: Option<i64>) -> StringId {
    id.map_or(StringId::NONE, |id| strings.intern(&format!("NPU:{id}")))
}

fn operators(db: &Database, texts: &Texts) -> Result<OperatorTable> {
    const TABLE: &str = "OP_MEMORY";
    let [name, size, stream, device_id] = db.columns(TABLE, ["name", "size", "streamPtr", "deviceId"]);
    let times = db
        .columns(TABLE, ["allocationTime", "releaseTime", "activeReleaseTime", "duration", "activeDuration"]);
    let at_alloc =
        db.columns(TABLE, ["allocationTotalAllocated", "allocationTotalReserved", "allocationTotalActive"]);
    let at_release =
        db.columns(TABLE, ["releaseTotalAllocated", "releaseTotalReserved", "releaseTotalActive"]);
    let totals = |row: &Row<'_>, columns: [Option<usize>; 3]| {
        const MB: f64 = (1 << 20) as f64;
        let [allocated_mb, reserved_mb, active_mb] =
            columns.map(|column| row.real(column).map_or(f64::NAN, |bytes| bytes / MB));
        Totals { allocated_mb, reserved_mb, active_mb }
    };
    let mut table = OperatorTable::default();
    table.has_block_release = times[2].is_some();
    db.rows(TABLE, &mut |row| {
        let [alloc, release, block_release, duration, block_duration] =
            times.map(|column| nanos(row, column));
        let since = |end: Option<Nanos>| Some(Nanos(end?.0.saturating_sub(alloc?.0)));
        let operator = OperatorRow {
            name: table.strings.intern(texts.get(row.int(name))),
            size: row.int(size).unwrap_or(0),
            alloc,
            release,
            block_release,
            duration: duration.or(since(release)),
            block_duration: block_duration.or(since(block_release)),
            at_alloc: totals(row, at_alloc),
            at_release: totals(row, at_release),
            stream: row.int(stream).map(i64::cast_unsigned),
            device: device(&mut table.strings, row.int(device_id)),
            stack: StringId::NONE,
        };
        table.push(operator);
        Ok(())
    })?;
    Ok(table)
}

fn records(db: &Database, texts: &Texts) -> Result<MemoryRecords> {
    const TABLE: &str = "MEMORY_RECORD";
    let [component, at, allocated, reserved, active, stream, device_id] = db.columns(
        TABLE,
        ["component", "timestamp", "totalAllocated", "totalReserved", "totalActive", "streamPtr", "deviceId"],
    );
    let mut table = MemoryRecords::default();
    db.rows(TABLE, &mut |row| {
        let Some(at) = nanos(row, at) else { return Ok(()) };
        let record = MemoryRecord {
            component: table.strings.intern(texts.get(row.int(component))),
            at,
            allocated: row.int(allocated),
            reserved: row.int(reserved),
            active: row.int(active),
            stream: row.int(stream).map(i64::cast_unsigned),
            device: device(&mut table.strings, row.int(device_id)),
        };
        table.rows.push(record);
        Ok(())
    })?;
    Ok(table)
}

fn modules(db: &Database) -> Result<ModuleMemory> {
    const TABLE: &str = "NPU_MODULE_MEM";
    let names = Texts::read(db, "ENUM_MODULE", "name")?;
    let [module, at, reserved, device_id] =
        db.columns(TABLE, ["moduleId", "timestampNs", "totalReserved", "deviceId"]);
    let mut table = ModuleMemory::default();
    db.rows(TABLE, &mut |row| {
        let sample = ModuleSample {
            module: table.strings.intern(names.get(row.int(module))),
            at: nanos(row, at),
            // Negative: only releases were seen.
            reserved: row.int(reserved).filter(|&bytes| bytes >= 0),
            device: device(&mut table.strings, row.int(device_id)),
        };
        table.rows.push(sample);
        Ok(())
    })?;
    Ok(table)
}

/// The texts of the call chains, frames in order of their depth.
fn chains(db: &Database, texts: &Texts, into: &mut StringTable) -> Result<FastMap<i64, StringId>> {
    const TABLE: &str = "PYTORCH_CALLCHAINS";
    let [id, stack, depth] = db.columns(TABLE, ["id", "stack", "stackDepth"]);
    let mut frames: Vec<(i64, i64, i64)> = Vec::new();
    db.rows(TABLE, &mut |row| {
        if let (Some(id), Some(stack)) = (row.int(id), row.int(stack)) {
            frames.push((id, row.int(depth).unwrap_or(0), stack));
        }
        Ok(())
    })?;
    frames.arrange_by_key(|&(id, depth, _)| (id, depth));
    let mut chains = fast_map();
    for chain in frames.chunk_by(|a, b| a.0 == b.0) {
        let lines: Vec<&str> = chain.iter().map(|&(_, _, stack)| texts.get(Some(stack))).collect();
        if let Some(&(id, ..)) = chain.first() {
            chains.insert(id, into.intern(&lines.join(FRAME_SEPARATOR)));
        }
    }
    Ok(chains)
}

/// Connections of a slice: one number may stand for several.
fn connections(db: &Database) -> Result<FastMap<i64, i64>> {
    let [id, connection] = db.columns("CONNECTION_IDS", ["id", "connectionId"]);
    let mut connections = fast_map();
    db.rows("CONNECTION_IDS", &mut |row| {
        if let (Some(id), Some(connection)) = (row.int(id), row.int(connection)) {
            connections.entry(id).or_insert(connection);
        }
        Ok(())
    })?;
    Ok(connections)
}

fn trace(db: &Database, texts: &Texts) -> Result<TraceTable> {
    const TABLE: &str = "PYTORCH_API";
    let [start, end, thread, connection, name, chain, kind] =
        db.columns(TABLE, ["startNs", "endNs", "globalTid", "connectionId", "name", "callchainId", "type"]);
    let mut trace = TraceTable::default();
    let chains = chains(db, texts, &mut trace.strings)?;
    let connections = connections(db)?;
    db.rows(TABLE, &mut |row| {
        let event = u32::try_from(trace.events).unwrap_or(u32::MAX);
        trace.events += 1;
        let (Some(start), Some(end)) = (nanos(row, start), nanos(row, end)) else { return Ok(()) };
        // A thread's number has its process in the upper half.
        let thread = row.int(thread).unwrap_or(0).cast_unsigned();
        let thread = format!("{}/{}", thread >> 32, thread & u64::from(u32::MAX));
        let name = texts.get(row.int(name));
        let span = Span {
            name: trace.strings.intern(name),
            start,
            end,
            thread: trace.strings.intern(&thread),
            stack: row.int(chain).and_then(|chain| chains.get(&chain)).copied().unwrap_or(StringId::NONE),
            event,
        };
        let kind = row.int(kind);
        trace.cover(start, end);
        if let Some(number) = name.strip_prefix("ProfilerStep#").and_then(|n| n.trim().parse().ok()) {
            trace.steps.push(Step { number, start, end });
        }
        let link = row.int(connection).map(|id| connections.get(&id).copied().unwrap_or(id));
        let link = link.map_or(u64::MAX, i64::cast_unsigned);
        match kind {
            Some(QUEUE) if name.starts_with("Dequeue") => {
                trace.dequeue.push(span);
                trace.dequeue_id.push(link);
            }
            Some(QUEUE) => {
                trace.enqueue.push(span);
                trace.enqueue_id.push(link);
            }
            Some(PYTHON) => trace.python.push(span),
            Some(MARK) => {}
            _ => trace.operators.push(span),
        }
        Ok(())
    })?;
    Ok(trace)
}
