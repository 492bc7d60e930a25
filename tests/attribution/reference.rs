//! Every shared snapshot's peak by category, against the Python program that counts it apart.

use crate::common::{Owned, real, shared};
use hbmlens::analysis::attribution::Category;
use hbmlens::model::Device;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

#[test]
fn plain_categories_are_those_of_the_reference() {
    let Some(shared) = shared() else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/attribution.py");
    let mut paths: Vec<_> = std::fs::read_dir(shared.join("data/snapshots"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let output = match Command::new("python3").arg(script).args(&paths).output() {
        Ok(output) => output,
        Err(error) => return eprintln!("left out: python3 does not run ({error})"),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let rows: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert!(rows.len() >= paths.len());
    for row in rows {
        let (name, device) = (row["file"].as_str().unwrap_or(""), row["device"].as_i64().unwrap_or(0) as i32);
        let run = Owned::new(real(&shared, name), Device::Index(device));
        let peak = run.replay.peak();
        assert_eq!(row["peak_requested"], peak.bytes.0, "{name} {device}");
        assert_eq!(row["peak_event"], peak.event, "{name} {device}");
        assert_eq!(row["python_only"], run.attribution.stack_kinds().python_only(), "{name} {device}");
        let one_figure = |category| match category {
            Category::OptimizerTemporary => Category::Optimizer,
            Category::Gradient if row["python_only"] == true => Category::Backward,
            other => other,
        };
        let mut ours: BTreeMap<String, u64> = BTreeMap::new();
        for life in run.at_peak() {
            let category = one_figure(run.attribution.plain_category(life));
            *ours.entry(category.id().to_owned()).or_default() += run.replay.lives.size(life).0;
        }
        let theirs: BTreeMap<String, u64> =
            serde_json::from_value(row["by_category"].clone()).unwrap_or_default();
        assert_eq!(ours, theirs, "{name} {device}");
        let freed = |life| {
            let unknown = run.attribution.plain_category(life) == Category::Unknown;
            unknown && run.replay.lives.stack_is_of_free(life)
        };
        assert_eq!(row["unknown_freed"], run.bytes_at_peak(freed), "{name} {device}");
    }
}
