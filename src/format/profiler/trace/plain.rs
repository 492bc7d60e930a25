//! Events as nearly every trace has them, cut out of the text without a general parser.
//!
//! Three quarters of a trace are call stacks, and nearly all were seen before: they are compared with those, and need
//! not be looked through. Whatever is not plain (another type than expected, an odd key, a value that the window cuts,
//! damage) gives `None` and is left to serde_json; what is taken is what serde_json takes, and read the same. Tests hold
//! the two against each other.

use super::event::{ArgKey, Args, Category, Event, Key, Phase};
use super::stacks::Stacks;
use std::borrow::Cow;

/// Deeper values are left to serde_json.
const DEEPEST: u32 = 32;

/// The event at the front of `text`, and how long it is.
pub fn event<'a>(text: &'a str, stacks: &Stacks) -> Option<(Event<'a>, usize)> {
    let mut scan = Scan { text, at: 0 };
    let mut event = Event::default();
    scan.pass(b'{')?;
    let mut first = true;
    while let Some(key) = scan.key(first)? {
        first = false;
        let key = Key::of(key);
        if let Key::Args = key {
            event.args = scan.args(stacks)?;
            continue;
        }
        let value = scan.value()?;
        match key {
            Key::Phase => event.phase = Phase::of(unquoted(value)?),
            Key::Name => event.name = name(value)?,
            Key::Category => event.category = Category::of(unquoted(value)?),
            Key::Pid => event.pid = value,
            Key::Tid => event.tid = value,
            Key::Ts => event.ts = value,
            Key::Dur => event.dur = value,
            Key::Id => event.id = value,
            Key::Args | Key::Other => {}
        }
    }
    Some((event, scan.at))
}

/// The inside of a text without escapes.
fn unquoted(value: &str) -> Option<&str> {
    let inside = value.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.as_bytes().contains(&b'\\')).then_some(inside)
}

fn name(value: &str) -> Option<Cow<'_, str>> {
    match unquoted(value) {
        Some(name) => Some(Cow::Borrowed(name)),
        None => serde_json::from_slice(value.as_bytes()).ok().map(Cow::Owned),
    }
}

