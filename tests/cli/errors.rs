//! Wrong input and wrong usage: what is said, where, and the exit code.

use crate::schema::assert_valid;
use crate::support::{finish, program, run, scratch};
use crate::tiny;
use std::process::Stdio;

#[test]
fn usage_errors_end_with_1() {
    for args in [&["overview"][..], &["--no-such-option"], &[], &["check", "--device", "x", "file"]] {
        let ran = run(args);
        assert_eq!(ran.code, 1, "{args:?}");
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{args:?}");
    }
    let ran = run(["overview", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    assert_valid("error", &ran.json()[0]);
    for good in [["--help"], ["--version"]] {
        assert_eq!(run(good).code, 0);
    }
}

#[test]
fn a_bad_file_is_told_and_the_others_are_shown() {
    let good = tiny::write("bad_and_good");
    let bad = good.with_file_name("notes.txt");
    std::fs::write(&bad, "not a snapshot at all").expect("written");
    let ran = run([bad.as_os_str(), good.as_os_str(), "--json".as_ref()]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""));
    let lines = ran.json();
    assert_eq!(lines.len(), 2);
    assert_valid("error", &lines[0]);
    assert!(lines[0]["error"]["message"].as_str().expect("text").contains("notes.txt"));
    assert_valid("overview", &lines[1]);
    let ran = run([good.with_file_name("missing.pickle").as_os_str()]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("missing.pickle"), "{}", ran.err);
}

#[test]
fn a_directory_stands_for_the_snapshots_below_it() {
    let good = tiny::write("directory");
    let folder = good.parent().expect("a folder");
    std::fs::write(folder.join("notes.txt"), "not a snapshot at all").expect("written");
    std::fs::create_dir(folder.join("sub")).expect("made");
    std::fs::copy(&good, folder.join("sub/second.json")).expect("copied");
    let ran = run([folder.as_os_str(), "--json".as_ref()]);
    assert_eq!((ran.code, ran.json().len()), (0, 2), "{}", ran.out);
    let empty = scratch("directory_empty");
    assert_eq!(run([empty.as_os_str()]).code, 1);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let path = tiny::write("pipe");
    let mut child = program()
        .args(vec![path.as_os_str(); 200])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(unix)]
#[test]
fn a_write_only_file_says_how_to_make_it_readable() {
    use std::os::unix::fs::PermissionsExt;
    let path = tiny::write("write_only");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o200)).expect("set");
    if std::fs::File::open(&path).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let ran = run([path.as_os_str()]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("chmod u+r "), "{}", ran.err);
}

#[test]
fn control_characters_of_a_file_do_not_reach_the_terminal() {
    let path = tiny::write("control");
    let hostile = path.with_file_name("bad\u{1b}[31mred.json");
    std::fs::copy(&path, &hostile).expect("copied");
    let ran = finish(program().arg(&hostile));
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("red.json") && !ran.out.contains('\u{1b}'), "{:?}", ran.out);
}

#[test]
fn a_broken_side_car_is_an_error_only_when_it_was_named() {
    let path = tiny::write("broken_side_car");
    let beside = path.with_file_name("tiny.json.counters.json");
    std::fs::write(&beside, "{").expect("written");
    let found = run([path.as_os_str(), "--json".as_ref()]);
    assert_eq!((found.code, found.json().len()), (0, 1));
    assert!(found.err.contains("tiny.json.counters.json"), "{}", found.err);
    let named = run([path.as_os_str(), "--json".as_ref(), "--sidecar".as_ref(), beside.as_os_str()]);
    assert_eq!(named.code, 1);
    assert_valid("error", &named.json()[0]);
}
