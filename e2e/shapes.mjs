// Small inputs made here, so that the tests need no files of others. The pickle writer knows only what
// they use: protocol 2 with dicts, lists, tuples, texts, integers and None.

const op = (/** @type {string} */ char) => Buffer.from(char, "latin1");

/** @param {unknown} value @returns {Buffer[]} */
function opcodes(value) {
  if (value === null) return [op("N")];
  if (typeof value === "boolean") return [Buffer.from([value ? 0x88 : 0x89])];
  if (typeof value === "number") {
    if (Number.isInteger(value) && Math.abs(value) < 2 ** 31) {
      const bytes = Buffer.alloc(5);
      bytes[0] = 0x4a;
      bytes.writeInt32LE(value, 1);
      return [bytes];
    }
    // LONG1: the length, then the bytes of a little-endian two's complement.
    const bytes = Buffer.alloc(11);
    bytes[0] = 0x8a;
    bytes[1] = 9;
    bytes.writeBigInt64LE(BigInt(value), 2);
    bytes[10] = value < 0 ? 0xff : 0;
    return [bytes];
  }
  if (typeof value === "string") {
    const text = Buffer.from(value, "utf8");
    const head = Buffer.alloc(5);
    head[0] = 0x58;
    head.writeUInt32LE(text.length, 1);
    return [head, text];
  }
  if (Array.isArray(value)) return [op("]"), op("("), ...value.flatMap(opcodes), op("e")];
  if (typeof value === "object") return [op("}"), op("("), ...Object.entries(value).flatMap(([key, inner]) => [...opcodes(key), ...opcodes(inner)]), op("u")];
  throw new Error(`no pickle of ${typeof value}`);
}

/** @param {unknown} value */
export function pickle(value) {
  return Buffer.concat([Buffer.from([0x80, 2]), ...opcodes(value), op(".")]);
}

const MIB = 2 ** 20;

/**
 * A snapshot of one device: `blocks` allocations of a MiB each in one segment, all alive at the end, and
 * one more that came and went: the peak.
 * `leaks` of the blocks come from a line of their own.
 * @param {{ blocks?: number, leaks?: number, frame?: string, device?: number, settings?: Record<string, unknown> }} options
 */
export function snapshot({ blocks = 4, leaks = 0, frame = "forward", device = 0, settings = {} } = {}) {
  const base = 0x7f0000000000;
  const frames = [{ filename: "/job/model.py", line: 42, name: frame }];
  const leak = [{ filename: "/job/cache.py", line: 41, name: "remember" }];
  const stack = (/** @type {number} */ i) => (i < blocks - leaks ? frames : leak);
  const time = (/** @type {number} */ n) => 1_700_000_000_000_000 + n * 1000;
  const trace = [{ action: "segment_alloc", addr: base, size: 20 * MIB, stream: 0, time_us: time(0), frames }];
  for (let i = 0; i < blocks; i++) trace.push({ action: "alloc", addr: base + i * MIB, size: MIB, stream: 0, time_us: time(i + 1), frames: stack(i) });
  const extra = base + blocks * MIB;
  trace.push({ action: "alloc", addr: extra, size: 3 * MIB, stream: 0, time_us: time(blocks + 1), frames });
  trace.push({ action: "free_requested", addr: extra, size: 3 * MIB, stream: 0, time_us: time(blocks + 2), frames });
  trace.push({ action: "free_completed", addr: extra, size: 3 * MIB, stream: 0, time_us: time(blocks + 3), frames });
  return {
    segments: [
      {
        device,
        address: base,
        total_size: 20 * MIB,
        allocated_size: blocks * MIB,
        active_size: blocks * MIB,
        requested_size: blocks * MIB,
        stream: 0,
        segment_type: "large",
        segment_pool_id: [0, 0],
        is_expandable: false,
        frames: [],
        blocks: [
          ...Array.from({ length: blocks }, (_, i) => ({ address: base + i * MIB, size: MIB, requested_size: MIB, state: "active_allocated", frames: stack(i) })),
          { address: extra, size: (20 - blocks) * MIB, requested_size: 0, state: "inactive", frames: [] },
        ],
      },
    ],
    device_traces: [...Array.from({ length: device }, () => []), trace],
    allocator_settings: { expandable_segments: false, ...settings },
  };
}

/** @param {unknown} value */
export const base64 = (value) => pickle(value).toString("base64");

/**
 * A trace of many events as JSON: steps of layers that run forward and backward over weights that stay,
 * each layer with stacks of its own. Every free is of what lives, and the blocks at the end are those left.
 * @param {number} events
 */
