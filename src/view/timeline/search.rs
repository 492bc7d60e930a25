//! Search over what the timeline draws: by stack text, by address, or by memory_viz's address name.

use crate::model::{Bytes, LifeId, Snapshot};
use crate::replay::Replay;
use crate::view::events::stacks_with_text;
use core::ops::Range;

/// Which lives match, how many, and how much.
#[derive(Clone, Debug, Default)]
pub struct Matches {
    pub hits: Vec<bool>,
    /// The matching lives in birth order, for walking through them.
    pub lives: Vec<LifeId>,
    /// Σ requested bytes of all matches, whenever they lived.
    pub bytes: Bytes,
}

impl Matches {
    /// Whether a match is born in each column: a band too thin for a pixel is then still told of.
    pub fn begin_in(&self, replay: &Replay, ranges: &[Range<u32>]) -> Vec<bool> {
        let from = |state: u32| self.lives.partition_point(|&life| replay.lives.birth(life) < state);
        ranges.iter().map(|range| from(range.start) < from(range.end)).collect()
    }
}

/// Finds lives by what a person types: `b'7f12…_3'` or `0x7f12…` (or plain hexadecimal of at least six
/// digits) is an address that a life covers; anything else is text in a frame's file or function.
pub fn search(snapshot: &Snapshot, replay: &Replay, text: &str) -> Matches {
    let lives = &replay.lives;
    let mut matches = Matches { hits: vec![false; lives.len()], ..Matches::default() };
    let text = text.trim();
    if text.is_empty() {
        return matches;
    }
    let address = parse_address(text);
    let stacks = if address.is_none() { stacks_with_text(snapshot, text) } else { Vec::new() };
    for id in lives.ids() {
        let hit = match address {
            Some(address) => {
                let begin = lives.address(snapshot, id).0;
                address >= begin && address - begin < lives.block_size(id).0.max(1)
            }
            None => stacks.get(lives.stack(snapshot, id).index()).copied().unwrap_or(false),
        };
        if hit {
            matches.hits[id.index()] = true;
            matches.lives.push(id);
            matches.bytes += lives.size(id);
        }
    }
    matches
}

/// An address as people write it; the `_3` of memory_viz's name (the version) is left off.
fn parse_address(text: &str) -> Option<u64> {
    let lower = text.to_lowercase();
    let named = lower.strip_prefix("b'").map(|rest| rest.trim_end_matches('\''));
    let digits = named.or_else(|| lower.strip_prefix("0x")).unwrap_or(&lower);
    let digits = digits.split_once('_').map_or(digits, |(address, _)| address);
    let is_marked = digits.len() != lower.len();
    // Words such as "added" are hexadecimal, too: without a mark it takes six digits, one of them a figure.
    if !is_marked && (digits.len() < 6 || !digits.bytes().any(|b| b.is_ascii_digit())) {
        return None;
    }
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_words() {
        assert_eq!(parse_address("0x7f"), Some(0x7f));
        assert_eq!(parse_address("b'7f0a_3'"), Some(0x7f0a));
        assert_eq!(parse_address("b7f0a_3"), Some(0xb7f0a));
        assert_eq!(parse_address("7f12ab00"), Some(0x7f12_ab00));
        assert_eq!(
            (parse_address("added"), parse_address("decade"), parse_address("adam.py")),
            (None, None, None)
        );
        assert_eq!(parse_address("my_forward"), None);
    }
}
