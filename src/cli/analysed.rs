//! A snapshot with everything that the analyses need, made once for all of them.

use crate::cli::args::Target;
use crate::cli::error::Failure;
use crate::cli::input::{FileArg, Moment};
use hbmlens::analysis::attribution::{Attributed, Attribution, StackClasses, UserRules};
use hbmlens::analysis::modules::Modules;
use hbmlens::analysis::steps::Steps;
use hbmlens::model::Snapshot;
use hbmlens::replay::Replay;
use std::path::Path;

/// The devices that were asked for, replayed and attributed.
pub struct Analysed<'a> {
    pub snapshot: &'a Snapshot,
    pub classes: StackClasses,
    pub modules: Modules,
    pub devices: Vec<AnalysedDevice>,
}

pub struct AnalysedDevice {
    pub replay: Replay,
    pub attribution: Attribution,
    pub steps: Steps,
}

impl<'a> Analysed<'a> {
    pub fn new(snapshot: &'a Snapshot, target: &Target) -> Result<Analysed<'a>, Failure> {
        let devices = target.of_device.choose(snapshot.devices())?;
        let rules = target.rules.as_deref().map_or_else(|| Ok(UserRules::default()), read_rules)?;
        let classes = StackClasses::new(snapshot, rules);
        let modules = Modules::new(snapshot, &classes);
        let devices = devices
            .into_iter()
            .map(|device| {
                let replay = Replay::new(snapshot, device);
                AnalysedDevice {
                    attribution: Attribution::new(snapshot, &replay, &classes),
                    steps: Steps::find(snapshot, &replay),
                    replay,
                }
            })
            .collect();
        Ok(Analysed { snapshot, classes, modules, devices })
    }

    /// The device's memory with its attribution.
    pub fn memory<'b>(&'b self, device: &'b AnalysedDevice) -> Attributed<'b> {
        Attributed {
            snapshot: self.snapshot,
            replay: &device.replay,
            classes: &self.classes,
            attribution: &device.attribution,
        }
    }
}

fn read_rules(path: &Path) -> Result<UserRules, Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| Failure::new("io", format!("{name}: {e}")))?;
    UserRules::parse(&text).map_err(|e| Failure::new("malformed", format!("{name}: {e}")))
}

/// The moment that was asked for, by option or after the file's name; `None`: the command's own default.
pub fn moment(target: &Target, file: &FileArg) -> Option<Moment> {
    target.at.map(Moment::Event).or(target.at_time.map(Moment::Time)).or(file.moment)
}

/// The state of a moment in one device's trace.
pub fn state_of(snapshot: &Snapshot, replay: &Replay, moment: Moment) -> Result<u32, Failure> {
    match moment {
        Moment::Peak => Ok(replay.peak().state()),
        Moment::End => Ok(replay.last_state()),
        Moment::Event(event) => u32::try_from(event.saturating_add(1))
            .ok()
            .filter(|&state| state <= replay.last_state())
            .ok_or_else(|| {
                let last = i64::from(replay.last_state()) - 1;
                Failure::usage(format!("device {} has no event {event}", replay.device))
                    .hint(format!("its events are -1 (before the first) to {last}"))
            }),
        Moment::Time(micros) => state_at_time(snapshot, replay, micros),
    }
}

/// The state after the last event that is not later.
fn state_at_time(snapshot: &Snapshot, replay: &Replay, micros: i64) -> Result<u32, Failure> {
    let time = |event: u32| snapshot.events.time_of(replay.row(event)).map(|t| t.micros());
    let mut any = false;
    let mut state = 0;
    for event in 0..replay.events() {
        let Some(at) = time(event) else { continue };
        any = true;
        if at <= micros {
            state = event + 1;
        }
    }
    if any {
        Ok(state)
    } else {
        Err(Failure::usage(format!("device {} has events without times", replay.device))
            .hint("use --at with an event number"))
    }
}
