// Saves everything found in a file as one HTML file.

import { useState } from "preact/hooks";
import type { Comparison } from "../compare/types";
import { reportTemplate } from "../core/assets";
import { CoreError } from "../core/client";
import type { Summary } from "../core/protocol";
import type { Doc } from "../core/use-query";
import { useTexts } from "../i18n";
import type { FileEntry } from "../state/files";
import { settings } from "../state/settings";
import { download } from "../views/ge/names";

/** Where the data goes in the page of reports. */
const SLOT = "<!--data-->";

const KINDS: readonly string[] = ["snapshot", "profiler", "ge_log"];

export function ReportButton({ file, summary, at, comparison = null }: { file: FileEntry; summary: Summary; at: Doc; comparison?: Comparison | null }) {
  const t = useTexts();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  if (!KINDS.includes(summary.kind)) return null;
  const make = async () => {
    setBusy(true);
    setProblem("");
    try {
      const request = { type: "report", kind: summary.kind as "snapshot" | "profiler" | "ge_log", language: settings.value.language, name: file.path, settings: summary.allocator_settings, comparison } as const;
      const [template, { text }] = await Promise.all([reportTemplate(), at.core.query(at.doc, request, "report")]);
      const [before = "", after = ""] = template.split(SLOT);
      // Handed over in parts: a large report is not copied once more.
      download(`${file.name.replace(/\.(pickle|pkl|json|log)(\.gz)?$/i, "")}.report.html`, new Blob([before, text, after]), "text/html");
    } catch (thrown) {
      setProblem(thrown instanceof CoreError ? thrown.wire.message : String(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <span class="row">
      <button type="button" class="report-button" disabled={busy} title={t.report.buttonMeans} onClick={() => void make()}>
        {busy ? t.report.making : comparison ? t.report.buttonCompared : t.report.button}
      </button>
      {problem !== "" && (
        <span class="problem-words" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}
