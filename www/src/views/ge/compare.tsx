// Several logs side by side, graph by graph: which order or policy needs least.

import { useEffect, useState } from "preact/hooks";
import { Name, Section, Size } from "../../components/basics";
import { compareReports, policyOf } from "../../core/ge";
import type { CompareCell, GeReport } from "../../core/ge";
import { bytes, percent } from "../../format";
import { useTexts } from "../../i18n";
import { files, regroup } from "../../state/files";
import type { FileEntry } from "../../state/files";
import { joinLogs } from "../../state/group";
import { useStore } from "../../state/store";
import { goGe } from "./place";

/** The other logs of the page that are read, in the order of the list. */
const logsOf = (all: readonly FileEntry[]) => all.filter((entry) => entry.status.is === "ready" && entry.status.summary.kind === "ge_log" && entry.core);

/** The reports of logs, as they come. */
function useReports(entries: readonly FileEntry[], own: FileEntry, report: GeReport): ReadonlyMap<string, GeReport> {
  const [reports, setReports] = useState<ReadonlyMap<string, GeReport>>(new Map());
  const keys = entries.map((entry) => entry.key).join("\n");
  useEffect(() => {
    let gone = false;
    for (const entry of entries) {
      if (entry.key === own.key || reports.has(entry.key) || entry.status.is !== "ready" || !entry.core) continue;
      entry.core.query(entry.status.summary.doc, { type: "ge_report" }, "ge.compare").then(
        ({ report: other }) => {
          if (!gone) setReports((now) => new Map(now).set(entry.key, other));
        },
        // A log that was closed meanwhile has no column.
        () => undefined,
      );
    }
    return () => {
      gone = true;
    };
  }, [keys]);
  return new Map(reports).set(own.key, report);
}

export function Compare({ file, report }: { file: FileEntry; report: GeReport }) {
  const t = useTexts();
  const entries = logsOf(useStore(files));
  const reports = useReports(entries, file, report);
  const [common, setCommon] = useState(false);
  const shown = entries.filter((entry) => reports.has(entry.key));
  const rows = compareReports(shown.flatMap((entry) => reports.get(entry.key) ?? []));
  const kept = common ? rows.filter((row) => row.logs.every((cell) => cell !== null)) : rows;
  const apart = () => {
    regroup([file.key], file.sources.map((source) => joinLogs(source.path, [source])));
    goGe({ part: "compare" });
  };
  const join = () => regroup(entries.map((entry) => entry.key), [joinLogs("", entries.flatMap((entry) => entry.sources))]);
  return (
    <Section
      title={t.ge.compare.title}
      aside={
        <div class="row">
          {file.sources.length > 1 && (
            <button type="button" onClick={apart}>
              {t.ge.compare.apart(file.sources.length)}
            </button>
          )}
          {entries.length > 1 && (
            <button type="button" onClick={join}>
              {t.ge.compare.join(entries.length)}
            </button>
          )}
        </div>
      }
    >
      {entries.length < 2 && <p class="notice">{t.ge.compare.one}</p>}
      {shown.length < entries.length && <p class="faint">{t.ge.compare.waiting(entries.length - shown.length)}</p>}
      {entries.length > 1 && (
        <label class="row toolbar">
          <input type="checkbox" checked={common} onChange={(event) => setCommon(event.currentTarget.checked)} /> {t.ge.compare.onlyCommon}
        </label>
      )}
      {entries.length > 1 && (
        <div class="table-frame">
          <table aria-label={t.ge.compare.title}>
            <thead>
              <tr>
                {[t.ge.compare.graph, t.ge.compare.log].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
                {[t.ge.compare.total, t.ge.compare.after, t.ge.compare.difference, t.ge.compare.rate, t.ge.compare.theory, t.ge.compare.reach, t.ge.compare.fixed, t.ge.compare.streams].map((name) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
                {[t.ge.compare.topo, t.ge.compare.policy].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {kept.slice(0, 500).map((row) =>
                row.logs.map((cell, n) => (
                  <tr key={`${row.graph} ${row.memtype} ${n}`} class={n === 0 ? "first-of-group" : ""}>
                    {n === 0 && (
                      <th scope="rowgroup" rowSpan={row.logs.length} class="group-name">
                        <Name text={row.graph} />
                        {row.memtype !== 2 && <div class="faint">{t.ge.memtype(row.memtype)}</div>}
                      </th>
                    )}
                    <td>
                      <Name text={shown[n]?.name ?? ""} most={36} />
                    </td>
                    {cell ? <Cells cell={cell} least={row.best === n} /> : <td colSpan={10} class="faint">{t.ge.compare.absent}</td>}
                  </tr>
                )),
              )}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function Cells({ cell, least }: { cell: CompareCell; least: boolean }) {
  const t = useTexts();
  const { figures, afterReuseDiff: diff } = cell;
  return (
    <>
      <td class="number">
        <Size of={figures.total} />
      </td>
      <td class="number">
        {least && <span class="least">{t.ge.compare.least}</span>} <Size of={figures.memory_size} />
      </td>
      <td class="number" title={String(diff)}>
        {diff === 0 ? "0" : `${diff > 0 ? "+" : "−"}${bytes(Math.abs(diff))}`}
      </td>
      <td class="number">{percent(figures.reuse_rate, 2)}</td>
      <td class="number">
        <Size of={figures.theory_min} />
      </td>
      <td class="number">{percent(figures.reach_theory_rate, 2)}</td>
      <td class="number">
        <Size of={figures.atomic + figures.continuous} />
      </td>
      <td class="number">{figures.streams}</td>
      <td>{figures.topo_mode ?? ""}</td>
      <td>{policyOf(figures)}</td>
    </>
  );
}
