//! Flame graphs of live memory: at a moment in bytes, over a range in bytes × events or bytes × time.
//!
//! Lives are summed by distinct stack first, so the tree is built from thousands of stacks, not from
//! millions of lives. Lives without a stack of their own stand under a root of their own, never hidden.

use super::axis::Axis;
use super::flame::{FlameBuilder, FlameGraph};
use crate::analysis::attribution::Attributed;
use crate::model::{Arrange, FastMap, FrameId, LifeId, StackId, fast_map};
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// Keys that are no frames.
pub mod keys {
    /// Lives for which no stack was recorded.
    pub const NO_STACK: u32 = u32::MAX - 1;
    /// Lives from before the trace; what lies above it is the stack of their free.
    pub const FREED_AT: u32 = u32::MAX - 2;
    /// A stack of which every frame is hidden.
    pub const HIDDEN: u32 = u32::MAX - 3;
}

/// Which frames show, and from which end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default)]
pub struct FlameOptions {
    pub innermost_first: bool,
    /// Leave C++ frames out.
    pub hide_native: bool,
    /// Leave out what lies in site-packages or the standard library.
    pub hide_framework: bool,
}

impl Attributed<'_> {
    /// Bytes live at a state; the second weight counts lives.
    pub fn flame_at(&self, state: u32, options: FlameOptions) -> FlameGraph {
        let mut weights = Weights::default();
        self.replay.lives.alive_at(state, |id| weights.add(self, id, self.replay.lives.size(id).0, 1));
        weights.build(self, options)
    }

    /// Bytes × events over the states of a range; with a time axis bytes × time instead. Beside it stands
    /// the weight of one byte that is there all the time, so that weights can be told as averages.
    pub fn flame_over(
        &self,
        range: Range<u32>,
        time: Option<&Axis>,
        options: FlameOptions,
    ) -> (FlameGraph, f64) {
        let lives = &self.replay.lives;
        let events = &self.snapshot.events;
        let at = |state: u32| time.map_or(f64::from(state), |axis| axis.position(events, state)) as u64;
        let (from, to) = (at(range.start), at(range.end));
        // The sum is at most peak × span; where that passes 63 bits, all weights lose the same low bits.
        let most = u128::from(self.replay.peak().bytes.0) * u128::from(to.saturating_sub(from).max(1));
        let shift = (128 - most.leading_zeros()).saturating_sub(63);
        let mut weights = Weights::default();
        let born = lives.births().partition_point(|&b| b < range.end);
        for id in (0..born).map(LifeId::new) {
            let death = lives.death(id).min(range.end);
            let birth = lives.birth(id).max(range.start);
            if death > birth {
                let span = at(death).min(to).saturating_sub(at(birth).max(from));
                let weight = (u128::from(lives.size(id).0) * u128::from(span)) >> shift;
                weights.add(self, id, weight.min(u128::from(u64::MAX)) as u64, 1);
            }
        }
        let of_a_byte = to.saturating_sub(from).max(1) as f64 / 2_f64.powi(shift as i32);
        (weights.build(self, options), of_a_byte)
    }

    /// The text of a key of such a graph; the special ones have texts of the page's own.
    pub fn flame_label(&self, key: u32) -> String {
        if key >= keys::HIDDEN { String::new() } else { self.frame_label(FrameId(key)) }
    }
}

/// Weight and count by stack and by whose stack it is.
struct Weights(FastMap<(StackId, bool), (u64, u64)>);

impl Default for Weights {
    fn default() -> Self {
        Weights(fast_map())
    }
}

impl Weights {
    fn add(&mut self, memory: &Attributed<'_>, id: LifeId, weight: u64, count: u64) {
        let lives = &memory.replay.lives;
        let key = (lives.stack(memory.snapshot, id), lives.stack_is_of_free(id));
        let entry = self.0.entry(key).or_default();
        entry.0 = entry.0.saturating_add(weight);
        entry.1 = entry.1.saturating_add(count);
    }

    fn build(self, memory: &Attributed<'_>, options: FlameOptions) -> FlameGraph {
        let mut builder = FlameBuilder::default();
        let mut rows: Vec<_> = self.0.into_iter().collect();
        rows.arrange_by_key(|&((stack, of_free), _)| (stack, of_free));
        let mut path = Vec::new();
        for ((stack, of_free), (weight, count)) in rows {
            path.clear();
            let frames = memory.snapshot.stacks.get(stack);
            if frames.is_empty() {
                path.push(keys::NO_STACK);
            } else {
                if of_free {
                    path.push(keys::FREED_AT);
                }
                let first = path.len();
                path.extend(
                    frames.iter().filter(|&&frame| memory.shows(frame, options)).map(|frame| frame.0),
                );
                if !options.innermost_first {
                    path[first..].reverse();
                }
                if path.len() == first {
                    path.push(keys::HIDDEN);
                }
            }
            builder.add(path.iter().copied(), weight, count);
        }
        builder.finish()
    }
}

impl Attributed<'_> {
    fn shows(&self, frame: FrameId, options: FlameOptions) -> bool {
        let traits = self.classes.frame(frame);
        !traits.is_noise()
            && (!options.hide_native || traits.is_python())
            && (!options.hide_framework || traits.is_own() || !traits.is_python())
    }
}
