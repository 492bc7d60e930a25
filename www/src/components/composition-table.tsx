// The composition of a moment as a table: categories, in them call sites, in those the stacks, and why.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Path } from "../views/moment";
import type { CallSiteRow, DevicePeak, Drill, GroupSums, LifeDetail } from "../core/protocol";
import { count, percent } from "../format";
import { useTexts } from "../i18n";
import type { Texts } from "../i18n";
import { choose } from "../state/selection";
import { Name, Size, TableFrame, Why } from "./basics";
import { frameText } from "./frames";
import { CategoryTag, Stack } from "./life-detail";

export function siteText(row: CallSiteRow, t: Texts): string {
  if (row.file == null) return row.function ?? t.life.noStack;
  const where = frameText({ function: row.function ?? "", file: row.file, line: row.line ?? 0 });
  return row.freed_at ? `${t.life.freedAt} ${where}` : where;
}

export interface Part {
  /** The row of the composition's call sites; empty for what a cut list left out. */
  key: string;
  name: string;
  bytes: number;
  inferred: number;
  count: number;
  /** The chosen allocation is one of it. */
  chosen: boolean;
}

/** The call sites of a category, largest first, and what the list of them leaves out. */
export function partsOf(composition: DevicePeak, category: string, life: LifeDetail | null, t: Texts): Part[] {
  const whole = composition.by_category.find((row) => row.category === category);
  const site = life?.stack.find((frame) => frame.is_call_site);
  const parts = composition.by_call_site.flatMap((row, i): Part[] => {
    if (row.category !== category) return [];
    const chosen = life !== null && life.category === category && (site ? site.file === row.file && site.line === String(row.line) && site.function === row.function : row.file === null);
    return [{ key: String(i), name: siteText(row, t), bytes: row.bytes, inferred: row.inferred_bytes, count: row.count, chosen }];
  });
  const sum = (of: (part: Part) => number) => parts.reduce((all, part) => all + of(part), 0);
  const rest = (whole?.count ?? 0) - sum((part) => part.count);
  if (whole && rest > 0) parts.push({ key: "", name: t.moment.others(rest), bytes: whole.bytes - sum((part) => part.bytes), inferred: whole.inferred_bytes - sum((part) => part.inferred), count: rest, chosen: false });
  return parts.sort((a, b) => b.bytes - a.bytes);
}

export function CompositionTable({ composition, path, drill, life, onPath }: { composition: DevicePeak; path: Path; drill: Drill | undefined; life: LifeDetail | null; onPath: (path: Path) => void }) {
  const t = useTexts();
  const share = (value: number) => percent(composition.requested > 0 ? value / composition.requested : 0);
  const figures = (bytes: number, number: number, inferred: number): ComponentChildren => (
    <>
      <td class="number"><Size of={bytes} /></td>
      <td class="number">{share(bytes)}</td>
      <td class="number">{count(number)}</td>
      <td class="number">{inferred > 0 ? <Size of={inferred} /> : "–"}</td>
    </>
  );
  return (
    <TableFrame>
      <table class="wrapping" aria-label={t.moment.byCategory}>
        <thead>
          <tr>
            <th scope="col">{t.range.category}</th>
            {[t.moment.size, t.moment.share, t.range.count, t.moment.inferred].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {composition.by_category.map((row) => {
            const open = path.category === row.category;
            return [
              <tr key={row.category}>
                <td>
                  <button type="button" class="quiet small" aria-expanded={open} onClick={() => onPath({ category: open ? null : row.category, row: null })}>
                    {open ? "▾" : "▸"} <CategoryTag id={row.category} inferred={false} />
                  </button>
                </td>
                {figures(row.bytes, row.count, row.inferred_bytes)}
              </tr>,
              open && path.row === null && drill && <Detail key="why" drill={drill} withStacks={false} />,
              open &&
                partsOf(composition, row.category, life, t).map((part) => [
                  <tr key={`${row.category} ${part.key}`} class={part.chosen ? "inner chosen" : "inner"}>
                    <td class="mono">
                      {part.key === "" ? (
                        part.name
                      ) : (
                        <button type="button" class="quiet small" aria-expanded={path.row === Number(part.key)} onClick={() => onPath({ category: row.category, row: path.row === Number(part.key) ? null : Number(part.key) })}>
                          {path.row === Number(part.key) ? "▾" : "▸"} <Name text={part.name} most={58} />
                        </button>
                      )}
                    </td>
                    {figures(part.bytes, part.count, part.inferred)}
                  </tr>,
                  part.key !== "" && path.row === Number(part.key) && drill && <Detail key={`${part.key} in`} drill={drill} withStacks />,
                ]),
            ];
          })}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** Why, and the stacks of a call site. */
function Detail({ drill, withStacks }: { drill: Drill; withStacks: boolean }) {
  const t = useTexts();
  return (
    <tr class="inner detail">
      <td colSpan={5}>
        <details open={withStacks && drill.reasons.some((reason) => reason.inferred)}>
          <summary>{t.moment.why}</summary>
          <ul class="says">
            {drill.reasons.slice(0, 20).map((reason, i) => (
              <li key={i}>
                <Sums sums={reason.sums} /> {reason.inferred && <span class="faint">({t.life.inferred}) </span>}
                <Why evidence={reason.evidence} rule={reason.rule} />
              </li>
            ))}
          </ul>
        </details>
        {withStacks &&
          drill.stacks.map((stack, i) => (
            <div key={i} class="drill-stack">
              <div class="row">
                <Sums sums={stack.sums} />
                {stack.of_free && <span class="faint">{t.life.stackOfFree}</span>}
                <button type="button" class="small" onClick={() => choose({ life: stack.largest })}>
                  {t.moment.largest}
                </button>
              </div>
              <Folded open={i === 0} summary={t.life.stack}>
                <Stack frames={stack.frames} />
              </Folded>
            </div>
          ))}
        {withStacks && drill.rest.count > 0 && (
          <p class="faint">
            {t.moment.others(drill.rest.count)}: <Size of={drill.rest.bytes} />
          </p>
        )}
      </td>
    </tr>
  );
}

/** Forty stacks of fifty frames are more than can be made at once: each is made when it is opened. */
function Folded({ open, summary, children }: { open: boolean; summary: string; children: ComponentChildren }) {
  const [shown, setShown] = useState(open);
  return (
    <details open={open} onToggle={(event) => setShown((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{summary}</summary>
      {shown && children}
    </details>
  );
}

function Sums({ sums }: { sums: GroupSums }) {
  const t = useTexts();
  return (
    <span>
      <Size of={sums.bytes} /> <span class="faint">{t.flame.lives(sums.count)}</span>
    </span>
  );
}
