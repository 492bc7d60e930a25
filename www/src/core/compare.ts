// Questions that join several files: a worker takes the sides of a comparison out of its own file, and puts together
// those that it is handed.

import { compareRanks } from "../compare/job";
import type { RankSide } from "../compare/job";
import { compareSides } from "../compare/merge";
import type { Side } from "../compare/side";
import type { Comparison, RanksReport } from "../compare/types";
import type { Session } from "../../../pkg/hbmlens.js";

export type CompareRequest =
  /** What a device holds at a moment ("peak", "end", or the number of a state), as a text that any worker takes. */
  | { type: "compare_side"; device: string; moment: string; stacks: boolean; curves: "event" | "time" | "step" | null }
  | { type: "compare"; a: string; b: string; ignore_lines: boolean }
  /** Each side as JSON with role, rank and order. */
  | { type: "compare_ranks"; sides: string[]; ignore_lines: boolean };

export type CompareReply = { type: "compare_side"; side: string } | { type: "compare"; comparison: Comparison } | { type: "compare_ranks"; report: RanksReport };

export function answerCompare(session: Session, doc: number, request: CompareRequest): CompareReply {
  switch (request.type) {
    case "compare_side":
      return { type: request.type, side: session.side(doc, request.device, request.moment, request.stacks, request.curves ?? "") };
    case "compare":
      // The sentences are added to the messages on the way out.
      return { type: request.type, comparison: compareSides(JSON.parse(request.a) as Side, JSON.parse(request.b) as Side, request.ignore_lines) as unknown as Comparison };
    case "compare_ranks":
      return { type: request.type, report: compareRanks(request.sides.map((side) => JSON.parse(side) as RankSide), request.ignore_lines) as unknown as RanksReport };
  }
}
