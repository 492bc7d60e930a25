//! Which part of the core answers which request.

use super::error::WireError;
use super::loaded::Loaded;
use super::protocol::{CurveLine, ModuleColumns, Reply, Request};
use crate::analysis::attribution::Category;
use crate::analysis::fragment::{FragmentOptions, fragment};
use crate::analysis::growth::{GrowthOptions, growth};
use crate::analysis::modules::{INSIDE, ModuleRow};
use crate::analysis::oom::{OomOptions, growing_sites, ooms};
use crate::analysis::overview::{Input, Overview, counters_of, overview};
use crate::analysis::peak::{PeakOptions, by_category, call_sites, peak};
use crate::analysis::stats::stats;
use crate::model::{Action, Bytes, Device, FastMap, LifeId, fast_map};
use crate::replay::CurveKind;
use crate::view::axis::{AxisKind, Window};
use crate::view::events::rows;
use crate::view::line::{lines, state_under, states_in};

/// The curves a page draws.
const SHOWN: [CurveKind; 3] = [CurveKind::Reserved, CurveKind::Active, CurveKind::Requested];

/// Rows in the order of their tree as columns, each name without the path to it.
fn module_columns(rows: &[ModuleRow]) -> ModuleColumns {
    let mut places: FastMap<&str, u32> = fast_map();
    let mut names: Vec<String> = Vec::new();
    // Where the paths from the root down to the row before end.
    let mut ends: Vec<usize> = Vec::new();
    let mut name = Vec::with_capacity(rows.len());
    for row in rows {
        ends.truncate(row.depth.saturating_sub(1) as usize);
        let begin = ends.last().map_or(0, |end| end + INSIDE.len());
        let own = row.module.get(begin..).unwrap_or(&row.module);
        ends.push(row.module.len());
        name.push(*places.entry(own).or_insert_with(|| {
            names.push(own.to_owned());
            names.len() as u32 - 1
        }));
    }
    let column = |f: &dyn Fn(&ModuleRow) -> u64| {
        rows.iter().map(|row| f(row) as f64).collect::<Vec<f64>>().as_slice().into()
    };
    ModuleColumns {
        names,
        name: name.as_slice().into(),
        depth: rows.iter().map(|row| row.depth).collect::<Vec<u32>>().as_slice().into(),
        bytes: column(&|row| row.bytes.0),
        count: column(&|row| row.count),
        recompute_bytes: column(&|row| row.recompute_bytes.0),
    }
}

impl Loaded {
    pub fn answer(&self, request: Request) -> Result<Reply, WireError> {
        Ok(match request {
            Request::Overview { growth } => Reply::Overview { overview: self.overview(growth)? },
            Request::Stats {} => Reply::Stats { stats: stats(self.snapshot()?) },
            Request::Curves { device, axis, from, to, width } => {
                self.curves(device, axis, from, to, width)?
            }
            Request::Moment { device, axis, from, to } => self.moment(device, axis, Window { from, to })?,
            Request::Timeline(request) => self.timeline(&request)?,
            Request::TimelineHit { device, x, y } => self.timeline_hit(device, x, y)?,
            Request::TimelineSearch { device, text } => self.timeline_search(device, &text)?,
            Request::Life { device, life } => {
                Reply::Life { detail: self.memory(device)?.life_detail(LifeId(life)) }
            }
            Request::RangeSummary { device, from, to } => {
                let memory = self.memory(device)?;
                let last = memory.replay.last_state();
                let range = from.min(last)..to.min(last).max(from.min(last));
                Reply::RangeSummary { summary: memory.range_summary(range, 200) }
            }
            Request::Categories { device, states } => {
                let memory = self.memory(device)?;
                let at_state = |state: Option<u32>| {
                    let state = state.unwrap_or(memory.replay.peak().state()).min(memory.replay.last_state());
                    by_category(&memory, memory.lives().live(state))
                };
                Reply::Categories { rows: states.into_iter().map(at_state).collect() }
            }
            Request::Composition { device, state } => {
                let options = PeakOptions { state, top: 500, ..PeakOptions::default() };
                let (memory, modules) = (self.memory(device)?, self.modules()?);
                let mut composition = peak(&memory, modules, self.steps(device)?, &options);
                // Stacks are asked for row by row.
                composition.top_lives.clear();
                let modules = module_columns(&std::mem::take(&mut composition.by_module));
                Reply::Composition { composition, modules }
            }
            Request::Drill { device, state, category, row } => {
                let memory = self.memory(device)?;
                let state = state.unwrap_or(memory.replay.peak().state()).min(memory.replay.last_state());
                let key = row.and_then(|row| {
                    let sites = call_sites(&memory, memory.lives().live(state));
                    sites.get(row as usize).map(|&((frame, of_free, _), _)| (frame, of_free))
                });
                let category = Category::from_id(&category)
                    .ok_or_else(|| WireError::request(format!("{category:?} is no category")))?;
                Reply::Drill { drill: memory.drill(state, category, key, 40) }
            }
            Request::Flame(request) => self.flame(&request)?,
            Request::Events(request) => self.events(&request)?,
            Request::EventsCsv(request) => self.events_csv(&request)?,
            Request::EventDetail { device, event } => {
                let memory = self.memory(device)?;
                let line = rows(memory.snapshot, memory.classes, device, &[event]).pop();
                Reply::EventDetail {
                    stack: line.as_ref().map_or_else(Vec::new, |line| memory.marked_stack(line.stack)),
                    life: line.as_ref().and_then(|_| memory.life_of_event(event)).map(|life| life.0),
                    line,
                }
            }
            Request::Segments { device, state, sort } => self.segments(device, state, &sort)?,
            Request::FindAddress { device, state, text } => self.find_address(device, state, &text)?,
            Request::Fragment { device, state } => {
                let options = FragmentOptions { state, top: 50, ..FragmentOptions::default() };
                Reply::Fragment { fragment: fragment(&self.memory(device)?, &options) }
            }
            Request::Growth { device, limit } => {
                let options = GrowthOptions { limit: self.limit(device, limit)?, top: 20 };
                Reply::Growth { growth: growth(&self.memory(device)?, self.steps(device)?, &options) }
            }
            Request::Ooms { device, limit } => {
                let (memory, limit) = (self.memory(device)?, self.limit(device, limit)?);
                let growing = match memory.replay.actions.of(Action::Oom) {
                    0 => Vec::new(),
                    _ => {
                        let options = GrowthOptions { limit, top: 20 };
                        growing_sites(&memory, &growth(&memory, self.steps(device)?, &options))
                    }
                };
                let options = OomOptions { limit, growing: &growing, top: 20 };
                Reply::Ooms { ooms: ooms(&memory, &options) }
            }
            Request::Positions { device, axis, states } => {
                let axis = self.axis(device, axis)?;
                let events = &self.snapshot()?.events;
                let whole = axis.whole();
                Reply::Positions {
                    positions: states.into_iter().map(|s| axis.position(events, s)).collect(),
                    extent: (whole.from, whole.to),
                }
            }
        })
    }

