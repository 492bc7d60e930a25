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
 * @param {{ blocks?: number, frame?: string, device?: number, settings?: Record<string, unknown> }} options
 */
export function snapshot({ blocks = 4, frame = "forward", device = 0, settings = {} } = {}) {
  const base = 0x7f0000000000;
  const frames = [{ filename: "/job/model.py", line: 42, name: frame }];
  const time = (/** @type {number} */ n) => 1_700_000_000_000_000 + n * 1000;
  const trace = [{ action: "segment_alloc", addr: base, size: 20 * MIB, stream: 0, time_us: time(0), frames }];
  for (let i = 0; i < blocks; i++) trace.push({ action: "alloc", addr: base + i * MIB, size: MIB, stream: 0, time_us: time(i + 1), frames });
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
          ...Array.from({ length: blocks }, (_, i) => ({ address: base + i * MIB, size: MIB, requested_size: MIB, state: "active_allocated", frames })),
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
