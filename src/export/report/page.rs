//! The data laid into the template.

use super::sentences::with_sentences;
use crate::text::Language;
use serde::Serialize;
use std::io::{self, Write};

/// The page of a report without its data; `None` where the program was compiled before it was built.
#[cfg(report_template)]
pub const TEMPLATE: Option<&str> = Some(include_str!("template/report.html"));
#[cfg(not(report_template))]
pub const TEMPLATE: Option<&str> = None;

/// Where the data goes.
const SLOT: &str = "<!--data-->";

/// Writes a report: `data` as JSON in the template's place for it. Without a language it is read in the one of the
/// reader's browser.
pub fn write_report(
    template: &str,
    data: &impl Serialize,
    language: Option<Language>,
    mut out: impl Write,
) -> io::Result<()> {
    let data = with_sentences(serde_json::to_value(data)?);
    let wrapped = serde_json::json!({ "language": language.map(Language::code), "report": data });
    let (before, after) =
        template.split_once(SLOT).ok_or_else(|| io::Error::other("the template has no place for data"))?;
    out.write_all(before.as_bytes())?;
    out.write_all(in_script(&serde_json::to_string(&wrapped)?).as_bytes())?;
    out.write_all(after.as_bytes())
}

/// JSON that stays one text inside a `<script>` element, whatever names a file holds.
fn in_script(json: &str) -> String {
    // These stand only within strings, where an escape means the same.
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_place() {
        let hostile = "</script><script>alert(1)</script><!--data-->\u{2028}\u{2029}";
        let mut page = Vec::new();
        write_report("<b><!--data--></b>", &hostile, Some(Language::Chinese), &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let data = page.strip_prefix("<b>").and_then(|rest| rest.strip_suffix("</b>")).unwrap();
        assert!(!data.contains('<') && !data.contains('\u{2028}') && !data.contains('\u{2029}'));
        let read: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(read["report"], hostile);
        assert_eq!(read["language"], "zh");
    }

    #[test]
    fn a_template_without_a_place_is_refused() {
        assert!(write_report("<b></b>", &1, None, Vec::new()).is_err());
    }

    /// Where it has been built.
    #[test]
    fn the_template_holds_one_place_and_may_connect_nowhere() {
        let Some(template) = TEMPLATE else { return eprintln!("the report's template has not been built") };
        assert_eq!(template.matches(SLOT).count(), 1);
        assert!(template.contains("connect-src 'none'") && template.contains("default-src 'none'"));
        assert!(template.len() <= 1_500_000, "{} bytes", template.len());
    }
}
