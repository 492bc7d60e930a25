// Saves everything found in a file as one HTML file.

import { useState } from "preact/hooks";
import type { Comparison } from "../compare/types";
import { reportTemplate } from "../core/assets";
import { CoreError } from "../core/client";
import { inScript } from "../core/in-script";
import type { ReportRequest } from "../core/report";
import type { Summary } from "../core/protocol";
import type { Doc } from "../core/use-query";
import { download } from "../download";
import { useTexts } from "../i18n";
import type { Laid } from "../report/data";
import { mergeRanks } from "../report/merge";
import type { FileEntry } from "../state/files";
import { settings } from "../state/settings";

/** Where the data goes in the page of reports. */
const SLOT = "<!--data-->";

/** The data of several ranks, asked of the worker of each. */
async function together(ranks: readonly FileEntry[], request: ReportRequest, stripPaths: boolean): Promise<string> {
  const cores = ranks.flatMap((rank) => (rank.core ? [rank.core] : []));
  const laid = await Promise.all(cores.map(async (core) => JSON.parse((await core.query(0, request, "report", [], stripPaths)).text) as Laid));
  const reports = laid.flatMap(({ report }) => (report.kind === "profiler" ? [report] : []));
  return inScript(JSON.stringify({ language: request.language, report: mergeRanks(reports) } satisfies Laid));
}

const KINDS: readonly string[] = ["snapshot", "profiler", "ge_log"];

interface Props {
  file: FileEntry;
  summary: Summary;
  at: Doc;
  /** What is put beside the file. */
  comparison?: Comparison | null;
  /** Runs of a profiler that are reported together. */
  ranks?: readonly FileEntry[];
}

export function ReportButton({ file, summary, at, comparison = null, ranks = [] }: Props) {
  const t = useTexts();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  if (!KINDS.includes(summary.kind)) return null;
  const make = async () => {
    setBusy(true);
    setProblem("");
    try {
      const { stripPaths } = settings.value;
      const request = { type: "report", kind: summary.kind as "snapshot" | "profiler" | "ge_log", language: settings.value.language, name: stripPaths ? file.name : file.path, strip: stripPaths, settings: summary.allocator_settings, comparison } as const;
      const [template, { text: own }] = await Promise.all([reportTemplate(), at.core.query(at.doc, request, "report", [], stripPaths)]);
      const text = ranks.length > 1 ? await together(ranks, request, stripPaths) : own;
      const [before = "", after = ""] = template.split(SLOT);
      // Handed over in parts: a large report is not copied once more.
      download(`${file.name.replace(/\.(pickle|pkl|json|log)(\.gz)?$/i, "")}.report.html`, new Blob([before, text, after]), "text/html");
    } catch (thrown) {
      setProblem(thrown instanceof CoreError ? thrown.wire.message : String(thrown));
    } finally {
      setBusy(false);
    }
  };
  const name = comparison ? t.report.buttonCompared : ranks.length > 1 ? t.report.buttonRanks : t.report.button;
  return (
    <span class="row">
      <button type="button" class="report-button" disabled={busy} title={t.report.buttonMeans} onClick={() => void make()}>
        {busy ? t.report.making : name}
      </button>
      {problem !== "" && (
        <span class="problem-words" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}
