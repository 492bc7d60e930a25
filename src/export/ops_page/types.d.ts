// The types of the scripts in this folder, which the compiler checks like the page's own.

interface OpsSeriesName {
  group: "rows" | "component" | "unexplained" | "module";
  name: string;
  device: string;
  what: "live" | "count" | "allocated" | "reserved" | "active";
}

interface OpsPeak {
  bytes: number;
  at: number;
}

interface OpsMessage {
  key: string;
  en?: string;
  zh?: string;
}

/** The part of the terminal's `ranks[]` that the page reads; times in it are absolute and therefore not exact here. */
interface OpsReport {
  role: string;
  rank: number;
  rank_label: string;
  folder: string;
  device: string;
  rows_total: number;
  peak_bytes: number;
  unreleased_bytes: number;
  unreleased_count: number;
  matches: Record<OpsMatch, number>;
  check: { status: "pass" | "fail" | "unknown"; fields: { field: string; status: string; missing: number }[]; unnamed_rows: number };
  components: { component: string; device: string; samples: number; peak_allocated: OpsPeak | null; peak_reserved: OpsPeak | null; peak_active: OpsPeak | null }[];
  unexplained: { peak: OpsPeak; app_bytes: number; framework_bytes: number; workspace_bytes: number; modules: { module: string; bytes: number }[]; other_bytes: number } | null;
  modules: { module: string; device: string; samples: number; peak: OpsPeak | null; last_bytes: number | null }[];
  static_graphs: OpsStaticGraph[];
  api_cost: { total_ns: number; calls: { name: string; count: number; total_ns: number; longest_ns: number }[]; advice: OpsMessage | null } | null;
  warnings: { kind: string; count: number; detail: string; position: unknown }[];
}

/** What the operators of a static graph hold from node to node. */
interface OpsStaticGraph {
  device: string;
  model: string;
  graph: string;
  operators: number;
  operator_bytes: number;
  total_bytes: number | null;
  peak_bytes: number;
  peak_node: number | null;
  never_released: number;
  never_released_bytes: number;
  /** Node, and the bytes held from it on. */
  curve: [number, number][];
  largest: { operator: string; node_start: number; node_end: number | null; bytes: number }[];
}

type OpsMatch = "exact" | "flow" | "approximate" | "inherited" | "none";

interface OpsHead {
  /** Nanoseconds since the epoch; too long for a number. */
  base_ns: string;
  range: [number, number];
  life_end: "release" | "block_release";
  peak_at: number | null;
  unexplained_at: number | null;
  /** The greatest "Total Allocated" of any row. */
  peak_allocated: number | null;
  steps: [number, number, number][];
  names: string[];
  devices: string[];
  stack_tops: string[];
  series: OpsSeriesName[];
  /** The heads, then the rows. */
  step_times: string[][];
  report: OpsReport;
}

interface OpsColumns {
  start: Float64Array;
  end: Float64Array;
  size: Float64Array;
  allocated: Float64Array;
  reserved: Float64Array;
  active: Float64Array;
  stream: Float64Array;
  name: Uint32Array;
  stack: Uint32Array;
  device: Uint32Array;
  match: Uint32Array;
  counts: Uint32Array;
  series: Float64Array[];
}

/** Call stacks stay where they are: in the core, or in the written page. */
interface OpsStacks {
  stack(id: number): string;
  stacksWith(text: string): Iterable<number>;
}

interface OpsLane {
  name: number;
  bytes: number;
  rows: number[];
  ends: number[];
}

interface OpsLine {
  row: number;
  name: string;
  size: number;
  start: number | null;
  end: number | null;
  match: OpsMatch;
  stack_top: string;
  allocated: number | null;
  reserved: number | null;
  active: number | null;
  stream: number | null;
  device: string;
  counts: boolean;
}

interface OpsMoment {
  at: number;
  bytes: number;
  rows: number;
  allocated: number | null;
  /** Of every curve. */
  values: (number | null)[];
  top: OpsLine[];
}

interface OpsDetail {
  line: OpsLine;
  stack: string;
  overlap_count: number;
  overlaps: OpsLine[];
}

interface OpsLanes {
  total: number;
  first: number;
  lanes: { name: string; bytes: number; rows: number }[];
  runs: Float64Array;
  from: number;
  to: number;
  width: number;
}

type OpsSort = "start" | "size" | "duration" | "name" | "match" | "stack" | "allocated";

interface OpsFilter {
  text: string;
  min_size: number | null;
  max_size: number | null;
  min_duration: number | null;
  max_duration: number | null;
  match: OpsMatch | null;
  never_released: boolean;
  /** What must have happened within the interval; null asks nothing of it. */
  within: "allocated" | "released" | "both" | "live" | null;
  interval: [number, number] | null;
}
