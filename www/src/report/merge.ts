// Reports of single ranks as one: each rank's worker knows only its own.

import { deviations } from "../ops/ranks";
import type { ProfilerReport } from "./data";

export function mergeRanks(reports: readonly ProfilerReport[]): ProfilerReport {
  const ranks = reports.flatMap((report) => report.ops.ranks);
  const off = deviations(ranks.map((rank, i) => ({ key: String(i), group: rank.role, rank: rank.rank, value: rank.peak_bytes })));
  const outliers = ranks.flatMap((rank, i) => {
    const deviation = off.get(String(i));
    return deviation?.outlier ? [{ role: rank.role, rank: rank.rank, peak_bytes: rank.peak_bytes, median_bytes: deviation.median, deviation: deviation.share, because: [] }] : [];
  });
  outliers.sort((a, b) => Math.abs(b.deviation) - Math.abs(a.deviation));
  return { kind: "profiler", ops: { ranks, outliers }, drawings: reports.flatMap((report) => report.drawings) };
}
