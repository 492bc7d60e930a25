//! Lives from before the trace that end in it: what recorded lives of the same size that end in the
//! same way were, they were too.
//!
//! Likeness is asked from the closest to the loosest: freed at the same line; freed in the same
//! function; the function that frees it allocates that size anew (a buffer that is replaced); the same
//! size at all. In the last, lives count by how long they last, since a life from before the trace is
//! a long one, and only where that decides nothing by their number.
//!
//! A temporary of the optimizer is gone before its step is: other code frees none, whatever their sizes.
//!
//! Temporaries of the backward pass are short-lived. What lasts longer than any that was recorded, and is freed
//! where they are, was saved for the backward pass: an activation.
//!
//! What optimizer code frees and others of its likeness came from the backward pass is a gradient: it
//! was still held when the optimizer ran.

use super::Category;
use super::basis::{Bases, Basis, Inference, category_word};
use super::facts::Facts;
use super::lives::Columns;
use crate::model::{Bytes, FastMap, FrameId, LifeId, StringId, fast_map};
use crate::text::Message;

/// What recorded lives of one likeness were: weight by category, and how many.
#[derive(Clone, Copy, Default)]
struct Votes {
    weight: [u64; Category::COUNT],
    lives: u64,
    /// The longest that one of the backward pass lasted, in events.
    longest_backward: u32,
}

/// A winner needs this share of the weight.
const MAJORITY: f64 = 0.6;

impl Votes {
    fn add(&mut self, category: Category, weight: u64, lasted: u32) {
        self.weight[category as usize] = self.weight[category as usize].saturating_add(weight);
        self.lives += 1;
        if category == Category::Backward {
            self.longest_backward = self.longest_backward.max(lasted);
        }
    }

    /// All that optimizer code made of this likeness was gone before its step was.
    fn optimizer_kept_none(&self) -> bool {
        self.weight[Category::Optimizer as usize] == 0
    }

