// Query: SQL over the tables of a file. The tables are made when the view is first opened, of the file read once
// more, and live in a worker of their own with an SQLite of their own.

import { useEffect, useRef, useState } from "preact/hooks";
import { useRoom } from "../charts/use-room";
import { ErrorBox } from "../components/problems";
import { ROW_HEIGHT, VirtualTable } from "../components/virtual-table";
import { CoreError } from "../core/client";
import type { WireError } from "../core/protocol";
import { Name } from "../components/basics";
import { bytes, count, percent } from "../format";
import { useTexts } from "../i18n";
import { Cancelled, Sql, SqlFailure } from "../sql/client";
import { COMPARE, PROFILER, SNAPSHOT } from "../sql/examples";
import type { Cell, Rows, SqlError, TableInfo } from "../sql/protocol";
import { databaseName, databaseOf, stopMaking } from "../sql/tables";
import type { Step } from "../sql/tables";
import { files } from "../state/files";
import type { FileEntry } from "../state/files";
import { change, useSettings } from "../state/settings";
import { useStore } from "../state/store";
import { download } from "../download";
import type { View, ViewProps } from "./registry";

/** Rows that are shown; the CSV has all. */
const MOST = 10_000;

/** `exporting` runs the question again, for all its rows. */
type Doing = "nothing" | "opening" | "running" | "exporting" | "saving";

interface Result {
  sql: string;
  rows: Rows;
  took: number;
}

const hasTables = (kind: string) => kind === "snapshot" || kind === "profiler";