/// Where the first quote, backslash or control character is: eight bytes at a time.
#[inline]
fn mark(text: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut at = 0;
    while let Some(chunk) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*chunk);
        // The high bit of each byte that is zero (and, by the borrow, maybe of bytes behind it; the first counts).
        let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let found = zero(word ^ (ONES * u64::from(b'"'))) | zero(word ^ (ONES * u64::from(b'\\'))) | control;
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = text.get(at..)?;
    rest.iter().position(|&byte| matches!(byte, b'"' | b'\\' | ..0x20)).map(|place| at + place)
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next byte.
    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is no blank; blanks are passed.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.byte()? {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    #[inline]
    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The next key of an object, its colon passed; none where the object closes.
    #[inline]
    fn key(&mut self, first: bool) -> Option<Option<&'a str>> {
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(None);
        }
        if !first {
            self.pass(b',')?;
        }
        self.pass(b'"')?;
        let from = self.at;
        self.at += mark(self.rest())?;
        let key = self.text.get(from..self.at)?;
        self.pass(b'"')?;
        self.pass(b':')?;
        Some(Some(key))
    }

    fn args(&mut self, stacks: &Stacks) -> Option<Args<'a>> {
        let mut args = Args::default();
        self.pass(b'{')?;
        let mut first = true;
        while let Some(key) = self.key(first)? {
            first = false;
            let key = ArgKey::of(key);
            if let ArgKey::CallStack = key {
                self.peek()?;
                if let Some(length) = stacks.at_front(self.rest()) {
                    args.call_stack = self.text.get(self.at..self.at + length)?;
                    self.at += length;
                    continue;
                }
            }
            let value = self.value()?;
            if let Some(slot) = args.slot(key) {
                *slot = value;
            }
        }
        Some(args)
    }

    /// A value as it stands.
    #[inline]
    fn value(&mut self) -> Option<&'a str> {
        self.peek()?;
        let from = self.at;
        match self.byte()? {
            b'"' => self.string()?,
            b'{' | b'[' => self.nested()?,
            _ => self.scalar()?,
        }
        self.text.get(from..self.at)
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.at += mark(self.rest())?;
            match self.byte()? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.at += 1,
                _ => return None,
            }
            match self.byte()? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
                b'u' if self.rest().get(1..5)?.iter().all(u8::is_ascii_hexdigit) => self.at += 5,
                _ => return None,
            }
        }
    }

    /// A number or a word.
    fn scalar(&mut self) -> Option<()> {
        for word in ["true", "false", "null"] {
            if self.rest().starts_with(word.as_bytes()) {
                self.at += word.len();
                return Some(());
            }
        }
        if self.byte()? == b'-' {
            self.at += 1;
        }
        match self.byte()? {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.byte()? == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte()?, b'e' | b'E') {
            self.at += 1;
            if matches!(self.byte()?, b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        // Where the window ends, a number may go on.
        self.byte().map(|_| ())
    }

    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while self.byte()?.is_ascii_digit() {
            self.at += 1;
        }
        (self.at > from).then_some(())
    }

    /// An object or a list, whatever is in it.
    fn nested(&mut self) -> Option<()> {
        // Of each that is open, whether it is an object; the innermost is the lowest bit.
        let (mut open, mut depth) = (0_u64, 0);
        loop {
            match self.peek()? {
                bracket @ (b'{' | b'[') if depth < DEEPEST => {
                    self.at += 1;
                    depth += 1;
                    open = open << 1 | u64::from(bracket == b'{');
                    if self.peek()? != bracket + 2 {
                        if open & 1 == 1 {
                            self.key(true)??;
                        }
                        continue;
                    }
                }
                b'{' | b'[' => return None,
                b'"' => self.string()?,
                _ => self.scalar()?,
            }
            // Behind a value, or before the end of an empty one.
            loop {
                let is_object = open & 1 == 1;
                match self.peek()? {
                    b',' if is_object => {
                        self.key(false)??;
                        break;
                    }
                    b',' => {
                        self.at += 1;
                        break;
                    }
                    b'}' if is_object => {}
                    b']' if !is_object => {}
                    _ => return None,
                }
                self.at += 1;
                depth -= 1;
                open >>= 1;
                if depth == 0 {
                    return Some(());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::StringId;
    use proptest::prelude::*;

    const EVENTS: [&str; 6] = [
        r#"{"ph": "X", "name": "aten::mm", "pid": 1, "tid": "2", "ts": "1779785515000283.161", "dur": 98.24, "cat": "cpu_op", "args": {"Call stack": "a.py(1): f;\r\nb.py(2): g", "Sequence number": -1}}, "#,
        r#"{"ph":"i","name":"[memory]","ts":1.5e3,"args":{"Bytes":-512,"Addr":18446744073709551615,"Device Id":0}},"#,
        r#"{"name":"a\u0041\"\u00e9","args":{"Input Dims":[[1,2],[],[{"x":null},true]],"KB":"5"},"id":0,"cat":"q"}]"#,
        r#"{ "args" : { } , "ph" : "C" , "other" : { "deep" : [ { } ] , "b" : false } } "#,
        r#"{"ph":"M","name":"内存","args":{"name":"x","Total Allocated":0.0}}]"#,
        r#"{"args":[1],"pid":[],"ts":{}}"#,
    ];

    fn event(text: &str) -> Option<(Event<'_>, usize)> {
        super::event(text, &Stacks::default())
    }

    fn theirs(text: &str) -> Option<(Event<'_>, usize)> {
        let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Event<'_>>();
        let event = stream.next()?.ok()?;
        Some((event, stream.byte_offset()))
    }

    #[test]
    fn plain_events_are_taken() {
        for text in &EVENTS[..5] {
            assert!(event(text) == theirs(text) && event(text).is_some(), "{text}");
            // One that the window cuts is not.
            let whole = event(text).map_or(0, |(_, length)| length);
            for cut in (0..whole).filter_map(|end| text.get(..end)) {
                assert!(event(cut).is_none(), "{cut}");
            }
        }
        assert!(event(EVENTS[5]).is_none());
    }

    #[test]
    fn known_stacks_are_taken_whole() {
        let frames = r"/a/b.py(1): f;\r\n".repeat(20);
        let text = |stack: &str| format!(r#"{{"ph":"X","args":{{"Call stack": {stack}}}}} "#);
        let known = format!("\"{frames}\"");
        let mut stacks = Stacks::default();
        stacks.id_of(&known, |_| StringId::new(0));
        for stack in [known.clone(), format!("\"{frames}x\""), known.replace('1', "2"), format!("{known}x")] {
            let text = text(&stack);
            assert!(super::event(&text, &stacks) == theirs(&text), "{stack}");
        }
        let cut = text(&known);
        assert!((0..cut.len() - 1).all(|end| super::event(&cut[..end], &stacks).is_none()));
    }

    #[test]
    fn marks_are_found_at_every_place() {
        for length in 0..20 {
            for (place, byte) in (0..length).flat_map(|p| [b'"', b'\\', 0, 0x1f, b'\n'].map(|byte| (p, byte)))
            {
                for other in [b' ', b'a', 0x7f, 0x80, 0xff, b'!', b'#', b'[', b']'] {
                    let mut text = vec![other; length];
                    assert_eq!(mark(&text), None);
                    text[place] = byte;
                    assert_eq!(mark(&text), Some(place));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_taken_is_what_serde_json_takes(
            which in 0..EVENTS.len(),
            changes in prop::collection::vec((0..200_usize, prop::sample::select(b"{}[]\",:\\ 0-.eE1utn\x01".to_vec()), 0..3_u8), 0..3),
        ) {
            let mut bytes = EVENTS[which].as_bytes().to_vec();
            for (at, byte, how) in changes {
                let at = at % bytes.len();
                match how {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ => drop(bytes.remove(at)),
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            if let Some(taken) = event(&text) {
                prop_assert!(Some(taken) == theirs(&text), "{}", text);
            }
        }
    }
}
