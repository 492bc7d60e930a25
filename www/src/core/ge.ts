// A GE log's report as the core gives it (the terminal's JSON), one graph's outputs as columns, and what
// the page works out of them: which rows are one graph, what is live at each step, logs side by side.

import type { Session } from "../../../pkg/hbmlens.js";
import type { Message } from "./protocol";

export type GeRequest =
  /** Everything about a log. */
  | { type: "ge_report" }
  /** The outputs of one graph: its process's place in the report, its name as printed, which compilation. */
  | { type: "ge_graph"; process: number; key: string; round: number }
  /** A report file: a name of imas's, or `total.txt`. */
  | { type: "ge_file"; name: string };

export type GeReply =
  | { type: "ge_report"; report: GeReport }
  | { type: "ge_graph"; cells: Float64Array<ArrayBuffer>; texts: readonly string[] }
  | { type: "ge_file"; bytes: Uint8Array<ArrayBuffer> };

/** Answers in the worker, where the report's JSON is parsed as well. */
export function answerGe(session: Session, doc: number, request: GeRequest): GeReply {
  switch (request.type) {
    case "ge_report":
      return { type: "ge_report", report: JSON.parse(session.ge_report(doc)) as GeReport };
    case "ge_graph": {
      const [cells, texts] = session.ge_graph(doc, request.process, request.key, request.round) as [Float64Array<ArrayBuffer>, string[]];
      return { type: "ge_graph", cells, texts };
    }
    case "ge_file":
      return { type: "ge_file", bytes: session.ge_file(doc, request.name) as Uint8Array<ArrayBuffer> };
  }
}

type Source = "operator_lines" | "after_assign_memory" | "report";

export interface GeNode {
  name: string;
  op_type: string;
  bytes: number;
  offset: number;
  begin: number;
  end: number | null;
}

export interface GeParty {
  name: string;
  op_type: string;
  offset: number;
  bytes: number;
  begin: number;
  end: number | null;
  stream: number;
  child_level: number;
  zero_copy: boolean;
  is_ref: boolean;
  continuous: boolean;
}

export interface GeOverlap {
  kind: "overlap" | "boundary";
  first: GeParty;
  second: GeParty;
  from: number;
  to: number;
  since: number;
  until: number | null;
  cross_stream: boolean;
}

export interface GeGrouped {
  key: string;
  bytes: number;
  count: number;
}

/** A graph in one kind of memory. */
export interface GeGraph {
  graph: string;
  id: number | null;
  key: string;
  round: number;
  memtype: number;
  memory_size: number;
  memory_size_source: Source;
  total: number;
  total_source: Source;
  total_size: number | null;
  theory_min: number;
  theory_min_source: Source;
  zero_copy: number;
  no_reuse: number;
  atomic: number;
  continuous: number;
  streams: number;
  topo_mode: string | null;
  mop: string | null;
  io_reuse: string | null;
  alloc_mode: string | null;
  smp: string | null;
  reuse_rate: number;
  reach_theory_rate: number;
  operators: number;
  overlaps: readonly GeOverlap[];
  overlap_count: number;
  boundary_count: number;
  peak: {
    moment: number;
    bytes: number;
    reusable: number;
    fixed: number;
    by_op_type: readonly GeGrouped[];
    by_scope: readonly GeGrouped[];
    nodes: readonly GeNode[];
    count: number;
  };
  gap: {
    bytes: number;
    computed_theory_min: number;
    costs: readonly { cause: string; bytes: number; in_theory_min: boolean; nodes: readonly GeNode[] }[];
  };
}

export interface GePool {
  allocator: string;
  total: number;
  after_reuse: number;
  theory_min: number;
  real_theory_min: number;
  peak_moment: number;
  reuse_rate: number;
  reach_theory_rate: number;
  uses: number;
  live_at_end: number;
  reported_total: number | null;
  reported_theory_min: number | null;
  curve: readonly { moment: number; live: number; held: number }[];
}

export interface GeDeviceNode {
  sum: number;
  peak: number;
  count: number;
  children?: Readonly<Record<string, GeDeviceNode>>;
}

