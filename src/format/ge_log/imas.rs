//! Lines that carry `[IMAS]`: where the compiler put things, and where they lie once loaded.

use super::builder::{Builder, Place};
use super::fields::{Damaged, Fields, Key, intern};
use super::text::{address, find, number, split_number};
use crate::model::ge::{
    BaseAddress, Child, LineKind, OpAddress, Placement, PlacementKind, Region, ReuseInput, Summary, Variable,
};
use crate::model::{Bytes, StringId};

/// What a line is, by how it begins after `[IMAS]`.
#[derive(Clone, Copy)]
enum Head {
    Place(PlacementKind),
    AfterAssign,
    Variable,
    Base,
    Address,
    Ignored,
}

/// The longest first where one begins like another.
const HEADS: &[(&str, Head)] = &[
    ("Set ", Head::Place(PlacementKind::Set)),
    ("AfterAssignMemory : ", Head::AfterAssign),
    ("Continuous input : Set ", Head::Place(PlacementKind::ContinuousInput)),
    ("Continuous output : Set ", Head::Place(PlacementKind::ContinuousOutput)),
    ("Atomic output : Set ", Head::Place(PlacementKind::AtomicOutput)),
    ("Atomic ordinary workspace : Set ", Head::Place(PlacementKind::AtomicWorkspace)),
    ("Atomic fusion workspace : Set ", Head::Place(PlacementKind::FusionWorkspace)),
    ("AppendAttrsToMemSetOp : Set ", Head::Place(PlacementKind::MemSet)),
    ("SetAtomicCleanAttr : Set ", Head::Place(PlacementKind::MemSet)),
    ("AssignVarMem Set ", Head::Variable),
    ("InitWeightMem ", Head::Base),
    ("InitFeatureMapAndP2PMem ", Head::Base),
    ("InitFeatureMap ", Head::Base),
    ("InitVariableMem ", Head::Base),
    ("GetInputDataAddrs ", Head::Address),
    ("GetOutputDataAddrs ", Head::Address),
    ("GetWorkspaceDataAddrs ", Head::Address),
    ("graph_", Head::Address),
    ("CopyPlainData ", Head::Ignored),
];

/// Reads what follows `[IMAS]`.
pub(super) fn read(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let Some((word, head)) = HEADS.iter().find(|(word, _)| text.starts_with(word.as_bytes())) else {
        builder.warn("unknown_imas_line", place.position, text);
        return Ok(());
    };
    let rest = &text[word.len()..];
    match *head {
        Head::Place(PlacementKind::MemSet) => mem_set(builder, place, rest),
        Head::Place(kind) => placement(builder, place, kind, rest),
        Head::AfterAssign => after_assign(builder, place, rest),
        Head::Variable => variable(builder, place, rest),
        Head::Base => base(builder, place, rest),
        Head::Address if *word == "graph_" => op_address(builder, place, text),
        Head::Address => op_address(builder, place, rest),
        Head::Ignored => Ok(()),
    }
}

/// A text up to ` name[` (or another first key), and the fields from there.
fn head_and_fields<'a>(text: &'a [u8], first: &[u8]) -> Result<(&'a [u8], Fields<'a>), Damaged> {
    let at = find(text, first).ok_or(Damaged)?;
    Ok((&text[..at], Fields::parse(&text[at..])?))
}

