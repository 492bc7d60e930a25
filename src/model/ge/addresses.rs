//! Where a loaded graph really lies: base addresses, the operators' addresses, and variables.

use super::Slot;
use crate::model::{Address, Bytes, Nanos, StringId};
use serde::{Serialize, Serializer};

/// The letter by which GE names a region: F feature map, W weights, V variables, H host, S, P (P2P), C
/// constants; older logs also `L1`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Region(pub [u8; 2]);

impl Region {
    /// `None` for a text that is not one or two letters or digits.
    pub fn parse(text: &[u8]) -> Option<Region> {
        match *text {
            [a] if a.is_ascii_alphanumeric() => Some(Region([a, 0])),
            [a, b] if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric() => Some(Region([a, b])),
            _ => None,
        }
    }

    /// The letters as text.
    pub fn as_str(&self) -> &str {
        let len = if self.0[1] == 0 { 1 } else { 2 };
        core::str::from_utf8(&self.0[..len]).unwrap_or("?")
    }
}

impl Serialize for Region {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A region that a loaded graph got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BaseAddress {
    pub at: Nanos,
    pub graph: u64,
    pub region: Region,
    pub address: Address,
    pub size: Bytes,
    pub mem_type: Option<i64>,
}

/// Where an input, output or workspace of a loaded graph lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpAddress {
    pub at: Nanos,
    pub graph: u64,
    pub region: Region,
    pub name: StringId,
    pub slot: Slot,
    pub index: u32,
    /// Not on every line.
    pub offset: Option<u64>,
    pub size: Option<Bytes>,
    pub address: Address,
}

/// A variable or constant of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable {
    pub at: Nanos,
    pub session: u64,
    pub name: StringId,
    pub output: u32,
    /// Offset in the session's variable memory, or an address (see `is_address`).
    pub offset: u64,
    /// The line gave an address (`addr to [..]`, remote direct memory access or host memory).
    pub is_address: bool,
    /// What it takes with alignment and guard; `None` where it reuses another's memory and prints none.
    pub size: Option<Bytes>,
    pub real_size: Option<Bytes>,
    /// The node whose memory it shares.
    pub reuse_of: Option<StringId>,
}
