//! Series short enough for a report: largest triangle three buckets.
//!
//! Points come one by one and only two buckets of them are held, so ten million events cost no more memory than ten
//! thousand. The rule alone may pass over the highest point of a bucket; the one point that a reader looks
//! for, the maximum, is told in advance and always taken.

/// Points of a series in a report, at most.
pub const MOST: usize = 2000;

/// A point; `x` never falls from one to the next.
pub type Point = (i64, i64);

/// Points between two borders, and the one of them that must stay.
#[derive(Clone, Debug, Default)]
struct Bucket {
    points: Vec<Point>,
    kept: Option<Point>,
}

/// Reduces a series whose length and maximum are known.
#[derive(Debug)]
pub struct Lttb {
    /// Points that will come, and those that have.
    total: u64,
    seen: u64,
    most: u64,
    /// The place of the maximum.
    keep: u64,
    /// The bucket that is being filled, and its number.
    filling: Bucket,
    number: u64,
    /// The bucket before it, which is decided once the one after it is whole.
    waiting: Bucket,
    chosen: Vec<Point>,
}

impl Lttb {
    /// Expects `total` points and keeps `most` (at least 3), the one in the place `keep` among them.
    pub fn new(total: usize, most: usize, keep: u64) -> Lttb {
        Lttb {
            total: total as u64,
            seen: 0,
            most: most.max(3) as u64,
            keep,
            filling: Bucket::default(),
            number: 0,
            waiting: Bucket::default(),
            chosen: Vec::with_capacity(total.min(most)),
        }
    }

    /// Takes the next point.
    pub fn push(&mut self, point: Point) {
        let at = self.seen;
        self.seen += 1;
        if self.total <= self.most || at == 0 {
            self.chosen.push(point);
            return;
        }
        let is_last = at + 1 >= self.total;
        if is_last || at >= self.border() {
            self.number += 1;
            let whole = core::mem::take(&mut self.filling);
            let before = core::mem::replace(&mut self.waiting, whole);
            let next = mean(&self.waiting.points);
            self.decide(&before, next);
        }
        if is_last {
            let before = core::mem::take(&mut self.waiting);
            self.decide(&before, (point.0 as f64, point.1 as f64));
            self.chosen.push(point);
            return;
        }
        if at == self.keep {
            self.filling.kept = Some(point);
        }
        self.filling.points.push(point);
    }

    /// The points that stay.
    pub fn finish(self) -> Vec<Point> {
        self.chosen
    }

    /// The place after the bucket that is being filled: between the first point and the last, `most - 2` buckets
    /// divide the others evenly.
    fn border(&self) -> u64 {
        let (points, buckets) = (self.total - 2, self.most - 2);
        1 + (u128::from(self.number + 1) * u128::from(points) / u128::from(buckets)) as u64
    }

    /// Takes the point that spans the largest triangle with the one taken before and the next bucket's mean.
    fn decide(&mut self, bucket: &Bucket, next: (f64, f64)) {
        let Some(&(x, y)) = self.chosen.last() else { return };
        let before = (x as f64, y as f64);
        let mut best: Option<(f64, Point)> = None;
        for &point in &bucket.points {
            let at = (point.0 as f64, point.1 as f64);
            let area =
                ((before.0 - next.0) * (at.1 - before.1) - (before.0 - at.0) * (next.1 - before.1)).abs();
            if best.is_none_or(|(largest, _)| area > largest) {
                best = Some((area, point));
            }
        }
        self.chosen.extend(bucket.kept.or(best.map(|(_, point)| point)));
    }
}

fn mean(points: &[Point]) -> (f64, f64) {
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 as f64, y + point.1 as f64));
    let count = points.len().max(1) as f64;
    (x / count, y / count)
}

/// At most `most` points of a series, the first of the highest among them.
pub fn reduce(points: &[Point], most: usize) -> Vec<Point> {
    let mut highest: Option<(usize, i64)> = None;
    for (place, &(_, y)) in points.iter().enumerate() {
        if highest.is_none_or(|(_, top)| y > top) {
            highest = Some((place, y));
        }
    }
    let mut reduced = Lttb::new(points.len(), most, highest.map_or(0, |(place, _)| place as u64));
    points.iter().for_each(|&point| reduced.push(point));
    reduced.finish()
}

/// The same of points in one list, `x, y, x, y …`, of whole numbers.
pub fn reduce_floats(points: &[f64]) -> Vec<f64> {
    let points: Vec<Point> = points.as_chunks::<2>().0.iter().map(|&[x, y]| (x as i64, y as i64)).collect();
    reduce(&points, MOST).into_iter().flat_map(|(x, y)| [x as f64, y as f64]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_small_example_by_hand() {
        // Ten points to five: between the first and the last, eight points in three buckets, [1, 2], [3, 4, 5] and
        // [6, 7, 8].
        let ys = [0, 9, 1, 2, 1, 8, 1, 3, 1, 0];
        let points: Vec<Point> = (0..10).zip(ys).collect();
        // Bucket 1 against (0, 0) and the mean (4, 11/3) of the next: twice the areas are |4 * 9 - 11/3| = 32.3
        // for (1, 9), which is the highest of all as well, and |4 * 1 - 22/3| = 3.3 for (2, 1).
        // Bucket 2 against (1, 9) and the mean (7, 5/3): twice the areas are |-6 * -7 + 2 * -22/3| = 27.3 for (3, 2),
        // |-6 * -8 + 3 * -22/3| = 26 for (4, 1) and |-6 * -1 + 4 * -22/3| = 23.3 for (5, 8).
        // Bucket 3 against (3, 2) and (9, 0): |-6 * -1 + 3 * -2| = 0 for (6, 1), |-6 * 1 + 4 * -2| = 14 for (7, 3),
        // |-6 * -1 + 5 * -2| = 4 for (8, 1).
        assert_eq!(reduce(&points, 5), [(0, 0), (1, 9), (3, 2), (7, 3), (9, 0)]);
    }

    #[test]
    fn the_maximum_stays_where_the_rule_would_not_take_it() {
        // From (2, 0) towards (5, 4) the triangle of (3, 30) is the larger one: 86 to 85.
        let points = [(0, 0), (1, 10), (2, 0), (3, 30), (4, 31), (5, 4)];
        let reduced = reduce(&points, 4);
        assert!(reduced.contains(&(4, 31)), "{reduced:?}");
        assert_eq!(reduced.len(), 4);
    }

    #[test]
    fn short_series_stay_whole() {
        for count in 0..=5_i64 {
            let points: Vec<Point> = (0..count).map(|x| (x, 7 - x)).collect();
            assert_eq!(reduce(&points, 5), points);
        }
    }

    proptest! {
        #[test]
        fn first_last_and_highest_are_kept(
            ys in prop::collection::vec(-50_i64..1 << 40, 0..900),
            gaps in prop::collection::vec(0_i64..3, 900),
            most in 3_usize..120,
        ) {
            let mut x = 0;
            let points: Vec<Point> = ys.iter().zip(&gaps).map(|(&y, gap)| { x += gap; (x, y) }).collect();
            let reduced = reduce(&points, most);
            prop_assert_eq!(reduced.len(), points.len().min(most));
            prop_assert_eq!(reduced.first(), points.first());
            prop_assert_eq!(reduced.last(), points.last());
            prop_assert_eq!(reduced.iter().map(|p| p.1).max(), points.iter().map(|p| p.1).max());
            prop_assert!(reduced.windows(2).all(|pair| pair[0].0 <= pair[1].0));
            prop_assert!(reduced.iter().all(|point| points.contains(point)));
        }
    }
}
