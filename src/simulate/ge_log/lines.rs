//! Log lines as GE prints them, one clock a process.

use super::GeScript;
use std::fmt::Write;

/// Versions whose lines differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// The sources of 2026.
    Now,
    /// No graph id, no second stream, no block type; the summary is memory and type alone.
    Of2021,
    /// Before that: no operator type, no memory type, one part of `child`.
    Early,
}

/// The log of one process.
#[derive(Debug)]
pub struct Lines {
    pid: u64,
    pub version: Version,
    noise: u64,
    /// Microseconds since the earliest possible line.
    clock: u64,
    lines: Vec<String>,
}

impl Lines {
    pub fn new(pid: u64, script: &GeScript) -> Lines {
        let GeScript { version, noise, begin, .. } = *script;
        Lines { pid, version, noise, clock: begin * 1_000_000, lines: Vec::new() }
    }

    /// A line of GE at level INFO.
    pub fn info(&mut self, thread: u64, message: &str) {
        self.line("INFO", "GE", thread, message);
    }

    pub fn event(&mut self, thread: u64, message: &str) {
        self.line("EVENT", "GE", thread, message);
    }

    pub fn line(&mut self, level: &str, component: &str, thread: u64, message: &str) {
        for n in 0..self.noise {
            let text =
                "Node type is Conv2D, format NCHW, nothing about bytes here (dim 1,64,112,112) stream 0";
            self.push("INFO", "RUNTIME", thread, &format!("DoThings:{text} {n}"));
        }
        self.push(level, component, thread, message);
    }

    fn push(&mut self, level: &str, component: &str, thread: u64, message: &str) {
        self.clock += 3;
        let (seconds, micros) = (self.clock / 1_000_000, self.clock % 1_000_000);
        let (hours, minutes) = (10 + seconds / 3600 % 10, seconds / 60 % 60);
        let mut line = String::new();
        let _ = write!(
            line,
            "[{level}] {component}({},train):2026-03-04-{hours:02}:{minutes:02}:{:02}.{:03}.{:03} [source.cc:42]{thread} {message}",
            self.pid,
            seconds % 60,
            micros / 1000,
            micros % 1000
        );
        self.lines.push(line);
    }

    /// The lines in that many files, each a stretch of time.
    pub fn into_files(self, files: u64) -> Vec<String> {
        let stretch = self.lines.len().div_ceil(files.max(1) as usize).max(1);
        self.lines.chunks(stretch).map(|lines| lines.join("\n") + "\n").collect()
    }
}
