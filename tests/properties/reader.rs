//! Whatever the writer, the reader makes the same tables.

use crate::direct::direct;
use crate::programs::{case, cases};
use hbmlens::format::{Document, ReadOptions, open};
use hbmlens::model::{Snapshot, StackId};
use hbmlens::simulate::{Layout, Simulator, Tree, pickle_cpython, pickle_torch, snapshot};
use proptest::prelude::*;
use std::fmt::Write;
use std::io::Read;

/// Gives out a few bytes at a time.
struct Dribble<'a>(&'a [u8]);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(100);
        self.0.read(&mut buffer[..most])
    }
}

fn read(bytes: &[u8], dribble: bool) -> Snapshot {
    let options = ReadOptions { len: Some(bytes.len() as u64), ..ReadOptions::default() };
    let document = if dribble {
        open(Dribble(bytes), &options, &mut |_| {})
    } else {
        open(bytes, &options, &mut |_| {})
    };
    match document {
        Ok(Document::Snapshot(snapshot)) => *snapshot,
        other => panic!("not a snapshot: {other:?}"),
    }
}

/// Everything a snapshot says, resolved, a line a row.
fn lines(snapshot: &Snapshot) -> Vec<String> {
    let mut lines = Vec::new();
    let stack = |id: StackId| {
        let mut text = String::new();
        for &frame in snapshot.stacks.get(id) {
            let frame = snapshot.frames.get(frame);
            let (file, name) = (snapshot.strings.get(frame.file), snapshot.strings.get(frame.function));
            write!(text, "|{file}:{}:{name}", frame.line).expect("memory takes it");
        }
        text
    };
    lines.push(format!("writer {:?} complete {}", snapshot.writer, snapshot.complete));
    for trace in &snapshot.traces {
        lines.push(format!("trace {} of {}", trace.device, trace.rows.len()));
        for row in trace.rows.clone() {
            let event = snapshot.events.get(row);
            let pool = snapshot.events.pool.get(row).some().map(|pool| snapshot.pools.get(pool));
            lines.push(format!(
                "{:?} {} {} {} {:?} {:?} {}",
                event.action,
                event.address,
                event.size.0,
                snapshot.streams.get(event.stream),
                event.time,
                pool,
                stack(event.stack),
            ));
        }
    }
    for segment in &snapshot.segments {
        lines.push(format!(
            "segment {} {} {} {} {} {:?} {} {:?} {:?} {} {}",
            segment.device,
            segment.address,
            segment.total_size.0,
            segment.allocated_size.0,
            segment.active_size.0,
            segment.requested_size,
            snapshot.streams.get(segment.stream),
            segment.segment_type,
            snapshot.pools.get(segment.pool),
            segment.is_expandable,
            stack(segment.stack),
        ));
        for id in segment.block_ids() {
            let block = snapshot.blocks.get(id);
            let history: Vec<_> = snapshot
                .blocks
                .history_of(block)
                .iter()
                .map(|h| (h.address.0, h.real_size.0, stack(h.stack)))
                .collect();
            lines.push(format!(
                "block {} {} {:?} {:?} {} {history:?}",
                block.address,
                block.size.0,
                block.requested_size,
                block.state,
                stack(block.stack),
            ));
        }
    }
    for mark in &snapshot.annotations {
        let (name, stage) = (snapshot.strings.get(mark.name), snapshot.strings.get(mark.stage));
        lines.push(format!("annotation {name} {stage} {:?} {:?}", mark.device, mark.time));
    }
    lines
}

/// The file in every form a writer may give it, with the form's name.
fn forms(tree: &Tree) -> Vec<(String, Vec<u8>)> {
    let mut forms: Vec<(String, Vec<u8>)> =
        [2, 3, 4, 5].map(|p| (format!("CPython's protocol {p}"), pickle_cpython::write(tree, p))).into();
    forms.push(("the C++ writer".into(), pickle_torch::write(tree)));
    forms.push(("serde-pickle".into(), tree.to_serde_pickle()));
    forms.push(("JSON".into(), tree.to_json().to_string().into_bytes()));
    forms
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn every_form_gives_the_same_tables(
        case in case(true),
        second in case(false),
        history_blocks: bool,
        unsorted: bool,
        high: bool,
    ) {
        let mut one = case.clone();
        let mut two = second.clone();
        two.config.backend = one.config.backend;
        two.config.device = 2;
        if high {
            // Addresses of the upper half look negative when a signed writer gives them.
            one.config.base = 0xff00_0000_0000_0000;
        }
        let runs: [Simulator; 2] = [one.run(), two.run()];
        let layout = Layout { history_blocks, unsorted, ..one.layout() };
        let tree = snapshot(&[&runs[0], &runs[1]], &layout);
        for (name, bytes) in forms(&tree) {
            let found = read(&bytes, bytes.len() % 3 == 0);
            let wanted = direct(&tree, found.writer);
            let (found, wanted) = (lines(&found), lines(&wanted));
            for (f, w) in found.iter().zip(&wanted) {
                prop_assert_eq!(f, w, "{}", name);
            }
            prop_assert_eq!(found.len(), wanted.len(), "{}", name);
        }
    }
}

#[test]
fn a_bare_list_of_segments_is_a_snapshot_without_events() {
    let run = hbmlens::simulate::sample_run();
    let run = run.0.run(run.1);
    let layout = Layout { segments_only: true, ..Layout::of(run.config.backend) };
    let tree = snapshot(&[&run], &layout);
    for (name, bytes) in forms(&tree) {
        let found = read(&bytes, false);
        let wanted = direct(&tree, found.writer);
        assert_eq!(lines(&found), lines(&wanted), "{name}");
    }
}
