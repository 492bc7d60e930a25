//! What each component held over time, and what no framework pool explains.

use super::live::Peak;
use super::series::TimeSeries;
use crate::model::profile::{MemoryRecord, MemoryRecords, ModuleMemory, ProfilerRun};
use crate::model::{Arrange, FastMap, Nanos, StringId, fast_map};
use serde::Serialize;

/// One component of one device.
#[derive(Clone, Debug, Default)]
pub struct ComponentCurve {
    pub component: String,
    pub device: String,
    pub allocated: TimeSeries,
    pub reserved: TimeSeries,
    pub active: TimeSeries,
}

/// The peaks of one component.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ComponentSummary {
    pub component: String,
    pub device: String,
    pub samples: u64,
    pub peak_allocated: Option<Peak>,
    pub peak_reserved: Option<Peak>,
    pub peak_active: Option<Peak>,
}

/// Memory of the process that no framework pool explains, at the moment when it was most.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Unexplained {
    pub peak: Peak,
    /// Memory of the process as the driver sees it.
    pub app_bytes: i64,
    /// Reserved by PyTorch's and GE's pools.
    pub framework_bytes: i64,
    /// Of the unexplained: the workspace pool, then the modules, largest first, then what no one names.
    pub workspace_bytes: i64,
    pub modules: Vec<ModuleBytes>,
    pub other_bytes: i64,
}

/// Reserved bytes of one module.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ModuleBytes {
    pub module: String,
    pub bytes: i64,
}

/// One module over the whole run.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ModuleSummary {
    pub module: String,
    pub device: String,
    pub samples: u64,
    /// `null`: only releases were seen, so its level is unknown.
    pub peak: Option<Peak>,
    pub last_bytes: Option<i64>,
}

/// The curves of all components, in order of first appearance.
pub fn component_curves(records: &MemoryRecords) -> Vec<ComponentCurve> {
    let mut order: Vec<(StringId, StringId)> = Vec::new();
    let mut rows: FastMap<(StringId, StringId), Vec<&MemoryRecord>> = fast_map();
    for row in &records.rows {
        let key = (row.component, row.device);
        rows.entry(key)
            .or_insert_with(|| {
                order.push(key);
                Vec::new()
            })
            .push(row);
    }
    let series = |rows: &[&MemoryRecord], value: fn(&MemoryRecord) -> Option<i64>| {
        TimeSeries::new(rows.iter().filter_map(|r| Some((r.at.0, value(r)?))).collect())
    };
    order
        .into_iter()
        .filter_map(|key| {
            let rows = rows.get(&key)?;
            Some(ComponentCurve {
                component: records.strings.get(key.0).to_owned(),
                device: records.strings.get(key.1).to_owned(),
                allocated: series(rows, |r| r.allocated),
                reserved: series(rows, |r| r.reserved),
                active: series(rows, |r| r.active),
            })
        })
        .collect()
}

fn peak_of(series: &TimeSeries) -> Option<Peak> {
    series.peak().map(|(at, bytes)| Peak { bytes, at: Nanos(at) })
}

impl ComponentCurve {
    pub fn summary(&self) -> ComponentSummary {
        ComponentSummary {
            component: self.component.clone(),
            device: self.device.clone(),
            samples: self.allocated.len().max(self.reserved.len()).max(self.active.len()) as u64,
            peak_allocated: peak_of(&self.allocated),
            peak_reserved: peak_of(&self.reserved),
            peak_active: peak_of(&self.active),
        }
    }
}

/// How many samples there are, and those that tell a level: `(time, bytes)`.
type Samples = (u64, Vec<(i64, i64)>);

