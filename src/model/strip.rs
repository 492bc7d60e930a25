//! Paths stripped from what is shown: no directories, no user names.
//!
//! Files of frames become their last component. Elsewhere (metadata, annotations, settings, messages)
//! whatever looks like a path is cut to its last component, and the owner of a home directory that some
//! path names is called `user`. Names of functions and operators stay unless a path stands in them.

use super::ids::StringId;
use super::profile::{OperatorTable, ProfilerRun, TraceTable};
use super::snapshot::Snapshot;
use super::{FastSet, StringTable, Warnings, fast_set};

/// Directories whose children are named after people.
const HOMES: [&str; 3] = ["home", "users", "user"];
/// Names that are nobody's.
const NOBODY: [&str; 6] = ["user", "users", "public", "shared", "default", "all"];

/// The last component of a path.
pub fn base_name(path: &str) -> &str {
    let whole = path.trim_end_matches(['/', '\\']);
    whole.rsplit(['/', '\\']).next().unwrap_or(whole)
}

/// A text without the directories of the paths in it.
pub fn strip_text(text: &str) -> String {
    strip(text, &fast_set())
}

fn strip(text: &str, people: &FastSet<String>) -> String {
    if !text.contains(['/', '\\']) && people.is_empty() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(ends_word).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let base = if is_path(word) { base_name(word) } else { word };
        out.push_str(if people.contains(base) { "user" } else { base });
        let mut chars = after.chars();
        out.extend(chars.next());
        rest = chars.as_str();
    }
    out
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "\"'`(),;:=<>[]{}|".contains(c)
}

/// Absolute, of a home or of the present directory, or the name of a source file below others.
fn is_path(word: &str) -> bool {
    let Some(slash) = word.find(['/', '\\']) else { return false };
    let first = word.split_at(slash).0;
    let is_rooted = matches!(first, "" | "~" | "." | "..") || first.starts_with('~');
    let has_extension = || {
        base_name(word).rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty()
                && extension.len() <= 4
                && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        })
    };
    word.len() > 1 && (is_rooted || has_extension())
}

/// The people whose home directories a path names.
fn add_people(path: &str, people: &mut FastSet<String>) {
    let mut parts = path.split(['/', '\\']).peekable();
    while let Some(part) = parts.next() {
        let is_home = HOMES.iter().any(|home| part.eq_ignore_ascii_case(home));
        let Some(&name) = parts.peek().filter(|_| is_home) else { continue };
        // The name of a file is no person's.
        if name.len() > 2 && !name.contains('.') && !NOBODY.contains(&name.to_ascii_lowercase().as_str()) {
            people.insert(name.to_owned());
        }
    }
}

/// How the texts of one table are shown: `files` are paths, `names` are left alone where they can be.
fn show(strings: &mut StringTable, files: &FastSet<StringId>, names: &FastSet<StringId>) -> FastSet<String> {
    let mut people = fast_set();
    for &file in files {
        add_people(strings.original(file), &mut people);
    }
    let nobody = fast_set();
    strings.show(|id, text| {
        if files.contains(&id) {
            base_name(text).to_owned()
        } else {
            strip(text, if names.contains(&id) { &nobody } else { &people })
        }
    });
    people
}

/// What a stripped snapshot no longer shows, beside its strings.
#[derive(Clone, Debug)]
pub struct Unstripped {
    settings: Vec<(String, String)>,
    warnings: Warnings,
}

impl Snapshot {
    /// Shows all texts without directories and user names; what they mean stays known.
    pub fn strip_paths(&mut self) {
        if self.unstripped.is_some() {
            return;
        }
        let (settings, warnings) = (self.allocator_settings.clone(), self.warnings.clone());
        self.unstripped = Some(Box::new(Unstripped { settings, warnings }));
        let (mut files, mut names) = (fast_set(), fast_set());
        for (_, frame) in self.frames.iter() {
            files.insert(frame.file);
            names.insert(frame.function);
        }
        // A label that stood in a frame's file is no path.
        for annotation in &self.annotations {
            files.remove(&annotation.name);
        }
        let people = show(&mut self.strings, &files, &names);
        for (_, value) in &mut self.allocator_settings {
            *value = strip(value, &people);
        }
        self.warnings.each_detail(|detail| *detail = strip(detail, &people));
    }

    /// Shows the texts of the file again.
    pub fn show_paths(&mut self) {
        if let Some(before) = self.unstripped.take() {
            self.strings.show_originals();
            self.allocator_settings = before.settings;
            self.warnings = before.warnings;
        }
    }

    /// Whether texts are shown without directories.
    pub fn is_stripped(&self) -> bool {
        self.unstripped.is_some()
    }
}

impl TraceTable {
    /// Shows call stacks without directories and user names.
    pub fn strip_paths(&mut self) {
        strip_stacks(&mut self.strings);
        self.warnings.each_detail(|detail| *detail = strip_text(detail));
    }
}

impl OperatorTable {
    /// Shows call stacks without directories and user names.
    pub fn strip_paths(&mut self) {
        strip_stacks(&mut self.strings);
        self.warnings.each_detail(|detail| *detail = strip_text(detail));
    }
}

impl ProfilerRun {
    /// Shows call stacks without directories and user names.
    pub fn strip_paths(&mut self) {
        self.trace.iter_mut().for_each(TraceTable::strip_paths);
        self.operators.iter_mut().for_each(OperatorTable::strip_paths);
    }

    /// Shows call stacks as the files have them again. Warnings stay without directories.
    pub fn show_paths(&mut self) {
        self.trace.iter_mut().for_each(|trace| trace.strings.show_originals());
        self.operators.iter_mut().for_each(|table| table.strings.show_originals());
    }
}

/// Stacks of traces are one text each, names beside them.
fn strip_stacks(strings: &mut StringTable) {
    strings.show(|_, text| strip_text(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_directories() {
        for (text, wanted) in [
            ("/home/ann/train.py", "train.py"),
            ("C:\\Users\\ann\\net.py", "C:net.py"),
            (
                "torch/nn/modules/module.py(1518): _call_impl;\r\n../run.py(3): main",
                "module.py(1518): _call_impl;\r\nrun.py(3): main",
            ),
            ("{\"cache\": \"/tmp/ann/x\", \"n\": 1}", "{\"cache\": \"x\", \"n\": 1}"),
            ("forward/layer1", "forward/layer1"),
            ("a / b", "a / b"),
            ("aten::add", "aten::add"),
            ("~/runs/7", "7"),
        ] {
            assert_eq!(strip_text(text), wanted);
        }
        assert_eq!((base_name("/a/b/"), base_name("b"), base_name("x\\y")), ("b", "b", "y"));
    }

    #[test]
    fn people_are_not_named() {
        let mut people = fast_set();
        add_people("/data/home/ann/x/y.py", &mut people);
        add_people("/home/run.py", &mut people);
        assert_eq!(strip("job of ann, not of anna", &people), "job of user, not of anna");
        assert_eq!(people.len(), 1);
    }
}
