//! Attribution, peak and growth against figures worked out another way.
//!
//! One binary for all of them: each test binary is a link. Real files are read where they are at hand
//! (`HBMLENS_SHARED`, else `../shared`) and left out with a line on stderr where they are not.

mod accuracy;
mod anchors;
mod common;
mod evidence;
mod growth;
mod reference;
