//! The order of an index's entries: by its columns, and by the rows' ids where these are equal.

use super::keys::Keys;
use crate::model::Arrange;

/// The rows of a table in the order of an index.
pub(super) struct Order {
    rows: Vec<u32>,
    /// Where each set of equal rows ends, if they were counted.
    ends: Option<Vec<u32>>,
}

/// Puts rows in order.
pub(super) fn order(rows: usize, columns: &[&Keys]) -> Order {
    let in_order = || (0..rows as u32).collect::<Vec<u32>>();
    if is_sorted(rows, columns) {
        return Order { rows: in_order(), ends: None };
    }
    // All columns as one number, if there are not too many for counting.
    let mut sizes = Vec::new();
    let mut range = 1_usize;
    for keys in columns {
        let size = keys.slots().iter().max().map_or(0, |&slot| slot as usize) + 1;
        range = range.saturating_mul(size);
        sizes.push(size as u32);
    }
    if range > rows + (1 << 16) {
        let mut order = in_order();
        let of = |row: u32| columns.iter().map(move |keys| keys.slots()[row as usize]);
        order.arrange_by(|&a, &b| of(a).cmp(of(b)));
        return Order { rows: order, ends: None };
    }
    // One column is looked at as it is.
    let mut together = Vec::new();
    let numbers = match columns {
        [keys] => keys.slots(),
        [] => &[],
        [first, others @ ..] => {
            together.extend_from_slice(first.slots());
            for (keys, size) in others.iter().zip(sizes.iter().skip(1)) {
                together
                    .iter_mut()
                    .zip(keys.slots())
                    .for_each(|(number, slot)| *number = *number * size + slot);
            }
            &together
        }
    };
    count(numbers, range)
}

fn is_sorted(rows: usize, columns: &[&Keys]) -> bool {
    match columns {
        [a] => a.slots().is_sorted(),
        [a, b] => a.slots().iter().zip(b.slots()).is_sorted(),
        _ => (1..rows).all(|row| {
            let of = |row: usize| columns.iter().map(move |keys| keys.slots()[row]);
            of(row - 1).le(of(row))
        }),
    }
}

/// Orders rows by numbers below `range`.
fn count(numbers: &[u32], range: usize) -> Order {
    let mut places = vec![0_u32; range];
    numbers.iter().for_each(|&number| places[number as usize] += 1);
    let mut sum = 0;
    for place in &mut places {
        (sum, *place) = (sum + *place, sum);
    }
    let mut rows = vec![0; numbers.len()];
    for (row, &number) in (0..).zip(numbers) {
        let place = &mut places[number as usize];
        rows[*place as usize] = row;
        *place += 1;
    }
    Order { rows, ends: Some(places) }
}

impl Order {
    /// Hands on the rows, set by set of those that are equal in all columns.
    pub fn each_set<E>(
        &self,
        columns: &[&Keys],
        mut each: impl FnMut(&[u32]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(ends) = &self.ends else {
            let same =
                |&a: &u32, &b: &u32| columns.iter().all(|k| k.slots()[a as usize] == k.slots()[b as usize]);
            return self.rows.chunk_by(same).try_for_each(each);
        };
        let mut start = 0;
        for &end in ends {
            if end > start {
                each(&self.rows[start as usize..end as usize])?;
            }
            start = end;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tables::Type;
    use proptest::prelude::*;

    fn keys(values: &[Option<i64>]) -> Keys {
        let mut keys = Keys::new("k", 0, Type::Integer);
        values.iter().for_each(|&value| keys.push(&[value.into()]));
        keys.settle();
        keys
    }

    /// The sets of rows.
    fn sets(rows: usize, columns: &[&Keys]) -> Vec<Vec<u32>> {
        let mut sets = Vec::new();
        let all: Result<(), ()> = order(rows, columns).each_set(columns, |set| {
            sets.push(set.to_vec());
            Ok(())
        });
        all.unwrap();
        sets
    }

    proptest! {
        #[test]
        fn it_is_the_stable_sort(
            a in prop::collection::vec(prop::option::of(-3..5_i64), 0..60),
            scale in prop::sample::select(vec![1_i64, 1 << 20, 1 << 50]),
            modulus in 1..6_i64,
        ) {
            let a: Vec<Option<i64>> = a.into_iter().map(|v| v.map(|v| v.abs() * scale)).collect();
            let b: Vec<Option<i64>> = (0..a.len()).map(|i| Some((i as i64 * 7) % modulus)).collect();
            let (first, second) = (keys(&a), keys(&b));
            for two in [false, true] {
                let key = |row: u32| (a[row as usize], b[row as usize].filter(|_| two));
                let mut expected: Vec<u32> = (0..a.len() as u32).collect();
                expected.sort_by_key(|&row| key(row));
                let expected: Vec<Vec<u32>> =
                    expected.chunk_by(|&a, &b| key(a) == key(b)).map(<[u32]>::to_vec).collect();
                let columns = if two { vec![&first, &second] } else { vec![&first] };
                prop_assert_eq!(sets(a.len(), &columns), expected);
            }
        }
    }
}
