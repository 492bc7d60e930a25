// What the page and the worker with SQLite say to each other.

/** A cell: integers beyond 2^53 come as text, so that every digit stays. */
export type Cell = string | number | null;

export interface Rows {
  columns: string[];
  rows: Cell[][];
  /** There are more rows than these. */
  more: boolean;
}

/** A table or a view and its columns. */
export interface TableInfo {
  database: string;
  type: string;
  name: string;
  columns: string[];
}

/** What the page refuses by itself, in its own words; everything else SQLite says. */
export type Refusal = "writes" | "nothing" | "several";

export interface SqlError {
  message: string;
  /** Where in the question, counted in characters; null where SQLite does not tell. */
  at: number | null;
  refusal: Refusal | null;
}

export type ToSql =
  | { id: number; kind: "open"; wasm: Uint8Array<ArrayBuffer>; main: Blob; ref: Blob | null }
  | { id: number; kind: "ask"; sql: string; most: number }
  /** Every row, as CSV. */
  | { id: number; kind: "csv"; sql: string };

export type FromSql =
  | { id: number; kind: "opened"; tables: TableInfo[] }
  | { id: number; kind: "rows"; rows: Rows; took: number }
  | { id: number; kind: "csv"; text: Blob; count: number }
  | { id: number; kind: "error"; error: SqlError };
