//! One mechanism for every grouping: a key says which group a life is in, sums are added up by group,
//! and only groups that are shown get a name.
//!
//! A group is a number, so the page can colour or split by any key as cheaply as by category.

use super::annotations::Annotations;
use super::attribution::{Attributed, Category};
use super::modules::Modules;
use super::steps::Steps;
use crate::model::{
    Arrange, Bytes, FastMap, FrameId, LifeId, PoolId, SegmentType, StackId, StreamId, StringId, fast_map,
};
use serde::{Deserialize, Serialize};

/// By what memory is grouped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum GroupKey {
    Category,
    CallSite,
    File,
    Module,
    Function,
    Stack,
    Stream,
    Pool,
    SegmentType,
    SizeClass,
    Annotation,
    Step,
    CompileContext,
    UserMetadata,
}

impl GroupKey {
    pub const ALL: [(GroupKey, &'static str); 14] = [
        (GroupKey::Category, "category"),
        (GroupKey::CallSite, "call_site"),
        (GroupKey::File, "file"),
        (GroupKey::Module, "module"),
        (GroupKey::Function, "function"),
        (GroupKey::Stack, "stack"),
        (GroupKey::Stream, "stream"),
        (GroupKey::Pool, "pool"),
        (GroupKey::SegmentType, "segment_type"),
        (GroupKey::SizeClass, "size_class"),
        (GroupKey::Annotation, "annotation"),
        (GroupKey::Step, "step"),
        (GroupKey::CompileContext, "compile_context"),
        (GroupKey::UserMetadata, "user_metadata"),
    ];

    /// The name that options and JSON use.
    pub fn name(self) -> &'static str {
        GroupKey::ALL.iter().find(|(key, _)| *key == self).map_or("", |&(_, name)| name)
    }

    pub fn from_name(name: &str) -> Option<GroupKey> {
        GroupKey::ALL.iter().find(|(_, n)| *n == name).map(|&(key, _)| key)
    }
}

/// The group of a life under one key: a number, with a meaning only for that key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GroupId(pub u32);

impl GroupId {
    /// The key has no value for the life (no stack, no module, no metadata …).
    pub const NONE: GroupId = GroupId(u32::MAX);
}

/// Which group each life is in, for one key.
#[derive(Clone)]
pub struct Grouping<'a> {
    memory: Attributed<'a>,
    modules: &'a Modules,
    steps: &'a Steps,
    key: GroupKey,
    /// Empty where the key does not ask for them.
    annotations: Annotations,
}

/// What the lives of one group add up to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct GroupSums {
    pub bytes: Bytes,
    pub count: u64,
    /// The part of the bytes whose category is inferred.
    pub inferred_bytes: Bytes,
}

/// A group with its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct GroupRow {
    /// The group's name; null where the key has no value.
    pub key: Option<String>,
    #[serde(flatten)]
    pub sums: GroupSums,
}