    /// The memory of a device: as it was given, else as the side-car tells.
    fn limit(&self, device: Device, given: Option<u64>) -> Result<Option<Bytes>, WireError> {
        let of_side_car = counters_of(self.snapshot()?, self.counters.as_ref(), device).limit;
        Ok(given.map(Bytes).or(of_side_car))
    }

    fn overview(&self, with_growth: bool) -> Result<Overview, WireError> {
        let mut risks = Vec::new();
        if with_growth {
            for replay in self.replays()? {
                let (memory, steps) = (self.memory(replay.device)?, self.steps(replay.device)?);
                let risk = || growth(&memory, steps, &GrowthOptions { top: 1, ..Default::default() }).risk;
                // As in the terminal: without events there is nothing to tell.
                risks.push((replay.events() > 0).then(risk));
            }
        }
        Ok(overview(&Input {
            name: &self.name,
            bytes: self.bytes,
            snapshot: self.snapshot()?,
            replays: self.replays()?,
            counters: self.counters.as_ref(),
            growth: &risks,
        }))
    }

    fn curves(
        &self,
        device: Device,
        kind: AxisKind,
        from: Option<f64>,
        to: Option<f64>,
        width: u32,
    ) -> Result<Reply, WireError> {
        let (replay, axis) = (self.replay(device)?, self.axis(device, kind)?);
        let events = &self.snapshot()?.events;
        let whole = axis.whole();
        let from = from.unwrap_or(whole.from).clamp(whole.from, whole.to);
        let window = Window { from, to: to.unwrap_or(whole.to).clamp(from, whole.to) };
        let states = states_in(axis, events, replay, window);
        let peak = replay.peak();
        let drawn = lines(replay, events, axis, &SHOWN, window, width.clamp(1, 16_384));
        Ok(Reply::Curves {
            from: window.from,
            to: window.to,
            extent: (whole.from, whole.to),
            states: (states.start, states.end),
            origin_ms: (kind == AxisKind::Time).then(|| axis.start().0 as f64 / 1e6),
            peak_state: peak.state(),
            peak_position: axis.position(events, peak.state()),
            peak_bytes: peak.bytes.0,
            lines: SHOWN
                .into_iter()
                .zip(&drawn)
                .map(|(kind, points)| CurveLine { kind, points: points.as_slice().into() })
                .collect(),
        })
    }

    fn moment(&self, device: Device, kind: AxisKind, window: Window) -> Result<Reply, WireError> {
        let (replay, axis) = (self.replay(device)?, self.axis(device, kind)?);
        let events = &self.snapshot()?.events;
        let state = state_under(replay, events, axis, window);
        let row = state.checked_sub(1).map(|event| replay.row(event));
        let [requested, pending, reserved, allocated, active] = replay.values(state).map(|bytes| bytes.0);
        Ok(Reply::Moment {
            state,
            event: i64::from(state) - 1,
            position: axis.position(events, state),
            action: row.and_then(|row| events.action.get(row)).map(|action| action.name().to_owned()),
            size: row.and_then(|row| events.size.get(row)).map(|size| size.0),
            requested,
            pending,
            reserved,
            allocated,
            active,
        })
    }
}
