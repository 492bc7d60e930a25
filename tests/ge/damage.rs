//! Damaged logs: nothing panics, nothing grows beyond the file, and what is whole still counts.

use hbmlens::analysis::ge::report;
use hbmlens::export::ge::{FILES, write_total};
use hbmlens::format::ge_log::Reader;
use hbmlens::simulate::ge_log::{GeScript, ge_log};
use proptest::prelude::*;

/// Reads, reports and writes everything.
fn go_through(files: &[Vec<u8>]) {
    let mut reader = Reader::default();
    for file in files {
        reader.read(&file[..], &mut |_| {}).expect("memory can be read");
    }
    let log = reader.finish();
    let report = report(&log);
    let json = serde_json::to_string(&report).expect("a report is JSON");
    let _: serde_json::Value = serde_json::from_str(&json).expect("and reads back");
    let mut out = Vec::new();
    for (_, write) in FILES {
        write(&log, &mut out).expect("memory can be written");
    }
    write_total(&report, &mut out).expect("memory can be written");
    let rows: usize = log.processes.iter().map(|process| process.pool.len() + process.driver.len()).sum();
    assert!(rows <= files.iter().map(Vec::len).sum::<usize>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_log_never_stops_the_reader(
        seed in any::<u64>(),
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0..300usize), 0..12),
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        digits in proptest::collection::vec((any::<prop::sample::Index>(), 0..4usize), 0..40),
    ) {
        let script = GeScript { seed, nodes: 20, kernels: 30, noise: 0, ..GeScript::default() };
        let mut files: Vec<Vec<u8>> = ge_log(&script).files.into_iter().map(String::into_bytes).collect();
        for file in &mut files {
            for (at, byte) in &flips {
                let at = at.index(file.len());
                file[at] = *byte;
            }
            // Numbers grow to the limits of their types and beyond.
            for (at, kind) in &digits {
                let at = at.index(file.len());
                let huge = [&b"18446744073709551615"[..], b"-1", b"4294967295", b"99999999999999999999999"][*kind];
                if let Some(start) = file[at..].iter().position(u8::is_ascii_digit) {
                    let start = at + start;
                    let len = file[start..].iter().position(|b| !b.is_ascii_digit()).unwrap_or(0);
                    file.splice(start..start + len, huge.iter().copied());
                }
            }
            for (at, len) in &cuts {
                let at = at.index(file.len());
                let end = (at + len).min(file.len());
                file.drain(at..end);
                if file.is_empty() {
                    file.push(b'\n');
                }
            }
        }
        go_through(&files);
    }

    #[test]
    fn any_text_with_markers_is_survived(
        parts in proptest::collection::vec(
            prop_oneof![
                "[IMAS]Set [a-z_0-9 \\[\\]:-]{0,80}",
                "\\[IMAS\\][A-Za-z_ :\\[\\],0-9]{0,80}",
                "MallocMemory, func=rt[a-z, =0-9]{0,60}",
                "(Malloc|Free) block device_id:[a-z_: 0-9x.]{0,80}",
                "\\[MEM\\](Alloc|Free) memory at stream [a-z, 0-9x]{0,60}",
                "svm_mem_stats_show\\][A-Z_ a-z0-9=;()]{0,80}",
                "Process_[0-9]{1,3},[a-z,_0-9:]{0,80}",
                "\\[INFO\\] GE\\([0-9]{1,4},p\\):2026-01-01-00:00:00\\.000\\.000 ",
                "\n", "\r\n", "",
            ],
            0..60,
        ),
    ) {
        go_through(&[parts.concat().into_bytes()]);
    }
}

#[test]
fn a_cut_file_gives_what_came_before() {
    let script = GeScript { processes: 1, graphs: 1, files: 1, noise: 0, kernels: 0, ..GeScript::default() };
    let text = ge_log(&script).files.concat();
    let cut = text.find("memoffset[").expect("the graph is closed") + 11;
    let mut reader = Reader::default();
    reader.read(&text.as_bytes()[..cut], &mut |_| {}).expect("memory can be read");
    let log = reader.finish();
    assert_eq!(log.warnings.get("cut_line").map(|warning| warning.count), Some(1));
    assert!(report(&log).processes[0].graphs[0].figures.operators > 50);
}
