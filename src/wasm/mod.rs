//! The boundary to the page: one [`Session`] per worker, few and coarse calls.
//!
//! All logic is in modules that never see JavaScript; here requests are taken apart, replies are put
//! together, and errors become plain objects. The TypeScript types of both are generated from the Rust
//! ones, so there is one definition of each.

mod answers;
mod blob;
mod compare;
mod convert;
#[cfg(feature = "database")]
mod database;
mod error;
mod export;
mod flame;
mod ge;
mod loaded;
mod ops;
mod protocol;
mod report;
mod segments;
mod session;
mod tables;
mod timeline;

pub use error::WireError;
pub use protocol::{OpenOptions, Reply, Request, Summary};
pub use session::Session;

use wasm_bindgen::prelude::wasm_bindgen;

/// A panic ends the module with a bare "unreachable": the hook prints its words first.
#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}
