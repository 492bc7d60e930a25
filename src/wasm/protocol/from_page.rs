//! Requests as the page sends them, made into [`Request`]s.
//!
//! A derived reading of an enum that names its kind in a field of its own copies every field into a value that
//! may be anything and reads it out again, in code of its own for each kind: a twentieth of the module. Here
//! the kind is read first; the large requests have structs of their own, and the fields of the others are read
//! into one.

use super::request::{FlameOf, Request};
use crate::model::Device;
use crate::view::axis::AxisKind;
use crate::wasm::convert::from_js;
use crate::wasm::error::WireError;
use serde::{Deserialize, Deserializer, de::Error};
use wasm_bindgen::JsValue;

/// The fields of all requests that have few.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    growth: Option<bool>,
    device: Option<Device>,
    axis: Option<AxisKind>,
    from: Option<f64>,
    to: Option<f64>,
    width: Option<u32>,
    x: Option<u32>,
    y: Option<u32>,
    text: Option<String>,
    life: Option<u32>,
    event: Option<u32>,
    state: Option<u32>,
    states: Option<Vec<Option<u32>>>,
    category: Option<String>,
    row: Option<u32>,
    limit: Option<u64>,
    sort: Option<String>,
}

fn need<T>(field: Option<T>, name: &str) -> Result<T, WireError> {
    field.ok_or_else(|| WireError::request(format!("the request: it has no \"{name}\"")))
}

impl Fields {
    fn device(&self) -> Result<Device, WireError> {
        need(self.device, "device")
    }

    fn axis(&self) -> Result<AxisKind, WireError> {
        need(self.axis, "axis")
    }

    /// A field that is a whole number here and a position elsewhere.
    fn state(field: Option<f64>, name: &str) -> Result<u32, WireError> {
        Ok(need(field, name)? as u32)
    }

    fn request(self, kind: &str) -> Result<Request, WireError> {
        Ok(match kind {
            "overview" => Request::Overview { growth: need(self.growth, "growth")? },
            "stats" => Request::Stats {},
            "curves" => Request::Curves {
                device: self.device()?,
                axis: self.axis()?,
                from: self.from,
                to: self.to,
                width: need(self.width, "width")?,
            },
            "moment" => Request::Moment {
                device: self.device()?,
                axis: self.axis()?,
                from: need(self.from, "from")?,
                to: need(self.to, "to")?,
            },
            "timeline_hit" => {
                Request::TimelineHit { device: self.device()?, x: need(self.x, "x")?, y: need(self.y, "y")? }
            }
            "timeline_search" => {
                Request::TimelineSearch { device: self.device()?, text: need(self.text, "text")? }
            }
            "life" => Request::Life { device: self.device()?, life: need(self.life, "life")? },
            "range_summary" => Request::RangeSummary {
                device: self.device()?,
                from: Fields::state(self.from, "from")?,
                to: Fields::state(self.to, "to")?,
            },
            "categories" => {
                Request::Categories { device: self.device()?, states: need(self.states, "states")? }
            }
            "composition" => Request::Composition { device: self.device()?, state: self.state },
            "drill" => Request::Drill {
                device: self.device()?,
                state: self.state,
                category: need(self.category, "category")?,
                row: self.row,
            },
            "event_detail" => {
                Request::EventDetail { device: self.device()?, event: need(self.event, "event")? }
            }
            "segments" => Request::Segments {
                device: self.device()?,
                state: self.state,
                sort: need(self.sort, "sort")?,
            },
            "find_address" => Request::FindAddress {
                device: self.device()?,
                state: self.state,
                text: need(self.text, "text")?,
            },
            "fragment" => Request::Fragment { device: self.device()?, state: self.state },
            "growth" => Request::Growth { device: self.device()?, limit: self.limit },
            "ooms" => Request::Ooms { device: self.device()?, limit: self.limit },
            "positions" => Request::Positions {
                device: self.device()?,
                axis: self.axis()?,
                states: need(self.states, "states")?.into_iter().flatten().collect(),
            },
            other => return Err(WireError::request(format!("the request: there is no kind \"{other}\""))),
        })
    }
}

impl Request {
    /// Reads a request of the page.
    pub fn from_page(value: JsValue) -> Result<Request, WireError> {
        const WHAT: &str = "the request";
        let kind =
            js_sys::Reflect::get(&value, &JsValue::from_str("type")).ok().and_then(|kind| kind.as_string());
        let kind = need(kind, "type")?;
        Ok(match kind.as_str() {
            "timeline" => Request::Timeline(from_js(value, WHAT)?),
            "flame" => Request::Flame(from_js(value, WHAT)?),
            "events" => Request::Events(from_js(value, WHAT)?),
            "events_csv" => Request::EventsCsv(from_js(value, WHAT)?),
            kind => from_js::<Fields>(value, WHAT)?.request(kind)?,
        })
    }
}

impl<'de> Deserialize<'de> for FlameOf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FlameOf, D::Error> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Weighed {
            of: String,
            state: u32,
            from: u32,
            to: u32,
            by_time: bool,
        }
        let Weighed { of, state, from, to, by_time } = Weighed::deserialize(deserializer)?;
        match of.as_str() {
            "moment" => Ok(FlameOf::Moment { state }),
            "range" => Ok(FlameOf::Range { from, to, by_time }),
            other => {
                Err(D::Error::custom(format!("a flame graph is of a moment or a range, not of \"{other}\"")))
            }
        }
    }
}