    /// The category with a clear majority, and its share.
    fn winner(&self) -> Option<(Category, f64)> {
        let mut weight = self.weight;
        // State and temporaries of the optimizer are one answer; which of them is told by the life.
        weight[Category::Optimizer as usize] += weight[Category::OptimizerTemporary as usize];
        weight[Category::OptimizerTemporary as usize] = 0;
        let total: u64 = weight.iter().fold(0, |sum, &w| sum.saturating_add(w));
        let best = Category::ALL.into_iter().max_by_key(|&c| weight[c as usize])?;
        let share = weight[best as usize] as f64 / total.max(1) as f64;
        if total > 0 && share >= MAJORITY { Some((best, share)) } else { None }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Likeness {
    FreedAt(FrameId),
    FreedIn(StringId, StringId),
    MadeIn(StringId, StringId),
    /// The same size, weighed by how long lives last.
    Size,
    /// The same size, weighed by number.
    SizeByNumber,
}

/// Gives a category to every initial life that ends in the trace and has none.
pub(super) fn infer(facts: &Facts<'_>, columns: &mut Columns, bases: &mut Bases) {
    let lives = facts.lives;
    let is_wanted = |life: LifeId| columns.category(life) == Category::Unknown && !facts.is_persistent(life);
    let wanted: Vec<LifeId> =
        (0..lives.initial_len()).map(LifeId::new).filter(|&life| is_wanted(life)).collect();
    if wanted.is_empty() {
        return;
    }
    let mut votes: FastMap<(Bytes, Likeness), Votes> = fast_map();
    for &life in &wanted {
        votes.insert((lives.size(life), Likeness::Size), Votes::default());
    }
    for life in lives.ids() {
        let (size, category) = (lives.size(life), columns.category(life));
        if category == Category::Unknown || facts.is_initial(life) {
            continue;
        }
        let Some(by_size) = votes.get_mut(&(size, Likeness::Size)) else { continue };
        let lasted = facts.released(life).min(facts.events).saturating_sub(lives.birth(life));
        by_size.add(category, u64::from(lasted), lasted);
        let mut like = |likeness| votes.entry((size, likeness)).or_default().add(category, 1, lasted);
        like(Likeness::SizeByNumber);
        let site = facts.free_class(life).call_site;
        if !site.is_none() {
            like(Likeness::FreedAt(site));
            let (file, function) = place(facts, site);
            like(Likeness::FreedIn(file, function));
        }
        let made = facts.class(life).call_site;
        if !made.is_none() {
            let (file, function) = place(facts, made);
            like(Likeness::MadeIn(file, function));
        }
    }
    let mut decided: FastMap<Wanted, Option<Decision>> = fast_map();
    let mut saved: FastMap<Wanted, u32> = fast_map();
    for life in wanted {
        let free = facts.free_class(life);
        let wanted = Wanted { size: lives.size(life), site: free.call_site, by_optimizer: free.in_optimizer };
        let decision = *decided.entry(wanted).or_insert_with(|| decide(facts, &votes, wanted, bases));
        let Some(decision) = decision else { continue };
        // From before the trace: it lasted at least until it was let go.
        let outlasts = facts.released(life) > decision.longest_backward;
        if decision.category == Category::Backward && free.category == Category::Backward && outlasts {
            let basis =
                *saved.entry(wanted).or_insert_with(|| bases.add(saved_for_backward(wanted, &decision)));
            columns.infer(life, Category::Activation, basis);
        } else {
            columns.infer(life, decision.category, decision.basis);
        }
    }
}

fn place(facts: &Facts<'_>, site: FrameId) -> (StringId, StringId) {
    let frame = facts.snapshot.frames.get(site);
    (frame.file, frame.function)
}

/// What is asked of the likenesses: lives with these in common get one answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Wanted {
    size: Bytes,
    site: FrameId,
    by_optimizer: bool,
}

/// The answer to that.
#[derive(Clone, Copy)]
struct Decision {
    category: Category,
    basis: u32,
    /// How many lives speak for it.
    lives: u64,
    longest_backward: u32,
}

fn saved_for_backward(wanted: Wanted, decision: &Decision) -> Basis {
    let evidence = Message::new("evidence.saved_for_backward")
        .bytes("size", wanted.size)
        .count("lives", decision.lives)
        .count("longest", decision.longest_backward.into());
    Basis::Inferred(Inference { name: "saved_for_backward", evidence, weak: false })
}

fn decide(
    facts: &Facts<'_>,
    votes: &FastMap<(Bytes, Likeness), Votes>,
    wanted: Wanted,
    bases: &mut Bases,
) -> Option<Decision> {
    let Wanted { size, site, by_optimizer } = wanted;
    let mut steps = Vec::new();
    if !site.is_none() {
        let (file, function) = place(facts, site);
        steps.push((Likeness::FreedAt(site), "freed_same_site", "evidence.freed_same_site"));
        steps.push((
            Likeness::FreedIn(file, function),
            "freed_same_function",
            "evidence.freed_same_function",
        ));
        steps.push((Likeness::MadeIn(file, function), "replaced", "evidence.replaced"));
    }
    steps.push((Likeness::Size, "freed_same_size", "evidence.freed_same_size"));
    steps.push((Likeness::SizeByNumber, "freed_same_size", "evidence.freed_same_size_by_number"));
    let (winner, share, found, likeness, mut name, mut key) =
        steps.into_iter().find_map(|(likeness, name, key)| {
            let found = votes.get(&(size, likeness))?;
            let (category, share) = found.winner()?;
            let is_temporary = category == Category::Optimizer && found.optimizer_kept_none();
            let impossible = is_temporary && !by_optimizer;
            (!impossible).then_some((category, share, *found, likeness, name, key))
        })?;
    let mut category = winner;
    let says_site = !matches!(likeness, Likeness::Size | Likeness::SizeByNumber);
    let mut says_place = says_site;
    if winner == Category::Backward && by_optimizer {
        category = Category::Gradient;
        (name, key, says_place) = ("freed_by_optimizer", "evidence.freed_by_optimizer", true);
    }
    let mut evidence = Message::new(key)
        .bytes("size", size)
        .count("lives", found.lives)
        .share("share", share)
        .list("category", category_word(winner));
    if says_place {
        evidence = evidence.text("site", site_text(facts, site));
    }
    let basis = bases.add(Basis::Inferred(Inference { name, evidence, weak: !says_site }));
    Some(Decision { category, basis, lives: found.lives, longest_backward: found.longest_backward })
}

/// `file:line function`, as a place in a sentence.
pub(super) fn site_text(facts: &Facts<'_>, site: FrameId) -> String {
    let Some(site) = site.some() else { return "?".to_owned() };
    let frame = facts.snapshot.frames.get(site);
    let (file, function) =
        (facts.snapshot.strings.get(frame.file), facts.snapshot.strings.get(frame.function));
    format!("{file}:{} {function}", frame.line)
}
