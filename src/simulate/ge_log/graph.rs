//! One static graph: nodes with lives, memory given out first-fit, and planted faults and costs.

use super::Random;
use super::graph_truth::{count, truth};
use super::lines::{Lines, Version};
use std::collections::BTreeSet;

const NEVER: u64 = 4_294_967_294;

/// What to plant in each graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plants {
    /// Outputs put where another is live.
    pub overlaps: u64,
    /// Outputs put where another's life ends in that very step.
    pub boundaries: u64,
    /// Continuous blocks.
    pub continuous: u64,
    /// Outputs that wait for another stream.
    pub streams: u64,
    /// Outputs that may not be shared.
    pub no_reuse: u64,
    /// Cleared outputs.
    pub atomic: u64,
    /// Blocks larger than what lies in them.
    pub larger: u64,
    /// References to an input's memory.
    pub refs: u64,
}

impl Default for Plants {
    fn default() -> Plants {
        Plants {
            overlaps: 1,
            boundaries: 1,
            continuous: 1,
            streams: 2,
            no_reuse: 2,
            atomic: 1,
            larger: 1,
            refs: 1,
        }
    }
}

/// What is true of a graph.
#[derive(Clone, Debug)]
pub struct GraphTruth {
    /// As printed.
    pub key: String,
    pub name: String,
    pub id: Option<u64>,
    pub memory_size: u64,
    /// 32-aligned.
    pub total: u64,
    /// 512-aligned.
    pub total_size: u64,
    pub theory_min: u64,
    pub no_reuse: u64,
    pub atomic: u64,
    pub continuous: u64,
    pub streams: u64,
    pub operators: u64,
    /// First moment of the peak of memory that may be shared.
    pub peak_moment: u64,
    pub peak_nodes: BTreeSet<String>,
    /// Pairs of `NODE:output_0`.
    pub overlaps: BTreeSet<(String, String)>,
    pub boundaries: BTreeSet<(String, String)>,
    /// What each cause costs, by its name in the JSON.
    pub costs: Vec<(&'static str, u64)>,
    /// `(label, name, slot, index, offset, bytes)` of everything placed for good.
    pub(super) places: Vec<(String, &'static str, u64, u64, u64)>,
}

/// An output or workspace.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub name: String,
    pub op_type: &'static str,
    pub slot: &'static str,
    pub index: u64,
    pub stream: i64,
    pub exact: u64,
    pub real: u64,
    pub size: u64,
    pub offset: u64,
    pub begin: u64,
    /// On its own stream, and with the others.
    pub own_end: u64,
    pub end: u64,
    pub reusable: bool,
    pub is_ref: bool,
    /// Number of the continuous block and the place in it.
    pub continuous: Option<(u64, u64)>,
    pub level: u64,
}

pub(super) fn up(bytes: u64, step: u64) -> u64 {
    bytes.div_ceil(step) * step
}

impl Node {
    pub fn label(&self) -> String {
        format!("{}:{}_{}", self.name, self.slot, self.index)
    }

    pub fn aligned(&self) -> u64 {
        up(self.real, 512)
    }
}

/// Whether two lives share a step.
fn together(a: (u64, u64), b: (u64, u64)) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}

/// The lowest place that is free for the whole life.
fn first_fit(placed: &[(u64, u64, u64, u64)], size: u64, begin: u64, end: u64) -> u64 {
    let mut busy: Vec<(u64, u64)> = placed
        .iter()
        .filter(|&&(_, _, from, to)| together((from, to), (begin, end)))
        .map(|&(offset, size, ..)| (offset, offset + size))
        .collect();
    busy.sort_unstable();
    let mut at = 0;
    for (from, to) in busy {
        if from >= at + size {
            break;
        }
        at = at.max(to);
    }
    at
}

