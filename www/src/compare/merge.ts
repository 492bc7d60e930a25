// Two sides put together: the terminal's `compare`, on the page. Runs in a worker; pure, so it is tested without one.

import { group } from "./rows";
import { align, CATEGORIES, FIGURES, rowsOf, Shared } from "./side";
import type { Renames, Side } from "./side";
import type { CompareCurves, Comparison, CurvePair, DiffRow, Pair, PathRow, Paths, SegmentChange, SegmentKind } from "./types";

/** A message of the core's catalogue; the worker adds the sentences. */
export interface Unsaid {
  key: string;
  params: Record<string, number | string | readonly Unsaid[]>;
}

const pair = (a: number, b: number): Pair => ({ a, b, diff: b - a });
const fragmentation = (figures: readonly number[]): number => ((figures[5] ?? 0) === 0 ? 0 : Math.max(0, (figures[5] ?? 0) - (figures[2] ?? 0)) / (figures[5] ?? 1));

function mergePaths(a: Side, b: Side, renames: readonly [Renames, Renames], ignoreLines: boolean): { paths: Paths; stacks: number; inferred: Map<string, [number, number]> } {
  const shared = new Shared();
  const rows = new Map<string, PathRow>();
  const stacks = new Set<string>();
  const inferred = new Map<string, [number, number]>();
  [a, b].forEach((side, n) => {
    const placed = shared.place(side.content, renames[n] ?? new Map(), ignoreLines);
    for (const frames of placed.frames) stacks.add(frames.join(","));
    for (const row of rowsOf(side.content)) {
      const frames = row.stack === null ? [] : (placed.frames[row.stack] ?? []);
      const key = `${frames.join(",")} ${row.freed} ${row.category}`;
      let own = rows.get(key);
      if (!own) {
        const at = row.stack ?? -1;
        own = { frames, site: placed.site[at] ?? null, module: placed.module[at] ?? null, freed_at: row.freed, category: row.category, a_bytes: 0, b_bytes: 0, a_count: 0, b_count: 0 };
        rows.set(key, own);
      }
      const sums = inferred.get(row.category) ?? [0, 0];
      sums[n] = (sums[n] ?? 0) + row.inferred;
      inferred.set(row.category, sums);
      if (n === 0) {
        own.a_bytes += row.bytes;
        own.a_count += row.count;
      } else {
        own.b_bytes += row.bytes;
        own.b_count += row.count;
      }
    }
  });
  return { paths: { frames: shared.frames, texts: shared.texts, stacks: [...rows.values()] }, stacks: stacks.size, inferred };
}

function stackSums(paths: Paths): Comparison["stacks"] {
  const sums = { common: 0, common_diff_bytes: 0, grown: 0, grown_bytes: 0, shrunk: 0, shrunk_bytes: 0, only_a: 0, only_a_bytes: 0, only_b: 0, only_b_bytes: 0 };
  for (const row of group(paths, "stack").filter((each) => each.frames.length > 0)) {
    if (row.presence === "both") {
      sums.common++;
      sums.common_diff_bytes += row.diff_bytes;
      if (row.diff_bytes > 0) {
        sums.grown++;
        sums.grown_bytes += row.diff_bytes;
      } else if (row.diff_bytes < 0) {
        sums.shrunk++;
        sums.shrunk_bytes -= row.diff_bytes;
      }
    } else if (row.presence === "only_a") {
      sums.only_a++;
      sums.only_a_bytes += row.a_bytes;
    } else {
      sums.only_b++;
      sums.only_b_bytes += row.b_bytes;
    }
  }
  return sums;
}

type Segment = readonly [address: number, size: number, stream: number, type: number];

function segmentsOf(flat: readonly number[]): Segment[] {
  return Array.from({ length: flat.length / 4 }, (_, i) => flat.slice(i * 4, i * 4 + 4) as unknown as Segment);
}

