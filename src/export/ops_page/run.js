// One rank's rows and curves, and the answers a screen wants of them: windows of curves, lanes, who is live at
// a moment, filtered and sorted rows. Plain JavaScript on purpose: the page's worker imports it, and the pages
// that the terminal writes carry it as it is.
//
// Times are nanoseconds after the run's base. A row lives from its start until just before its end; the end of
// a row that was never released is infinity.

/** Columns in the order in which the core gives them. */
export const FLOATS = /** @type {const} */ (["start", "end", "size", "allocated", "reserved", "active", "stream"]);
export const IDS = /** @type {const} */ (["name", "stack", "device", "match", "counts"]);
export const MATCHES = /** @type {const} */ (["exact", "flow", "approximate", "inherited", "none"]);
/** Rows of one name that are live together stand below one another, up to this many; the last place takes the rest. */
export const TRACKS = 4;

const NONE = new Float64Array();

export class OpsRun {
  /**
   * @param {OpsHead} head
   * @param {OpsColumns} columns
   * @param {OpsStacks} stacks
   */
  constructor(head, columns, stacks) {
    this.head = head;
    this.columns = columns;
    this.stacks = stacks;
    this.count = columns.start.length;
    /** @type {OpsLane[] | null} */
    this.laneTable = null;
    /** @type {Uint8Array} */
    this.trackOf = new Uint8Array(0);
    this.chosenFor = "";
    /** @type {Uint32Array} */
    this.chosen = new Uint32Array(0);
    this.chosenBytes = 0;
  }

  /** The points of the first curve of a kind. @param {string} group @param {string} what */
  points(group, what) {
    return this.columns.series[this.head.series.findIndex((each) => each.group === group && each.what === what)] ?? NONE;
  }

  // --- curves ----------------------------------------------------------------------------------

  /** Every curve in a window. @param {number} from @param {number} to @param {number} width */
  curves(from, to, width) {
    return this.columns.series.map((points) => windowOf(points, from, to, width));
  }

  /** What is live at a moment, with the largest rows. @param {number} at @param {number} most @returns {OpsMoment} */
  moment(at, most) {
    const { start, end, size, counts } = this.columns;
    const started = upper(start, at);
    /** @type {number[]} */
    const top = [];
    for (let i = 0; i < started; i++) {
      if (counts[i] !== 1 || (end[i] ?? 0) <= at) continue;
      const bytes = size[i] ?? 0;
      if (top.length === most && bytes <= (size[top[most - 1] ?? 0] ?? 0)) continue;
      let place = top.length;
      while (place > 0 && (size[top[place - 1] ?? 0] ?? 0) < bytes) place--;
      top.splice(place, 0, i);
      if (top.length > most) top.pop();
    }
    const value = (/** @type {Float64Array} */ points) => valueAt(points, at);
    return {
      at,
      bytes: value(this.points("rows", "live")) ?? 0,
      rows: value(this.points("rows", "count")) ?? 0,
      allocated: value(this.points("rows", "allocated")),
      values: this.columns.series.map(value),
      top: top.map((row) => this.line(row)),
    };
  }

  /** A row as a table shows it. @param {number} row @returns {OpsLine} */
  line(row) {
    const c = this.columns;
    const number = (/** @type {Float64Array} */ column) => (Number.isNaN(column[row]) ? null : (column[row] ?? null));
    const end = c.end[row] ?? Infinity;
    return {
      row,
      name: this.head.names[c.name[row] ?? 0] ?? "",
      size: c.size[row] ?? 0,
      start: number(c.start),
      end: end === Infinity ? null : end,
      match: MATCHES[c.match[row] ?? 4] ?? "none",
      stack_top: this.head.stack_tops[c.stack[row] ?? 0] ?? "",
      allocated: number(c.allocated),
      reserved: number(c.reserved),
      active: number(c.active),
      stream: number(c.stream),
      device: this.head.devices[c.device[row] ?? 0] ?? "",
      counts: c.counts[row] === 1,
    };
  }

