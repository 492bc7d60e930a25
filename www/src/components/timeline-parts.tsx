// Parts of the timeline around its canvas: what is under the pointer, the search, the legend, the table.

import type { ComponentChildren, RefObject } from "preact";
import type { TimelineRequest } from "../charts/use-drawing";
import { inOrder } from "../charts/palette";
import type { ReplyTo, Request } from "../core/protocol";
import { bytes, exactBytes } from "../format";
import { textOf, useTexts } from "../i18n";
import { Name, Size } from "./basics";
import { LifeLineText } from "./life-detail";
import { steady } from "./steady";

type Hit = ReplyTo<Extract<Request, { type: "timeline_hit" }>>;
export type Hits = ReplyTo<Extract<Request, { type: "timeline_search" }>>;

export function Tip({ hit, subject, left, right, top, children }: { hit: Hit; subject: TimelineRequest["subject"]; left: number | null; right: number | null; top: number; children?: ComponentChildren }) {
  const t = useTexts();
  return (
    <div class="chart-tip wide" style={{ top: `${top}px`, ...(left === null ? { right: `${right}px` } : { left: `${left}px` }) }}>
      <div class="faint">{t.curves.atEvent(hit.event)}</div>
      {hit.life && <LifeLineText line={hit.life} />}
      {hit.life && hit.lives_in_pixel > 1 && <div class="faint">{t.timeline.sharing(hit.lives_in_pixel - 1)}</div>}
      {hit.band !== null && (
        <div>
          <span class="mono">{hit.band}</span> <Size of={hit.band_bytes} />
        </div>
      )}
      {!hit.life && hit.band === null && <div class="faint">{subject === "allocations" ? t.timeline.nothingHere : t.timeline.noBandHere}</div>}
      {children}
      <div class="tip-figures">
        {(["requested", "active", "reserved"] as const).map((name) => (
          <span key={name} class="figure">
            <span class={`swatch ${name}`} />
            {bytes(hit[name])}
          </span>
        ))}
      </div>
    </div>
  );
}

export function Search(props: { box: RefObject<HTMLInputElement | null>; text: string; hits: Hits | undefined; onText: (text: string) => void; onWalk: (step: number) => void }) {
  const t = useTexts();
  const { hits } = props;
  return (
    <>
      <input ref={props.box} type="search" class="search" placeholder={t.timeline.search} aria-label={t.timeline.search} value={props.text} onInput={(event) => props.onText(event.currentTarget.value)} onKeyDown={(event) => event.key === "Enter" && props.onWalk(event.shiftKey ? -1 : 1)} />
      {hits && (
        <span class="row" role="status">
          {hits.count === 0 ? (
            t.timeline.nothingFound
          ) : (
            <span class="figure" title={exactBytes(hits.bytes)}>
              {t.timeline.found(hits.count, bytes(hits.bytes))}
            </span>
          )}
          {([-1, 1] as const).map((step) => (
            <button key={step} type="button" class="small" aria-label={step < 0 ? t.timeline.previous : t.timeline.next} title={step < 0 ? t.timeline.previous : t.timeline.next} disabled={hits.count === 0} onClick={() => props.onWalk(step)}>
              {step < 0 ? "‹" : "›"}
            </button>
          ))}
        </span>
      )}
    </>
  );
}

interface LegendProps {
  names: readonly string[];
  css: readonly string[];
  colourBy: TimelineRequest["colour_by"];
  subject: TimelineRequest["subject"];
  curves: boolean;
}

export const Legend = steady((props: LegendProps) => {
  const t = useTexts();
  // Classes in an order are few, and one left out would hide where the order ends.
  const most = inOrder(props.colourBy) ? 32 : 14;
  const text = (name: string) => {
    if (props.colourBy === "category") return textOf(t.categories, name, name);
    if (props.colourBy === "age") return name === "" ? t.timeline.toTheEnd : t.timeline.upToEvents(Number(name));
    return name === "" ? t.life.noStack : name;
  };
  return (
    <div class="legend">
      {props.curves &&
        (["reserved", "active", "requested"] as const).map((name) => (
          <span key={name}>
            <span class={`swatch ${name}`} />
            {t.curves[name]}
          </span>
        ))}
      {props.names.slice(0, most).map((name, i) => (
        <span key={name}>
          <span class="category-mark" style={{ background: props.css[i % props.css.length] }} />
          <Name text={text(name)} most={64} />
        </span>
      ))}
      {props.names.length > most && <span class="faint">{t.timeline.othersInLegend(props.names.length - most)}</span>}
      {props.subject === "pools" && (
        <span>
          <span class="category-mark idle" />
          {t.timeline.idle}
        </span>
      )}
    </div>
  );
});
