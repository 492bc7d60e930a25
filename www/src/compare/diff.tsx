// Differences of B from A: signed, and in the ink of their sign.

import type { ComponentChildren } from "preact";
import { Size, Table } from "../components/basics";
import { bytes, count, exactBytes, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import { diffInk } from "./inks";
import type { Pair } from "./types";

/** "+1.00 MiB": differences always carry their sign. */
export function signed(n: number): string {
  return n < 0 ? bytes(n) : `+${bytes(n)}`;
}

/** A difference with its sign; the exact number on hover. */
export function Diff({ of }: { of: number }) {
  return (
    <span class={of === 0 ? "figure faint" : "figure"} style={of === 0 ? {} : { color: diffInk(of) }} title={exactBytes(of)}>
      {signed(of)}
    </span>
  );
}

/** The figures of both sides, and what differs. */
export function Totals({ of }: { of: Readonly<Record<string, Pair>> }) {
  const t = useTexts();
  const row = (name: string, { a, b, diff }: Pair): ComponentChildren[] => {
    const title = textOf(t.compare.figures, name);
    if (name === "lives" || name === "segments") return [title, count(a), count(b), `${diff < 0 ? "" : "+"}${count(diff)}`];
    if (name === "fragmentation") return [title, percent(a), percent(b), t.compare.points(`${diff < 0 ? "−" : "+"}${(Math.abs(diff) * 100).toFixed(1)}`)];
    return [title, <Size of={a} />, <Size of={b} />, <Diff of={diff} />];
  };
  // A share stands below what it is a share of.
  const names = Object.keys(of).sort((a, b) => Number(a === "fragmentation") - Number(b === "fragmentation"));
  return <Table label={t.compare.totals} head={[t.overview.figure, "A", "B", t.compare.diff]} rows={names.flatMap((name) => (of[name] ? [row(name, of[name])] : []))} />;
}
