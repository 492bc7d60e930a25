//! A GE log for the page: the whole report as the terminal prints it, one graph's outputs as columns,
//! and the report files.
//!
//! The report crosses as one JSON text: it is the terminal's own, and a text costs the module far less
//! code than a conversion of each of its types. Outputs are asked for graph by graph, as a large log
//! holds hundreds of thousands, in one array of numbers with the texts beside it.

use super::error::WireError;
use super::loaded::Loaded;
use super::protocol::Reply;
use crate::analysis::ge::{Block, GraphBlocks, mem_types, report};
use crate::export::ge::{FILES, write_total};
use crate::format::Document;
use crate::model::ge::{GeLog, Lifetime};
use crate::model::{FastMap, StringId, fast_map};

/// Numbers of one output in `cells`; the page's `C` names them.
const WIDTH: usize = 30;

/// Texts of a reply, each once.
struct Texts<'a> {
    log: &'a GeLog,
    numbers: FastMap<StringId, f64>,
    texts: Vec<String>,
}

impl Texts<'_> {
    fn number(&mut self, id: StringId) -> f64 {
        *self.numbers.entry(id).or_insert_with(|| {
            self.texts.push(self.log.text(id).to_owned());
            (self.texts.len() - 1) as f64
        })
    }

    fn optional(&mut self, id: Option<StringId>) -> f64 {
        id.map_or(-1.0, |id| self.number(id))
    }
}

impl Loaded {
    fn ge_log(&self) -> Result<&GeLog, WireError> {
        match &self.document {
            Document::GeLog(log) => Ok(log),
            _ => Err(WireError::request("this file is not a GE log")),
        }
    }

    /// Everything about the log.
    pub fn ge_report(&self) -> Result<Reply, WireError> {
        let json = serde_json::to_string(&report(self.ge_log()?))
            .map_err(|error| WireError::request(error.to_string()))?;
        Ok(Reply::GeReport { json })
    }

    /// The outputs of one compilation of a graph, in all kinds of memory.
    pub fn ge_graph(&self, process: u32, key: &str, round: u32) -> Result<Reply, WireError> {
        let log = self.ge_log()?;
        let graph = log
            .processes
            .get(process as usize)
            .and_then(|process| process.graphs.iter().find(|g| g.round == round && log.text(g.key) == key))
            .ok_or_else(|| WireError::request("the log has no such graph"))?;
        let mut texts = Texts { log, numbers: fast_map(), texts: Vec::new() };
        let mut cells = Vec::new();
        for mem_type in mem_types(graph) {
            let blocks = GraphBlocks::new(log, graph, mem_type);
            for block in &blocks.blocks {
                cells.extend(row(&blocks, block, &mut texts));
            }
        }
        Ok(Reply::GeGraph { width: WIDTH as u32, cells: cells.as_slice().into(), texts: texts.texts })
    }

    /// One of the report files, by its name.
    pub fn ge_file(&self, name: &str) -> Result<Reply, WireError> {
        let log = self.ge_log()?;
        let mut bytes = Vec::new();
        let written = match FILES.iter().find(|(file, _)| *file == name) {
            Some((_, write)) => write(log, &mut bytes),
            None if name == "total.txt" => write_total(&report(log), &mut bytes),
            None => return Err(WireError::request("there is no report file of that name")),
        };
        written.map_err(|error| WireError::request(error.to_string()))?;
        Ok(Reply::GeFile { bytes: bytes.as_slice().into() })
    }
}

fn row(graph: &GraphBlocks<'_>, block: &Block, texts: &mut Texts<'_>) -> [f64; WIDTH] {
    let row = graph.row(block);
    let Lifetime { begin_text, end_text, .. } = row.life.unwrap_or_default();
    let flag = |bit: u32, set: bool| if set { 1 << bit } else { 0 };
    let flags: u32 = flag(0, block.reusable)
        | flag(1, block.is_ref)
        | flag(2, block.continuous)
        | flag(3, block.moved)
        | flag(4, row.life.is_some());
    let tristate = |value: Option<bool>| value.map_or(-1.0, |value| f64::from(u8::from(value)));
    let [level, reuse, continuous, zero_copy, same_stream] = row.child.parts.map(f64::from);
    [
        graph.mem_type as f64,
        block.offset as f64,
        block.bytes as f64,
        block.begin as f64,
        block.end as f64,
        block.end_own_stream as f64,
        f64::from(flags),
        texts.number(row.name),
        texts.number(row.op_type),
        f64::from(row.kind as u8),
        f64::from(row.slot as u8),
        f64::from(row.index),
        row.stream.stream as f64,
        row.stream.other.map_or(f64::NAN, |other| other as f64),
        row.size.0 as f64,
        row.no_align_size.map_or(f64::NAN, |size| size.0 as f64),
        texts.optional(begin_text),
        texts.optional(end_text),
        f64::from(row.child.count),
        level,
        reuse,
        continuous,
        zero_copy,
        same_stream,
        tristate(row.is_ref),
        tristate(row.no_padding),
        texts.number(row.batch),
        texts.number(row.block_type),
        row.scope.map_or(f64::NAN, |scope| scope as f64),
        row.offset as f64,
    ]
}
