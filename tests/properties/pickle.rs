//! A snapshot written as a pickle reads as it was; a part of it as the reader's own part.

use crate::programs::{case, cases};
use hbmlens::export::pickle::{Selection, write_pickle};
use hbmlens::format::{Document, Keep, ReadOptions, open};
use hbmlens::model::{Device, Snapshot};
use hbmlens::simulate::{pickle_cpython, snapshot};
use proptest::prelude::*;

fn read(bytes: &[u8], keep: Keep) -> Snapshot {
    match open(bytes, &ReadOptions { keep, ..ReadOptions::default() }, &mut |_| {}) {
        Ok(Document::Snapshot(snapshot)) => *snapshot,
        other => panic!("not a snapshot: {other:?}"),
    }
}

fn written(snapshot: &Snapshot, selection: &Selection) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_pickle(snapshot, selection, &mut bytes).expect("memory can be written");
    bytes
}

/// Everything a snapshot says, without the numbers that its tables give to texts and stacks.
fn dump(snapshot: &Snapshot) -> Vec<String> {
    let text = |id| snapshot.strings.get(id);
    let stack = |id: hbmlens::model::StackId| {
        id.some().map(|id| {
            let frames = snapshot.stacks.get(id).iter().map(|&frame| snapshot.frames.get(frame));
            frames.map(|f| (text(f.file), f.line, text(f.function))).collect::<Vec<_>>()
        })
    };
    let mut lines = vec![format!("{:?} {:?}", snapshot.writer, snapshot.allocator_settings)];
    for segment in &snapshot.segments {
        let own = (
            segment.device,
            segment.address,
            segment.total_size,
            segment.allocated_size,
            segment.active_size,
        );
        let more = (segment.requested_size, segment.segment_type, segment.is_expandable);
        let (stream, pool) = (snapshot.streams.get(segment.stream), snapshot.pools.get(segment.pool));
        let forward = text(segment.forward_frames);
        lines.push(format!("{own:?} {more:?} {stream} {pool:?} {:?} {forward}", stack(segment.stack)));
        for id in segment.block_ids() {
            let block = snapshot.blocks.get(id);
            let own = (block.address, block.size, block.requested_size, block.state);
            let history: Vec<_> = snapshot
                .blocks
                .history_of(block)
                .iter()
                .map(|h| (h.address, h.real_size, stack(h.stack)))
                .collect();
            let forward = text(snapshot.blocks.forward_frames.get(id.index()));
            lines.push(format!("{own:?} {:?} {history:?} {forward}", stack(block.stack)));
        }
    }
    for trace in &snapshot.traces {
        lines.push(format!("{:?}", trace.device));
        for row in trace.rows.clone() {
            let event = snapshot.events.get(row);
            let own =
                (event.action, event.address, event.size, snapshot.streams.get(event.stream), event.time);
            let texts = [
                snapshot.events.compile_context.get(row),
                snapshot.events.user_metadata.get(row),
                snapshot.events.internal_metadata.get(row),
                snapshot.events.forward_frames.get(row),
                snapshot.events.other_action.get(row),
            ]
            .map(text);
            lines.push(format!(
                "{own:?} {:?} {texts:?} {:?}",
                snapshot.pools.get(snapshot.events.pool.get(row)),
                stack(event.stack)
            ));
        }
    }
    for annotation in &snapshot.annotations {
        lines.push(format!(
            "{} {} {:?} {:?}",
            text(annotation.name),
            text(annotation.stage),
            annotation.device,
            annotation.time
        ));
    }
    lines
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn what_was_written_reads_as_it_was(case in case(true), from in 0.0..1.0, to in 0.0..1.0) {
        let bytes = pickle_cpython::write(&snapshot(&[&case.run()], &case.layout()), 4);
        let whole = read(&bytes, Keep::All);
        let pickle = written(&whole, &Selection::default());
        let again = read(&pickle, Keep::All);
        prop_assert!(again.warnings.is_empty(), "{:?}", again.warnings);
        prop_assert_eq!(dump(&again), dump(&whole));
        // Written once more it is the same file.
        prop_assert_eq!(&written(&again, &Selection::default()), &pickle);

        let mut forward = whole.clone();
        let stack = forward.strings.intern("a.py:1 f\nb.py:2 g");
        // A program may leave nothing behind.
        if let Some(segment) = forward.segments.first_mut() {
            segment.forward_frames = stack;
            forward.blocks.forward_frames.set(0, stack);
        }
        prop_assert_eq!(dump(&read(&written(&forward, &Selection::default()), Keep::All)), dump(&forward));

        let events = whole.rows_of(Device::Index(0)).len() as f64;
        let (from, to) = ((events * from) as u64, (events * to) as u64);
        let range = from.min(to)..from.max(to) + 1;
        let part = read(&bytes, Keep::Range(range.clone()));
        let selection = Selection { events: Some(range), device: Some(Device::Index(0)) };
        let selected = written(&whole, &selection);
        prop_assert_eq!(dump(&read(&selected, Keep::All)), dump(&part));
        prop_assert_eq!(selected, written(&part, &Selection::default()));
    }
}
