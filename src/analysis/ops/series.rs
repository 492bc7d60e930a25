//! A curve over time that is not a trace's: samples and totals of profilers.
//!
//! A window of it is answered by pixel columns with first, minimum, maximum and last, so that no peak is
//! ever lost; blocks of 64 points know their extremes, so that a column of a million points costs
//! a thousand steps.

use crate::model::Arrange;
use serde::Serialize;

const BLOCK: usize = 64;

/// A step function: each value holds until the next time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeSeries {
    times: Vec<i64>,
    values: Vec<i64>,
    /// `(minimum, maximum)` of each full block of points.
    blocks: Vec<(i64, i64)>,
}

/// A window of a series, one entry a column that has something to show. All columns have the same
/// length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SeriesWindow {
    pub column: Vec<u32>,
    pub first: Vec<i64>,
    pub min: Vec<i64>,
    pub max: Vec<i64>,
    pub last: Vec<i64>,
    /// When the column's maximum is first reached.
    pub max_at: Vec<i64>,
}

impl TimeSeries {
    /// From points in any order; of points at the same time all are kept, in the order given.
    pub fn new(mut points: Vec<(i64, i64)>) -> TimeSeries {
        points.arrange_by_key(|&(time, _)| time);
        let (times, values): (Vec<i64>, Vec<i64>) = points.into_iter().unzip();
        let extremes =
            |block: &[i64]| block.iter().fold((i64::MAX, i64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
        let blocks = values.chunks(BLOCK).map(extremes).collect();
        TimeSeries { times, values, blocks }
    }

    pub fn len(&self) -> usize {
        self.times.len()
    }

    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    pub fn times(&self) -> &[i64] {
        &self.times
    }

    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// The last point not after `time`.
    pub fn index_at(&self, time: i64) -> Option<usize> {
        self.times.partition_point(|&t| t <= time).checked_sub(1)
    }

    /// The value in force at `time`; `None` before the first point.
    pub fn at(&self, time: i64) -> Option<i64> {
        self.values.get(self.index_at(time)?).copied()
    }

    /// Time and value of the first of the highest points.
    pub fn peak(&self) -> Option<(i64, i64)> {
        let mut best: Option<(i64, i64)> = None;
        for (&time, &value) in self.times.iter().zip(&self.values) {
            if best.is_none_or(|(_, highest)| value > highest) {
                best = Some((time, value));
            }
        }
        best
    }

    /// `columns` equal parts of `from..to`. A column shows the value in force where it begins and every
    /// point inside; columns before the first point are left out.
    pub fn window(&self, from: i64, to: i64, columns: u32) -> SeriesWindow {
        let mut out = SeriesWindow::default();
        let length = i128::from(to) - i128::from(from);
        if length <= 0 || columns == 0 {
            return out;
        }
        let edge =
            |column: u32| (i128::from(from) + length * i128::from(column) / i128::from(columns)) as i64;
        // A point exactly on an edge begins the column to its right.
        let mut begin = self.times.partition_point(|&t| t < edge(0));
        for column in 0..columns {
            let left = edge(column);
            let end =
                begin + self.times.get(begin..).unwrap_or(&[]).partition_point(|&t| t < edge(column + 1));
            let carried = begin
                .checked_sub(1)
                .filter(|_| self.times.get(begin).is_none_or(|&t| t > left || begin == end));
            let range = carried.unwrap_or(begin)..end;
            if let Some((min, max, at)) = self.extremes(range.clone()) {
                out.column.push(column);
                out.first.push(self.values.get(range.start).copied().unwrap_or(0));
                out.min.push(min);
                out.max.push(max);
                out.last.push(self.values.get(range.end - 1).copied().unwrap_or(0));
                out.max_at.push(self.times.get(at).copied().unwrap_or(left).max(left));
            }
            begin = end;
        }
        out
    }

    /// Minimum, maximum and the first point of the maximum; `None` for no points.
    fn extremes(&self, range: core::ops::Range<usize>) -> Option<(i64, i64, usize)> {
        let (mut min, mut max, mut at) = (i64::MAX, i64::MIN, None);
        let mut i = range.start;
        while i < range.end.min(self.values.len()) {
            if i.is_multiple_of(BLOCK) && i + BLOCK <= range.end {
                let &(low, high) = self.blocks.get(i / BLOCK)?;
                min = min.min(low);
                if high > max {
                    max = high;
                    at = self.values.get(i..i + BLOCK)?.iter().position(|&v| v == high).map(|p| i + p);
                }
                i += BLOCK;
            } else {
                let &value = self.values.get(i)?;
                min = min.min(value);
                if value > max {
                    (max, at) = (value, Some(i));
                }
                i += 1;
            }
        }
        Some((min, max, at?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_column_begins_with_the_value_in_force() {
        let series = TimeSeries::new(vec![(10, 5), (20, 9), (25, 1), (40, 3)]);
        let window = series.window(0, 50, 5);
        assert_eq!(window.column, [1, 2, 3, 4]);
        assert_eq!(window.first, [5, 9, 1, 3]);
        assert_eq!(window.max, [5, 9, 1, 3]);
        assert_eq!(window.last, [5, 1, 1, 3]);
        assert_eq!(window.max_at, [10, 20, 30, 40]);
        assert_eq!(series.window(21, 24, 1).max, [9]);
        assert_eq!((series.at(9), series.at(10), series.at(39)), (None, Some(5), Some(1)));
        assert_eq!(series.peak(), Some((20, 9)));
        assert!(series.window(5, 5, 3).column.is_empty());
    }

    proptest! {
        #[test]
        fn no_peak_is_lost_at_any_zoom(
            steps in prop::collection::vec((0_i64..30, -50_i64..50), 1..400),
            from in -100_i64..3000, length in 1_i64..6000, columns in 1_u32..40,
        ) {
            let mut time = 0;
            let points: Vec<(i64, i64)> = steps.iter().map(|&(gap, value)| { time += gap; (time, value) }).collect();
            let series = TimeSeries::new(points.clone());
            let window = series.window(from, from + length, columns);
            let carried = points.iter().rev().find(|p| p.0 < from).filter(|_| points.iter().all(|p| p.0 != from));
            let shown: Vec<i64> = points.iter().filter(|p| from <= p.0 && p.0 < from + length).chain(carried).map(|p| p.1).collect();
            prop_assert_eq!(window.max.iter().max(), shown.iter().max());
            prop_assert_eq!(window.min.iter().min(), shown.iter().min());
            if let Some(peak) = series.peak() && from <= peak.0 && peak.0 < from + length {
                prop_assert!(window.max_at.contains(&peak.0));
            }
        }
    }
}
