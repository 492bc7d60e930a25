//! Snapshots of one process over time: what grows from one to the next, and whether on a straight line.
//!
//! A cache fills and stops, a one-time allocation is a step; only a leak keeps on by the same amount. So
//! the test is a line through the bytes of each stack, and how much of what changes lies on it.

use super::outliers::to_names_of;
use super::{RankSide, RanksOptions};
use crate::analysis::attribution::Category;
use crate::analysis::compare::{Shared, Side, figure, minus, site_name};
use crate::model::{Arrange, Device, FastMap, FrameId, StackId, fast_map};
use crate::text::Message;
use core::cmp::Reverse;
use serde::Serialize;

/// What the line runs along.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// The number in the names.
    Name,
    TimeUs,
    /// One after the other.
    Snapshot,
}

/// One snapshot of a series.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SeriesSnapshot {
    pub file: String,
    /// Its place on the line's axis.
    pub at: i64,
    pub requested: u64,
    pub reserved: u64,
}

/// A stack (or a category, or all) over the snapshots.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GrowthRow {
    /// The stack's frames, innermost first, or the category; null: everything.
    pub key: Option<String>,
    pub call_site: Option<String>,
    pub category: Option<Category>,
    pub bytes: Vec<u64>,
    pub diff_bytes: i64,
    /// Of the line: bytes a snapshot on the average, and bytes a unit of its axis.
    pub bytes_per_snapshot: f64,
    pub bytes_per_unit: f64,
    /// The share of what changes that lies on the line.
    pub fit: f64,
    pub rising_share: f64,
    /// It rises all the way and lies on the line.
    pub straight: bool,
}

/// The snapshots of one process.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Series {
    pub role: String,
    pub rank: Option<i64>,
    pub device: Device,
    pub unit: Unit,
    pub snapshots: Vec<SeriesSnapshot>,
    pub total: GrowthRow,
    pub by_category: Vec<GrowthRow>,
    /// Stacks that hold more at the end than at the beginning: straight ones first, then the largest.
    pub growth: Vec<GrowthRow>,
    /// How many stacks grow, listed or not.
    pub growing_stacks: u64,
}

/// So much must lie on the line.
const FIT: f64 = 0.95;
const RISING: f64 = 0.8;
/// Two points always lie on a line.
const LEAST: usize = 3;

impl Series {
    pub(super) fn messages(&self) -> Vec<Message> {
        let straight: Vec<Message> = self
            .growth
            .iter()
            .filter(|row| row.straight)
            .take(3)
            .map(|row| {
                Message::new("series.line")
                    .text("site", row.call_site.clone().unwrap_or_default())
                    .difference("bytes", row.bytes_per_snapshot as i64)
                    .share("fit", row.fit)
            })
            .collect();
        match (straight.is_empty(), self.growing_stacks) {
            (false, _) => straight,
            (true, 0) => vec![Message::new("series.none")],
            (true, count) => vec![Message::new("series.grows").count("count", count)],
        }
    }
}

/// Analyses the snapshots of one process, in order of time.
pub(super) fn series(snapshots: &[&RankSide], options: &RanksOptions) -> Series {
    let sides: Vec<&Side> = snapshots.iter().map(|side| side.end.as_ref().unwrap_or(&side.peak)).collect();
    let (unit, at) = axis(snapshots);
    let line = |key, site, category, bytes| GrowthRow::new(key, site, category, bytes, &at);
    let requested = |side: &&Side| side.figures.get(figure::REQUESTED).copied().unwrap_or(0);
    let mut categories: Vec<Vec<u64>> = vec![vec![0; sides.len()]; Category::COUNT];
    let mut shared = Shared::default();
    let mut stacks: FastMap<(StackId, FrameId), (u8, Vec<u64>)> = fast_map();
    for (i, side) in sides.iter().enumerate() {
        let renames = match sides.first() {
            Some(first) if options.ignore_lines && i > 0 => to_names_of(&first.content, &side.content),
            _ => fast_map(),
        };
        let placed = shared.place(&side.content, &renames, options.ignore_lines);
        for row in side.content.rows() {
            let add = |bytes: &mut Vec<u64>| {
                if let Some(own) = bytes.get_mut(i) {
                    *own = own.saturating_add(row.bytes);
                }
            };
            categories.get_mut(usize::from(row.category)).map(add);
            let at = usize::try_from(row.stack).unwrap_or(usize::MAX);
            // The stack of a free says nothing about the allocation.
            let stack = placed.stack.get(at).copied().filter(|_| !row.freed);
            if let (Some(stack), Some(&site)) = (stack, placed.site.get(at)) {
                let entry =
                    stacks.entry((stack, site)).or_insert_with(|| (row.category, vec![0; sides.len()]));
                entry.0 = row.category;
                add(&mut entry.1);
            }
        }
    }
    let name = |frame: FrameId| {
        let frame = shared.frames.get(frame.some()?);
        let (file, function) = (shared.strings.get(frame.file), shared.strings.get(frame.function));
        Some(site_name(file, frame.line, function, options.ignore_lines))
    };
    let category = |at: u8| Category::ALL.get(usize::from(at)).copied();
    let mut growing: Vec<_> = stacks
        .into_iter()
        .map(|(key, (at, bytes))| (key, line(None, name(key.1), category(at), bytes)))
        .filter(|(_, row)| row.diff_bytes > 0)
        .collect();
    growing.arrange_by_key(|&(key, ref row)| (!row.straight, Reverse(row.diff_bytes), key));
    let growing_stacks = growing.len() as u64;
    if options.top > 0 {
        growing.truncate(options.top);
    }
    let growth = growing.into_iter().map(|((stack, _), mut row)| {
        let names: Vec<String> = shared.stacks.get(stack).iter().filter_map(|&frame| name(frame)).collect();
        row.key = Some(names.join("\n"));
        row
    });
    let by_category =
        Category::ALL.into_iter().zip(categories).filter(|(_, bytes)| bytes.iter().any(|&b| b > 0));
    let by_category = by_category
        .map(|(category, bytes)| line(Some(category.id().to_owned()), None, Some(category), bytes));
    let reserved = |side: &&Side| side.figures.get(figure::RESERVED).copied().unwrap_or(0);
    let one = |(side, &at): (&&Side, &i64)| SeriesSnapshot {
        file: side.file.clone(),
        at,
        requested: requested(side),
        reserved: reserved(side),
    };
    Series {
        role: snapshots.first().map_or_else(String::new, |side| side.role.clone()),
        rank: snapshots.first().and_then(|side| side.rank),
        device: snapshots.first().map_or(Device::Index(0), |side| side.peak.device),
        unit,
        snapshots: sides.iter().zip(&at).map(one).collect(),
        total: line(None, None, None, sides.iter().map(requested).collect()),
        by_category: by_category.collect(),
        growth: growth.collect(),
        growing_stacks,
    }
}

