//! What can still be used when a file ends or breaks in the middle.
//!
//! The stack holds the containers that were open: a batch is a mark and items above it, a lone item
//! lies right above its list. They are closed from the inside out as they stand; only an entry that is
//! not complete (an event without its size, say) is dropped.

use super::builder::Builder;
use super::handle::{Handle, tag};

impl Builder {
    /// Closes everything that is open; the outermost value, if there is one.
    pub fn unwind(&mut self) -> Option<Handle> {
        while let Some(mark) = self.marks.pop() {
            let mark = mark.min(self.stack.len());
            let Some(below) = mark.checked_sub(1) else {
                // A list or tuple that began with its mark.
                self.close_items(0);
                self.list_from(0);
                continue;
            };
            let Some(&target) = self.stack.get(below) else { continue };
            let target = self.heap.resolve(target);
            match target.tag() {
                tag::DICT if below == 0 => {
                    self.close_pairs(mark);
                    // The values were just paired with keys, so this cannot fail.
                    let _ = self.set_from(mark, false);
                }
                tag::LIST => {
                    self.close_items(mark);
                    let _ = self.append_from(mark, true);
                }
                // An entry that was being filled.
                tag::DICT => self.stack.truncate(below),
                _ => self.stack.truncate(mark),
            }
        }
        let &top = self.stack.first()?;
        let top = self.heap.resolve(top);
        if top.tag() == tag::DICT {
            self.close_pairs(1);
            let _ = self.set_from(1, false);
        } else if top.tag() == tag::LIST {
            self.close_items(1);
            let _ = self.append_from(1, true);
        }
        self.stack.first().copied()
    }

    /// Items above `mark`: an entry right after a list belongs into it.
    fn close_items(&mut self, mark: usize) {
        let items = self.stack.split_off(mark.min(self.stack.len()));
        for item in items {
            if item.tag() == tag::DICT {
                // An entry that was being filled.
                continue;
            }
            let item = self.tables.consume(&mut self.heap, item);
            let open =
                self.stack.len() > mark && self.stack.last().is_some_and(|last| last.tag() == tag::LIST);
            if item.is_row() && open {
                self.push_into_last(item);
            } else {
                self.push(item);
            }
        }
    }

    /// Keys and values above `mark`: what stands where a key should be belongs into the value before.
    fn close_pairs(&mut self, mark: usize) {
        let items = self.stack.split_off(mark.min(self.stack.len()));
        let mut innermost = None;
        for item in items {
            let key_is_due = (self.stack.len() - mark).is_multiple_of(2);
            if !key_is_due {
                innermost = Some(item);
                self.push(item);
            } else if item.tag() == tag::TEXT {
                innermost = None;
                self.push(item);
            } else if item.tag() != tag::DICT
                && let Some(list) = innermost.filter(|list| list.tag() == tag::LIST)
            {
                let item = self.tables.consume(&mut self.heap, item);
                self.append_to(list, item);
                if item.tag() == tag::LIST {
                    innermost = Some(item);
                }
            }
        }
        if !(self.stack.len() - mark).is_multiple_of(2) {
            self.stack.pop();
        }
    }

    fn push_into_last(&mut self, item: Handle) {
        if let Some(&list) = self.stack.last() {
            self.append_to(list, item);
        }
    }

    fn append_to(&mut self, list: Handle, item: Handle) {
        if let Some(slot) = self.heap.slot_mut(list) {
            super::heap::append(&mut slot.body, item);
        }
    }
}
