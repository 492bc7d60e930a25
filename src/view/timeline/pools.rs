//! Private pools as envelopes: what a pool keeps for itself stands around what it holds.
//!
//! Allocations of the default pool are stacked as always; on top of them stands each private pool, its
//! allocations from the bottom and the rest of its segments above them as one band of its own. The space
//! that graph capture sets aside and leaves idle is then seen, where plain bands would hide it.

use super::ink::Ink;
use super::paint::Picture;
use super::raster::{ByteAxis, NO_BAND, RowScale};
use super::stack::{Bands, Stacker, leave_empty};
use crate::model::{Bytes, FastMap, PoolId, Snapshot, fast_map};
use crate::replay::{IntervalIndex, Replay};

/// The lives of one pool in columns of their own, in birth order.
#[derive(Clone, Debug, Default)]
struct Group {
    birth: Vec<u32>,
    death: Vec<u32>,
    size: Vec<Bytes>,
    names: Vec<u32>,
    index: IntervalIndex,
    stacker: Stacker,
}

impl Group {
    fn begin(&mut self, ink: Ink<'_>, state: u32) {
        let mut seed = Vec::new();
        self.index.alive(&self.birth, &self.death, state, |place| seed.push(place));
        let Group { birth, death, size, names, index, stacker } = self;
        let bands = Bands { birth, death, size, names: Some(names), index: Some(index) };
        stacker.begin(bands, ink, &seed, state);
    }

    fn advance(&mut self, ink: Ink<'_>, state: u32) {
        let Group { birth, death, size, names, index, stacker } = self;
        stacker.advance(Bands { birth, death, size, names: Some(names), index: Some(index) }, ink, state);
    }
}

/// All pools of a device.
#[derive(Clone, Debug, Default)]
pub struct PoolStacks {
    /// What lies in the default pool, or in none.
    plain: Group,
    private: Vec<(PoolId, Group)>,
    /// For each piece of memory the place of its pool among the private ones.
    of_piece: Vec<Option<u32>>,
    lives: u32,
}

impl PoolStacks {
    pub fn new(snapshot: &Snapshot, replay: &Replay) -> PoolStacks {
        let mut stacks = PoolStacks { lives: replay.lives.len() as u32, ..PoolStacks::default() };
        let mut places: FastMap<PoolId, Option<u32>> = fast_map();
        let mut place_of = |pool: PoolId, private: &mut Vec<(PoolId, Group)>| {
            *places.entry(pool).or_insert_with(|| {
                (snapshot.pools.get(pool) != (0, 0)).then(|| {
                    private.push((pool, Group::default()));
                    private.len() as u32 - 1
                })
            })
        };
        for piece in replay.pieces.rows() {
            stacks.of_piece.push(place_of(piece.pool, &mut stacks.private));
        }
        let lives = &replay.lives;
        for id in lives.ids() {
            let place = place_of(lives.pool(snapshot, &replay.pieces, id), &mut stacks.private);
            let own = place.and_then(|place| stacks.private.get_mut(place as usize));
            let group = own.map_or(&mut stacks.plain, |(_, group)| group);
            group.birth.push(lives.birth(id));
            group.death.push(lives.death(id));
            group.size.push(lives.size(id));
            group.names.push(id.0);
        }
        stacks.plain.index = IntervalIndex::new(&stacks.plain.death);
        for (_, group) in &mut stacks.private {
            group.index = IntervalIndex::new(&group.death);
        }
        stacks
    }

    /// The private pool whose idle part a band number stands for; other numbers are lives.
    pub fn envelope(&self, band: u32) -> Option<PoolId> {
        self.private.get(band.checked_sub(self.lives)? as usize).map(|&(pool, _)| pool)
    }

    /// The private pools, in order of appearance, from the bottom up.
    pub fn private(&self) -> impl Iterator<Item = PoolId> {
        self.private.iter().map(|&(pool, _)| pool)
    }

    /// Bytes of the segments of each private pool at a state.
    pub fn kept(&self, replay: &Replay, state: u32) -> Vec<Bytes> {
        let mut kept = vec![Bytes::ZERO; self.private.len()];
        replay.pieces.there_at(state, |id| self.change(replay, id, &mut kept, |a, b| a + b));
        kept
    }

    /// Goes on to a later state: each change of a segment is looked at once. `next` is the first that is not
    /// in `kept` yet.
    fn keep_up(&self, replay: &Replay, state: u32, next: &mut usize, kept: &mut [Bytes]) {
        let changes = replay.pieces.changes().get(*next..).unwrap_or(&[]);
        for change in changes.iter().take_while(|change| change.event < state) {
            change.opened.clone().for_each(|id| self.change(replay, id, kept, |a, b| a + b));
            for &id in replay.pieces.closed_by(change) {
                self.change(replay, id, kept, |a, b| a - b);
            }
            *next += 1;
        }
    }

    fn change(&self, replay: &Replay, piece: u32, kept: &mut [Bytes], with: fn(Bytes, Bytes) -> Bytes) {
        let place = self.of_piece.get(piece as usize).copied().flatten();
        if let (Some(place), Some(piece)) = (place, replay.pieces.rows().get(piece as usize)) {
            kept[place as usize] = with(kept[place as usize], piece.size);
        }
    }

    /// Draws a column for each of `states`, which must not fall; `bytes` gets where each column ends.
    pub fn draw(
        &mut self,
        replay: &Replay,
        states: &[u32],
        axis: ByteAxis,
        ink: Ink<'_>,
        picture: &mut Picture<'_>,
        bytes: &mut Vec<u64>,
    ) {
        bytes.clear();
        let scale = RowScale::new(axis);
        let Some(&first) = states.first() else { return };
        self.plain.begin(ink, first);
        self.private.iter_mut().for_each(|(_, group)| group.begin(ink, first));
        let mut kept = self.kept(replay, first);
        let mut next = replay.pieces.changes().partition_point(|change| change.event < first);
        let mut drawn: Option<(u32, u64)> = None;
        for &state in states {
            if let Some((_, end)) = drawn.filter(|&(before, _)| before == state) {
                picture.repeat();
                bytes.push(end);
                continue;
            }
            self.keep_up(replay, state, &mut next, &mut kept);
            self.plain.advance(ink, state);
            self.private.iter_mut().for_each(|(_, group)| group.advance(ink, state));
            picture.column(|before, column| {
                let mut end = self.plain.stacker.paint(ink, &scale, 0, before, column);
                for (place, ((_, group), kept)) in self.private.iter_mut().zip(&kept).enumerate() {
                    let held = group.stacker.paint(ink, &scale, end, before, column);
                    end = end.saturating_add(kept.0).max(held);
                    let idle = scale.first_row(held)..scale.first_row(end);
                    let envelope = self.lives.saturating_add(place as u32).min(NO_BAND - 1);
                    column[idle].fill(ink.tone(envelope));
                }
                bytes.push(end);
                drawn = Some((state, end));
                leave_empty(ink, &scale, end, column)
            });
        }
    }
}
