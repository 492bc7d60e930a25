//! The live bytes of two sides by category, call site, module, file and stack.
//!
//! A group is a number of the shared tables; only groups that are shown get a name.

use super::matching::{Placed, Renames, Shared, align};
use super::minus;
use super::side::{Content, NONE, Row};
use crate::analysis::attribution::Category;
use crate::analysis::grouping::REST;
use crate::model::{Arrange, FastMap, FrameId, StackId, StringId, fast_map};
use core::cmp::Reverse;
use serde::Serialize;

/// Which side has a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    Both,
    OnlyA,
    OnlyB,
}

/// A group in both sides.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DiffRow {
    /// The group's name; null where the key has no value. `(rest)` closes a cut list.
    pub key: Option<String>,
    pub a_bytes: u64,
    pub b_bytes: u64,
    pub diff_bytes: i64,
    pub a_count: u64,
    pub b_count: u64,
    pub diff_count: i64,
    /// The part of the bytes whose category is inferred.
    pub a_inferred_bytes: u64,
    pub b_inferred_bytes: u64,
    pub presence: Presence,
    /// Of the larger side; only for call sites and stacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// The place is that of the free: of the allocation nothing is known.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub freed_at: bool,
}

/// What lives of one group add up to on one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sums {
    pub bytes: u64,
    pub count: u64,
    pub inferred: u64,
}

impl Sums {
    fn add(&mut self, other: Sums) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.count = self.count.saturating_add(other.count);
        self.inferred = self.inferred.saturating_add(other.inferred);
    }
}

impl DiffRow {
    pub(super) fn new(key: Option<String>, [a, b]: [Sums; 2]) -> DiffRow {
        DiffRow {
            key,
            a_bytes: a.bytes,
            b_bytes: b.bytes,
            diff_bytes: minus(b.bytes, a.bytes),
            a_count: a.count,
            b_count: b.count,
            diff_count: minus(b.count, a.count),
            a_inferred_bytes: a.inferred,
            b_inferred_bytes: b.inferred,
            presence: match (a.count, b.count) {
                (_, 0) => Presence::OnlyA,
                (0, _) => Presence::OnlyB,
                _ => Presence::Both,
            },
            category: None,
            freed_at: false,
        }
    }
}

/// Common stacks, and those of one side alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct StackSums {
    /// Stacks that both sides have, and how many bytes more B holds in them.
    pub common: u64,
    pub common_diff_bytes: i64,
    /// Those of them that grew and that shrank.
    pub grown: u64,
    pub grown_bytes: u64,
    pub shrunk: u64,
    pub shrunk_bytes: u64,
    pub only_a: u64,
    pub only_a_bytes: u64,
    pub only_b: u64,
    pub only_b_bytes: u64,
}

/// Every stack of both sides, for a flame graph: frames by number, innermost first.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Paths {
    /// `[file, line, function]` of each frame; texts by number.
    pub frames: Vec<[u64; 3]>,
    pub texts: Vec<String>,
    pub stacks: Vec<PathRow>,
}

/// One stack of a flame graph.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PathRow {
    /// Empty where no stack was recorded.
    pub frames: Vec<u64>,
    /// The call site: a frame, or null.
    pub site: Option<u64>,
    pub module: Option<u64>,
    pub freed_at: bool,
    pub category: Category,
    pub a_bytes: u64,
    pub b_bytes: u64,
    pub a_count: u64,
    pub b_count: u64,
}

