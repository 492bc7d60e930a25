//! Reading a part of a file: what is kept is what it is in the whole file.

use crate::encode::{STYLES, V, json, pickle};
use crate::{read_with, samples, snapshot_of};
use hbmlens::format::{ErrorKind, Keep, ReadOptions};
use hbmlens::model::{Nanos, Snapshot};

/// Two devices with events.
fn two_devices() -> V {
    let (V::Dict(mut first), V::Dict(second)) = (samples::long(900), samples::long(500)) else {
        unreachable!()
    };
    let (V::List(traces), V::List(more)) = (&mut first[1].1, second[1].1.clone()) else { unreachable!() };
    traces.extend(more);
    V::Dict(first)
}

fn rows(snapshot: &Snapshot, trace: usize) -> Vec<String> {
    let rows = snapshot.traces[trace].rows.clone();
    let name = |row| {
        let event = snapshot.events.get(row);
        let frames = snapshot.stacks.get(event.stack).iter().map(|&f| snapshot.frames.get(f));
        let lines: Vec<u64> = frames.map(|f| f.line).collect();
        format!("{:?} {} {} {:?} {lines:?}", event.action, event.address, event.size.0, event.time)
    };
    rows.map(name).collect()
}

fn inputs() -> Vec<Vec<u8>> {
    let value = two_devices();
    let pickles = STYLES.iter().map(|&style| pickle(&value, style));
    pickles.chain([json(&value).into_bytes()]).collect()
}

#[test]
fn the_last_events_of_each_device() {
    for bytes in inputs() {
        let all = snapshot_of(&bytes);
        for count in [0, 1, 7, 499, 500, 600, 900, 10_000] {
            let options = ReadOptions { keep: Keep::Last(count), ..ReadOptions::default() };
            let part = read_with(&bytes[..], &options).unwrap();
            let mut left_out = 0;
            for trace in 0..2 {
                let whole = rows(&all, trace);
                let from = whole.len().saturating_sub(count as usize);
                assert_eq!(rows(&part, trace), whole[from..], "{:?} last {count} of {trace}", &bytes[..20]);
                left_out += from as u64;
            }
            assert_eq!(part.left_out.unwrap().events, left_out);
            assert_eq!(part.segments.len(), all.segments.len());
        }
    }
}

#[test]
fn a_range_by_number_or_time() {
    for bytes in inputs() {
        let all = snapshot_of(&bytes);
        // Of what comes after the range, what was both allocated and freed there goes. In the sample an
        // event in three is an alloc whose two frees follow, so two events at most are left of the first
        // one's tail.
        let check = |part: &Snapshot, end: usize| {
            let found = rows(part, 0);
            assert_eq!(found[..end - 100], rows(&all, 0)[100..end]);
            assert_eq!(found[end - 100..], rows(&all, 0)[end..end.next_multiple_of(3)]);
            assert_eq!(rows(part, 1), rows(&all, 1)[100..500]);
            let left_out = part.left_out.unwrap();
            assert_eq!(left_out.after, (end.next_multiple_of(3) - end) as u64);
            assert_eq!(left_out.events + part.events.len() as u64, 1400);
        };
        for end in [550, 551, 552] {
            let by_number = ReadOptions { keep: Keep::Range(100..end as u64), ..ReadOptions::default() };
            check(&read_with(&bytes[..], &by_number).unwrap(), end);
            // The times of the sample are the numbers of its events, in microseconds.
            let time = Nanos(100_000)..Nanos(end as i64 * 1000);
            let by_time = ReadOptions { keep: Keep::Time(time), ..ReadOptions::default() };
            check(&read_with(&bytes[..], &by_time).unwrap(), end);
        }
    }
}

#[test]
fn the_tail_of_a_range_takes_no_memory() {
    let bytes = pickle(&samples::long(400_000), crate::encode::Style::Bare);
    let options = ReadOptions { keep: Keep::Range(10..100), ..ReadOptions::default() };
    let (part, peak) = crate::memory::peak_of(|| read_with(&bytes[..], &options).unwrap());
    assert_eq!((part.events.len(), part.left_out.unwrap().after), (93, 3));
    let (_, whole_peak) = crate::memory::peak_of(|| snapshot_of(&bytes));
    assert!(peak < whole_peak / 3 * 2, "{peak} of {whole_peak}");
}

#[test]
fn memory_stays_bounded_while_the_file_streams_by() {
    let bytes = pickle(&samples::long(200_000), crate::encode::Style::Bare);
    let options = ReadOptions { keep: Keep::Last(100), ..ReadOptions::default() };
    let (part, peak) = crate::memory::peak_of(|| read_with(&bytes[..], &options).unwrap());
    assert_eq!(part.events.len(), 100);
    let (all, whole_peak) = crate::memory::peak_of(|| snapshot_of(&bytes));
    assert_eq!(rows(&part, 0), rows(&all, 0)[199_900..]);
    assert!(peak < whole_peak, "{peak} of {whole_peak}");
}

#[test]
fn without_native_frames() {
    for bytes in inputs() {
        let options = ReadOptions { native_frames: false, ..ReadOptions::default() };
        let part = read_with(&bytes[..], &options).unwrap();
        assert_eq!(part.events.len(), 1400);
        assert!(part.left_out.unwrap().native_frames);
        for row in part.traces[0].rows.clone() {
            let frames = part.stacks.get(part.events.stack[row]);
            assert_eq!(frames.len(), 2);
            for &frame in frames {
                assert!(part.strings.get(part.frames.get(frame).file).ends_with(".py"));
            }
        }
    }
}

#[test]
fn a_budget_is_asked_for_before_it_is_spent() {
    // A text of 70 MB before the events: the estimate comes with the first list after 64 MiB.
    let mut bytes = b"\x80\x04}(X\x01\0\0\0xX".to_vec();
    bytes.extend((70_u32 << 20).to_le_bytes());
    bytes.resize(bytes.len() + (70 << 20), b'a');
    let body = pickle(&samples::long(3000), crate::encode::Style::Bare);
    // The pairs of the other dict, without its opening and its end.
    bytes.extend(&body[4..]);
    let with = |budget| ReadOptions { len: Some(bytes.len() as u64), budget, ..ReadOptions::default() };
    assert_eq!(read_with(&bytes[..], &with(None)).unwrap().events.len(), 3000);
    assert_eq!(read_with(&bytes[..], &with(Some(1 << 30))).unwrap().events.len(), 3000);
    let error = read_with(&bytes[..], &with(Some(1 << 10))).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
    assert!(error.hint.is_some());
}