export interface GeDevice {
  total: number;
  peak: number;
  children: Readonly<Record<string, GeDeviceNode>>;
  allocations: number;
  frees: number;
  unsized_frees: number;
  inside_pool: GeDeviceNode;
  at_exit: readonly { memory: string; device: number; module: string | null; current: number; peak: number; alloc_count: number; free_count: number; cached: number | null }[];
}

export interface GeVariable {
  session: number;
  name: string;
  output: number;
  offset: number;
  is_address: boolean;
  size: number | null;
  real_size: number | null;
  reuse_of: string | null;
  reused_by: number;
}

export interface GeAddresses {
  addresses: number;
  passed: number;
  failed: number;
  without_base: number;
  without_offset: number;
  faults: readonly { fault: "offset" | "outside"; graph: number; region: string; name: string; address: string | number; base: string | number; region_size: number; size: number | null; expected_offset: number | null; offset: number }[];
}

export interface GeProcess {
  pid: number;
  name: string | null;
  graphs: readonly GeGraph[];
  pools: readonly GePool[];
  device: GeDevice;
  sessions: readonly { session: number; count: number; size: number; saved: number }[];
  variables: readonly GeVariable[];
  addresses: GeAddresses;
}

export interface GeMissing {
  marker: string;
  needed_for: string;
  graph?: string;
  how: Message;
}

export interface GeReport {
  schema: string;
  processes: readonly GeProcess[];
  missing: readonly GeMissing[];
}

/** Lives that end here or later last for as long as the model is loaded. */
export const NEVER = 4294967294;
const ALIGN = 512;

/** The numbers of an output, in the core's order. */
export const C = {
  memType: 0,
  offset: 1,
  bytes: 2,
  begin: 3,
  end: 4,
  ownEnd: 5,
  flags: 6,
  name: 7,
  opType: 8,
  kind: 9,
  slot: 10,
  index: 11,
  stream: 12,
  otherStream: 13,
  size: 14,
  noAlign: 15,
  beginText: 16,
  endText: 17,
  childCount: 18,
  child: 19,
  isRef: 24,
  noPadding: 25,
  batch: 26,
  blockType: 27,
  scope: 28,
  printedOffset: 29,
} as const;
const WIDTH = 30;

export const REUSABLE = 1;
export const IS_REF = 2;
export const CONTINUOUS = 4;
export const MOVED = 8;
export const HAS_LIFE = 16;

export const SLOTS = ["output", "workspace", "outputdesc", "input"] as const;
export const KINDS = ["Set", "Continuous input", "Continuous output", "Atomic output", "Atomic workspace", "Atomic fusion workspace", "AppendAttrsToMemSetOp"] as const;

/** The outputs of a graph. */
export class Outputs {
  readonly count: number;
  /** The last step of the order of execution that is named. */
  readonly last: number;

  constructor(
    readonly cells: Float64Array,
    readonly texts: readonly string[],
  ) {
    this.count = Math.floor(cells.length / WIDTH);
    let last = 0;
    for (let row = 0; row < this.count; row++) for (const moment of [this.at(row, C.begin), this.at(row, C.end)]) if (moment < NEVER && moment > last) last = moment;
    this.last = last;
  }

  at(row: number, column: number): number {
    return this.cells[row * WIDTH + column] ?? 0;
  }

  text(row: number, column: number): string {
    return this.texts[this.at(row, column)] ?? "";
  }

  has(row: number, flag: number): boolean {
    return (this.at(row, C.flags) & flag) !== 0;
  }

  slot(row: number): string {
    return SLOTS[this.at(row, C.slot)] ?? "";
  }

  /** `NODE:output_0`, as the core's lists name it. */
  label(row: number): string {
    return `${this.text(row, C.name)}:${this.slot(row)}_${this.at(row, C.index)}`;
  }

  /** What it takes when memory is given out in multiples of 512. */
  aligned(row: number): number {
    return Math.ceil(this.at(row, C.bytes) / ALIGN) * ALIGN;
  }

  zeroCopy(row: number): boolean {
    return this.at(row, C.childCount) >= 5 && this.at(row, C.child + 3) !== 0;
  }

