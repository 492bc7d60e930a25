//! Lines about the driver: what was taken from the device, and the driver's own account at exit.

use super::builder::{Builder, Place};
use super::fields::{Damaged, intern};
use super::text::{address, after, bytes, find, number, split_number};
use crate::model::ge::{DriverEvent, DriverOp, ExitStat, LineKind};
use crate::model::{Bytes, StringId};

const STOPS: &[u8] = b",.; )";

/// From this size on GE prints the purpose, so the plain line says nothing new.
const PURPOSE_FROM: u64 = 1025;

/// `MallocMemory, func=F, size=N, purpose=T[, ptr=X, device_id=N, module_id=N]` or
/// `MemoryAllocator::MallocMemory device_id = N, size= N`. Other lines of those functions are not calls
/// to the driver.
pub(super) fn malloc(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let event = if let Some(at) = find(text, b"MallocMemory, func=") {
        let message = &text[at..];
        let function = after(message, b"func=", STOPS).ok_or(Damaged)?;
        // `func=new` and the like are host memory.
        if !(function.starts_with(b"rt") || function.starts_with(b"acl")) {
            return Ok(());
        }
        let size = after(message, b" size=", STOPS).and_then(bytes).ok_or(Damaged)?;
        let rest = after(message, b" purpose=", b"").ok_or(Damaged)?;
        let ends = [&b", ptr="[..], b", device_id=", b", module_id="];
        let end = ends.iter().filter_map(|next| find(rest, next)).min().unwrap_or(rest.len());
        let whole = |label: &[u8]| after(&rest[end..], label, STOPS);
        let strings = &mut builder.log.strings;
        DriverEvent {
            at: place.at,
            thread: place.thread,
            device: whole(b"device_id=").and_then(small),
            size,
            op: DriverOp::Malloc {
                purpose: intern(strings, rest[..end].trim_ascii_end()),
                function: intern(strings, function),
                pointer: whole(b"ptr=").and_then(address),
                module: whole(b"module_id=").and_then(small),
            },
        }
    } else if let Some(rest) = plain(text, b"MallocMemory device_id = ") {
        let (device, rest) = split_number(rest).ok_or(Damaged)?;
        let size = after(rest, b"size= ", STOPS).and_then(bytes).ok_or(Damaged)?;
        if size.0 >= PURPOSE_FROM {
            return Ok(());
        }
        let device = u32::try_from(device).ok();
        DriverEvent { at: place.at, thread: place.thread, device, size, op: DriverOp::MallocDevice }
    } else {
        return Ok(());
    };
    builder.count(LineKind::DriverMalloc);
    builder.process(place.pid).driver.push(event);
    Ok(())
}

/// `MemoryAllocator::FreeMemory device_id = N`, with an address where a version prints one.
pub(super) fn free(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let rest = match plain(text, b"FreeMemory device_id = ") {
        Some(rest) => rest,
        None => match find(text, b"FreeMemory, func=") {
            Some(at) => &text[at..],
            None => return Ok(()),
        },
    };
    let labels = [&b"ptr="[..], b"mem_addr:", b"memaddr=", b"addr="];
    let pointer = labels.iter().find_map(|label| after(rest, label, STOPS)).and_then(address);
    let device = split_number(rest).and_then(|(n, _)| u32::try_from(n).ok());
    push_free(builder, place, device, DriverOp::Free { pointer });
    Ok(())
}

/// `rtMallocPhysical success pa_index:N, current physical memory size:N …` and `rtFreePhysical …`.
pub(super) fn physical(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let value = |label: &[u8]| after(text, label, STOPS).and_then(number).ok_or(Damaged);
    let page = |text: &[u8]| find(text, b"rtMallocPhysical success").is_some();
    if find(text, b"Physical success pa_index:").is_none() {
        return Ok(());
    }
    let (index, current) = (value(b"pa_index:")?, Bytes(value(b"current physical memory size:")?));
    if page(text) {
        let op = DriverOp::PhysicalPage { page: index, current };
        let event = DriverEvent { at: place.at, thread: place.thread, device: None, size: Bytes::ZERO, op };
        builder.process(place.pid).driver.push(event);
    } else {
        push_free(builder, place, None, DriverOp::FreePhysical { page: index, current });
    }
    Ok(())
}

fn push_free(builder: &mut Builder, place: Place, device: Option<u32>, op: DriverOp) {
    builder.count(LineKind::DriverFree);
    let event = DriverEvent { at: place.at, thread: place.thread, device, size: Bytes::ZERO, op };
    builder.process(place.pid).driver.push(event);
}

/// What follows `MemoryAllocator::…`, but not `ActiveMemoryAllocator::…`, which hands out parts of what
/// was counted before.
fn plain<'a>(text: &'a [u8], label: &[u8]) -> Option<&'a [u8]> {
    let at = find(text, label)?;
    let before = text[..at].strip_suffix(b"MemoryAllocator::")?;
    if before.last().is_some_and(u8::is_ascii_alphanumeric) { None } else { Some(&text[at + label.len()..]) }
}

fn small(text: &[u8]) -> Option<u32> {
    number(text).and_then(|n| u32::try_from(n).ok())
}

/// `[devmm][_svm_mem_stats_show]MEM_DEV_HUGE_HBM dev0 Mem stats (Bytes).(module_name=GE; …)`, and the
/// line of the driver's cache with `Cached_size`.
pub(super) fn exit_stats(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    const MARK: &[u8] = b"svm_mem_stats_show]";
    let message = find(text, MARK).map(|at| &text[at + MARK.len()..]).ok_or(Damaged)?;
    let value = |label: &[u8]| after(message, label, STOPS).and_then(number);
    let cached = ["Cached_size=", "Cached_size:", "cached_size="]
        .iter()
        .find_map(|label| after(message, label.as_bytes(), STOPS).and_then(number));
    let memory = message.split(|byte| *byte == b' ').next().unwrap_or_default();
    let device = after(message, b" dev", STOPS).and_then(small);
    let module = after(message, b"module_name=", b";)");
    if memory.is_empty() || (module.is_none() && cached.is_none()) {
        return Err(Damaged);
    }
    let figure = |label: &[u8]| match (value(label), module) {
        (Some(figure), _) => Ok(figure),
        (None, None) => Ok(0),
        (None, Some(_)) => Err(Damaged),
    };
    let strings = &mut builder.log.strings;
    let row = ExitStat {
        at: place.at,
        memory: intern(strings, memory),
        device: device.unwrap_or(0),
        module: module.map_or(StringId::NONE, |name| intern(strings, name)),
        module_id: value(b"module_id=").and_then(|n| u32::try_from(n).ok()),
        current: Bytes(figure(b"current_alloced_size=")?),
        peak: Bytes(figure(b"allocated_peak_size=")?),
        alloc_count: figure(b"alloc_cnt=")?,
        free_count: figure(b"free_cnt=")?,
        cached: cached.map(Bytes),
    };
    builder.count(LineKind::ExitStats);
    builder.exit_stat(place, row);
    Ok(())
}
