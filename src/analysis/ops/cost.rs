//! What the calls to the driver for memory cost.
//!
//! A caching allocator asks the driver rarely; a run that spends noticeable time there grows and shrinks
//! its reserve again and again.

use crate::model::profile::TraceTable;
use crate::model::{Arrange, Nanos};
use crate::text::Message;
use serde::Serialize;

/// From this total on a word of advice is due.
const WORTH_A_WORD: Nanos = Nanos(10_000_000);

/// Calls of one driver function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CallCost {
    pub name: String,
    pub count: u64,
    pub total_ns: i64,
    pub longest_ns: i64,
}

/// All of them, most expensive first.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ApiCost {
    pub total_ns: i64,
    pub calls: Vec<CallCost>,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Message | null"))]
    pub advice: Option<Message>,
}

pub fn api_cost(trace: &TraceTable) -> ApiCost {
    let mut calls: Vec<CallCost> = trace
        .api
        .iter()
        .map(|(name, call)| CallCost {
            name: name.clone(),
            count: call.count,
            total_ns: call.total.0,
            longest_ns: call.longest.0,
        })
        .collect();
    calls.arrange_by(|a, b| b.total_ns.cmp(&a.total_ns).then_with(|| a.name.cmp(&b.name)));
    let total_ns = calls.iter().fold(0_i64, |sum, call| sum.saturating_add(call.total_ns));
    let count = calls.iter().fold(0_u64, |sum, call| sum.saturating_add(call.count));
    let advice = (total_ns > WORTH_A_WORD.0).then(|| {
        Message::new("ops.advice.api_cost")
            .count("count", count)
            .with("total", crate::text::Param::Duration(total_ns))
    });
    ApiCost { total_ns, calls, advice }
}
