//! Files of `hbmlens convert` other than a database: what each option writes, made in one reading.

use crate::cli::analysed::Analysed;
use crate::cli::args::{Common, OfDevice, parse_device};
use crate::cli::error::Stop;
use crate::cli::input::Opened;
use crate::cli::out_file::write_file;
use crate::cli::output::Output;
use hbmlens::analysis::attribution::Attributed;
use hbmlens::export::pickle::{Selection, write_pickle};
use hbmlens::export::snapshot_trace::write_snapshot_trace;
use hbmlens::model::Device;
use hbmlens::text::Message;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Formats {
    /// Write a trace for ui.perfetto.dev: counters, allocations, segment events, OOMs (- for standard output)
    #[arg(long, value_name = "OUT.json")]
    trace: Option<PathBuf>,
    /// Write a pickle that PyTorch's own tools read, of the range and device asked for (- for standard output)
    #[arg(long, value_name = "OUT.pickle")]
    pickle: Option<PathBuf>,
    /// Only this device: a number, or host
    #[arg(long, value_name = "N", value_parser = parse_device, allow_hyphen_values = true)]
    device: Option<Device>,
}

/// A file that was written.
#[derive(Serialize)]
pub struct Written {
    pub format: &'static str,
    pub path: String,
    pub bytes: u64,
}

impl Formats {
    /// True where none of the files is asked for.
    pub fn is_empty(&self) -> bool {
        self.trace.is_none() && self.pickle.is_none()
    }

    /// Writes what is asked for; what went to standard output is not among what is returned.
    pub fn write(&self, opened: &Opened, common: &Common, out: &mut Output) -> Result<Vec<Written>, Stop> {
        let snapshot = opened.snapshot()?;
        let of_device = OfDevice { device: self.device, limit: None };
        of_device.choose(snapshot.devices())?;
        let mut written = Vec::new();
        if let Some(path) = &self.pickle {
            // The reader has left out what is outside the range.
            let selection = Selection { device: self.device, events: None };
            let fill = &mut |sink: &mut dyn Write| write_pickle(snapshot, &selection, sink);
            written.extend(write("pickle", path, common, out, fill)?);
        }
        if let Some(path) = &self.trace {
            let analysed = Analysed::new(opened, snapshot, &of_device, None)?;
            let devices: Vec<Attributed<'_>> =
                analysed.devices.iter().map(|device| analysed.memory(device)).collect();
            let fill = &mut |sink: &mut dyn Write| write_snapshot_trace(&devices, sink);
            written.extend(write("trace", path, common, out, fill)?);
        }
        Ok(written)
    }
}

/// Writes one file and says so; nothing is said of what goes to standard output.
fn write(
    format: &'static str,
    path: &Path,
    common: &Common,
    out: &mut Output,
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<Option<Written>, Stop> {
    if path.as_os_str() == "-" {
        fill(out.raw())?;
        return Ok(None);
    }
    write_file(path, fill)?;
    let shown = common.shown_name(path);
    if !out.json {
        out.say(&Message::new("ops.written").text("path", shown.as_str()))?;
    }
    let bytes = std::fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default();
    Ok(Some(Written { format, path: shown, bytes }))
}
