//! The data of a report: what the commands print as JSON, put together, and what is drawn of it.
//!
//! Which sections a report has follows from this alone, so the page that shows it decides.

use super::drawing::{Drawing, drawing};
use crate::analysis::attribution::Attributed;
use crate::analysis::compare::Comparison;
use crate::analysis::fragment::{DeviceFragment, FragmentOptions, fragment};
use crate::analysis::ge::GeReport;
use crate::analysis::growth::DeviceGrowth;
use crate::analysis::modules::Modules;
use crate::analysis::oom::{DeviceOoms, OomOptions, growing_sites, ooms};
use crate::analysis::ops::report::OpsReport;
use crate::analysis::overview::Overview;
use crate::analysis::peak::{DevicePeak, PeakOptions, peak};
use crate::analysis::steps::Steps;
use crate::model::Bytes;
use serde::Serialize;

/// Rows of a list.
pub const TOP: usize = 20;

/// What a report is of.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Report {
    Snapshot(Box<SnapshotReport>),
    Profiler(Box<ProfilerReport>),
    GeLog(Box<GeLogReport>),
}

/// A snapshot.
#[derive(Serialize)]
pub struct SnapshotReport {
    pub overview: Overview,
    /// `allocator_settings`, in the order of the file.
    pub settings: Vec<(String, String)>,
    pub devices: Vec<DeviceReport>,
    /// With another snapshot, device by device.
    pub comparisons: Vec<Comparison>,
}

/// One device of a snapshot.
#[derive(Serialize)]
pub struct DeviceReport {
    /// The composition at the peak.
    pub peak: DevicePeak,
    /// At the end of the trace.
    pub fragment: DeviceFragment,
    pub growth: DeviceGrowth,
    pub ooms: DeviceOoms,
    pub drawing: Drawing,
}

/// Profiler folders.
#[derive(Serialize)]
pub struct ProfilerReport {
    pub ops: OpsReport,
    pub drawings: Vec<super::profiler::RankDrawing>,
}

/// A GE log.
#[derive(Serialize)]
pub struct GeLogReport {
    pub names: Vec<String>,
    pub ge: GeReport,
}

impl DeviceReport {
    /// Everything about a device; `growth` has been looked for with [`TOP`] rows.
    pub fn new(
        memory: &Attributed<'_>,
        modules: &Modules,
        steps: &Steps,
        growth: DeviceGrowth,
        limit: Option<Bytes>,
    ) -> DeviceReport {
        let options = PeakOptions { top: TOP, ..PeakOptions::default() };
        let mut at_peak = peak(memory, modules, steps, &options);
        // The drawing has the stacks that are shown.
        at_peak.top_lives.clear();
        let growing = growing_sites(memory, &growth);
        let options = OomOptions { limit, growing: &growing, top: TOP };
        DeviceReport {
            peak: at_peak,
            fragment: fragment(memory, &FragmentOptions { top: 50, ..FragmentOptions::default() }),
            ooms: ooms(memory, &options),
            growth,
            drawing: drawing(memory),
        }
    }
}
