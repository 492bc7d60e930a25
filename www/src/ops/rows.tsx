// All rows as a table: searched, filtered, sorted; the chosen one with its call stack and what overlaps it.

import { useMemo, useState } from "preact/hooks";
import { zoomSpan } from "../charts/window";
import { NARROWEST } from "../charts/time-canvas";
import { Copy, Name, Pairs, Size } from "../components/basics";
import { Field } from "../components/field";
import { ErrorBox } from "../components/problems";
import { useInSight } from "../components/use-in-sight";
import { VirtualTable } from "../components/virtual-table";
import { useQuery } from "../core/use-query";
import type { Request } from "../core/protocol";
import { bytes } from "../format";
import { useTexts } from "../i18n";
import { typedNumber, typedSize } from "../typed";
import { absoluteMicros, clock } from "./clock";
import type { RunState } from "./state";

type RowsRequest = Extract<Request, { type: "ops_rows" }>;
type DetailRequest = Extract<Request, { type: "ops_detail" }>;

const PAGE = 200;
const MATCHES: readonly OpsMatch[] = ["exact", "flow", "approximate", "inherited", "none"];
const SORTS: readonly string[] = ["start", "size", "duration", "name", "match", "stack", "allocated"];

/** What the inputs hold, as typed. */
interface Typed {
  text: string;
  minSize: string;
  maxSize: string;
  minDuration: string;
  maxDuration: string;
  match: string;
  neverReleased: boolean;
  within: "any" | NonNullable<OpsFilter["within"]>;
}
const EMPTY: Typed = { text: "", minSize: "", maxSize: "", minDuration: "", maxDuration: "", match: "", neverReleased: false, within: "any" };

const millis = (text: string) => {
  const value = typedNumber(text);
  return typeof value === "number" ? value * 1e6 : value;
};

export function Duration({ line }: { line: OpsLine }) {
  const t = useTexts();
  if (line.size <= 0) return <span class="faint">{t.operators.onlyRelease}</span>;
  if (line.end === null) return <span class="never">{t.operators.never}</span>;
  return <span class="figure">{clock(line.end - (line.start ?? 0), 0)}</span>;
}

