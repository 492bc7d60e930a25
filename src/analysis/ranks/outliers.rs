//! Which ranks differ from their peers, and by what.
//!
//! The measure is the median absolute deviation, which a few odd ranks do not move. What makes a rank odd
//! are the categories and call sites that are as odd among those of its peers, in the same direction.

use super::{RankSide, RanksOptions, label};
use crate::analysis::attribution::Category;
use crate::analysis::compare::{FIGURES, Renames, Shared, align, figure, minus, site_name};
use crate::model::{Arrange, Bytes, FastMap, FrameId, fast_map};
use crate::text::Message;
use core::cmp::Reverse;
use serde::Serialize;

/// Fewer ranks have no odd one out.
pub(super) const LEAST: usize = 3;
/// More deviations than this are odd.
const DEVIATIONS: f64 = 3.0;
/// Where all ranks but one are equal to the byte, the deviation counts as this share of the median.
const FLOOR: f64 = 0.001;
/// The same of reserved bytes, which come in whole segments: one more or less is nothing odd.
const RESERVED_FLOOR: f64 = 0.02;
/// What makes up less of the difference explains nothing.
const SHARE: f64 = 0.05;
/// Rows of each kind that explain an outlier.
const NAMED: usize = 5;

/// A figure of which a rank may be an outlier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    Peak,
    Reserved,
}

/// One reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Because {
    /// `category`, `call_site`, or `figure` where the reserve differs but not what is in it.
    pub kind: &'static str,
    pub key: String,
    pub bytes: u64,
    pub median_bytes: u64,
    pub diff_bytes: i64,
}

/// A rank far from its peers.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outlier {
    pub role: String,
    pub rank: Option<i64>,
    pub file: String,
    pub device: crate::model::Device,
    pub figure: Figure,
    pub bytes: u64,
    pub median_bytes: u64,
    pub diff_bytes: i64,
    /// In median absolute deviations, with its sign.
    pub deviation: f64,
    pub because: Vec<Because>,
}

impl Outlier {
    pub(super) fn message(&self) -> Message {
        let reason = |because: &Because| {
            let named = |key| vec![Message::new(key)];
            let message = match because.kind {
                "category" => {
                    let category = Category::from_id(&because.key).unwrap_or(Category::Unknown);
                    Message::new("ranks.because.category").list("name", named(category.label_key()))
                }
                "figure" => {
                    let key = match because.key.as_str() {
                        "requested" => "compare.figure.requested",
                        _ => "compare.figure.cached_free",
                    };
                    Message::new("ranks.because.figure").list("name", named(key))
                }
                _ => Message::new("ranks.because.call_site").text("site", because.key.clone()),
            };
            message.difference("bytes", because.diff_bytes)
        };
        let mut because: Vec<Message> = self.because.iter().map(reason).collect();
        if because.is_empty() {
            because.push(Message::new("ranks.because.nothing"));
        }
        Message::new(match self.figure {
            Figure::Peak => "ranks.outlier.peak",
            Figure::Reserved => "ranks.outlier.reserved",
        })
        .text("rank", label(self.rank, &self.file))
        .bytes("bytes", Bytes(self.bytes))
        .bytes("median", Bytes(self.median_bytes))
        .difference("diff", self.diff_bytes)
        .number("deviation", self.deviation)
        .list("because", because)
    }
}

/// The median; of an even number of values, the middle between the middle two.
fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    let at = |place: usize| values.get(place).copied().unwrap_or(0);
    at(values.len().saturating_sub(1) / 2).midpoint(at(values.len() / 2))
}

/// Median and median absolute deviation, the latter at least that share of the median.
fn spread(values: &[u64], floor: f64) -> (u64, f64) {
    let middle = median(values.to_vec());
    let deviation = median(values.iter().map(|value| value.abs_diff(middle)).collect()) as f64;
    (middle, deviation.max(middle as f64 * floor).max(1.0))
}

/// The rank at the lower median of the peaks.
pub(super) fn median_rank<'a>(sides: &[&'a RankSide]) -> Option<&'a RankSide> {
    let mut sides = sides.to_vec();
    sides.arrange_by_key(|side| side.peak.peak);
    sides.get(sides.len().saturating_sub(1) / 2).copied()
}

/// The outliers of every role, the farthest first.
pub(super) fn outliers(sides: &[&RankSide], options: &RanksOptions) -> Vec<Outlier> {
    let mut roles: Vec<&str> = sides.iter().map(|side| side.role.as_str()).collect();
    roles.sort_unstable();
    roles.dedup();
    let mut found = Vec::new();
    for role in roles {
        let peers: Vec<&RankSide> = sides.iter().copied().filter(|side| side.role == role).collect();
        if peers.len() >= LEAST {
            of_role(&peers, options, &mut found);
        }
    }
    found.arrange_by(|a, b| b.deviation.abs().total_cmp(&a.deviation.abs()));
    found
}

