//! Arguments that most commands share, and how their values are written.

use crate::cli::error::Failure;
use crate::cli::size::parse_size;
use core::ops::Range;
use hbmlens::analysis::grouping::GroupKey;
use hbmlens::format::{Keep, ReadOptions};
use hbmlens::model::{Bytes, Device, base_name};
use hbmlens::text::Language;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Clone)]
pub struct Common {
    /// Print JSON, one object a line, as docs/json.md describes it
    #[arg(long)]
    pub json: bool,
    /// Language of the texts: en or zh (default: the locale's)
    #[arg(long, value_name = "LANG", value_parser = parse_language)]
    pub lang: Option<Language>,
    /// Counters of the process that wrote the snapshot (default: FILE.counters.json, if there)
    #[arg(long, value_name = "FILE")]
    pub sidecar: Option<PathBuf>,
    /// Read only the last N events of each device
    #[arg(long, value_name = "N", conflicts_with = "range")]
    pub last: Option<u64>,
    /// Read only events A to B (B not included) of each device
    #[arg(long, value_name = "A..B", value_parser = parse_range)]
    pub range: Option<Range<u64>>,
    /// Leave native (C++) frames out, which makes large files smaller in memory
    #[arg(long)]
    pub no_native_frames: bool,
    /// Leave directories and user names out of everything that is printed or written
    #[arg(long)]
    pub strip_paths: bool,
}

/// Arguments of commands that look at devices.
#[derive(clap::Args, Clone)]
pub struct OfDevice {
    /// Only this device: a number, or host
    #[arg(long, value_name = "N", value_parser = parse_device, allow_hyphen_values = true)]
    pub device: Option<Device>,
    /// Memory of the device, such as 64GiB (default: from the side-car)
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub limit: Option<Bytes>,
}

/// Arguments of the analyses.
#[derive(clap::Args, Clone)]
pub struct Target {
    /// Snapshots, or directories of them; FILE@EVENT, FILE@peak and FILE@end name a moment
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    #[command(flatten)]
    pub of_device: OfDevice,
    /// Look at the moment after this event (-1: before the first), where an analysis is of a moment
    #[arg(long, value_name = "EVENT", allow_hyphen_values = true, conflicts_with = "at_time",
          value_parser = clap::value_parser!(i64).range(-1..))]
    pub at: Option<i64>,
    /// Look at this moment, in microseconds since the epoch
    #[arg(long, value_name = "US", allow_hyphen_values = true)]
    pub at_time: Option<i64>,
    /// Group the memory at that moment by this key, too
    #[arg(long, value_name = "KEY", value_parser = parse_key)]
    pub by: Option<GroupKey>,
    /// Rows of each list; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// A file of rules of your own: CATEGORY file|function REGEX, one a line
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

impl Common {
    /// What the reader should keep.
    pub fn read_options(&self) -> ReadOptions {
        let keep = match (self.last, &self.range) {
            (Some(n), _) => Keep::Last(n),
            (None, Some(range)) => Keep::Range(range.clone()),
            (None, None) => Keep::All,
        };
        ReadOptions { keep, native_frames: !self.no_native_frames, ..ReadOptions::default() }
    }
}

impl Common {
    /// A file's name as results show it.
    pub fn shown_name(&self, path: &Path) -> String {
        let name = path.display().to_string();
        if self.strip_paths { base_name(&name).to_owned() } else { name }
    }
}

impl OfDevice {
    /// All devices of a file.
    pub fn all() -> OfDevice {
        OfDevice { device: None, limit: None }
    }

    /// The devices of the file that are asked for.
    pub fn choose(&self, devices: Vec<Device>) -> Result<Vec<Device>, Failure> {
        let Some(device) = self.device else { return Ok(devices) };
        if devices.contains(&device) {
            return Ok(vec![device]);
        }
        let there: Vec<String> = devices.iter().map(Device::to_string).collect();
        Err(Failure::usage(format!("the file has no device {device}"))
            .hint(format!("its devices: {}", there.join(", "))))
    }
}

fn parse_language(text: &str) -> Result<Language, String> {
    Language::from_code(text).ok_or_else(|| "the languages are en and zh".to_owned())
}

pub fn parse_key(text: &str) -> Result<GroupKey, String> {
    GroupKey::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = GroupKey::ALL.iter().map(|&(_, name)| name).collect();
        format!("the keys are {}", names.join(", "))
    })
}

pub fn parse_device(text: &str) -> Result<Device, String> {
    if text == "host" {
        return Ok(Device::Host);
    }
    text.parse().map(Device::Index).map_err(|_| "a device is a number or host".to_owned())
}

fn parse_range(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("{text:?} is not a range such as 1000..2000");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str, empty: u64| {
        if text.is_empty() { Ok(empty) } else { text.parse::<u64>().map_err(|_| wrong()) }
    };
    let range = number(from, 0)?..number(to, u64::MAX)?;
    if range.is_empty() { Err(format!("the range {text} is empty")) } else { Ok(range) }
}