impl<'a> Grouping<'a> {
    pub fn new(
        memory: Attributed<'a>,
        modules: &'a Modules,
        steps: &'a Steps,
        key: GroupKey,
    ) -> Grouping<'a> {
        let annotations = match key {
            GroupKey::Annotation => Annotations::new(memory.snapshot, memory.replay.device),
            _ => Annotations::default(),
        };
        Grouping { memory, modules, steps, key, annotations }
    }

    /// The group of a life.
    pub fn group_of(&self, life: LifeId) -> GroupId {
        let memory = &self.memory;
        let frame = || memory.class(life).call_site.some().map(|id| memory.snapshot.frames.get(id));
        let row = || memory.alloc_row(life);
        let events = &memory.snapshot.events;
        GroupId(match self.key {
            GroupKey::Category => memory.category(life) as u32,
            GroupKey::CallSite => memory.class(life).call_site.0,
            GroupKey::File => frame().map_or(u32::MAX, |f| f.file.0),
            GroupKey::Function => frame().map_or(u32::MAX, |f| f.function.0),
            GroupKey::Module => self.modules.of_stack(memory.alloc_stack(life)).unwrap_or(u32::MAX),
            GroupKey::Stack => memory.alloc_stack(life).0,
            GroupKey::Stream => memory.lives().stream(memory.snapshot, life).0,
            GroupKey::Pool => memory.lives().pool(memory.snapshot, &memory.replay.pieces, life).0,
            GroupKey::SegmentType => memory.lives().segment_type(&memory.replay.pieces, life) as u32,
            GroupKey::SizeClass => size_class(memory.size(life)),
            GroupKey::Annotation => row()
                .and_then(|row| events.time_of(row))
                .and_then(|time| self.annotations.at(time))
                .map_or(u32::MAX, |name| name.0),
            GroupKey::Step => memory
                .lives()
                .begin_event(life)
                .and_then(|event| self.steps.step_of(event))
                .unwrap_or(u32::MAX),
            GroupKey::CompileContext => row().map_or(u32::MAX, |row| events.compile_context.get(row).0),
            GroupKey::UserMetadata => row().map_or(u32::MAX, |row| events.user_metadata.get(row).0),
        })
    }

    /// The name of a group; `None` for [`GroupId::NONE`].
    pub fn label(&self, group: GroupId) -> Option<String> {
        if group == GroupId::NONE {
            return None;
        }
        let snapshot = self.memory.snapshot;
        let text = |id: u32| snapshot.strings.get(StringId(id)).to_owned();
        Some(match self.key {
            GroupKey::Category => Category::ALL.get(group.0 as usize)?.id().to_owned(),
            GroupKey::CallSite => {
                let frame = self.memory.frame_text(FrameId(group.0))?;
                format!("{}:{} {}", frame.file, frame.line, frame.function)
            }
            GroupKey::File
            | GroupKey::Function
            | GroupKey::Annotation
            | GroupKey::CompileContext
            | GroupKey::UserMetadata => text(group.0),
            GroupKey::Module => self.modules.path(snapshot, group.0),
            GroupKey::Stack => {
                let frames = self.memory.stack_text(StackId(group.0));
                let lines: Vec<String> =
                    frames.iter().map(|f| format!("{}:{} {}", f.file, f.line, f.function)).collect();
                lines.join("\n")
            }
            GroupKey::Stream => snapshot.streams.get(StreamId(group.0)).to_string(),
            GroupKey::Pool => {
                let (a, b) = snapshot.pools.get(PoolId(group.0));
                format!("({a}, {b})")
            }
            GroupKey::SegmentType => match group.0 {
                n if n == SegmentType::Large as u32 => "large".to_owned(),
                n if n == SegmentType::Small as u32 => "small".to_owned(),
                _ => return None,
            },
            GroupKey::SizeClass => size_class_label(group.0),
            GroupKey::Step => group.0.to_string(),
        })
    }

    /// Sums by group over some lives, largest first, and of equals the one seen first.
    pub fn sums(&self, lives: impl IntoIterator<Item = LifeId>) -> Vec<(GroupId, GroupSums)> {
        let mut index: FastMap<GroupId, usize> = fast_map();
        let mut groups: Vec<(GroupId, GroupSums)> = Vec::new();
        for life in lives {
            let group = self.group_of(life);
            let at = *index.entry(group).or_insert_with(|| {
                groups.push((group, GroupSums::default()));
                groups.len() - 1
            });
            if let Some((_, sums)) = groups.get_mut(at) {
                sums.add(&self.memory, life);
            }
        }
        groups.arrange_by_key(|(_, sums)| core::cmp::Reverse(sums.bytes));
        groups
    }

    /// The same with names, at most `top` of them (0: all); what is cut off stands in one last row
    /// named `(rest)`, so that the rows always add up.
    pub fn rows(&self, lives: impl IntoIterator<Item = LifeId>, top: usize) -> Vec<GroupRow> {
        let groups = self.sums(lives);
        let shown = if top == 0 { groups.len() } else { top.min(groups.len()) };
        let (first, rest) = groups.split_at(shown);
        let mut rows: Vec<GroupRow> =
            first.iter().map(|&(group, sums)| GroupRow { key: self.label(group), sums }).collect();
        if !rest.is_empty() {
            let mut sums = GroupSums::default();
            for (_, one) in rest {
                sums.merge(one);
            }
            rows.push(GroupRow { key: Some(REST.to_owned()), sums });
        }
        rows
    }
}

/// The name of the row that closes a cut list.
pub const REST: &str = "(rest)";

impl GroupSums {
    pub fn add(&mut self, memory: &Attributed<'_>, life: LifeId) {
        let size = memory.size(life);
        self.bytes += size;
        self.count += 1;
        if memory.attribution.is_inferred(life) {
            self.inferred_bytes += size;
        }
    }

    pub fn merge(&mut self, other: &GroupSums) {
        self.bytes += other.bytes;
        self.count += other.count;
        self.inferred_bytes += other.inferred_bytes;
    }
}

/// Class n holds sizes from 2^(n−1) + 1 to 2^n bytes; 512 B, the allocator's unit, and below are one.
pub(super) fn size_class(size: Bytes) -> u32 {
    if size.0 <= 512 { 9 } else { u64::BITS - (size.0 - 1).leading_zeros() }
}

fn size_class_label(class: u32) -> String {
    let most = 1_u64.checked_shl(class).map_or(Bytes(u64::MAX), Bytes);
    if class <= 9 { format!("up to {most}") } else { format!("{} to {most}", Bytes(most.0 / 2)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_meet_without_gap() {
        assert_eq!([0, 1, 512, 513, 1024, 1025].map(|n| size_class(Bytes(n))), [9, 9, 9, 10, 10, 11]);
        assert_eq!(size_class(Bytes(u64::MAX)), 64);
        assert_eq!(size_class_label(9), "up to 512 B");
        assert_eq!(size_class_label(21), "1.00 MiB to 2.00 MiB");
    }

    #[test]
    fn keys_have_the_names_of_serde() {
        for (key, name) in GroupKey::ALL {
            assert_eq!(serde_json::to_value(key).ok(), Some(name.into()));
            assert_eq!((key.name(), GroupKey::from_name(name)), (name, Some(key)));
        }
    }
}
