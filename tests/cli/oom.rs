//! Out-of-memories: the verdict and its figures, with and without the device's memory known.

use crate::schema::assert_valid;
use crate::support::run;
use crate::tiny;
use std::ffi::OsStr;

const MIB: u64 = 1 << 20;

#[test]
fn the_verdict_uses_the_limit_that_is_given() {
    let path = tiny::write_with_oom("oom");
    let oom = |more: &[&str]| {
        let mut args = vec![OsStr::new("oom"), OsStr::new("--json"), path.as_os_str()];
        args.extend(more.iter().map(OsStr::new));
        let ran = run(args);
        assert_eq!(ran.code, 0);
        let report = ran.json().remove(0);
        assert_valid("oom", &report);
        report["devices"][0]["ooms"][0].clone()
    };
    let with = oom(&["--limit", "40MiB"]);
    assert_eq!(with["verdict"], "huge");
    for (key, value) in [
        ("event", 7),
        ("requested", 30 * MIB),
        ("device_free", MIB),
        ("limit", 40 * MIB),
        ("allocated", 4 * MIB),
        ("active", 5 * MIB),
        ("pending", MIB),
        ("reserved", 20 * MIB),
        ("cached_free", 15 * MIB),
        ("largest_usable", 15 * MIB),
        ("others", 19 * MIB),
    ] {
        assert_eq!(with[key].as_u64(), Some(value), "{key}");
    }
    let without = oom(&[]);
    assert_eq!(without["verdict"], "capacity");
    assert!(without["limit"].is_null() && without["others"].is_null());
    let counters = path.with_file_name("tiny.json.counters.json");
    std::fs::write(&counters, format!("{{\"limit\": {}}}", 40 * MIB)).expect("written");
    assert_eq!(oom(&[])["verdict"], "huge", "the side-car knows the limit");
}

#[test]
fn words_say_verdict_evidence_and_advice() {
    let path = tiny::write_with_oom("oom_words");
    let english = run([OsStr::new("oom"), path.as_os_str()]);
    for words in ["out of memory at event 7", "Verdict: ", "Advice: ", "free_requested"] {
        assert!(english.out.contains(words), "{words:?} is not in:\n{}", english.out);
    }
    let chinese = run([OsStr::new("oom"), path.as_os_str(), "--lang".as_ref(), "zh".as_ref()]);
    assert!(chinese.out.contains("判定：") && chinese.out.contains("建议："), "{}", chinese.out);
    let none = run([OsStr::new("oom"), tiny::write("oom_none").as_os_str()]);
    assert!(none.out.contains("no out-of-memory event"), "{}", none.out);
    let overview = run([path.as_os_str(), "--json".as_ref()]).json().remove(0);
    assert_eq!(overview["health"]["grade"], "bad");
    assert!(overview["health"]["reasons"].to_string().contains("health.oom"));
}
