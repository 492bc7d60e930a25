//! From an argument to a document: moments, directories, permissions, progress, side-cars.

use crate::cli::args::Common;
use crate::cli::error::{Failure, Stop};
use crate::cli::output::Output;
use hbmlens::format::counters::Counters;
use hbmlens::format::ge_log::Reader as GeReader;
use hbmlens::format::{self, Document};
use hbmlens::model::Snapshot;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A point in a trace, as written after `@` or with `--at`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// After the event of that number; −1 is the state before the first.
    Event(i64),
    /// After the last event that is not later than these microseconds.
    Time(i64),
    /// Where the step of that number begins, counted from 0 over those that the trace shows.
    Step(u32),
    Peak,
    End,
}

/// A file argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileArg {
    pub path: PathBuf,
    pub moment: Option<Moment>,
    /// Found in a directory, not named by the user: what is no input there is passed over.
    pub found: bool,
}

/// A document with what is known of its file.
pub struct Opened {
    pub name: String,
    pub bytes: u64,
    pub document: Document,
    pub counters: Option<Counters>,
}

impl FileArg {
    /// `FILE`, `FILE@418220`, `FILE@peak`, `FILE@end`, `FILE@step3`, `FILE@1700000000000000us`. A file that
    /// really has that name wins.
    pub fn parse(text: &str) -> FileArg {
        let whole = FileArg { path: PathBuf::from(text), moment: None, found: false };
        if whole.path.exists() {
            return whole;
        }
        match text.rsplit_once('@') {
            Some((path, moment)) => match Moment::parse(moment) {
                Some(moment) => FileArg { path: PathBuf::from(path), moment: Some(moment), found: false },
                None => whole,
            },
            None => whole,
        }
    }
}

impl Moment {
    pub fn parse(text: &str) -> Option<Moment> {
        match text {
            "peak" => Some(Moment::Peak),
            "end" => Some(Moment::End),
            text => match (text.strip_prefix("step"), text.strip_suffix("us")) {
                (Some(step), _) => step.parse().ok().map(Moment::Step),
                (None, Some(micros)) => micros.parse().ok().map(Moment::Time),
                (None, None) => text.parse().ok().filter(|&n| n >= -1).map(Moment::Event),
            },
        }
    }
}

/// The arguments as files: a directory stands for the files below it, sorted by name.
pub fn files(args: &[String]) -> Result<Vec<FileArg>, Failure> {
    let mut files = Vec::new();
    for arg in args {
        let file = FileArg::parse(arg);
        if file.path.is_dir() {
            let mut below = Vec::new();
            walk(&file.path, &mut below)?;
            files.extend(below.into_iter().map(|path| FileArg { path, moment: file.moment, found: true }));
        } else {
            files.push(file);
        }
    }
    Ok(files)
}

