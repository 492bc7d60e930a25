//! HBM Lens: what holds the device memory, since when, and which line of code allocated it.
//!
//! Data flows one way: `format` decodes file bytes into the columns of `model`.

pub mod format;
pub mod model;
