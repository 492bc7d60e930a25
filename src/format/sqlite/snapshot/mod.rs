//! A snapshot out of its tables. Ids are in the order of the file that was exported, so that handles, and
//! with them every order that depends on one, come out the same.

mod events;
mod ids;
mod memory;
mod stacks;

use super::database::{Database, Row};
use crate::format::counters::Counters;
use crate::format::{Keep, ReadOptions, Result};
use crate::model::{
    Address, Annotation, Bytes, Device, LeftOut, Nanos, PoolId, Position, Snapshot, StackId, StreamId,
    StringId, Warning, Writer,
};
use ids::Ids;
use serde_json::Value;

pub(super) use stacks::frames_of;

struct Reading<'a> {
    db: &'a Database,
    snapshot: Snapshot,
    native_frames: bool,
    /// The pool of events without details.
    usual_pool: Option<(i64, i64)>,
    /// Devices in the order of their rows, and where each row's is.
    devices_list: Vec<Device>,
    devices: Ids<usize>,
    stacks: Ids<StackId>,
}

pub(super) fn read(db: &Database, options: &ReadOptions) -> Result<Snapshot> {
    let snapshot = Snapshot { complete: true, ..Snapshot::default() };
    let mut reading = Reading {
        db,
        snapshot,
        native_frames: options.native_frames,
        usual_pool: None,
        devices_list: Vec::new(),
        devices: Ids::new(),
        stacks: Ids::new(),
    };
    reading.devices()?;
    reading.file_info()?;
    reading.frames()?;
    reading.stacks()?;
    reading.segments()?;
    reading.traces()?;
    reading.annotations()?;
    reading.warnings()?;
    let mut snapshot = reading.snapshot;
    if options.keep != Keep::All {
        snapshot.warnings.add("keep_ignored", None, || {
            "a database is read whole; leave events out when it is made of the snapshot".to_owned()
        });
    }
    Ok(snapshot)
}

fn bytes(row: &Row<'_>, column: Option<usize>) -> Option<Bytes> {
    row.int(column).map(|value| Bytes(value.cast_unsigned()))
}

/// A pool as `file_info` writes it.
fn pool_of(text: &str) -> Option<(i64, i64)> {
    let (a, b) = text.split_once(',')?;
    Some((a.parse().ok()?, b.parse().ok()?))
}

/// What a reader's option left out, as `file_info` writes it.
fn left_out(text: &str) -> Option<LeftOut> {
    let json: Value = serde_json::from_slice(text.as_bytes()).ok()?;
    let number = |key: &str| json.get(key).and_then(Value::as_u64);
    Some(LeftOut {
        events: number("events")?,
        after: number("after")?,
        native_frames: json.get("native_frames").and_then(Value::as_bool)?,
    })
}

fn address(row: &Row<'_>, column: Option<usize>) -> Address {
    Address(row.int(column).unwrap_or(0).cast_unsigned())
}

impl Reading<'_> {
    fn intern(&mut self, text: Option<&str>) -> StringId {
        text.map_or(StringId::NONE, |text| self.snapshot.strings.intern(text))
    }

    fn stream(&mut self, value: Option<i64>) -> StreamId {
        value.map_or(StreamId::NONE, |value| self.snapshot.streams.intern(value))
    }

    fn pool(&mut self, a: Option<i64>, b: Option<i64>) -> PoolId {
        a.zip(b).map_or(PoolId::NONE, |pool| self.snapshot.pools.intern(pool))
    }

    fn devices(&mut self) -> Result<()> {
        let db = self.db;
        let [index, device_type] = db.columns("devices", ["device_index", "device_type"]);
        db.rows("devices", &mut |row| {
            let device_type = row.text(device_type).unwrap_or("");
            let index = row.int(index).and_then(|index| i32::try_from(index).ok()).unwrap_or(0);
            let host = index < 0 && device_type.eq_ignore_ascii_case("host");
            self.devices.push(row.id, self.devices_list.len());
            self.devices_list.push(if host { Device::Host } else { Device::Index(index) });
            // Where the file does not say who wrote it, the devices do.
            if !host {
                let npu = device_type.to_ascii_lowercase().contains("npu");
                self.snapshot.writer = if npu { Writer::TorchNpu } else { Writer::Torch };
            }
            Ok(())
        })
    }

    fn file_info(&mut self) -> Result<()> {
        let db = self.db;
        let [name, value] = db.columns("file_info", ["name", "value"]);
        db.rows("file_info", &mut |row| {
            let value = row.text(value).unwrap_or("");
            match row.text(name) {
                Some("writer") => {
                    self.snapshot.writer = match value {
                        "torch" => Writer::Torch,
                        "torch_npu" => Writer::TorchNpu,
                        _ => Writer::Unknown,
                    }
                }
                Some("complete") => self.snapshot.complete = value != "0",
                Some("trace_pool") => self.usual_pool = pool_of(value),
                Some("counters") if Counters::read(value.as_bytes()).is_err() => {
                    self.snapshot.warnings.add("counters", None, || {
                        "the counters in the database cannot be read and are left out".to_owned()
                    });
                }
                Some("counters") => self.snapshot.counters = Some(value.to_owned()),
                Some("left_out") => self.snapshot.left_out = left_out(value),
                _ => {}
            }
            Ok(())
        })?;
        let [name, value] = db.columns("allocator_settings", ["name", "value"]);
        db.rows("allocator_settings", &mut |row| {
            let text = |column| row.text(column).unwrap_or("").to_owned();
            self.snapshot.allocator_settings.push((text(name), text(value)));
            Ok(())
        })
    }

    fn device(&self, id: Option<i64>) -> Option<Device> {
        self.devices_list.get(self.devices.get(id)?).copied()
    }

    fn stack(&self, id: Option<i64>) -> StackId {
        self.stacks.get(id).unwrap_or(StackId::NONE)
    }

    fn annotations(&mut self) -> Result<()> {
        let db = self.db;
        let [device, name, stage, time] =
            db.columns("annotations", ["device_id", "name", "stage", "time_us"]);
        db.rows("annotations", &mut |row| {
            let annotation = Annotation {
                name: self.intern(row.text(name)),
                stage: self.intern(row.text(stage)),
                device: self.device(row.int(device)),
                time: row.int(time).map(Nanos::from_micros),
            };
            self.snapshot.annotations.push(annotation);
            Ok(())
        })
    }

    fn warnings(&mut self) -> Result<()> {
        read_warnings(self.db, &mut |warning| {
            let Warning { kind, count, detail, position } = warning;
            self.snapshot.warnings.add_many(&kind, count, position, || detail);
        })
    }
}

/// The warnings that came with the file that was exported.
pub(super) fn read_warnings(db: &Database, each: &mut dyn FnMut(Warning)) -> Result<()> {
    let [kind, count, detail, position_kind, position] =
        db.columns("warnings", ["kind", "count", "detail", "position_kind", "position"]);
    db.rows("warnings", &mut |row| {
        let at = row.int(position).unwrap_or(0).cast_unsigned();
        let position = match row.text(position_kind) {
            Some("byte") => Some(Position::Byte(at)),
            Some("line") => Some(Position::Line(at)),
            Some("record") => Some(Position::Record(at)),
            Some("event") => Some(Position::Event(at)),
            _ => None,
        };
        let text = |column| row.text(column).unwrap_or("").to_owned();
        let count = row.int(count).map_or(1, i64::cast_unsigned);
        each(Warning { kind: text(kind), count, detail: text(detail), position });
        Ok(())
    })
}
