//! Pickles as CPython's `pickle.dump` writes them, opcode by opcode.
//!
//! What matters to a reader: every container is memoised when it is *opened*, containers are filled in
//! batches of 1000, a lone item is set without a mark, shared objects come back through the memo, and
//! from protocol 4 on the stream is cut into frames of about 64 KiB.

use super::value::{Tree, Value};
use std::collections::HashMap;

const BATCH: usize = 1000;
const FRAME_TARGET: usize = 64 * 1024;

/// The tree as a pickle of protocol 2, 3, 4 or 5.
pub fn write(tree: &Tree, protocol: u8) -> Vec<u8> {
    let mut writer = Writer { protocol, out: vec![0x80, protocol], ..Writer::new(tree) };
    writer.value(&tree.root);
    writer.op(b'.');
    writer.end_frame();
    writer.out
}

struct Writer<'a> {
    tree: &'a Tree,
    protocol: u8,
    out: Vec<u8>,
    frame: Vec<u8>,
    memo: u32,
    words: HashMap<&'static str, u32>,
    shared: HashMap<usize, u32>,
}

impl<'a> Writer<'a> {
    fn new(tree: &'a Tree) -> Self {
        Writer {
            tree,
            protocol: 4,
            out: Vec::new(),
            frame: Vec::new(),
            memo: 0,
            words: HashMap::new(),
            shared: HashMap::new(),
        }
    }

    fn op(&mut self, opcode: u8) {
        self.frame.push(opcode);
    }

    fn end_frame(&mut self) {
        if self.protocol >= 4 && self.frame.len() >= 4 {
            self.out.push(0x95);
            self.out.extend((self.frame.len() as u64).to_le_bytes());
        }
        self.out.append(&mut self.frame);
    }

    /// Remembers the object on top of the stack; its number.
    fn memoise(&mut self) -> u32 {
        let id = self.memo;
        self.memo += 1;
        match (self.protocol, u8::try_from(id)) {
            (4.., _) => self.op(0x94),
            (_, Ok(id)) => self.frame.extend([b'q', id]),
            _ => {
                self.op(b'r');
                self.frame.extend(id.to_le_bytes());
            }
        }
        id
    }

    fn get(&mut self, id: u32) {
        match u8::try_from(id) {
            Ok(id) => self.frame.extend([b'h', id]),
            Err(_) => {
                self.op(b'j');
                self.frame.extend(id.to_le_bytes());
            }
        }
    }

    fn value(&mut self, value: &Value) {
        if self.protocol >= 4 && self.frame.len() >= FRAME_TARGET {
            self.end_frame();
        }
        match value {
            Value::None => self.op(b'N'),
            Value::Bool(true) => self.op(0x88),
            Value::Bool(false) => self.op(0x89),
            Value::Int(n) => self.int(*n),
            Value::Float(x) => {
                self.op(b'G');
                self.frame.extend(x.to_be_bytes());
            }
            Value::Word(text) => match self.words.get(text) {
                Some(&id) => self.get(id),
                None => {
                    self.text(text);
                    let id = self.memoise();
                    self.words.insert(text, id);
                }
            },
            Value::Text(text) => {
                self.text(text);
                self.memoise();
            }
            Value::List(_) | Value::Dict(_) => {
                self.container(value, None);
            }
            Value::Tuple(items) => self.tuple(items),
            Value::Shared(id) => match self.shared.get(id) {
                Some(&memo) => self.get(memo),
                None => {
                    let tree = self.tree;
                    self.container(&tree.shared[*id], Some(*id));
                }
            },
        }
    }

    fn container(&mut self, value: &Value, shared: Option<usize>) {
        self.op(if matches!(value, Value::List(_)) { b']' } else { b'}' });
        let memo = self.memoise();
        if let Some(id) = shared {
            self.shared.insert(id, memo);
        }
        match value {
            Value::List(items) => {
                for batch in items.chunks(BATCH) {
                    if let [item] = batch {
                        self.value(item);
                        self.op(b'a');
                    } else {
                        self.op(b'(');
                        batch.iter().for_each(|item| self.value(item));
                        self.op(b'e');
                    }
                }
            }
            Value::Dict(entries) => {
                for batch in entries.chunks(BATCH) {
                    if batch.len() > 1 {
                        self.op(b'(');
                    }
                    for (key, item) in batch {
                        self.value(key);
                        self.value(item);
                    }
                    self.op(if batch.len() > 1 { b'u' } else { b's' });
                }
            }
            _ => unreachable!("only lists and dictionaries are containers here"),
        }
    }

    fn tuple(&mut self, items: &[Value]) {
        match items.len() {
            0 => return self.op(b')'),
            1..=3 => {
                items.iter().for_each(|item| self.value(item));
                self.op(0x84 + items.len() as u8);
            }
            _ => {
                self.op(b'(');
                items.iter().for_each(|item| self.value(item));
                self.op(b't');
            }
        }
        self.memoise();
    }

    fn text(&mut self, text: &str) {
        match u8::try_from(text.len()) {
            Ok(length) if self.protocol >= 4 => self.frame.extend([0x8c, length]),
            _ => {
                self.op(b'X');
                self.frame.extend((text.len() as u32).to_le_bytes());
            }
        }
        self.frame.extend(text.as_bytes());
    }

    fn int(&mut self, n: i128) {
        match n {
            0..=0xff => self.frame.extend([b'K', n as u8]),
            0x100..=0xffff => {
                self.op(b'M');
                self.frame.extend((n as u16).to_le_bytes());
            }
            _ if i32::try_from(n).is_ok() => {
                self.op(b'J');
                self.frame.extend((n as i32).to_le_bytes());
            }
            _ => {
                // Two's complement in as few bytes as keep the sign: 2^63 takes nine.
                let bytes = n.to_le_bytes();
                let fits = |count: usize| {
                    let shift = 128 - 8 * count as u32;
                    (n << shift) >> shift == n
                };
                let count = (1..=16).find(|&c| fits(c)).unwrap_or(16);
                self.frame.extend([0x8a, count as u8]);
                self.frame.extend(&bytes[..count]);
            }
        }
    }
}
