//! What happened between two moments: allocated in it, freed in it, and still there of what was
//! allocated, by category and by call site.

use crate::analysis::attribution::{Attributed, Category};
use crate::model::{Arrange, Bytes, FastMap, FrameId, LifeId, fast_map};
use core::ops::Range;
use serde::Serialize;

/// Bytes and counts of one group in a range.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RangeRow {
    /// A category, or a call site as `function file:line`.
    pub key: String,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Bytes"))]
    pub allocated: Bytes,
    pub allocated_count: u64,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Bytes"))]
    pub freed: Bytes,
    pub freed_count: u64,
    /// Allocated in the range and alive at its end.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Bytes"))]
    pub surviving: Bytes,
    pub surviving_count: u64,
}

/// The answer for a range of states.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RangeSummary {
    /// First state, and the state at the end.
    pub from: u32,
    pub to: u32,
    pub total: RangeRow,
    pub by_category: Vec<RangeRow>,
    /// Most surviving bytes first, then most allocated; cut to what was asked for.
    pub by_call_site: Vec<RangeRow>,
    /// Call sites beyond the cut.
    pub more_call_sites: u64,
}

impl RangeRow {
    fn add(&mut self, size: Bytes, born: bool, died: bool) {
        if born {
            self.allocated += size;
            self.allocated_count += 1;
        }
        if died {
            self.freed += size;
            self.freed_count += 1;
        }
        if born && !died {
            self.surviving += size;
            self.surviving_count += 1;
        }
    }
}

impl Attributed<'_> {
    /// What events did that lead from state `range.start` to state `range.end`.
    pub fn range_summary(&self, range: Range<u32>, most_sites: usize) -> RangeSummary {
        let lives = &self.replay.lives;
        let mut total = RangeRow::default();
        let mut categories = vec![RangeRow::default(); Category::ALL.len()];
        let mut sites: FastMap<FrameId, RangeRow> = fast_map();
        // Whoever is born by the end of the range; deaths can be of any of them.
        let born_by_end = lives.births().partition_point(|&b| b <= range.end);
        for id in (0..born_by_end).map(LifeId::new) {
            let born = lives.birth(id) > range.start;
            let death = lives.death(id);
            let died = death > range.start && death <= range.end;
            if !born && !died {
                continue;
            }
            let size = lives.size(id);
            total.add(size, born, died);
            categories[self.attribution.category(id) as usize].add(size, born, died);
            let (site, _) = self.site(id);
            sites.entry(site).or_default().add(size, born, died);
        }
        let by_category = Category::ALL
            .iter()
            .zip(categories)
            .filter(|(_, row)| row.allocated_count + row.freed_count > 0)
            .map(|(category, row)| RangeRow { key: category.id().to_owned(), ..row })
            .collect();
        let mut by_call_site: Vec<RangeRow> =
            sites.into_iter().map(|(site, row)| RangeRow { key: self.frame_label(site), ..row }).collect();
        by_call_site.arrange_by(|a, b| {
            (b.surviving, b.allocated, b.freed)
                .cmp(&(a.surviving, a.allocated, a.freed))
                .then(a.key.cmp(&b.key))
        });
        let more_call_sites = by_call_site.len().saturating_sub(most_sites) as u64;
        by_call_site.truncate(most_sites);
        RangeSummary { from: range.start, to: range.end, total, by_category, by_call_site, more_call_sites }
    }
}