  /** A row with its call stack and the rows of its name that overlap it. @param {number} row @param {number} most @returns {OpsDetail} */
  detail(row, most) {
    const { start, end } = this.columns;
    const lane = this.lanes().find((each) => each.name === this.columns.name[row]);
    /** @type {number[]} */
    const overlaps = [];
    let total = 0;
    if (this.columns.counts[row] === 1)
      for (const other of lane?.rows ?? []) {
        if ((start[other] ?? 0) >= (end[row] ?? 0)) break;
        if (other === row || (end[other] ?? 0) <= (start[row] ?? 0)) continue;
        total++;
        if (overlaps.length < most) overlaps.push(other);
      }
    return { line: this.line(row), stack: this.stacks.stack(this.columns.stack[row] ?? 0), overlap_count: total, overlaps: overlaps.map((other) => this.line(other)) };
  }

  // --- lanes -----------------------------------------------------------------------------------

  /** One lane an operator name, the one with the most bytes first; rows in order of start. */
  lanes() {
    if (this.laneTable) return this.laneTable;
    const { start, end, size, name, counts } = this.columns;
    /** @type {Map<number, OpsLane>} */
    const of = new Map();
    this.trackOf = new Uint8Array(this.count);
    for (let row = 0; row < this.count; row++) {
      if (counts[row] !== 1) continue;
      const id = name[row] ?? 0;
      let lane = of.get(id);
      if (!lane) of.set(id, (lane = { name: id, bytes: 0, rows: [], ends: new Array(TRACKS - 1).fill(-Infinity) }));
      lane.rows.push(row);
      lane.bytes += size[row] ?? 0;
      // The first place that is free; where none is, the last one holds any number.
      const free = lane.ends.findIndex((until) => until <= (start[row] ?? 0));
      this.trackOf[row] = free < 0 ? TRACKS - 1 : free;
      if (free >= 0) lane.ends[free] = end[row] ?? Infinity;
    }
    this.laneTable = [...of.values()].sort((a, b) => b.bytes - a.bytes || a.name - b.name);
    return this.laneTable;
  }

  /** Lanes whose name contains a text. @param {string} text */
  lanesWith(text) {
    const wanted = text.toLowerCase();
    const all = this.lanes();
    return wanted === "" ? all : all.filter((lane) => (this.head.names[lane.name] ?? "").toLowerCase().includes(wanted));
  }

  /**
   * Some lanes in a window as runs of pixel columns: eight numbers each (lane, track, first column, last column,
   * how many rows, one of them, whether one is never released, whether it goes on to the left or right: 1 | 2).
   * @param {number} from @param {number} to @param {number} width @param {number} first @param {number} count @param {string} text
   * @returns {OpsLanes}
   */
  laneWindow(from, to, width, first, count, text) {
    const { start, end } = this.columns;
    const lanes = this.lanesWith(text);
    const shown = lanes.slice(first, first + count);
    const per = width / Math.max(1, to - from);
    /** @type {number[]} */
    const runs = [];
    shown.forEach((lane, i) => {
      /** Where the open run of each track begins in `runs`. */
      const open = new Int32Array(TRACKS).fill(-1);
      for (const row of lane.rows) {
        const s = start[row] ?? 0;
        const e = end[row] ?? Infinity;
        if (s >= to) break;
        if (e <= from || e <= s) continue;
        const track = this.trackOf[row] ?? 0;
        const c0 = Math.max(0, Math.floor((s - from) * per));
        const c1 = Math.min(width - 1, Math.max(c0, Math.ceil((e - from) * per) - 1));
        const never = e === Infinity ? 1 : 0;
        const beyond = (s < from ? 1 : 0) | (e > to ? 2 : 0);
        const last = open[track] ?? -1;
        if (last >= 0 && c0 <= (runs[last + 3] ?? -1)) {
          runs[last + 3] = Math.max(runs[last + 3] ?? 0, c1);
          runs[last + 4] = (runs[last + 4] ?? 0) + 1;
          runs[last + 6] = (runs[last + 6] ?? 0) | never;
          runs[last + 7] = (runs[last + 7] ?? 0) | beyond;
        } else {
          open[track] = runs.length;
          runs.push(first + i, track, c0, c1, 1, row, never, beyond);
        }
      }
    });
    return { total: lanes.length, first, lanes: shown.map((lane) => ({ name: this.head.names[lane.name] ?? "", bytes: lane.bytes, rows: lane.rows.length })), runs: Float64Array.from(runs), from, to, width };
  }