export function manyEvents(events) {
  const layers = 60;
  const base = 0x7f0000000000;
  const stack = (/** @type {string} */ name, /** @type {number} */ layer) =>
    JSON.stringify([
      { filename: `/job/model/block_${layer % 12}.py`, line: 20 + layer, name },
      { filename: "/job/model/net.py", line: 100 + layer, name },
      { filename: "/job/train.py", line: name === "backward" ? 61 : 60, name: "step" },
      { filename: "/job/train.py", line: 90, name: "main" },
    ]);
  /** @type {Map<number, { size: number, frames: string }>} */
  const live = new Map();
  /** @type {number[]} */
  const free = [];
  let slots = 0;
  let time = 1_700_000_000_000_000;
  /** @type {string[]} */
  const out = [];
  const alloc = (/** @type {number} */ size, /** @type {string} */ frames) => {
    const slot = free.pop() ?? slots++;
    live.set(slot, { size, frames });
    out.push(`{"action":"alloc","addr":${base + slot * 2 * MIB},"size":${size},"stream":0,"time_us":${(time += 7)},"frames":${frames}}`);
    return slot;
  };
  const drop = (/** @type {number} */ slot) => {
    const size = live.get(slot)?.size ?? 0;
    live.delete(slot);
    free.push(slot);
    for (const action of ["free_requested", "free_completed"]) out.push(`{"action":"${action}","addr":${base + slot * 2 * MIB},"size":${size},"stream":0,"time_us":${(time += 1)},"frames":[]}`);
  };
  const forward = Array.from({ length: layers }, (_, layer) => stack("forward", layer));
  const backward = Array.from({ length: layers }, (_, layer) => stack("backward", layer));
  for (let layer = 0; layer < layers; layer++) alloc(MIB + layer * 4096, stack("__init__", layer));
  while (out.length < events) {
    const kept = forward.map((frames, layer) => [alloc(600_000 + layer * 512, frames), alloc(300_000, frames)]);
    for (let layer = layers - 1; layer >= 0; layer--) {
      const grad = alloc(700_000, backward[layer] ?? "[]");
      for (const slot of kept[layer] ?? []) drop(slot);
      drop(grad);
    }
  }
  const blocks = [];
  let [allocated, requested] = [0, 0];
  for (let slot = 0; slot < slots; slot++) {
    const own = live.get(slot);
    const size = own ? Math.ceil(own.size / 512) * 512 : 0;
    if (own) blocks.push(`{"address":${base + slot * 2 * MIB},"size":${size},"requested_size":${own.size},"state":"active_allocated","frames":${own.frames}}`);
    if (size < 2 * MIB) blocks.push(`{"address":${base + slot * 2 * MIB + size},"size":${2 * MIB - size},"requested_size":0,"state":"inactive","frames":[]}`);
    allocated += size;
    requested += own?.size ?? 0;
  }
  const segment = `{"device":0,"address":${base},"total_size":${slots * 2 * MIB},"allocated_size":${allocated},"active_size":${allocated},"requested_size":${requested},"stream":0,"segment_type":"large","segment_pool_id":[0,0],"is_expandable":false,"frames":[],"blocks":[${blocks.join(",")}]}`;
  return `{"segments":[${segment}],"device_traces":[[\n${out.join(",\n")}\n]],"allocator_settings":{"expandable_segments":false}}`;
}

/**
 * What newer writers tell of an allocation, a segment that grows and shrinks, a second one of another stream and
 * pool, and lives that follow each other at one address.
 */
export function talkative() {
  const base = 0x7f0000000000;
  const other = 0x7f8000000000;
  const frame = (/** @type {string} */ filename, /** @type {number} */ line, /** @type {string} */ name) => ({ filename, line, name });
  const own = [frame("/job/model.py", 42, "forward"), frame("/job/train.py", 7, "step")];
  const conv = [frame("??", 0, 'at::_ops::mul(at::Tensor const&, c10::Scalar "x")'), frame("/job/conv.py", 9, "forward"), frame("/job/train.py", 7, "step")];
  /** @type {Record<string, unknown>[]} */
  const trace = [];
  const push = (/** @type {string} */ action, /** @type {number} */ addr, /** @type {number} */ size, frames = own, more = {}) =>
    trace.push({ action, addr, size, stream: addr < other ? 0 : 7, time_us: 1_700_000_000_000_000 + trace.length * 10, pool_id: addr < other ? [0, 0] : [0, 1], frames, ...more });
  const gone = (/** @type {number} */ addr, /** @type {number} */ size) => (push("free_requested", addr, size), push("free_completed", addr, size));
  push("segment_map", base, 20 * MIB);
  push("alloc", base, 8 * MIB, own, { compile_context: "[3/1]", user_metadata: "epoch=2", forward_frames: ['  File "/job/model.py", line 42, in forward\n', "    return self.proj(x)\n"] });
  push("alloc", base + 8 * MIB, 12 * MIB);
  push("segment_map", base + 20 * MIB, 20 * MIB);
  push("alloc", base + 20 * MIB, 4 * MIB, conv);
  push("segment_alloc", other, 20 * MIB, conv);
  push("alloc", other, MIB, conv);
  gone(base, 8 * MIB);
  gone(base + 20 * MIB, 4 * MIB);
  push("segment_unmap", base + 20 * MIB, 20 * MIB);
  for (let i = 1; i <= 40; i++) {
    push("alloc", base, i * 4096, i % 2 ? own : conv);
    gone(base, i * 4096);
  }
  push("alloc", base, 5 * MIB);
  const block = (/** @type {number} */ address, /** @type {number} */ size, state = "active_allocated") => ({ address, size, requested_size: state === "inactive" ? 0 : size, state, frames: state === "inactive" ? [] : own });
  const segment = (/** @type {number} */ address, /** @type {ReturnType<typeof block>[]} */ blocks, more = {}) => {
    const active = blocks.reduce((sum, each) => sum + each.requested_size, 0);
    return { device: 0, address, total_size: 20 * MIB, allocated_size: active, active_size: active, requested_size: active, stream: 0, segment_type: "large", segment_pool_id: [0, 0], is_expandable: true, frames: [], blocks, ...more };
  };
  return {
    segments: [
      segment(base, [block(base, 5 * MIB), block(base + 5 * MIB, 3 * MIB, "inactive"), block(base + 8 * MIB, 12 * MIB)]),
      segment(other, [block(other, MIB), block(other + MIB, 19 * MIB, "inactive")], { stream: 7, segment_pool_id: [0, 1], is_expandable: false }),
    ],
    device_traces: [trace],
  };
}
