//! Pickles, protocols 0 to 5: a machine of our own that reads snapshots into tables as they stream by.

mod entries;
mod input;
mod machine;
mod objects;
mod opcodes;
mod rare;
mod runs;
mod text;

use super::snapshot::builder::Builder;
use super::snapshot::render;
use super::source::Source;
use super::{Error, ErrorKind, ReadOptions, Result, snapshot};
use crate::model::{Position, Snapshot};
use input::{Break, Input};
use machine::Machine;
use std::io::Read;

/// Reads a snapshot from a pickle.
pub(super) fn read(source: Source<'_>, options: &ReadOptions) -> Result<Snapshot> {
    let builder = Builder::new(options, source.handle());
    let mut machine = Machine::new(Input::new(source), builder);
    let outcome = machine.run();
    let position = Position::Byte(machine.input.position());
    note_opaque(&mut machine);
    if let Some(error) = machine.builder.budget_error() {
        return Err(error);
    }
    match outcome {
        Ok(top) => machine.builder.finish(top, options.native_frames),
        Err(stop) => snapshot::salvage(machine.builder, options, damage(stop).at(position)),
    }
}

fn damage(stop: Break) -> Error {
    match stop {
        Break::End => Error::new(
            ErrorKind::Truncated,
            "the pickle ends in the middle: the file was cut, or the job was stopped while it wrote",
        )
        .hint("copy it again, or record again with enough space on the disk"),
        // Archives report their own cut as an error of reading.
        Break::Io(error) => {
            let message = format!("the file could not be read any further: {error}");
            let mut damage = Error::from(error);
            damage.kind = ErrorKind::Truncated;
            damage.message = message;
            damage
        }
        Break::Malformed(expected) => {
            Error::new(ErrorKind::Malformed, format!("the pickle is damaged: {expected}"))
                .hint("copy it again in binary mode, or record again")
        }
    }
}

/// Says once what was named in the file but not built.
fn note_opaque(machine: &mut Machine<'_>) {
    if machine.opaque_count == 0 {
        return;
    }
    let snapshot = &mut machine.builder.tables.snapshot;
    let names: Vec<&str> = machine.opaque.iter().map(|&id| snapshot.strings.get(id)).collect();
    let names = names.join(", ");
    let position = Some(Position::Byte(machine.opaque_at));
    snapshot.warnings.add_many("opaque_value", machine.opaque_count, position, || {
        format!("nothing in a file is ever executed: {names} in it was ignored")
    });
}

/// Any pickle as JSON text of at most about `limit` bytes: what is in it, without building anything.
///
/// Tuples and sets read as arrays, objects as their names.
pub fn to_json(source: impl Read, len: Option<u64>, limit: usize) -> Result<String> {
    let mut silent = |_| {};
    let source = Source::new(source, len, &mut silent)?;
    let mut machine = Machine::new(Input::new(source), Builder::plain());
    let outcome = machine.run();
    let position = Position::Byte(machine.input.position());
    match outcome {
        Ok(top) => Ok(render::json(&machine.builder.heap, &machine.builder.tables.snapshot, top, limit)),
        Err(stop) => Err(damage(stop).at(position)),
    }
}
