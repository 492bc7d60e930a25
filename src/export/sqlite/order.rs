//! The order of an index's entries.
//!
//! What is indexed here are handles, numbers of events and words of few kinds: small ranges, put in
//! order by counting, column by column from the last to the first. Only a column of far-off values
//! is sorted by comparing.

use crate::export::tables::{Type, Value};
use crate::model::{Arrange, StringTable};

/// Null, which sorts before everything.
const NULL: i64 = i64::MIN;

/// One indexed column, gathered while its table is written.
pub(super) struct Keys {
    pub name: &'static str,
    /// Where it stands in a row.
    at: usize,
    values: Vec<i64>,
    /// The words that values number, for a column of text: first in order of appearance, in the end sorted.
    words: Option<StringTable>,
    sorted: Vec<u32>,
}

impl Keys {
    pub fn new(name: &'static str, at: usize, holds: Type) -> Keys {
        let words = (holds == Type::Text).then(StringTable::default);
        Keys { name, at, values: Vec::new(), words, sorted: Vec::new() }
    }

    #[inline]
    pub fn push(&mut self, row: &[Value<'_>]) {
        let value = match (row.get(self.at), &mut self.words) {
            (Some(&Value::Int(value)), None) => value.max(NULL + 1),
            (Some(&Value::Text(text)), Some(words)) => i64::from(words.intern(text).0),
            _ => NULL,
        };
        self.values.push(value);
    }

    /// Numbers the words in their order.
    pub fn settle(&mut self) {
        let Some(words) = &self.words else { return };
        let word = |id: u32| words.get(crate::model::StringId(id));
        let mut sorted: Vec<u32> = (0..words.len() as u32).collect();
        sorted.arrange_by(|&a, &b| word(a).as_bytes().cmp(word(b).as_bytes()));
        let mut rank = vec![0_i64; sorted.len()];
        for (place, &id) in sorted.iter().enumerate() {
            rank[id as usize] = place as i64;
        }
        for value in self.values.iter_mut().filter(|value| **value != NULL) {
            *value = rank[*value as usize];
        }
        self.sorted = sorted;
    }

    /// The cell of a row.
    pub fn cell(&self, row: u32) -> Value<'_> {
        match (self.values[row as usize], &self.words) {
            (NULL, _) => Value::Null,
            (value, None) => Value::Int(value),
            (value, Some(words)) => {
                Value::Text(words.get(crate::model::StringId(self.sorted[value as usize])))
            }
        }
    }
}

/// The rows in the order of the columns, and of the rows where these are equal.
pub(super) fn order(rows: usize, columns: &[&Keys]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    let ordered = |a: u32, b: u32| {
        let of = |row: u32| columns.iter().map(move |keys| keys.values[row as usize]);
        of(a).le(of(b))
    };
    if order.windows(2).all(|pair| ordered(pair[0], pair[1])) {
        return order;
    }
    for keys in columns.iter().rev() {
        by_column(&mut order, &keys.values);
    }
    order
}

/// Sorts by one column and leaves rows of one value as they are.
fn by_column(order: &mut Vec<u32>, values: &[i64]) {
    let known = || values.iter().filter(|&&value| value != NULL);
    let Some((&least, &most)) = known().min().zip(known().max()) else { return };
    let range = most.abs_diff(least);
    if range > values.len() as u64 * 4 + 65_536 {
        order.arrange_by_key(|&row| values[row as usize]);
        return;
    }
    let slot = |row: u32| match values[row as usize] {
        NULL => 0,
        value => value.abs_diff(least) as usize + 1,
    };
    let mut starts = vec![0_u32; range as usize + 3];
    for &row in order.iter() {
        starts[slot(row) + 1] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut sorted = vec![0; order.len()];
    for &row in order.iter() {
        let place = &mut starts[slot(row)];
        sorted[*place as usize] = row;
        *place += 1;
    }
    *order = sorted;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(values: &[Option<i64>]) -> Keys {
        let mut keys = Keys::new("k", 0, Type::Integer);
        for &value in values {
            keys.push(&[value.into()]);
        }
        keys
    }

    proptest! {
        #[test]
        fn it_is_the_stable_sort(
            a in prop::collection::vec(prop::option::of(-3..5_i64), 0..60),
            far in prop::bool::ANY,
        ) {
            let a: Vec<Option<i64>> = a.into_iter().map(|v| v.map(|v| if far { v << 50 } else { v })).collect();
            let b: Vec<Option<i64>> = (0..a.len()).map(|i| Some((i as i64 * 7) % 5)).collect();
            let mut expected: Vec<u32> = (0..a.len() as u32).collect();
            expected.sort_by_key(|&row| (a[row as usize], b[row as usize]));
            prop_assert_eq!(order(a.len(), &[&keys(&a), &keys(&b)]), expected);
        }
    }

    #[test]
    fn words_sort_by_their_bytes() {
        let mut words = Keys::new("w", 0, Type::Text);
        for text in ["oom", "alloc", "", "oom", "free"] {
            words.push(&[Value::Text(text)]);
        }
        words.push(&[Value::Null]);
        words.settle();
        assert_eq!(order(6, &[&words]), [5, 2, 1, 4, 0, 3]);
        assert_eq!((words.cell(4), words.cell(5)), (Value::Text("free"), Value::Null));
    }
}
