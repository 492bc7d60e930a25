//! Changes inputs the way damage and malice do.

/// A small generator of random numbers (xorshift); the same seed gives the same run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`, 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }
}

/// Pieces that mean something to one of the readers.
const WORDS: &[&[u8]] = &[
    b"]",
    b"}",
    b"(",
    b"e",
    b"u",
    b"a",
    b"s",
    b".",
    b"0",
    b"1",
    b"2",
    b")",
    b"l",
    b"d",
    b"t",
    b"N",
    b"\x94",
    b"h\0",
    b"j\0\0\0\0",
    b"q\x05",
    b"r\xff\xff\xff\xff",
    b"\x8a\x09",
    b"\x8d\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"cos\nsystem\n",
    b"R",
    b"\x81",
    b"b",
    b"\x93",
    b"\x8f",
    b"\x90",
    b"\x91",
    b"\x95",
    b"X\x06\0\0\0action",
    b"X\x06\0\0\0frames",
    b"X\x06\0\0\0blocks",
    b"X\x08\0\0\0segments",
    b"X\x0d\0\0\0device_traces",
    b"X\x04\0\0\0line",
    b"X\x08\0\0\0filename",
    b"\"segments\"",
    b"[",
    b"{",
    b"]}",
    b",",
    b":",
    b"null",
    b"1e999",
    b"-1",
    b"\"",
    b"\n",
    b"\t",
    b"\r\n",
    b"N/A",
    b"[IMAS]",
    b"\xef\xbb\xbf",
    b"\x1f\x8b\x08\0\0\0\0\0\0\0",
    b"PK\x03\x04",
    b"\"base64\": \"",
    b"18446744073709551616",
    b"4294967295",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\0\0\0\0\0\0\0\x80",
];

/// One of the pool, changed in one to eight places. Every other keeps its length: formats that tell places by their
/// offset would else be torn apart from the first change on.
pub fn mutated(pool: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = pool[random.below(pool.len())].clone();
    if random.below(2) == 0 {
        for _ in 0..=random.below(8) {
            overwrite(&mut bytes, pool, random);
        }
        return bytes;
    }
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len() + 1);
        let most = 1 << random.below(8);
        let len = random.below(most).min(bytes.len() - at);
        match random.below(9) {
            0 => bytes.truncate(at),
            1 | 2 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.next() as u8;
                }
            }
            3 => {
                if let Some(byte) = bytes.get_mut(at) {
                    let bit = random.below(8);
                    *byte ^= 1 << bit;
                }
            }
            4 => drop(bytes.drain(at..at + len)),
            5 => {
                let copy = bytes[at..at + len].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            6 => {
                // A piece many times over.
                let times = random.below(64);
                let copy = bytes[at..at + len.min(64)].repeat(times);
                bytes.splice(at..at, copy);
            }
            7 => {
                let other = &pool[random.below(pool.len())];
                let from = random.below(other.len());
                let most = random.below(256);
                let end = (from + most).min(other.len());
                bytes.splice(at..at, other[from..end].iter().copied());
            }
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                if random.below(2) == 0 {
                    bytes.splice(at..at, word.iter().copied());
                } else {
                    let end = (at + word.len()).min(bytes.len());
                    bytes.splice(at..end, word.iter().copied());
                }
            }
        }
    }
    bytes
}

/// Writes something else over a place.
fn overwrite(bytes: &mut [u8], pool: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len());
    let kind = random.below(5);
    let most = 1 << random.below(8);
    let written: Vec<u8> = match kind {
        0 => vec![random.next() as u8],
        1 => vec![bytes.get(at).map_or(0, |byte| byte ^ (1 << random.below(8)))],
        2 => WORDS[random.below(WORDS.len())].to_vec(),
        3 => {
            let from = random.below(bytes.len());
            bytes[from..].iter().take(most).copied().collect()
        }
        _ => {
            let other = &pool[random.below(pool.len())];
            let from = random.below(other.len());
            other[from..].iter().take(most).copied().collect()
        }
    };
    for (place, byte) in bytes.iter_mut().skip(at).zip(written) {
        *place = byte;
    }
}
