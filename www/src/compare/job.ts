// The ranks of a job and series over time: the terminal's `ranks`, on the page. Runs in a worker; pure.

import { CATEGORIES, FIGURES, rowsOf, Shared, toNamesOf } from "./side";
import type { Side } from "./side";
import type { Unsaid } from "./merge";
import type { Because, GrowthRow, Outlier, RankRow, RanksReport, Series } from "./types";

export interface RankSide {
  role: string;
  rank: number | null;
  order: number | null;
  /** At the peak, stacks cut to their call sites. */
  peak: Side;
  /** At the end, with stacks; only of snapshots that make a series. */
  end: Side | null;
}

const LEAST = 3;
const DEVIATIONS = 3;
/** Where all ranks but one are equal, the deviation counts as this share of the median; the reserve comes in whole segments. */
const FLOORS = { peak: 0.001, reserved: 0.02 };
const SHARE = 0.05;
const NAMED = 5;

/** The lower median. */
function median(values: readonly number[]): number {
  return [...values].sort((x, y) => x - y)[Math.floor(Math.max(0, values.length - 1) / 2)] ?? 0;
}

export function spread(values: readonly number[], floor: number): { middle: number; deviation: number } {
  const middle = median(values);
  return { middle, deviation: Math.max(median(values.map((value) => Math.abs(value - middle))), middle * floor, 1) };
}

function medianSide(sides: readonly RankSide[]): RankSide | undefined {
  return [...sides].sort((x, y) => x.peak.peak - y.peak.peak)[Math.floor(Math.max(0, sides.length - 1) / 2)];
}

const label = (rank: number | null, file: string): string => (rank === null ? (file.split("/").pop() ?? file) : String(rank));

interface Part {
  kind: Because["kind"];
  key: string;
  bytes: number[];
}

function partsOf(peers: readonly RankSide[], ignoreLines: boolean): Part[] {
  const parts: Part[] = CATEGORIES.map((key, i) => ({ kind: "category", key, bytes: peers.map((side) => side.peak.peak_categories[i * 2] ?? 0) }));
  const shared = new Shared();
  const sites = new Map<number, number[]>();
  const first = peers[0]?.peak.content;
  peers.forEach((side, n) => {
    const { content } = side.peak;
    const placed = shared.place(content, ignoreLines && n > 0 && first ? toNamesOf(first, content) : new Map(), ignoreLines);
    for (const row of rowsOf(content)) {
      const site = row.stack === null ? null : (placed.site[row.stack] ?? null);
      if (site === null) continue;
      const bytes = sites.get(site) ?? peers.map(() => 0);
      bytes[n] = (bytes[n] ?? 0) + row.bytes;
      sites.set(site, bytes);
    }
  });
  return [...parts, ...[...sites].map(([site, bytes]): Part => ({ kind: "call_site", key: shared.frameName(site, ignoreLines), bytes }))];
}

const explains = (because: Because, diff: number): boolean => Math.sign(because.diff_bytes) === Math.sign(diff) && Math.abs(because.diff_bytes) >= Math.abs(diff) * SHARE;

/** What differs from the median as oddly as the whole does. */
function causes(parts: readonly Part[], rank: number, diff: number): Because[] {
  return (["category", "call_site"] as const).flatMap((kind) =>
    parts
      .filter((part) => part.kind === kind)
      .flatMap((part): Because[] => {
        const { middle, deviation } = spread(part.bytes, FLOORS.peak);
        const own = part.bytes[rank] ?? 0;
        const because: Because = { kind, key: part.key, bytes: own, median_bytes: middle, diff_bytes: own - middle };
        return Math.abs(own - middle) > DEVIATIONS * deviation && explains(because, diff) ? [because] : [];
      })
      .sort((x, y) => Math.abs(y.diff_bytes) - Math.abs(x.diff_bytes) || (x.key < y.key ? -1 : 1))
      .slice(0, NAMED),
  );
}

function outliersOf(sides: readonly RankSide[], ignoreLines: boolean): Outlier[] {
  const found: Outlier[] = [];
  for (const role of new Set(sides.map((side) => side.role))) {
    const peers = sides.filter((side) => side.role === role);
    if (peers.length < LEAST) continue;
    let parts: Part[] | undefined;
    for (const figure of ["peak", "reserved"] as const) {
      const value = (side: RankSide) => (figure === "peak" ? side.peak.peak : (side.peak.end[5] ?? 0));
      const { middle, deviation } = spread(peers.map(value), FLOORS[figure]);
      peers.forEach((side, n) => {
        const diff = value(side) - middle;
        if (Math.abs(diff / deviation) <= DEVIATIONS) return;
        const figures = [0, 6].map((at): Because => {
          const [own, typical] = [side.peak.end[at] ?? 0, median(peers.map((peer) => peer.peak.end[at] ?? 0))];
          return { kind: "figure", key: FIGURES[at] ?? "", bytes: own, median_bytes: typical, diff_bytes: own - typical };
        });
        const because = figure === "peak" ? causes((parts ??= partsOf(peers, ignoreLines)), n, diff) : figures.filter((each) => explains(each, diff));
        const { file, device } = side.peak;
        found.push({ role, rank: side.rank, file, device, figure, bytes: value(side), median_bytes: middle, diff_bytes: diff, deviation: diff / deviation, because });
      });
    }
  }
  return found.sort((x, y) => Math.abs(y.deviation) - Math.abs(x.deviation));
}