/// Two sides in shared tables.
pub(super) struct Groups<'a> {
    shared: Shared,
    sides: [(&'a Content, Placed); 2],
    /// Stacks that became one; `None` where nothing was ignored.
    pub merged: Option<u64>,
}

/// A call site on one line; native ones often have no line, and no file.
pub(crate) fn site_name(file: &str, line: u64, function: &str, ignore_lines: bool) -> String {
    match (file, line) {
        ("" | "??", 0) => function.to_owned(),
        (_, 0) => format!("{file} {function}"),
        _ if ignore_lines => format!("{file} {function}"),
        _ => format!("{file}:{line} {function}"),
    }
}

/// A group's number: a handle of the shared tables, and whether the stack is that of a free.
type Key = u64;
const FREED: Key = 1 << 32;

impl<'a> Groups<'a> {
    pub fn new(a: &'a Content, b: &'a Content, ignore_lines: bool) -> Groups<'a> {
        let place = |ignore: bool, renames: &(Renames, Renames)| {
            let mut shared = Shared::default();
            let left = shared.place(a, &renames.0, ignore);
            let right = shared.place(b, &renames.1, ignore);
            (shared, [(a, left), (b, right)])
        };
        if !ignore_lines {
            let (shared, sides) = place(false, &(fast_map(), fast_map()));
            return Groups { shared, sides, merged: None };
        }
        let exact = place(false, &(fast_map(), fast_map())).0.stacks.len();
        let (shared, sides) = place(true, &align(a, b));
        let merged = exact.saturating_sub(shared.stacks.len()) as u64;
        Groups { shared, sides, merged: Some(merged) }
    }

    /// Sums by group, both sides.
    fn sums(&self, key: &dyn Fn(&Placed, &Row) -> Key) -> Vec<(Key, [Sums; 2])> {
        let mut groups: FastMap<Key, [Sums; 2]> = fast_map();
        for (side, (content, placed)) in self.sides.iter().enumerate() {
            for row in content.rows() {
                let sums = Sums { bytes: row.bytes, count: row.count, inferred: row.inferred };
                if let Some(own) = groups.entry(key(placed, &row)).or_default().get_mut(side) {
                    own.add(sums);
                }
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.arrange_by_key(|&(key, _)| key);
        groups
    }

    pub fn by_category(&self) -> Vec<DiffRow> {
        let groups = self.sums(&|_, row| row.category.into());
        let name = |key: Key| Category::ALL.get(key as usize).map(|category| category.id().to_owned());
        cut(groups.into_iter().map(|(key, sums)| (name(key), sums)).collect(), 0)
    }

    pub fn by_call_site(&self, top: usize) -> Vec<DiffRow> {
        let name = |site: FrameId| {
            let frame = self.shared.frames.get(site.some()?);
            let text = |id| self.shared.strings.get(id);
            Some(site_name(text(frame.file), frame.line, text(frame.function), self.merged.is_some()))
        };
        self.placed(&site_key, top, &|key| name(FrameId(key as u32)))
    }

    pub fn by_stack(&self, top: usize) -> Vec<DiffRow> {
        self.placed(&stack_key, top, &|key| {
            let stack = StackId(key as u32).some()?;
            let names: Vec<String> =
                self.shared.stacks.get(stack).iter().filter_map(|&frame| self.frame_name(frame)).collect();
            Some(names.join("\n"))
        })
    }

    pub fn by_module(&self, top: usize) -> Vec<DiffRow> {
        let key = |placed: &Placed, row: &Row| at(&placed.module, row).map_or(NONE, |id| id.0.into());
        let groups = self.sums(&key);
        cut(self.named(groups, &|key| self.text(StringId(key as u32))), top)
    }

    pub fn by_file(&self, top: usize) -> Vec<DiffRow> {
        let file = |site: FrameId| Some(self.shared.frames.get(site.some()?).file);
        let key =
            |placed: &Placed, row: &Row| at(&placed.site, row).and_then(file).map_or(NONE, |id| id.0.into());
        let groups = self.sums(&key);
        cut(self.named(groups, &|key| self.text(StringId(key as u32))), top)
    }

    /// Groups of places: with the category, and a mark where the place is that of a free.
    fn placed(
        &self,
        key: &dyn Fn(&Placed, &Row) -> Key,
        top: usize,
        name: &dyn Fn(Key) -> Option<String>,
    ) -> Vec<DiffRow> {
        let mut categories: FastMap<Key, (u64, u8)> = fast_map();
        for (content, placed) in &self.sides {
            for row in content.rows() {
                let largest = categories.entry(key(placed, &row)).or_insert((0, row.category));
                *largest = (*largest).max((row.bytes, row.category));
            }
        }
        let mut groups = self.sums(key);
        groups.arrange_by_key(|&(key, sums)| order(key, sums));
        let rest = groups.split_off(if top == 0 { groups.len() } else { top.min(groups.len()) });
        let row = |(key, sums): (Key, [Sums; 2])| {
            let mut row = DiffRow::new(name(key & (FREED - 1)), sums);
            row.freed_at = key & FREED != 0;
            row.category =
                categories.get(&key).and_then(|&(_, at)| Category::ALL.get(usize::from(at)).copied());
            row
        };
        let mut rows: Vec<DiffRow> = groups.into_iter().map(row).collect();
        rows.extend(rest_row(rest.into_iter().map(|(_, sums)| sums)));
        rows
    }

    fn named(
        &self,
        groups: Vec<(Key, [Sums; 2])>,
        name: &dyn Fn(Key) -> Option<String>,
    ) -> Vec<(Option<String>, [Sums; 2])> {
        groups.into_iter().map(|(key, sums)| (if key == NONE { None } else { name(key) }, sums)).collect()
    }

    fn text(&self, id: StringId) -> Option<String> {
        id.some().map(|id| self.shared.strings.get(id).to_owned())
    }

    /// `file:line function`; without the line where lines are ignored.
    fn frame_name(&self, frame: FrameId) -> Option<String> {
        let frame = self.shared.frames.get(frame.some()?);
        let (file, function) = (self.shared.strings.get(frame.file), self.shared.strings.get(frame.function));
        Some(match self.merged {
            Some(_) => format!("{file} {function}"),
            None => format!("{file}:{} {function}", frame.line),
        })
    }

    pub fn stack_sums(&self) -> StackSums {
        let mut sums = StackSums::default();
        for (_, [a, b]) in self.sums(&stack_key).into_iter().filter(|&(key, _)| key & (FREED - 1) != NO_STACK)
        {
            let more = minus(b.bytes, a.bytes);
            match (a.count, b.count) {
                (_, 0) => {
                    sums.only_a += 1;
                    sums.only_a_bytes = sums.only_a_bytes.saturating_add(a.bytes);
                }
                (0, _) => {
                    sums.only_b += 1;
                    sums.only_b_bytes = sums.only_b_bytes.saturating_add(b.bytes);
                }
                _ => {
                    sums.common += 1;
                    sums.common_diff_bytes = sums.common_diff_bytes.saturating_add(more);
                    if more > 0 {
                        sums.grown += 1;
                        sums.grown_bytes = sums.grown_bytes.saturating_add(more.unsigned_abs());
                    } else if more < 0 {
                        sums.shrunk += 1;
                        sums.shrunk_bytes = sums.shrunk_bytes.saturating_add(more.unsigned_abs());
                    }
                }
            }
        }
        sums
    }

    /// Every stack and category with both weights.
    pub fn paths(&self) -> Paths {
        type Entry = ([Sums; 2], FrameId, StringId);
        let mut rows: FastMap<(Key, u8), Entry> = fast_map();
        for (side, (content, placed)) in self.sides.iter().enumerate() {
            for row in content.rows() {
                let site = at(&placed.site, &row).unwrap_or(FrameId::NONE);
                let module = at(&placed.module, &row).unwrap_or(StringId::NONE);
                let entry = rows.entry((stack_key(placed, &row), row.category)).or_insert((
                    [Sums::default(); 2],
                    site,
                    module,
                ));
                if let Some(own) = entry.0.get_mut(side) {
                    own.add(Sums { bytes: row.bytes, count: row.count, inferred: row.inferred });
                }
            }
        }
        let mut rows: Vec<((Key, u8), Entry)> = rows.into_iter().collect();
        rows.arrange_by_key(|&(key, _)| key);
        let row = |((key, category), ([a, b], site, module)): ((Key, u8), Entry)| PathRow {
            frames: self.shared.stacks.get(StackId(key as u32)).iter().map(|frame| frame.0.into()).collect(),
            site: site.some().map(|site| site.0.into()),
            module: module.some().map(|module| module.0.into()),
            freed_at: key & FREED != 0,
            category: Category::ALL.get(usize::from(category)).copied().unwrap_or(Category::Unknown),
            a_bytes: a.bytes,
            b_bytes: b.bytes,
            a_count: a.count,
            b_count: b.count,
        };
        let frame = |(_, frame): (FrameId, crate::model::Frame)| {
            [frame.file.0.into(), frame.line, frame.function.0.into()]
        };
        let strings = &self.shared.strings;
        Paths {
            frames: self.shared.frames.iter().map(frame).collect(),
            texts: (0..strings.len()).map(|i| strings.get(StringId::new(i)).to_owned()).collect(),
            stacks: rows.into_iter().map(row).collect(),
        }
    }
}

const NO_STACK: Key = u32::MAX as Key;

fn at<T: Copy>(column: &[T], row: &Row) -> Option<T> {
    usize::try_from(row.stack).ok().and_then(|stack| column.get(stack)).copied()
}

fn stack_key(placed: &Placed, row: &Row) -> Key {
    at(&placed.stack, row).map_or(NO_STACK, |id| Key::from(id.0) | if row.freed { FREED } else { 0 })
}

fn site_key(placed: &Placed, row: &Row) -> Key {
    at(&placed.site, row).map_or(NO_STACK, |id| Key::from(id.0) | if row.freed { FREED } else { 0 })
}

/// The largest difference first, then the largest.
fn order<K>(key: K, [a, b]: [Sums; 2]) -> (Reverse<u64>, Reverse<u64>, K) {
    (Reverse(minus(b.bytes, a.bytes).unsigned_abs()), Reverse(a.bytes.max(b.bytes)), key)
}

/// Rows in order, at most `top` of them (0: all) and one for the rest; groups without a life are left out.
pub(super) fn cut(mut groups: Vec<(Option<String>, [Sums; 2])>, top: usize) -> Vec<DiffRow> {
    groups.retain(|(_, [a, b])| a.count > 0 || b.count > 0);
    groups
        .arrange_by(|(left, of_left), (right, of_right)| order(left, *of_left).cmp(&order(right, *of_right)));
    let rest = groups.split_off(if top == 0 { groups.len() } else { top.min(groups.len()) });
    let mut rows: Vec<DiffRow> = groups.into_iter().map(|(key, sums)| DiffRow::new(key, sums)).collect();
    rows.extend(rest_row(rest.into_iter().map(|(_, sums)| sums)));
    rows
}

fn rest_row(rest: impl Iterator<Item = [Sums; 2]>) -> Option<DiffRow> {
    let rest = rest.reduce(|mut sum, [a, b]| {
        sum[0].add(a);
        sum[1].add(b);
        sum
    })?;
    Some(DiffRow::new(Some(REST.to_owned()), rest))
}

/// Groups that both sides have by name.
pub(super) fn named_rows(
    a: &(Vec<Option<String>>, Vec<u64>),
    b: &(Vec<Option<String>>, Vec<u64>),
    top: usize,
) -> Vec<DiffRow> {
    let mut groups: FastMap<Option<String>, [Sums; 2]> = fast_map();
    for (side, (names, sums)) in [a, b].into_iter().enumerate() {
        for (name, &[bytes, count, inferred]) in names.iter().zip(sums.as_chunks::<3>().0) {
            if let Some(own) = groups.entry(name.clone()).or_default().get_mut(side) {
                own.add(Sums { bytes, count, inferred });
            }
        }
    }
    cut(groups.into_iter().collect(), top)
}
