//! GE logs: generated ones whose truth is known, and published figures.

mod damage;
mod perfetto;
mod published;
mod truth;
