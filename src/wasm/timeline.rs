//! The timeline's answers: a window drawn into a buffer of the page's, and what stands at a pixel of it.

use super::error::WireError;
use super::loaded::Loaded;
use super::protocol::{Reply, TimelineRequest};
use crate::analysis::attribution::{Attributed, Category};
use crate::model::{Device, LifeId};
use crate::replay::OUTLINED;
use crate::view::axis::{AxisKind, Grid, Window};
use crate::view::lanes::{Spans, flags};
use crate::view::line::states_in;
use crate::view::timeline::{
    Classes, ColourBy, Ink, Matches, Scene, Subject, View, colour_table, faded, search,
};
use js_sys::{ArrayBuffer, Uint8ClampedArray, Uint32Array};
use std::cell::RefCell;

/// The widest and highest drawing, so that a wrong request does not take all memory.
const MOST_PIXELS: u32 = 16_384;

/// What is kept from one drawing of a device to the next.
#[derive(Default)]
pub struct TimelineState {
    scene: Scene,
    subject: Subject,
    pixels: Vec<u32>,
    classes: Option<(ColourBy, Classes)>,
    matches: Option<(String, Matches)>,
    /// The colours of the lives, and what they were made for.
    colours: Vec<u32>,
    coloured: Option<(ColourBy, String, Vec<u32>)>,
    /// What the pixels were inked with: the colours of curves and bands, and the band that is set off.
    inked: Option<(Vec<u32>, Vec<u32>, Option<u32>)>,
    spans: Option<(AxisKind, Spans)>,
}

thread_local! {
    /// A buffer that the page is done with, to be filled again: fresh ones cost as much as the drawing.
    static RECYCLED: RefCell<Option<ArrayBuffer>> = const { RefCell::new(None) };
}

/// Takes back the buffer of an earlier reply.
pub fn recycle(buffer: Option<ArrayBuffer>) {
    RECYCLED.with(|slot| *slot.borrow_mut() = buffer);
}

fn to_page(pixels: &[u32]) -> Uint8ClampedArray {
    let length = (pixels.len() * 4) as u32;
    let target =
        RECYCLED.with(|slot| slot.borrow_mut().take()).filter(|buffer| buffer.byte_length() == length);
    let target = match target {
        Some(buffer) => Uint8ClampedArray::new(&buffer),
        None => Uint8ClampedArray::new_with_length(length),
    };
    // Seen as 32-bit numbers the pixels go over in one copy; wasm and every browser are little-endian.
    Uint32Array::new(&target.buffer()).copy_from(pixels);
    target
}

fn numbers(values: impl Iterator<Item = u32>) -> Uint32Array {
    values.collect::<Vec<u32>>().as_slice().into()
}

impl Loaded {
    pub fn timeline(&self, request: &TimelineRequest) -> Result<Reply, WireError> {
        let device = request.device;
        let memory = self.memory(device)?;
        let axis = self.axis(device, request.axis)?;
        let events = &memory.snapshot.events;
        let whole = axis.whole();
        let from = request.from.unwrap_or(whole.from).clamp(whole.from, whole.to);
        let window = Window { from, to: request.to.unwrap_or(whole.to).clamp(from, whole.to) };
        let (width, height) = (request.width.clamp(1, MOST_PIXELS), request.height.clamp(1, MOST_PIXELS));
        let ranges = axis.columns(events, window, width);
        let mut state = self.analysed(device)?.timeline.borrow_mut();
        let state = &mut *state;
        state.subject = request.subject;
        let view = View {
            subject: request.subject,
            ranges: &ranges,
            grid: Grid::new(window, width),
            bytes: request.bytes,
            rows: height,
            curves: request.curves,
        };
        let bytes = state.scene.look(memory.replay, &view);
        let legend = state.paint(&memory, request);
        let mut marks = self.marks(device)?.columns(&ranges);
        if let Some((_, matches)) = state.matches.as_ref().filter(|(text, _)| *text == request.search) {
            for (mark, begins) in marks.iter_mut().zip(matches.begin_in(memory.replay, &ranges)) {
                *mark |= if begins { flags::MATCH } else { 0 };
            }
        }
        if state.spans.as_ref().is_none_or(|(kind, _)| *kind != request.axis) {
            state.spans =
                Some((request.axis, Spans::find(memory.snapshot, device, axis, self.steps(device)?)));
        }
        let spans = state.spans.as_ref().map(|(_, spans)| spans.within(window, width)).unwrap_or_default();
        let shown = states_in(axis, events, memory.replay, window);
        let columns = state.scene.columns();
        let column_bytes: Vec<f64> = columns.bytes.iter().map(|&b| b as f64).collect();
        Ok(Reply::Timeline {
            from: window.from,
            to: window.to,
            extent: (whole.from, whole.to),
            states: (shown.start, shown.end),
            origin_ms: (request.axis == AxisKind::Time).then(|| axis.start().0 as f64 / 1e6),
            bytes: (bytes.bottom, bytes.top),
            pixels: to_page(&state.pixels),
            columns: columns.states.as_slice().into(),
            column_bytes: column_bytes.as_slice().into(),
            marks: marks.as_slice().into(),
            span_lanes: spans.lanes.as_slice().into(),
            span_bounds: spans.bounds.as_slice().into(),
            span_names: spans.names,
            legend,
        })
    }

