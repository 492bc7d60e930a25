//! On what ground a life has its category: the answer to "why?".
//!
//! Many lives share one ground, so lives hold the number of an entry of one small table.

use super::stack_classes::{StackClasses, StackRule};
use super::user_rules::UserRules;
use super::{Category, RULES};
use crate::model::{FastMap, FrameId, fast_map};
use crate::text::Message;

/// A ground.
#[derive(Clone, PartialEq, Debug)]
pub enum Basis {
    /// The stack says so.
    Stack(StackRule),
    /// A workspace entry of torch_npu.
    Workspace,
    /// The stack says so, and how long the life lasts refines it. The name of the refinement.
    Lifetime(&'static str, StackRule),
    /// Nothing is known but where it was freed.
    FreedAt(FrameId),
    /// Concluded from other lives.
    Inferred(Inference),
}

/// A conclusion and what it rests on.
#[derive(Clone, PartialEq, Debug)]
pub struct Inference {
    /// The name of the inference, a key of the texts (`inference.NAME`).
    pub name: &'static str,
    /// What speaks for it, with its numbers.
    pub evidence: Message,
    /// True where it is a likeness, not a match.
    pub weak: bool,
}

impl Basis {
    /// The name that stands where a rule's name stands.
    pub fn name(&self, classes: &StackClasses) -> String {
        match self {
            Basis::Stack(rule) => classes.rule_name(*rule),
            Basis::Workspace => "workspace_entry".to_owned(),
            Basis::Lifetime(name, _) => (*name).to_owned(),
            Basis::FreedAt(_) => "freed_at".to_owned(),
            Basis::Inferred(inference) => inference.name.to_owned(),
        }
    }
}

/// The table of grounds. Those of stacks come first, in the order of the rules, so that they need no
/// looking up.
#[derive(Clone, Debug)]
pub(super) struct Bases {
    rows: Vec<Basis>,
    lifetimes: Vec<((&'static str, StackRule), u32)>,
    sites: FastMap<FrameId, u32>,
}

impl Bases {
    pub fn new(user_rules: &UserRules) -> Bases {
        let table = (0..RULES.len()).map(|i| Basis::Stack(StackRule::Table(i as u16)));
        let special = [Basis::Workspace, Basis::Stack(StackRule::NoRule), Basis::Stack(StackRule::NoFrames)];
        let user = (0..user_rules.len()).map(|i| Basis::Stack(StackRule::User(i as u16)));
        Bases { rows: table.chain(special).chain(user).collect(), lifetimes: Vec::new(), sites: fast_map() }
    }

    /// The row of workspace entries.
    pub fn workspace() -> u32 {
        RULES.len() as u32
    }

    /// The row of a stack's rule.
    #[inline]
    pub fn of_rule(rule: StackRule) -> u32 {
        let special = RULES.len() as u32;
        match rule {
            StackRule::Table(i) => u32::from(i),
            StackRule::NoRule => special + 1,
            StackRule::NoFrames => special + 2,
            StackRule::User(i) => special + 3 + u32::from(i),
        }
    }

    /// The row of a refinement.
    pub fn lifetime(&mut self, name: &'static str, rule: StackRule) -> u32 {
        match self.lifetimes.iter().find(|(key, _)| *key == (name, rule)) {
            Some(&(_, row)) => row,
            None => {
                let row = self.add(Basis::Lifetime(name, rule));
                self.lifetimes.push(((name, rule), row));
                row
            }
        }
    }

    /// The row of "freed at" a place.
    pub fn freed_at(&mut self, site: FrameId) -> u32 {
        if let Some(&row) = self.sites.get(&site) {
            return row;
        }
        let row = self.add(Basis::FreedAt(site));
        self.sites.insert(site, row);
        row
    }

    /// Adds a basis without looking whether it is there.
    pub fn add(&mut self, basis: Basis) -> u32 {
        self.rows.push(basis);
        (self.rows.len() - 1) as u32
    }

    pub fn get(&self, row: u32) -> Option<&Basis> {
        self.rows.get(row as usize)
    }

    /// The inferences, each with its row.
    pub fn inferences(&self) -> impl Iterator<Item = (u32, &Inference)> {
        self.rows.iter().enumerate().filter_map(|(row, basis)| match basis {
            Basis::Inferred(inference) => Some((row as u32, inference)),
            _ => None,
        })
    }

    pub fn heap_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Basis>()
    }
}

/// A category as a word in a message, in the reader's language.
pub(super) fn category_word(category: Category) -> Vec<Message> {
    vec![Message::new(category.label_key())]
}
