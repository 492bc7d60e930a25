//! Pickles as PyTorch's C++ `torch::jit::Pickler` writes them.
//!
//! Protocol 2 without frames: an object is memoised with an explicit number *after* it is complete and
//! only when it is shared, texts are memoised by content, lists are appended in one go however long
//! they are, and integers beyond 32 bits take eight bytes, so addresses from 2^63 on turn negative.

use super::value::{Tree, Value};
use std::collections::HashMap;

/// The tree as the C++ writer pickles it.
pub fn write(tree: &Tree) -> Vec<u8> {
    let mut writer =
        Writer { tree, out: vec![0x80, 2], memo: 0, texts: HashMap::new(), shared: HashMap::new() };
    writer.value(&tree.root);
    writer.out.push(b'.');
    writer.out
}

struct Writer<'a> {
    tree: &'a Tree,
    out: Vec<u8>,
    memo: u32,
    texts: HashMap<&'a str, u32>,
    shared: HashMap<usize, u32>,
}

impl<'a> Writer<'a> {
    fn put(&mut self) -> u32 {
        let id = self.memo;
        self.memo += 1;
        match u8::try_from(id) {
            Ok(id) => self.out.extend([b'q', id]),
            Err(_) => {
                self.out.push(b'r');
                self.out.extend(id.to_le_bytes());
            }
        }
        id
    }

    fn get(&mut self, id: u32) {
        match u8::try_from(id) {
            Ok(id) => self.out.extend([b'h', id]),
            Err(_) => {
                self.out.push(b'j');
                self.out.extend(id.to_le_bytes());
            }
        }
    }

    fn text(&mut self, text: &'a str) {
        if let Some(&id) = self.texts.get(text) {
            return self.get(id);
        }
        self.out.push(b'X');
        self.out.extend((text.len() as u32).to_le_bytes());
        self.out.extend(text.as_bytes());
        let id = self.put();
        self.texts.insert(text, id);
    }

    fn value(&mut self, value: &'a Value) {
        match value {
            Value::None => self.out.push(b'N'),
            Value::Bool(b) => self.out.push(if *b { 0x88 } else { 0x89 }),
            Value::Int(n) => self.int(*n as i64),
            Value::Float(x) => {
                self.out.push(b'G');
                self.out.extend(x.to_be_bytes());
            }
            Value::Word(text) => self.text(text),
            Value::Text(text) => self.text(text),
            Value::List(items) => {
                self.out.extend([b']', b'(']);
                items.iter().for_each(|item| self.value(item));
                self.out.push(b'e');
            }
            Value::Tuple(items) => {
                let long = items.is_empty() || items.len() > 3;
                if long {
                    self.out.push(b'(');
                }
                items.iter().for_each(|item| self.value(item));
                self.out.push(if long { b't' } else { 0x84 + items.len() as u8 });
            }
            Value::Dict(entries) => {
                self.out.push(b'}');
                if entries.is_empty() {
                    return;
                }
                self.out.push(b'(');
                for (key, item) in entries {
                    self.value(key);
                    self.value(item);
                }
                self.out.push(b'u');
            }
            Value::Shared(id) => match self.shared.get(id) {
                Some(&memo) => self.get(memo),
                None => {
                    let tree = self.tree;
                    self.value(&tree.shared[*id]);
                    let memo = self.put();
                    self.shared.insert(*id, memo);
                }
            },
        }
    }

    fn int(&mut self, n: i64) {
        if let Ok(n) = u8::try_from(n) {
            self.out.extend([b'K', n]);
        } else if let Ok(n) = u16::try_from(n) {
            self.out.push(b'M');
            self.out.extend(n.to_le_bytes());
        } else if let Ok(n) = i32::try_from(n) {
            self.out.push(b'J');
            self.out.extend(n.to_le_bytes());
        } else {
            self.out.extend([0x8a, 8]);
            self.out.extend(n.to_le_bytes());
        }
    }
}
