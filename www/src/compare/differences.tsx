// What differs, row by row: by call site, stack, category or module, filtered, each with its stack.

import { useMemo, useState } from "preact/hooks";
import { Choice as Buttons, Copy, Name, Section, Size } from "../components/basics";
import { CategoryTag } from "../components/life-detail";
import { count } from "../format";
import { textOf, useTexts } from "../i18n";
import { Diff, signed } from "./diff";
import { group, keep } from "./rows";
import type { GroupBy, Show, TableRow } from "./rows";
import type { Comparison } from "./types";

/** Rows shown before one asks for all. */
const SHOWN = 100;

export function Differences({ of }: { of: Comparison }) {
  const t = useTexts();
  const [by, setBy] = useState<GroupBy>("call_site");
  const [show, setShow] = useState<Show>("changed");
  const [text, setText] = useState("");
  const [all, setAll] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const rows = useMemo(() => group(of.paths, by), [of, by]);
  const kept = useMemo(() => rows.filter((row) => keep(row, show, text)), [rows, show, text]);
  const sum = kept.reduce((total, row) => total + row.diff_bytes, 0);
  const id = (row: TableRow, i: number) => `${by} ${row.key} ${i}`;
  return (
    <Section title={t.compare.table}>
      <div class="row toolbar">
        <Buttons label={t.compare.groupBy} value={by} onChange={setBy} options={Object.entries(t.compare.groups) as [GroupBy, string][]} />
        <label class="row">
          <span class="faint">{t.compare.show}</span>
          <select aria-label={t.compare.show} value={show} onChange={(event) => setShow(event.currentTarget.value as Show)}>
            {Object.entries(t.compare.shows).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <input type="search" class="search" placeholder={t.compare.filter} aria-label={t.compare.filter} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <span class="grow" />
        <span role="status" class="figure">
          {t.compare.kept(kept.length, rows.length, signed(sum))}
        </span>
      </div>
      <div class="table-frame">
        <table aria-label={t.compare.table} class="differences">
          <thead>
            <tr>
              <th scope="col" class="number">{t.compare.diff}</th>
              <th scope="col" class="number">A</th>
              <th scope="col" class="number">B</th>
              <th scope="col" class="number">{t.compare.countA}</th>
              <th scope="col" class="number">{t.compare.countB}</th>
              <th scope="col">{t.compare.presence}</th>
              {by !== "category" && <th scope="col">{t.compare.category}</th>}
              <th scope="col">{t.compare.groups[by]}</th>
            </tr>
          </thead>
          <tbody>
            {kept.slice(0, all ? kept.length : SHOWN).map((row, i) => (
              <tr key={id(row, i)}>
                <td class="number">
                  <Diff of={row.diff_bytes} />
                </td>
                <td class="number">
                  <Size of={row.a_bytes} />
                </td>
                <td class="number">
                  <Size of={row.b_bytes} />
                </td>
                <td class="number">{count(row.a_count)}</td>
                <td class="number">{count(row.b_count)}</td>
                <td class="nowrap">{t.compare.presences[row.presence]}</td>
                {by !== "category" && <td>{row.category && <CategoryTag id={row.category} inferred={false} />}</td>}
                <td class="mono wrap">
                  {row.freedAt && <span class="faint">{t.compare.freedAt} </span>}
                  {row.frames.length > 0 ? (
                    <>
                      <button type="button" class="quiet small" aria-expanded={open === id(row, i)} onClick={() => setOpen(open === id(row, i) ? null : id(row, i))}>
                        {open === id(row, i) ? "▾" : "▸"} <Name text={row.key ?? t.flame.noStack} most={90} />
                      </button>
                      {open === id(row, i) && (
                        <div>
                          <Copy text={row.frames.join("\n")} />
                          <ol class="stack">
                            {row.frames.map((frame, n) => (
                              <li key={n}>{frame}</li>
                            ))}
                          </ol>
                        </div>
                      )}
                    </>
                  ) : by === "category" && row.key !== null ? (
                    textOf(t.categories, row.key)
                  ) : (
                    (row.key ?? (by === "module" ? t.compare.noModule : t.flame.noStack))
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {kept.length === 0 && <p class="faint">{rows.some((row) => row.diff_bytes !== 0) ? t.compare.noneKept : t.compare.nothingDiffers}</p>}
      {kept.length > SHOWN && !all && (
        <button type="button" class="small" onClick={() => setAll(true)}>
          {t.compare.showAll(kept.length)}
        </button>
      )}
    </Section>
  );
}
