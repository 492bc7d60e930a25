//! Variables and constants of each session, and which of them share memory.

use crate::model::ge::{GeLog, GeProcess};
use crate::model::{Bytes, FastMap, StringId, fast_map};
use serde::Serialize;

/// A variable.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct VariableRow {
    pub session: u64,
    pub name: String,
    pub output: u32,
    pub offset: u64,
    /// `offset` is an address: memory outside the session's region.
    pub is_address: bool,
    pub size: Option<Bytes>,
    pub real_size: Option<Bytes>,
    /// The node whose memory it uses.
    pub reuse_of: Option<String>,
    /// Nodes that use its memory.
    pub reused_by: u64,
}

/// The variables of one session.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SessionRow {
    pub session: u64,
    pub count: u64,
    /// What the variables take; those that reuse another's memory take none.
    pub size: Bytes,
    /// What sharing saved, as far as the lines tell sizes.
    pub saved: Bytes,
}

/// All variables, in time order.
pub fn variables(log: &GeLog, process: &GeProcess) -> Vec<VariableRow> {
    let mut reused: FastMap<(u64, StringId), u64> = fast_map();
    for row in &process.variables {
        if let Some(of) = row.reuse_of {
            *reused.entry((row.session, of)).or_default() += 1;
        }
    }
    let rows = process.variables.iter().map(|row| VariableRow {
        session: row.session,
        name: log.text(row.name).to_owned(),
        output: row.output,
        offset: row.offset,
        is_address: row.is_address,
        size: row.size,
        real_size: row.real_size,
        reuse_of: row.reuse_of.map(|id| log.text(id).to_owned()),
        reused_by: reused.get(&(row.session, row.name)).copied().unwrap_or(0),
    });
    rows.collect()
}

/// Sums by session.
pub fn sessions(process: &GeProcess) -> Vec<SessionRow> {
    let mut sizes: FastMap<(u64, StringId), Bytes> = fast_map();
    let mut sessions: std::collections::BTreeMap<u64, SessionRow> = Default::default();
    for row in &process.variables {
        let size = row.size.unwrap_or_default();
        let empty = SessionRow { session: row.session, count: 0, size: Bytes::ZERO, saved: Bytes::ZERO };
        let sum = sessions.entry(row.session).or_insert(empty);
        sum.count += 1;
        match row.reuse_of {
            None => {
                sum.size += size;
                sizes.insert((row.session, row.name), size);
            }
            Some(of) => {
                let known = sizes.get(&(row.session, of)).copied();
                sum.saved += row.size.or(known).unwrap_or_default();
            }
        }
    }
    sessions.into_values().collect()
}
