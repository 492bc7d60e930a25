//! The timeline drawing: windows of a trace as pixel columns.

mod colours;
mod columns;
mod paint;
mod scene;
mod search;
mod stack;

pub use colours::{Classes, ColourBy, colour_table};
pub use columns::Columns;
pub use paint::paint;
pub use scene::{Scene, Subject, View};
pub use search::{Matches, search};
pub use stack::{Bands, ByteAxis, NO_BAND, Raster, Stacker};
