//! Places in the code and in a trace, as the tables of all commands name them.

use crate::cli::output::Output;
use hbmlens::analysis::attribution::FrameText;

/// `file:line function`; natives without a file are their function.
pub fn place(file: &str, line: u64, function: &str) -> String {
    let function = shorten(function, 100);
    match (file, line) {
        ("" | "??", _) => function,
        (_, 0) => format!("{file} {function}"),
        _ => format!("{file}:{line} {function}"),
    }
}

pub fn frame(frame: &FrameText) -> String {
    place(&frame.file, frame.line, &frame.function)
}

/// A call site, or that no stack names one.
pub fn site(site: Option<&FrameText>, out: &Output) -> String {
    site.map_or_else(|| out.label("row.no_stack").to_owned(), frame)
}

/// The number of an event; what was there before the first has none.
pub fn event(event: i64) -> String {
    if event < 0 { "-".to_owned() } else { event.to_string() }
}

/// Long text without its middle.
fn shorten(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most * 2 / 3).collect();
    let tail: String = text.chars().skip(length - (most - most * 2 / 3 - 1)).collect();
    format!("{head}\u{2026}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shorten("abc", 3), "abc");
        let short = shorten(&"x".repeat(500), 30);
        assert_eq!((short.chars().count(), short.contains('\u{2026}')), (30, true));
        assert_eq!(place("??", 0, "at::empty"), "at::empty");
        assert_eq!(place("a.py", 7, "f"), "a.py:7 f");
    }
}
