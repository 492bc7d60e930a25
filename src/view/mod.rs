//! Answers for a screen: whatever the size of the trace, as much as the pixels can show.

pub mod axis;
pub mod drill;
pub mod events;
pub mod flame;
pub mod lanes;
pub mod life;
pub mod line;
pub mod live_flame;
pub mod ops;
pub mod range;
pub mod stack_text;
pub mod timeline;
