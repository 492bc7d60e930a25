// The worker with SQLite: one database in memory, another beside it as `ref`. It is ended and made anew to
// cancel a question, so it keeps nothing that the page could not give it again.

import initSqlJs from "sql.js/dist/sql-wasm-browser.js";
import type { Database, Statement } from "sql.js/dist/sql-wasm-browser.js";
import type { Cell, FromSql, Refusal, Rows, TableInfo, ToSql } from "./protocol";
import { onlyReads, placeOf, secondOf } from "./text";

const scope = self as unknown as {
  postMessage(message: FromSql): void;
  onmessage: ((event: MessageEvent<ToSql>) => void) | null;
};

let database: Database | undefined;

/** Thrown where SQLite is not even asked. */
class Refused extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly at: number | null,
  ) {
    super(refusal);
  }
}

scope.onmessage = ({ data }) => {
  void answer(data).catch((thrown: unknown) => {
    const message = wordsOf(thrown);
    const sql = data.kind === "open" ? "" : data.sql;
    const error = thrown instanceof Refused ? { message, at: thrown.at, refusal: thrown.refusal } : { message, at: placeOf(sql, message, problemOf), refusal: null };
    scope.postMessage({ id: data.id, kind: "error", error });
  });
};

const wordsOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** What is wrong with a statement. */
function problemOf(sql: string): string | null {
  try {
    database?.prepare(sql).free();
    return null;
  } catch (thrown) {
    return wordsOf(thrown);
  }
}

async function answer(data: ToSql): Promise<void> {
  if (data.kind === "open") {
    const sql = await initSqlJs({ wasmBinary: data.wasm.buffer });
    database = new sql.Database(new Uint8Array(await data.main.arrayBuffer()));
    if (data.ref) {
      // Its file lies beside the other in the same memory.
      const other = new sql.Database(new Uint8Array(await data.ref.arrayBuffer()));
      database.run(`ATTACH '${other.filename}' AS ref`);
    }
    database.run("PRAGMA query_only = ON");
    scope.postMessage({ id: data.id, kind: "opened", tables: tables(database, data.ref !== null) });
    return;
  }
  if (!database) throw new Error("no database is open");
  const began = performance.now();
  if (data.kind === "ask") {
    const rows = ask(database, data.sql, data.most);
    scope.postMessage({ id: data.id, kind: "rows", rows, took: performance.now() - began });
  } else {
    scope.postMessage({ id: data.id, kind: "csv", ...csv(database, data.sql) });
  }
}

const exact = (value: unknown): Cell => {
  if (typeof value === "bigint") return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
  if (value instanceof Uint8Array) return Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return value as Cell;
};

/** The one statement of a question, ready to be run. */
function prepare(of: Database, sql: string): Statement {
  let statement: Statement;
  try {
    statement = of.prepare(sql);
  } catch (thrown) {
    throw typeof thrown === "string" ? new Refused("nothing", null) : thrown;
  }
  const own = statement.getSQL();
  const second = secondOf(sql, own.length);
  const refused = !onlyReads(own) ? new Refused("writes", null) : second !== null ? new Refused("several", second) : statement.getColumnNames().length === 0 ? new Refused("nothing", null) : null;
  if (refused === null) return statement;
  statement.free();
  throw refused;
}

/** Each row of a question; `each` ends it by returning false. */
function every(of: Database, sql: string, head: (columns: string[]) => void, each: (row: Cell[]) => boolean): void {
  const statement = prepare(of, sql);
  try {
    head(statement.getColumnNames());
    while (statement.step()) if (!each(statement.get(null, { useBigInt: true }).map(exact))) return;
  } finally {
    statement.free();
  }
}

function ask(of: Database, sql: string, most: number): Rows {
  const found: Rows = { columns: [], rows: [], more: false };
  every(
    of,
    sql,
    (columns) => (found.columns = columns),
    (row) => {
      found.more = found.rows.length === most;
      if (!found.more) found.rows.push(row);
      return !found.more;
    },
  );
  return found;
}

function csv(of: Database, sql: string): { text: Blob; count: number } {
  const cell = (value: Cell) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const parts: Blob[] = [];
  let lines: string[] = [];
  let count = 0;
  const line = (cells: readonly Cell[]) => lines.push(cells.map(cell).join(","));
  // As parts of a Blob they may leave the worker's memory.
  const gather = () => {
    if (lines.length > 0) parts.push(new Blob([lines.join("\n"), "\n"]));
    lines = [];
  };
  every(of, sql, line, (row) => {
    count++;
    if (line(row) >= 10_000) gather();
    return true;
  });
  gather();
  return { text: new Blob(parts, { type: "text/csv" }), count };
}

function tables(of: Database, withRef: boolean): TableInfo[] {
  const found: TableInfo[] = [];
  for (const schema of withRef ? ["main", "ref"] : ["main"])
    every(
      of,
      `SELECT m.type, m.name, c.name FROM ${schema}.sqlite_master m JOIN pragma_table_info(m.name, '${schema}') c WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.rowid, c.cid`,
      () => undefined,
      ([type, name, column]) => {
        const last = found.at(-1);
        if (last?.name === name && last?.database === schema) last.columns.push(String(column));
        else found.push({ database: schema, type: String(type), name: String(name), columns: [String(column)] });
        return true;
      },
    );
  return found;
}