  /**
   * The rows of a lane's track (null: all tracks) that touch a stretch of time, the latest start first.
   * @param {number} lane @param {number | null} track @param {number} from @param {number} to @param {string} text @param {number} most
   */
  hit(lane, track, from, to, text, most) {
    const { start, end } = this.columns;
    /** @type {number[]} */
    const rows = [];
    for (const row of this.lanesWith(text)[lane]?.rows ?? []) {
      if ((start[row] ?? 0) > to) break;
      if ((end[row] ?? 0) > from && (track === null || this.trackOf[row] === track)) rows.push(row);
    }
    return { total: rows.length, lines: rows.reverse().slice(0, most).map((row) => this.line(row)) };
  }

  // --- the table -------------------------------------------------------------------------------

  /**
   * The rows that a filter keeps, sorted: a page of them.
   * @param {OpsFilter} filter @param {OpsSort} sort @param {boolean} descending @param {number} first @param {number} count
   */
  rows(filter, sort, descending, first, count) {
    const key = JSON.stringify([filter, sort, descending]);
    if (key !== this.chosenFor) {
      this.chosen = this.sorted(this.select(filter), sort, descending);
      this.chosenBytes = this.chosen.reduce((sum, row) => sum + Math.max(0, this.columns.size[row] ?? 0), 0);
      this.chosenFor = key;
    }
    return { total: this.chosen.length, bytes: this.chosenBytes, all: this.count, first, lines: Array.from(this.chosen.subarray(first, first + count), (row) => this.line(row)) };
  }

  /** @param {OpsFilter} filter */
  select(filter) {
    const c = this.columns;
    const text = filter.text.toLowerCase();
    const names = this.head.names.map((name) => name.toLowerCase().includes(text));
    const stacks = new Set(text === "" ? [] : this.stacks.stacksWith(text));
    const [min, max] = [filter.min_size ?? -Infinity, filter.max_size ?? Infinity];
    const [shortest, longest] = [filter.min_duration ?? 0, filter.max_duration ?? Infinity];
    const [from, to] = filter.interval ?? [-Infinity, Infinity];
    const inside = (/** @type {number} */ t) => t >= from && t < to;
    const kept = new Uint32Array(this.count);
    let n = 0;
    for (let i = 0; i < this.count; i++) {
      const [size, start, end] = [c.size[i] ?? 0, c.start[i] ?? NaN, c.end[i] ?? Infinity];
      if (size < min || size > max) continue;
      if (filter.match !== null && MATCHES[c.match[i] ?? 4] !== filter.match) continue;
      if (filter.never_released && (end !== Infinity || size <= 0)) continue;
      // A row of which only the release was seen has no duration at all.
      if ((shortest > 0 || longest < Infinity) && !(size > 0 && end - start >= shortest && end - start <= longest)) continue;
      if (filter.within === "allocated" && !(size > 0 && inside(start))) continue;
      if (filter.within === "released" && !(size > 0 ? inside(end) : inside(start))) continue;
      if (filter.within === "live" && !(size > 0 && start < to && end > from)) continue;
      if (filter.within === "both" && !(size > 0 && inside(start) && inside(end))) continue;
      if (text !== "" && !names[c.name[i] ?? 0] && !stacks.has(c.stack[i] ?? 0)) continue;
      kept[n++] = i;
    }
    return kept.subarray(0, n);
  }

