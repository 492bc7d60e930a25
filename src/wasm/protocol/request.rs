//! What can be asked.

use crate::model::Device;
use crate::view::axis::AxisKind;
use crate::view::events::{EventFilter, SortBy};
use crate::view::live_flame::FlameOptions;
use crate::view::timeline::{ColourBy, Subject};
use serde::Deserialize;
use tsify::Tsify;

/// How a file is to be read.
#[derive(Clone, Debug, Default, Deserialize, Tsify)]
#[serde(default)]
pub struct OpenOptions {
    /// Bytes of memory it may take; null for no limit but the browser's.
    #[tsify(type = "number | null")]
    pub budget: Option<f64>,
    /// False leaves C++ frames out.
    pub native_frames: bool,
    /// Keep only the last events of each device.
    #[tsify(type = "number | null")]
    pub last: Option<u64>,
    /// Keep only the events from the first number to before the second, of each device.
    #[tsify(type = "[number, number] | null")]
    pub range: Option<(u64, u64)>,
}

/// A question about an opened file.
#[derive(Clone, Debug, Tsify)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// Totals, health and checks of all devices.
    Overview {
        /// Whether the health also weighs growth from step to step, which takes longer to tell.
        growth: bool,
    },
    /// PyTorch's own totals.
    Stats {},
    /// The memory curves of a device in a window of `width` pixel columns.
    Curves {
        #[tsify(type = "Device")]
        device: Device,
        #[tsify(type = "AxisKind")]
        axis: AxisKind,
        /// The window in units of the axis; null is the axis's end.
        #[tsify(type = "number | null")]
        from: Option<f64>,
        #[tsify(type = "number | null")]
        to: Option<f64>,
        width: u32,
    },
    /// The figures at the moment a pointer means, between two positions of an axis.
    Moment {
        #[tsify(type = "Device")]
        device: Device,
        #[tsify(type = "AxisKind")]
        axis: AxisKind,
        from: f64,
        to: f64,
    },
    Timeline(TimelineRequest),
    /// What stands at a pixel of the timeline drawn last.
    TimelineHit {
        #[tsify(type = "Device")]
        device: Device,
        x: u32,
        y: u32,
    },
    /// Which lives a search lights up.
    TimelineSearch {
        #[tsify(type = "Device")]
        device: Device,
        text: String,
    },
    /// All about one life.
    Life {
        #[tsify(type = "Device")]
        device: Device,
        life: u32,
    },
    /// What was allocated, freed and is left between two states.
    RangeSummary {
        #[tsify(type = "Device")]
        device: Device,
        from: u32,
        to: u32,
    },
    /// Bytes by category at states; null is the peak.
    Categories {
        #[tsify(type = "Device")]
        device: Device,
        #[tsify(type = "(number | null)[]")]
        states: Vec<Option<u32>>,
    },
    /// Who holds the memory at a state.
    Composition {
        #[tsify(type = "Device")]
        device: Device,
        /// Null for the peak.
        #[tsify(type = "number | null")]
        state: Option<u32>,
    },
    /// What stands behind a category at a state, or behind one of its call sites.
    Drill {
        #[tsify(type = "Device")]
        device: Device,
        /// Null for the peak.
        #[tsify(type = "number | null")]
        state: Option<u32>,
        category: String,
        /// The row of the composition's call sites; null for the whole category.
        #[tsify(type = "number | null")]
        row: Option<u32>,
    },
    Flame(FlameRequest),
    Events(EventsRequest),
    /// The kept rows as CSV, in parts: `first` is the `next` of the part before.
    EventsCsv(EventsRequest),
    /// The stack of an event, and the life it is about.
    EventDetail {
        #[tsify(type = "Device")]
        device: Device,
        event: u32,
    },
    /// Segments and blocks at a state.
    Segments {
        #[tsify(type = "Device")]
        device: Device,
        /// Null for the last state.
        #[tsify(type = "number | null")]
        state: Option<u32>,
        /// In which order they are shown.
        #[tsify(type = "\"group\" | \"address\" | \"size\" | \"free\"")]
        sort: String,
    },
    /// Which block holds an address at a state.
    FindAddress {
        #[tsify(type = "Device")]
        device: Device,
        #[tsify(type = "number | null")]
        state: Option<u32>,
        text: String,
    },
    /// Where reserved memory lies idle at a state.
    Fragment {
        #[tsify(type = "Device")]
        device: Device,
        /// Null for the last state.
        #[tsify(type = "number | null")]
        state: Option<u32>,
    },
    /// Whether memory grows from step to step.
    Growth {
        #[tsify(type = "Device")]
        device: Device,
        /// Bytes of the device, where the reader knows them.
        #[tsify(type = "number | null")]
        limit: Option<u64>,
    },
    /// Why allocations failed.
    Ooms {
        #[tsify(type = "Device")]
        device: Device,
        /// Bytes of the device, where the reader knows them.
        #[tsify(type = "number | null")]
        limit: Option<u64>,
    },
    /// Where states begin on an axis.
    Positions {
        #[tsify(type = "Device")]
        device: Device,
        #[tsify(type = "AxisKind")]
        axis: AxisKind,
        states: Vec<u32>,
    },
}

/// A window of the timeline to be drawn.
#[derive(Clone, Debug, Deserialize, Tsify)]
pub struct TimelineRequest {
    #[tsify(type = "Device")]
    pub device: Device,
    pub axis: AxisKind,
    /// The window in units of the axis; null is the axis's end.
    #[tsify(type = "number | null")]
    pub from: Option<f64>,
    #[tsify(type = "number | null")]
    pub to: Option<f64>,
    pub width: u32,
    pub height: u32,
    pub subject: Subject,
    pub colour_by: ColourBy,
    /// The colours of the classes, as pixels (red in the lowest byte).
    pub palette: Vec<u32>,
    /// Whether the curves stand over the bands.
    pub curves: bool,
    /// The colours of reserved, active and requested, and of the chosen life.
    pub inks: Vec<u32>,
    /// The life to set off.
    #[tsify(type = "number | null")]
    pub chosen: Option<u32>,
    /// Bytes at the bottom and the top edge; null fits what shows.
    #[tsify(type = "[number, number] | null")]
    pub bytes: Option<(u64, u64)>,
    /// What to light up; empty lights up everything.
    pub search: String,
}

/// What a flame graph weighs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Tsify)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum FlameOf {
    /// Bytes live at a state.
    Moment { state: u32 },
    /// Bytes × events (or × time) between two states.
    Range { from: u32, to: u32, by_time: bool },
}

/// A window of a flame graph.
#[derive(Clone, Debug, Deserialize, Tsify)]
pub struct FlameRequest {
    #[tsify(type = "Device")]
    pub device: Device,
    pub of: FlameOf,
    pub options: FlameOptions,
    /// The node that fills the width; 0 is everything.
    pub zoom: u32,
    /// The narrowest box, as a share of the width.
    pub min_width: f64,
    /// Text in a function or file to light up; empty for none.
    pub search: String,
}

/// A page of the event table.
#[derive(Clone, Debug, Deserialize, Tsify)]
pub struct EventsRequest {
    #[tsify(type = "Device")]
    pub device: Device,
    pub filter: EventFilter,
    pub sort: SortBy,
    pub descending: bool,
    /// The first kept row, and how many.
    pub first: u32,
    pub count: u32,
}
