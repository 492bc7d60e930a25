//! The category of every life of a device, with the ground it stands on.
//!
//! Two columns: a byte a life (category, and a bit for "inferred"), which is all that a timeline needs
//! to colour a band, and the row of the ground. First the stacks speak, then how long lives last refines
//! that, and only then is concluded from other lives; what is concluded never looks like what is known.

use super::basis::{Bases, Basis, Inference};
use super::facts::Facts;
use super::lifetime::{OptimizerPhases, StackKinds};
use super::stack_classes::StackClasses;
use super::{Category, infer_engine, infer_frees, infer_match, infer_repetition};
use crate::model::{FrameId, LifeId, Snapshot};
use crate::replay::{LifeFlags, Replay};

/// Category and ground of each life, by life.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The category, with [`Columns::INFERRED`] where it was inferred.
    packed: Vec<u8>,
    basis: Vec<u32>,
}

impl Columns {
    /// The bit that says "inferred".
    pub const INFERRED: u8 = 0x80;

    #[inline]
    pub fn category(&self, life: LifeId) -> Category {
        let packed = self.packed.get(life.index()).copied().unwrap_or(Category::Unknown as u8);
        Category::ALL.get(usize::from(packed & !Columns::INFERRED)).copied().unwrap_or(Category::Unknown)
    }

    #[inline]
    pub fn is_inferred(&self, life: LifeId) -> bool {
        self.packed.get(life.index()).is_some_and(|packed| packed & Columns::INFERRED != 0)
    }

    fn push(&mut self, category: Category, basis: u32) {
        self.packed.push(category as u8);
        self.basis.push(basis);
    }

    fn set(&mut self, life: LifeId, packed: u8, basis: u32) {
        if let (Some(p), Some(b)) = (self.packed.get_mut(life.index()), self.basis.get_mut(life.index())) {
            (*p, *b) = (packed, basis);
        }
    }

    pub(super) fn infer(&mut self, life: LifeId, category: Category, basis: u32) {
        self.set(life, category as u8 | Columns::INFERRED, basis);
    }
}

/// What each life of one device is for.
#[derive(Clone, Debug)]
pub struct Attribution {
    columns: Columns,
    bases: Bases,
    phases: OptimizerPhases,
    kinds: StackKinds,
}

/// Why a life has its category.
#[derive(Clone, PartialEq, Debug)]
pub struct Why<'a> {
    pub category: Category,
    pub inferred: bool,
    pub basis: &'a Basis,
    /// The name of the rule, refinement or inference.
    pub name: String,
    /// The frame that matched; for "freed at" the place of the free.
    pub frame: Option<FrameId>,
    /// What an inference rests on.
    pub inference: Option<&'a Inference>,
}

impl Attribution {
    /// Attributes every life of the device that was replayed.
    pub fn new(snapshot: &Snapshot, replay: &Replay, classes: &StackClasses) -> Attribution {
        let facts = Facts::new(snapshot, replay, classes);
        let (phases, kinds) = OptimizerPhases::find(&facts);
        let mut bases = Bases::new(classes.user_rules());
        let mut columns = plain(&facts, &phases, kinds, &mut bases);
        infer_engine::infer(&facts, &phases, kinds, &mut columns, &mut bases);
        let gradients = infer_match::gradients_together(&facts, &columns);
        infer_match::infer_outliving(&facts, &mut columns, &mut bases, &gradients);
        infer_frees::infer(&facts, &mut columns, &mut bases);
        let gradients = infer_match::gradients_together(&facts, &columns);
        if !gradients.is_empty() {
            infer_match::infer(&facts, &mut columns, &mut bases, &gradients);
        } else if phases.is_empty() && !runs_backward(&facts, &columns) {
            infer_repetition::infer(&facts, &mut columns, &mut bases);
        }
        Attribution { columns, bases, phases, kinds }
    }

    #[inline]
    pub fn category(&self, life: LifeId) -> Category {
        self.columns.category(life)
    }

    /// The category was concluded from other lives; without that it is unknown.
    #[inline]
    pub fn is_inferred(&self, life: LifeId) -> bool {
        self.columns.is_inferred(life)
    }

    /// The category without inference.
    pub fn plain_category(&self, life: LifeId) -> Category {
        if self.is_inferred(life) { Category::Unknown } else { self.category(life) }
    }

    /// A byte a life: the category's number, plus [`Columns::INFERRED`].
    pub fn packed(&self) -> &[u8] {
        &self.columns.packed
    }

