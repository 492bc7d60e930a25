//! Texts for people, as keys with parameters.
//!
//! An analysis says *what* it found (a [`Message`]: a key and typed parameters); the sentence is made
//! here, in the language of the reader, from one catalogue that page and terminal share. A sentence is
//! always one template: nothing is glued together from parts, so it can be translated.

mod catalogue;
mod format;
mod message;
mod template;

pub use catalogue::{Language, keys, label, template_text};
pub use format::{count_text, difference_text, exact_bytes, share_text, time_text};
pub use message::{Message, Param};
