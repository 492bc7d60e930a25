// What a log lacks and how to record it, and whether its checks hold.

import { Copy, Name, Say, Table } from "../../components/basics";
import { where } from "../../components/problems";
import type { GeMissing, GeReport } from "../../core/ge";
import type { Warning } from "../../core/protocol";
import { count } from "../../format";
import { textOf, useTexts } from "../../i18n";

/** Overlaps and wrong addresses: what `hbmlens ge check` fails on. */
export function Checks({ report }: { report: GeReport }) {
  const t = useTexts();
  const overlaps = report.processes.reduce((sum, process) => sum + process.graphs.reduce((all, graph) => all + graph.overlap_count, 0), 0);
  const faults = report.processes.reduce((sum, process) => sum + process.addresses.failed, 0);
  const bad = overlaps + faults > 0;
  const checked = report.processes.some((process) => process.graphs.some((graph) => graph.operators > 0) || process.addresses.addresses > 0);
  return (
    <div class={`health ${bad ? "bad" : checked ? "good" : "watch"}`} data-overlaps={overlaps} data-faults={faults}>
      <b>{bad ? t.ge.bad : checked ? t.ge.good : t.ge.none}</b>
      <div>{bad ? t.ge.checksBad(overlaps, faults) : checked ? t.ge.checksGood : t.ge.checksNoGraphs}</div>
    </div>
  );
}

/** The settings as the core names them in each of its sentences. */
const settingsOf = (missing: GeMissing): string => {
  const value = missing.how.params["settings"] as { value?: unknown } | string | undefined;
  return typeof value === "string" ? value : typeof value?.value === "string" ? value.value : "";
};

export function MissingTable({ rows }: { rows: readonly GeMissing[] }) {
  const t = useTexts();
  return (
    <Table
      label={t.ge.missing.title(rows.length)}
      head={[t.ge.missing.marker, t.ge.missing.report, t.ge.missing.graph, t.ge.missing.how]}
      text={[0, 1, 2, 3]}
      rows={rows.map((row) => [<code key="m">{row.marker}</code>, <code key="r">{row.needed_for}</code>, row.graph === undefined ? t.ge.missing.whole : <Name key="g" text={row.graph} />, <Say key="h" message={row.how} />])}
    />
  );
}

/** In place of a part that the log has nothing for: what is missing, and how to get it. */
export function Nothing({ report, needed }: { report: GeReport; needed: readonly string[] }) {
  const t = useTexts();
  const rows = report.missing.filter((row) => needed.includes(row.needed_for));
  if (rows.length === 0) return <p class="notice">{t.app.noData}</p>;
  return (
    <>
      <p class="notice">{t.ge.missing.nothing}</p>
      <MissingTable rows={rows} />
    </>
  );
}

export function Missing({ report, warnings }: { report: GeReport; warnings: readonly Warning[] }) {
  const t = useTexts();
  const settings = report.missing.map(settingsOf).find((text) => text !== "");
  return (
    <>
      {report.missing.length > 0 && (
        <details class="ge-missing" open={report.processes.every((process) => process.graphs.length === 0 && process.pools.length === 0)}>
          <summary>{t.ge.missing.title(report.missing.length)}</summary>
          <MissingTable rows={report.missing} />
          {settings !== undefined && (
            <div class="row">
              <span class="faint">{t.ge.missing.settings}</span>
              <code>{settings}</code>
              <Copy text={settings} />
            </div>
          )}
        </details>
      )}
      {warnings.length > 0 && (
        <details>
          <summary>
            {t.overview.warnings}: {warnings.map((warning) => `${textOf(t.ge.warnings, warning.kind)} ${count(warning.count)}`).join(", ")}
          </summary>
          <ul class="checks">
            {warnings.map((warning) => (
              <li key={warning.kind}>
                <span class="mark unknown" aria-hidden="true">
                  !
                </span>
                <span>
                  {textOf(t.ge.warnings, warning.kind)}: {count(warning.count)}
                  {warning.position && ` (${t.overview.atFirst} ${where(warning.position, t)})`}
                </span>
                <code class="check-detail">{warning.detail}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