    /// The number of a life's ground; lives with one number share it.
    pub fn basis_row(&self, life: LifeId) -> u32 {
        self.columns.basis.get(life.index()).copied().unwrap_or(Bases::of_rule(super::StackRule::NoFrames))
    }

    /// The inferences made, each with the number that [`Attribution::basis_row`] gives.
    pub fn inferences(&self) -> impl Iterator<Item = (u32, &Inference)> {
        self.bases.inferences()
    }

    /// The inference of that number; `None` where the ground is no inference.
    pub fn inference(&self, basis_row: u32) -> Option<&Inference> {
        match self.bases.get(basis_row) {
            Some(Basis::Inferred(inference)) => Some(inference),
            _ => None,
        }
    }

    /// Where optimizer code runs.
    pub fn optimizer_phases(&self) -> &OptimizerPhases {
        &self.phases
    }

    /// What the stacks of the trace look like.
    pub fn stack_kinds(&self) -> StackKinds {
        self.kinds
    }

    /// Why a life has its category.
    pub fn why(&self, snapshot: &Snapshot, replay: &Replay, classes: &StackClasses, life: LifeId) -> Why<'_> {
        const NOTHING: &Basis = &Basis::Stack(super::StackRule::NoFrames);
        let basis = self.bases.get(self.basis_row(life)).unwrap_or(NOTHING);
        let (frame, inference) = match basis {
            Basis::Stack(_) | Basis::Lifetime(..) => {
                (classes.get(replay.lives.stack(snapshot, life)).frame.some(), None)
            }
            Basis::FreedAt(site) => (site.some(), None),
            Basis::Workspace => (None, None),
            Basis::Inferred(inference) => (None, Some(inference)),
        };
        Why {
            category: self.category(life),
            inferred: self.is_inferred(life),
            basis,
            name: basis.name(classes),
            frame,
            inference,
        }
    }

    /// Bytes of memory the columns take.
    pub fn heap_bytes(&self) -> usize {
        self.columns.packed.capacity() + self.columns.basis.capacity() * 4 + self.bases.heap_bytes()
    }
}

/// Whether a backward pass is recorded. Then there are gradients, and where the trace makes none they are
/// from before it, with sizes that repeat just as those of the weights do.
fn runs_backward(facts: &Facts<'_>, columns: &Columns) -> bool {
    facts.lives.ids().skip(facts.lives.initial_len()).any(|life| columns.category(life) == Category::Backward)
}

/// What stacks and lifetimes say.
fn plain(facts: &Facts<'_>, phases: &OptimizerPhases, kinds: StackKinds, bases: &mut Bases) -> Columns {
    let mut columns = Columns::default();
    columns.packed.reserve_exact(facts.lives.len());
    columns.basis.reserve_exact(facts.lives.len());
    for life in facts.lives.ids() {
        let (category, basis) = plain_of(facts, phases, kinds, bases, life);
        columns.push(category, basis);
    }
    columns
}

fn plain_of(
    facts: &Facts<'_>,
    phases: &OptimizerPhases,
    kinds: StackKinds,
    bases: &mut Bases,
    life: LifeId,
) -> (Category, u32) {
    if facts.lives.flags(life).has(LifeFlags::WORKSPACE) {
        return (Category::Workspace, Bases::workspace());
    }
    let class = facts.class(life);
    match class.category {
        Category::Optimizer if is_temporary(facts, phases, life) => {
            (Category::OptimizerTemporary, bases.lifetime("ends_within_step", class.rule))
        }
        Category::Backward if kinds.python_only() && phases.reached_by(facts, life).is_some() => {
            (Category::Gradient, bases.lifetime("reaches_optimizer", class.rule))
        }
        Category::Unknown if facts.lives.stack_is_of_free(life) => {
            let site = facts.free_class(life).call_site;
            (
                Category::Unknown,
                if site.is_none() { Bases::of_rule(class.rule) } else { bases.freed_at(site) },
            )
        }
        category => (category, Bases::of_rule(class.rule)),
    }
}

/// Does it end before the optimizer's frames of its step do?
fn is_temporary(facts: &Facts<'_>, phases: &OptimizerPhases, life: LifeId) -> bool {
    let Some(begin) = facts.lives.begin_event(life) else { return false };
    // Released by event e means state e + 1, so "not after the last event of the step" is ≤ last + 1.
    phases.end_of(begin).is_some_and(|last| facts.released(life) <= last.saturating_add(1))
}