function outlierWords(outlier: Outlier): Unsaid {
  const because = outlier.because.map(({ kind, key, diff_bytes: bytes }): Unsaid => {
    if (kind === "call_site") return { key: "ranks.because.call_site", params: { site: key, bytes } };
    return { key: `ranks.because.${kind}`, params: { name: [{ key: kind === "category" ? `category.${key}` : `compare.figure.${key}`, params: {} }], bytes } };
  });
  return {
    key: `ranks.outlier.${outlier.figure}`,
    params: {
      rank: label(outlier.rank, outlier.file),
      bytes: outlier.bytes,
      median: outlier.median_bytes,
      diff: outlier.diff_bytes,
      deviation: outlier.deviation,
      because: because.length > 0 ? because : [{ key: "ranks.because.nothing", params: {} }],
    },
  };
}

/** The slope of the line with the least squares, and the share of the variance that lies on it. */
export function straightLine(at: readonly number[], bytes: readonly number[]): { slope: number; fit: number } {
  const n = Math.min(at.length, bytes.length);
  if (n < 2) return { slope: 0, fit: 0 };
  const points = Array.from({ length: n }, (_, i) => [(at[i] ?? 0) - (at[0] ?? 0), (bytes[i] ?? 0) - (bytes[0] ?? 0)] as const);
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / n;
  const [meanX, meanY] = [mean(0), mean(1)];
  let [xx, xy, yy] = [0, 0, 0];
  for (const [x, y] of points) {
    xx += (x - meanX) ** 2;
    xy += (x - meanX) * (y - meanY);
    yy += (y - meanY) ** 2;
  }
  return xx === 0 || yy === 0 ? { slope: 0, fit: 0 } : { slope: xy / xx, fit: Math.min(1, (xy * xy) / (xx * yy)) };
}

export function growthRow(key: string | null, call_site: string | null, category: string | null, bytes: number[], at: readonly number[]): GrowthRow {
  const { slope, fit } = straightLine(at, bytes);
  const steps = Math.max(1, bytes.length - 1);
  const diff_bytes = (bytes.at(-1) ?? 0) - (bytes[0] ?? 0);
  const rising = bytes.slice(1).filter((value, i) => value > (bytes[i] ?? 0)).length / steps;
  return { key, call_site, category, bytes, diff_bytes, bytes_per_snapshot: (slope * ((at.at(-1) ?? 0) - (at[0] ?? 0))) / steps, fit, straight: bytes.length >= 3 && diff_bytes > 0 && fit >= 0.95 && rising >= 0.8 };
}