  /** The text of a begin or an end as printed, which may be several numbers. */
  moment(row: number, column: number, text: number): string {
    const printed = this.at(row, text);
    return printed >= 0 ? (this.texts[printed] ?? "") : String(this.at(row, column));
  }

  /** The row of a node in one of the core's lists; `memType` null looks in all kinds of memory. */
  find(node: { name: string; offset: number; begin: number }, memType: number | null): number {
    for (let row = 0; row < this.count; row++) {
      if (memType !== null && this.at(row, C.memType) !== memType) continue;
      if (this.at(row, C.offset) === node.offset && this.at(row, C.begin) === node.begin && this.label(row) === node.name) return row;
    }
    return -1;
  }
}

/** What is live at each step at which it changes. */
export interface LiveCurve {
  moments: Float64Array;
  /** Bytes live from that step on: what may be shared, and on top of what is held for the whole run. */
  live: Float64Array;
  /** Held for the whole run. */
  fixed: number;
  peak: number;
  peakMoment: number;
}

/** Sums up the outputs of some kinds of memory. Both ends of a life belong to it. */
export function liveCurve(outputs: Outputs, shows: (row: number) => boolean): LiveCurve {
  const begins: [number, number][] = [];
  const ends: [number, number][] = [];
  let fixed = 0;
  for (let row = 0; row < outputs.count; row++) {
    if (outputs.has(row, IS_REF) || !shows(row)) continue;
    const bytes = outputs.aligned(row);
    if (!outputs.has(row, REUSABLE)) fixed += bytes;
    else {
      begins.push([outputs.at(row, C.begin), bytes]);
      if (outputs.at(row, C.end) < NEVER) ends.push([outputs.at(row, C.end) + 1, bytes]);
    }
  }
  const changes = [...begins, ...ends.map(([at, bytes]): [number, number] => [at, -bytes])].sort((a, b) => a[0] - b[0]);
  const moments: number[] = [];
  const live: number[] = [];
  let now = fixed;
  let peak = fixed;
  let peakMoment = 0;
  for (let i = 0; i < changes.length; ) {
    const at = changes[i]?.[0] ?? 0;
    for (; i < changes.length && changes[i]?.[0] === at; i++) now += changes[i]?.[1] ?? 0;
    moments.push(at);
    live.push(now);
    if (now > peak) [peak, peakMoment] = [now, at];
  }
  return { moments: Float64Array.from(moments), live: Float64Array.from(live), fixed, peak, peakMoment };
}

/** A graph's figures in one log, and against the first log that has it. */
export interface CompareCell {
  figures: GeGraph;
  afterReuseDiff: number;
}

export interface CompareRow {
  graph: string;
  memtype: number;
  logs: readonly (CompareCell | null)[];
  /** The log that takes least; the first of several. */
  best: number | null;
}

/**
 * Logs side by side. Graphs are the same if their names and kinds of memory are; of a graph that was compiled
 * several times the last counts, and process numbers do not matter.
 */
export function compareReports(reports: readonly GeReport[]): CompareRow[] {
  const rows = new Map<string, { graph: string; memtype: number; logs: (GeGraph | null)[] }>();
  reports.forEach((report, n) => {
    for (const graph of report.processes.flatMap((process) => process.graphs)) {
      const key = `${graph.memtype} ${graph.key}`;
      const row = rows.get(key) ?? { graph: graph.key, memtype: graph.memtype, logs: reports.map(() => null) };
      row.logs[n] = graph;
      rows.set(key, row);
    }
  });
  const sorted = [...rows.values()].sort((a, b) => (a.graph < b.graph ? -1 : a.graph > b.graph ? 1 : a.memtype - b.memtype));
  return sorted.map(({ graph, memtype, logs }) => {
    const first = logs.find((each) => each !== null)?.memory_size ?? 0;
    let best: number | null = null;
    logs.forEach((each, n) => {
      if (each && (best === null || each.memory_size < (logs[best]?.memory_size ?? Infinity))) best = n;
    });
    return { graph, memtype, best, logs: logs.map((figures) => figures && { figures, afterReuseDiff: figures.memory_size - first }) };
  });
}

/** Empty texts of GE stand for "not said". */
export const policyOf = (graph: GeGraph): string => graph.mop || graph.alloc_mode || "";
