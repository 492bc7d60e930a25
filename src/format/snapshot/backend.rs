//! Who wrote a snapshot, from what is in it.

use crate::model::{Action, FrameTable, Snapshot, StringTable, Writer};

/// torch_npu says so in its frames or by its workspace entries; or it is the one writer of files
/// without times, settings and annotations whose streams are pointers. `torch_keys`: the file has keys
/// that only PyTorch writes; `bare_list`: it is a list of segments, as PyTorch 1.13 wrote.
pub(super) fn writer_of(snapshot: &Snapshot, torch_keys: bool, bare_list: bool) -> Writer {
    let events = &snapshot.events;
    if events.action.contains(&Action::WorkspaceSnapshot)
        || names_in_frames(&snapshot.frames, &snapshot.strings, "torch_npu")
    {
        return Writer::TorchNpu;
    }
    let has_time = (0..events.len()).any(|row| events.time_of(row).is_some());
    let pointers = {
        let streams = snapshot.streams.values();
        !streams.is_empty() && streams.iter().all(|&stream| stream != 0)
    };
    if !torch_keys && !has_time && !bare_list && pointers {
        return Writer::TorchNpu;
    }
    if torch_keys || has_time || bare_list || !events.is_empty() || !snapshot.frames.is_empty() {
        return Writer::Torch;
    }
    Writer::Unknown
}

fn names_in_frames(frames: &FrameTable, strings: &StringTable, name: &str) -> bool {
    let mut asked = crate::model::fast_set();
    frames
        .iter()
        .flat_map(|(_, frame)| [frame.file, frame.function])
        .any(|id| asked.insert(id) && strings.get(id).contains(name))
}