    pub fn timeline_hit(&self, device: Device, x: u32, y: u32) -> Result<Reply, WireError> {
        let memory = self.memory(device)?;
        let mut state = self.analysed(device)?.timeline.borrow_mut();
        let at = state.scene.state_of(x).unwrap_or(0);
        let band = state.scene.band_at(memory.snapshot, memory.replay, x, y);
        let (mut life, mut name, mut bytes, mut sharing) = (None, None, None, 0);
        let pool_name = |pool| {
            let (a, b) = memory.snapshot.pools.get(pool);
            format!("({a}, {b})")
        };
        match (state.subject, band) {
            (_, None) => {}
            (Subject::Allocations, Some(id)) => {
                life = memory.life_line(LifeId(id));
                sharing = state.scene.lives_in_pixel(memory.replay, x, y, 10_000).len() as u32;
            }
            (Subject::Segments, Some(id)) => {
                if let Some(piece) = memory.replay.pieces.rows().get(id as usize) {
                    let stream = memory.snapshot.streams.get(piece.stream);
                    name = Some(format!("0x{} · {} · {stream}", piece.address, pool_name(piece.pool)));
                    bytes = Some(piece.size.0);
                }
            }
            (Subject::Pools, Some(id)) => match (state.scene.envelope(id), state.scene.pools()) {
                (Some(pool), Some(pools)) => {
                    let kept = pools.kept(memory.replay, at);
                    name = Some(pool_name(pool));
                    bytes =
                        pools.private().position(|each| each == pool).and_then(|i| kept.get(i)).map(|b| b.0);
                }
                _ => life = memory.life_line(LifeId(id)),
            },
        }
        let values = OUTLINED.map(|kind| memory.replay.value(kind, at).0);
        Ok(Reply::TimelineHit {
            state: at,
            event: i64::from(at) - 1,
            life,
            lives_in_pixel: sharing,
            band: name,
            band_bytes: bytes,
            reserved: values[0],
            active: values[1],
            requested: values[2],
        })
    }

    pub fn timeline_search(&self, device: Device, text: &str) -> Result<Reply, WireError> {
        let memory = self.memory(device)?;
        let mut state = self.analysed(device)?.timeline.borrow_mut();
        let matches = state.find(&memory, text);
        Ok(Reply::TimelineSearch {
            count: matches.lives.len() as u64,
            bytes: matches.bytes,
            lives: numbers(matches.lives.iter().map(|life| life.0)),
            births: numbers(matches.lives.iter().map(|&life| memory.lives().birth(life))),
        })
    }
}

impl TimelineState {
    fn find(&mut self, memory: &Attributed<'_>, text: &str) -> &Matches {
        if self.matches.as_ref().is_none_or(|(known, _)| known != text) {
            self.matches = Some((text.to_owned(), search(memory.snapshot, memory.replay, text)));
        }
        &self.matches.get_or_insert_with(Default::default).1
    }

    /// Paints the last drawing and returns the names of its classes.
    fn paint(&mut self, memory: &Attributed<'_>, request: &TimelineRequest) -> Vec<String> {
        let palette = &request.palette;
        let inks = request.inks.as_slice();
        let inked = Some((request.inks.clone(), palette.clone(), request.chosen));
        let mut new = self.inked != inked;
        self.inked = inked;
        if request.subject == Subject::Segments {
            self.scene.paint(
                memory.snapshot,
                memory.replay,
                Ink::in_turn(palette),
                inks,
                new,
                &mut self.pixels,
            );
            return Vec::new();
        }
        let wanted = (request.colour_by, request.search.clone(), palette.clone());
        if self.coloured.as_ref() != Some(&wanted) {
            if !request.search.is_empty() {
                self.find(memory, &request.search);
            }
            if self.classes.as_ref().is_none_or(|(by, _)| *by != request.colour_by) {
                self.classes = Some((request.colour_by, classes(memory, request.colour_by)));
            }
            let hits =
                self.matches.as_ref().filter(|_| !request.search.is_empty()).map(|(_, m)| m.hits.as_slice());
            let of: &[u16] = self.classes.as_ref().map_or(&[], |(_, classes)| &classes.of);
            self.colours = colour_table(of, palette, hits);
            self.coloured = Some(wanted);
            new = true;
        }
        // What is no life is the idle part of a private pool.
        let mut ink = Ink::each(&self.colours, faded(0xff80_8080));
        if let Some(chosen) = request.chosen {
            ink = ink.marked(chosen, inks.get(OUTLINED.len()).copied().unwrap_or(u32::MAX));
        }
        self.scene.paint(memory.snapshot, memory.replay, ink, inks, new, &mut self.pixels);
        self.classes.as_ref().map_or_else(Vec::new, |(_, classes)| classes.names.clone())
    }
}

fn classes(memory: &Attributed<'_>, by: ColourBy) -> Classes {
    match by {
        ColourBy::Category => Classes {
            of: memory.lives().ids().map(|life| memory.category(life) as u16).collect(),
            names: Category::ALL.iter().map(|category| category.id().to_owned()).collect(),
        },
        ColourBy::CallSite => {
            Classes::by_key(memory.replay, |life| memory.site(life).0, |frame| memory.frame_label(frame))
        }
        ColourBy::Stream => Classes::streams(memory.snapshot, memory.replay),
        ColourBy::Pool => Classes::pools(memory.snapshot, memory.replay),
        ColourBy::SizeClass => Classes::sizes(memory.lives()),
        ColourBy::Age => Classes::ages(memory.lives()),
    }
}
