//! Writes the bundled sample: the snapshot of a small training run in which a buffer leaks.
//!
//! `cargo run --features simulate --example make_sample -- FILE`. The same bytes every time.

use hbmlens::simulate;

fn main() -> std::io::Result<()> {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: make_sample FILE");
        std::process::exit(1);
    };
    std::fs::write(path, simulate::sample())
}