function QueryView({ file, summary }: ViewProps) {
  const t = useTexts();
  const { stripPaths } = useSettings();
  const examples = summary.kind === "profiler" ? PROFILER : SNAPSHOT;
  const others = useStore(files).filter((each) => each.key !== file.key && each.status.is === "ready" && hasTables(each.status.summary.kind));
  const [ref, setRef] = useState("");
  const [text, setText] = useState(examples[0]?.[1] ?? "");
  const [doing, setDoing] = useState<Doing>("nothing");
  const [tables, setTables] = useState<readonly TableInfo[]>([]);
  const [result, setResult] = useState<Result | null>(null);
  const [problem, setProblem] = useState<{ error: SqlError; sql: string } | null>(null);
  const [failure, setFailure] = useState<WireError | null>(null);
  const [cancelled, setCancelled] = useState(false);
  const [step, setStep] = useState<Step | null>(null);
  const sql = useRef<Sql | null>(null);
  const turn = useRef(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const second = others.find((each) => each.key === ref);

  /** Does something and tells how it ended, unless something else was begun meanwhile. */
  const attempt = async (what: Doing, asked: string, run: (isCurrent: () => boolean) => Promise<void>) => {
    const mine = ++turn.current;
    const isCurrent = () => turn.current === mine;
    setDoing(what);
    setProblem(null);
    setFailure(null);
    setCancelled(false);
    try {
      await run(isCurrent);
    } catch (thrown) {
      if (!isCurrent()) return;
      if (what === "running") setResult(null);
      if (thrown instanceof Cancelled) setCancelled(true);
      else if (thrown instanceof SqlFailure) setProblem({ error: thrown.error, sql: asked });
      else if (thrown instanceof CoreError) setFailure(thrown.wire);
      else setFailure({ kind: "trap", message: thrown instanceof Error ? thrown.message : String(thrown), position: null, hint: null, estimate: null });
    }
    if (isCurrent()) setDoing("nothing");
  };

  const made = (of: FileEntry, isCurrent: () => boolean) =>
    databaseOf(of, stripPaths, (now) => isCurrent() && setStep(now)).finally(() => isCurrent() && setStep(null));

  /** The databases, opened where they are not. */
  const opened = async (isCurrent: () => boolean): Promise<Sql> => {
    if (sql.current) return sql.current;
    const main = await made(file, isCurrent);
    const other = second ? await made(second, isCurrent) : null;
    if (!isCurrent()) throw new Cancelled();
    const asking = new Sql(main, other);
    sql.current = asking;
    await asking.open();
    if (sql.current === asking) setTables(asking.tables);
    return asking;
  };

  useEffect(() => {
    setResult(null);
    void attempt("opening", text, async (isCurrent) => {
      const asking = await opened(isCurrent);
      // What stands there at first shows what an answer looks like.
      if (text !== examples[0]?.[1]) return;
      const { took, ...rows } = await asking.ask(text, MOST);
      if (isCurrent()) setResult({ sql: text, rows, took });
    });
    return () => {
      // Whatever is under way is about other tables.
      turn.current++;
      sql.current?.cancel();
      sql.current = null;
    };
  }, [file.status, file.revision, stripPaths, ref, second?.revision]);

  const cancel = () => {
    sql.current?.cancel();
    stopMaking(file);
    if (second) stopMaking(second);
  };

  // While the tables are being made a question waits for them.
  const canRun = (doing === "nothing" || doing === "opening") && text.trim() !== "";
  const run = () => {
    const asked = text;
    if (!canRun) return;
    void attempt("running", asked, async (isCurrent) => {
      const { took, ...rows } = await (await opened(isCurrent)).ask(asked, MOST);
      if (isCurrent()) setResult({ sql: asked, rows, took });
    });
  };
  const save = () => attempt("saving", "", async (isCurrent) => download(databaseName(file), await made(file, isCurrent), "application/vnd.sqlite3"));
  const saveRows = (of: Result) => attempt("exporting", of.sql, async (isCurrent) => download(`${file.name}.query.csv`, await (await opened(isCurrent)).csv(of.sql), "text/csv"));
  const insert = (name: string) => {
    const area = box.current;
    if (!area) return;
    area.setRangeText(name, area.selectionStart, area.selectionEnd, "end");
    setText(area.value);
    area.focus();
  };
  const choices = [...examples, ...(second && summary.kind === "snapshot" ? COMPARE : [])];
  const said = { nothing: "", opening: t.query.opening, running: t.query.running, exporting: t.exports.saving, saving: t.exports.saving }[doing];
  const saidOfStep = step && (step.is === "reading" ? t.query.reading : t.query.opening);

  return (
    <div class="query">
      <div class="query-main">
        <div class="row toolbar">
          <label class="field">
            <span class="faint">{t.query.examples}</span>
            <select value="" onChange={(event) => (setText(choices[Number(event.currentTarget.value)]?.[1] ?? text), (event.currentTarget.value = ""))}>
              <option value="">{t.query.choose}</option>
              {choices.map(([title], i) => (
                <option key={title} value={i}>
                  {t.query.titles[title]}
                </option>
              ))}
            </select>
          </label>
          {others.length > 0 && (
            <label class="field">
              <span class="faint">{t.query.ref}</span>
              <select value={second ? ref : ""} onChange={(event) => setRef(event.currentTarget.value)}>
                <option value="">{t.query.none}</option>
                {others.map((each) => (
                  <option key={each.key} value={each.key} class="mono">
                    {each.name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <span class="grow" />
          <label class="check" title={t.exports.stripMeans}>
            <input type="checkbox" checked={stripPaths} onChange={(event) => change({ stripPaths: event.currentTarget.checked })} /> {t.exports.strip}
          </label>
          <button type="button" disabled={doing !== "nothing"} onClick={() => void save()}>
            {t.query.save}
          </button>
        </div>
        <pre class="code on-paper">{text}</pre>
        <textarea
          ref={box}
          class="code"
          aria-label={t.query.sql}
          spellcheck={false}
          rows={Math.min(16, Math.max(5, text.split("\n").length + 1))}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              run();
            }
          }}
        />
        <div class="row toolbar">
          <button type="button" class="primary" disabled={!canRun} title="Ctrl+Enter" onClick={run}>
            {t.query.run}
          </button>
          {doing !== "nothing" && (
            <button type="button" onClick={cancel}>
              {t.query.cancel}
            </button>
          )}
          <button type="button" disabled={doing !== "nothing" || result === null} onClick={() => result && void saveRows(result)}>
            {t.query.export}
          </button>
          <span role="status" class="faint">
            {doing !== "nothing" ? (saidOfStep ?? said) : cancelled ? t.query.cancelled : result && t.query.rows(result.rows.rows.length, (result.took / 1000).toFixed(2))}
            {doing === "nothing" && !cancelled && result?.rows.more && ` · ${t.query.more(MOST)}`}
          </span>
          {step && (
            <span aria-hidden="true" class="faint">
              {step.is === "reading" ? percent(step.share, 0) : bytes(step.bytes)}
            </span>
          )}
        </div>
        {failure && <ErrorBox error={failure} title={t.app.failedView} />}
        {problem && <Problem {...problem} />}
        {result && (
          <div class="query-result" data-sql={result.sql}>
            <ResultTable key={result.sql} rows={result.rows} />
          </div>
        )}
        <p class="faint hint">
          {t.query.help} <code>hbmlens sql</code>
        </p>
      </div>
      <aside class="query-schema" aria-label={t.query.schema}>
        <h2>{t.query.schema}</h2>
        {tables.map((table) => (
          <Schema key={`${table.database}.${table.name}`} table={table} insert={insert} />
        ))}
      </aside>
    </div>
  );
}

function Schema({ table, insert }: { table: TableInfo; insert: (name: string) => void }) {
  const t = useTexts();
  const name = table.database === "main" ? table.name : `${table.database}.${table.name}`;
  return (
    <details>
      <summary>
        <code>{name}</code>
        {table.type === "view" && <span class="faint"> {t.query.view}</span>}
      </summary>
      <ul>
        {[name, ...table.columns].map((each, i) => (
          <li key={i}>
            <button type="button" class="quiet small mono" title={t.query.insert(each)} onClick={() => insert(each)}>
              {each}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What SQLite says, and the line it speaks of with a mark under the place. */
function Problem({ error, sql }: { error: SqlError; sql: string }) {
  const t = useTexts();
  const { at } = error;
  const before = at === null ? "" : sql.slice(0, at);
  const start = before.lastIndexOf("\n") + 1;
  const line = sql.slice(start).split("\n")[0] ?? "";
  return (
    <div class="problem" role="alert">
      <h2>{t.query.failed}</h2>
      <p class="problem-words">{error.refusal === null ? error.message : t.query.refusals[error.refusal]}</p>
      {at !== null && (
        <>
          <p class="faint">{t.query.atPlace(before.split("\n").length, at - start + 1)}</p>
          <pre class="mono" tabIndex={0}>
            {line}
            {"\n"}
            {line.slice(0, at - start).replaceAll(/[^\t]/g, " ")}^
          </pre>
        </>
      )}
    </div>
  );
}

/** Rows that tell how wide a column has to be. */
const LOOKED_AT = 200;
const WIDEST = 48;
const isNumber = (cell: Cell | undefined) => typeof cell === "number" || (typeof cell === "string" && /^-?\d{16,19}$/.test(cell));

function ResultTable({ rows }: { rows: Rows }) {
  const t = useTexts();
  const height = useRoom(480, 240, 2000);
  const [chosen, setChosen] = useState<number | null>(null);
  const some = rows.rows.slice(0, LOOKED_AT);
  const columns = rows.columns.map((name, i) => {
    const widest = some.reduce((most, row) => Math.max(most, shownText(row[i]).length), name.length);
    return { id: `${i}`, name, room: Math.min(WIDEST, widest) + 2, number: some.length > 0 && some.every((row) => row[i] === null || isNumber(row[i])) };
  });
  const room = columns.reduce((sum, column) => sum + column.room, 0);
  const row = chosen === null ? undefined : rows.rows[chosen];
  return (
    <>
      <VirtualTable
        label={t.query.results}
        columns={columns.map((column) => ({ ...column, width: `minmax(${column.room}ch, ${column.room}fr)` }))}
        least={`calc(${room}ch + ${columns.length * 12 + 24}px)`}
        total={rows.rows.length}
        height={Math.min(height, Math.max(1, rows.rows.length) * ROW_HEIGHT)}
        cells={(at) => rows.columns.map((_, i) => <Shown key={i} cell={rows.rows[at]?.[i]} />)}
        onVisible={() => undefined}
        chosen={chosen}
        onChoose={setChosen}
      />
      {row && (
        <dl class="query-row" aria-label={t.query.row((chosen ?? 0) + 1)}>
          {rows.columns.map((name, i) => (
            <div key={i}>
              <dt class="mono">{name}</dt>
              <dd class="mono">{row[i] ?? <span class="faint">NULL</span>}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

const shownText = (cell: Cell | undefined): string => (cell === null || cell === undefined ? "NULL" : typeof cell === "number" && Number.isInteger(cell) ? count(cell) : String(cell));

function Shown({ cell }: { cell: Cell | undefined }) {
  if (cell === null || cell === undefined) return <span class="faint mono">NULL</span>;
  const text = shownText(cell);
  return isNumber(cell) ? <span class="figure">{text}</span> : <span class="mono"><Name text={text} most={120} /></span>;
}

export const query: View = {
  id: "query",
  name: (t) => t.query.name,
  fits: (summary) => hasTables(summary.kind),
  Component: QueryView,
};
