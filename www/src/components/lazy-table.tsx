// A drawing as a table, for those who cannot see it: folded, and made when it is opened.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Table } from "./basics";

/** `label` is what it folds into; `name` that of the table, where it is another. */
export function LazyTable(props: { label: string; name?: string; head: readonly string[]; text?: readonly number[]; rows: () => readonly (readonly ComponentChildren[])[] }) {
  const [open, setOpen] = useState(false);
  const rows = useMemo(() => (open ? props.rows() : []), [open, props.rows]);
  return (
    <details class="chart-table" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{props.label}</summary>
      {open && <Table label={props.name ?? props.label} head={props.head} rows={rows} {...(props.text ? { text: props.text } : {})} />}
    </details>
  );
}
