//! Who holds the memory and what for.
//!
//! Stacks are classified once each ([`StackClasses`], by the table of `rules`); lives take the class of
//! their stack. Nothing here looks at a stack twice.

mod category;
mod frame_traits;
mod rules;
mod stack_classes;
mod user_rules;

pub use category::Category;
pub use frame_traits::{FrameTraits, FrameTraitsTable};
pub use rules::{RULES, Rule};
pub use stack_classes::{StackClass, StackClasses, StackRule};
pub use user_rules::{Field, UserRule, UserRuleError, UserRules};
