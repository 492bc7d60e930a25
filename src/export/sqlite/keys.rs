//! The cells of one column that an index needs, gathered while its table is written.
//!
//! What is indexed here are handles, numbers of events and words of few kinds. They become small numbers
//! in the order of the cells, so that putting rows in order is counting.

use crate::export::tables::{Type, Value};
use crate::model::{Arrange, StringId, StringTable};

/// One indexed column.
pub(super) struct Keys {
    pub name: &'static str,
    /// Where it stands in a row.
    at: usize,
    /// Of each row: 0 for null, which sorts before everything, else one more than the number of its cell.
    slots: Vec<u32>,
    /// Values that are no numbers of 32 bits, with their rows.
    far: Vec<(u32, i64)>,
    cells: Cells,
    recent: Recent,
}

/// Which cell a number stands for.
enum Cells {
    /// The number itself.
    Plain,
    /// A value of this list.
    Values(Vec<i64>),
    /// A word: in order of appearance, and once settled by this list of their ids.
    Words(StringTable, Vec<u32>),
}

/// Words of few kinds come again and again: where one of that look was found last.
type Recent = [StringId; 16];

/// The id of a word.
#[inline]
fn id_of(words: &mut StringTable, recent: &mut Recent, word: &str) -> u32 {
    let middle = word.as_bytes().get(word.len() / 2).map_or(0, |&byte| usize::from(byte));
    let last = &mut recent[(middle + word.len()) % 16];
    if last.is_none() || words.get(*last) != word {
        *last = words.intern(word);
    }
    last.0
}

impl Keys {
    pub fn new(name: &'static str, at: usize, holds: Type) -> Keys {
        let cells = match holds {
            Type::Text => Cells::Words(StringTable::default(), Vec::new()),
            _ => Cells::Plain,
        };
        Keys { name, at, slots: Vec::new(), far: Vec::new(), cells, recent: [StringId::NONE; 16] }
    }

    #[inline]
    pub fn push(&mut self, row: &[Value<'_>]) {
        let slot = match (row.get(self.at), &mut self.cells) {
            (Some(&Value::Int(value)), Cells::Plain) => match u32::try_from(value) {
                Ok(value) if value < u32::MAX => value + 1,
                _ => {
                    self.far.push((self.slots.len() as u32, value));
                    0
                }
            },
            (Some(&Value::Text(text)), Cells::Words(words, _)) => id_of(words, &mut self.recent, text) + 1,
            _ => 0,
        };
        self.slots.push(slot);
    }

    /// Numbers the cells in their order.
    pub fn settle(&mut self) {
        match &mut self.cells {
            Cells::Words(words, order) => {
                let word = |id: u32| words.get(StringId(id)).as_bytes();
                *order = (0..words.len() as u32).collect();
                order.arrange_by(|&a, &b| word(a).cmp(word(b)));
                let mut ranks = vec![0_u32; order.len() + 1];
                for (rank, &id) in (1..).zip(order.iter()) {
                    ranks[id as usize + 1] = rank;
                }
                self.slots.iter_mut().for_each(|slot| *slot = ranks[*slot as usize]);
            }
            cells if !self.far.is_empty() => {
                let far = core::mem::take(&mut self.far);
                let near = self.slots.iter().filter(|&&slot| slot > 0).map(|&slot| i64::from(slot) - 1);
                let mut values: Vec<i64> = near.chain(far.iter().map(|&(_, value)| value)).collect();
                values.arrange_by_key(|&value| value);
                values.dedup();
                let slot_of = |value: i64| values.partition_point(|&other| other < value) as u32 + 1;
                for slot in self.slots.iter_mut().filter(|slot| **slot > 0) {
                    *slot = slot_of(i64::from(*slot) - 1);
                }
                far.iter().for_each(|&(row, value)| self.slots[row as usize] = slot_of(value));
                *cells = Cells::Values(values);
            }
            _ => {}
        }
    }

    /// Of each row, a number: rows are in order when these are.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The cell of a row.
    pub fn cell(&self, row: u32) -> Value<'_> {
        let Some(number) = self.slots[row as usize].checked_sub(1) else { return Value::Null };
        match &self.cells {
            Cells::Plain => Value::Int(number.into()),
            Cells::Values(values) => Value::Int(values[number as usize]),
            Cells::Words(words, order) => Value::Text(words.get(StringId(order[number as usize]))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_sort_by_their_bytes() {
        let mut words = Keys::new("w", 0, Type::Text);
        for text in ["oom", "alloc", "", "oom", "free"] {
            words.push(&[Value::Text(text)]);
        }
        words.push(&[Value::Null]);
        words.settle();
        assert_eq!(words.slots(), [4, 2, 1, 4, 3, 0]);
        assert_eq!((words.cell(4), words.cell(5)), (Value::Text("free"), Value::Null));
    }

    #[test]
    fn values_may_be_any() {
        let far = [Some(7), Some(-1), None, Some(i64::MIN), Some(i64::MAX), Some(7), Some(0)];
        for values in [&far[..], &[Some(0), None, Some(i64::from(u32::MAX) - 1)], &[Some(u32::MAX.into())]] {
            let mut keys = Keys::new("k", 0, Type::Integer);
            values.iter().for_each(|&value| keys.push(&[value.into()]));
            keys.settle();
            for (a, row) in values.iter().zip(0..) {
                assert_eq!(keys.cell(row), Value::from(*a));
                for (b, other) in values.iter().zip(0..) {
                    let slot = |row: usize| keys.slots()[row];
                    assert_eq!(a.cmp(b), slot(row as usize).cmp(&slot(other)), "{a:?} {b:?}");
                }
            }
        }
    }
}
