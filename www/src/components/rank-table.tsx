// Ranks side by side, whatever the input: a bar of each rank's peak beside the median, and more columns of the
// caller's. A click opens a rank.

import type { ComponentChildren } from "preact";
import { percent } from "../format";
import { useTexts } from "../i18n";
import type { Deviation } from "../ops/ranks";
import { Name, Size } from "./basics";

export interface RankRow {
  key: string;
  role: string;
  rank: string;
  name: string;
  peak: number;
  deviation: Deviation | undefined;
  cells: readonly ComponentChildren[];
}

export function RankTable({ rows, heads, onOpen }: { rows: readonly RankRow[]; heads: readonly string[]; onOpen: (key: string) => void }) {
  const t = useTexts();
  const most = Math.max(1, ...rows.map((row) => row.peak));
  return (
    <div class="table-frame">
      <table aria-label={t.ranks.title}>
        <thead>
          <tr>
            <th scope="col">{t.ranks.role}</th>
            <th scope="col" class="number">
              {t.ranks.rank}
            </th>
            <th scope="col" class="number">
              {t.ranks.peak}
            </th>
            <th scope="col">{t.ranks.chart}</th>
            <th scope="col" class="number">
              {t.ranks.deviation}
            </th>
            {heads.map((head) => (
              <th key={head} scope="col" class="number">
                {head}
              </th>
            ))}
            <th scope="col">{t.ranks.run}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} class={row.deviation?.outlier ? "clickable outlier" : "clickable"} onClick={() => onOpen(row.key)}>
              <td>{row.role}</td>
              <td class="number">
                <button type="button" class="quiet small" onClick={() => onOpen(row.key)}>
                  {row.rank}
                </button>
              </td>
              <td class="number">
                <Size of={row.peak} />
              </td>
              <td>
                <div class="rank-track">
                  <span class={row.deviation?.outlier ? "rank-bar off" : "rank-bar"} style={{ width: `${(row.peak / most) * 100}%` }} />
                  {row.deviation && <span class="rank-median" title={t.ranks.median} style={{ left: `${(row.deviation.median / most) * 100}%` }} />}
                </div>
              </td>
              <td class="number">{row.deviation ? `${row.deviation.share < 0 ? "−" : "+"}${percent(Math.abs(row.deviation.share))}` : "–"}</td>
              {row.cells.map((cell, i) => (
                <td key={i} class="number">
                  {cell}
                </td>
              ))}
              <td class="nowrap">
                <Name text={row.name} most={30} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
