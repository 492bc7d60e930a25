//! Figures and lines that were published by the tool whose reports these are.

use hbmlens::analysis::ge::{GeReport, report};
use hbmlens::export::ge::{write_graphs, write_total};
use hbmlens::format::ge_log;
use hbmlens::model::ge::GeLog;

fn read(text: &str) -> GeLog {
    ge_log::read(text.as_bytes(), &mut |_| {}).expect("text in memory can be read")
}

fn written(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("memory can be written");
    String::from_utf8(out).expect("reports are text")
}

const HCOM: &str = "Process_11394,g1,optype,HcomAllReduce,name_hcom_1_output_0_offset to ,0,streamid,0,memory_type,2,size,13312,realsize,13312,noalignsize,13312,life time begin,2,life time end,4294967294,child:r:c:z:s,0:0:0:0:1,isref,0,batch,,scope,-1,\n";

const GRAPHS: &str = "Process_1311101,graph_1,memtype,2,memory_size,17376768(16.57M),reuse rate:0% detail[total:17375424(16.57M) after_reuse:17376768(16.57M) theory_min:17376768(16.57M) no_reuse:17376768(16.57M) atomic:0 continuous:0 streams:1]
Process_1311101,graph_2,memtype,2,memory_size,21698048(20.69M),reuse rate:83.74% detail[total:133424128(127.24M) after_reuse:21698048(20.69M) theory_min:18466816(17.61M) no_reuse:2425344(2.31M) atomic:0 continuous:0 streams:1]
";

#[test]
fn the_published_operator_row_round_trips() {
    let log = read(HCOM);
    assert!(log.warnings.is_empty());
    let out = written(|out| write_graphs(&log, out));
    assert_eq!(out.lines().next(), HCOM.lines().next());
    // And what was written reads back as the same rows.
    let read_again = read(&out);
    let again = written(|to| write_graphs(&read_again, to));
    assert_eq!(out, again);
}

#[test]
fn the_published_summaries_round_trip_with_their_rates() {
    let log = read(GRAPHS);
    let report = report(&log);
    let rates: Vec<String> = report.processes[0]
        .graphs
        .iter()
        .map(|graph| format!("{:.2}", 100.0 * graph.figures.reuse_rate))
        .collect();
    assert_eq!(rates, ["0.00", "83.74"]);
    assert_eq!(written(|out| write_graphs(&log, out)), GRAPHS);
    assert_eq!(written(|out| write_total(&report, out)), GRAPHS);
}

/// The published `total` text itself, where it is at hand: its graph rows come out as they went in.
#[test]
fn the_published_report_file() {
    let root = std::env::var("HBMLENS_SHARED")
        .map(std::path::PathBuf::from)
        .unwrap_or_else(|_| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let Ok(text) = std::fs::read_to_string(root.join("data/other/imas_total_report.txt")) else {
        eprintln!("skipped: imas_total_report.txt is not here");
        return;
    };
    let log = read(&text);
    let out = written(|out| write_total(&report(&log), out));
    let graphs: Vec<&str> = text.lines().filter(|line| line.contains("memory_size")).collect();
    assert_eq!(out.lines().collect::<Vec<_>>(), graphs);
}

/// A log of 2026 with one graph whose figures GE's own documentation discusses.
#[test]
fn the_documented_allreduce_graph() {
    let row = |name: &str, slot: &str, offset: u64, size: u64, begin: u64, end: &str, child: &str| {
        format!(
            "[INFO] GE(1,p):2026-03-04-10:00:00.000.000 [f.cc:1]1 F:[IMAS]Set allreduce_graph_0 name[{name}] optype[Identity] {slot}[0] offset to [{offset}] streamid[0] memtype[2] size[{size}] realsize[{size}] noalignsize[{size}] life time begin[{begin}] life time end[{end}] child[0:{child}] isref[0] batch[], block_type[x]\n"
        )
    };
    let size = 67_109_376;
    let text = [
        row("continuous_copy", "output", 0, size, 2, "3--4294967295", "1:0:0:1"),
        row("allreduce_op", "output", 67_109_376, size, 3, "4294967295", "1:0:0:1"),
        row("identity_0", "output", 134_251_520, size, 1, "4294967294", "0:0:1:1"),
        row("data_x", "output", 201_360_896, size, 0, "4294967294", "0:0:1:1"),
        row("allreduce_op", "workspace", 134_218_752, 32_768, 3, "3", "1:0:0:1"),
        "[EVENT] GE(1,p):2026-03-04-10:00:00.000.001 [f.cc:1]1 F:[IMAS]AfterAssignMemory : allreduce_graph_0 memoffset[268470272], memtype[2], theory_min[268470272], zero_copy[134218752], total_size[268470272], no_reuse[134218752], streams[3], topo_mode[BFS], mop[], io_reuse[0:0], smp[0]\n".to_owned(),
    ]
    .concat();
    let report: GeReport = report(&read(&text));
    let graph = &report.processes[0].graphs[0];
    assert_eq!((graph.graph.as_str(), graph.id, graph.overlap_count), ("allreduce_graph", Some(0), 0));
    let figures = &graph.figures;
    assert_eq!((figures.total.0, figures.memory_size.0), (268_470_272, 268_470_272));
    assert_eq!((figures.reuse_rate, figures.reach_theory_rate), (0.0, 1.0));
    assert_eq!((figures.no_reuse.0, figures.zero_copy.0), (134_218_752, 134_218_752));
    // What GE says is what the lines give.
    assert_eq!(graph.peak.bytes.0, 268_470_272);
    assert_eq!(graph.gap.bytes.0, 0);
    let total = written(|out| write_total(&report, out));
    assert!(total.starts_with("Process_1,allreduce_graph_0,memtype,2,memory_size,268470272(256.03M),reuse rate:0% detail[reach_theory_rate:100.00% total:268470272(256.03M) after_reuse:268470272(256.03M) theory_min:268470272(256.03M) io:134218752(128.00M) no_reuse:134218752(128.00M) atomic:0 continuous:0 streams:3 topo:BFS mop: smp:0]"), "{total}");
}
