// Ranks: the snapshots of one job side by side, the odd ones with what makes them odd, and growth over a series.

import { useEffect, useMemo, useState } from "preact/hooks";
import { categoryColour } from "../charts/palette";
import { SeriesChart } from "../charts/series-chart";
import { Section, Size } from "../components/basics";
import { Says } from "../components/health";
import { CategoryTag } from "../components/life-detail";
import { ErrorBox } from "../components/problems";
import { Diff, signed } from "../compare/diff";
import { digestOf, formatChoices, snapshots } from "../compare/sides";
import { readNames } from "../compare/names";
import type { GrowthRow, RankRow, RanksReport, Series } from "../compare/types";
import { CoreError } from "../core/client";
import type { WireError } from "../core/protocol";
import { bytes, count, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import { files, show } from "../state/files";
import type { FileEntry } from "../state/files";
import { useStore } from "../state/store";
import { go } from "../state/url";
import type { View, ViewProps } from "./registry";

const INKS = ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/** The report over all files that are there; asked again as more of them come. */
function useRanks(at: ViewProps["at"], all: readonly FileEntry[], ignoreLines: boolean) {
  const [report, setReport] = useState<RanksReport | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  const [busy, setBusy] = useState(true);
  const asked = JSON.stringify([all.map((each) => [each.key, each.revision]), ignoreLines]);
  useEffect(() => {
    let wanted = true;
    setBusy(true);
    const rank = async () => {
      const paths = all.map((each) => each.path);
      const names = readNames(paths);
      const digests = await Promise.all(all.map((each) => digestOf(each)));
      if (!wanted) return;
      const sides = names.flatMap(({ series, ...name }, i) =>
        (digests[i] ?? []).map((digest) => `${JSON.stringify(name).slice(0, -1)},"peak":${digest.peak},"end":${series ? digest.end : "null"}}`),
      );
      const reply = await at.core.query(at.doc, { type: "compare_ranks", sides, ignore_lines: ignoreLines }, "ranks");
      if (!wanted) return;
      setReport(reply.report);
      setError(null);
      setBusy(false);
    };
    // Files of one drop come in quick succession: one question for several of them.
    const timer = setTimeout(() => {
      rank().catch((problem: unknown) => {
        if (!wanted) return;
        setBusy(false);
        if (problem instanceof CoreError) setError(problem.wire);
      });
    }, 200);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [at.core, at.doc, asked]);
  return { report, error, busy };
}

function RanksView({ at }: ViewProps) {
  const t = useTexts();
  const loaded = useStore(files);
  const all = snapshots(loaded);
  const reading = loaded.filter((each) => each.status.is === "reading" || each.status.is === "waiting").length;
  const [ignoreLines, setIgnoreLines] = useState(false);
  const { report, error, busy } = useRanks(at, all, ignoreLines);
  return (
    <>
      <div class="row toolbar">
        <label class="row" title={t.compare.ignoreMeans}>
          <input type="checkbox" checked={ignoreLines} onChange={() => setIgnoreLines(!ignoreLines)} /> {t.compare.ignore}
        </label>
        {reading > 0 && (
          <span role="status" class="faint">
            {t.jobRanks.reading(reading)}
          </span>
        )}
      </div>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {!report && !error && <p class="faint">{t.compare.working}</p>}
      {report && (
        <div class={busy ? "compared stale" : "compared"} aria-busy={busy}>
          <Says of={report.summary} />
          <Section title={t.jobRanks.title}>
            <RankTable report={report} all={all} />
            <p class="faint hint">{t.jobRanks.help}</p>
          </Section>
          {report.outliers.length > 0 && (
            <Section title={t.jobRanks.outliers}>
              <Outliers report={report} all={all} />
            </Section>
          )}
          {report.series.map((series, i) => (
            <SeriesSection key={i} series={series} />
          ))}
        </div>
      )}
    </>
  );
}

const rankText = (rank: number | null) => (rank === null ? "–" : String(rank));

function fileOf(all: readonly FileEntry[], path: string): FileEntry | undefined {
  return all.find((each) => each.path === path);
}

function RankTable({ report, all }: { report: RanksReport; all: readonly FileEntry[] }) {
  const t = useTexts();
  const most = Math.max(1, ...report.ranks.map((row) => Math.max(row.peak, row.reserved)));
  const odd = (row: RankRow, figure: "peak" | "reserved") => report.outliers.find((each) => each.file === row.file && each.device === row.device && each.figure === figure);
  const roles = report.ranks.some((row) => row.role !== "");
  const several = report.ranks.length > 1;
  const categories = [...new Set(report.ranks.flatMap((row) => row.by_category.map((each) => each.category)))];
  return (
    <>
      <div class="legend">
        {categories.map((id) => (
          <CategoryTag key={id} id={id} inferred={false} />
        ))}
      </div>
      <div class="table-frame">
        <table aria-label={t.jobRanks.title} class="job-ranks">
          <thead>
            <tr>
              {roles && <th scope="col">{t.jobRanks.role}</th>}
              <th scope="col" class="number">{t.jobRanks.rank}</th>
              <th scope="col" class="number">{t.app.device}</th>
              <th scope="col">{t.jobRanks.byCategory}</th>
              <th scope="col" class="number">{t.jobRanks.peak}</th>
              <th scope="col" class="number">{t.jobRanks.peakEvent}</th>
              <th scope="col" class="number">{t.jobRanks.reserved}</th>
              <th scope="col" class="number">{t.jobRanks.fragmentation}</th>
              <th scope="col">{t.jobRanks.file}</th>
            </tr>
          </thead>
          <tbody>
            {report.ranks.map((row, i) => {
              const [peak, reserved] = [odd(row, "peak"), odd(row, "reserved")];
              return (
                <tr key={i} class={peak || reserved ? "odd" : row.is_median && several ? "median" : ""}>
                  {roles && <td>{row.role}</td>}
                  <td class="number">{rankText(row.rank)}</td>
                  <td class="number">{row.device}</td>
                  <td class="rank-bars">
                    <div class="category-bar rank-categories" style={{ width: `${(row.peak / most) * 100}%` }}>
                      {row.by_category.map(({ category, bytes: size }) => (
                        <div key={category} title={`${textOf(t.categories, category)} ${bytes(size)}`} style={{ background: categoryColour(category), flex: `${size} 0 0` }} />
                      ))}
                    </div>
                  </td>
                  <td class="number">
                    <Size of={row.peak} />
                    {peak && <div class="odd-mark">{signed(peak.diff_bytes)}</div>}
                    {row.is_median && several && <div class="faint">{t.jobRanks.median}</div>}
                  </td>
                  <td class="number" title={row.peak_time_us === null ? undefined : new Date(row.peak_time_us / 1000).toISOString()}>
                    {count(row.peak_event)}
                  </td>
                  <td class="number">
                    <Size of={row.reserved} />
                    {reserved && <div class="odd-mark">{signed(reserved.diff_bytes)}</div>}
                  </td>
                  <td class="number">{percent(row.fragmentation)}</td>
                  <td>
                    <button type="button" class="quiet small" title={row.file} onClick={() => fileOf(all, row.file) && show(fileOf(all, row.file)?.key ?? "")}>
                      {row.file.split("/").pop()}
                    </button>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Outliers({ report, all }: { report: RanksReport; all: readonly FileEntry[] }) {
  const t = useTexts();
  const roles = report.ranks.some((row) => row.role !== "");
  const against = (outlier: RanksReport["outliers"][number]) => {
    const median = report.ranks.find((row) => row.is_median && row.role === outlier.role);
    const [a, b] = [fileOf(all, median?.file ?? ""), fileOf(all, outlier.file)];
    if (!a || !b || !median) return;
    const sel = formatChoices({ file: a.key, device: String(median.device), moment: "peak" }, { file: b.key, device: String(outlier.device), moment: "peak" });
    go({ view: "compare", sel });
  };
  return (
    <div class="table-frame">
      <table aria-label={t.jobRanks.outliers}>
        <thead>
          <tr>
            {roles && <th scope="col">{t.jobRanks.role}</th>}
            <th scope="col" class="number">{t.jobRanks.rank}</th>
            <th scope="col">{t.jobRanks.figure}</th>
            <th scope="col" class="number">{t.jobRanks.fromMedian}</th>
            <th scope="col" class="number">{t.jobRanks.deviation}</th>
            <th scope="col">{t.jobRanks.because}</th>
            <th scope="col" />
          </tr>
        </thead>
        <tbody>
          {report.outliers.map((outlier, i) => (
            <tr key={i}>
              {roles && <td>{outlier.role}</td>}
              <td class="number">{rankText(outlier.rank)}</td>
              <td>{t.jobRanks.figures[outlier.figure]}</td>
              <td class="number">
                <Diff of={outlier.diff_bytes} />
              </td>
              <td class="number">{`${outlier.deviation < 0 ? "−" : "+"}${Math.abs(outlier.deviation).toFixed(1)}`}</td>
              <td>
                {outlier.because.length === 0 && <span class="faint">{t.jobRanks.noCause}</span>}
                {outlier.because.map((cause, n) => (
                  <div key={n} class="cause">
                    <Diff of={cause.diff_bytes} />{" "}
                    {cause.kind === "category" ? <CategoryTag id={cause.key} inferred={false} /> : cause.kind === "figure" ? textOf(t.compare.figures, cause.key) : <span class="mono wrap">{cause.key}</span>}
                  </div>
                ))}
              </td>
              <td>
                <button type="button" class="small" onClick={() => against(outlier)}>
                  {t.jobRanks.compare}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SeriesSection({ series }: { series: Series }) {
  const t = useTexts();
  const first = series.snapshots[0];
  // Times since the first snapshot, in seconds; else the numbers of the names, or of the row.
  const at = (i: number) => {
    const own = series.snapshots[i]?.at ?? i;
    return series.unit === "time_us" ? (own - (first?.at ?? 0)) / 1e6 : own;
  };
  const lines = useMemo(
    () =>
      series.growth.slice(0, INKS.length).map((row, i) => ({
        name: row.call_site ?? t.flame.noStack,
        kind: "line" as const,
        unit: "bytes" as const,
        colour: INKS[i] ?? "",
        points: row.bytes.map((value, n) => [at(n), value] as const),
      })),
    [series, t],
  );
  const row = (each: GrowthRow, name: string, i: number) => (
    <tr key={i} class={each.straight ? "odd" : ""}>
      <td class="number">
        <Diff of={each.diff_bytes} />
      </td>
      <td class="number">
        <Diff of={Math.round(each.bytes_per_snapshot)} />
      </td>
      <td class="number">{percent(each.fit)}</td>
      <td>{each.straight ? t.jobRanks.straight : ""}</td>
      <td>{each.category && <CategoryTag id={each.category} inferred={false} />}</td>
      <td class="mono wrap" title={each.key ?? undefined}>
        {name}
      </td>
      <td class="figure">{each.bytes.map((value) => bytes(value)).join(" → ")}</td>
    </tr>
  );
  return (
    <Section title={t.jobRanks.series(series.role, rankText(series.rank), series.snapshots.length)}>
      {lines.length > 0 && (
        <div class="chart series-chart">
          <SeriesChart label={t.jobRanks.seriesChart} xName={t.jobRanks.units[series.unit]} series={lines} height={220} />
          <div class="legend">
            {lines.map((line) => (
              <span key={line.name}>
                <i class="dot" style={{ background: line.colour }} />
                {line.name}
              </span>
            ))}
          </div>
        </div>
      )}
      <div class="table-frame">
        <table aria-label={t.jobRanks.seriesTable}>
          <thead>
            <tr>
              <th scope="col" class="number">{t.jobRanks.grown}</th>
              <th scope="col" class="number">{t.jobRanks.perSnapshot}</th>
              <th scope="col" class="number">{t.jobRanks.fit}</th>
              <th scope="col">{t.jobRanks.line}</th>
              <th scope="col">{t.compare.category}</th>
              <th scope="col">{t.compare.groups.stack}</th>
              <th scope="col">{t.jobRanks.snapshots}</th>
            </tr>
          </thead>
          <tbody>
            {row(series.total, t.jobRanks.everything, -1)}
            {series.growth.slice(0, 40).map((each, i) => row(each, each.call_site ?? t.flame.noStack, i))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

export const snapshotRanks: View = {
  id: "ranks",
  name: (t) => t.jobRanks.name,
  // One snapshot has no peers.
  fits: (summary) => summary.kind === "snapshot" && snapshots(files.value).length > 1,
  Component: RanksView,
};
