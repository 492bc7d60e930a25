//! Rust values to JavaScript ones and back.

use super::error::WireError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

/// A plain object as `JSON.parse` would give. Integers beyond 2^53, which only hostile files hold, come
/// as BigInt; the worker makes numbers of them.
pub fn to_js<T: Serialize>(value: &T) -> Result<JsValue, WireError> {
    let plain = Serializer::json_compatible();
    value
        .serialize(&plain)
        .or_else(|_| value.serialize(&plain.serialize_large_number_types_as_bigints(true)))
        .map_err(|error| WireError::request(format!("the reply cannot be handed over: {error}")))
}

pub fn from_js<T: DeserializeOwned>(value: JsValue, what: &str) -> Result<T, WireError> {
    serde_wasm_bindgen::from_value(value).map_err(|error| WireError::request(format!("{what}: {error}")))
}
