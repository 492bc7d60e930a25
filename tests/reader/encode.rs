//! Values written as pickles in the ways different writers have, and as JSON.

/// A plain value.
#[derive(Clone, PartialEq, Debug)]
pub enum V {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<V>),
    Tuple(Vec<V>),
    Dict(Vec<(&'static str, V)>),
}

/// Who writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Python's text protocol: one APPEND or SETITEM an item.
    Text,
    /// Protocol 2 of Python: numbered memo, batches.
    Numbered,
    /// Protocols 4 and 5 of Python: MEMOIZE, frames, batches.
    Python(u8),
    /// The C++ writer: no batches, memo numbers after the value, integers as signed 64 bits.
    Cpp,
    /// Protocol 4 without any sharing and with FRAME left out.
    Bare,
}

pub const STYLES: [Style; 6] =
    [Style::Text, Style::Numbered, Style::Python(4), Style::Python(5), Style::Cpp, Style::Bare];

struct Encoder {
    out: Vec<u8>,
    style: Style,
    /// Values written before and their memo places: texts, and the dicts of frames.
    memo: Vec<(V, u32)>,
    next: u32,
}

pub fn pickle(value: &V, style: Style) -> Vec<u8> {
    let mut encoder = Encoder { out: Vec::new(), style, memo: Vec::new(), next: 0 };
    match style {
        Style::Text => {}
        Style::Numbered | Style::Cpp => encoder.out.extend([0x80, 2]),
        Style::Python(protocol) => encoder.out.extend([0x80, protocol]),
        Style::Bare => encoder.out.extend([0x80, 4]),
    }
    encoder.value(value);
    encoder.out.push(b'.');
    if let Style::Python(_) = style {
        let body = encoder.out.split_off(2);
        encoder.out.push(0x95);
        encoder.out.extend((body.len() as u64).to_le_bytes());
        encoder.out.extend(body);
    }
    encoder.out
}

impl Encoder {
    fn shares(value: &V) -> bool {
        match value {
            V::Text(_) => true,
            V::Dict(pairs) => pairs.iter().any(|(key, _)| *key == "filename"),
            _ => false,
        }
    }

    fn value(&mut self, value: &V) {
        if Self::shares(value)
            && let Some(&(_, at)) = self.memo.iter().find(|(known, _)| known == value)
        {
            return self.get(at);
        }
        match value {
            V::None => self.out.push(b'N'),
            V::Bool(value) => match self.style {
                Style::Text => self.out.extend(if *value { b"I01\n" } else { b"I00\n" }),
                _ => self.out.push(if *value { 0x88 } else { 0x89 }),
            },
            V::Int(value) => self.int(*value),
            V::Float(value) => match self.style {
                Style::Text => self.out.extend(format!("F{value:?}\n").bytes()),
                _ => {
                    self.out.push(b'G');
                    self.out.extend(value.to_bits().to_be_bytes());
                }
            },
            V::Text(text) => {
                self.text(text);
                self.put(Some(value));
            }
            V::List(items) => self.list(items),
            V::Tuple(items) => self.tuple(items),
            V::Dict(pairs) => self.dict(value, pairs),
        }
    }

    fn int(&mut self, value: i128) {
        let small = u8::try_from(value);
        match (self.style, small, i32::try_from(value)) {
            (Style::Text, ..) if i64::try_from(value).is_ok() => {
                self.out.extend(format!("I{value}\n").bytes())
            }
            (Style::Text, ..) => self.out.extend(format!("L{value}L\n").bytes()),
            (_, Ok(byte), _) => self.out.extend([b'K', byte]),
            (_, _, Ok(word)) => {
                self.out.push(b'J');
                self.out.extend(word.to_le_bytes());
            }
            (Style::Cpp, ..) => {
                self.out.extend([0x8a, 8]);
                self.out.extend((value as u64).to_le_bytes());
            }
            _ => {
                let mut bytes = value.to_le_bytes().to_vec();
                let sign = if value < 0 { 0xff } else { 0 };
                while bytes.len() > 1
                    && bytes.ends_with(&[sign])
                    && (bytes[bytes.len() - 2] & 0x80 != 0) == (value < 0)
                {
                    bytes.pop();
                }
                self.out.extend([0x8a, bytes.len() as u8]);
                self.out.extend(bytes);
            }
        }
    }

