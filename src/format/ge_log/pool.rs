//! Lines of the memory pools that serve dynamic graphs.

use super::builder::{Builder, Place};
use super::fields::{Damaged, intern};
use super::prefix;
use super::text::{address, after, bytes, find, signed, size_text};
use crate::model::ge::{AllocatorName, LineKind, PoolEvent, PoolOp};
use crate::model::{Address, Bytes, StringId, StringTable};
use memchr::memmem;

/// Ends of a value in these lines.
const STOPS: &[u8] = b",. ";

/// `[KernelTrace][KERNEL][MEM]…` and `[MEM]Expand|Shrink memory pool …`. `text` follows the prefix.
pub(super) fn kernel(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let at = find(text, b"[MEM]").ok_or(Damaged)?;
    let (before, message) = (&text[..at], &text[at + 5..]);
    let address_of = |label: &[u8]| after(message, label, STOPS).and_then(address).ok_or(Damaged);
    let size_of = |label: &[u8]| after(message, label, STOPS).and_then(bytes).ok_or(Damaged);
    let (address, op) = if message.starts_with(b"Alloc memory at stream ") {
        let tensor_size = match find(message, b", tensor size ") {
            Some(_) => Some(size_of(b", tensor size ")?),
            None => None,
        };
        let op = PoolOp::KernelAlloc {
            name: kernel_name(before, &mut builder.log.strings),
            stream: stream(message)?,
            size: size_of(b", size ")?,
            tensor_size,
        };
        (address_of(b", address ")?, op)
    } else if message.starts_with(b"Free memory at stream ") {
        (address_of(b", address ")?, PoolOp::KernelFree { stream: stream(message)? })
    } else if message.starts_with(b"Expand memory pool at stream ") {
        (address_of(b", address ")?, PoolOp::Expand { size: size_of(b", size ")? })
    } else if message.starts_with(b"Shrink memory pool at stream ") {
        (address_of(b", address ")?, PoolOp::Shrink)
    } else {
        // Recycling and wandering change a block's stream, not whether it is in use.
        builder.count(LineKind::KernelMemory);
        return Ok(());
    };
    builder.count(LineKind::KernelMemory);
    push(builder, place, None, address, op);
    Ok(())
}

fn stream(message: &[u8]) -> Result<i64, Damaged> {
    after(message, b"at stream ", STOPS).and_then(signed).ok_or(Damaged)
}

/// The operator in `[KernelTrace][AllocMemHbm_OPERATOR_ID]`.
fn kernel_name(before: &[u8], strings: &mut StringTable) -> StringId {
    let Some(at) = memmem::rfind(before, b"[KernelTrace][") else { return StringId::NONE };
    let name = &before[at + b"[KernelTrace][".len()..];
    let name = name.strip_suffix(b"]").unwrap_or(name);
    let name = match memchr::memchr(b'_', name) {
        Some(cut) if name.starts_with(b"Alloc") => &name[cut + 1..],
        _ => name,
    };
    let name = match memchr::memrchr(b'_', name) {
        Some(cut) if name[cut + 1..].iter().all(u8::is_ascii_digit) => &name[..cut],
        _ => name,
    };
    intern(strings, name)
}

/// `Malloc block …`, `Free block …`.
pub(super) fn block(builder: &mut Builder, place: Place, text: &[u8]) -> Result<bool, Damaged> {
    let size_of = |label: &[u8]| after(text, label, STOPS).and_then(bytes).ok_or(Damaged);
    let op = if find(text, b"Malloc block device_id:").is_some() {
        PoolOp::Malloc { size: size_of(b" size:")?, allocated: size_of(b" allocate_size:")? }
    } else if find(text, b"Free block device_id:").is_some() {
        PoolOp::Free {
            theory_size: size_of(b" theory_size_:")?,
            theory_min: size_of(b" theory_min_size_:")?,
            allocated: size_of(b" allock_size:")?,
        }
    } else {
        // "Free using block", "Free ref span": the allocator's own moves.
        return Ok(false);
    };
    let address = after(text, b" mem_addr:", STOPS).and_then(address).ok_or(Damaged)?;
    builder.count(LineKind::PoolBlock);
    push(builder, place, prefix::allocator(text), address, op);
    Ok(true)
}

/// `Device memory   : [alloc count:N … total size:T … real_theory_min:T theory_min:T …]`.
pub(super) fn details(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let value = |label: &[u8]| -> Result<Bytes, Damaged> {
        // A blank may stand between number and unit, so the value ends at the next label.
        let rest = after(text, label, b"]").ok_or(Damaged)?;
        let end = [&b" new_va_size:"[..], b" real_theory_min:", b" theory_min:", b" reach theory"]
            .iter()
            .filter_map(|next| find(rest, next))
            .min()
            .unwrap_or(rest.len());
        let compact: Vec<u8> = rest[..end].iter().copied().filter(|b| *b != b' ').collect();
        size_text(&compact).ok_or(Damaged)
    };
    let op = PoolOp::Details {
        total: value(b" total size:")?,
        real_theory_min: value(b" real_theory_min:")?,
        theory_min: value(b" theory_min:")?,
    };
    builder.count(LineKind::PoolDetails);
    push(builder, place, prefix::allocator(text), Address::default(), op);
    Ok(())
}

/// Any other line that names an allocator: it tells which allocator the thread works for.
pub(super) fn named(builder: &mut Builder, place: Place, text: &[u8]) {
    if let Some(name) = prefix::allocator(text) {
        push(builder, place, Some(name), Address::default(), PoolOp::Named);
    }
}

fn push(builder: &mut Builder, place: Place, name: Option<AllocatorName>, address: Address, op: PoolOp) {
    let pool = &mut builder.process(place.pid).pool;
    // Details come in dozens of lines; one mention is enough.
    if op == PoolOp::Named
        && let Some(last) = pool.last()
        && (last.thread, last.allocator) == (place.thread, name)
    {
        return;
    }
    pool.push(PoolEvent { at: place.at, thread: place.thread, allocator: name, address, op });
}
