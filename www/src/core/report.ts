// The data of a report, put together in the worker of the file it is about: the same that the terminal program writes
// (src/export/report/data.rs), from the answers that the views get.

import type { Comparison } from "../compare/types";
import { group } from "../compare/rows";
import type { DeviceReport, Laid, ProfilerReport, Report, ReportComparison, SnapshotReport } from "../report/data";
import { moduleRows } from "../modules";
import type { OpsRun } from "../../../src/export/ops_page/run.js";
import type { Reply as CoreReply, Request as CoreRequest, Session } from "../../../pkg/hbmlens.js";
import type { GeReport } from "./ge";
import { inScript } from "./in-script";
import type { CallSiteRow } from "./protocol";

export type ReportRequest = {
  type: "report";
  kind: Report["kind"];
  language: "en" | "zh";
  /** Where the file came from, as the page names it. */
  name: string;
  /** No directories, also in what the core does not strip: names of files, and texts that were made before. */
  strip: boolean;
  settings: readonly (readonly [string, string])[];
  /** With another snapshot or moment. */
  comparison: Comparison | null;
};
/** The text that goes into the page of reports. */
export type ReportReply = { type: "report"; text: string };

/** Rows of a list, as in the terminal's reports. */
const TOP = 20;
const REST = "(rest)";

/** Answers with everything; `finished` adds the sentences to messages. */
export function answerReport(session: Session, doc: number, request: ReportRequest, run: () => OpsRun, finished: <T>(value: T) => T): ReportReply {
  const laid: Laid = { language: request.language, report: finished(dataOf(session, doc, request, run)) };
  return { type: "report", text: inScript(JSON.stringify(laid)) };
}

function dataOf(session: Session, doc: number, request: ReportRequest, run: () => OpsRun): Report {
  switch (request.kind) {
    case "snapshot":
      return snapshot(session, doc, request);
    case "ge_log":
      return { kind: "ge_log", names: [request.name], ge: JSON.parse(session.ge_report(doc)) as GeReport };
    case "profiler":
      return profiler(session, run());
  }
}

type ReplyTo<T extends CoreRequest["type"]> = Extract<CoreReply, { type: T }>;

function snapshot(session: Session, doc: number, request: ReportRequest): SnapshotReport {
  const ask = <T extends CoreRequest["type"]>(asked: Extract<CoreRequest, { type: T }>) => session.query(doc, asked) as ReplyTo<T>;
  const { overview } = ask<"overview">({ type: "overview", growth: true });
  const devices = overview.devices.map(({ device }): DeviceReport => {
    const { composition, modules } = ask<"composition">({ type: "composition", device, state: null });
    return {
      peak: { ...composition, by_module: moduleRows(modules), by_call_site: cut(composition.by_call_site) },
      fragment: ask<"fragment">({ type: "fragment", device, state: null }).fragment,
      growth: ask<"growth">({ type: "growth", device, limit: null }).growth,
      ooms: ask<"ooms">({ type: "ooms", device, limit: null }).ooms,
      drawing: JSON.parse(session.report_drawing(doc, String(device))) as DeviceReport["drawing"],
    };
  });
  const comparisons = request.comparison ? [comparisonOf(request.comparison)] : [];
  const whole: SnapshotReport = { kind: "snapshot", overview, settings: request.settings, devices, comparisons };
  return request.strip ? withoutDirectories(whole) : whole;
}

/** The directories of paths within a text. */
const DIRECTORIES = /(?:\b[A-Za-z]:(?=[\\/]))?[\\/]?(?:[^\s\\/:,;]+[\\/])+/g;

export function withoutDirectories(report: SnapshotReport): SnapshotReport {
  const { overview, settings, comparisons } = report;
  const name = (path: string) => path.split(/[\\/]/).at(-1) ?? "";
  return {
    ...report,
    overview: { ...overview, file: { ...overview.file, name: name(overview.file.name) } },
    settings: settings.map(([key, value]) => [key, value.replaceAll(DIRECTORIES, "")]),
    // The sides were taken while paths were whole.
    comparisons: comparisons.map((comparison) => ({
      ...comparison,
      a: { ...comparison.a, file: name(comparison.a.file) },
      b: { ...comparison.b, file: name(comparison.b.file) },
      by_call_site: comparison.by_call_site.map((row) => ({ ...row, key: row.key?.replaceAll(DIRECTORIES, "") ?? null })),
    })),
  };
}

/** The first rows, and one for the rest. */
export function cut(rows: readonly CallSiteRow[]): CallSiteRow[] {
  const [shown, others] = [rows.slice(0, TOP), rows.slice(TOP)];
  if (others.length === 0) return shown;
  const sum = (of: (row: CallSiteRow) => number) => others.reduce((all, row) => all + of(row), 0);
  const rest = { file: REST, line: null, function: null, category: null, freed_at: false, bytes: sum((row) => row.bytes), count: sum((row) => row.count), inferred_bytes: sum((row) => row.inferred_bytes) };
  // The generated types know what is missing as undefined only; it comes as null.
  return [...shown, rest as unknown as CallSiteRow];
}

/** The page compares every stack; a report lists call sites. */
function comparisonOf(comparison: Comparison): ReportComparison {
  const { a, b, totals, by_category, segments, peaks, curves, summary, paths } = comparison;
  const by_call_site = group(paths, "call_site")
    .slice(0, TOP)
    .map((row) => ({ ...row, diff_count: row.b_count - row.a_count, a_inferred_bytes: 0, b_inferred_bytes: 0 }));
  return { a, b, totals, by_category, by_call_site, segments, peaks, ...(curves ? { curves } : {}), summary };
}

/** Rows of a profiler's report. */
const ROWS = 100;

function profiler(session: Session, run: OpsRun): ProfilerReport {
  const { head } = run;
  const all: OpsFilter = { text: "", min_size: null, max_size: null, min_duration: null, max_duration: null, match: null, never_released: false, interval: null, within: null };
  const rows = run.rows(all, "size", true, 0, ROWS).lines.map((line) => ({
    name: line.name,
    size_kb: line.size / 1024,
    duration_ms: line.end === null || line.start === null ? 0 : (line.end - line.start) / 1e6,
    call_stack: run.detail(line.row, 0).stack,
    call_stack_top: line.stack_top,
  }));
  const series = head.series.map((name, which) => {
    const points = session.report_ops_line(which);
    const pick = (first: number) => Array.from({ length: points.length / 2 }, (_, i) => points[2 * i + first] ?? 0);
    return { ...name, of: (run.columns.series[which]?.length ?? 0) / 2, at: pick(0), value: pick(1) };
  }) as unknown as ProfilerReport["drawings"][number]["series"];
  return { kind: "profiler", ops: { ranks: [{ ...(head.report as unknown as ProfilerReport["ops"]["ranks"][number]), rows }], outliers: [] }, drawings: [{ base_ns: head.base_ns, series }] };
}
