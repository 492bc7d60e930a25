//! Rows of what a snapshot says by itself. Together they hold everything that the analyses look at, so
//! that a database made of them answers like the snapshot it came from.

use super::frames_json::{stacks, text_of};
use super::{Sink, TableId, Value, row_id, signed};
use crate::model::{
    Action, Block, Device, EventTable, PoolId, Position, SegmentType, Snapshot, StackId, StreamId, StringId,
    Writer,
};
use std::io;

/// The device column's value for the host's own allocator.
const HOST: i64 = -1;

/// Devices in the order of their ids: those of the device lists, then others that have segments.
pub(super) struct Devices {
    list: Vec<Device>,
    /// With their ids, sorted.
    ids: Vec<(Device, i64)>,
}

impl Devices {
    pub fn of(snapshot: &Snapshot) -> Devices {
        let mut devices = Devices { list: Vec::new(), ids: Vec::new() };
        for device in snapshot.traces.iter().map(|t| t.device).chain(snapshot.devices()) {
            if let Err(place) = devices.ids.binary_search_by_key(&device, |&(device, _)| device) {
                devices.list.push(device);
                devices.ids.insert(place, (device, devices.list.len() as i64));
            }
        }
        devices
    }

    pub fn id(&self, device: Device) -> Value<'static> {
        match self.ids.binary_search_by_key(&device, |&(device, _)| device) {
            Ok(place) => self.ids.get(place).map(|&(_, id)| id).into(),
            Err(_) => Value::Null,
        }
    }
}

/// Rows of a table of the snapshot; none for the tables of others.
pub(super) fn rows(snapshot: &Snapshot, table: TableId, sink: &mut Sink<'_>) -> io::Result<()> {
    match table {
        TableId::Devices => devices(snapshot, sink),
        TableId::CallStacks => stacks(snapshot, sink),
        TableId::Frames => frames(snapshot, sink),
        TableId::Segments => segments(snapshot, sink),
        TableId::SegmentDetails => {
            details_of(snapshot, snapshot.segments.iter().map(|segment| segment.forward_frames), sink)
        }
        TableId::Blocks => blocks(snapshot, sink),
        TableId::BlockHistory => history(snapshot, sink),
        TableId::BlockDetails => {
            let forward = &snapshot.blocks.forward_frames;
            details_of(snapshot, (0..snapshot.blocks.rows.len()).map(|row| forward.get(row)), sink)
        }
        TableId::Traces => traces(snapshot, sink),
        TableId::TraceDetails => details(snapshot, sink),
        TableId::Annotations => annotations(snapshot, sink),
        TableId::AllocatorSettings => snapshot
            .allocator_settings
            .iter()
            .try_for_each(|(name, value)| sink(&[Value::Text(name), Value::Text(value)])),
        _ => Ok(()),
    }
}

/// What reading a database back needs to know of the snapshot as a whole.
pub(super) fn file_info(snapshot: &Snapshot, sink: &mut Sink<'_>) -> io::Result<()> {
    let writer = match snapshot.writer {
        Writer::Torch => "torch",
        Writer::TorchNpu => "torch_npu",
        Writer::Unknown => "unknown",
    };
    let complete = if snapshot.complete { "1" } else { "0" };
    sink(&[Value::Text("writer"), Value::Text(writer)])?;
    sink(&[Value::Text("complete"), Value::Text(complete)])?;
    if let Some((a, b)) = usual_pool(snapshot).some().map(|pool| snapshot.pools.get(pool)) {
        let text = format!("{a},{b}");
        sink(&[Value::Text("trace_pool"), Value::Text(&text)])?;
    }
    if let Some(left_out) = &snapshot.left_out {
        let text = serde_json::to_string(left_out)?;
        sink(&[Value::Text("left_out"), Value::Text(&text)])?;
    }
    Ok(())
}

