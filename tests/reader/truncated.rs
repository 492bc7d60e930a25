//! Files that end too early: everything before the cut is used, and the place is named.

use crate::encode::{STYLES, Style, json, pickle};
use crate::{gzipped, read, samples, snapshot_of};
use hbmlens::format::ErrorKind;

/// Cuts at every byte of the first and last 4 KB, and now and then in between.
fn cuts(len: usize) -> impl Iterator<Item = usize> {
    (0..len).filter(move |&at| at < 4096 || at + 4096 > len || at % 509 == 0)
}

fn whole(bytes: &[u8], name: &str) {
    let all = snapshot_of(bytes);
    let (mut events, mut blocks) = (0, 0);
    for cut in cuts(bytes.len()) {
        let cut_off = read(&bytes[..cut], Some(cut as u64));
        let Ok(snapshot) = cut_off else {
            let kind = cut_off.unwrap_err().kind;
            assert!(
                matches!(kind, ErrorKind::Truncated | ErrorKind::UnknownFormat),
                "{name} at {cut}: {kind:?}"
            );
            assert_eq!((events, blocks), (0, 0), "{name} at {cut}: what an earlier cut gave is gone");
            continue;
        };
        if snapshot.complete {
            // Nothing but the end of the text form can be missing.
            assert!(cut + 2 >= bytes.len(), "{name} at {cut}");
            continue;
        }
        assert!(snapshot.warnings.get("truncated").is_some_and(|w| w.position.is_some()), "{name} at {cut}");
        let (now, now_blocks) = (snapshot.events.len(), snapshot.blocks.rows.len());
        assert!(now >= events && now_blocks >= blocks, "{name} at {cut}: {now} events after {events}");
        (events, blocks) = (now, now_blocks);
        for (row, trace) in snapshot.traces.iter().flat_map(|t| t.rows.clone().zip(std::iter::repeat(t))) {
            let original = all.traces.iter().find(|t| t.device == trace.device).unwrap();
            let event = all.events.get(original.rows.start + row - trace.rows.start);
            let got = snapshot.events.get(row);
            assert_eq!(
                (got.action, got.address, got.size),
                (event.action, event.address, event.size),
                "{name} at {cut}"
            );
        }
    }
    assert!(
        events + 1 >= all.events.len(),
        "{name}: the last cut gave {events} of {} events",
        all.events.len()
    );
}

#[test]
fn every_cut_of_every_writer() {
    for value in [samples::modern(), samples::long(120), samples::npu()] {
        for style in STYLES {
            whole(&pickle(&value, style), &format!("{style:?}"));
        }
        whole(json(&value).as_bytes(), "JSON");
    }
}

#[test]
fn cuts_in_several_batches() {
    whole(&pickle(&samples::long(2500), Style::Python(4)), "batches");
    whole(&pickle(&samples::long(2500), Style::Cpp), "one batch");
}

#[test]
fn a_cut_archive_gives_its_beginning() {
    let bytes = gzipped(&pickle(&samples::long(2500), Style::Python(4)));
    let snapshot = read(&bytes[..bytes.len() * 3 / 4], None).unwrap();
    assert!(!snapshot.complete && snapshot.events.len() > 100 && snapshot.events.len() < 2500);
}

#[test]
fn damage_in_the_middle_keeps_what_came_before() {
    let mut bytes = pickle(&samples::long(2500), Style::Python(4));
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64].fill(0xff);
    let snapshot = read(&bytes[..], Some(bytes.len() as u64)).unwrap();
    assert!(!snapshot.complete && snapshot.warnings.get("damaged").is_some());
    assert!(snapshot.events.len() > 500 && snapshot.events.len() < 2500, "{}", snapshot.events.len());
}

#[test]
fn shared_files_cut_short() {
    let Some(folder) = crate::shared() else { return };
    for name in ["npu_expandable.pkl", "cuda_mini.pickle", "cuda_old_history_blocks.pickle"] {
        let bytes = std::fs::read(folder.join("data/snapshots").join(name)).unwrap();
        let every = bytes.len() / 8_000 + 1;
        for cut in cuts(bytes.len()).filter(|cut| cut % every == 0) {
            let _ = read(&bytes[..cut], Some(cut as u64));
        }
        let half = read(&bytes[..bytes.len() / 2], None).unwrap();
        assert!(!half.complete && half.blocks.rows.len() + half.events.len() > 10, "{name}");
    }
}
