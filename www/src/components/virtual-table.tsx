// A table of any length: only the rows in sight exist. Rows come in pages from the core; those not there
// yet show as dots.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useTexts } from "../i18n";

export const ROW_HEIGHT = 26;
/** Browsers end at about 33 million pixels; beyond this the scroll bar is scaled. */
const MOST_HEIGHT = 15_000_000;

export interface Column {
  id: string;
  name: string;
  width: string;
  number?: boolean;
}

/** The width of a letter of code, of the gaps between columns, and of what stands beside them. */
const [LETTER, GAP, BESIDE] = [7.3, 12, 42];
/** Rows are at least so wide. */
const LEAST = 860;

/** So many letters of code fit into the one column that takes what the others leave. */
export function lettersLeft(columns: readonly Column[], width: number): number {
  const widest = ({ width: text }: Column) => (text.includes("fr") ? 0 : Math.max(...[...text.matchAll(/(\d+)px/g)].map(([, pixels]) => Number(pixels))));
  const others = columns.reduce((sum, column) => sum + widest(column) + GAP, 0);
  return Math.max(24, Math.floor((Math.max(LEAST, width) - others - BESIDE) / LETTER));
}

export function VirtualTable(props: {
  label: string;
  columns: readonly Column[];
  total: number;
  height: number;
  /** The least width of its rows, where that is not the usual one. */
  least?: string;
  cells: (row: number) => readonly ComponentChildren[] | null;
  /** Told which rows show, so that their page can be asked for. */
  onVisible: (first: number, count: number) => void;
  sort?: { by: string; descending: boolean };
  onSort?: (by: string) => void;
  chosen: number | null;
  /** Rows that belong to what is selected elsewhere. */
  marked?: (row: number) => boolean;
  /** Names what the rows were chosen by: others begin at the top. */
  list?: string | undefined;
  onChoose: (row: number) => void;
}) {
  const t = useTexts();
  const scroller = useRef<HTMLDivElement>(null);
  const [scrolled, setTop] = useState(0);
  const fits = Math.ceil(props.height / ROW_HEIGHT) + 1;
  const real = props.total * ROW_HEIGHT;
  const drawn = Math.min(real, MOST_HEIGHT);
  const scale = drawn > props.height ? (real - props.height) / (drawn - props.height) : 1;
  // A list that became shorter ends above where the longer one was scrolled to. Rows drawn down there would
  // hold the scroll bar where it is.
  const top = Math.max(0, Math.min(scrolled, drawn - (scroller.current?.clientHeight ?? props.height)));
  const first = Math.max(0, Math.min(props.total - 1, Math.floor((top * scale) / ROW_HEIGHT)));
  const rows = Math.max(0, Math.min(fits, props.total - first));
  useEffect(() => props.onVisible(first, rows), [first, rows, props.total]);
  // Other rows begin at the top. A row that was chosen elsewhere, or by a key, is brought into sight, and with it
  // the rows around it before anything is painted: the event of scrolling comes a frame later, and that frame
  // would be blank.
  const shown = useRef(props.list);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const areOther = shown.current !== props.list;
    shown.current = props.list;
    if (areOther) element.scrollTop = 0;
    const begin = areOther ? 0 : first;
    const row = props.chosen;
    if (row !== null && (row < begin || row >= begin + rows - 2)) element.scrollTop = Math.max(0, (row - Math.floor(fits / 2)) * ROW_HEIGHT) / scale;
    else if (!areOther) return;
    setTop(element.scrollTop);
  }, [props.list, props.chosen]);
  const template = props.columns.map((column) => column.width).join(" ");

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: fits - 2, PageUp: 2 - fits }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.max(0, Math.min(props.total - 1, (props.chosen ?? first) + step));
    props.onChoose(next);
  };

  return (
    <>
      {rows < props.total && <p class="on-paper faint">{t.app.rowsShown(first, first + rows - 1, props.total)}</p>}
      <div class="virtual" role="table" aria-label={props.label} aria-rowcount={props.total + 1}>
        <div class="virtual-head" role="row" style={{ gridTemplateColumns: template, minWidth: props.least }}>
          {props.columns.map((column) => (
            <div key={column.id} role="columnheader" class={column.number ? "number" : ""} aria-sort={props.sort?.by === column.id ? (props.sort.descending ? "descending" : "ascending") : undefined}>
              {props.onSort ? (
                <button type="button" class="quiet small" onClick={() => props.onSort?.(column.id)}>
                  {column.name} {props.sort?.by === column.id ? (props.sort.descending ? "▾" : "▴") : ""}
                </button>
              ) : (
                column.name
              )}
            </div>
          ))}
        </div>
        <div ref={scroller} class="virtual-body" role="rowgroup" tabIndex={0} style={{ height: `${props.height}px`, minWidth: props.least }} onScroll={(event) => setTop(event.currentTarget.scrollTop)} onKeyDown={onKeyDown}>
          <div role="presentation" style={{ height: `${drawn}px`, position: "relative" }}>
            {Array.from({ length: rows }, (_, i) => {
              const row = first + i;
              const cells = props.cells(row);
              return (
                <div
                  key={row}
                  role="row"
                  aria-rowindex={row + 2}
                  aria-selected={row === props.chosen}
                  class={`virtual-row ${row === props.chosen ? "chosen" : ""} ${props.marked?.(row) ? "marked" : ""}`}
                  style={{ gridTemplateColumns: template, top: `${top + i * ROW_HEIGHT - (scale === 1 ? top % ROW_HEIGHT : 0)}px`, height: `${ROW_HEIGHT}px` }}
                  onClick={() => props.onChoose(row)}
                >
                  {props.columns.map((column, c) => (
                    <div key={column.id} role="cell" class={column.number ? "number" : ""}>
                      {cells ? cells[c] : "…"}
                    </div>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}