/// Makes a graph, writes its lines and returns its truth.
pub(super) fn graph(
    nodes: u64,
    plants: Plants,
    (name, id): (&str, u64),
    random: &mut Random,
    lines: &mut Lines,
    thread: u64,
) -> GraphTruth {
    const TYPES: [&str; 5] = ["Conv2D", "MatMulV2", "Relu", "Add", "HcomAllReduce"];
    let steps = nodes + 10;
    let mut all: Vec<Node> = Vec::new();
    for n in 0..nodes {
        let exact = random.between(1, 40_000);
        let real = up(exact, 32);
        let begin = random.between(1, nodes);
        let end = if random.one_in(15) { NEVER } else { begin + random.below(9) };
        let is_workspace = random.one_in(6);
        all.push(Node {
            name: format!("layer_{}/block/node_{n}", n % 7),
            op_type: TYPES[random.below(5) as usize],
            slot: if is_workspace { "workspace" } else { "output" },
            index: random.below(3),
            stream: random.below(2) as i64,
            exact,
            real,
            size: up(real, 512),
            offset: 0,
            begin,
            own_end: if is_workspace { begin } else { end },
            end: if is_workspace { begin } else { end },
            reusable: true,
            is_ref: false,
            continuous: None,
            level: 0,
        });
    }
    plant_costs(&mut all, plants, random);
    plant_continuous(&mut all, plants.continuous, nodes, random);

    // Give out memory.
    all.sort_by_key(|node| node.begin);
    let mut placed: Vec<(u64, u64, u64, u64)> = Vec::new();
    let mut blocks: Vec<(u64, u64)> = Vec::new();
    for n in 0..all.len() {
        let node = &all[n];
        let offset = if let Some((block, inside)) = node.continuous {
            let known = blocks.iter().find(|(other, _)| *other == block).map(|(_, offset)| *offset);
            let base = known.unwrap_or_else(|| {
                let members = || all.iter().filter(|node| node.continuous.is_some_and(|(b, _)| b == block));
                let begin = members().map(|node| node.begin).min().unwrap_or(0);
                let end = members().map(|node| node.end).max().unwrap_or(0);
                let offset = first_fit(&placed, node.size, begin, end);
                placed.push((offset, node.size, begin, end));
                offset
            });
            if known.is_none() {
                blocks.push((block, base));
            }
            base + inside
        } else {
            let (begin, end) = if node.reusable { (node.begin, node.end) } else { (0, u64::MAX) };
            let offset = first_fit(&placed, node.size, begin, end);
            placed.push((offset, node.size, begin, end));
            offset
        };
        all[n].offset = offset;
    }
    let mut memory_size = placed.iter().map(|place| place.0 + place.1).max().unwrap_or(0);
    let atomic: Vec<(u64, u64)> = (0..plants.atomic)
        .map(|n| {
            let place = (memory_size, 1024 * (n + 1));
            memory_size += place.1;
            place
        })
        .collect();
    let faults = plant_faults(&all, plants);
    all.extend(faults.nodes);
    let mut truth = truth(&all, &atomic, memory_size, steps);
    (truth.overlaps, truth.boundaries) = (faults.overlaps, faults.boundaries);
    plant_refs(&mut all, plants.refs);

    truth.name = name.to_owned();
    truth.id = (lines.version == Version::Now).then_some(id);
    truth.key = if lines.version == Version::Now { format!("{name}_{id}") } else { name.to_owned() };
    truth.streams = all.iter().map(|node| node.stream).chain([0]).collect::<BTreeSet<_>>().len() as u64;
    count(&all, &atomic, &mut truth);
    super::graph_lines::write(&all, &atomic, &truth, lines, thread);
    truth
}

fn plant_costs(all: &mut [Node], plants: Plants, random: &mut Random) {
    let mut plant = |count: u64, change: &mut dyn FnMut(&mut Node, &mut Random)| {
        for _ in 0..count {
            let n = random.below(all.len() as u64) as usize;
            let node = &mut all[n];
            if node.reusable
                && node.own_end == node.end
                && node.size == up(node.real, 512)
                && node.end < NEVER
            {
                change(node, random);
            }
        }
    };
    plant(plants.streams, &mut |node, random| node.end = node.own_end + random.between(1, 12));
    plant(plants.no_reuse, &mut |node, _| node.reusable = false);
    plant(plants.larger, &mut |node, random| node.size += 512 * random.between(1, 40));
}

