//! The files of a profiler folder. Each is optional and each is read alone; what belongs together is
//! put together later, by folder.

pub mod folder;
mod info;
mod memory_record;
mod module_memory;
mod operator_memory;
mod records;
mod static_op;
mod step_trace;
mod table;
pub mod trace;

pub use info::read_info;
pub use memory_record::read_memory_record;
pub use module_memory::read_module_memory;
pub use operator_memory::read_operator_memory;
pub use static_op::read_static_ops;
pub use step_trace::read_step_trace;
pub use table::{CsvKind, csv_kind};
pub use trace::read_trace;
