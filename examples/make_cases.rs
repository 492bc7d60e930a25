//! Writes snapshots with something special in them, for tests of the page: one that ends out of memory,
//! one with private pools.
//!
//! `cargo run --features simulate --example make_cases -- FOLDER`. The same bytes every time.

use hbmlens::simulate::{self, Config, Layout, MIB, OomKind, Simulator, ops, ops::Op, pickle_cpython};
use std::path::Path;

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: make_cases FOLDER");
        std::process::exit(1);
    };
    std::fs::create_dir_all(&folder)?;
    let write = |name: &str, run: &Simulator| {
        let layout = Layout::of(run.config.backend);
        let bytes = pickle_cpython::write(&simulate::snapshot(&[run], &layout), 4);
        std::fs::write(Path::new(&folder).join(name), bytes)
    };
    let config = Config::default;
    write(
        "oom.pickle",
        &simulate::out_of_memory(OomKind::Fragmentation, simulate::shapes::Shape::Torch, config()),
    )?;
    write("pools.pickle", &with_pools(config()))
}

/// Two private pools beside the default one, half of what they took given back.
fn with_pools(config: Config) -> Simulator {
    let tensor = |n: usize| Op::Alloc {
        tensor: n,
        size: (1 + n as u64 % 7) * MIB,
        stream: 0,
        pool: n as u32 % 3,
        place: n as u64,
    };
    let made = (0..60).map(tensor);
    let freed = (0..60).filter(|n| n % 2 == 1).map(|n| Op::Free { tensor: n });
    let program: Vec<Op> = made.chain(freed).chain((60..75).map(tensor)).collect();
    let mut run = Simulator::new(config);
    ops::run(&mut run, &program);
    run
}
