//! Fragmentation, growth and everything at once, on real files and on the small one.

use crate::schema::assert_valid;
use crate::support::{run, scratch, shared, snapshots};
use crate::tiny;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

fn json(command: &str, path: &Path, more: &[&str]) -> Value {
    let mut args = vec![OsStr::new(command), OsStr::new("--json"), path.as_os_str()];
    args.extend(more.iter().map(OsStr::new));
    let ran = run(args);
    assert!(ran.code == 0 || command == "all", "{}{}", ran.out, ran.err);
    let value = ran.json().remove(0);
    assert_valid(command, &value);
    value
}

#[test]
fn fragmentation_at_the_end_is_the_overviews() {
    let Some(shared) = shared() else { return };
    for path in snapshots(&shared) {
        let (overview, fragment) = (json("overview", &path, &[]), json("fragment", &path, &[]));
        let pairs = overview["devices"]
            .as_array()
            .expect("devices")
            .iter()
            .zip(fragment["devices"].as_array().expect("devices"));
        // Its authors trimmed it: what the trace leaves allocated is not in its snapshot.
        if path.ends_with("cuda_mini.pickle") {
            continue;
        }
        for (seen, device) in pairs {
            for key in ["reserved", "allocated", "fragmentation", "cached_free", "largest_free_block"] {
                assert_eq!(device[key], seen[key], "{}: {key}", path.display());
            }
        }
    }
}

#[test]
fn healthy_real_runs_have_no_high_risk() {
    let Some(shared) = shared() else { return };
    for path in snapshots(&shared) {
        let leak = json("leak", &path, &[]);
        for device in leak["devices"].as_array().expect("devices") {
            assert_ne!(device["risk"], "high", "{}", path.display());
            assert_eq!(device["growth"], serde_json::json!([]), "{}", path.display());
        }
    }
}

#[test]
fn all_is_the_commands_together() {
    let path = tiny::write_with_oom("all");
    let all = json("all", &path, &["--limit", "40MiB"]);
    for command in ["overview", "peak", "fragment", "leak", "oom"] {
        assert_valid(command, &all[command]);
        let more: &[&str] = if command == "overview" { &[] } else { &["--limit", "40MiB"] };
        assert_eq!(all[command], json(command, &path, more), "{command}");
    }
    assert_eq!(run([OsStr::new("all"), path.as_os_str()]).code, 0);
    let counters = path.with_file_name("tiny.json.counters.json");
    std::fs::write(&counters, "{\"memory_allocated\": 1}").expect("written");
    for args in [&["all"][..], &["all", "--json"]] {
        let ran = run(args.iter().map(OsStr::new).chain([path.as_os_str()]));
        assert_eq!(ran.code, 2, "a check failed");
    }
}

#[test]
fn texts_of_all_are_whole_in_both_languages() {
    let path = tiny::write_with_oom("all_words");
    for language in ["en", "zh"] {
        let ran = run([OsStr::new("all"), path.as_os_str(), "--lang".as_ref(), language.as_ref()]);
        assert_eq!(ran.code, 0);
        // A key that the catalogue lacks would show as itself, a value that is missing as a question mark.
        for broken in ["column.", "heading.", "row.", "oom.", "fragment.", "leak.", "?:", "(?"] {
            assert!(!ran.out.contains(broken), "{broken:?} in:\n{}", ran.out);
        }
    }
}

/// A run of the generator with its truth beside it; `None` without Python or the generator.
fn generated(shared: &Path, test: &str, args: &[&str]) -> Option<(std::path::PathBuf, Value)> {
    let path = scratch(test).join("run.pickle");
    let tool = shared.join("tools/make_snapshot.py");
    let made = Command::new("python3").arg(tool).arg(&path).args(args).output().ok()?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let truth = std::fs::read_to_string(path.with_file_name("run.pickle.truth.json")).expect("the truth");
    Some((path, serde_json::from_str(&truth).expect("JSON")))
}

#[test]
fn a_leak_is_found_and_a_full_cache_is_none() {
    let Some(shared) = shared() else { return };
    let args = ["--events", "20000", "--leak", "--cache", "--layers", "2"];
    let Some((path, truth)) = generated(&shared, "generated_leak", &args) else { return };
    let leak = json("leak", &path, &["--limit", "64GiB"]);
    let device = &leak["devices"][0];
    assert_eq!(device["risk"], "high");
    let growers = device["growth"].as_array().expect("a list");
    let sites: Vec<String> = growers
        .iter()
        .map(|g| format!("{}:{}", g["call_site"]["file"].as_str().unwrap_or(""), g["call_site"]["line"]))
        .collect();
    assert_eq!(sites, ["/workspace/cache.py:41"]);
    assert_eq!(growers[0]["bytes_per_step"], truth[0]["leak"]["bytes_per_step"]);
    let overview = json("overview", &path, &[]);
    assert!(overview["health"]["reasons"].to_string().contains("health.growth_high"), "{overview}");
}