/// Regular files below `dir`, without hidden ones and without following links to directories.
fn walk(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut pending = vec![dir.to_owned()];
    while let Some(dir) = pending.pop() {
        let entries = fs::read_dir(&dir).map_err(|e| unreadable(&dir, &e))?;
        for entry in entries {
            let entry = entry.map_err(|e| unreadable(&dir, &e))?;
            let kind = entry.file_type().map_err(|e| unreadable(&entry.path(), &e))?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                pending.push(entry.path());
            } else if entry.path().is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(())
}

/// Reads a file, with a progress bar where a person waits for it.
pub fn open(path: &Path, common: &Common, out: &Output) -> Result<Opened, Failure> {
    let name = common.shown_name(path);
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    let metadata = file.metadata().map_err(|e| unreadable(path, &e))?;
    if metadata.is_dir() {
        return Err(Failure::new("io", format!("{name} is a directory, a file is expected")));
    }
    let mut options = common.read_options();
    options.len = metadata.is_file().then_some(metadata.len());
    let bar = progress_bar(metadata.len(), out);
    let document = format::open(file, &options, &mut |done| bar.set_position(done));
    bar.finish_and_clear();
    let mut document = document.map_err(|e| Failure::from(e).of_file(&name))?;
    if common.strip_paths {
        document.strip_paths();
    }
    let counters = sidecar(path, common)?.or_else(|| document.counters());
    Ok(Opened { counters, name, bytes: metadata.len(), document })
}

/// Adds a file to a GE log, with a progress bar where a person waits for it.
pub fn feed_ge_log(path: &Path, common: &Common, out: &Output, reader: &mut GeReader) -> Result<(), Failure> {
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    let metadata = file.metadata().map_err(|e| unreadable(path, &e))?;
    let mut options = common.read_options();
    options.len = metadata.is_file().then_some(metadata.len());
    let bar = progress_bar(metadata.len(), out);
    let result = format::open_ge_log(file, &options, &mut |done| bar.set_position(done), reader);
    bar.finish_and_clear();
    result.map_err(|e| Failure::from(e).of_file(&common.shown_name(path)))
}

impl Opened {
    /// The snapshot in the file; other kinds of file have commands of their own.
    pub fn snapshot(&self) -> Result<&Snapshot, Failure> {
        match &self.document {
            Document::Snapshot(snapshot) => Ok(snapshot),
            Document::GeLog(_) => Err(Failure::new("unexpected", format!("{}: a GE log", self.name))
                .hint(format!("hbmlens ge report {} reads it", self.name))),
            #[allow(unreachable_patterns, reason = "Document grows by formats with their own commands")]
            _ => Err(Failure::new("unexpected", format!("{}: a file of a profiler", self.name))
                .hint(format!("hbmlens ops {} reads it", self.name))),
        }
    }
}

/// The side-car that was named, else the one that lies beside the file.
fn sidecar(path: &Path, common: &Common) -> Result<Option<Counters>, Failure> {
    let read = |path: &Path| -> Result<Counters, Failure> {
        let bytes = fs::read(path).map_err(|e| unreadable(path, &e))?;
        Counters::read(&bytes).map_err(|e| Failure::from(e).of_file(&path.display().to_string()))
    };
    if let Some(named) = &common.sidecar {
        return read(named).map(Some);
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".counters.json");
    let candidates = [PathBuf::from(beside), path.with_extension("counters.json")];
    let Some(found) = candidates.iter().find(|candidate| candidate.is_file()) else { return Ok(None) };
    // Nobody asked for this one, so the snapshot is shown without it.
    read(found).map(Some).or_else(|failure| {
        eprintln!("hbmlens: {}", crate::cli::output::clean(&failure.message));
        Ok(None)
    })
}

/// True for a file that is itself the side-car of another.
pub fn is_sidecar(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".counters.json")
}

fn progress_bar(len: u64, out: &Output) -> ProgressBar {
    // Small files are done before a bar could be read.
    if !out.terminal || len < 16 << 20 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(len);
    let shape = "{bar:32} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta} left";
    if let Ok(style) = ProgressStyle::with_template(shape) {
        bar.set_style(if out.ascii { style.progress_chars("=> ") } else { style });
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let name = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => Failure::new("io", format!("{name}: there is no such file")),
        io::ErrorKind::PermissionDenied => {
            let failure = Failure::new("io", format!("{name}: no permission to read it"));
            if is_write_only(path) {
                failure.hint(format!(
                    "some versions of torch_npu write snapshots nobody may read; chmod u+r {name} helps"
                ))
            } else {
                failure
            }
        }
        _ => Failure::new("io", format!("{name}: {error}")),
    }
}

#[cfg(unix)]
fn is_write_only(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o400 == 0)
}

#[cfg(not(unix))]
fn is_write_only(_: &Path) -> bool {
    false
}

/// Runs `each` on every snapshot of the arguments. One bad file is told and the others still run; what
/// is no snapshot in a directory is passed over.
pub fn for_each_snapshot(
    args: &[String],
    common: &Common,
    out: &mut Output,
    mut each: impl FnMut(&Opened, &FileArg, &Snapshot, &mut Output) -> Result<(), Stop>,
) -> Result<bool, Stop> {
    let (mut good, mut bad) = (0_u64, 0_u64);
    for file in files(args)? {
        if file.found && is_sidecar(&file.path) {
            continue;
        }
        let result = open(&file.path, common, out).map_err(Stop::from).and_then(|opened| {
            let snapshot = opened.snapshot()?;
            each(&opened, &file, snapshot, out)
        });
        match result {
            Ok(()) => good += 1,
            Err(Stop::Failure(failure)) if file.found && is_other_content(&failure) => {}
            Err(Stop::Failure(failure)) => {
                bad += 1;
                crate::cli::error::tell(&failure, out)?;
            }
            Err(stop) => return Err(stop),
        }
    }
    if good + bad == 0 {
        return Err(Failure::new("unexpected", "no snapshot was found in the directory")
            .hint("snapshots are what torch.cuda.memory._dump_snapshot or torch_npu.npu.memory._dump_snapshot write")
            .into());
    }
    Ok(bad == 0)
}

/// True where a file is no snapshot, but may well be something else.
pub fn is_other_content(failure: &Failure) -> bool {
    matches!(failure.kind.as_str(), "unknown_format" | "unexpected")
}
