//! `hbmlens convert --parquet` and `--csv`: every table as a file of its own.
//!
//! Parquet files of a rank lie in a folder that DuckDB, Spark and Polars know as a partition, `DIR/rank=3`, so that
//! the folders of a job read as one table with a column `rank`. A folder is made beside its place and moved
//! there when it is whole, and never in the place of another rank's.

use crate::cli::args::Common;
use crate::cli::database::{Input, in_parts, of_runs};
use crate::cli::error::{Failure, Stop};
use crate::cli::exports::Written;
use crate::cli::out_file::{unwritable, write_folder, write_into};
use crate::cli::output::Output;
use hbmlens::analysis::ops::report::Analysed as Run;
use hbmlens::analysis::ranks::Named;
use hbmlens::export::tables::{Source, TABLES, Table};
use hbmlens::export::{csv, parquet};
use hbmlens::model::Bytes;
use hbmlens::text::Message;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Tables {
    /// Write all tables as Parquet files, one folder a rank: DIR/rank=0/traces.parquet
    #[arg(long, value_name = "DIR")]
    pub parquet: Option<PathBuf>,
    /// The rank that FILE is of, for --parquet (default: its name tells, or the profiler)
    #[arg(long, value_name = "N", requires = "parquet", allow_hyphen_values = true)]
    pub rank: Option<i64>,
    /// Write all tables as CSV files: DIR/traces.csv
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
}

/// What is known of an input's place among the ranks.
#[derive(Clone, Default)]
pub struct Place {
    pub named: Named,
    /// Levels that all folders of this run of the program have, so that they read as one.
    pub has_role: bool,
    pub has_step: bool,
}

/// The file in a folder that says what it was made of; readers pass over names that begin so.
const ORIGIN: &str = "_source";

impl Tables {
    pub fn is_empty(&self) -> bool {
        self.parquet.is_none() && self.csv.is_none()
    }

    /// Writes what is asked for. `name` is the input's, as results show it.
    pub fn write(
        &self,
        input: &Input,
        name: &str,
        place: &Place,
        common: &Common,
        out: &mut Output,
    ) -> Result<Vec<Written>, Stop> {
        let mut written = Vec::new();
        if let Some(dir) = &self.parquet {
            let mut tell = |path: &Path, bytes| told("parquet", path, bytes, common, out);
            match (input, self.rank) {
                (Input::Runs(runs, _), None) => {
                    let same = |a: &Run, b: &Run| place_of(a) == place_of(b);
                    for ranks in runs.chunk_by(same) {
                        let place = ranks.first().map(place_of).unwrap_or_default();
                        let folder = self.folder(dir, place.0, None, place.1);
                        let bytes = write_rank(&folder, name, false, |part| {
                            Ok(write_files(&of_runs(ranks, name), part, "parquet", &|_| true)?)
                        })?;
                        written.push(tell(&folder, bytes)?);
                    }
                }
                (input, rank) => {
                    let Place { named, has_role, has_step } = place;
                    let role = if *has_role && named.role.is_empty() { "none" } else { named.role.as_str() };
                    let step = has_step.then_some(named.order.unwrap_or(0));
                    let folder = self.folder(dir, role, step, named.rank.unwrap_or(0));
                    let bytes = write_rank(&folder, name, rank.is_some(), |part| {
                        in_parts(input, &|source, wanted| write_files(source, part, "parquet", wanted))
                    })?;
                    written.push(tell(&folder, bytes)?);
                }
            }
        }
        if let Some(dir) = &self.csv {
            let bytes = write_into(dir, |part| {
                in_parts(input, &|source, wanted| write_files(source, part, "csv", wanted))
            })?;
            written.push(told("csv", dir, bytes, common, out)?);
        }
        Ok(written)
    }

    /// `DIR/rank=3`, or `DIR/role=actor/step=100/rank=3`; just the rank where it was told.
    fn folder(&self, dir: &Path, role: &str, step: Option<i64>, rank: i64) -> PathBuf {
        if let Some(rank) = self.rank {
            return dir.join(format!("rank={rank}"));
        }
        let mut folder = dir.to_owned();
        if !role.is_empty() {
            let safe = role.replace(|c: char| !c.is_alphanumeric() && !"-_.".contains(c), "_");
            folder.push(format!("role={safe}"));
        }
        if let Some(step) = step {
            folder.push(format!("step={step}"));
        }
        folder.join(format!("rank={rank}"))
    }
}

/// Role and rank; a card without a rank counts as 0.
fn place_of(run: &Run) -> (&str, i64) {
    (&run.run.key.role, run.run.key.rank.unwrap_or(0))
}

fn told(
    format: &'static str,
    path: &Path,
    bytes: u64,
    common: &Common,
    out: &mut Output,
) -> Result<Written, Stop> {
    let path = common.shown_name(path);
    if !out.json {
        let line = Message::new("convert.written").text("path", path.as_str()).bytes("bytes", Bytes(bytes));
        out.say(&line)?;
    }
    Ok(Written { format, path, bytes })
}

/// Writes the tables that are wanted; returns their bytes.
fn write_files(
    source: &Source<'_>,
    folder: &Path,
    ending: &str,
    wanted: &dyn Fn(&Table) -> bool,
) -> Result<u64, Failure> {
    let mut bytes = 0;
    for table in TABLES.iter().filter(|table| wanted(table)) {
        let path = folder.join(format!("{}.{ending}", table.name));
        let write = || {
            let file = File::create(&path)?;
            let file = if ending == "csv" {
                let mut sink = BufWriter::with_capacity(1 << 18, file);
                csv::write_table(source, table, &mut sink)?;
                sink.into_inner().map_err(io::IntoInnerError::into_error)?
            } else {
                parquet::write_table(source, table, file)?
            };
            Ok(file.metadata()?.len())
        };
        bytes += write().map_err(|error| unwritable(&path, &error))?;
    }
    Ok(bytes)
}

/// Makes the folder of a rank. What was made of the same input before is replaced, and nothing else.
fn write_rank(
    folder: &Path,
    origin: &str,
    replace: bool,
    fill: impl FnOnce(&Path) -> Result<u64, Stop>,
) -> Result<u64, Stop> {
    if folder.exists() {
        let before = fs::read_to_string(folder.join(ORIGIN)).ok();
        let hint = format!("name its rank with --rank, or another directory than {}", folder.display());
        match before {
            Some(before) if replace || before == origin => {}
            Some(before) => {
                let both = format!("{origin}: {} was made of {before}", folder.display());
                return Err(Failure::usage(both).hint(hint).into());
            }
            None => {
                let message = format!("{} is there, but not as a folder of tables", folder.display());
                return Err(Failure::usage(message).hint(hint).into());
            }
        }
    }
    write_folder(folder, |part| {
        let bytes = fill(part)?;
        fs::write(part.join(ORIGIN), origin).map_err(|error| unwritable(folder, &error))?;
        Ok(bytes)
    })
}