/// Reserved memory by module over time, in order of first appearance.
pub fn module_curves(modules: &ModuleMemory) -> Vec<(String, String, u64, TimeSeries)> {
    let mut order: Vec<(StringId, StringId)> = Vec::new();
    let mut points: FastMap<(StringId, StringId), Samples> = fast_map();
    for row in &modules.rows {
        let key = (row.module, row.device);
        let slot = points.entry(key).or_insert_with(|| {
            order.push(key);
            (0, Vec::new())
        });
        slot.0 += 1;
        if let Some(bytes) = row.reserved {
            slot.1.push((row.at.map_or(0, |t| t.0), bytes));
        }
    }
    order
        .into_iter()
        .filter_map(|key| {
            let (samples, points) = points.remove(&key)?;
            let text = |id| modules.strings.get(id).to_owned();
            Some((text(key.0), text(key.1), samples, TimeSeries::new(points)))
        })
        .collect()
}

/// What is said of each module.
pub fn module_summaries(modules: &ModuleMemory) -> Vec<ModuleSummary> {
    let summary = |(module, device, samples, series): (String, String, u64, TimeSeries)| ModuleSummary {
        module,
        device,
        samples,
        peak: peak_of(&series),
        last_bytes: series.values().last().copied(),
    };
    module_curves(modules).into_iter().map(summary).collect()
}

/// The memory of the process less the framework's pools, at every sample of the process where both are
/// known; `None` without the samples.
pub fn unexplained_curve(curves: &[ComponentCurve]) -> Option<TimeSeries> {
    let app = curves.iter().find(|c| c.component == "APP").filter(|c| !c.reserved.is_empty())?;
    let own: Vec<&ComponentCurve> = curves.iter().filter(|c| c.device == app.device).collect();
    let points: Vec<(i64, i64)> = (app.reserved.times().iter().zip(app.reserved.values()))
        .filter_map(|(&at, &bytes)| Some((at, bytes.saturating_sub(framework_at(&own, at)?))))
        .collect();
    (!points.is_empty()).then(|| TimeSeries::new(points))
}

/// Reserved by the framework's pools: the sum that the file gives, else the pools one by one.
fn framework_at(curves: &[&ComponentCurve], at: i64) -> Option<i64> {
    let of = |name: &str| curves.iter().find(|c| c.component == name).and_then(|c| c.reserved.at(at));
    of("PTA+GE").or_else(|| match (of("PTA"), of("GE")) {
        (None, None) => None,
        (pta, ge) => Some(pta.unwrap_or(0).saturating_add(ge.unwrap_or(0))),
    })
}

/// Modules under which the driver counts what the framework's pools hold: PyTorch's pool is the
/// application's own memory, GE's pool has a module of its name.
const OF_FRAMEWORK: [&str; 2] = ["APP", "GE"];

/// The moment when most is unexplained, by what is known of it.
pub fn unexplained(run: &ProfilerRun, curves: &[ComponentCurve]) -> Option<Unexplained> {
    let peak = peak_of(&unexplained_curve(curves)?)?;
    let at = peak.at.0;
    let app = curves.iter().find(|c| c.component == "APP")?;
    let own: Vec<&ComponentCurve> = curves.iter().filter(|c| c.device == app.device).collect();
    let workspace =
        own.iter().find(|c| c.component == "WORKSPACE").and_then(|c| c.reserved.at(at)).unwrap_or(0);
    let mut modules: Vec<ModuleBytes> = (run.modules.iter().flat_map(module_curves))
        .filter(|(module, device, ..)| {
            (device.is_empty() || *device == app.device) && !OF_FRAMEWORK.contains(&module.as_str())
        })
        .filter_map(|(module, _, _, series)| Some(ModuleBytes { module, bytes: series.at(at)? }))
        .filter(|m| m.bytes > 0)
        .collect();
    modules.arrange_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.module.cmp(&b.module)));
    let named = modules.iter().fold(workspace, |sum, m| sum.saturating_add(m.bytes));
    Some(Unexplained {
        peak,
        app_bytes: app.reserved.at(at).unwrap_or(0),
        framework_bytes: framework_at(&own, at).unwrap_or(0),
        workspace_bytes: workspace,
        modules,
        other_bytes: peak.bytes.saturating_sub(named),
    })
}
