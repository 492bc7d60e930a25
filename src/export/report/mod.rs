//! The HTML report: one file that opens from disk, shows what the analyses found and needs nothing else.
//!
//! It is the page's own code around the analysed data instead of around a file (`www/src/report`), built
//! beforehand into a template with a place for the data. So terminal and page write the same report; the
//! terminal lays the template into the program when it is compiled, where it has been built.

pub mod data;
pub mod drawing;
pub mod lttb;
mod page;
pub mod profiler;
mod sentences;

pub use page::{TEMPLATE, write_report};
