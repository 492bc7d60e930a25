//! HBM Lens: what holds the device memory, since when, and which line of code allocated it.
//!
//! Data flows one way, and a module knows only those before it: [`format`] decodes file bytes into the columns of
//! [`model`], [`replay`] works out what their events did and what was there at any of them, [`analysis`] says what that
//! means, [`view`] reduces it to what a screen can show, and [`export`] writes it for other programs. The structs of the
//! analyses are the JSON of the terminal program and the replies to the page, so all three say the same. [`text`] turns
//! what they say (keys with parameters) into English and Chinese.
//!
//! ```
//! use hbmlens::format::{self, Document};
//! use hbmlens::model::{Bytes, Device};
//! use hbmlens::replay::Replay;
//!
//! let file = br#"{"segments": [], "device_traces": [[
//!     {"action": "alloc", "addr": 4096, "size": 300, "stream": 0},
//!     {"action": "alloc", "addr": 8192, "size": 500, "stream": 0},
//!     {"action": "free_completed", "addr": 4096, "size": 300, "stream": 0}]]}"#;
//! let Document::Snapshot(snapshot) = format::open(&file[..], &Default::default(), &mut |_| {})? else {
//!     unreachable!("only snapshots have segments")
//! };
//! let peak = Replay::new(&snapshot, Device::Index(0)).peak();
//! assert_eq!((peak.bytes, peak.event), (Bytes(800), 1));
//! # Ok::<(), hbmlens::format::Error>(())
//! ```

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