/// The numbers of the names where each has its own, else the times of the last events, else 0, 1, 2 …
fn axis(snapshots: &[&RankSide]) -> (Unit, Vec<i64>) {
    let ascends =
        |values: &Vec<i64>| values.len() == snapshots.len() && values.windows(2).all(|w| w[0] < w[1]);
    let names: Vec<i64> = snapshots.iter().filter_map(|side| side.order).collect();
    if ascends(&names) {
        return (Unit::Name, names);
    }
    let times: Vec<i64> = snapshots.iter().filter_map(|side| side.peak.end_time_us).collect();
    if ascends(&times) {
        return (Unit::TimeUs, times);
    }
    (Unit::Snapshot, (0..snapshots.len() as i64).collect())
}

impl GrowthRow {
    fn new(
        key: Option<String>,
        call_site: Option<String>,
        category: Option<Category>,
        bytes: Vec<u64>,
        at: &[i64],
    ) -> GrowthRow {
        let (slope, fit) = straight_line(at, &bytes);
        let (first, last) = (bytes.first().copied().unwrap_or(0), bytes.last().copied().unwrap_or(0));
        let steps = bytes.len().saturating_sub(1).max(1) as f64;
        let span = at.first().zip(at.last()).map_or(0.0, |(first, last)| last.saturating_sub(*first) as f64);
        let rising = bytes.windows(2).filter(|pair| pair[1] > pair[0]).count() as f64 / steps;
        let diff_bytes = minus(last, first);
        GrowthRow {
            key,
            call_site,
            category,
            diff_bytes,
            bytes_per_snapshot: slope * span / steps,
            bytes_per_unit: slope,
            fit,
            rising_share: rising,
            straight: bytes.len() >= LEAST && diff_bytes > 0 && fit >= FIT && rising >= RISING,
            bytes,
        }
    }
}

/// The slope of the line with the least squares, and the share of the variance that lies on it.
fn straight_line(at: &[i64], bytes: &[u64]) -> (f64, f64) {
    let count = at.len().min(bytes.len()) as f64;
    if count < 2.0 {
        return (0.0, 0.0);
    }
    // Differences to the first keep large times and sizes exact.
    let start = at.first().copied().unwrap_or(0);
    let base = bytes.first().copied().unwrap_or(0);
    let points: Vec<(f64, f64)> = at
        .iter()
        .zip(bytes)
        .map(|(&x, &y)| (x.saturating_sub(start) as f64, minus(y, base) as f64))
        .collect();
    let mean_x = points.iter().map(|p| p.0).sum::<f64>() / count;
    let mean_y = points.iter().map(|p| p.1).sum::<f64>() / count;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in points {
        let (dx, dy) = (x - mean_x, y - mean_y);
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    if xx == 0.0 || yy == 0.0 {
        return (0.0, 0.0);
    }
    (xy / xx, (xy * xy / (xx * yy)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(bytes: &[u64], at: &[i64]) -> GrowthRow {
        GrowthRow::new(None, None, None, bytes.to_vec(), at)
    }

    #[test]
    fn a_leak_is_straight_and_a_cache_or_a_jump_is_not() {
        let at = [0, 1, 2, 3, 4, 5];
        let leak = row(&[100, 110, 120, 130, 140, 150], &at);
        assert!(leak.straight);
        assert_eq!((leak.bytes_per_snapshot, leak.fit), (10.0, 1.0));
        assert!(!row(&[100, 150, 180, 180, 180, 180], &at).straight, "a cache fills and stops");
        assert!(!row(&[100, 100, 100, 200, 200, 200], &at).straight, "a jump");
        assert!(!row(&[150, 140, 130, 120, 110, 100], &at).straight, "it shrinks");
        assert!(!row(&[100, 110], &[0, 1]).straight, "two points always lie on a line");
        let uneven = row(&[100, 200, 400], &[1_700_000_010, 1_700_000_020, 1_700_000_040]);
        assert!(uneven.straight);
        assert_eq!((uneven.bytes_per_unit, uneven.bytes_per_snapshot), (10.0, 150.0));
    }

    #[test]
    fn nothing_that_changes_is_no_line() {
        let flat = row(&[u64::MAX, u64::MAX, u64::MAX], &[i64::MIN, 0, i64::MAX]);
        assert_eq!((flat.straight, flat.fit, flat.bytes_per_unit), (false, 0.0, 0.0));
        assert!(!row(&[], &[]).straight);
    }
}
