//! Which files belong together: one or many profiler folders out of a plain list of paths.
//!
//! A browser's drop and a walk through directories give the same list, so both are grouped by this one
//! function; only the two small JSON files are read for it, through a callback. Which kind a file is goes by
//! its name here, because a listing has nothing else; what is read is still told by its content.

use super::read_info;
use crate::format::Document;
use crate::model::profile::{ProfilerInfo, ProfilerRun, RankKey};
use crate::model::{Arrange, Position, Warnings};
use std::collections::BTreeMap;

/// What a file of a profiler folder is, by its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Piece {
    Trace,
    OperatorMemory,
    MemoryRecord,
    ModuleMemory,
    StaticOps,
    StepTrace,
    /// `ascend_pytorch_profiler_<rank>.db`: what the others hold, for folders without them.
    Database,
    Info,
    Metadata,
}

/// The files of one run of one rank.
#[derive(Clone, Debug, Default)]
pub struct RunFiles {
    pub key: RankKey,
    pub info: ProfilerInfo,
    /// Indices into the list of paths, with what each is; those to open are in the order to open them.
    pub files: Vec<(usize, Piece)>,
    pub warnings: Warnings,
}

/// What a file is by its name; `None` for files that are of no use here.
pub fn piece(path: &str) -> Option<Piece> {
    let name = file_name(path).to_ascii_lowercase();
    let bare = name.strip_suffix(".gz").unwrap_or(&name);
    if let Some(stem) = bare.strip_suffix(".csv") {
        let tables = [
            ("operator_memory", Piece::OperatorMemory),
            ("memory_record", Piece::MemoryRecord),
            ("npu_module_mem", Piece::ModuleMemory),
            ("static_op_mem", Piece::StaticOps),
            ("step_trace_time", Piece::StepTrace),
        ];
        return tables.iter().find(|(prefix, _)| stem.starts_with(prefix)).map(|&(_, piece)| piece);
    }
    if bare.starts_with("ascend_pytorch_profiler") && bare.ends_with(".db") {
        return Some(Piece::Database);
    }
    let stem = bare.strip_suffix(".json")?;
    if stem.starts_with("profiler_info") {
        Some(Piece::Info)
    } else if stem.starts_with("profiler_metadata") {
        Some(Piece::Metadata)
    } else if stem.starts_with("trace_view") || stem.ends_with(".trace") || stem.starts_with("kineto") {
        Some(Piece::Trace)
    } else {
        None
    }
}

/// Groups a list of paths (`/` or `\` between parts) by run, ordered by role, rank and time stamp. `read` gives
/// the content of the small JSON files.
pub fn group_runs(
    paths: &[String],
    mut read: impl FnMut(usize) -> std::io::Result<Vec<u8>>,
) -> Vec<RunFiles> {
    let mut folders: BTreeMap<String, RunFiles> = BTreeMap::new();
    for (i, path) in paths.iter().enumerate() {
        let Some(piece) = piece(path) else { continue };
        folders.entry(run_folder(path)).or_default().files.push((i, piece));
    }
    let mut runs: Vec<RunFiles> = folders
        .into_iter()
        .map(|(folder, mut run)| {
            identify(&folder, &mut run, paths, &mut read);
            run
        })
        .filter(|run| run.files.iter().any(|&(_, piece)| !matches!(piece, Piece::Info | Piece::Metadata)))
        .collect();
    runs.arrange_by(|a, b| a.key.cmp(&b.key));
    runs
}

/// The folder that a file belongs to: the one that ends in `_ascend_pt`, else the one the file lies in,
/// where an output folder counts as the one above it.
fn run_folder(path: &str) -> String {
    let parts: Vec<&str> = path.split(['/', '\\']).collect();
    let folders = parts.split_last().map_or(&[][..], |(_, folders)| folders);
    if let Some(last) = folders.iter().rposition(|part| part.to_ascii_lowercase().ends_with("_ascend_pt")) {
        return folders.get(..=last).unwrap_or(&[]).join("/");
    }
    let outputs = ["ASCEND_PROFILER_OUTPUT", "mindstudio_profiler_output"];
    match folders.split_last() {
        Some((last, above)) if outputs.iter().any(|o| last.eq_ignore_ascii_case(o)) => above.join("/"),
        _ => folders.join("/"),
    }
}

