//! One rank as a page of its own: curve 1, lanes, details and call stacks in a single file that opens anywhere.
//!
//! The scripts are the ones with which the project's page draws the same rows; they are laid in one after
//! the other, so each imports only what stands before it. The rows are packed, since a run may have millions.

use crate::text::Language;
use crate::view::ops::{FLOATS, IDS, OpsTable};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::io::{self, Write};

const PAGE: &str = include_str!("ops_page/page.html");
const STYLE: &str = include_str!("ops_page/page.css");
const SCRIPTS: [&str; 5] = [
    include_str!("ops_page/span.js"),
    include_str!("ops_page/run.js"),
    include_str!("ops_page/surface.js"),
    include_str!("ops_page/draw.js"),
    include_str!("ops_page/page.js"),
];

/// Writes the page of a rank; `number` counts the runs of its role and rank.
pub fn write_page(table: &OpsTable, number: u64, language: Language, mut out: impl Write) -> io::Result<()> {
    let data = STANDARD.encode(packed(table, number)?);
    let key = &table.rank.run.key;
    let title = format!("{} rank {}: {}", key.role, key.label(), key.folder);
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or(("", after));
        out.write_all(before.as_bytes())?;
        match name {
            "language" => out.write_all(if language == Language::Chinese { b"zh-CN" } else { b"en" })?,
            "title" => out.write_all(escaped(title.trim()).as_bytes())?,
            "style" => out.write_all(STYLE.as_bytes())?,
            "data" => out.write_all(data.as_bytes())?,
            "script" => SCRIPTS.iter().try_for_each(|script| write_script(script, &mut out))?,
            _ => {}
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// A module as a part of one script: what it imports stands above it.
fn write_script(source: &str, out: &mut impl Write) -> io::Result<()> {
    for line in source.lines().filter(|line| !line.starts_with("import ")) {
        writeln!(out, "{}", line.strip_prefix("export ").unwrap_or(line))?;
    }
    Ok(())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// The length of a text of JSON, the text, and from the next multiple of eight on the columns.
fn packed(table: &OpsTable, number: u64) -> io::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Meta<'a> {
        head: crate::view::ops::OpsHead<'a>,
        rows: usize,
        series: Vec<usize>,
        stacks: Vec<&'a str>,
    }
    let meta = Meta {
        head: table.head(number),
        rows: table.rank.index.len(),
        series: table.series.iter().map(|series| series.points.len()).collect(),
        stacks: (0..table.stack_count()).map(|stack| table.stack(stack)).collect(),
    };
    let text = serde_json::to_vec(&meta)?;
    let mut out = GzEncoder::new(Vec::new(), Compression::new(6));
    let length =
        u32::try_from(text.len()).map_err(|_| io::Error::other("the run has too many texts for one page"))?;
    out.write_all(&u64::from(length).to_le_bytes())?;
    out.write_all(&text)?;
    out.write_all(&[0; 8][..text.len().next_multiple_of(8) - text.len()])?;
    let mut floats = |values: &[f64]| values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()));
    for which in 0..FLOATS.len() {
        floats(&table.floats(which))?;
    }
    for series in &table.series {
        floats(&series.points)?;
    }
    for which in 0..IDS.len() {
        for id in table.ids(which) {
            out.write_all(&id.to_le_bytes())?;
        }
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_become_one_without_imports_or_clashes() {
        let mut joined = Vec::new();
        SCRIPTS.iter().for_each(|script| write_script(script, &mut joined).unwrap());
        let joined = String::from_utf8(joined).unwrap();
        assert!(!joined.lines().any(|line| line.starts_with("import ") || line.starts_with("export ")));
        // An element <script> ends where that stands, and a placeholder would be taken for one of the page's.
        assert!(!joined.contains("</script") && !joined.contains("<!--"));
        let names = joined.lines().filter_map(|line| {
            let rest =
                ["function ", "const ", "let ", "class "].iter().find_map(|word| line.strip_prefix(word))?;
            Some(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_owned())
        });
        let mut seen = std::collections::BTreeSet::new();
        for name in names.filter(|name| !name.is_empty()) {
            assert!(seen.insert(name.clone()), "{name} is declared twice");
        }
        assert!(seen.contains("OpsRun") && seen.contains("drawLanes"));
    }
}
