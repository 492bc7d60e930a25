//! The valleys of requested bytes that repeat: where steps begin when no annotation says so.
//!
//! A turn counts as a valley when the curve has fallen by some height before it and climbs by as much
//! after it. Which height is right depends on the run (drift, nested loops), so heights are tried from
//! the tallest down, and the first that gives valleys at even distances is taken.

use crate::replay::{CurveKind, Replay, Step};

/// Shares of the curve's range that are tried as height.
const HEIGHTS: [f64; 7] = [0.5, 0.35, 0.25, 0.18, 0.12, 0.08, 0.05];
/// Fewer valleys do not make a rhythm.
const LEAST: usize = 4;
/// Distances (in events) may scatter by so much of their mean.
const SCATTER: f64 = 0.35;

/// First event after each valley, ascending; empty where nothing repeats.
pub(super) fn find(replay: &Replay) -> Vec<u32> {
    let curve = requested(replay);
    let (Some(&least), Some(&most)) = (curve.iter().min(), curve.iter().max()) else { return Vec::new() };
    for share in HEIGHTS {
        let height = ((most - least) as f64 * share) as u64;
        if height == 0 {
            break;
        }
        let valleys = turns(&curve, height);
        if valleys.len() >= LEAST && is_even(&valleys) {
            return valleys;
        }
    }
    Vec::new()
}

/// Requested bytes at every state.
fn requested(replay: &Replay) -> Vec<u64> {
    let size = |id: u32| replay.lives.size(crate::model::LifeId(id)).0;
    let mut now = replay.value(CurveKind::Requested, 0).0;
    let mut curve = Vec::with_capacity(replay.events() as usize + 1);
    curve.push(now);
    for event in 0..replay.events() {
        match replay.step(event) {
            Step::Open(id) => now = now.saturating_add(size(id)),
            Step::Close(id) => now = now.saturating_sub(size(id)),
            Step::Reopen(_) => now = replay.value(CurveKind::Requested, event + 1).0,
            Step::Ask(_) | Step::AskUnseen(_) | Step::Segment(_) | Step::None => {}
        }
        curve.push(now);
    }
    curve
}

/// The last lowest state of each valley of that height.
fn turns(curve: &[u64], height: u64) -> Vec<u32> {
    let mut valleys = Vec::new();
    let (mut falling, mut high, mut low, mut at) = (false, 0_u64, u64::MAX, 0_usize);
    for (state, &now) in curve.iter().enumerate() {
        if falling {
            if now <= low {
                (low, at) = (now, state);
            } else if now - low >= height {
                valleys.push(at as u32);
                (falling, high) = (false, now);
            }
        } else if now >= high {
            high = now;
        } else if high - now >= height {
            (falling, low, at) = (true, now, state);
        }
    }
    valleys
}

fn is_even(valleys: &[u32]) -> bool {
    // The first step often differs (set-up, state made once).
    let distances: Vec<f64> = valleys.windows(2).skip(1).map(|w| f64::from(w[1]) - f64::from(w[0])).collect();
    let mean = distances.iter().sum::<f64>() / distances.len().max(1) as f64;
    let spread =
        distances.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / distances.len().max(1) as f64;
    mean > 0.0 && spread.sqrt() <= SCATTER * mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valleys_of_a_drifting_saw() {
        let mut curve = Vec::new();
        for step in 0..6_u64 {
            curve.extend((0..10).map(|i| 100 + step * 20 + i * 50));
            curve.extend((0..10).rev().map(|i| 110 + step * 20 + i * 50));
        }
        let valleys = turns(&curve, 200);
        assert_eq!(valleys, [19, 39, 59, 79, 99]);
        assert!(is_even(&valleys));
        assert!(!is_even(&[0, 10, 20, 100, 110, 400]));
    }
}
