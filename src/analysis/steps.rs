//! Where the steps of a training run begin: from what the program said, else from the curve.
//!
//! `ProfilerStep#N` annotations say it outright; other annotations say it when one of them repeats once
//! a step (an optimizer's own, or one whose name speaks of steps). Without any, memory itself tells:
//! a step fills the activations and empties them, so requested bytes fall to a valley between steps.

use super::valleys;
use crate::model::{Arrange, Device, FastMap, Nanos, Snapshot, fast_map};
use crate::replay::Replay;
use serde::Serialize;

/// What told the steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum StepSource {
    Annotations,
    Profiler,
    Valleys,
}

/// The steps of one device's trace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Steps {
    pub source: Option<StepSource>,
    /// The annotation that was followed, a number in it as `#`.
    pub annotation: Option<String>,
    /// First event of each step, ascending. What comes before the first one belongs to no step.
    pub boundaries: Vec<u32>,
}

/// So many beginnings are needed to speak of steps.
const LEAST: usize = 3;

impl Steps {
    pub fn find(snapshot: &Snapshot, replay: &Replay) -> Steps {
        annotated(snapshot, replay).or_else(|| from_valleys(replay)).unwrap_or_default()
    }

    /// The step in which an event falls, from 0; `None` before the first one.
    pub fn step_of(&self, event: u32) -> Option<u32> {
        (self.boundaries.partition_point(|&first| first <= event) as u32).checked_sub(1)
    }

    /// The state at which each step begins.
    pub fn states(&self) -> &[u32] {
        // The state before event e is state e.
        &self.boundaries
    }
}

/// How well a name speaks of steps; lower is better.
fn rank(pattern: &str) -> Option<u8> {
    let lower = pattern.to_lowercase();
    let is = |part: &str| lower.contains(part);
    match () {
        () if pattern.starts_with("ProfilerStep#") => Some(0),
        () if is("optimizer.step") => Some(1),
        () if is("step") => Some(2),
        () if is("iteration") || lower.trim_end_matches(['#', ' ', '_', ':']).ends_with("iter") => Some(3),
        () if is("optimizer.zero_grad") => Some(4),
        () => None,
    }
}

/// `ProfilerStep#12` → `ProfilerStep#`: runs of digits become one `#`.
fn pattern_of(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    for c in name.chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        if c != '#' || !pattern.ends_with('#') {
            pattern.push(c);
        }
    }
    pattern
}

fn annotated(snapshot: &Snapshot, replay: &Replay) -> Option<Steps> {
    let mut starts: FastMap<String, Vec<Nanos>> = fast_map();
    for annotation in &snapshot.annotations {
        let here = annotation.device.is_none_or(|device: Device| device == replay.device);
        let is_start = snapshot.strings.get(annotation.stage).eq_ignore_ascii_case("start");
        if let (true, true, Some(time)) = (here, is_start, annotation.time) {
            let pattern = pattern_of(snapshot.strings.get(annotation.name));
            if rank(&pattern).is_some() {
                starts.entry(pattern).or_default().push(time);
            }
        }
    }
    let mut candidates: Vec<(String, Vec<Nanos>)> = starts.into_iter().collect();
    let place = |(name, times): &(String, Vec<Nanos>)| (rank(name), core::cmp::Reverse(times.len()));
    candidates.arrange_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.0.cmp(&b.0)));
    candidates.into_iter().find_map(|(name, times)| {
        let boundaries = events_at(snapshot, replay, times);
        let source = if rank(&name) == Some(0) { StepSource::Profiler } else { StepSource::Annotations };
        (boundaries.len() >= LEAST).then_some(Steps {
            source: Some(source),
            annotation: Some(name),
            boundaries,
        })
    })
}

/// The first event at or after each time. Times before the first event and after the last are dropped,
/// since the trace does not show what came between.
fn events_at(snapshot: &Snapshot, replay: &Replay, mut times: Vec<Nanos>) -> Vec<u32> {
    times.sort_unstable();
    let mut times = times.into_iter().peekable();
    let mut boundaries: Vec<u32> = Vec::new();
    let mut first = true;
    for event in 0..replay.events() {
        let Some(now) = snapshot.events.time_of(replay.row(event)) else { continue };
        if first {
            first = false;
            while times.next_if(|&time| time < now).is_some() {}
        }
        let mut reached = false;
        while times.next_if(|&time| time <= now).is_some() {
            reached = true;
        }
        if reached {
            boundaries.push(event);
        }
    }
    boundaries
}

fn from_valleys(replay: &Replay) -> Option<Steps> {
    let boundaries = valleys::find(replay);
    (boundaries.len() >= LEAST).then_some(Steps {
        source: Some(StepSource::Valleys),
        annotation: None,
        boundaries,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_speak_of_steps() {
        assert_eq!(pattern_of("ProfilerStep#120"), "ProfilerStep#");
        assert_eq!(pattern_of("iter 3 of 20"), "iter # of #");
        assert!(rank("ProfilerStep#") < rank("Optimizer.step#AdamW.step"));
        assert!(rank("train_step #") < rank("Optimizer.zero_grad#SGD.zero_grad"));
        assert_eq!(rank("enumerate(DataLoader)#x.__next__"), None);
    }

    #[test]
    fn an_event_belongs_to_the_step_that_began_last() {
        let steps = Steps { boundaries: vec![5, 9], ..Steps::default() };
        assert_eq!(
            [0, 4, 5, 8, 9, 100].map(|e| steps.step_of(e)),
            [None, None, Some(0), Some(0), Some(1), Some(1)]
        );
    }
}
