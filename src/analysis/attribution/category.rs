//! What memory is for: twelve categories, one byte each.
//!
//! The order is fixed (columns and the page's colours index by it) and is not the order in which the
//! rules are tried; that is the order of the table in `rules`.

use core::fmt;
use serde::{Deserialize, Serialize};

/// What an allocation is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[repr(u8)]
pub enum Category {
    Workspace,
    Gradient,
    Optimizer,
    OptimizerTemporary,
    KvCache,
    Parameter,
    Communication,
    Backward,
    Activation,
    Input,
    /// It has frames, and no rule speaks of them; or it is inferred to be nothing of the above.
    Other,
    /// Nothing is known of where it came from.
    Unknown,
}

impl Category {
    pub const COUNT: usize = 12;

    pub const ALL: [Category; Category::COUNT] = [
        Category::Workspace,
        Category::Gradient,
        Category::Optimizer,
        Category::OptimizerTemporary,
        Category::KvCache,
        Category::Parameter,
        Category::Communication,
        Category::Backward,
        Category::Activation,
        Category::Input,
        Category::Other,
        Category::Unknown,
    ];

    /// The id that JSON, rule files and text keys use.
    pub fn id(self) -> &'static str {
        match self {
            Category::Workspace => "workspace",
            Category::Gradient => "gradient",
            Category::Optimizer => "optimizer",
            Category::OptimizerTemporary => "optimizer_temporary",
            Category::KvCache => "kv_cache",
            Category::Parameter => "parameter",
            Category::Communication => "communication",
            Category::Backward => "backward",
            Category::Activation => "activation",
            Category::Input => "input",
            Category::Other => "other",
            Category::Unknown => "unknown",
        }
    }

    /// The key of its name in the catalogue of texts.
    pub fn label_key(self) -> &'static str {
        match self {
            Category::Workspace => "category.workspace",
            Category::Gradient => "category.gradient",
            Category::Optimizer => "category.optimizer",
            Category::OptimizerTemporary => "category.optimizer_temporary",
            Category::KvCache => "category.kv_cache",
            Category::Parameter => "category.parameter",
            Category::Communication => "category.communication",
            Category::Backward => "category.backward",
            Category::Activation => "category.activation",
            Category::Input => "category.input",
            Category::Other => "category.other",
            Category::Unknown => "category.unknown",
        }
    }

    /// The category of that id.
    pub fn from_id(id: &str) -> Option<Category> {
        Category::ALL.into_iter().find(|category| category.id() == id)
    }

    /// Does the category say what the memory is for? All but `other` and `unknown` do.
    pub fn explains(self) -> bool {
        !matches!(self, Category::Other | Category::Unknown)
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Language, label};

    #[test]
    fn ids_are_those_of_serde_and_every_one_has_a_text() {
        for (i, category) in Category::ALL.into_iter().enumerate() {
            assert_eq!(category as usize, i);
            assert_eq!(serde_json::to_value(category).ok(), Some(category.id().into()));
            assert_eq!(Category::from_id(category.id()), Some(category));
            let key = format!("category.{category}");
            assert_eq!(category.label_key(), key);
            assert_ne!(label(Language::Chinese, &key), key);
        }
    }
}
