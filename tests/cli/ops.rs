//! `hbmlens ops` on folders: a small one made here, and the real ones where they are.

use crate::schema::assert_valid;
use crate::support::{run, scratch, shared};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Two ranks; rank 1 allocates one more megabyte.
fn make(folder: &Path) -> PathBuf {
    let trace = r#"[
        {"ph":"X","name":"aten::mm","pid":1,"tid":1,"ts":"1000.000","dur":5,"cat":"cpu_op","args":{"Call stack":"a.py(1): f;\r\nb.py(2): g"}},
        {"ph":"X","name":"AscendCL@aclMallocMemInner","pid":2,"tid":1,"ts":"1001.000","dur":12000.5}]"#;
    for (rank, size) in [(0, 1024), (1, 2048)] {
        let base = folder.join(format!("actor/n_{rank}_20260526085155000_ascend_pt"));
        let out = base.join("ASCEND_PROFILER_OUTPUT");
        std::fs::create_dir_all(&out).unwrap();
        std::fs::write(base.join(format!("profiler_info_{rank}.json")), "{}").unwrap();
        std::fs::write(out.join("trace_view.json"), trace).unwrap();
        let rows = format!(
            "Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Allocation Total Allocated(MB),Device Type\r\n\
             aten::mm,{size},1001.500\t,,,{}.5,NPU:{rank}\r\n,512,1002.000\t,1004.250\t,2.250\t,2,NPU:{rank}\r\n\
             aten::x,-8,,1003.000\t,,,NPU:{rank}\r\n",
            size / 1024
        );
        std::fs::write(out.join("operator_memory.csv"), rows).unwrap();
    }
    folder.to_owned()
}

