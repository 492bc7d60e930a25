//! What a process took from the device, as a tree whose children add up to their parent.
//!
//! Each node has two figures: the sum of all allocations, and the most that was live at one time
//! (allocations less frees in time order). Sums add up; peaks do not, as each node has its own moment.
//! Most of GE's frees print no address, so their size is not known and what they freed stays counted:
//! then the peak is an upper bound, and the number of such frees says so.

use crate::model::ge::{DriverOp, ExitStat, GeLog, GeProcess};
use crate::model::{Bytes, FastMap, StringId, fast_map};
use serde::Serialize;
use std::collections::BTreeMap;

/// Where an allocation belongs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    App,
    Hccl,
    MemoryPool,
    StaticGraph,
    Variable,
    Weights,
    GeOther,
    Other,
}

impl Class {
    const ALL: [Class; 8] = [
        Class::App,
        Class::Hccl,
        Class::MemoryPool,
        Class::StaticGraph,
        Class::Variable,
        Class::Weights,
        Class::GeOther,
        Class::Other,
    ];

    /// The parent's name and the own one.
    fn names(self) -> (&'static str, Option<&'static str>) {
        match self {
            Class::App => ("APP", None),
            Class::Hccl => ("HCCL", None),
            Class::MemoryPool => ("GE", Some("GE-MemoryPool")),
            Class::StaticGraph => ("GE", Some("GE-StaticGraph")),
            Class::Variable => ("GE", Some("GE-Variable")),
            Class::Weights => ("GE", Some("GE-Weights")),
            Class::GeOther => ("GE", Some("GE-other")),
            Class::Other => ("other", None),
        }
    }
}

/// GE's purposes by how they begin, in lower case.
const PURPOSES: &[(&str, Class)] = &[
    ("feature map", Class::StaticGraph),
    ("page caching", Class::MemoryPool),
    (UPPER_POOL, Class::MemoryPool),
    ("memory for caching", Class::MemoryPool),
    ("auto malloc var and constant op memory", Class::Variable),
    ("weights memory", Class::Weights),
    ("fileconstant memory", Class::Weights),
];

/// The upper pools' purpose. Where the lower pool prints its own lines, these are parts of them.
const UPPER_POOL: &str = "rt2 memory pool";
const LOWER_POOL: &str = "page caching";

const MODULE_GE: u32 = 45;
const MODULE_HCCL: u32 = 3;

/// A node of the tree.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct DeviceNode {
    /// Of all allocations.
    pub sum: Bytes,
    /// The most at one time.
    pub peak: Bytes,
    pub count: u64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub children: BTreeMap<&'static str, DeviceNode>,
}

/// A line of the driver's statistics at exit.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DriverStat {
    pub memory: String,
    pub device: u32,
    pub module: Option<String>,
    pub current: Bytes,
    pub peak: Bytes,
    pub alloc_count: u64,
    pub free_count: u64,
    pub cached: Option<Bytes>,
}

/// What a process took from the device.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Device {
    /// Sum of all allocations.
    pub total: Bytes,
    /// The most at one time.
    pub peak: Bytes,
    pub children: BTreeMap<&'static str, DeviceNode>,
    pub allocations: u64,
    /// Frees whose size is known.
    pub frees: u64,
    /// Frees that print no address: what they freed is still counted in the peaks.
    pub unsized_frees: u64,
    /// Requests of the upper pools to the lower one, which are part of what that took.
    pub inside_pool: DeviceNode,
    /// The driver's own account at exit.
    pub at_exit: Vec<DriverStat>,
}

#[derive(Clone, Copy, Default)]
struct Level {
    sum: u64,
    live: u64,
    peak: u64,
    count: u64,
}

impl Level {
    fn add(&mut self, bytes: u64) {
        self.sum = self.sum.saturating_add(bytes);
        self.live = self.live.saturating_add(bytes);
        self.peak = self.peak.max(self.live);
        self.count += 1;
    }

    fn free(&mut self, bytes: u64) {
        self.live = self.live.saturating_sub(bytes);
    }

    fn node(self) -> DeviceNode {
        DeviceNode {
            sum: Bytes(self.sum),
            peak: Bytes(self.peak),
            count: self.count,
            children: BTreeMap::new(),
        }
    }
}

/// An allocation that is not yet freed.
#[derive(Clone, Copy)]
struct Held {
    class: Class,
    bytes: u64,
    pointer: Option<u64>,
}

struct Account {
    all: Level,
    ge: Level,
    by_class: [Level; Class::ALL.len()],
    held: Vec<Option<Held>>,
    by_pointer: FastMap<u64, usize>,
    by_page: FastMap<u64, Vec<usize>>,
    frees: u64,
}

impl Default for Account {
    fn default() -> Account {
        Account {
            all: Level::default(),
            ge: Level::default(),
            by_class: Default::default(),
            held: Vec::new(),
            by_pointer: fast_map(),
            by_page: fast_map(),
            frees: 0,
        }
    }
}

