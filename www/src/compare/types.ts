// The shapes of the core's comparisons: the terminal's JSON (docs/json.md), which crosses as one text.

import type { Device, Message } from "../core/protocol";

export interface Pair {
  a: number;
  b: number;
  diff: number;
}

export type Presence = "both" | "only_a" | "only_b";

/** A group in both sides; without a key it has no name (no stack, no module). */
export interface DiffRow {
  key: string | null;
  a_bytes: number;
  b_bytes: number;
  diff_bytes: number;
  a_count: number;
  b_count: number;
  diff_count: number;
  a_inferred_bytes: number;
  b_inferred_bytes: number;
  presence: Presence;
}

export interface PathRow {
  frames: number[];
  site: number | null;
  module: number | null;
  freed_at: boolean;
  category: string;
  a_bytes: number;
  b_bytes: number;
  a_count: number;
  b_count: number;
}

/** Every stack of both sides; frames are [file, line, function], texts by number. */
export interface Paths {
  frames: [number, number, number][];
  texts: string[];
  stacks: PathRow[];
}

export interface SideName {
  file: string;
  device: Device;
  event: number;
  time_us: number | null;
}

export interface SegmentChange {
  count: number;
  diff_bytes: number;
  rows: { a_address: number | null; b_address: number | null; a_bytes: number; b_bytes: number; stream: number; segment_type: string }[];
}

export type SegmentKind = "new" | "gone" | "grown" | "shrunk" | "moved";

type Column = (number | null)[];

export interface CurvePair {
  curve: "requested" | "active" | "reserved";
  a_min: Column;
  a_max: Column;
  b_min: Column;
  b_max: Column;
}

export interface CompareCurves {
  axis: "event" | "time" | "step";
  end: number;
  a_at: number;
  b_at: number;
  curves: CurvePair[];
}

export interface Comparison {
  a: SideName;
  b: SideName;
  totals: Record<string, Pair>;
  by_category: DiffRow[];
  stacks: Record<"common" | "common_diff_bytes" | "grown" | "grown_bytes" | "shrunk" | "shrunk_bytes" | "only_a" | "only_a_bytes" | "only_b" | "only_b_bytes", number>;
  merged_stacks: number | null;
  segments: Record<SegmentKind, SegmentChange> & { same: number };
  peaks: { requested: Pair; a_event: number; b_event: number; by_category: DiffRow[] };
  curves?: CompareCurves;
  paths: Paths;
  summary: Message[];
}

export interface RankName {
  role: string;
  rank: number | null;
  order: number | null;
  series: boolean;
}

export interface RankRow {
  role: string;
  rank: number | null;
  file: string;
  device: Device;
  peak: number;
  peak_event: number;
  peak_time_us: number | null;
  reserved: number;
  fragmentation: number;
  by_category: { category: string; bytes: number; count: number }[];
  is_median: boolean;
}

export interface Because {
  kind: "category" | "call_site" | "figure";
  key: string;
  bytes: number;
  median_bytes: number;
  diff_bytes: number;
}

export interface Outlier {
  role: string;
  rank: number | null;
  file: string;
  device: Device;
  figure: "peak" | "reserved";
  bytes: number;
  median_bytes: number;
  diff_bytes: number;
  deviation: number;
  because: Because[];
}

export interface GrowthRow {
  key: string | null;
  call_site: string | null;
  category: string | null;
  bytes: number[];
  diff_bytes: number;
  bytes_per_snapshot: number;
  fit: number;
  straight: boolean;
}

export interface Series {
  role: string;
  rank: number | null;
  device: Device;
  unit: "name" | "time_us" | "snapshot";
  snapshots: { file: string; at: number; requested: number; reserved: number }[];
  total: GrowthRow;
  by_category: GrowthRow[];
  growth: GrowthRow[];
  growing_stacks: number;
}

export interface RanksReport {
  ranks: RankRow[];
  median_rank: number | null;
  outliers: Outlier[];
  series: Series[];
  summary: Message[];
}