export function segmentChanges(a: readonly number[], b: readonly number[], most = 30): Comparison["segments"] {
  const kinds: readonly SegmentKind[] = ["new", "gone", "grown", "shrunk", "moved"];
  const changes = Object.fromEntries(kinds.map((kind) => [kind, { count: 0, diff_bytes: 0, rows: [] }])) as unknown as Record<SegmentKind, SegmentChange>;
  let same = 0;
  const add = (kind: SegmentKind, left: Segment | null, right: Segment | null) => {
    const of = left ?? right;
    const change = changes[kind];
    change.count++;
    change.diff_bytes += (right?.[1] ?? 0) - (left?.[1] ?? 0);
    change.rows.push({ a_address: left?.[0] ?? null, b_address: right?.[0] ?? null, a_bytes: left?.[1] ?? 0, b_bytes: right?.[1] ?? 0, stream: of?.[2] ?? 0, segment_type: ["large", "small"][of?.[3] ?? 2] ?? "unknown" });
  };
  const there = new Map(segmentsOf(b).map((each) => [each[0], each]));
  const gone: Segment[] = [];
  for (const left of segmentsOf(a)) {
    const right = there.get(left[0]);
    there.delete(left[0]);
    if (!right) gone.push(left);
    else if (right[1] === left[1]) same++;
    else add(right[1] > left[1] ? "grown" : "shrunk", left, right);
  }
  // What is alike is paired in order of addresses.
  const free = new Map<string, Segment[]>();
  const alike = ([, size, stream, type]: Segment) => `${size} ${stream} ${type}`;
  for (const right of [...there.values()].sort((x, y) => y[0] - x[0])) free.set(alike(right), [...(free.get(alike(right)) ?? []), right]);
  for (const left of gone) {
    const right = free.get(alike(left))?.pop();
    if (right) add("moved", left, right);
    else add("gone", left, null);
  }
  for (const right of [...free.values()].flat().sort((x, y) => x[0] - y[0])) add("new", null, right);
  for (const kind of kinds) {
    const { rows } = changes[kind];
    rows.sort((x, y) => Math.abs(y.b_bytes - y.a_bytes) - Math.abs(x.b_bytes - x.a_bytes) || y.a_bytes - x.a_bytes);
    rows.length = Math.min(rows.length, most);
  }
  return { ...changes, same };
}

const COLUMNS = 600;

function onAxis(curves: NonNullable<Side["curves"]>, number: number, end: number): [(number | null)[], (number | null)[]] {
  const scale = curves.end > 0 ? end / curves.end : 1;
  const [least, most]: [(number | null)[], (number | null)[]] = [[], []];
  for (let column = 0; column < COLUMNS; column++) {
    const from = Math.floor(column * scale);
    const to = Math.min(Math.max(Math.ceil((column + 1) * scale - 1e-9), from + 1), COLUMNS);
    let [low, high]: [number | null, number | null] = [null, null];
    for (let i = from; i < to; i++) {
      const at = (number * COLUMNS + i) * 2;
      const [min, max] = [curves.values[at] ?? 0, curves.values[at + 1] ?? 0];
      low = low === null || min < low ? min : low;
      high = high === null || max > high ? max : high;
    }
    least.push(low);
    most.push(high);
  }
  return [least, most];
}

export function overlay(a: Side, b: Side): CompareCurves | undefined {
  const [left, right] = [a.curves, b.curves];
  if (!left || !right || left.axis !== right.axis) return undefined;
  const end = Math.max(left.end, right.end);
  const curves = (["requested", "active", "reserved"] as const).map((curve, number): CurvePair => {
    const [[a_min, a_max], [b_min, b_max]] = [onAxis(left, number, end), onAxis(right, number, end)];
    return { curve, a_min, a_max, b_min, b_max };
  });
  return { axis: left.axis, end, a_at: left.at, b_at: right.at, curves };
}

function diffRow(key: string, a: readonly number[], b: readonly number[]): DiffRow {
  const [a_bytes = 0, a_count = 0, a_inferred_bytes = 0] = a;
  const [b_bytes = 0, b_count = 0, b_inferred_bytes = 0] = b;
  return { key, a_bytes, b_bytes, diff_bytes: b_bytes - a_bytes, a_count, b_count, diff_count: b_count - a_count, a_inferred_bytes, b_inferred_bytes, presence: b_count === 0 ? "only_a" : a_count === 0 ? "only_b" : "both" };
}

const byDifference = (x: DiffRow, y: DiffRow) => Math.abs(y.diff_bytes) - Math.abs(x.diff_bytes) || Math.max(y.a_bytes, y.b_bytes) - Math.max(x.a_bytes, x.b_bytes);

