// A question as a text, before SQLite sees it and after it has complained: whether it only reads, and where in
// it an error is. Pure, so it is tested without a worker.

/** Strings and comments, in which nothing is looked for. */
const SILENT = /'(?:[^']|'')*'|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)/g;
const COMMENTS = /--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)/g;

const blank = (text: string) => text.replaceAll(/[^\n]/g, " ");

/** Pragmas that tell something although a value stands behind them: that of what they are to tell. */
const TELLING = ["table_info", "table_xinfo", "index_list", "index_info", "index_xinfo", "foreign_key_list", "integrity_check", "quick_check", "foreign_key_check"];

/**
 * Whether a statement may be asked. SQLite itself refuses to write (`query_only`); this keeps out what would
 * switch that off, or bring another file in.
 */
export function onlyReads(statement: string): boolean {
  const text = statement.replaceAll(COMMENTS, " ").trim();
  if (/^(select|with|values|explain)\b/i.test(text)) return true;
  const [, name, rest] = /^pragma\s+(?:\w+\s*\.\s*)?(\w+)\s*([^]*?)[\s;]*$/i.exec(text) ?? [];
  return name !== undefined && (rest === "" || TELLING.includes(name.toLowerCase()));
}

/** Where a second statement begins behind the first `length` characters; null where there is none. */
export function secondOf(sql: string, length: number): number | null {
  const rest = sql.slice(length).replaceAll(COMMENTS, blank);
  const at = rest.search(/[^\s;]/);
  return at < 0 ? null : length + at;
}

/**
 * Where an error is. SQLite says near which word; which of several alike it is follows from what comes before:
 * up to the place everything can be the beginning of a statement. `prepare` tells what is wrong with a text, or
 * null where nothing is.
 */
export function placeOf(sql: string, message: string, prepare: (sql: string) => string | null): number | null {
  const near = /^near "([^]*)": syntax error/.exec(message)?.[1];
  if (near !== undefined && near !== "") {
    let found: number | null = null;
    for (let at = sql.indexOf(near); at >= 0; at = sql.indexOf(near, at + 1)) {
      const before = prepare(sql.slice(0, at));
      if (before !== null && /syntax error/.test(before)) break;
      found = at;
    }
    return found;
  }
  if (/^incomplete input/.test(message)) return sql.trimEnd().length;
  const token = /^unrecognized token: "([^]*)"/.exec(message)?.[1];
  if (token !== undefined) return indexOrNull(sql.indexOf(token));
  const name = /^(?:no such (?:column|table|function|collation sequence)|ambiguous column name|wrong number of arguments to function|misuse of (?:aggregate|window) ?(?:function)?):? *(.+?)(?:\(\))?(?: - .*)?$/.exec(message)?.[1];
  if (name === undefined) return null;
  const word = new RegExp(`(?<![\\w.])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?!\\w)`, "i");
  return indexOrNull(sql.replaceAll(SILENT, blank).search(word));
}

const indexOrNull = (at: number) => (at >= 0 ? at : null);
