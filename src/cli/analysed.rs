//! A snapshot with everything that the analyses need, made once for all of them.

use crate::cli::args::{OfDevice, Target};
use crate::cli::error::{Failure, Stop};
use crate::cli::input::{Moment, Opened, for_each_snapshot};
use crate::cli::output::Output;
use crate::cli::{Outcome, input_outcome};
use hbmlens::analysis::attribution::{Attributed, Attribution, StackClasses, UserRules};
use hbmlens::analysis::growth::{DeviceGrowth, GrowthOptions, growth};
use hbmlens::analysis::modules::Modules;
use hbmlens::analysis::overview::{Input, Overview, counters_of, overview};
use hbmlens::analysis::steps::Steps;
use hbmlens::model::{Bytes, Snapshot};
use hbmlens::replay::Replay;
use serde::Serialize;
use std::path::Path;

/// The devices that were asked for, replayed and attributed.
pub struct Analysed<'a> {
    pub opened: &'a Opened,
    pub snapshot: &'a Snapshot,
    pub classes: StackClasses,
    pub modules: Modules,
    /// Of each device, in the order of `devices`.
    pub replays: Vec<Replay>,
    pub devices: Vec<AnalysedDevice>,
    moment: Option<Moment>,
}

pub struct AnalysedDevice {
    index: usize,
    pub attribution: Attribution,
    pub steps: Steps,
    /// Memory of the device, where it is known.
    pub limit: Option<Bytes>,
}

/// Runs `each` on every snapshot of the arguments, analysed.
pub fn each_analysed(
    args: &Target,
    out: &mut Output,
    mut each: impl FnMut(&Analysed<'_>, &mut Output) -> Result<(), Stop>,
) -> Result<Outcome, Stop> {
    let mut first = true;
    let all_good = for_each_snapshot(&args.files, &args.common, out, |opened, file, snapshot, out| {
        let mut analysed = Analysed::new(opened, snapshot, &args.of_device, args.rules.as_deref())?;
        analysed.moment = args.at.map(Moment::Event).or(args.at_time.map(Moment::Time)).or(file.moment);
        if !out.json {
            if !core::mem::take(&mut first) {
                out.line("")?;
            }
            out.line(&opened.name)?;
        }
        each(&analysed, out)
    })?;
    Ok(input_outcome(all_good))
}

/// What one analysis says of a snapshot, device by device.
#[derive(Serialize)]
pub struct Report<'a, D> {
    schema: &'static str,
    file: &'a str,
    pub devices: Vec<D>,
}

impl<'a, D> Report<'a, D> {
    pub fn new(schema: &'static str, analysed: &Analysed<'a>, devices: Vec<D>) -> Report<'a, D> {
        Report { schema, file: analysed.name(), devices }
    }
}

/// Reports on every snapshot of the arguments, as JSON or as `print` puts it.
pub fn each_report<D: Serialize>(
    args: &Target,
    out: &mut Output,
    report: impl for<'a> Fn(&Analysed<'a>) -> Result<Report<'a, D>, Failure>,
    print: impl Fn(&[D], &mut Output) -> Result<(), Stop>,
) -> Result<Outcome, Stop> {
    each_analysed(args, out, |analysed, out| {
        let report = report(analysed)?;
        if out.json { out.json_line(&report) } else { print(&report.devices, out) }
    })
}

impl<'a> Analysed<'a> {
    pub fn new(
        opened: &'a Opened,
        snapshot: &'a Snapshot,
        of_device: &OfDevice,
        rules: Option<&Path>,
    ) -> Result<Analysed<'a>, Failure> {
        let devices = of_device.choose(snapshot.devices())?;
        let rules = rules.map_or_else(|| Ok(UserRules::default()), read_rules)?;
        let classes = StackClasses::new(snapshot, rules);
        let modules = Modules::new(snapshot, &classes);
        let replays: Vec<Replay> = devices.into_iter().map(|device| Replay::new(snapshot, device)).collect();
        let devices = replays
            .iter()
            .enumerate()
            .map(|(index, replay)| AnalysedDevice {
                index,
                attribution: Attribution::new(snapshot, replay, &classes),
                steps: Steps::find(snapshot, replay),
                limit: limit(of_device, opened, snapshot, replay),
            })
            .collect();
        Ok(Analysed { opened, snapshot, classes, modules, replays, devices, moment: None })
    }

    pub fn name(&self) -> &'a str {
        &self.opened.name
    }

    fn replay(&self, device: &AnalysedDevice) -> &Replay {
        &self.replays[device.index]
    }

    /// The state that was asked for, by option or after the file's name; `None` where none was.
    pub fn state_of(&self, device: &AnalysedDevice) -> Result<Option<u32>, Failure> {
        self.moment.map(|moment| self.state_at(device, moment)).transpose()
    }

    /// The state of a moment.
    pub fn state_at(&self, device: &AnalysedDevice, moment: Moment) -> Result<u32, Failure> {
        match moment {
            Moment::Step(step) => device.steps.states().get(step as usize).copied().ok_or_else(|| {
                let device_name = self.replay(device).device;
                Failure::usage(format!("device {device_name} has no step {step}"))
                    .hint(format!("its trace shows the beginnings of {} steps", device.steps.states().len()))
            }),
            moment => state_of(self.snapshot, self.replay(device), moment),
        }
    }

    /// How many events a device has.
    pub fn events(&self, device: &AnalysedDevice) -> u32 {
        self.replay(device).events()
    }

    /// The device's memory with its attribution.
    pub fn memory<'b>(&'b self, device: &'b AnalysedDevice) -> Attributed<'b> {
        Attributed {
            snapshot: self.snapshot,
            replay: self.replay(device),
            classes: &self.classes,
            attribution: &device.attribution,
        }
    }

    /// Growth of each device.
    pub fn growth(&self, top: usize) -> Vec<DeviceGrowth> {
        let of = |device: &AnalysedDevice| {
            let options = GrowthOptions { limit: device.limit, top };
            growth(&self.memory(device), &device.steps, &options)
        };
        self.devices.iter().map(of).collect()
    }

    /// The overview, with what is known of growth.
    pub fn overview(&self, growth: &[DeviceGrowth]) -> Overview {
        // Without events nothing is known of growth.
        let risks: Vec<_> = growth
            .iter()
            .zip(&self.replays)
            .map(|(growth, replay)| (replay.events() > 0).then_some(growth.risk))
            .collect();
        overview(&Input {
            name: self.name(),
            bytes: self.opened.bytes,
            snapshot: self.snapshot,
            replays: &self.replays,
            counters: self.opened.counters.as_ref(),
            growth: &risks,
        })
    }
}

/// The limit that was given, else the side-car's.
fn limit(of_device: &OfDevice, opened: &Opened, snapshot: &Snapshot, replay: &Replay) -> Option<Bytes> {
    of_device.limit.or_else(|| counters_of(snapshot, opened.counters.as_ref(), replay.device).limit)
}

fn read_rules(path: &Path) -> Result<UserRules, Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| Failure::new("io", format!("{name}: {e}")))?;
    UserRules::parse(&text).map_err(|e| Failure::new("malformed", format!("{name}: {e}")))
}

/// The state of a moment in one device's trace.
fn state_of(snapshot: &Snapshot, replay: &Replay, moment: Moment) -> Result<u32, Failure> {
    match moment {
        Moment::Peak => Ok(replay.peak().state()),
        Moment::End | Moment::Step(_) => Ok(replay.last_state()),
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