export type Unspoken = Omit<Comparison, "summary"> & { summary: Unsaid[] };

export function compareSides(a: Side, b: Side, ignoreLines: boolean): Unspoken {
  const none: [Renames, Renames] = [new Map(), new Map()];
  const exact = ignoreLines ? mergePaths(a, b, none, false).stacks : 0;
  const { paths, stacks, inferred } = mergePaths(a, b, ignoreLines ? align(a.content, b.content) : none, ignoreLines);
  const name = ({ file, device, event, time_us }: Side) => ({ file, device, event, time_us });
  const totals: Record<string, Pair> = Object.fromEntries(FIGURES.map((figure, i) => [figure, pair(a.figures[i] ?? 0, b.figures[i] ?? 0)]));
  totals["fragmentation"] = pair(fragmentation(a.figures), fragmentation(b.figures));
  const by_category = group(paths, "category")
    .map((row) => {
      const [left, right] = inferred.get(row.key ?? "") ?? [0, 0];
      return diffRow(row.key ?? "unknown", [row.a_bytes, row.a_count, left], [row.b_bytes, row.b_count, right]);
    })
    .sort(byDifference);
  const atPeak = ({ peak_categories: all }: Side, i: number) => [all[i * 2] ?? 0, all[i * 2 + 1] ?? 0];
  const peakRows = CATEGORIES.map((category, i) => diffRow(category, atPeak(a, i), atPeak(b, i))).filter((row) => row.a_count + row.b_count > 0);
  const curves = overlay(a, b);
  const found: Unspoken = {
    a: name(a),
    b: name(b),
    totals,
    by_category,
    stacks: stackSums(paths),
    merged_stacks: ignoreLines ? Math.max(0, exact - stacks) : null,
    segments: segmentChanges(a.segments, b.segments),
    peaks: { requested: pair(a.peak, b.peak), a_event: a.peak_event, b_event: b.peak_event, by_category: peakRows.sort(byDifference) },
    ...(curves && { curves }),
    paths,
    summary: [],
  };
  found.summary = words(found, ignoreLines);
  return found;
}

/** What stands out, in sentences. */
function words(of: Unspoken, ignoreLines: boolean): Unsaid[] {
  const { a = 0, b = 0, diff = 0 } = of.totals["requested"] ?? {};
  const says: Unsaid[] = [{ key: "compare.total", params: { diff, a, b } }];
  const changed = of.by_category.filter((row) => row.diff_bytes !== 0);
  says.push(
    changed.length === 0
      ? { key: "compare.steady", params: {} }
      : { key: "compare.categories", params: { rows: changed.map((row) => ({ key: "compare.category", params: { bytes: row.diff_bytes, category: [{ key: `category.${row.key}`, params: {} }] } })) } },
  );
  const { grown, grown_bytes, only_a, only_a_bytes, only_b, only_b_bytes } = of.stacks;
  if (grown > 0) says.push({ key: "compare.grown", params: { count: grown, bytes: grown_bytes } });
  if (only_a + only_b > 0) says.push({ key: "compare.only", params: { a: only_a, a_bytes: only_a_bytes, b: only_b, b_bytes: only_b_bytes } });
  const place = (frame: number | null): string => {
    const [file, line, name] = of.paths.frames[frame ?? -1] ?? [0, 0, 0];
    return ignoreLines ? `${of.paths.texts[file]} ${of.paths.texts[name]}` : `${of.paths.texts[file]}:${line} ${of.paths.texts[name]}`;
  };
  // Sums by call site with the names that the terminal gives.
  const sites = new Map<string, number>();
  for (const row of of.paths.stacks.filter((each) => each.site !== null)) {
    const key = `${row.site} ${row.freed_at}`;
    sites.set(key, (sites.get(key) ?? 0) + row.b_bytes - row.a_bytes);
  }
  const most = [...sites].filter(([, bytes]) => bytes > 0).sort((x, y) => y[1] - x[1]).slice(0, 3);
  if (most.length > 0)
    says.push({ key: "compare.sites", params: { rows: most.map(([key, bytes]) => ({ key: "compare.site", params: { bytes, site: place(Number(key.split(" ")[0])) } })) } });
  if (of.merged_stacks !== null) says.push({ key: "compare.merged", params: { count: of.merged_stacks } });
  return says;
}