    fn text(&mut self, text: &str) {
        match self.style {
            Style::Text => {
                self.out.push(b'V');
                for c in text.chars() {
                    match u32::from(c) {
                        code if c == '\\' || c == '\n' || (0x100..0x10000).contains(&code) => {
                            self.out.extend(format!("\\u{code:04x}").bytes());
                        }
                        code if code >= 0x10000 => self.out.extend(format!("\\U{code:08x}").bytes()),
                        code => self.out.push(code as u8),
                    }
                }
                self.out.push(b'\n');
            }
            Style::Numbered | Style::Cpp => {
                self.out.push(b'X');
                self.out.extend((text.len() as u32).to_le_bytes());
                self.out.extend(text.bytes());
            }
            _ if text.len() < 256 => {
                self.out.extend([0x8c, text.len() as u8]);
                self.out.extend(text.bytes());
            }
            _ => {
                self.out.push(0x8d);
                self.out.extend((text.len() as u64).to_le_bytes());
                self.out.extend(text.bytes());
            }
        }
    }

    fn list(&mut self, items: &[V]) {
        self.out.extend(if self.style == Style::Text { &b"(l"[..] } else { b"]" });
        if self.style != Style::Cpp {
            self.put(None);
        }
        let batch = match self.style {
            Style::Text => 1,
            Style::Cpp => usize::MAX,
            _ => 1000,
        };
        for batch in items.chunks(batch) {
            if let [one] = batch
                && self.style != Style::Cpp
            {
                self.value(one);
                self.out.push(b'a');
                continue;
            }
            self.out.push(b'(');
            batch.iter().for_each(|item| self.value(item));
            self.out.push(b'e');
        }
    }

    fn tuple(&mut self, items: &[V]) {
        let short = (1..=3).contains(&items.len()) && self.style != Style::Text;
        if items.is_empty() && self.style != Style::Text {
            self.out.push(b')');
            return;
        }
        if !short {
            self.out.push(b'(');
        }
        items.iter().for_each(|item| self.value(item));
        self.out.push(if short { 0x84 + items.len() as u8 } else { b't' });
        self.put(None);
    }

    fn dict(&mut self, value: &V, pairs: &[(&'static str, V)]) {
        let shared = Self::shares(value).then_some(value);
        self.out.extend(if self.style == Style::Text { &b"(d"[..] } else { b"}" });
        if self.style != Style::Cpp {
            self.put(shared);
        }
        if self.style == Style::Text || pairs.len() == 1 && self.style != Style::Cpp {
            for (key, value) in pairs {
                self.value(&V::Text((*key).to_owned()));
                self.value(value);
                self.out.push(b's');
            }
        } else if !pairs.is_empty() || self.style == Style::Cpp {
            self.out.push(b'(');
            for (key, value) in pairs {
                self.value(&V::Text((*key).to_owned()));
                self.value(value);
            }
            self.out.push(b'u');
        }
        if self.style == Style::Cpp {
            self.put(shared);
        }
    }

    fn put(&mut self, value: Option<&V>) {
        if self.style == Style::Bare || self.style == Style::Cpp && value.is_none() {
            return;
        }
        let at = self.next;
        self.next += 1;
        match self.style {
            Style::Text => self.out.extend(format!("p{at}\n").bytes()),
            Style::Python(_) => self.out.push(0x94),
            _ if at < 256 => self.out.extend([b'q', at as u8]),
            _ => {
                self.out.push(b'r');
                self.out.extend(at.to_le_bytes());
            }
        }
        if let Some(value) = value {
            self.memo.push((value.clone(), at));
        }
    }

    fn get(&mut self, at: u32) {
        match self.style {
            Style::Text => self.out.extend(format!("g{at}\n").bytes()),
            _ if at < 256 => self.out.extend([b'h', at as u8]),
            _ => {
                self.out.push(b'j');
                self.out.extend(at.to_le_bytes());
            }
        }
    }
}

/// The value as JSON; tuples are arrays.
pub fn json(value: &V) -> String {
    match value {
        V::None => "null".to_owned(),
        V::Bool(value) => value.to_string(),
        V::Int(value) => value.to_string(),
        V::Float(value) => format!("{value:?}"),
        V::Text(text) => serde_json::to_string(text).expect("text is JSON"),
        V::List(items) | V::Tuple(items) => {
            format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(", "))
        }
        V::Dict(pairs) => {
            let pairs: Vec<String> =
                pairs.iter().map(|(key, value)| format!("\"{key}\": {}", json(value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}
