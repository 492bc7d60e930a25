//! Lives from before the trace that end in it: what recorded lives of the same size that end in the
//! same way were, they were too.
//!
//! Likeness is asked from the closest to the loosest: freed at the same line; freed in the same
//! function; the function that frees it allocates that size anew (a buffer that is replaced); the same
//! size at all. In the last, lives count by how long they last, since a life from before the trace is
//! a long one, and a size that many short temporaries share says nothing.

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
}

/// A winner needs this share of the weight.
const MAJORITY: f64 = 0.6;

impl Votes {
    fn add(&mut self, category: Category, weight: u64) {
        self.weight[category as usize] = self.weight[category as usize].saturating_add(weight);
        self.lives += 1;
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
    Size,
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
        let end = facts.released(life).min(facts.events);
        by_size.add(category, u64::from(end.saturating_sub(lives.birth(life))));
        let site = facts.free_class(life).call_site;
        if !site.is_none() {
            votes.entry((size, Likeness::FreedAt(site))).or_default().add(category, 1);
            let (file, function) = place(facts, site);
            votes.entry((size, Likeness::FreedIn(file, function))).or_default().add(category, 1);
        }
        let made = facts.class(life).call_site;
        if !made.is_none() {
            let (file, function) = place(facts, made);
            votes.entry((size, Likeness::MadeIn(file, function))).or_default().add(category, 1);
        }
    }
    let mut decided: FastMap<(Bytes, FrameId), Option<(Category, u32)>> = fast_map();
    for life in wanted {
        let (size, site) = (lives.size(life), facts.free_class(life).call_site);
        let decision =
            *decided.entry((size, site)).or_insert_with(|| decide(facts, &votes, size, site, bases));
        if let Some((category, basis)) = decision {
            columns.infer(life, category, basis);
        }
    }
}

fn place(facts: &Facts<'_>, site: FrameId) -> (StringId, StringId) {
    let frame = facts.snapshot.frames.get(site);
    (frame.file, frame.function)
}

fn decide(
    facts: &Facts<'_>,
    votes: &FastMap<(Bytes, Likeness), Votes>,
    size: Bytes,
    site: FrameId,
    bases: &mut Bases,
) -> Option<(Category, u32)> {
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
    for (likeness, name, key) in steps {
        let Some(found) = votes.get(&(size, likeness)) else { continue };
        let Some((category, share)) = found.winner() else { continue };
        let mut evidence = Message::new(key)
            .bytes("size", size)
            .count("lives", found.lives)
            .share("share", share)
            .list("category", category_word(category));
        if likeness != Likeness::Size {
            evidence = evidence.text("site", site_text(facts, site));
        }
        let weak = likeness == Likeness::Size;
        return Some((category, bases.add(Basis::Inferred(Inference { name, evidence, weak }))));
    }
    None
}

/// `file:line function`, as a place in a sentence.
pub(super) fn site_text(facts: &Facts<'_>, site: FrameId) -> String {
    let Some(site) = site.some() else { return "?".to_owned() };
    let frame = facts.snapshot.frames.get(site);
    let (file, function) =
        (facts.snapshot.strings.get(frame.file), facts.snapshot.strings.get(frame.function));
    format!("{file}:{} {function}", frame.line)
}
