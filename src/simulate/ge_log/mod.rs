//! GE logs whose truth is known: static graphs, pools, addresses and driver calls of several processes.
//!
//! Memory is really given out by a simple allocator, so what a reader should find is known from the
//! allocator and by counting moment by moment, not by the ways the reader and the analyses use. The
//! lines are written from the description of the log formats, in the versions that differ. Errors are
//! planted on purpose: overlapping outputs, wrong addresses, and each cause that keeps a graph from its
//! least memory.

mod graph;
mod graph_lines;
mod graph_truth;
mod lines;
mod pools;
mod process;

pub use graph::{GraphTruth, Plants};
pub use lines::Version;
pub use pools::{DeviceTruth, PoolTruth};
pub use process::ProcessTruth;

use lines::Lines;

/// What to make.
#[derive(Clone, Copy, Debug)]
pub struct GeScript {
    pub seed: u64,
    pub version: Version,
    pub processes: u64,
    /// Static graphs of each process, and nodes of each.
    pub graphs: u64,
    pub nodes: u64,
    pub plants: Plants,
    /// Kernels that take memory from pools, in each process.
    pub kernels: u64,
    /// Addresses that do not fit their offsets, in each process.
    pub wrong_addresses: u64,
    /// Lines about other things for each line of interest.
    pub noise: u64,
    /// Files of each process.
    pub files: u64,
    /// When the first line is written, in seconds after the earliest possible.
    pub begin: u64,
}

impl Default for GeScript {
    fn default() -> GeScript {
        GeScript {
            seed: 1,
            version: Version::Now,
            processes: 2,
            graphs: 2,
            nodes: 60,
            plants: Plants::default(),
            kernels: 80,
            wrong_addresses: 1,
            noise: 2,
            files: 3,
            begin: 0,
        }
    }
}

/// Log files and what is true of them.
#[derive(Clone, Debug)]
pub struct GeSample {
    /// In no useful order.
    pub files: Vec<String>,
    pub processes: Vec<ProcessTruth>,
}

/// Makes the logs.
pub fn ge_log(script: &GeScript) -> GeSample {
    let mut random = Random(script.seed);
    let mut sample = GeSample { files: Vec::new(), processes: Vec::new() };
    for n in 0..script.processes {
        let pid = 20_000 + 17 * n;
        let mut lines = Lines::new(pid, script);
        let truth = process::process(script, pid, &mut random, &mut lines);
        sample.processes.push(truth);
        sample.files.extend(lines.into_files(script.files));
    }
    // A shuffle, so that nothing rests on the order of files.
    for n in (1..sample.files.len()).rev() {
        let other = random.below(n as u64 + 1) as usize;
        sample.files.swap(n, other);
    }
    sample
}

/// One small log with something to see in every report.
pub fn ge_sample() -> String {
    let script =
        GeScript { processes: 1, nodes: 120, kernels: 150, files: 1, noise: 1, ..GeScript::default() };
    ge_log(&script).files.concat()
}

/// Sebastiano Vigna's splitmix64: small, and the same everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 ≤ n < `limit`; `limit` is at least 1.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}
