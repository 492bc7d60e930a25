//! The comma form: rows of an imas_mem_graph.csv, as this program and older tools write it.
//!
//! `Process_P,G,optype,T,name_NODE_output_0_offset to ,OFF,streamid,S,…`: cells are key and value in
//! turn, so they are read by key like the fields of a log line, and files of any age fit.

use super::builder::{Builder, Place};
use super::fields::{self, Damaged, intern};
use super::text::{bytes, find, number, signed, split_number};
use crate::model::ge::{LineKind, Placement, PlacementKind, Slot, StreamPair, Summary};
use crate::model::{Bytes, Nanos, StringId};

/// A file of such rows begins with one.
pub(super) fn begins(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    head.strip_prefix(b"Process_").and_then(split_number).is_some_and(|(_, rest)| rest.starts_with(b","))
}

/// Reads one row.
pub(super) fn read(builder: &mut Builder, line: &[u8], position: u64) -> Result<(), Damaged> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let (pid, rest) = line.strip_prefix(b"Process_").and_then(split_number).ok_or(Damaged)?;
    let rest = rest.strip_prefix(b",").ok_or(Damaged)?;
    let cut = memchr::memchr(b',', rest).ok_or(Damaged)?;
    let (graph, cells) = (&rest[..cut], &rest[cut + 1..]);
    let place = Place { pid, at: Nanos(i64::MIN), thread: 0, position };
    if find(cells, b"memory_size,").is_some() {
        summary(builder, place, graph, cells)
    } else {
        placement(builder, place, graph, cells)
    }
}

/// The cell after `key`.
fn cell<'a>(cells: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let mut all = cells.split(|byte| *byte == b',');
    while let Some(name) = all.next() {
        if name == key {
            return all.next();
        }
    }
    None
}

fn placement(builder: &mut Builder, place: Place, graph: &[u8], cells: &[u8]) -> Result<(), Damaged> {
    let name_at = find(cells, b"name_").ok_or(Damaged)? + b"name_".len();
    // From behind the key on: in `name_offset to` both would take the same underscore.
    let end = find(&cells[name_at..], b"_offset to").ok_or(Damaged)? + name_at;
    let (name, slot, index) = node(&cells[name_at..end])?;
    let after = &cells[end..];
    let offset = after.split(|byte| *byte == b',').nth(1).and_then(number).ok_or(Damaged)?;
    let get = |key: &[u8]| cell(after, key);
    let parsed = |key: &[u8]| get(key).map(|text| bytes(text).ok_or(Damaged)).transpose();
    let strings = &mut builder.log.strings;
    let life = match (get(b"life time begin"), get(b"life time end")) {
        (Some(begin), Some(end)) => Some(fields::lifetime(begin, end, strings)?),
        _ => None,
    };
    let kind = if life.is_some() {
        PlacementKind::Set
    } else if find(after, b"reassign output").is_some() {
        PlacementKind::ContinuousOutput
    } else if find(after, b"reassign input").is_some() {
        PlacementKind::ContinuousInput
    } else if get(b"atomic").is_some() {
        if slot == Slot::Workspace { PlacementKind::AtomicWorkspace } else { PlacementKind::AtomicOutput }
    } else {
        return Err(Damaged);
    };
    let size = parsed(b"size")?.ok_or(Damaged)?;
    let stream = get(b"streamid").map_or(Ok(StreamPair::default()), fields::stream)?;
    let scope = get(b"scope").and_then(signed).filter(|scope| *scope >= 0);
    let row = Placement {
        at: place.at,
        kind,
        slot,
        index,
        name: intern(strings, name),
        op_type: cell(cells, b"optype").map_or(StringId::NONE, |text| intern(strings, text)),
        offset,
        stream,
        mem_type: get(b"memory_type").and_then(signed),
        size,
        real_size: parsed(b"realsize")?.unwrap_or(size),
        no_align_size: parsed(b"noalignsize")?,
        life,
        child: get(b"child:r:c:z:s").map_or(Ok(Default::default()), fields::child)?,
        is_ref: get(b"isref").and_then(number).map(|flag| flag != 0),
        no_padding: get(b"nopadding").and_then(number).map(|flag| flag != 0),
        batch: get(b"batch").map_or(StringId::NONE, |text| intern(strings, text)),
        block_type: StringId::NONE,
        scope,
    };
    let graph = intern(strings, graph);
    builder.count(LineKind::CommaRow);
    builder.placement(place, graph, true, row);
    Ok(())
}

/// `NODE_output_0` into its parts.
fn node(text: &[u8]) -> Result<(&[u8], Slot, u32), Damaged> {
    let cut = memchr::memrchr(b'_', text).ok_or(Damaged)?;
    let index = number(&text[cut + 1..]).and_then(|n| u32::try_from(n).ok()).ok_or(Damaged)?;
    let text = &text[..cut];
    for slot in [Slot::OutputDesc, Slot::Output, Slot::Workspace, Slot::Input] {
        if let Some(name) = text.strip_suffix(slot.word().as_bytes()).and_then(|t| t.strip_suffix(b"_")) {
            return Ok((name, slot, index));
        }
    }
    Err(Damaged)
}

/// `memtype,2,memory_size,N(16.57M),reuse rate:R% detail[total:N(..) after_reuse:N(..) …]`.
fn summary(builder: &mut Builder, place: Place, graph: &[u8], cells: &[u8]) -> Result<(), Damaged> {
    let mem_type =
        cell(cells, b"memtype").or_else(|| cell(cells, b"memory_type")).and_then(signed).ok_or(Damaged)?;
    let memory = cell(cells, b"memory_size").and_then(split_number).ok_or(Damaged)?.0;
    let detail = find(cells, b"detail[").map(|at| &cells[at + 7..]).unwrap_or_default();
    let words = || detail.split(|byte| matches!(byte, b' ' | b']'));
    let word = |key: &[u8]| words().find_map(|word| word.strip_prefix(key));
    let figure = |key: &[u8]| word(key).and_then(split_number).map(|(n, _)| n);
    let size = |key: &[u8]| figure(key).map(Bytes);
    let strings = &mut builder.log.strings;
    let mut text = |key: &[u8]| word(key).map_or(StringId::NONE, |text| intern(strings, text));
    let row = Summary {
        operator_total: size(b"total:"),
        theory_min: size(b"theory_min:"),
        zero_copy: size(b"io:"),
        no_reuse: size(b"no_reuse:"),
        atomic: size(b"atomic:"),
        continuous: size(b"continuous:"),
        streams: figure(b"streams:"),
        topo_mode: text(b"topo:"),
        mop: text(b"mop:"),
        smp: text(b"smp:"),
        ..Summary::new(place.at, mem_type, Bytes(memory))
    };
    let graph = intern(strings, graph);
    builder.count(LineKind::CommaRow);
    builder.summary(place, graph, true, row);
    Ok(())
}
