// Everything known of one allocation, beside the drawing in which it was clicked.

import { useState } from "preact/hooks";
import { categoryColour } from "../charts/palette";
import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, LifeDetail, LifeLine, Request, StackFrame } from "../core/protocol";
import { count } from "../format";
import { textOf, useTexts } from "../i18n";
import { Copy, Say, Size } from "./basics";

type LifeRequest = Extract<Request, { type: "life" }>;

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
                <span class="where" title={`${frame.file}:${frame.line}`}>
                  {frame.file}:{frame.line}
                </span>
              </li>
            ),
        )}
      </ol>
    </>
  );
}

export function LifePanel(props: { at: Doc; device: Device; life: number; onClose: () => void; onLife: (life: number) => void; onShow: (detail: LifeDetail) => void }) {
  const t = useTexts();
  const { data, error } = useQuery<LifeRequest>(props.at, { type: "life", device: props.device, life: props.life }, "life");
  const detail = data?.detail;
  return (
    <aside class="panel" aria-label={t.life.title}>
      <div class="section-head">
        <h2>{t.life.title}</h2>
        <button type="button" class="quiet" aria-label={t.app.close} onClick={props.onClose}>
          ✕
        </button>
      </div>
      {error && <p class="problem-words">{error.message}</p>}
      {detail && <Facts detail={detail} onShow={props.onShow} onLife={props.onLife} />}
    </aside>
  );
}

function Facts({ detail, onShow, onLife }: { detail: LifeDetail; onShow: (detail: LifeDetail) => void; onLife: (life: number) => void }) {
  const t = useTexts();
  const facts: [string, preact.ComponentChildren][] = [
    [t.life.size, <Size of={detail.size} />],
    [
      t.life.block,
      <>
        <Size of={detail.block_size} /> {!detail.block_exact && <span class="faint">{t.life.estimated}</span>}
      </>,
    ],
    [t.life.category, <CategoryTag id={detail.category} inferred={detail.inferred} />],
    [
      t.life.why,
      <>
        {detail.evidence ? <Say message={detail.evidence} /> : <code>{detail.rule}</code>}
        {detail.rule_frame !== "" && <div class="mono wrap">{detail.rule_frame}</div>}
      </>,
    ],
    [
      t.life.address,
      <>
        <code>{detail.address}</code> <Copy text={detail.address} />
        <div class="faint mono">{detail.name}</div>
      </>,
    ],
    [t.life.lived, t.life.span(detail.begin_event, detail.end_event)],
    [t.life.place, `${textOf(t.segmentTypes, detail.segment_type, detail.segment_type)} · ${t.life.pool} (${detail.pool.join(", ")}) · ${t.life.stream} ${detail.stream}`],
  ];
  if (detail.pending_from !== null) facts.push([t.life.pendingFrom, count(detail.pending_from - 1)]);
  if (detail.compile_context !== "" && detail.compile_context !== "N/A") facts.push([t.life.compileContext, <code class="wrap">{detail.compile_context}</code>]);
  if (detail.user_metadata !== "") facts.push([t.life.userMetadata, <code class="wrap">{detail.user_metadata}</code>]);
  return (
    <>
      <button type="button" class="small" onClick={() => onShow(detail)}>
        {t.life.zoomTo}
      </button>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h3>{detail.stack_is_of_free ? t.life.stackOfFree : t.life.stack}</h3>
      <Stack frames={detail.stack} />
      {detail.forward_stack !== "" && (
        <>
          <h3>{t.life.forwardStack}</h3>
          <pre class="code">{detail.forward_stack}</pre>
        </>
      )}
      {detail.same_address.length > 0 && (
        <details>
          <summary>{t.life.sameAddress(detail.same_address.length)}</summary>
          <ul class="same-address">
            {detail.same_address.map((line) => (
              <li key={line.life}>
                <button type="button" class="quiet small" onClick={() => onLife(line.life)}>
                  <Size of={line.size} />
                </button>
                <span class="faint">{t.life.span(line.begin_event, line.end_event)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