fn of_role(peers: &[&RankSide], options: &RanksOptions, found: &mut Vec<Outlier>) {
    let end = |side: &RankSide, at: usize| side.peak.end.get(at).copied().unwrap_or(0);
    // Built only when there is something to explain.
    let mut parts: Option<Parts> = None;
    for figure in [Figure::Peak, Figure::Reserved] {
        let value = |side: &RankSide| match figure {
            Figure::Peak => side.peak.peak,
            Figure::Reserved => end(side, figure::RESERVED),
        };
        let values: Vec<u64> = peers.iter().map(|side| value(side)).collect();
        let floor = if figure == Figure::Peak { FLOOR } else { RESERVED_FLOOR };
        let (middle, deviation) = spread(&values, floor);
        for (i, side) in peers.iter().enumerate() {
            let diff = minus(value(side), middle);
            let deviations = diff as f64 / deviation;
            if deviations.abs() <= DEVIATIONS {
                continue;
            }
            let because = match figure {
                Figure::Peak => {
                    parts.get_or_insert_with(|| Parts::new(peers, options.ignore_lines)).because(i, diff)
                }
                Figure::Reserved => [figure::REQUESTED, figure::CACHED_FREE]
                    .into_iter()
                    .map(|at| {
                        let all = peers.iter().map(|side| end(side, at)).collect();
                        reason("figure", FIGURES[at].to_owned(), end(side, at), median(all))
                    })
                    .filter(|because| explains(because, diff))
                    .collect(),
            };
            found.push(Outlier {
                role: side.role.clone(),
                rank: side.rank,
                file: side.peak.file.clone(),
                device: side.peak.device,
                figure,
                bytes: value(side),
                median_bytes: middle,
                diff_bytes: diff,
                deviation: deviations,
                because,
            });
        }
    }
}

fn reason(kind: &'static str, key: String, bytes: u64, median_bytes: u64) -> Because {
    Because { kind, key, bytes, median_bytes, diff_bytes: minus(bytes, median_bytes) }
}

/// In the same direction, and not too little of it.
fn explains(because: &Because, diff: i64) -> bool {
    because.diff_bytes.signum() == diff.signum()
        && because.diff_bytes.unsigned_abs() as f64 >= diff.unsigned_abs() as f64 * SHARE
}

/// Bytes at the peak of every rank by category and by call site.
struct Parts {
    categories: Vec<(String, Vec<u64>)>,
    sites: Vec<(String, Vec<u64>)>,
}

impl Parts {
    fn new(peers: &[&RankSide], ignore_lines: bool) -> Parts {
        let category = |at: usize| {
            let of = |side: &&RankSide| side.peak.peak_categories.get(at * 2).copied().unwrap_or(0);
            peers.iter().map(of).collect()
        };
        let categories =
            Category::ALL.iter().enumerate().map(|(i, c)| (c.id().to_owned(), category(i))).collect();
        let mut shared = Shared::default();
        let mut sites: FastMap<FrameId, Vec<u64>> = fast_map();
        for (i, side) in peers.iter().enumerate() {
            let content = &side.peak.content;
            let renames = match peers.first() {
                Some(first) if ignore_lines && i > 0 => to_names_of(&first.peak.content, content),
                _ => fast_map(),
            };
            let placed = shared.place(content, &renames, ignore_lines);
            for row in content.rows() {
                let Some(&site) = usize::try_from(row.stack).ok().and_then(|s| placed.site.get(s)) else {
                    continue;
                };
                let bytes = sites.entry(site).or_insert_with(|| vec![0; peers.len()]);
                if let Some(own) = bytes.get_mut(i) {
                    *own = own.saturating_add(row.bytes);
                }
            }
        }
        let name = |site: FrameId| {
            let frame = shared.frames.get(site);
            let (file, function) = (shared.strings.get(frame.file), shared.strings.get(frame.function));
            site_name(file, frame.line, function, ignore_lines)
        };
        let sites = sites.into_iter().filter(|(site, _)| !site.is_none());
        Parts { categories, sites: sites.map(|(site, bytes)| (name(site), bytes)).collect() }
    }

    /// What differs from the median as oddly as the whole does.
    fn because(&self, rank: usize, diff: i64) -> Vec<Because> {
        let mut all = Vec::new();
        for (kind, parts) in [("category", &self.categories), ("call_site", &self.sites)] {
            let mut odd: Vec<Because> = parts
                .iter()
                .filter_map(|(key, bytes)| {
                    let (middle, deviation) = spread(bytes, FLOOR);
                    let because = reason(kind, key.clone(), bytes.get(rank).copied()?, middle);
                    let far = because.diff_bytes.unsigned_abs() as f64 > DEVIATIONS * deviation;
                    (far && explains(&because, diff)).then_some(because)
                })
                .collect();
            odd.arrange_by(|a, b| {
                let order = |b: &Because| Reverse(b.diff_bytes.unsigned_abs());
                order(a).cmp(&order(b)).then_with(|| a.key.cmp(&b.key))
            });
            odd.truncate(NAMED);
            all.extend(odd);
        }
        all
    }
}

/// Renames the files of a side to those of the first one.
pub(super) fn to_names_of(
    first: &crate::analysis::compare::Content,
    content: &crate::analysis::compare::Content,
) -> Renames {
    let (of_first, own) = align(first, content);
    let mut back: FastMap<&str, &str> = fast_map();
    for (file, shared) in &of_first {
        back.insert(shared, file);
    }
    own.iter()
        .filter_map(|(file, shared)| Some((file.clone(), (*back.get(shared.as_str())?).to_owned())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_never_nothing() {
        assert_eq!(spread(&[5, 1, 3, 2, 4], FLOOR), (3, 1.0));
        assert_eq!(spread(&[1_000_000; 8], FLOOR), (1_000_000, 1000.0));
        assert_eq!(spread(&[], FLOOR), (0, 1.0));
        assert_eq!((median(vec![40, 10, 30, 20]), median(vec![7])), (25, 7));
    }

    #[test]
    fn ranks_that_scatter_evenly_are_not_odd() {
        let peaks = [82_096, 82_518, 82_068, 82_168, 82_668, 87_050, 82_718, 82_118];
        let (middle, deviation) = spread(&peaks, FLOOR);
        let odd = |peak: u64| peak.abs_diff(middle) as f64 > DEVIATIONS * deviation;
        assert_eq!(peaks.map(odd), [false, false, false, false, false, true, false, false]);
    }
}
