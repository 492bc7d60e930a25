// An allocation in few words, and a call stack with its machinery folded away.

import { useState } from "preact/hooks";
import { categoryColour } from "../charts/palette";
import type { LifeLine, StackFrame } from "../core/protocol";
import { textOf, useTexts } from "../i18n";
import { Copy, Size } from "./basics";
import { framePlace } from "./frames";

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
  const [all, setAll] = useState(false);
  const noise = frames.filter((frame) => frame.is_noise).length;
  const text = frames.map((frame) => `${frame.file}:${frame.line}:${frame.function}`).join("\n");
  if (frames.length === 0) return <p class="faint">{t.life.noStack}</p>;
  return (
    <>
      <div class="row">
        <Copy text={text} label={t.life.copyStack} />
        {noise > 0 && (
          <button type="button" class="quiet small" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? t.life.foldNoise : t.life.showNoise(noise)}
          </button>
        )}
      </div>
      <ol class="stack">
        {frames.map(
          (frame, i) =>
            (all || !frame.is_noise) && (
              <li key={i} class={frame.is_call_site ? "site" : frame.is_noise ? "noise" : ""}>
                <span>{frame.function || "??"}</span>
                <span class="where" title={framePlace(frame)}>
                  {framePlace(frame)}
                </span>
              </li>
            ),
        )}
      </ol>
    </>
  );
}