export function Rows({ run }: { run: RunState }) {
  const t = useTexts();
  const [typed, setTyped] = useState<Typed>(EMPTY);
  const [sort, setSort] = useState<{ by: OpsSort; descending: boolean }>({ by: "start", descending: false });
  const [page, setPage] = useState(0);
  const [chosen, setChosen] = useState<number | null>(null);
  const { interval } = run;
  const filter: OpsFilter = {
    text: typed.text,
    min_size: typedSize(typed.minSize) ?? null,
    max_size: typedSize(typed.maxSize) ?? null,
    min_duration: millis(typed.minDuration) ?? null,
    max_duration: millis(typed.maxDuration) ?? null,
    match: MATCHES.find((each) => each === typed.match) ?? null,
    never_released: typed.neverReleased,
    within: typed.within === "any" || !interval ? null : typed.within,
    interval: typed.within === "any" || !interval ? null : [interval.from, interval.to],
  };
  const request: RowsRequest = { type: "ops_rows", filter, sort: sort.by, descending: sort.descending, first: Math.max(0, page * PAGE - PAGE), count: 3 * PAGE, block_release: run.block };
  const { data, answers, error } = useQuery<RowsRequest>(run.at, request, "ops.rows");
  const total = data?.total ?? 0;
  const lineOf = (index: number) => (data ? (data.lines[index - data.first] ?? null) : null);
  const change = (part: Partial<Typed>) => {
    setTyped((now) => ({ ...now, ...part }));
    setChosen(null);
    setPage(0);
  };
  const columns = useMemo(
    () => [
      { id: "name", name: t.operators.operator, width: "minmax(150px, 1.1fr)" },
      { id: "size", name: t.operators.size, width: "96px", number: true },
      { id: "start", name: t.operators.startTime, width: "104px", number: true },
      { id: "duration", name: t.operators.duration, width: "128px", number: true },
      { id: "allocated", name: t.operators.totalAllocated, width: "118px", number: true },
      { id: "match", name: t.operators.found, width: "96px" },
      { id: "stack", name: t.operators.frame, width: "minmax(160px, 2fr)" },
    ].filter((column) => run.row === null || !["allocated", "match"].includes(column.id)),
    [t, run.row === null],
  );
  const size = (label: string, name: "minSize" | "maxSize") => <Field label={label} text={typed[name]} isBad={typedSize(typed[name]) === undefined} expected={t.typed.size} onText={(text) => change({ [name]: text })} />;
  const duration = (label: string, name: "minDuration" | "maxDuration") => <Field label={label} text={typed[name]} isBad={millis(typed[name]) === undefined} expected={t.typed.duration} onText={(text) => change({ [name]: text })} />;
  return (
    <>
      <div class="row toolbar">
        <Field label={t.operators.text} text={typed.text} kind="search ops-search" onText={(text) => change({ text })} />
        {size(t.operators.minSize, "minSize")}
        {size(t.operators.maxSize, "maxSize")}
        {duration(t.operators.minDuration, "minDuration")}
        {duration(t.operators.maxDuration, "maxDuration")}
        <label class="field">
          <span class="faint">{t.operators.found}</span>
          <select value={typed.match} onChange={(event) => change({ match: event.currentTarget.value })}>
            <option value="">{t.operators.anyMatch}</option>
            {MATCHES.map((match) => (
              <option key={match} value={match}>
                {t.operators.match[match]}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span class="faint">{t.operators.within}</span>
          <select value={typed.within} onChange={(event) => change({ within: event.currentTarget.value as Typed["within"] })}>
            {Object.entries(t.operators.withins).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={typed.neverReleased} onChange={(event) => change({ neverReleased: event.currentTarget.checked })} /> {t.operators.neverReleased}
        </label>
      </div>
      <div class="row toolbar">
        <b role="status">{data && t.operators.kept(total, data.all, bytes(data.bytes))}</b>
        <span class="grow" />
        {interval ? (
          <>
            <span>{t.operators.interval(clock(interval.from), clock(interval.to))}</span>
            <button type="button" class="small" onClick={() => run.show(zoomSpan(interval, 1.1, 0.5, run.extent, NARROWEST))}>
              {t.operators.zoomInterval}
            </button>
            <button type="button" class="small" onClick={() => run.select(null)}>
              {t.operators.clearInterval}
            </button>
          </>
        ) : (
          <span class="faint">{typed.within !== "any" && t.operators.noInterval}</span>
        )}
      </div>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      <div class={run.row === null ? "with-panel" : "with-panel open"}>
        <div>
          {data && total === 0 ? (
            <p class="notice">{t.operators.none}</p>
          ) : (
            <VirtualTable
              label={t.operators.table}
              columns={columns}
              total={total}
              height={468}
              cells={(index) => {
                const line = lineOf(index);
                const cells = line && [
                    line.name === "" ? <span class="faint">{t.operators.unnamed}</span> : <span title={line.name}>{line.name}</span>,
                    <Size of={line.size} />,
                    line.start === null ? "–" : <span title={absoluteMicros(run.head.base_ns, line.start)}>{clock(line.start)}</span>,
                    <Duration line={line} />,
                    <Size of={line.allocated} />,
                    <span title={t.operators.matchMeans[line.match]}>{t.operators.match[line.match]}</span>,
                    <span class="mono" title={line.stack_top}>
                      {line.stack_top}
                    </span>,
                ];
                return cells && (run.row === null ? cells : cells.filter((_, i) => i !== 4 && i !== 5));
              }}
              list={answers && JSON.stringify([answers.filter, answers.sort, answers.descending])}
              onVisible={(first) => setPage(Math.floor(first / PAGE))}
              sort={sort}
              onSort={(by) => {
                if (SORTS.includes(by)) setSort((now) => ({ by: by as OpsSort, descending: now.by === by ? !now.descending : by === "size" || by === "duration" }));
              }}
              chosen={chosen !== null && lineOf(chosen)?.row === run.row ? chosen : null}
              onChoose={(index) => {
                setChosen(index);
                const line = lineOf(index);
                if (line) run.choose(line.row);
              }}
            />
          )}
        </div>
        {run.row !== null && <Detail run={run} row={run.row} />}
      </div>
    </>
  );
}

function Detail({ run, row }: { run: RunState; row: number }) {
  const t = useTexts();
  const { data, answers } = useQuery<DetailRequest>(run.at, { type: "ops_detail", row, block_release: run.block }, "ops.detail");
  const detail = data && answers?.row === row ? data.detail : null;
  const panel = useInSight(row, detail !== null);
  return (
    <aside ref={panel} class="panel" aria-label={t.operators.detail}>
      <div class="section-head">
        <h2>{t.operators.detail}</h2>
        <button type="button" class="quiet" aria-label={t.app.close} onClick={() => run.choose(null)}>
          ✕
        </button>
      </div>
      {detail && <Facts run={run} detail={detail} />}
    </aside>
  );
}

function Facts({ run, detail }: { run: RunState; detail: OpsDetail }) {
  const t = useTexts();
  const { line } = detail;
  const zoom = () => {
    if (line.start === null) return;
    const to = line.end ?? run.extent.to;
    run.show(zoomSpan({ from: line.start, to: Math.max(to, line.start + NARROWEST) }, 1.25, 0.5, run.extent, NARROWEST));
  };
  const facts: [string, preact.ComponentChildren][] = [
    [t.operators.operator, <b class="wrap">{line.name || t.operators.unnamed}</b>],
    [t.operators.size, <Size of={line.size} />],
    [t.operators.startTime, line.start === null ? "–" : clock(line.start)],
    [
      t.operators.absolute,
      line.start === null ? (
        "–"
      ) : (
        <>
          <code>{absoluteMicros(run.head.base_ns, line.start)}</code> <Copy text={absoluteMicros(run.head.base_ns, line.start)} />
        </>
      ),
    ],
    [t.operators.duration, <Duration line={line} />],
    [t.operators.totalAllocated, <Size of={line.allocated} />],
    [t.operators.totalReserved, <Size of={line.reserved} />],
    [t.operators.totalActive, <Size of={line.active} />],
    [t.operators.stream, line.stream === null ? "–" : `${line.stream} · ${line.device}`],
    [
      t.operators.found,
      <>
        {t.operators.match[line.match]} <span class="faint">{t.operators.matchMeans[line.match]}</span>
      </>,
    ],
  ];
  const frames = detail.stack === "" ? [] : detail.stack.split(/;\r?\n/);
  return (
    <>
      <button type="button" class="small" onClick={zoom} disabled={line.start === null}>
        {t.operators.zoomRow}
      </button>
      <Pairs of={facts} kind="facts" />
      <div class="row">
        <h3>{t.operators.stack}</h3>
        {frames.length > 0 && <Copy text={frames.join("\n")} />}
      </div>
      {frames.length === 0 ? (
        <p class="faint">{t.operators.noStack}</p>
      ) : (
        <ol class="stack">
          {frames.map((frame, i) => (
            <li key={i} class={i === 0 ? "site" : ""}>
              {frame}
            </li>
          ))}
        </ol>
      )}
      <h3>{t.operators.overlaps(detail.overlap_count)}</h3>
      {detail.overlap_count > detail.overlaps.length && <p class="faint">{t.operators.firstOf(detail.overlaps.length)}</p>}
      <ul class="same-address overlaps">
        {detail.overlaps.map((other) => (
          <li key={other.row}>
            <button type="button" class="quiet small" onClick={() => run.choose(other.row)}>
              <Name text={bytes(other.size)} />
            </button>
            <span class="faint">{other.start === null ? "" : clock(other.start)}</span>
            <Duration line={other} />
          </li>
        ))}
      </ul>
    </>
  );
}
