//! Who holds the memory and what for.
//!
//! Stacks are classified once each ([`StackClasses`], by the table of `rules`); lives take the class of
//! their stack, how long they last refines it, and what no stack tells is inferred from other lives
//! ([`Attribution`]), each in a file of its own and always marked.

mod attributed;
mod basis;
mod category;
mod facts;
mod frame_traits;
mod in_one_go;
mod infer_engine;
mod infer_frees;
mod infer_match;
mod infer_repetition;
mod lifetime;
mod lives;
mod rules;
mod stack_classes;
mod user_rules;

pub use attributed::{Attributed, FrameText};
pub use basis::{Basis, Inference};
pub use category::Category;
pub use frame_traits::{FrameTraits, FrameTraitsTable};
pub use lifetime::{OptimizerPhases, StackKinds};
pub use lives::{Attribution, Columns, Why};
pub use rules::{RULES, Rule};
pub use stack_classes::{StackClass, StackClasses, StackRule};
pub use user_rules::{Field, Matcher, UserRule, UserRuleError, UserRules};
