//! The address check: does what the loaded graph uses lie where the compiler put it?
//!
//! For each address of an operator: address − base of its region = offset. The offset is the line's
//! own, or, where the line prints none, the compiled graph's for the same output or workspace. An
//! address of zero-copy memory is the caller's and may lie anywhere.

use crate::model::ge::{BaseAddress, GeLog, GeProcess, OpAddress, Placement, Region, Slot};
use crate::model::{Address, Bytes, FastMap, StringId, fast_map};
use serde::Serialize;

/// Why an address is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Address − base is not the offset.
    Offset,
    /// It begins or ends outside its region.
    Outside,
}

/// A wrong address.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AddressFault {
    pub fault: Fault,
    pub graph: u64,
    pub region: Region,
    /// `NODE:output_0`.
    pub name: String,
    pub address: Address,
    pub base: Address,
    /// Bytes of the region.
    pub region_size: u64,
    pub size: Option<u64>,
    pub expected_offset: Option<u64>,
    /// Address − base; negative below the base.
    pub offset: i64,
}

/// What the check found.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct AddressCheck {
    /// Addresses of operators in the log.
    pub addresses: u64,
    pub passed: u64,
    pub failed: u64,
    /// Regions whose base the log does not show: nothing to check against.
    pub without_base: u64,
    /// No offset on the line and none known from compiling: only the range was checked.
    pub without_offset: u64,
    /// The first thousand.
    pub faults: Vec<AddressFault>,
}

const LISTED: usize = 1000;

/// Checks a process.
pub fn check(log: &GeLog, process: &GeProcess) -> AddressCheck {
    let compiled = Compiled::new(process);
    let mut bases: FastMap<(u64, Region), Vec<&BaseAddress>> = fast_map();
    for base in &process.bases {
        bases.entry((base.graph, base.region)).or_default().push(base);
    }
    let mut report = AddressCheck::default();
    for row in &process.addresses {
        report.addresses += 1;
        let Some(bases) = bases.get(&(row.graph, row.region)) else {
            report.without_base += 1;
            continue;
        };
        let of_line = row.offset;
        let known = compiled.find(row);
        if known.is_some_and(|row| row.child.zero_copy()) {
            report.passed += 1;
            continue;
        }
        let expected = of_line.or_else(|| known.and_then(|_| compiled.offset(row)));
        report.without_offset += u64::from(expected.is_none());
        match fault(row, bases, expected) {
            None => report.passed += 1,
            Some((fault, base)) => {
                report.failed += 1;
                if report.faults.len() < LISTED {
                    report.faults.push(describe(log, row, base, fault, expected));
                }
            }
        }
    }
    report
}

/// The fault, unless one of the region's bases fits: a graph that was loaded again has several.
fn fault<'a>(
    row: &OpAddress,
    bases: &[&'a BaseAddress],
    expected: Option<u64>,
) -> Option<(Fault, &'a BaseAddress)> {
    let size = row.size.map_or(0, |size| size.0);
    let inside = |base: &BaseAddress| {
        let offset = row.address.0.checked_sub(base.address.0);
        offset.is_some_and(|offset| offset <= base.size.0 && size <= base.size.0 - offset)
    };
    let fits = |base: &BaseAddress| {
        expected.is_none_or(|offset| row.address.0.checked_sub(base.address.0) == Some(offset))
    };
    if bases.iter().any(|base| inside(base) && fits(base)) {
        return None;
    }
    // Against the base it lies in, else the last one before it.
    let holder = bases.iter().rfind(|base| inside(base));
    let before = bases.iter().rfind(|base| base.at <= row.at);
    let base = *holder.or(before).or(bases.first())?;
    Some((if holder.is_some() || !fits(base) { Fault::Offset } else { Fault::Outside }, base))
}

fn describe(
    log: &GeLog,
    row: &OpAddress,
    base: &BaseAddress,
    fault: Fault,
    expected_offset: Option<u64>,
) -> AddressFault {
    AddressFault {
        fault,
        graph: row.graph,
        region: row.region,
        name: format!("{}:{}_{}", log.text(row.name), row.slot.word(), row.index),
        address: row.address,
        base: base.address,
        region_size: base.size.0,
        size: row.size.map(|size| size.0),
        expected_offset,
        offset: Bytes(row.address.0).minus(Bytes(base.address.0)),
    }
}

/// Where the compiler put the feature map's outputs and workspaces, for names that are unique in the
/// process: a loaded graph's number is not always the compiled graph's.
struct Compiled<'a> {
    rows: FastMap<(StringId, Slot, u32), Option<&'a Placement>>,
    moved: FastMap<(StringId, Slot, u32), u64>,
}

impl<'a> Compiled<'a> {
    fn new(process: &'a GeProcess) -> Compiled<'a> {
        let mut compiled = Compiled { rows: fast_map(), moved: fast_map() };
        for graph in &process.graphs {
            for row in &graph.placements {
                let key = (row.name, row.slot, row.index);
                if row.kind.is_continuous() && row.size.0 == 0 {
                    compiled.moved.insert(key, row.offset);
                } else if row.life.is_some() {
                    let same = |known: &mut Option<&'a Placement>| {
                        // Twice in one place is as good as once; in two places neither counts.
                        if known.is_some_and(|known| known.offset != row.offset) {
                            *known = None;
                        }
                    };
                    compiled.rows.entry(key).and_modify(same).or_insert(Some(row));
                }
            }
        }
        compiled
    }

    fn find(&self, row: &OpAddress) -> Option<&'a Placement> {
        let feature_map = Region::parse(b"F");
        if Some(row.region) != feature_map || row.slot == Slot::Input {
            return None;
        }
        self.rows.get(&(row.name, row.slot, row.index)).copied().flatten()
    }

    fn offset(&self, row: &OpAddress) -> Option<u64> {
        let key = (row.name, row.slot, row.index);
        self.moved.get(&key).copied().or_else(|| self.find(row).map(|row| row.offset))
    }
}
