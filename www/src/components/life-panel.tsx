// Everything known of the chosen allocation, beside whatever view is shown.

import { aroundLife } from "../charts/window";
import { categoryColour } from "../charts/palette";
import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, LifeDetail, Request } from "../core/protocol";
import { count } from "../format";
import { textOf, useTexts } from "../i18n";
import { choose } from "../state/selection";
import { go } from "../state/url";
import { Copy, Pairs, Size, Why } from "./basics";
import { frameSearch } from "./frames";
import { CategoryTag, Stack } from "./life-detail";
import { useInSight } from "./use-in-sight";

type LifeRequest = Extract<Request, { type: "life" }>;

/** `last` is the device's last state; `view` the view that is shown. */
export function LifePanel(props: { at: Doc; device: Device; life: number; last: number; view: string }) {
  const t = useTexts();
  const { data, error } = useQuery<LifeRequest>(props.at, { type: "life", device: props.device, life: props.life }, "life");
  const detail = data?.detail;
  const panel = useInSight(props.life, detail !== undefined);
  return (
    <aside ref={panel} class="panel" aria-label={t.life.title} tabIndex={0}>
      <div class="section-head">
        <h2>{t.life.title}</h2>
        <button type="button" class="quiet" aria-label={t.app.close} onClick={() => choose({ life: null })}>
          ✕
        </button>
      </div>
      {error && <p class="problem-words">{error.message}</p>}
      {data && !detail && <p class="faint">{t.life.gone}</p>}
      {detail && <Facts detail={detail} last={props.last} view={props.view} />}
    </aside>
  );
}

/** A life within the trace: where it begins and ends, and where its free is pending. */
function LifeBar({ birth, death, pending, last, ink, label }: { birth: number; death: number | null; pending?: number | null; last: number; ink: string; label: string }) {
  const share = (state: number) => `${(Math.min(state, last + 1) / (last + 1)) * 100}%`;
  const end = death ?? last + 1;
  return (
    <div class="life-bar" role="img" aria-label={label} title={label}>
      <div style={{ left: share(birth), width: `max(2px, ${((Math.min(end, last + 1) - birth) / (last + 1)) * 100}%)`, background: ink }} />
      {pending !== undefined && pending !== null && <div class="pending" style={{ left: share(pending), width: `max(1px, ${((Math.min(end, last + 1) - pending) / (last + 1)) * 100}%)` }} />}
    </div>
  );
}

function Facts({ detail, last, view }: { detail: LifeDetail; last: number; view: string }) {
  const t = useTexts();
  const ink = categoryColour(detail.category);
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
        <Why evidence={detail.evidence} rule={detail.rule} />
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
    [
      t.life.lived,
      <>
        {t.life.span(detail.begin_event, detail.end_event)}
        <LifeBar birth={detail.birth} death={detail.death} pending={detail.pending_from} last={last} ink={ink} label={t.life.span(detail.begin_event, detail.end_event)} />
      </>,
    ],
    [t.life.place, `${textOf(t.segmentTypes, detail.segment_type, detail.segment_type)} · ${t.life.pool} (${detail.pool.join(", ")}) · ${t.life.stream} ${detail.stream}`],
  ];
  if (detail.pending_from !== null) facts.push([t.life.pendingFrom, count(detail.pending_from - 1)]);
  if (detail.compile_context !== "" && detail.compile_context !== "N/A") facts.push([t.life.compileContext, <code class="wrap">{detail.compile_context}</code>]);
  if (detail.user_metadata !== "") facts.push([t.life.userMetadata, <code class="wrap">{detail.user_metadata}</code>]);
  const site = detail.stack.find((frame) => frame.is_call_site);
  return (
    <>
      <div class="row">
        <button type="button" class="small" onClick={() => go({ view: "timeline", range: aroundLife(detail.birth, detail.death ?? last) })}>
          {t.life.zoomTo}
        </button>
        {view !== "segments" && (
          <button type="button" class="small" onClick={() => go({ view: "segments", at: detail.birth })}>
            {t.life.inSegments}
          </button>
        )}
        {view !== "events" && detail.begin_event !== null && (
          <button type="button" class="small" onClick={() => go({ view: "events" })}>
            {t.life.inEvents}
          </button>
        )}
        {site && (
          <button type="button" class="small" title={t.life.sameSiteMeans} onClick={() => choose({ find: frameSearch(site) })}>
            {t.life.sameSite}
          </button>
        )}
      </div>
      <Pairs of={facts} kind="facts" />
      <h3>{detail.stack_is_of_free ? t.life.stackOfFree : t.life.stack}</h3>
      <Stack frames={detail.stack} />
      {detail.forward_stack !== "" && (
        <>
          <h3>{t.life.forwardStack}</h3>
          <pre class="code" tabIndex={0}>
            {detail.forward_stack}
          </pre>
        </>
      )}
      {detail.same_address.length > 0 && (
        <details>
          <summary>{t.life.sameAddress(detail.same_address.length)}</summary>
          <ul class="same-address">
            {detail.same_address.map((line) => (
              <li key={line.life}>
                <button type="button" class="quiet small" onClick={() => choose({ life: line.life })}>
                  <Size of={line.size} />
                </button>
                <LifeBar birth={line.begin_event === null ? 0 : line.begin_event + 1} death={line.end_event === null ? null : line.end_event + 1} last={last} ink={categoryColour(line.category)} label={t.life.span(line.begin_event, line.end_event)} />
                <span class="faint">{t.life.span(line.begin_event, line.end_event)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
