//! Frames and call stacks.

use super::Reading;
use crate::format::Result;
use crate::model::{Frame, FrameId};
use serde_json::Value;

impl Reading<'_> {
    /// All frames in their order; those of the stacks are found among them.
    pub(super) fn frames(&mut self) -> Result<()> {
        let db = self.db;
        let [file, line, name, fx] = db.columns("frames", ["filename", "line", "name", "fx"]);
        db.rows("frames", &mut |row| {
            let line = row.int(line).unwrap_or(0).cast_unsigned();
            self.frame(row.text(file), line, row.text(name), row.text(fx));
            Ok(())
        })
    }

    fn frame(
        &mut self,
        file: Option<&str>,
        line: u64,
        name: Option<&str>,
        fx: Option<&str>,
    ) -> Option<FrameId> {
        if !self.native_frames && !file.is_some_and(|file| file.ends_with(".py")) {
            return None;
        }
        let frame = Frame { file: self.intern(file), function: self.intern(name), line };
        let id = self.snapshot.frames.intern(frame);
        if fx.is_some()
            && let Err(place) = self.snapshot.frames.fx_notes.binary_search_by_key(&id, |&(id, _)| id)
        {
            let note = self.intern(fx);
            self.snapshot.frames.fx_notes.insert(place, (id, note));
        }
        Some(id)
    }

    pub(super) fn stacks(&mut self) -> Result<()> {
        let db = self.db;
        let [json] = db.columns("call_stacks", ["frames_json"]);
        let mut stack = Vec::new();
        db.rows("call_stacks", &mut |row| {
            stack.clear();
            for frame in frames_of(row.text(json)) {
                let text = |key: &str| frame.get(key).and_then(Value::as_str);
                let line = frame.get("line").and_then(Value::as_u64).unwrap_or(0);
                stack.extend(self.frame(text("filename"), line, text("name"), text("fx")));
            }
            let id = self.snapshot.stacks.intern(&stack);
            self.stacks.push(row.id, id);
            Ok(())
        })
    }
}

/// The frames of a call stack: objects, or texts in a profiler's.
pub(in crate::format::sqlite) fn frames_of(json: Option<&str>) -> Vec<Value> {
    match json.and_then(|json| serde_json::from_slice(json.as_bytes()).ok()) {
        Some(Value::Array(frames)) => frames,
        _ => Vec::new(),
    }
}