/// The name of a kind of place and its number.
pub(super) fn place(position: Position) -> (&'static str, u64) {
    match position {
        Position::Byte(n) => ("byte", n),
        Position::Line(n) => ("line", n),
        Position::Record(n) => ("record", n),
        Position::Event(n) => ("event", n),
    }
}

fn devices(snapshot: &Snapshot, sink: &mut Sink<'_>) -> io::Result<()> {
    let device_type = if snapshot.writer == Writer::TorchNpu { "Ascend-NPU" } else { "CUDA" };
    for device in Devices::of(snapshot).list {
        let (index, device_type) = match device {
            Device::Index(index) => (i64::from(index), device_type),
            Device::Host => (HOST, "Host"),
        };
        sink(&[Value::Int(index), Value::Text(device_type)])?;
    }
    Ok(())
}

fn frames(snapshot: &Snapshot, sink: &mut Sink<'_>) -> io::Result<()> {
    let notes = &snapshot.frames.fx_notes;
    for (id, frame) in snapshot.frames.iter() {
        let note = notes.binary_search_by_key(&id, |&(frame, _)| frame).ok().and_then(|i| notes.get(i));
        sink(&[
            text_of(snapshot, frame.file).into(),
            Value::Int(signed(frame.line)),
            text_of(snapshot, frame.function).into(),
            note.and_then(|&(_, note)| text_of(snapshot, note)).into(),
        ])?;
    }
    Ok(())
}

fn stack_id(stack: StackId) -> Value<'static> {
    row_id(stack.some().map(StackId::index))
}

fn stream(snapshot: &Snapshot, stream: StreamId) -> Value<'static> {
    stream.some().map(|stream| snapshot.streams.get(stream)).into()
}

fn pool(snapshot: &Snapshot, pool: PoolId) -> [Value<'static>; 2] {
    match pool.some().map(|pool| snapshot.pools.get(pool)) {
        Some((a, b)) => [Value::Int(a), Value::Int(b)],
        None => [Value::Null, Value::Null],
    }
}

fn segments(snapshot: &Snapshot, sink: &mut Sink<'_>) -> io::Result<()> {
    let devices = Devices::of(snapshot);
    for segment in &snapshot.segments {
        let [pool_0, pool_1] = pool(snapshot, segment.pool);
        let segment_type = match segment.segment_type {
            SegmentType::Large => "large",
            SegmentType::Small => "small",
            SegmentType::Unknown => "unknown",
        };
        sink(&[
            devices.id(segment.device),
            Value::Int(signed(segment.address.0)),
            Value::Int(signed(segment.total_size.0)),
            Value::Int(signed(segment.allocated_size.0)),
            Value::Int(signed(segment.active_size.0)),
            segment.requested_size.map(|size| signed(size.0)).into(),
            stream(snapshot, segment.stream),
            Value::Text(segment_type),
            pool_0,
            pool_1,
            Value::Int(i64::from(segment.is_expandable)),
            stack_id(segment.stack),
        ])?;
    }
    Ok(())
}

/// Blocks lie grouped by segment, in the order of the segments.
fn blocks(snapshot: &Snapshot, sink: &mut Sink<'_>) -> io::Result<()> {
    for block in &snapshot.blocks.rows {
        sink(&[
            row_id(Some(block.segment.index())),
            Value::Int(signed(block.address.0)),
            Value::Int(signed(block.size.0)),
            block.requested_size.map(|size| signed(size.0)).into(),
            Value::Text(block.state.name()),
            stack_id(snapshot.blocks.stack(block)),
        ])?;
    }
    Ok(())
}

fn history(snapshot: &Snapshot, sink: &mut Sink<'_>) -> io::Result<()> {
    let of = |(row, block): (usize, &Block)| (row, snapshot.blocks.history_of(block));
    for (row, entries) in snapshot.blocks.rows.iter().enumerate().map(of) {
        for entry in entries {
            sink(&[
                row_id(Some(row)),
                Value::Int(signed(entry.address.0)),
                Value::Int(signed(entry.real_size.0)),
                stack_id(entry.stack),
                text_of(snapshot, entry.cpp_frames).into(),
            ])?;
        }
    }
    Ok(())
}

