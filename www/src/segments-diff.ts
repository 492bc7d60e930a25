// What changed between two moments of a device's memory, by one walk over both in order of addresses. Blocks
// are read where they lie: moments hold hundreds of thousands. Pure, so it is tested without a browser.

import { plainAddresses } from "./segment-columns";
import type { Segments } from "./segment-columns";

/** The parts of a moment that are compared. */
export type Moment = Pick<Segments, "address" | "segment_size" | "first_block" | "offset" | "size" | "usage" | "life">;

export interface Change {
  what: "allocated" | "freed" | "pending" | "unpended" | "segment_new" | "segment_gone" | "segment_grown" | "segment_shrunk";
  address: number;
  bytes: number;
  /** The life of a block. */
  life: number | null;
}

export interface Changes {
  /** The first of them: segments, then blocks, each by address. */
  first: readonly Change[];
  count: number;
  /** Those blocks of the later moment that are other than before. */
  blocks: readonly number[];
}

const NO_LIFE = 0xffffffff;
const FREE = 0;
const PENDING = 2;

/** So many blocks are looked at in one go. */
const AT_ONCE = 20_000;

/**
 * Compares in steps of a few milliseconds each, between which the page can do other things; the last one gives what
 * was found. At most `most` of the changes are told one by one.
 */
export function* comparing(before: Moment, after: Moment, most = 60): Generator<undefined, Changes> {
  const first: Change[] = [];
  const blocks: number[] = [];
  let count = 0;
  const tell = (what: Change["what"], address: number, bytes: number, life: number) => {
    count++;
    if (first.length < most) first.push({ what, address, bytes, life: life === NO_LIFE ? null : life });
  };
  const [from, to] = [plainAddresses(before.address), plainAddresses(after.address)];
  for (let [i, j] = [0, 0]; i < from.length || j < to.length; ) {
    const [old, now] = [from[i] ?? Infinity, to[j] ?? Infinity];
    if (old < now) tell("segment_gone", old, before.segment_size[i++] ?? 0, NO_LIFE);
    else if (now < old) tell("segment_new", now, after.segment_size[j++] ?? 0, NO_LIFE);
    else {
      const more = (after.segment_size[j++] ?? 0) - (before.segment_size[i++] ?? 0);
      if (more !== 0) tell(more > 0 ? "segment_grown" : "segment_shrunk", now, Math.abs(more), NO_LIFE);
    }
  }
  const [old, now] = [new InUse(before, from), new InUse(after, to)];
  for (let looked = 0; old.address < Infinity || now.address < Infinity; looked++) {
    if (looked % AT_ONCE === 0) yield;
    const [left, right] = [old.address, now.address];
    const other = left !== right || old.life !== now.life;
    if (left <= right && other) tell("freed", left, old.bytes, old.life);
    // A step back may undo the asking for a free.
    if (right <= left && (other || (old.usage === PENDING) !== (now.usage === PENDING))) {
      tell(other ? "allocated" : now.usage === PENDING ? "pending" : "unpended", right, now.bytes, now.life);
      blocks.push(now.block);
    }
    if (left <= right) old.next();
    if (right <= left) now.next();
  }
  return { first, count, blocks };
}

/** All steps of a comparison in one. */
export function changesBetween(before: Moment, after: Moment): Changes {
  const steps = comparing(before, after);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Walks over the blocks in use by address; beyond the last one the address is infinite. */
class InUse {
  #moment: Moment;
  #begins: Float64Array;
  #segment = 0;
  block = -1;
  address = 0;

  constructor(moment: Moment, begins: Float64Array) {
    this.#moment = moment;
    this.#begins = begins;
    this.next();
  }

  next(): void {
    const { usage, first_block, offset } = this.#moment;
    this.block++;
    while (this.block < usage.length && usage[this.block] === FREE) this.block++;
    if (this.block >= usage.length) {
      this.address = Infinity;
      return;
    }
    while ((first_block[this.#segment + 1] ?? Infinity) <= this.block) this.#segment++;
    this.address = (this.#begins[this.#segment] ?? 0) + (offset[this.block] ?? 0);
  }

  get bytes(): number {
    return this.#moment.size[this.block] ?? 0;
  }

  get usage(): number {
    return this.#moment.usage[this.block] ?? FREE;
  }

  get life(): number {
    return this.#moment.life[this.block] ?? NO_LIFE;
  }
}