fn identify(
    folder: &str,
    run: &mut RunFiles,
    paths: &[String],
    read: &mut impl FnMut(usize) -> std::io::Result<Vec<u8>>,
) {
    let (mut from_name, mut seen) = (None, false);
    for &(i, piece) in &run.files {
        if !matches!(piece, Piece::Info | Piece::Metadata) {
            continue;
        }
        let path = paths.get(i).map_or("", String::as_str);
        if piece == Piece::Info {
            from_name = from_name.or(rank_of_name(path));
        }
        let info =
            read(i).map_err(|e| e.to_string()).and_then(|text| read_info(&text).map_err(|e| e.to_string()));
        match info {
            Ok(info) => {
                seen |= piece == Piece::Info;
                merge(&mut run.info, info);
            }
            Err(why) => {
                run.warnings.add("unreadable_info", None::<Position>, || format!("{path}: {why}"));
            }
        }
    }
    run.files.arrange_by_key(|&(i, piece)| (piece, i));
    let parts: Vec<&str> = folder.split('/').collect();
    let (own, parent) = match parts.as_slice() {
        [.., parent, own] => (*own, *parent),
        [own] => (*own, ""),
        [] => ("", ""),
    };
    // A rank inside of −1 says "no rank": the single card's.
    let rank = from_name.or(run.info.rank).filter(|&rank| rank >= 0);
    run.key = RankKey {
        role: run.info.role.clone().unwrap_or_else(|| parent.to_owned()),
        rank,
        timestamp: timestamp(own),
        folder: own.to_owned(),
    };
    if !seen && own.to_ascii_lowercase().ends_with("_ascend_pt") {
        run.warnings.add("no_profiler_info", None, || {
            "there is no profiler_info file: the rank is not known".to_owned()
        });
    }
}