  /** @param {Uint32Array} rows @param {OpsSort} sort @param {boolean} descending */
  sorted(rows, sort, descending) {
    const c = this.columns;
    // Rows are in order of start already.
    if (sort !== "start") {
      const rank = (/** @type {readonly string[]} */ texts) => {
        const order = texts.map((_, i) => i).sort((a, b) => ((texts[a] ?? "") < (texts[b] ?? "") ? -1 : 1));
        const place = new Float64Array(texts.length);
        order.forEach((text, i) => (place[text] = i));
        return place;
      };
      const names = sort === "name" ? rank(this.head.names) : NONE;
      const tops = sort === "stack" ? rank(this.head.stack_tops) : NONE;
      const value = (/** @type {number} */ i) => {
        switch (sort) {
          case "name":
            return names[c.name[i] ?? 0] ?? 0;
          case "stack":
            return tops[c.stack[i] ?? 0] ?? 0;
          case "duration":
            return (c.size[i] ?? 0) > 0 ? (c.end[i] ?? 0) - (c.start[i] ?? 0) : -1;
          case "match":
            return c.match[i] ?? 0;
          case "allocated":
            return c.allocated[i] ?? 0;
          default:
            return c.size[i] ?? 0;
        }
      };
      const keys = new Float64Array(this.count);
      for (const i of rows) keys[i] = value(i);
      rows.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
    }
    return descending ? rows.reverse() : rows;
  }

  // --- by name ---------------------------------------------------------------------------------

  /** Count and bytes by operator name: of all rows that count, or of those live at a moment. @param {number | null} at */
  byName(at) {
    const { start, end, size, name, counts } = this.columns;
    const bytes = new Float64Array(this.head.names.length);
    const rows = new Float64Array(this.head.names.length);
    for (let i = 0; i < this.count; i++) {
      if (counts[i] !== 1 || (at !== null && !((start[i] ?? 0) <= at && at < (end[i] ?? 0)))) continue;
      const id = name[i] ?? 0;
      bytes[id] = (bytes[id] ?? 0) + (size[i] ?? 0);
      rows[id] = (rows[id] ?? 0) + 1;
    }
    return this.head.names.map((text, id) => ({ name: text, count: rows[id] ?? 0, bytes: bytes[id] ?? 0 })).filter((each) => each.count > 0);
  }
}

/** How many of the sorted values are not above a limit. @param {Float64Array} values @param {number} limit */
function upper(values, limit) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // What has no time at all stands first.
    if (!((values[middle] ?? 0) > limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of the last point not after a moment; −1 before the first. @param {Float64Array} points @param {number} at */
function pointAt(points, at) {
  let low = 0;
  let high = points.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[2 * middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value in force at a moment; null before the first point. @param {Float64Array} points @param {number} at */
export function valueAt(points, at) {
  const i = pointAt(points, at);
  return i < 0 ? null : (points[2 * i + 1] ?? null);
}

/**
 * A step curve in a window: of each pixel column the first, least, greatest and last point, so that no peak
 * is lost at any zoom and a window with few points shows every one of them.
 * @param {Float64Array} points @param {number} from @param {number} to @param {number} width
 */
export function windowOf(points, from, to, width) {
  const begin = Math.max(0, pointAt(points, from));
  const end = pointAt(points, to) + 1;
  const part = points.subarray(2 * begin, 2 * end);
  if (end - begin <= 4 * width) return part.slice();
  const out = new Float64Array(8 * width + 8);
  const per = width / Math.max(1, to - from);
  let n = 0;
  const put = (/** @type {number} */ i) => {
    out[n++] = points[2 * i] ?? 0;
    out[n++] = points[2 * i + 1] ?? 0;
  };
  let i = begin;
  while (i < end) {
    const column = Math.max(0, Math.floor(((points[2 * i] ?? 0) - from) * per));
    let [least, most, last] = [i, i, i];
    while (last + 1 < end && Math.max(0, Math.floor(((points[2 * last + 2] ?? 0) - from) * per)) === column) {
      last++;
      const value = points[2 * last + 1] ?? 0;
      if (value < (points[2 * least + 1] ?? 0)) least = last;
      if (value > (points[2 * most + 1] ?? 0)) most = last;
    }
    const kept = [i, least, most, last].sort((a, b) => a - b);
    kept.forEach((point, k) => point !== kept[k - 1] && put(point));
    i = last + 1;
  }
  return out.slice(0, n);
}
