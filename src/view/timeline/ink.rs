//! What bands are drawn with: a colour for each, or its number, so that a pixel can be asked what it shows.
//!
//! One type for all of them, looked up once a band: the drawing itself is then compiled once.

use super::raster::NO_BAND;

/// Tones of bands (RGBA, red in the lowest byte).
#[derive(Clone, Copy, Debug)]
pub struct Ink<'a> {
    tones: Tones<'a>,
    nothing: u32,
    edges: bool,
}

#[derive(Clone, Copy, Debug)]
enum Tones<'a> {
    Numbers,
    InTurn(&'a [u32]),
    Each { colours: &'a [u32], beyond: u32, chosen: u32, mark: u32 },
}

const GREY: u32 = 0xff80_8080;

impl<'a> Ink<'a> {
    /// Each band's number.
    pub const NUMBERS: Ink<'static> = Ink { tones: Tones::Numbers, nothing: NO_BAND, edges: false };

    /// The colours one after another, and from the first again.
    pub fn in_turn(colours: &'a [u32]) -> Ink<'a> {
        let colours = if colours.is_empty() { &[GREY] } else { colours };
        Ink { tones: Tones::InTurn(colours), nothing: 0, edges: true }
    }

    /// A colour for each band; `beyond` is that of bands which have none.
    pub fn each(colours: &'a [u32], beyond: u32) -> Ink<'a> {
        Ink { tones: Tones::Each { colours, beyond, chosen: NO_BAND, mark: 0 }, nothing: 0, edges: true }
    }

    /// The same, with one band set off.
    pub fn marked(self, band: u32, with: u32) -> Ink<'a> {
        match self.tones {
            Tones::Each { colours, beyond, .. } => {
                Ink { tones: Tones::Each { colours, beyond, chosen: band, mark: with }, ..self }
            }
            _ => self,
        }
    }

    /// A pixel without a band.
    pub fn nothing(&self) -> u32 {
        self.nothing
    }

    /// The pixel of a band.
    #[inline(always)]
    pub fn tone(&self, band: u32) -> u32 {
        match self.tones {
            Tones::Numbers => band,
            Tones::InTurn(colours) => colours[band as usize % colours.len()],
            Tones::Each { colours, beyond, chosen, mark } => match colours.get(band as usize) {
                Some(_) if band == chosen => mark,
                Some(&colour) => colour,
                None => beyond,
            },
        }
    }

    /// The topmost pixel of a band high enough to be set off from the next.
    #[inline]
    pub fn edge(&self, tone: u32) -> u32 {
        if self.edges { darker(tone) } else { tone }
    }
}

/// The colour at three quarters of its brightness, as opaque as before.
fn darker(rgba: u32) -> u32 {
    rgba - ((rgba >> 2) & 0x003f_3f3f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_band_is_set_off_and_what_has_no_colour_gets_the_one_for_that() {
        let ink = Ink::each(&[10, 20], 99).marked(1, 7);
        assert_eq!([0, 1, 2].map(|band| ink.tone(band)), [10, 7, 99]);
        assert_eq!([0, 1, 2].map(|band| Ink::in_turn(&[5, 6]).tone(band)), [5, 6, 5]);
        assert_eq!((Ink::in_turn(&[]).tone(3), Ink::NUMBERS.edge(8)), (GREY, 8));
    }
}
