//! The timeline drawing: windows of a trace as pixel columns.

mod block;
mod colours;
mod columns;
mod ink;
mod kept;
mod paint;
mod pools;
mod raster;
mod scene;
mod search;
mod stack;
mod turn;

pub use colours::{Classes, ColourBy, colour_table, faded};
pub use columns::{Columns, Outline};
pub use ink::Ink;
pub use paint::{Picture, trace};
pub use pools::PoolStacks;
pub use raster::{ByteAxis, NO_BAND};
pub use scene::{Scene, Subject, View};
pub use search::{Matches, search};
pub use stack::{Bands, Stacker, draw_stack};
