//! Errors as the page sees them: plain objects, never exceptions of a class.

use crate::analysis::attribution::UserRuleError;
use crate::format;
use crate::model::Position;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::JsValue;

/// An error. `kind` is a stable key; the page has a sentence for each.
#[derive(Clone, Debug, Serialize, Tsify)]
pub struct WireError {
    #[tsify(type = "string")]
    pub kind: String,
    pub message: String,
    #[tsify(type = "Position | null")]
    pub position: Option<Position>,
    #[tsify(type = "string | null")]
    pub hint: Option<String>,
    /// Bytes of memory that would be needed, for `over_budget`.
    #[tsify(type = "number | null")]
    pub estimate: Option<u64>,
}

impl WireError {
    fn new(kind: &str, message: impl Into<String>) -> WireError {
        WireError {
            kind: kind.to_owned(),
            message: message.into(),
            position: None,
            hint: None,
            estimate: None,
        }
    }

    /// A request that cannot be answered: it names what is not there.
    pub fn request(message: impl Into<String>) -> WireError {
        WireError::new("request", message)
    }

    /// A line of the user's rules that cannot be taken.
    pub fn rules(error: &UserRuleError) -> WireError {
        let position = Some(Position::Line(error.line().into()));
        WireError { position, ..WireError::new("rules", error.to_string()) }
    }

    pub fn over_budget(estimate: u64) -> WireError {
        let message = format!("about {} of memory would be needed", crate::model::Bytes(estimate));
        WireError { estimate: Some(estimate), ..WireError::new("over_budget", message) }
    }
}

impl From<format::Error> for WireError {
    fn from(error: format::Error) -> WireError {
        // The kind's name is the one that programs see in JSON.
        let kind = serde_json::to_value(error.kind).ok().and_then(|v| v.as_str().map(str::to_owned));
        WireError {
            position: error.position,
            hint: error.hint,
            ..WireError::new(kind.as_deref().unwrap_or("io"), error.message)
        }
    }
}

impl From<WireError> for JsValue {
    fn from(error: WireError) -> JsValue {
        super::convert::to_js(&error).unwrap_or_else(|_| JsValue::from_str(&error.message))
    }
}