fn placement(builder: &mut Builder, place: Place, kind: PlacementKind, text: &[u8]) -> Result<(), Damaged> {
    let (graph, fields) = head_and_fields(text, b" name[")?;
    if graph.is_empty() || graph.contains(&b'[') {
        return Err(Damaged);
    }
    let strings = &mut builder.log.strings;
    let (slot, index) = fields.slot()?;
    let real_size = fields.bytes(Key::RealSize)?;
    let size = fields.bytes(Key::Size)?.or(real_size).ok_or(Damaged)?;
    let life = fields.life(strings)?;
    let child = fields.child()?;
    // The oldest lines end with `isref`; `child` alone is enough to know that nothing was cut.
    if kind == PlacementKind::Set && (life.is_none() || child.count == 0) {
        return Err(Damaged);
    }
    let stream = fields.stream()?;
    let row = Placement {
        at: place.at,
        kind,
        slot,
        index,
        name: intern(strings, fields.need(Key::Name)?),
        op_type: fields.text(Key::OpType, strings),
        offset: fields.number(Key::Offset)?.ok_or(Damaged)?,
        stream,
        mem_type: fields.signed(Key::MemType)?,
        size,
        real_size: real_size.unwrap_or(size),
        no_align_size: fields.bytes(Key::NoAlign)?,
        life,
        child,
        is_ref: fields.flag(Key::IsRef)?,
        no_padding: fields.flag(Key::NoPadding)?,
        batch: fields.text(Key::Batch, strings),
        block_type: fields.text(Key::BlockType, strings),
        scope: fields.signed(Key::Scope)?,
    };
    let several = life.is_some_and(|life| life.begin_text.is_some() || life.end_text.is_some());
    let prints_id = fields.get(Key::BlockType).is_some() || several || stream.other.is_some();
    let graph = intern(strings, graph);
    builder.count(match kind {
        PlacementKind::Set | PlacementKind::MemSet => LineKind::Set,
        PlacementKind::ContinuousInput | PlacementKind::ContinuousOutput => LineKind::Continuous,
        _ => LineKind::Atomic,
    });
    builder.placement(place, graph, prints_id, row);
    Ok(())
}

/// `GRAPH atomic_node name[T] optype[T] workspace[0] offset to [N N …] streamid[N] size[N N …]`: one
/// row a range.
fn mem_set(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let (graph, fields) = head_and_fields(text, b" name[")?;
    let graph = graph.strip_suffix(b" atomic_node").unwrap_or(graph);
    let list = |key| -> Result<Vec<u64>, Damaged> {
        let words = fields.need(key)?.split(|byte| matches!(byte, b' ' | b','));
        words.filter(|word| !word.is_empty()).map(|word| number(word).ok_or(Damaged)).collect()
    };
    let (offsets, sizes) = (list(Key::Offset)?, list(Key::Size)?);
    if offsets.len() != sizes.len() {
        return Err(Damaged);
    }
    let strings = &mut builder.log.strings;
    let graph = intern(strings, graph);
    let (slot, index) = fields.slot()?;
    let name = intern(strings, fields.need(Key::Name)?);
    let op_type = fields.text(Key::OpType, strings);
    let stream = fields.stream()?;
    builder.count(LineKind::Atomic);
    for (offset, size) in offsets.into_iter().zip(sizes) {
        let size = Bytes(size);
        let row = Placement {
            at: place.at,
            kind: PlacementKind::MemSet,
            slot,
            index,
            name,
            op_type,
            offset,
            stream,
            mem_type: None,
            size,
            real_size: size,
            no_align_size: None,
            life: None,
            child: Child::default(),
            is_ref: None,
            no_padding: None,
            batch: StringId::NONE,
            block_type: StringId::NONE,
            scope: None,
        };
        builder.placement(place, graph, false, row);
    }
    Ok(())
}

fn after_assign(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let Some(at) = find(text, b" memoffset[") else {
        // The first versions print the graph's name and no figure.
        return if text.contains(&b'[') { Err(Damaged) } else { Ok(()) };
    };
    let (graph, fields) = (&text[..at], Fields::parse(&text[at..])?);
    let mem_type = fields.signed(Key::MemType)?.ok_or(Damaged)?;
    let memory_size = fields.bytes(Key::MemOffset)?.ok_or(Damaged)?;
    let io_reuse = match fields.get(Key::IoReuse) {
        None => None,
        Some(text) => {
            let (inputs, rest) = split_number(text).ok_or(Damaged)?;
            let outputs = rest.strip_prefix(b":").and_then(number).ok_or(Damaged)?;
            Some(ReuseInput { inputs, outputs })
        }
    };
    let strings = &mut builder.log.strings;
    let row = Summary {
        total_size: fields.bytes(Key::TotalSize)?,
        theory_min: fields.bytes(Key::TheoryMin)?,
        zero_copy: fields.bytes(Key::ZeroCopy)?,
        no_reuse: fields.bytes(Key::NoReuse)?,
        streams: fields.number(Key::Streams)?,
        topo_mode: fields.text(Key::TopoMode, strings),
        mop: fields.text(Key::Mop, strings),
        io_reuse,
        alloc_mode: fields.text(Key::AllocMode, strings),
        smp: fields.text(Key::Smp, strings),
        ..Summary::new(place.at, mem_type, memory_size)
    };
    let graph = intern(strings, graph);
    builder.count(LineKind::AfterAssign);
    builder.summary(place, graph, row.theory_min.is_some(), row);
    Ok(())
}

