// An allocation in few words, and a call stack with its machinery folded away.

import { useEffect, useMemo, useState } from "preact/hooks";
import { categoryColour } from "../charts/palette";
import type { LifeLine, StackFrame } from "../core/protocol";
import { textOf, useTexts } from "../i18n";
import { Copy, Size } from "./basics";
import { framePlace } from "./frames";
import { runsOf } from "./stack-runs";

/** The colour alone, where a name would be too much: it is told under the pointer. */
export function CategoryMark({ id }: { id: string }) {
  const t = useTexts();
  const name = textOf(t.categories, id, id);
  return <span class="category-mark" role="img" aria-label={name} title={name} style={{ background: categoryColour(id) }} />;
}

export function CategoryTag({ id, inferred }: { id: string; inferred: boolean }) {
  const t = useTexts();
  return (
    <span class={inferred ? "category inferred" : "category"}>
      <span class="category-mark" style={{ background: categoryColour(id) }} />
      {textOf(t.categories, id, id)}
      {inferred && <span class="faint"> ({t.life.inferred})</span>}
    </span>
  );
}

/** The life's line as a hover shows it. */
export function LifeLineText({ line }: { line: LifeLine }) {
  const t = useTexts();
  return (
    <>
      <div class="row">
        <b>
          <Size of={line.size} />
        </b>
        <CategoryTag id={line.category} inferred={line.inferred} />
      </div>
      <div class="mono wrap">
        {line.stack_is_of_free && <span class="faint">{t.life.freedAt} </span>}
        {line.call_site === "" ? <span class="faint">{t.life.noStack}</span> : line.call_site}
      </div>
      <div class="faint">{t.life.span(line.begin_event, line.end_event)}</div>
    </>
  );
}

export function Stack({ frames }: { frames: readonly StackFrame[] }) {
  const t = useTexts();
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  // Another stack begins folded.
  const text = frames.map((frame) => `${frame.file}:${frame.line}:${frame.function}`).join("\n");
  useEffect(() => setOpen(new Set()), [text]);
  const runs = useMemo(() => runsOf(frames), [text]);
  if (frames.length === 0) return <p class="faint">{t.life.noStack}</p>;
  const toggle = (first: number) => setOpen((now) => new Set(now.has(first) ? [...now].filter((each) => each !== first) : [...now, first]));
  return (
    <>
      <div class="row">
        <Copy text={text} label={t.life.copyStack} />
      </div>
      <ol class="stack">
        {runs.flatMap(({ folded, first, frames: own }) => [
          folded && (
            <li key={`run ${first}`} class="fold">
              <button type="button" class="quiet small" aria-expanded={open.has(first)} onClick={() => toggle(first)}>
                {open.has(first) ? "▾" : "▸"} {t.life.folded(own.length)}
              </button>
            </li>
          ),
          ...(folded && !open.has(first)
            ? []
            : own.map((frame, i) => (
                <li key={first + i} value={first + i + 1} class={frame.is_call_site ? "site" : folded ? "noise" : ""}>
                  <span>{frame.function || "??"}</span>
                  <span class="where" title={framePlace(frame)}>
                    {framePlace(frame)}
                  </span>
                </li>
              ))),
        ])}
      </ol>
    </>
  );
}
