//! HBM Lens: what holds the device memory, since when, and which line of code allocated it.
//!
//! Data flows one way: `format` decodes file bytes into the columns of `model`, `replay` works out
//! what their events did.
//! `text` turns what the analyses say (keys with parameters) into English and Chinese.

pub mod analysis;
pub mod export;
pub mod format;
pub mod model;
pub mod replay;
#[cfg(feature = "simulate")]
pub mod simulate;
pub mod text;
pub mod view;

#[cfg(target_arch = "wasm32")]
pub mod wasm;
