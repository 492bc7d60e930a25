// A moment's segments and blocks as the core sends them: columns. What a view wants of one of them is read
// here, so that no hundred thousand objects are made of them. Pure, so it is tested without a browser.

import type { ReplyTo, Request, SegmentKind } from "./core/protocol";

export type Segments = ReplyTo<Extract<Request, { type: "segments" }>>;

/** The columns of segments. */
export type SegmentColumns = Pick<Segments, "address" | "kind" | "kinds" | "segment_size" | "segment_allocated" | "segment_active" | "first_block">;

/** One of them, taken out of its columns. */
export interface Segment extends SegmentKind {
  /** In hexadecimal. */
  address: string;
  size: number;
  allocated: number;
  active: number;
  /** What a new block could use: nothing of a workspace. */
  free: number;
}

export function segmentAt(data: SegmentColumns, index: number | undefined): Segment | null {
  const kind = index === undefined ? undefined : data.kinds[data.kind[index] ?? -1];
  if (index === undefined || !kind) return null;
  const [size, active] = [data.segment_size[index] ?? 0, data.segment_active[index] ?? 0];
  return { ...kind, address: `0x${(data.address[index] ?? 0n).toString(16)}`, size, allocated: data.segment_allocated[index] ?? 0, active, free: kind.is_workspace ? 0 : size - active };
}

/** Where a block of a segment begins, in hexadecimal. */
export function blockAddress(data: Pick<Segments, "address" | "offset">, segment: number, block: number): string {
  return `0x${((data.address[segment] ?? 0n) + BigInt(data.offset[block] ?? 0)).toString(16)}`;
}

/** Addresses as plain numbers: no big integer is made for each. */
export function plainAddresses(addresses: BigUint64Array): Float64Array {
  // Low half first: every browser runs on little-endian machines.
  const halves = new Uint32Array(addresses.buffer, addresses.byteOffset, addresses.length * 2);
  const plain = new Float64Array(addresses.length);
  for (let i = 0; i < plain.length; i++) plain[i] = (halves[2 * i + 1] ?? 0) * 2 ** 32 + (halves[2 * i] ?? 0);
  return plain;
}

/** The segment that a block lies in. */
export function segmentOf(data: SegmentColumns, block: number): number {
  let [low, high] = [0, data.address.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((data.first_block[middle] ?? 0) <= block) low = middle;
    else high = middle;
  }
  return low;
}
