// What stands under the pointer in the lanes above the bands: names have no room there.

import type { Named } from "../charts/band-lanes";
import { MARGIN } from "../charts/band-margin";
import type { AxisKind } from "../charts/use-span";
import { count, span as spanText } from "../format";
import { useTexts } from "../i18n";

/** More spans than these lie over each other in one pixel only when zooming in tells more. */
const MOST = 6;

export function LaneTip({ spans, moments, axis, x, width }: { spans: readonly Named[]; moments: number; axis: AxisKind; x: number; width: number }) {
  const t = useTexts();
  const told = t.timeline.moments.filter((_, bit) => (moments & (1 << bit)) !== 0);
  if (spans.length === 0 && told.length === 0) return null;
  const place = (position: number) => (axis === "event" ? count(Math.round(position)) : spanText(position));
  return (
    <div class="chart-tip wide" style={{ top: `${MARGIN.top + 8}px`, ...(x < width / 2 ? { left: `${MARGIN.left + x + 14}px` } : { right: `${width - x + 14}px` }) }}>
      {spans.slice(0, MOST).map((span, i) => (
        <div key={i}>
          {span.name === "" ? <span class="faint">{t.timeline.tooNarrow}</span> : <b>{span.name}</b>}
          <span class="figure">
            {place(span.from)} – {place(span.to)}
          </span>
          {axis === "time" && <span class="figure faint">{spanText(span.to - span.from)}</span>}
        </div>
      ))}
      {spans.length > MOST && <div class="faint">{t.timeline.sharing(spans.length - MOST)}</div>}
      {told.map((moment) => (
        <div key={moment}>{moment}</div>
      ))}
    </div>
  );
}
