//! The health line: one grade for a snapshot and the reasons for it.
//!
//! The grade is the worst that any rule gives; every rule that gave it is named, with its figures.

use super::totals::Sums;
use crate::model::{Arrange, Bytes, Device};
use crate::text::Message;
use serde::Serialize;

/// How things stand. Worst last, so that the greatest of several is the verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    Good,
    Watch,
    Bad,
}

/// How likely it is that memory grows without end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Low,
    Medium,
    High,
}

/// The grade and its reasons.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Health {
    pub grade: Grade,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Message[]"))]
    pub reasons: Vec<Message>,
}

/// What the rules look at, for one device.
#[derive(Clone, Copy, Debug)]
pub struct Signs<'a> {
    pub device: Device,
    pub sums: &'a Sums,
    pub events: u64,
    pub ooms: u64,
    /// `None` when growth was not looked for or cannot be told.
    pub growth: Option<Risk>,
}

/// Share of idle memory from which on it is worth watching, and above which it is bad.
const IDLE_WATCH: f64 = 0.05;
const IDLE_BAD: f64 = 0.15;
/// So many segments are many, when they hold idle memory.
const MANY_SEGMENTS: u64 = 100;

impl Grade {
    /// The grade of a share of idle memory: under 5 % good, 5 to 15 % watch, above bad.
    pub fn of_fragmentation(share: f64) -> Grade {
        if share > IDLE_BAD {
            Grade::Bad
        } else if share >= IDLE_WATCH {
            Grade::Watch
        } else {
            Grade::Good
        }
    }

    /// The catalogue key of the grade as a word.
    pub fn label_key(self) -> &'static str {
        match self {
            Grade::Good => "grade.good",
            Grade::Watch => "grade.watch",
            Grade::Bad => "grade.bad",
        }
    }
}

impl Risk {
    /// The catalogue key of the risk as a word.
    pub fn label_key(self) -> &'static str {
        match self {
            Risk::Low => "risk.low",
            Risk::Medium => "risk.medium",
            Risk::High => "risk.high",
        }
    }
}

impl Health {
    /// The grade with its reasons as one sentence.
    pub fn sentence(&self) -> Message {
        let key = match self.grade {
            Grade::Good => "health.good",
            Grade::Watch => "health.watch",
            Grade::Bad => "health.bad",
        };
        Message::new(key).list("reasons", self.reasons.clone())
    }
}

/// The health of all devices together.
pub fn health(devices: &[Signs<'_>]) -> Health {
    let found: Vec<(Grade, Message)> = devices.iter().flat_map(of_device).collect();
    let grade = found.iter().map(|(grade, _)| *grade).max().unwrap_or(Grade::Good);
    // The worst first; what is milder is said too, after it.
    let mut found = found;
    found.arrange_by_key(|(grade, _)| core::cmp::Reverse(*grade));
    let mut reasons: Vec<Message> = found.into_iter().map(|(_, reason)| reason).collect();
    if reasons.is_empty() {
        reasons.push(nothing_found(devices));
    }
    Health { grade, reasons }
}

fn nothing_found(devices: &[Signs<'_>]) -> Message {
    if devices.is_empty() {
        return Message::new("health.no_devices");
    }
    let most = devices.iter().map(|d| d.sums.idle_share()).fold(0.0, f64::max);
    let key = if devices.iter().all(|d| d.events == 0) {
        "health.no_history"
    } else if devices.iter().any(|d| d.growth.is_some()) {
        "health.nothing_found"
    } else {
        "health.no_oom"
    };
    Message::new(key).share("share", most)
}

fn of_device(signs: &Signs<'_>) -> Vec<(Grade, Message)> {
    let device = signs.device.to_string();
    let about = |key| Message::new(key).text("device", device.clone());
    let sums = signs.sums;
    let mut found = Vec::new();
    let idle = sums.reserved - sums.allocated - sums.workspace;
    let fragmentation = Grade::of_fragmentation(sums.idle_share());
    if fragmentation > Grade::Good {
        let reason = about("health.fragmentation").share("share", sums.idle_share()).bytes("bytes", idle);
        found.push((fragmentation, reason));
    }
    if signs.ooms > 0 {
        found.push((Grade::Bad, about("health.oom").count("count", signs.ooms)));
    }
    match signs.growth {
        Some(Risk::High) => found.push((Grade::Bad, about("health.growth_high"))),
        Some(Risk::Medium) => found.push((Grade::Watch, about("health.growth_medium"))),
        Some(Risk::Low) | None => {}
    }
    if sums.pending_free > Bytes::ZERO && sums.pending_free.share_of(idle) > 0.5 {
        let reason = about("health.pending")
            .share("share", sums.pending_free.share_of(idle))
            .bytes("bytes", sums.pending_free);
        found.push((Grade::Watch, reason));
    }
    if sums.segments > MANY_SEGMENTS && sums.idle_share() > IDLE_WATCH {
        let reason =
            about("health.many_segments").count("segments", sums.segments).share("share", sums.idle_share());
        found.push((Grade::Watch, reason));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(reserved: u64, allocated: u64, pending: u64, segments: u64) -> Sums {
        Sums {
            segments,
            reserved: Bytes(reserved),
            allocated: Bytes(allocated),
            pending_free: Bytes(pending),
            ..Sums::default()
        }
    }

    fn grade(sums: &Sums, ooms: u64, growth: Option<Risk>) -> (Grade, Vec<&'static str>) {
        let health = health(&[Signs { device: Device::Index(0), sums, events: 9, ooms, growth }]);
        assert_eq!(health.sentence().problem(), None);
        (health.grade, health.reasons.iter().map(Message::key).collect())
    }

    #[test]
    fn each_rule_gives_its_grade() {
        use Grade::{Bad, Good, Watch};
        let full = sums(1000, 960, 0, 200);
        assert_eq!(grade(&full, 0, Some(Risk::Low)), (Good, vec!["health.nothing_found"]));
        assert_eq!(grade(&full, 0, None), (Good, vec!["health.no_oom"]));
        assert_eq!(grade(&full, 2, None), (Bad, vec!["health.oom"]));
        assert_eq!(grade(&full, 0, Some(Risk::Medium)), (Watch, vec!["health.growth_medium"]));
        assert_eq!(grade(&full, 0, Some(Risk::High)), (Bad, vec!["health.growth_high"]));
        assert_eq!(grade(&sums(1000, 950, 0, 9), 0, None), (Watch, vec!["health.fragmentation"]));
        assert_eq!(grade(&sums(1000, 850, 0, 9), 0, None), (Watch, vec!["health.fragmentation"]));
        assert_eq!(grade(&sums(1000, 849, 0, 9), 0, None), (Bad, vec!["health.fragmentation"]));
        assert_eq!(grade(&sums(1000, 960, 21, 9), 0, None), (Watch, vec!["health.pending"]));
        assert_eq!(grade(&sums(1000, 960, 20, 9), 0, None), (Good, vec!["health.no_oom"]));
        let many = sums(1000, 800, 0, 101);
        assert_eq!(grade(&many, 0, None), (Bad, vec!["health.fragmentation", "health.many_segments"]));
    }

    #[test]
    fn nothing_is_said_of_what_was_not_recorded() {
        let sums = sums(1000, 960, 0, 9);
        let signs = Signs { device: Device::Index(0), sums: &sums, events: 0, ooms: 0, growth: None };
        assert_eq!(health(&[signs]).reasons[0].key(), "health.no_history");
        assert_eq!(health(&[]).reasons[0].key(), "health.no_devices");
    }
}
