//! What a band's colour says, and the table of colours that a drawing looks up.
//!
//! Each life gets a class once per choice of colouring; the page brings the colours of the classes, since
//! they belong to its theme. Lives of one class differ a little in lightness, or neighbours would melt
//! into one area.

use crate::model::{Arrange, FastMap, LifeId, Snapshot, fast_map};
use crate::replay::{LifeTable, Replay};
use serde::{Deserialize, Serialize};

/// What the colour stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ColourBy {
    #[default]
    Category,
    CallSite,
    Stream,
    Pool,
    SizeClass,
    /// How long it lives, in events: a power of four a class.
    Age,
}

/// The classes of what is drawn and the name of each class.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    pub of: Vec<u16>,
    pub names: Vec<String>,
}

/// Classes beyond this are one: a palette ends somewhere.
const MOST: usize = 1 << 10;

impl Classes {
    /// Classes of the lives by a key. The first ones, which get the first colours and stand in the legend, are
    /// those that fill most of the drawing: bytes times events.
    pub fn by_key<K: core::hash::Hash + Eq + Copy>(
        replay: &Replay,
        key: impl Fn(LifeId) -> K,
        name: impl Fn(K) -> String,
    ) -> Classes {
        let (lives, end) = (&replay.lives, replay.last_state());
        let events = |life| lives.death(life).min(end).saturating_sub(lives.birth(life));
        let area = |life| u128::from(lives.size(life).0) * u128::from(events(life));
        Classes::by_area(lives.ids().map(|life| (key(life), area(life))), name)
    }

    fn by_area<K: core::hash::Hash + Eq + Copy>(
        lives: impl Iterator<Item = (K, u128)>,
        name: impl Fn(K) -> String,
    ) -> Classes {
        let mut known: FastMap<K, u32> = fast_map();
        let mut keys: Vec<(K, u128)> = Vec::new();
        let found: Vec<u32> = lives
            .map(|(key, area)| {
                let id = *known.entry(key).or_insert_with(|| {
                    keys.push((key, 0));
                    (keys.len() - 1) as u32
                });
                keys[id as usize].1 += area;
                id
            })
            .collect();
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.arrange_by_key(|&id| core::cmp::Reverse(keys[id].1));
        let mut class = vec![0; keys.len()];
        order.iter().enumerate().for_each(|(place, &id)| class[id] = place.min(MOST - 1) as u16);
        Classes {
            of: found.iter().map(|&id| class[id as usize]).collect(),
            names: order.iter().take(MOST).map(|&id| name(keys[id].0)).collect(),
        }
    }

    /// By raw stream value.
    pub fn streams(snapshot: &Snapshot, replay: &Replay) -> Classes {
        Classes::by_key(
            replay,
            |life| replay.lives.stream(snapshot, life),
            |stream| snapshot.streams.get(stream).to_string(),
        )
    }

    /// By memory pool.
    pub fn pools(snapshot: &Snapshot, replay: &Replay) -> Classes {
        Classes::by_key(
            replay,
            |life| snapshot.pools.get(replay.lives.pool(snapshot, &replay.pieces, life)),
            |(a, b)| format!("({a}, {b})"),
        )
    }

    /// By size: a class for each power of four from 512 bytes.
    pub fn sizes(lives: &LifeTable) -> Classes {
        let names = (0..15).map(|class| format!("≤ {}", crate::model::Bytes(512 << (2 * class)))).collect();
        let class = |bytes: u64| (bytes.div_ceil(512).max(1).ilog2().div_ceil(2)).min(14) as u16;
        Classes { of: lives.sizes().iter().map(|size| class(size.0)).collect(), names }
    }

    /// By length of life in events; what never ends within the trace is the last class.
    pub fn ages(lives: &LifeTable) -> Classes {
        // The most events of a class; what never ends has no such number.
        let mut names: Vec<String> = (0..16).map(|class| (1_u64 << (2 * class)).to_string()).collect();
        names.push(String::new());
        let class = |birth: u32, death: u32| match death {
            LifeTable::NEVER => 16,
            _ => death.saturating_sub(birth).max(1).next_power_of_two().ilog2().div_ceil(2).min(15) as u16,
        };
        let of = lives.births().iter().zip(lives.deaths()).map(|(&b, &d)| class(b, d)).collect();
        Classes { of, names }
    }
}

/// The colour of each band: its class's, a little lighter or darker from one to the next, and faded
/// where a search is on and it does not match.
pub fn colour_table(classes: &[u16], palette: &[u32], matches: Option<&[bool]>) -> Vec<u32> {
    if palette.is_empty() {
        return vec![0xff80_8080; classes.len()];
    }
    classes
        .iter()
        .enumerate()
        .map(|(i, &class)| {
            let base = palette[usize::from(class) % palette.len()];
            let shade = shaded(base, (i as u32).wrapping_mul(0x9e37_79b9) >> 30);
            match matches {
                Some(hits) if !hits.get(i).copied().unwrap_or(false) => faded(shade),
                _ => shade,
            }
        })
        .collect()
}

/// One of four lightnesses around the colour.
fn shaded(rgba: u32, step: u32) -> u32 {
    let of_256 = [236, 256, 272, 286][(step & 3) as usize];
    map_channels(rgba, |value| (value * of_256 / 256).min(255))
}

/// Nearly grey and mostly transparent, so that the page's own ground shows.
pub fn faded(rgba: u32) -> u32 {
    let grey = map_channels(rgba, |value| (value + 3 * 128) / 4);
    (grey & 0x00ff_ffff) | 0x4000_0000
}

fn map_channels(rgba: u32, f: impl Fn(u32) -> u32) -> u32 {
    let part = |shift: u32| f(rgba >> shift & 0xff) << shift;
    part(0) | part(8) | part(16) | (rgba & 0xff00_0000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives_of_a_class_differ_in_lightness_only() {
        let table = colour_table(&[1, 1, 1, 0], &[0xff00_0000, 0xff64_6464], None);
        assert!(table[..3].iter().all(|c| (80..120).contains(&(c & 0xff)) && c >> 24 == 0xff));
        assert_ne!(table[0], table[1]);
        assert_eq!(table[3], 0xff00_0000);
    }

    #[test]
    fn classes_that_fill_most_come_first() {
        let lives = [("small", 9), ("two", 10), ("brief", 3), ("two", 1)];
        let classes = Classes::by_area(lives.into_iter(), str::to_owned);
        assert_eq!((classes.names.join(" "), classes.of), ("two small brief".to_owned(), vec![1, 0, 2, 0]));
    }

    #[test]
    fn what_does_not_match_fades() {
        let table = colour_table(&[0, 0], &[0xff00_00ff], Some(&[true, false]));
        assert_eq!((table[0] >> 24, table[1] >> 24), (0xff, 0x40));
    }
}
