//! Every command's `--json` on inputs that have something to say, against the schema that the answer names; and no
//! schema in docs/schema that nothing is held against.

use crate::schema::assert_valid;
use crate::support::{run, scratch};
use crate::tiny;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A GE log of one static graph.
fn ge_log(folder: &Path) -> PathBuf {
    let line = |n: u32, text: &str| {
        format!("[INFO] GE(4711,train):2026-03-04-10:00:00.000.{n:03} [f.cc:1]9 F:{text}\n")
    };
    let set = |n: u32, name: &str, offset: u64, begin: u64, end: u64| {
        let text = format!(
            "[IMAS]Set g_1 name[{name}] optype[Add] output[0] offset to [{offset}] streamid[0] memtype[2] size[512] realsize[512] noalignsize[500] life time begin[{begin}] life time end[{end}] child[0:1:0:0:1] isref[0] batch[], block_type[x]"
        );
        line(n, &text)
    };
    let after = "[IMAS]AfterAssignMemory : g_1 memoffset[1024], memtype[2], theory_min[1024], zero_copy[0], total_size[1536], no_reuse[0], streams[1], topo_mode[BFS], mop[], io_reuse[0:0], smp[0]";
    let path = folder.join("plog-4711.log");
    let log = set(1, "a", 0, 1, 3) + &set(2, "b", 512, 2, 5) + &set(3, "c", 0, 4, 6) + &line(4, after);
    std::fs::write(&path, log).expect("written");
    path
}

/// A profiler's folder of one rank.
fn profile(folder: &Path) -> PathBuf {
    let run = folder.join("n_0_20260526085155000_ascend_pt");
    let out = run.join("ASCEND_PROFILER_OUTPUT");
    std::fs::create_dir_all(&out).expect("made");
    std::fs::write(run.join("profiler_info_0.json"), "{}").expect("written");
    let trace = r#"[{"ph":"X","name":"aten::mm","pid":1,"tid":1,"ts":"1000.000","dur":5,"cat":"cpu_op","args":{"Call stack":"a.py(1): f;\r\nb.py(2): g"}}]"#;
    std::fs::write(out.join("trace_view.json"), trace).expect("written");
    let rows = "Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Allocation Total Allocated(MB),Device Type\r\n\
                aten::mm,1024,1001.500\t,,,1.5,NPU:0\r\n,512,1002.000\t,1004.250\t,2.250\t,2,NPU:0\r\n";
    std::fs::write(out.join("operator_memory.csv"), rows).expect("written");
    run
}

/// The schema that an answer names: `hbmlens.peak/1` is `peak`; errors name none.
fn name_of(answer: &serde_json::Value) -> String {
    match answer["schema"].as_str() {
        Some(name) => {
            let name = name.strip_prefix("hbmlens.").and_then(|name| name.strip_suffix("/1"));
            name.expect("hbmlens.NAME/1").to_owned()
        }
        None => {
            assert!(answer["error"].is_object(), "{answer}");
            "error".to_owned()
        }
    }
}

#[test]
fn every_answer_is_as_its_schema_says() {
    let file = tiny::write_with_oom("outputs");
    let folder = file.parent().expect("a folder").to_owned();
    let series: Vec<PathBuf> = (1..=3).map(|step| folder.join(format!("rank0_step{step}.json"))).collect();
    for path in &series {
        std::fs::copy(&file, path).expect("copied");
    }
    let (log, profile, out) = (ge_log(&folder), profile(&folder), scratch("outputs_out"));
    let [snapshot, log, profile] = [&file, &log, &profile].map(|path| path.to_str().expect("UTF-8"));
    let out = |name: &str| out.join(name).to_str().expect("UTF-8").to_owned();
    let mut commands: Vec<(Vec<String>, &str)> = Vec::new();
    let mut add = |schema: &'static str, words: &[&str]| {
        commands.push((words.iter().map(|&word| word.to_owned()).collect(), schema));
    };
    for command in ["overview", "stats", "check", "peak", "fragment", "leak", "oom", "all"] {
        add(command, &[command, snapshot]);
    }
    add("overview", &[snapshot]);
    add("peak", &["peak", snapshot, "--by", "stream", "--at", "3", "--top", "1"]);
    add("compare", &["compare", &format!("{snapshot}@2"), &format!("{snapshot}@end"), "--curves", "event"]);
    add(
        "ranks",
        &["ranks", &series[0].to_string_lossy(), &series[1].to_string_lossy(), &series[2].to_string_lossy()],
    );
    add("ops", &["ops", profile]);
    // A folder of a profiler, without a command.
    add("ops", &[profile]);
    add("ge", &["ge", "report", log]);
    add("ge", &["ge", "total", log]);
    add("ge", &["ge", "check", log]);
    add("ge.compare", &["ge", "report", "--compare", log, log]);
    add("sql", &["sql", snapshot]);
    add("sql", &["sql", snapshot, "SELECT *, 1.5, NULL FROM traces"]);
    add("error", &["sql", snapshot, "SELECT nothing FROM nowhere"]);
    add("error", &["overview", &out("missing")]);
    add("error", &["overview", "--no-such-option"]);
    add(
        "convert",
        &["convert", snapshot, "-o", &out("a.db"), "--trace", &out("a.json"), "--pickle", &out("a.pickle")],
    );
    add("convert", &["convert", snapshot, "--parquet", &out("ranks"), "--csv", &out("tables")]);
    add("convert", &["convert", profile, "-o", &out("b.db"), "--parquet", &out("ranks"), "--rank", "1"]);
    for (number, input) in [snapshot, profile, log].into_iter().enumerate() {
        add("report", &["report", input, "-o", &out(&format!("{number}.html"))]);
    }
    let mut seen = BTreeSet::new();
    for (words, schema) in &commands {
        let ran = run(words.iter().map(String::as_str).chain(["--json"]));
        assert_eq!(ran.err, "", "{words:?}");
        let answers = ran.json();
        assert_eq!(answers.len(), 1, "{words:?}");
        if *schema == "report" && name_of(&answers[0]) == "error" {
            // Compiled without the page of reports.
            assert_eq!(answers[0]["error"]["kind"], "unsupported", "{words:?}");
            seen.insert("report".to_owned());
            continue;
        }
        assert_eq!(name_of(&answers[0]), *schema, "{words:?}: {}", answers[0]);
        assert_valid(schema, &answers[0]);
        seen.insert((*schema).to_owned());
    }
    let schemas =
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema")).expect("opens");
    let schemas: BTreeSet<String> = schemas
        .filter_map(|entry| {
            entry.expect("an entry").path().file_stem().and_then(OsStr::to_str).map(str::to_owned)
        })
        .collect();
    assert_eq!(seen, schemas);
}