function seriesOf(snapshots: readonly RankSide[], ignoreLines: boolean): Series {
  const sides = snapshots.map((side) => side.end ?? side.peak);
  const ascends = (values: readonly (number | null)[]): values is number[] => values.every((value, i) => value !== null && (i === 0 || value > (values[i - 1] ?? Infinity)));
  const [names, times] = [snapshots.map((side) => side.order), snapshots.map((side) => side.peak.end_time_us)];
  const [unit, at] = ascends(names) ? (["name", names] as const) : ascends(times) ? (["time_us", times] as const) : (["snapshot", sides.map((_, i) => i)] as const);
  const shared = new Shared();
  const stacks = new Map<string, { frames: number[]; site: number; category: string; bytes: number[] }>();
  const categories = new Map<string, number[]>();
  const first = sides[0]?.content;
  sides.forEach((side, n) => {
    const placed = shared.place(side.content, ignoreLines && n > 0 && first ? toNamesOf(first, side.content) : new Map(), ignoreLines);
    for (const row of rowsOf(side.content)) {
      const all = categories.get(row.category) ?? sides.map(() => 0);
      all[n] = (all[n] ?? 0) + row.bytes;
      categories.set(row.category, all);
      const site = row.stack === null ? null : (placed.site[row.stack] ?? null);
      // The stack of a free says nothing about the allocation.
      if (row.stack === null || row.freed || site === null) continue;
      const frames = placed.frames[row.stack] ?? [];
      const key = `${frames.join(",")} ${site}`;
      const own = stacks.get(key) ?? { frames, site, category: row.category, bytes: sides.map(() => 0) };
      own.category = row.category;
      own.bytes[n] = (own.bytes[n] ?? 0) + row.bytes;
      stacks.set(key, own);
    }
  });
  const growth = [...stacks.values()]
    .map((own) => growthRow(own.frames.map((frame) => shared.frameName(frame, ignoreLines)).join("\n"), shared.frameName(own.site, ignoreLines), own.category, own.bytes, at))
    .filter((row) => row.diff_bytes > 0)
    .sort((x, y) => Number(y.straight) - Number(x.straight) || y.diff_bytes - x.diff_bytes);
  const [{ role = "", rank = null } = {}] = snapshots;
  return {
    role,
    rank,
    device: snapshots[0]?.peak.device ?? 0,
    unit,
    snapshots: sides.map((side, i) => ({ file: side.file, at: at[i] ?? i, requested: side.figures[0] ?? 0, reserved: side.figures[5] ?? 0 })),
    total: growthRow(null, null, null, sides.map((side) => side.figures[0] ?? 0), at),
    by_category: [...categories].map(([category, bytes]) => growthRow(category, null, category, bytes, at)),
    growth: growth.slice(0, 100),
    growing_stacks: growth.length,
  };
}

function seriesWords(series: Series): Unsaid[] {
  const straight = series.growth.filter((row) => row.straight).slice(0, 3);
  if (straight.length > 0) return straight.map((row) => ({ key: "series.line", params: { site: row.call_site ?? "", bytes: Math.round(row.bytes_per_snapshot), fit: row.fit } }));
  return [series.growing_stacks === 0 ? { key: "series.none", params: {} } : { key: "series.grows", params: { count: series.growing_stacks } }];
}

export type Unspoken = Omit<RanksReport, "summary"> & { summary: Unsaid[] };

export function compareRanks(sides: readonly RankSide[], ignoreLines: boolean): Unspoken {
  const processes = new Map<string, RankSide[]>();
  for (const side of sides) {
    const key = JSON.stringify([side.role, side.rank, side.peak.device]);
    processes.set(key, [...(processes.get(key) ?? []), side]);
  }
  const rows: RankSide[] = [];
  const series: Series[] = [];
  for (const snapshots of processes.values()) {
    snapshots.sort((x, y) => (x.order ?? -Infinity) - (y.order ?? -Infinity) || (x.peak.end_time_us ?? 0) - (y.peak.end_time_us ?? 0) || 0);
    if (snapshots.length > 1 && snapshots.every((side) => side.end)) {
      rows.push(...snapshots.slice(-1));
      series.push(seriesOf(snapshots, ignoreLines));
    } else rows.push(...snapshots);
  }
  rows.sort((x, y) => (x.role < y.role ? -1 : x.role > y.role ? 1 : 0) || (x.rank ?? -1) - (y.rank ?? -1) || String(x.peak.device).localeCompare(String(y.peak.device)));
  const middle = medianSide(rows);
  const outliers = outliersOf(rows, ignoreLines);
  const summary: Unsaid[] = [];
  if (middle && rows.length > 1) {
    summary.push({ key: "ranks.median", params: { rank: label(middle.rank, middle.peak.file), bytes: middle.peak.peak } }, ...outliers.map(outlierWords));
    const few = rows.every((side) => rows.filter((other) => other.role === side.role).length < LEAST);
    if (few) summary.push({ key: "ranks.few", params: {} });
    else if (outliers.length === 0) summary.push({ key: "ranks.no_outlier", params: {} });
  }
  summary.push(...series.flatMap(seriesWords));
  const row = (side: RankSide): RankRow => {
    const { file, device, peak, peak_event, peak_time_us, end, peak_categories: all } = side.peak;
    const [reserved, allocated] = [end[5] ?? 0, end[2] ?? 0];
    const by_category = CATEGORIES.map((category, i) => ({ category, bytes: all[i * 2] ?? 0, count: all[i * 2 + 1] ?? 0 })).filter((each) => each.count > 0);
    by_category.sort((x, y) => y.bytes - x.bytes);
    const is_median = medianSide(rows.filter((other) => other.role === side.role)) === side;
    return { role: side.role, rank: side.rank, file, device, peak, peak_event, peak_time_us, reserved, fragmentation: reserved === 0 ? 0 : Math.max(0, reserved - allocated) / reserved, by_category, is_median };
  };
  return { ranks: rows.map(row), median_rank: middle?.rank ?? null, outliers, series, summary };
}
