// Static graphs: what a GE log says about memory, and what imas's reports leave out.

import { Choice } from "../../components/basics";
import { ErrorBox } from "../../components/problems";
import type { GeReport } from "../../core/ge";
import type { Request } from "../../core/protocol";
import { useQuery } from "../../core/use-query";
import { useTexts } from "../../i18n";
import type { View, ViewProps } from "../registry";
import { Compare } from "./compare";
import { Device } from "./device";
import { Files } from "./files";
import { Graphs } from "./graphs";
import { Checks, Missing } from "./missing";
import { PARTS, goGe, useGePlace } from "./place";
import { Pools } from "./pools";
import { Variables } from "./variables";

type ReportRequest = Extract<Request, { type: "ge_report" }>;

function GeView({ at, file, summary }: ViewProps) {
  const t = useTexts();
  const { part } = useGePlace();
  const { data, error, busy } = useQuery<ReportRequest>(at, { type: "ge_report" }, "ge.report");
  const report = data?.report;
  if (error) return <ErrorBox error={error} title={t.app.failedView} />;
  if (!report) return busy ? <p class="faint">{t.files.finishing}</p> : null;
  const sum = (count: (process: GeReport["processes"][number]) => number) => report.processes.reduce((all, process) => all + count(process), 0);
  // Of a graph in several kinds of memory the key is one.
  const graphs = sum((process) => new Set(process.graphs.map((graph) => `${graph.key} ${graph.round}`)).size);
  return (
    <>
      <p class="summary">
        {t.ge.summary(report.processes.length, graphs, sum((process) => process.pools.length))}
        {file.joined && ` · ${t.ge.files(file.sources.length)}`}
      </p>
      <Checks report={report} />
      <Missing report={report} warnings={summary.warnings} />
      <div class="toolbar">
        <Choice label={t.ge.part} value={part} onChange={(next) => goGe({ part: next })} options={PARTS.map((each) => [each, t.ge.parts[each]] as const)} />
      </div>
      {part === "graphs" && <Graphs at={at} report={report} />}
      {part === "pools" && <Pools report={report} />}
      {part === "device" && <Device report={report} />}
      {part === "variables" && <Variables report={report} />}
      {part === "compare" && <Compare file={file} report={report} />}
      {part === "files" && <Files at={at} file={file} report={report} />}
    </>
  );
}

export const ge: View = {
  id: "ge",
  name: (t) => t.ge.name,
  fits: (summary) => summary.kind === "ge_log",
  Component: GeView,
};
