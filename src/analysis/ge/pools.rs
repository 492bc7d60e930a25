//! Memory pools of dynamic graphs, put together from lines that do not say whose they are.
//!
//! A moment is the number of a pool event in its process, from 1, in time order: the log's clock is
//! too coarse to order a malloc and a free, and GE's own replay wants an order, not a time.

use super::intervals::Intervals;
use super::pool_spans::{Found, Matcher};
use super::{reach_theory_rate, reuse_rate};
use crate::model::ge::{AllocatorName, GeProcess, PoolOp};
use crate::model::{Address, Arrange, Bytes, Nanos, StringId};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// One use of a span of a pool.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PoolUse {
    pub at: Nanos,
    pub allocator: AllocatorName,
    /// The operator that asked; `NONE` for the pools' own.
    pub name: StringId,
    pub address: Address,
    /// Of the span.
    pub size: Bytes,
    /// What was asked for.
    pub real_size: Bytes,
    pub begin: u64,
    /// The kernel gave it back.
    pub kernel_free: Option<u64>,
    /// The pool took it back.
    pub pool_free: Option<u64>,
    /// What the pool had ever held when this was handed out.
    pub cached_size: Bytes,
    /// Sum of live spans then, this one included.
    pub theory_size: Bytes,
    /// A further use of a span that the pool had not taken back.
    pub again: bool,
}

impl PoolUse {
    /// When it ended, if the log shows it.
    pub fn end(&self) -> Option<u64> {
        self.pool_free.or(self.kernel_free)
    }
}

/// A step of a pool's curve: after this moment so much is live and so much was ever held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct PoolStep {
    pub moment: u64,
    pub live: Bytes,
    pub held: Bytes,
}

/// The figures of one allocator.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Pool {
    #[serde(serialize_with = "as_text")]
    pub allocator: AllocatorName,
    /// Sum of what was asked for.
    pub total: Bytes,
    /// The address range the pool ever used.
    pub after_reuse: Bytes,
    /// Greatest sum of live spans.
    pub theory_min: Bytes,
    /// The same of what was asked for.
    pub real_theory_min: Bytes,
    /// Moment of `theory_min`.
    pub peak_moment: u64,
    pub reuse_rate: f64,
    pub reach_theory_rate: f64,
    pub uses: u64,
    pub live_at_end: u64,
    /// What GE itself printed last, rounded as it prints: memory taken and theory_min.
    pub reported_total: Option<Bytes>,
    pub reported_theory_min: Option<Bytes>,
}

fn as_text<S: Serializer>(name: &AllocatorName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(name)
}

/// All pools of a process.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pools {
    /// By allocator: `ge` before `rts`, then by number.
    pub pools: Vec<Pool>,
    /// In the order in which they were handed out.
    pub uses: Vec<PoolUse>,
    /// By allocator, in the order of `pools`.
    pub curves: Vec<Vec<PoolStep>>,
    /// Frees of spans that were handed out before the log begins.
    pub unknown_frees: u64,
    /// Spans whose free the log lost: their place was handed out again.
    pub implied_frees: u64,
}

/// Works out the pools of a process.
pub fn pools(process: &GeProcess) -> Pools {
    let mut matched = Matcher::default();
    matched.run(process);
    matched.name_owners(process);
    let Matcher { mut uses, unknown_frees, implied_frees, .. } = matched;
    let (mut pools, curves) = figures(&mut uses);
    reported(process, &mut pools);
    Pools {
        pools,
        uses: uses.into_iter().map(|found| found.row).collect(),
        curves,
        unknown_frees,
        implied_frees,
    }
}

/// Sums by allocator, and what each use found in place when it began.
fn figures(uses: &mut [Found]) -> (Vec<Pool>, Vec<Vec<PoolStep>>) {
    #[derive(Default)]
    struct Sum {
        total: u64,
        held: Intervals,
        live: u64,
        real_live: u64,
        most: u64,
        real_most: u64,
        moment: u64,
        uses: u64,
        open: u64,
        curve: Vec<PoolStep>,
    }
    // (moment, begins, use), ends before begins of the same moment.
    let mut steps: Vec<(u64, bool, usize)> = Vec::new();
    for (n, found) in uses.iter().enumerate() {
        steps.push((found.row.begin, true, n));
        if let Some(end) = found.span_end() {
            steps.push((end, false, n));
        }
    }
    steps.arrange();
    let mut sums: BTreeMap<AllocatorName, Sum> = BTreeMap::new();
    for (moment, begins, n) in steps {
        let row = &mut uses[n].row;
        let sum = sums.entry(row.allocator).or_default();
        if begins {
            sum.total = sum.total.saturating_add(row.real_size.0);
            sum.held.add(row.address.0, row.size.0);
            sum.live = sum.live.saturating_add(row.size.0);
            sum.real_live = sum.real_live.saturating_add(row.real_size.0);
            if sum.live > sum.most {
                (sum.most, sum.moment) = (sum.live, moment);
            }
            sum.real_most = sum.real_most.max(sum.real_live);
            sum.uses += 1;
            sum.open += 1;
            row.cached_size = Bytes(sum.held.covered());
            row.theory_size = Bytes(sum.live);
        } else {
            sum.live = sum.live.saturating_sub(row.size.0);
            sum.real_live = sum.real_live.saturating_sub(row.real_size.0);
            sum.open -= 1;
        }
        sum.curve.push(PoolStep { moment, live: Bytes(sum.live), held: Bytes(sum.held.covered()) });
    }
    let mut curves = Vec::new();
    let mut pools = Vec::new();
    for (allocator, sum) in sums {
        let after = sum.held.covered();
        pools.push(Pool {
            allocator,
            total: Bytes(sum.total),
            after_reuse: Bytes(after),
            theory_min: Bytes(sum.most),
            real_theory_min: Bytes(sum.real_most),
            peak_moment: sum.moment,
            reuse_rate: reuse_rate(sum.total, after),
            reach_theory_rate: reach_theory_rate(sum.most, after),
            uses: sum.uses,
            live_at_end: sum.open,
            reported_total: None,
            reported_theory_min: None,
        });
        curves.push(sum.curve);
    }
    (pools, curves)
}

/// What GE printed about each pool itself.
fn reported(process: &GeProcess, pools: &mut [Pool]) {
    for event in &process.pool {
        let Some(pool) = pools.iter_mut().find(|pool| Some(pool.allocator) == event.allocator) else {
            continue;
        };
        match event.op {
            PoolOp::Details { total, .. } => pool.reported_total = Some(total),
            PoolOp::Free { theory_min, .. } => pool.reported_theory_min = Some(theory_min),
            _ => {}
        }
    }
}
