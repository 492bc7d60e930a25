// The data of a report, as the terminal program and the page's worker put it together.

import type { GeReport } from "../core/ge";
import type { DeviceFragment, DeviceGrowth, DeviceOoms, DevicePeak, Device, FrameText, Message, Overview } from "../core/protocol";
import type { CompareCurves, DiffRow, Pair, SegmentChange, SegmentKind, SideName } from "../compare/types";

/** A reduced series; `of` points were there before. Events count from 0, −1 is the state before the first. */
export interface Line {
  name: string;
  of: number;
  event: readonly number[];
  /** Empty where the events carry no times. */
  time_us: readonly number[];
  value: readonly number[];
}

export interface SegmentBar {
  address: number;
  segments: number;
  size: number;
  allocated: number;
  pending: number;
  workspace: number;
  free: number;
  largest_free: number;
  live_blocks: number;
  is_expandable: boolean;
}

export interface SiteStack {
  site: FrameText | null;
  freed_at: boolean;
  category: string;
  bytes: number;
  count: number;
  inferred_bytes: number;
  stacks: number;
  stack_bytes: number;
  stack: readonly FrameText[];
}

export interface Drawing {
  device: Device;
  curves: readonly Line[];
  segment_counts: Line;
  segments: readonly SegmentBar[];
  rest: SegmentBar;
  sites: readonly SiteStack[];
  /** Category, bytes, count. */
  end: readonly (readonly [string, number, number])[];
}

export interface DeviceReport {
  peak: DevicePeak;
  fragment: DeviceFragment;
  growth: DeviceGrowth;
  ooms: DeviceOoms;
  drawing: Drawing;
}

export interface ReportComparison {
  a: SideName;
  b: SideName;
  totals: Readonly<Record<string, Pair>>;
  by_category: readonly DiffRow[];
  by_call_site: readonly DiffRow[];
  segments: Readonly<Record<SegmentKind, SegmentChange>> & { same: number };
  peaks: { requested: Pair; a_event: number; b_event: number; by_category: readonly DiffRow[] };
  curves?: CompareCurves;
  summary: readonly Message[];
}

export interface SnapshotReport {
  kind: "snapshot";
  overview: Overview;
  settings: readonly (readonly [string, string])[];
  devices: readonly DeviceReport[];
  comparisons: readonly ReportComparison[];
}

export interface RankLine {
  group: "rows" | "component" | "unexplained" | "module";
  name: string;
  device: string;
  what: "live" | "count" | "allocated" | "reserved" | "active";
  of: number;
  at: readonly number[];
  value: readonly number[];
}

interface PeakAt {
  bytes: number;
  at: number;
}

export interface RankFigures {
  role: string;
  rank: number;
  rank_label: string;
  folder: string;
  run: number;
  device: string;
  rows_total: number;
  peak_bytes: number;
  peak_ns: number | null;
  unreleased_bytes: number;
  unreleased_count: number;
  matches: Readonly<Record<string, number>>;
  components: readonly { component: string; device: string; samples: number; peak_allocated: PeakAt | null; peak_reserved: PeakAt | null; peak_active: PeakAt | null }[];
  unexplained: { peak: PeakAt; app_bytes: number; framework_bytes: number; workspace_bytes: number; modules: readonly { module: string; bytes: number }[]; other_bytes: number } | null;
  /** The largest; times are decimal text in the terminal's. */
  rows: readonly { name: string; size_kb: number; duration_ms: number | string; call_stack: string; call_stack_top: string }[];
  warnings: readonly { kind: string; count: number; detail: string }[];
}

export interface ProfilerReport {
  kind: "profiler";
  ops: { ranks: readonly RankFigures[]; outliers: readonly { role: string; rank: number; peak_bytes: number; median_bytes: number; deviation: number; because: readonly { name: string; diff_bytes: number }[] }[] };
  drawings: readonly { base_ns: string; series: readonly RankLine[] }[];
}

export interface GeLogReport {
  kind: "ge_log";
  names: readonly string[];
  ge: GeReport;
}

export type Report = SnapshotReport | ProfilerReport | GeLogReport;

/** What stands in the page: without a language it is read in that of the browser. */
export interface Laid {
  language: "en" | "zh" | null;
  report: Report;
}
