// What is used of sql.js.

declare module "sql.js/dist/sql-wasm-browser.js" {
  export interface Statement {
    step(): boolean;
    get(params: null, config: { useBigInt: boolean }): unknown[];
    getColumnNames(): string[];
    /** The text of this statement alone, from the beginning of the text that it was prepared of. */
    getSQL(): string;
    free(): boolean;
  }
  export interface Database {
    /** The name of the file in the module's memory. */
    filename: string;
    /** Throws an `Error` of SQLite, or a string where there is no statement in the text. */
    prepare(sql: string): Statement;
    run(sql: string): void;
  }
  export interface SqlJs {
    Database: new (bytes: Uint8Array) => Database;
  }
  export default function initSqlJs(config: { wasmBinary: ArrayBuffer }): Promise<SqlJs>;
}