/// What few segments and blocks carry: the forward operator's stack.
fn details_of(
    snapshot: &Snapshot,
    forward: impl Iterator<Item = StringId>,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    for (row, forward) in forward.enumerate().filter(|(_, forward)| !forward.is_none()) {
        sink(&[row_id(Some(row)), text_of(snapshot, forward).into()])?;
    }
    Ok(())
}

/// Rows of the event table in the order of the devices' ids: what `traces` holds, one after the other.
fn each_event(
    snapshot: &Snapshot,
    mut each: impl FnMut(Value<'static>, usize, usize) -> io::Result<()>,
) -> io::Result<()> {
    let devices = Devices::of(snapshot);
    for trace in &snapshot.traces {
        let device = devices.id(trace.device);
        for (index, row) in trace.rows.clone().enumerate() {
            each(device, index, row)?;
        }
    }
    Ok(())
}

fn traces(snapshot: &Snapshot, sink: &mut Sink<'_>) -> io::Result<()> {
    let events = &snapshot.events;
    each_event(snapshot, |device, index, row| {
        let event = events.get(row);
        let action = match event.action {
            Action::Other => snapshot.strings.get(events.other_action.get(row)),
            action => action.name(),
        };
        let place = Value::Int(signed(event.address.0));
        let (address, device_free) = match event.action {
            Action::Oom => (Value::Null, place),
            _ => (place, Value::Null),
        };
        sink(&[
            device,
            Value::Int(index as i64),
            Value::Text(action),
            address,
            device_free,
            Value::Int(signed(event.size.0)),
            stream(snapshot, event.stream),
            stack_id(event.stack),
            event.time.map(|time| time.micros()).into(),
        ])
    })
}

/// The pool of the events that `trace_details` says nothing of: in one file most have the same.
fn usual_pool(snapshot: &Snapshot) -> PoolId {
    if snapshot.events.is_empty() { PoolId::NONE } else { snapshot.events.pool.get(0) }
}

/// What few events carry, and no query of everyday asks for.
fn details(snapshot: &Snapshot, sink: &mut Sink<'_>) -> io::Result<()> {
    let events = &snapshot.events;
    let EventTable { compile_context, user_metadata, internal_metadata, forward_frames, .. } = events;
    let columns = [compile_context, user_metadata, internal_metadata, forward_frames];
    let texts = |row: usize| columns.map(|column| Value::from(text_of(snapshot, column.get(row))));
    let no_texts = columns.iter().all(|column| column.is_empty());
    let usual = usual_pool(snapshot);
    let mut id = 0;
    each_event(snapshot, |_, _, row| {
        id += 1;
        let own = events.pool.get(row);
        // Times are whole microseconds but where the file has fractions.
        let exact = events.time_of(row).filter(|time| time.0 % 1000 != 0).map(|time| time.0);
        if no_texts && own == usual && exact.is_none() {
            return Ok(());
        }
        let [pool_0, pool_1] = pool(snapshot, own);
        let [context, user, internal, forward] = texts(row);
        let exact = exact.into();
        if own == usual && [context, user, internal, forward, exact].iter().all(|&cell| cell == Value::Null) {
            return Ok(());
        }
        sink(&[Value::Int(id), pool_0, pool_1, context, user, internal, forward, exact])
    })
}

fn annotations(snapshot: &Snapshot, sink: &mut Sink<'_>) -> io::Result<()> {
    let devices = Devices::of(snapshot);
    for annotation in &snapshot.annotations {
        sink(&[
            annotation.device.map_or(Value::Null, |device| devices.id(device)),
            text_of(snapshot, annotation.name).into(),
            text_of(snapshot, annotation.stage).into(),
            annotation.time.map(|time| time.micros()).into(),
        ])?;
    }
    Ok(())
}
