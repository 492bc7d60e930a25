// What changed between two moments of a device's memory. Pure, so it is tested without a browser.

import type { ReplyTo, Request } from "./core/protocol";

export type Segments = ReplyTo<Extract<Request, { type: "segments" }>>;

/** The parts of a moment that are compared. */
export type Moment = Pick<Segments, "segments" | "offset" | "size" | "usage" | "life">;

export interface Change {
  what: "allocated" | "freed" | "pending" | "segment_new" | "segment_gone" | "segment_grown" | "segment_shrunk";
  address: number;
  bytes: number;
  /** The life of a block. */
  life: number | null;
  /** Its place in the later moment, where it is there. */
  block: number | null;
}

const NO_LIFE = 0xffffffff;
const FREE = 0;
const PENDING = 2;

export function changesBetween(before: Moment, after: Moment): Change[] {
  return [...segmentChanges(before, after), ...blockChanges(live(before), live(after))];
}

function segmentChanges(before: Moment, after: Moment): Change[] {
  const changes: Change[] = [];
  const rest = new Map(before.segments.map((segment) => [segment.address, segment]));
  const change = (what: Change["what"], address: string, bytes: number) => changes.push({ what, address: Number(address), bytes, life: null, block: null });
  for (const segment of after.segments) {
    const old = rest.get(segment.address);
    rest.delete(segment.address);
    if (!old) change("segment_new", segment.address, segment.size);
    else if (segment.size > old.size) change("segment_grown", segment.address, segment.size - old.size);
    else if (segment.size < old.size) change("segment_shrunk", segment.address, old.size - segment.size);
  }
  for (const gone of rest.values()) change("segment_gone", gone.address, gone.size);
  return changes;
}

interface Live {
  address: number;
  bytes: number;
  usage: number;
  life: number;
  block: number;
}

/** Blocks in use, by address: segments come so, and their blocks. */
function live(moment: Moment): Live[] {
  const blocks: Live[] = [];
  for (const segment of moment.segments) {
    const begin = Number(segment.address);
    for (let block = segment.first_block; block < segment.first_block + segment.blocks; block++) {
      const usage = moment.usage[block] ?? FREE;
      if (usage !== FREE) blocks.push({ address: begin + (moment.offset[block] ?? 0), bytes: moment.size[block] ?? 0, usage, life: moment.life[block] ?? NO_LIFE, block });
    }
  }
  return blocks;
}

function blockChanges(before: readonly Live[], after: readonly Live[]): Change[] {
  const changes: Change[] = [];
  const change = (what: Change["what"], { address, bytes, life }: Live, block: number | null) => changes.push({ what, address, bytes, life: life === NO_LIFE ? null : life, block });
  let [i, j] = [0, 0];
  for (;;) {
    const old = before[i];
    const now = after[j];
    if (!old && !now) return changes;
    if (old && (!now || old.address < now.address)) {
      change("freed", old, null);
      i++;
    } else if (now && (!old || now.address < old.address)) {
      change("allocated", now, now.block);
      j++;
    } else if (old && now) {
      if (old.life !== now.life) {
        change("freed", old, null);
        change("allocated", now, now.block);
      } else if (old.usage !== now.usage && now.usage === PENDING) change("pending", now, now.block);
      i++;
      j++;
    }
  }
}