#[test]
fn ranks_rows_and_figures() {
    let folder = make(&scratch("ops"));
    let ran = run(["ops".as_ref(), folder.as_os_str(), "--json".as_ref()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json = &ran.json()[0];
    assert_valid("ops", json);
    let ranks = json["ranks"].as_array().unwrap();
    assert_eq!(ranks.len(), 2);
    let first = &ranks[0];
    assert_eq!(
        (&first["role"], &first["rank"], &first["peak_mb"]),
        (&"actor".into(), &0.into(), &1.5.into())
    );
    assert_eq!((&first["peak_ns"], &first["unreleased_bytes"]), (&1_002_000.into(), &(1 << 20).into()));
    assert_eq!(
        first["matches"],
        serde_json::json!({"exact": 1, "flow": 0, "approximate": 0, "inherited": 0, "none": 2})
    );
    let rows = first["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["aten::mm", "", "aten::x"]);
    assert_eq!(rows[0]["call_stack"], "a.py(1): f;\r\nb.py(2): g");
    assert_eq!((&rows[0]["call_stack_top"], &rows[0]["released"]), (&"a.py(1): f".into(), &false.into()));
    assert_eq!((&rows[1]["start_time_ms"], &rows[1]["duration_ms"]), (&"1.002".into(), &"0.00225".into()));
    assert_eq!((&rows[2]["size_kb"], &rows[2]["start_ns"]), (&(-8.0).into(), &1_003_000.into()));
    // Twelve milliseconds in the driver are worth a word; the total of one row is not told.
    assert_eq!(first["api_cost"]["advice"]["key"], "ops.advice.api_cost");
    assert_eq!(first["check"]["status"], "fail");
}

#[test]
fn a_profiler_folder_needs_no_command() {
    let folder = make(&scratch("ops-bare"));
    let bare = run([folder.as_os_str(), "--json".as_ref()]);
    assert_eq!(bare.code, 0, "{}", bare.err);
    assert_eq!(bare.json()[0]["schema"], "hbmlens.ops/1");
}

#[test]
fn rows_are_limited_and_ranks_chosen_and_compared() {
    let folder = make(&scratch("ops-options"));
    let ran = run([
        "ops".as_ref(),
        folder.as_os_str(),
        "--json".as_ref(),
        "--rank".as_ref(),
        "0".as_ref(),
        "--against".as_ref(),
        "1".as_ref(),
        "--top".as_ref(),
        "1".as_ref(),
    ]);
    let json = &ran.json()[0];
    assert_valid("ops", json);
    assert_eq!(json["ranks"][1]["rows"].as_array().unwrap().len(), 1);
    let most = &json["comparison"]["names"][0];
    assert_eq!(
        (&most["name"], &most["diff_bytes"], &most["ratio"]),
        (&"aten::mm".into(), &(1 << 20).into(), &2.0.into())
    );
    let none = run(["ops".as_ref(), folder.as_os_str(), "--rank".as_ref(), "7".as_ref()]);
    assert_eq!(none.code, 1);
    let other = run(["ops".as_ref(), Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").as_os_str()]);
    assert_eq!(other.code, 1);
    assert!(other.err.contains("_ascend_pt"), "{}", other.err);
}

#[test]
fn the_table_has_the_reference_columns_and_people_get_words() {
    let folder = make(&scratch("ops-csv"));
    let out = folder.join("out.csv");
    let ran = run(["ops".as_ref(), folder.as_os_str(), "--csv".as_ref(), out.as_os_str()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for word in ["actor", "1.50 MiB", "never", "a.py(1): f", "driver call"] {
        assert!(ran.out.contains(word), "{word} in:\n{}", ran.out);
    }
    let mut table = csv::Reader::from_path(&out).unwrap();
    let header: Vec<String> = table.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(
        header.join(","),
        "name,role,rank_id,call_stack,call_stack_top,size_kb,start_time_ms,duration_ms,total_allocated_mb,total_reserved_mb,total_active_mb,device_type"
    );
    let rows: Vec<_> = table.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 6);
    assert_eq!(&rows[0][3], "a.py(1): f;\r\nb.py(2): g");
    assert_eq!((&rows[0][5], &rows[0][6], &rows[0][7], &rows[0][8]), ("1024", "1.0015", "0", "1.5"));
}

/// What lies in a written page: the text of JSON and the rows' starts and sizes.
fn laid_in(page: &str) -> (Value, Vec<f64>, Vec<f64>) {
    use base64::Engine;
    use std::io::Read;
    let text = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let packed = base64::engine::general_purpose::STANDARD.decode(text.trim()).unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let meta: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let rows = meta["rows"].as_u64().unwrap() as usize;
    let column = |which: usize| {
        let at = 8 + length.next_multiple_of(8) + which * rows * 8;
        bytes[at..at + rows * 8].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    };
    (meta, column(0), column(2))
}

#[test]
fn each_rank_gets_a_page_of_its_own() {
    let folder = make(&scratch("ops-pages"));
    // A second run of rank 1, and what must not break out of its place in the page.
    let again = folder.join("actor/n_1_20260526085156000_ascend_pt");
    std::fs::create_dir_all(&again).unwrap();
    std::fs::write(again.join("profiler_info_1.json"), "{}").unwrap();
    std::fs::write(
        again.join("operator_memory.csv"),
        "Name,Size(KB),Allocation Time(us),Duration(us),Device Type\n</script><b>,2,5.000,1.000,NPU:1\n",
    )
    .unwrap();
    let out = folder.join("pages");
    let ran = run(["ops".as_ref(), folder.as_os_str(), "-o".as_ref(), out.as_os_str()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut names: Vec<String> =
        std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "memory_timeline_actor_rank0.html",
            "memory_timeline_actor_rank1.html",
            "memory_timeline_actor_rank1_20260526085156000.html"
        ]
    );
    assert!(names.iter().all(|name| ran.out.contains(name.as_str())), "{}", ran.out);
    let page = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let (meta, starts, sizes) = laid_in(&page(&names[1]));
    // The base is the trace's first event; a row whose release alone was seen stands at it.
    assert_eq!((&meta["head"]["base_ns"], starts), (&"1000000".into(), vec![1500.0, 2000.0, 3000.0]));
    assert_eq!(sizes, [2048.0 * 1024.0, 512.0 * 1024.0, -8.0 * 1024.0]);
    assert_eq!(meta["stacks"], serde_json::json!(["", "a.py(1): f;\r\nb.py(2): g"]));
    assert_eq!(
        (&meta["head"]["report"]["peak_bytes"], &meta["head"]["peak_at"]),
        (&(2560 * 1024).into(), &2000.0.into())
    );
    let last = page(&names[2]);
    assert!(!last.contains("<b>,") && !last.contains("{{title}}") && last.contains("lang=\"en\""));
    assert_eq!(laid_in(&last).0["head"]["names"][0], "</script><b>");
    let denied = run(["ops".as_ref(), folder.as_os_str(), "-o".as_ref(), out.join(&names[0]).as_os_str()]);
    assert_eq!(denied.code, 1);
}

#[test]
fn damaged_and_missing_files_cost_only_themselves() {
    let folder = make(&scratch("ops-damage"));
    let base = folder.join("actor/n_0_20260526085155000_ascend_pt/ASCEND_PROFILER_OUTPUT");
    std::fs::remove_file(base.join("operator_memory.csv")).unwrap();
    let text = std::fs::read_to_string(base.join("trace_view.json")).unwrap();
    std::fs::write(base.join("trace_view.json"), &text[..text.len() / 2]).unwrap();
    let ran = run(["ops".as_ref(), folder.as_os_str(), "--json".as_ref()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json = &ran.json()[0];
    assert_valid("ops", json);
    assert_eq!((&json["ranks"][0]["rows_total"], &json["ranks"][1]["rows_total"]), (&0.into(), &3.into()));
    assert_eq!(json["ranks"][0]["warnings"][0]["kind"], "truncated");
    std::fs::write(base.join("memory_record.csv"), "Nonsense\n1\n").unwrap();
    let ran = run(["ops".as_ref(), folder.as_os_str()]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("memory_record.csv") && ran.out.contains("1.50 MiB") || ran.out.contains("2.50 MiB"),
        "{}",
        ran.err
    );
}

#[test]
fn real_folders_are_as_the_schema_says() {
    let Some(shared) = shared() else { return };
    let ran = run([
        "ops".as_ref(),
        shared.join("data/profiler").as_os_str(),
        "--json".as_ref(),
        "--top".as_ref(),
        "0".as_ref(),
    ]);
    let json = &ran.json()[0];
    assert_valid("ops", json);
    for rank in json["ranks"].as_array().unwrap() {
        let rows = rank["rows"].as_array().unwrap();
        assert_eq!(rows.len() as u64, rank["rows_total"].as_u64().unwrap());
        // The figures follow from the rows.
        let number = |row: &Value, key: &str| row[key].as_i64();
        let counted: Vec<&Value> = rows.iter().filter(|r| r["size_kb"].as_f64().unwrap() > 0.0).collect();
        let bytes = |row: &Value| (row["size_kb"].as_f64().unwrap() * 1024.0) as i64;
        let live = |t: i64| {
            let lives = |r: &&&Value| {
                number(r, "start_ns").unwrap() <= t && number(r, "end_ns").is_none_or(|e| t < e)
            };
            counted.iter().filter(lives).map(|r| bytes(r)).sum::<i64>()
        };
        let peak = counted.iter().map(|r| live(number(r, "start_ns").unwrap())).max().unwrap();
        assert_eq!(rank["peak_bytes"], peak);
        let open: i64 = counted.iter().filter(|r| r["end_ns"].is_null()).map(|r| bytes(r)).sum();
        assert_eq!(rank["unreleased_bytes"], open);
    }
}

const STATIC: &str = "Device_id,Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)\n\
    0,conv_1,7,0,1,3,100\n0,relu_1,7,0,3,4,50\n0,add_1,7,0,4,4294967295,25.5\n0,TOTAL,7,0,1,4294967295,160\n\
    0,mul_1,7,1,2,2,8\n";
const MODULES: &str = "Component,Timestamp(us),Total Reserved(MB),Device\nHCCL,10.000\t,2.0,NPU:0\nSLOG,10.000\t,0.0,NPU:0\r\n\
    HCCL,20.000\t,5.0,NPU:0\nHCCL,30.000\t,4.0,NPU:0\nTSD,30.000\t,-1,NPU:0\n";

/// Tables without rows of operators say what they hold, alone and under whatever name.
#[test]
fn a_single_table_is_told_by_its_content() {
    let folder = scratch("ops-tables");
    for (name, text) in [
        ("static_op_mem.csv", STATIC),
        ("renamed.txt", STATIC),
        ("npu_module_mem.csv", MODULES),
        ("m.csv", MODULES),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        for args in [vec![path.as_os_str()], vec!["ops".as_ref(), path.as_os_str()]] {
            let ran = run(args.iter().copied());
            assert_eq!(ran.code, 0, "{name}: {}", ran.err);
            assert!(!ran.out.contains("positive_size"), "{name}: there are no rows to check: {}", ran.out);
            let line = |with: &str| {
                let line = ran.out.lines().find(|line| line.contains(with));
                line.unwrap_or_else(|| panic!("{name}: no line with {with} in {}", ran.out)).to_owned()
            };
            if text == STATIC {
                let (graph, largest) = (line("160.00 KiB"), line("conv_1"));
                for figure in ["175.50 KiB", "150.00 KiB", "25.50 KiB"] {
                    assert!(graph.contains(figure), "{graph}");
                }
                assert!(largest.contains("100.00 KiB"), "{largest}");
            } else {
                let hccl = line("HCCL ");
                assert!(hccl.contains("5.00 MiB") && hccl.contains("4.00 MiB"), "{hccl}");
                assert!(line("TSD").contains("only releases were seen"));
                assert!(ran.out.contains("1 module holds nothing"), "{}", ran.out);
            }
        }
        let ran = run(["ops".as_ref(), path.as_os_str(), "--json".as_ref(), "--top".as_ref(), "1".as_ref()]);
        let json = &ran.json()[0];
        assert_valid("ops", json);
        let graphs = json["ranks"][0]["static_graphs"].as_array().unwrap();
        assert_eq!(graphs.len(), if text == STATIC { 2 } else { 0 });
        if let [first, second] = &graphs[..] {
            assert_eq!(
                first["curve"],
                serde_json::json!([[1, 102_400], [3, 153_600], [4, 77_312], [5, 26_112]])
            );
            assert_eq!((&first["peak_node"], &first["never_released"]), (&3.into(), &1.into()));
            assert_eq!(first["largest"].as_array().unwrap().len(), 1);
            assert_eq!((&second["total_bytes"], &second["peak_bytes"]), (&Value::Null, &8192.into()));
        }
    }
}
