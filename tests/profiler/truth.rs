//! The generator of profiler folders tells the truth of every row; it must be met on every row.

use crate::folders::analyse;
use crate::shared::shared;
use hbmlens::analysis::ops::compare::compare_ranks;
use hbmlens::analysis::ops::components::{component_curves, unexplained_curve};
use hbmlens::analysis::ops::live::top_at;
use hbmlens::analysis::ops::report::{Analysed, outliers};
use hbmlens::model::Nanos;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the generator into a fresh folder; `None` where it or Python is not at hand.
fn generate(name: &str, args: &[&str]) -> Option<PathBuf> {
    let tool = shared("tools/make_profile.py")?;
    let out = std::env::temp_dir().join(format!("hbmlens-profile-{name}-{}", std::process::id()));
    let status = Command::new("python3").arg(tool).arg(&out).args(args).status();
    match status {
        Ok(status) if status.success() => Some(out),
        other => {
            eprintln!("skipped: the generator did not run ({other:?})");
            None
        }
    }
}

/// Every row's kind, operator event and stack against truth.csv.
fn check_rows(folder: &Path, rank: &Analysed) {
    let truth = std::fs::File::open(folder.join(&rank.run.key.folder).join("truth.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(truth);
    let mut position_of = vec![usize::MAX; rank.index.len()];
    for (position, &row) in rank.index.row.iter().enumerate() {
        position_of[row as usize] = position;
    }
    let mut count = 0;
    for row in rows.records() {
        let row = row.unwrap();
        let position = position_of[row[0].parse::<usize>().unwrap()];
        let found = rank.index.matches[position];
        let trace = rank.run.trace.as_ref().unwrap();
        let event = found.operator.map(|o| trace.operators.get(o as usize).unwrap().event);
        let stack = rank.index.stack(&rank.run, position);
        let top = stack.split(";\r\n").next().unwrap();
        let what = (found.kind.name(), event.map_or(String::new(), |e| e.to_string()), top);
        assert_eq!(what, (&row[1], row[2].to_owned(), &row[3]), "row {} of {}", &row[0], rank.run.key.folder);
        count += 1;
    }
    assert_eq!(count, rank.index.len());
}

/// The figures of truth.json.
fn check_figures(rank: &Analysed, truth: &Value) {
    let number = |key: &str| truth[key].as_i64().unwrap();
    let report = rank.report(5, 0);
    assert_eq!(report.rows_total, number("rows") as u64);
    assert_eq!((report.peak_bytes, report.peak_ns), (number("peak_bytes"), Some(number("peak_time_ns"))));
    assert_eq!(report.unreleased_bytes as i64, number("unreleased_bytes"));
    assert_eq!(report.unreleased_count as i64, number("unreleased_rows"));
    for kind in ["exact", "flow", "approximate", "inherited", "none"] {
        assert_eq!(serde_json::to_value(report.matches).unwrap()[kind], truth["match"][kind], "{kind}");
    }
    assert_eq!(report.check.unnamed_rows as i64, number("rows_blank_name"));
    assert_eq!(report.rows.len(), 5);
    assert_eq!(rank.curve.total_allocated.peak().unwrap().1, number("peak_total_allocated"));
    for component in &report.components {
        let truth = &truth["memory_record"][&component.component];
        assert_eq!(component.samples, truth["rows"].as_u64().unwrap(), "{}", component.component);
        assert_eq!(
            component.peak_allocated.map(|p| p.bytes),
            truth["peak_allocated"].as_i64(),
            "{}",
            component.component
        );
        assert_eq!(
            component.peak_reserved.map(|p| p.bytes),
            truth["peak_reserved"].as_i64(),
            "{}",
            component.component
        );
    }
    assert_eq!(report.components.len(), truth["memory_record"].as_object().unwrap().len());
    let cost = report.api_cost.unwrap();
    for call in &cost.calls {
        let truth = &truth["api"][&call.name];
        assert_eq!(call.count, truth["count"].as_u64().unwrap());
        assert_eq!(call.total_ns, (truth["total_us"].as_f64().unwrap() * 1000.0).round() as i64);
    }
    assert_eq!(cost.advice.is_some(), cost.total_ns > 10_000_000);
    let modules: i64 = report.modules.iter().filter_map(|m| Some(m.peak?.bytes)).sum();
    assert_eq!(modules, number("modules_bytes"));
    // The process holds the pools, the workspace and the modules; no byte more, where all are sampled.
    let curve = unexplained_curve(&component_curves(rank.run.records.as_ref().unwrap())).unwrap();
    assert!(curve.values().iter().all(|&v| v == number("modules_bytes") + 67_108_864));
}

/// The top rows at some moments against a search over all rows.
fn check_moments(rank: &Analysed) {
    let (from, to) = rank.index.range.unwrap();
    for part in 0..40 {
        let at = Nanos(from.0 + (to.0 - from.0) / 40 * part);
        let mut live: Vec<(i64, usize)> = rank
            .index
            .counted()
            .filter(|&(_, s, e, _)| s <= at.0 && at.0 < e)
            .map(|(i, _, _, size)| (-size, i))
            .collect();
        live.sort_unstable();
        let bytes: i64 = live.iter().map(|(size, _)| -size).sum();
        assert_eq!(rank.curve.at(at), (bytes, live.len() as u32));
        let expected: Vec<usize> = live.iter().take(10).map(|&(_, i)| i).collect();
        assert_eq!(top_at(&rank.index, at, 10), expected);
    }
}

fn check(name: &str, args: &[&str]) -> Option<(PathBuf, Vec<Analysed>)> {
    let folder = generate(name, args)?;
    let ranks = analyse(&folder);
    let truth: Value =
        serde_json::from_reader(std::fs::File::open(folder.join("truth.json")).unwrap()).unwrap();
    assert_eq!(ranks.len(), truth.as_array().unwrap().len());
    for rank in &ranks {
        check_rows(&folder, rank);
        let truth =
            truth.as_array().unwrap().iter().find(|t| t["folder"] == *rank.run.key.folder.as_str()).unwrap();
        assert_eq!(
            (Some(&*rank.run.key.role), rank.run.key.rank),
            (truth["role"].as_str(), truth["rank"].as_i64())
        );
        check_figures(rank, truth);
        check_moments(rank);
    }
    Some((folder, ranks))
}

fn remove(folder: &Path) {
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_row_of_a_generated_run_meets_its_truth() {
    let size = std::env::var("HBMLENS_PROFILE_OPS").unwrap_or("3000".to_owned());
    for (name, args) in [
        ("newest", &["--seed", "1"][..]),
        ("quoted", &["--quoted", "--seed", "2"]),
        ("old", &["--old", "--seed", "3"]),
    ] {
        let args = [&["--ops", &size], args].concat();
        let Some((folder, ranks)) = check(name, &args) else { return };
        // Odd rows make no field missing: each stands at the event that was seen.
        let check = ranks[0].report(1, 0).check;
        assert_eq!(serde_json::to_value(check.status).unwrap(), "pass", "{check:?}");
        remove(&folder);
    }
}

#[test]
fn an_outlier_among_ranks_is_named_with_its_reason() {
    let Some((folder, ranks)) = check("ranks", &["--ops", "1500", "--ranks", "5", "--outlier", "--plain"])
    else {
        return;
    };
    let found = outliers(&ranks);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].role.as_str(), found[0].rank), ("actor", 2));
    assert!(found[0].deviation > 0.25 && found[0].deviation < 0.35, "{}", found[0].deviation);
    assert_eq!(found[0].because[0].name, "aten::zeros");
    let differences = compare_ranks((&ranks[0].run, &ranks[0].index), (&ranks[2].run, &ranks[2].index));
    assert_eq!(differences[0].name, "aten::zeros");
    assert!(differences.iter().all(|d| d.a_count == d.b_count));
    let truth: Value =
        serde_json::from_reader(std::fs::File::open(folder.join("truth.json")).unwrap()).unwrap();
    for difference in &differences {
        let of = |rank: usize| truth[rank]["by_name"][&difference.name]["bytes"].as_i64().unwrap();
        assert_eq!((difference.a_bytes, difference.b_bytes), (of(0), of(2)), "{}", difference.name);
        assert_eq!(difference.diff_bytes, of(2) - of(0));
    }
    remove(&folder);
}