/// Members lie side by side without padding; each line prints the whole block.
fn plant_continuous(all: &mut Vec<Node>, count: u64, nodes: u64, random: &mut Random) {
    for block in 0..count {
        let members = random.between(2, 4);
        let begin = random.between(1, nodes);
        let mut inside = 0;
        let first = all.len();
        for n in 0..members {
            let real = up(random.between(1, 20_000), 32);
            let begin = begin + 2 * n;
            let end = begin + random.below(3);
            all.push(Node {
                name: format!("concat_{block}/part_{n}"),
                op_type: "Identity",
                slot: "output",
                index: 0,
                stream: 0,
                exact: real,
                real,
                size: 0,
                offset: 0,
                begin,
                own_end: end,
                end,
                reusable: true,
                is_ref: false,
                continuous: Some((block, inside)),
                level: 0,
            });
            inside += real;
        }
        // Inputs of one operator live until it has read them all; outputs of one operator begin together.
        let last = all[first..].iter().map(|node| node.end).max().unwrap_or(0) + 1;
        let inputs = random.one_in(2);
        for node in &mut all[first..] {
            node.size = up(inside, 512);
            if inputs {
                (node.own_end, node.end) = (last, last);
            } else {
                node.begin = begin;
            }
        }
    }
}

#[derive(Default)]
struct Faults {
    nodes: Vec<Node>,
    overlaps: BTreeSet<(String, String)>,
    boundaries: BTreeSet<(String, String)>,
}

/// Outputs where others are live; memory was given out without them.
fn plant_faults(all: &[Node], plants: Plants) -> Faults {
    let mut faults = Faults::default();
    let plain = |node: &&Node| node.continuous.is_none() && node.reusable && node.end < NEVER;
    // A life of three steps or more can hold another without touching its ends.
    let wide = all.iter().filter(plain).filter(|node| node.end >= node.begin + 2);
    for (n, victim) in wide.take(plants.overlaps as usize).enumerate() {
        let moment = victim.begin + 1;
        let real = victim.real.min(64);
        let intruder = Node {
            name: format!("intruder_{n}"),
            begin: moment,
            own_end: moment,
            end: moment,
            offset: victim.offset,
            exact: real,
            real,
            size: 512,
            slot: "output",
            index: 0,
            level: 1,
            ..victim.clone()
        };
        faults.overlaps.insert((victim.label(), intruder.label()));
        faults.nodes.push(intruder);
    }
    let long = all.iter().filter(plain).filter(|node| node.end > node.begin);
    for (n, victim) in long.skip(plants.overlaps as usize).take(plants.boundaries as usize).enumerate() {
        let real = victim.real.min(64);
        let neighbour = Node {
            name: format!("neighbour_{n}"),
            begin: victim.end,
            own_end: victim.end,
            end: victim.end,
            exact: real,
            real,
            size: 512,
            slot: "output",
            index: 0,
            level: 1,
            ..victim.clone()
        };
        faults.boundaries.insert((victim.label(), neighbour.label()));
        faults.nodes.push(neighbour);
    }
    faults
}

/// A reference lies where its input lies and lives on; it takes nothing.
fn plant_refs(all: &mut Vec<Node>, count: u64) {
    let plain: Vec<Node> = all
        .iter()
        .filter(|node| node.continuous.is_none() && node.end < NEVER)
        .take(count as usize)
        .cloned()
        .collect();
    for (n, input) in plain.into_iter().enumerate() {
        all.push(Node {
            name: format!("assign_{n}"),
            is_ref: true,
            slot: "output",
            index: 0,
            begin: input.end,
            own_end: input.end,
            ..input
        });
    }
}