/// The tree of one process.
pub fn device(log: &GeLog, process: &GeProcess) -> Device {
    let purposes = purposes(log, process);
    let lower_prints = purposes.values().any(|purpose| purpose.is_lower);
    let mut account = Account::default();
    let mut inside = Level::default();
    let mut unsized_frees = 0;
    let mut last_of_thread: FastMap<u64, usize> = fast_map();
    for event in &process.driver {
        match event.op {
            DriverOp::Malloc { purpose, pointer, module, .. } => {
                let known = purposes.get(&purpose).copied().unwrap_or_default();
                if known.is_upper && lower_prints && pointer.is_none() {
                    inside.add(event.size.0);
                    continue;
                }
                let class = match module {
                    Some(MODULE_HCCL) => Class::Hccl,
                    Some(MODULE_GE) => known.class.unwrap_or(Class::GeOther),
                    Some(_) => Class::App,
                    None => known.class.unwrap_or(Class::Other),
                };
                let held = Held { class, bytes: event.size.0, pointer: pointer.map(|p| p.0) };
                last_of_thread.insert(event.thread, account.malloc(held));
            }
            DriverOp::MallocDevice => {
                account.malloc(Held { class: Class::GeOther, bytes: event.size.0, pointer: None });
            }
            DriverOp::PhysicalPage { page, .. } => {
                if let Some(n) = last_of_thread.remove(&event.thread) {
                    account.by_page.entry(page).or_default().push(n);
                }
            }
            DriverOp::FreePhysical { page, .. } => {
                let mut freed = false;
                while !freed && let Some(n) = account.by_page.get_mut(&page).and_then(Vec::pop) {
                    freed = account.free(n);
                }
                unsized_frees += u64::from(!freed);
            }
            DriverOp::Free { pointer } => {
                let held = pointer.and_then(|pointer| account.by_pointer.get(&pointer.0).copied());
                let freed = held.is_some_and(|n| account.free(n));
                unsized_frees += u64::from(!freed);
            }
        }
    }
    let at_exit = process.exit_stats.iter().map(|stat| driver_stat(log, stat)).collect();
    Device {
        total: Bytes(account.all.sum),
        peak: Bytes(account.all.peak),
        children: account.tree(),
        allocations: account.all.count,
        frees: account.frees,
        unsized_frees,
        inside_pool: inside.node(),
        at_exit,
    }
}

impl Account {
    fn malloc(&mut self, held: Held) -> usize {
        // The same address again: the free between was not printed.
        if let Some(n) = held.pointer.and_then(|pointer| self.by_pointer.get(&pointer).copied()) {
            self.free(n);
        }
        let n = self.held.len();
        if let Some(pointer) = held.pointer {
            self.by_pointer.insert(pointer, n);
        }
        self.held.push(Some(held));
        self.each_level(held.class, |level| level.add(held.bytes));
        n
    }

    /// False if it was freed before.
    fn free(&mut self, n: usize) -> bool {
        let Some(held) = self.held.get_mut(n).and_then(Option::take) else { return false };
        if let Some(pointer) = held.pointer
            && self.by_pointer.get(&pointer) == Some(&n)
        {
            self.by_pointer.remove(&pointer);
        }
        self.each_level(held.class, |level| level.free(held.bytes));
        self.frees += 1;
        true
    }

    fn each_level(&mut self, class: Class, change: impl Fn(&mut Level)) {
        change(&mut self.all);
        if class.names().0 == "GE" {
            change(&mut self.ge);
        }
        change(&mut self.by_class[class as usize]);
    }

    /// Every name is there, with zeros where nothing was taken, so that programs need not ask.
    fn tree(&self) -> BTreeMap<&'static str, DeviceNode> {
        let mut children: BTreeMap<&'static str, DeviceNode> = BTreeMap::new();
        children.insert("GE", self.ge.node());
        for class in Class::ALL {
            let node = self.by_class[class as usize].node();
            match class.names() {
                (name, None) => {
                    children.insert(name, node);
                }
                (parent, Some(name)) => {
                    children.entry(parent).or_default().children.insert(name, node);
                }
            }
        }
        children
    }
}

#[derive(Clone, Copy, Default)]
struct Purpose {
    class: Option<Class>,
    is_upper: bool,
    is_lower: bool,
}

/// Each distinct purpose is looked at once.
fn purposes(log: &GeLog, process: &GeProcess) -> FastMap<StringId, Purpose> {
    let mut all: FastMap<StringId, Purpose> = fast_map();
    for event in &process.driver {
        if let DriverOp::Malloc { purpose, .. } = event.op {
            all.entry(purpose).or_insert_with(|| {
                let text = log.text(purpose).to_lowercase();
                let found = PURPOSES.iter().find(|(begin, _)| text.starts_with(begin));
                Purpose {
                    class: found.map(|(_, class)| *class),
                    is_upper: text.starts_with(UPPER_POOL),
                    is_lower: text.starts_with(LOWER_POOL),
                }
            });
        }
    }
    all
}

fn driver_stat(log: &GeLog, stat: &ExitStat) -> DriverStat {
    DriverStat {
        memory: log.text(stat.memory).to_owned(),
        device: stat.device,
        module: stat.module.some().map(|id| log.text(id).to_owned()),
        current: stat.current,
        peak: stat.peak,
        alloc_count: stat.alloc_count,
        free_count: stat.free_count,
        cached: stat.cached,
    }
}
