// Questions about a profiler folder. The core joins its files and hands over columns; the answers are made of
// them here, in the worker, by the same code as the pages that the terminal writes.

import { FLOATS, IDS, OpsRun } from "../../../src/export/ops_page/run.js";
import type { Session } from "../../../pkg/hbmlens.js";

export type OpsRequest =
  /** Puts all files that this worker has read together as one run. Asked once, before anything else. */
  | { type: "ops_open"; role: string; rank: number | null; folder: string }
  /** Until when a row lives: until its tensor or until its block is freed. */
  | { type: "ops_head"; block_release: boolean }
  | { type: "ops_curves"; from: number; to: number; width: number; block_release: boolean }
  | { type: "ops_moment"; at: number; block_release: boolean }
  | { type: "ops_lanes"; from: number; to: number; width: number; first: number; count: number; text: string; block_release: boolean }
  | { type: "ops_hit"; lane: number; track: number | null; from: number; to: number; text: string }
  | { type: "ops_rows"; filter: OpsFilter; sort: OpsSort; descending: boolean; first: number; count: number; block_release: boolean }
  | { type: "ops_detail"; row: number; block_release: boolean }
  /** Bytes by operator name, of everything or of what is live at the run's peak. */
  | { type: "ops_names"; at_peak: boolean }
  | { type: "ops_operator_at"; at: number };

export interface OpsName {
  name: string;
  count: number;
  bytes: number;
}

export type OpsReply =
  | { type: "ops_open"; head: OpsHead }
  | { type: "ops_head"; head: OpsHead }
  | { type: "ops_curves"; from: number; to: number; curves: Float64Array[] }
  | { type: "ops_moment"; moment: OpsMoment }
  | { type: "ops_lanes"; lanes: OpsLanes }
  | { type: "ops_hit"; total: number; lines: OpsLine[] }
  | { type: "ops_rows"; total: number; bytes: number; all: number; first: number; lines: OpsLine[] }
  | { type: "ops_detail"; detail: OpsDetail }
  | { type: "ops_names"; names: OpsName[] }
  | { type: "ops_operator_at"; operator: { name: string; start: number; end: number; stack_top: string } | null };

/** Kinds of files that a profiler writes. */
export const PROFILER_KINDS: readonly string[] = ["operator_memory", "trace", "memory_record", "npu_module_mem", "static_op_mem", "step_trace_time", "profiler_db"];

const MOST_SHOWN = 200;

export class OpsWorker {
  #run: OpsRun | undefined;
  #block = false;

  constructor(readonly session: Session) {}

  answer(request: OpsRequest): OpsReply {
    const { session } = this;
    if (request.type === "ops_open") {
      session.assemble(request.role, request.rank ?? undefined, request.folder);
      this.#run = undefined;
      this.#block = false;
    } else if ("block_release" in request && request.block_release !== this.#block) {
      session.ops_block_release(request.block_release);
      this.#block = request.block_release;
      this.#run = undefined;
    }
    const run = this.run();
    switch (request.type) {
      case "ops_open":
      case "ops_head":
        // The page needs the figures; names and stacks come with the rows.
        return { type: request.type, head: { ...run.head, names: [], stack_tops: [] } };
      case "ops_curves":
        return { type: "ops_curves", from: request.from, to: request.to, curves: run.curves(request.from, request.to, request.width) };
      case "ops_moment":
        return { type: "ops_moment", moment: run.moment(request.at, 10) };
      case "ops_lanes":
        return { type: "ops_lanes", lanes: run.laneWindow(request.from, request.to, request.width, request.first, request.count, request.text) };
      case "ops_hit":
        return { type: "ops_hit", ...run.hit(request.lane, request.track, request.from, request.to, request.text, 12) };
      case "ops_rows":
        return { type: "ops_rows", ...run.rows(request.filter, request.sort, request.descending, request.first, request.count) };
      case "ops_detail":
        return { type: "ops_detail", detail: run.detail(request.row, MOST_SHOWN) };
      case "ops_names":
        return { type: "ops_names", names: run.byName(request.at_peak ? (run.head.peak_at ?? 0) : null) };
      case "ops_operator_at":
        return { type: "ops_operator_at", operator: JSON.parse(session.ops_operator_at(request.at)) };
    }
  }

  /** The run, as it was last asked about. */
  run(): OpsRun {
    return (this.#run ??= this.#load());
  }

  #load(): OpsRun {
    const { session } = this;
    const head = JSON.parse(session.ops_head()) as OpsHead;
    const columns = {
      ...Object.fromEntries(FLOATS.map((name, which) => [name, session.ops_floats(which)])),
      ...Object.fromEntries(IDS.map((name, which) => [name, session.ops_ids(which)])),
      series: head.series.map((_, which) => session.ops_series(which)),
    } as unknown as OpsColumns;
    return new OpsRun(head, columns, {
      stack: (id) => session.ops_stack(id),
      stacksWith: (text) => session.ops_stacks_with(text),
    });
  }
}
