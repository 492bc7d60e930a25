//! Does memory grow without end, and from where: `hbmlens.leak/1`.
//!
//! Three looks of rising weight: A, the reserve rises and never falls back; B, lives from early on are
//! still there; D, a call site holds more after every step. Only D can say "leak"; A and B together are
//! a hint. Both are told by call site (C), largest first.

mod long_lived;
mod reserve;
mod step_growth;

pub use long_lived::LongLived;
pub use reserve::RisingReserve;
pub use step_growth::Grower;

use super::attribution::Attributed;
use super::health::Risk;
use super::steps::Steps;
use crate::model::{Bytes, Device};
use crate::text::Message;
use serde::Serialize;

/// What the analysis may be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GrowthOptions {
    /// Memory of the device, for the step at which it will be full.
    pub limit: Option<Bytes>,
    /// Rows of each list, 0 for all.
    pub top: usize,
}

impl Default for GrowthOptions {
    fn default() -> GrowthOptions {
        GrowthOptions { limit: None, top: 20 }
    }
}

/// A rule that found something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum GrowthRule {
    /// A.
    RisingReserve,
    /// B.
    LongLived,
    /// D.
    StepGrowth,
}

/// The growth of one device.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct DeviceGrowth {
    pub device: Device,
    pub risk: Risk,
    pub fired: Vec<GrowthRule>,
    /// The risk in words, with the figures it follows from.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Message[]"))]
    pub reasons: Vec<Message>,
    pub rising_reserve: RisingReserve,
    pub long_lived: LongLived,
    pub steps: Steps,
    /// Call sites that grow step by step, the fastest first.
    pub growth: Vec<Grower>,
}

/// Growth beyond this share of the peak a step is a high risk.
const HIGH_SHARE: f64 = 0.001;

/// Looks for growth on one device.
pub fn growth(memory: &Attributed<'_>, steps: &Steps, options: &GrowthOptions) -> DeviceGrowth {
    let rising_reserve = reserve::find(memory, options.top);
    let long_lived = long_lived::find(memory, steps, options.top);
    let growth = step_growth::find(memory, steps, options);
    let peak = memory.replay.peak().bytes;
    let mut fired = Vec::new();
    let mut reasons = Vec::new();
    if rising_reserve.rising {
        fired.push(GrowthRule::RisingReserve);
        reasons.push(
            Message::new("growth.rising_reserve")
                .bytes("bytes", rising_reserve.bytes)
                .event("event", i64::from(rising_reserve.from_event)),
        );
    }
    if long_lived.count > 0 {
        fired.push(GrowthRule::LongLived);
        reasons.push(
            Message::new("growth.long_lived")
                .count("count", long_lived.count)
                .bytes("bytes", long_lived.bytes),
        );
    }
    if !growth.is_empty() {
        fired.push(GrowthRule::StepGrowth);
    }
    for grower in &growth {
        reasons.push(grower.message());
    }
    let is_fast = |g: &Grower| g.bytes_per_step.share_of(peak) >= HIGH_SHARE;
    let risk = if growth.iter().any(is_fast) {
        Risk::High
    } else if !growth.is_empty() || (rising_reserve.rising && long_lived.count > 0) {
        Risk::Medium
    } else {
        Risk::Low
    };
    if steps.source.is_none() {
        reasons.push(Message::new("growth.no_steps"));
    }
    let device = memory.replay.device;
    DeviceGrowth { device, risk, fired, reasons, rising_reserve, long_lived, steps: steps.clone(), growth }
}