/// `session_N name[T] output[N] offset to [N] size[N] realsize[N].`, or `… , reuse address of node: T.`,
/// or `… addr to [X] size[N]`.
fn variable(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let (session, rest) = text.strip_prefix(b"session_").and_then(split_number).ok_or(Damaged)?;
    const REUSE: &[u8] = b"reuse address of node: ";
    let reuse = find(rest, REUSE);
    let fields = Fields::parse(&rest[..reuse.unwrap_or(rest.len())])?;
    let (_, output) = fields.slot()?;
    let (offset, is_address) = match fields.get(Key::AddrTo) {
        Some(text) => (address(text).ok_or(Damaged)?.0, true),
        None => (fields.number(Key::Offset)?.ok_or(Damaged)?, false),
    };
    let size = fields.bytes(Key::Size)?;
    if size.is_none() && reuse.is_none() {
        return Err(Damaged);
    }
    let strings = &mut builder.log.strings;
    let reuse_of = reuse.map(|at| {
        let node = &rest[at + REUSE.len()..];
        intern(strings, node.strip_suffix(b".").unwrap_or(node))
    });
    let row = Variable {
        at: place.at,
        session,
        name: intern(strings, fields.need(Key::Name)?),
        output,
        offset,
        is_address,
        size,
        real_size: fields.bytes(Key::RealSize)?,
        reuse_of,
    };
    builder.count(LineKind::Variable);
    builder.variable(place, row);
    Ok(())
}

fn graph_number(text: &[u8]) -> Result<(u64, &[u8]), Damaged> {
    text.strip_prefix(b"graph_").and_then(split_number).ok_or(Damaged)
}

/// `graph_N MallocMemory type[W] memaddr[X] mem_size[N]` and its variants.
fn base(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let (graph, rest) = graph_number(text)?;
    let rest = rest.strip_prefix(b" MallocMemory").ok_or(Damaged)?;
    let fields = Fields::parse(rest)?;
    let row = BaseAddress {
        at: place.at,
        graph,
        region: Region::parse(fields.need(Key::Type)?).ok_or(Damaged)?,
        address: address(fields.need(Key::MemAddr)?).ok_or(Damaged)?,
        size: fields.bytes(Key::Size)?.ok_or(Damaged)?,
        mem_type: fields.signed(Key::MemType)?,
    };
    builder.count(LineKind::Base);
    builder.base(place, row);
    Ok(())
}

/// `graph_N type[F] name[T] input[N] offset[N] size[N] memaddr[X]`.
fn op_address(builder: &mut Builder, place: Place, text: &[u8]) -> Result<(), Damaged> {
    let (graph, rest) = graph_number(text)?;
    let fields = Fields::parse(rest)?;
    let (slot, index) = fields.slot()?;
    let row = OpAddress {
        at: place.at,
        graph,
        region: Region::parse(fields.need(Key::Type)?).ok_or(Damaged)?,
        name: intern(&mut builder.log.strings, fields.need(Key::Name)?),
        slot,
        index,
        offset: fields.number(Key::Offset)?,
        size: fields.bytes(Key::Size)?,
        address: address(fields.need(Key::MemAddr)?).ok_or(Damaged)?,
    };
    builder.count(LineKind::Address);
    builder.address(place, row);
    Ok(())
}
