//! The timeline drawing: windows of a trace as pixel columns.

mod paint;
mod stack;

pub use paint::paint;
pub use stack::{Bands, ByteAxis, NO_BAND, Raster, Stacker};
