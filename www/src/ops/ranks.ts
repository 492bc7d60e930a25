// Ranks among their peers, and two of them by operator name: the arithmetic of the terminal's `ops`, over
// what each rank's own worker answers. Pure, so it is tested without a browser.

import type { OpsName } from "../core/ops";

/** A peak that is off from the others of its role by more than this share is an outlier. */
export const OUTLIER_SHARE = 0.1;

/** One figure of one rank. */
export interface RankFigure {
  key: string;
  /** Ranks of one group are compared with one another. */
  group: string;
  rank: number;
  value: number;
}

export interface Deviation {
  median: number;
  /** The rank that has the median. */
  typical: string;
  /** (value − median) / median. */
  share: number;
  outlier: boolean;
}

/** How far each rank is off its group's median; nothing where a group has fewer than three. Of several runs of a rank the highest stands for it. */
export function deviations(figures: readonly RankFigure[]): Map<string, Deviation> {
  const out = new Map<string, Deviation>();
  for (const group of new Set(figures.map((each) => each.group))) {
    const highest = new Map<number, RankFigure>();
    for (const each of figures) {
      const before = highest.get(each.rank);
      if (each.group === group && (!before || each.value > before.value)) highest.set(each.rank, each);
    }
    const sorted = [...highest.values()].sort((a, b) => a.value - b.value);
    const typical = sorted[(sorted.length - 1) >> 1];
    if (sorted.length < 3 || !typical || typical.value <= 0) continue;
    for (const each of sorted) {
      const share = (each.value - typical.value) / typical.value;
      out.set(each.key, { median: typical.value, typical: typical.key, share, outlier: Math.abs(share) > OUTLIER_SHARE });
    }
  }
  return out;
}

export interface NameDifference {
  name: string;
  a_count: number;
  b_count: number;
  a_bytes: number;
  b_bytes: number;
  diff_bytes: number;
  /** B over A; null where A has nothing. */
  ratio: number | null;
}

/** Two tables by name, the largest difference first, whatever its sign. */
export function differences(a: readonly OpsName[], b: readonly OpsName[]): NameDifference[] {
  const of = (names: readonly OpsName[]) => new Map(names.map((each) => [each.name, each]));
  const [left, right] = [of(a), of(b)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .map((name) => {
      const [x, y] = [left.get(name), right.get(name)];
      const [a_bytes, b_bytes] = [x?.bytes ?? 0, y?.bytes ?? 0];
      return { name, a_count: x?.count ?? 0, b_count: y?.count ?? 0, a_bytes, b_bytes, diff_bytes: b_bytes - a_bytes, ratio: a_bytes === 0 ? null : b_bytes / a_bytes };
    })
    .sort((x, y) => Math.abs(y.diff_bytes) - Math.abs(x.diff_bytes) || (x.name < y.name ? -1 : 1));
}