fn merge(into: &mut ProfilerInfo, from: ProfilerInfo) {
    let ProfilerInfo { rank, role, torch_npu_version, cann_version, with_stack, profile_memory } = from;
    into.rank = into.rank.or(rank);
    into.role = into.role.take().or(role);
    into.torch_npu_version = into.torch_npu_version.take().or(torch_npu_version);
    into.cann_version = into.cann_version.take().or(cann_version);
    into.with_stack = into.with_stack.or(with_stack);
    into.profile_memory = into.profile_memory.or(profile_memory);
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `profiler_info_3.json` → 3; `profiler_info.json` → none.
fn rank_of_name(path: &str) -> Option<i64> {
    let name = file_name(path);
    name.strip_prefix("profiler_info_")?.strip_suffix(".json")?.parse().ok()
}

/// The digits of the time stamp in a folder's name, padded to 17 so that they compare: `…_20250109073723745_ascend_pt` and
/// `20260526_085155_ascend_pt`.
pub fn timestamp(folder: &str) -> String {
    let stem = folder.get(..folder.len().saturating_sub("_ascend_pt".len())).unwrap_or("");
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = stem.rsplit('_');
    let digits = match (parts.next(), parts.next()) {
        (Some(last), _) if all_digits(last) && last.len() >= 14 => last.to_owned(),
        (Some(time), Some(date)) if all_digits(time) && all_digits(date) && date.len() == 8 => {
            format!("{date}{time}")
        }
        _ => return String::new(),
    };
    format!("{digits:0<17}")
}

impl RunFiles {
    /// An empty run, to which the documents are added as they are read.
    pub fn start(&self) -> ProfilerRun {
        ProfilerRun {
            key: self.key.clone(),
            info: self.info.clone(),
            warnings: self.warnings.clone(),
            ..ProfilerRun::default()
        }
    }

    /// The files to open, in order. A database says what the tables beside it say, so it is opened only
    /// where there are no rows of memory otherwise.
    pub fn to_open(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = self.files.iter().any(|&(_, piece)| piece == Piece::OperatorMemory);
        self.files
            .iter()
            .filter(move |&&(_, piece)| match piece {
                Piece::Info | Piece::Metadata => false,
                Piece::Database => !rows,
                _ => true,
            })
            .map(|&(i, _)| i)
    }
}

/// Puts a document into its place in a run; gives it back if it is no part of a profiler folder. Of two
/// of one kind the first stays, and the other is counted.
pub fn add_document(run: &mut ProfilerRun, document: Document) -> Option<Document> {
    fn put<T>(slot: &mut Option<T>, table: T, warnings: &mut Warnings, kind: &str) {
        if slot.is_some() {
            warnings.add("second_file", None, || format!("there is more than one {kind}; the first is used"));
        } else {
            *slot = Some(table);
        }
    }
    let warnings = &mut run.warnings;
    match document {
        Document::Trace(table) => put(&mut run.trace, *table, warnings, "trace"),
        Document::OperatorMemory(table) => put(&mut run.operators, *table, warnings, "operator_memory"),
        Document::MemoryRecords(table) => put(&mut run.records, *table, warnings, "memory_record"),
        Document::ModuleMemory(table) => put(&mut run.modules, *table, warnings, "npu_module_mem"),
        Document::StaticOps(table) => put(&mut run.static_ops, *table, warnings, "static_op_mem"),
        Document::StepTrace(table) => put(&mut run.steps, *table, warnings, "step_trace_time"),
        Document::Run(found) => merge_run(run, *found),
        other => return Some(other),
    }
    None
}

/// Takes from the run of a database what the files of the folder did not give.
fn merge_run(run: &mut ProfilerRun, found: ProfilerRun) {
    let ProfilerRun { key, info, operators, trace, records, modules, static_ops, steps, warnings } = found;
    if run.key == RankKey::default() {
        run.key = key;
    } else {
        run.key.rank = run.key.rank.or(key.rank);
    }
    merge(&mut run.info, info);
    run.operators = run.operators.take().or(operators);
    run.trace = run.trace.take().or(trace);
    run.records = run.records.take().or(records);
    run.modules = run.modules.take().or(modules);
    run.static_ops = run.static_ops.take().or(static_ops);
    run.steps = run.steps.take().or(steps);
    for warning in warnings.iter() {
        run.warnings.add_many(&warning.kind, warning.count, warning.position, || warning.detail.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(files: &[(&str, &str)]) -> Vec<RunFiles> {
        let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        group_runs(&paths, |i| Ok(files[i].1.as_bytes().to_vec()))
    }

    #[test]
    fn folders_become_runs_by_role_rank_and_time() {
        let runs = group(&[
            ("job/actor/n_2_20260526085155001_ascend_pt/profiler_info_1.json", r#"{"rank_id": 9}"#),
            ("job/actor/n_2_20260526085155001_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_memory.csv", ""),
            ("job/actor/z_1_20260526085155000_ascend_pt/profiler_info_0.json", "{}"),
            ("job/actor/z_1_20260526085155000_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json.gz", ""),
            ("job/actor/a_1_20260526_085156_ascend_pt/profiler_info_0.json", "{}"),
            ("job/actor/a_1_20260526_085156_ascend_pt/ASCEND_PROFILER_OUTPUT/memory_record.csv", ""),
            ("job/critic/c_20260526085155000_ascend_pt/profiler_info.json", "{}"),
            ("job/critic/c_20260526085155000_ascend_pt/profiler_metadata.json", r#"{"role": "aaa"}"#),
            ("job/critic/c_20260526085155000_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_memory.csv", ""),
            ("job/empty_20260526085155000_ascend_pt/profiler_info_7.json", "{}"),
            ("job/notes.txt", ""),
        ]);
        let keys: Vec<_> =
            runs.iter().map(|r| (r.key.role.as_str(), r.key.label(), r.key.timestamp.as_str())).collect();
        assert_eq!(
            keys,
            [
                ("aaa", "single".to_owned(), "20260526085155000"),
                ("actor", "0".to_owned(), "20260526085155000"),
                ("actor", "0".to_owned(), "20260526085156000"),
                ("actor", "1".to_owned(), "20260526085155001"),
            ]
        );
        assert_eq!(runs[1].to_open().collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn single_files_and_output_folders_are_runs_too() {
        let runs = group(&[
            ("operator_memory.csv", ""),
            ("trace_view.json", ""),
            (r"C:\x\ASCEND_PROFILER_OUTPUT\memory_record.csv", ""),
            (r"C:\x\profiler_info.json", r#"{"rank_id": "4"}"#),
        ]);
        assert_eq!((runs.len(), runs[0].key.label()), (2, "single".to_owned()));
        assert_eq!(runs[0].to_open().collect::<Vec<_>>(), [1, 0]);
        assert_eq!((runs[1].key.rank, runs[1].key.folder.as_str()), (Some(4), "x"));
    }

    #[test]
    fn what_cannot_be_read_costs_only_itself() {
        let runs = group(&[
            ("r/n_20250109073723745_ascend_pt/profiler_info_2.json", "{broken"),
            ("r/n_20250109073723745_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_memory.csv", ""),
        ]);
        assert_eq!((runs[0].key.rank, runs[0].key.role.as_str()), (Some(2), "r"));
        assert!(runs[0].warnings.get("unreadable_info").is_some());
    }
}
