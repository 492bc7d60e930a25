//! Lays the page of reports into the program, where it has been built (`node www/build.mjs --report`).

use std::path::Path;

fn main() {
    println!("cargo:rustc-check-cfg=cfg(report_template)");
    // The folder is always there, the page in it is not: so a build notices when it comes.
    println!("cargo:rerun-if-changed=src/export/report/template");
    println!("cargo:rerun-if-changed=build.rs");
    if Path::new("src/export/report/template/report.html").exists() {
        println!("cargo:rustc-cfg=report_template");
    }
}
