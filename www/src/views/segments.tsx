// Segments: all memory of a device at a moment, to scale; stepped through event by event.

import { useMemo, useState } from "preact/hooks";
import { deviceOf } from "../charts/curve-chart";
import { CATEGORY_COLOURS } from "../charts/palette";
import { SegmentCanvas, useColours } from "../charts/segment-canvas";
import { useCommands } from "../commands";
import { Choice, Size, Table } from "../components/basics";
import { LifePanel } from "../components/life-detail";
import { MomentPicker } from "../components/moment-picker";
import { ErrorBox } from "../components/problems";
import { useQuery } from "../core/use-query";
import type { Request } from "../core/protocol";
import { bytes, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import type { View, ViewProps } from "./registry";
import { selectedLife } from "./timeline";

type SegmentsRequest = Extract<Request, { type: "segments" }>;
type FindRequest = Extract<Request, { type: "find_address" }>;
type CurvesRequest = Extract<Request, { type: "curves" }>;
type Sort = "address" | "size" | "free";

const NO_LIFE = 0xffffffff;

function SegmentsView({ at, device: chosen }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const device = deviceOf(chosen);
  const [colourBy, setColourBy] = useState<"use" | "category">("category");
  const [sort, setSort] = useState<Sort>("address");
  const [address, setAddress] = useState("");
  const [hover, setHover] = useState<{ block: number; x: number; y: number } | null>(null);
  const whole = useQuery<CurvesRequest>(at, { type: "curves", device, axis: "event", from: null, to: null, width: 1 }, "segments.whole");
  const last = (whole.data?.states[1] ?? 1) - 1;
  const state = whole.data ? Math.min(here.at ?? whole.data.peak_state, last) : null;
  const { data, error } = useQuery<SegmentsRequest>(at, state === null ? null : { type: "segments", device, state }, "segments");
  const isHex = /^(0x)?[0-9a-f]{1,16}$/i.test(address.trim());
  const found = useQuery<FindRequest>(at, isHex && state !== null ? { type: "find_address", device, state, text: address } : null, "segments.find");
  const life = selectedLife(here.sel);
  const mark = isHex ? (found.data?.block ?? null) : null;

  const order = useMemo(() => {
    const all = Array.from(data?.segments.keys() ?? []);
    const of = (index: number) => data?.segments[index];
    if (sort === "size") all.sort((a, b) => (of(b)?.size ?? 0) - (of(a)?.size ?? 0));
    if (sort === "free") all.sort((a, b) => (of(b)?.size ?? 0) - (of(b)?.active ?? 0) - (of(a)?.size ?? 0) + (of(a)?.active ?? 0));
    return all;
  }, [data, sort]);

  const step = (by: number) => state !== null && go({ at: Math.max(0, Math.min(last, state + by)) });
  useCommands([
    { id: "segments.back", name: t.commands.panLeft, keys: ["arrowleft"], run: () => step(-1), scope: "view" },
    { id: "segments.forth", name: t.commands.panRight, keys: ["arrowright"], run: () => step(1), scope: "view" },
    { id: "segments.back100", name: `${t.commands.panLeft} ×100`, keys: ["a"], run: () => step(-100), scope: "view" },
    { id: "segments.forth100", name: `${t.commands.panRight} ×100`, keys: ["d"], run: () => step(100), scope: "view" },
    { id: "segments.clear", name: t.commands.clear, keys: ["escape"], run: () => (setAddress(""), go({ sel: null })), scope: "view" },
  ]);

  const uses = useColours();
  const legend: [string, string][] = colourBy === "use" ? [1, 2, 3, 0].map((use) => [textOf(t.segments.uses, String(use)), uses[use] ?? ""]) : Object.entries(CATEGORY_COLOURS).map(([id, css]) => [textOf(t.categories, id), css]);
  return (
    <>
      <MomentPicker at={at} device={device} />
      <div class="row toolbar">
        <Choice
          label={t.segments.colourBy}
          value={colourBy}
          onChange={setColourBy}
          options={[
            ["category", t.segments.category],
            ["use", t.segments.use],
          ]}
        />
        <Choice label={t.segments.sort} value={sort} onChange={setSort} options={Object.entries(t.segments.sorts) as [Sort, string][]} />
        <span class="grow" />
        <input type="search" class="search" placeholder={t.segments.find} aria-label={t.segments.find} value={address} onInput={(event) => setAddress(event.currentTarget.value)} />
        {isHex && found.data && found.data.block === null && <span role="status">{t.segments.notFound}</span>}
      </div>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {data && data.segments.length === 0 && <p class="notice">{t.segments.none}</p>}
      {data && data.segments.length > 0 && (
        <>
          <p>
            {t.segments.summary(data.segments.length, data.live_blocks)} · {t.curves.reserved} <Size of={data.reserved} /> · {t.segments.allocated} <Size of={data.allocated} /> · {t.segments.free} <Size of={data.cached_free} />
            {data.live_blocks > 0 && <span class="faint"> · {t.segments.exact(percent(data.exact_blocks / data.live_blocks))}</span>}
          </p>
          <div class={life === null ? "with-panel" : "with-panel open"}>
            <div class="chart">
              <SegmentCanvas
                data={data}
                order={order}
                colourBy={colourBy}
                height={Math.min(520, Math.max(80, order.length * 22))}
                label={t.segments.describe(data.segments.length)}
                life={life}
                mark={mark}
                onHover={(block, x, y) => setHover(block === null ? null : { block, x, y })}
                onPick={(block) => {
                  const id = block === null ? NO_LIFE : (data.life[block] ?? NO_LIFE);
                  go({ sel: id === NO_LIFE ? null : `life:${id}` });
                }}
              />
              {hover && hover.block < data.size.length && (
                <div class="chart-tip" style={{ top: `${hover.y + 14}px`, left: `${Math.max(0, hover.x - 80)}px` }}>
                  <div>
                    <b>{bytes(data.size[hover.block] ?? 0)}</b>
                    <span>{textOf(t.segments.uses, String(data.usage[hover.block] ?? 0))}</span>
                  </div>
                  {(data.usage[hover.block] ?? 0) !== 0 && (
                    <div class="faint">
                      {t.life.size} {bytes(data.requested[hover.block] ?? 0)} · {t.segments.uses[4]} {bytes((data.size[hover.block] ?? 0) - (data.requested[hover.block] ?? 0))}
                    </div>
                  )}
                </div>
              )}
              <div class="legend">
                {legend.map(([name, css]) => (
                  <span key={name}>
                    <span class="category-mark" style={{ background: css }} />
                    {name}
                  </span>
                ))}
              </div>
            </div>
            {life !== null && <LifePanel at={at} device={device} life={life} onClose={() => go({ sel: null })} onLife={(id) => go({ sel: `life:${id}` })} onShow={(detail) => go({ view: "timeline", at: detail.birth })} />}
          </div>
          <p class="faint hint">{t.segments.help}</p>
          <details>
            <summary>{t.segments.table}</summary>
            <Table
              label={t.segments.table}
              head={[t.segments.segment, t.segments.size, t.segments.allocated, t.segments.free, t.segments.type, t.segments.pool, t.segments.stream]}
              text={[0, 4, 5]}
              rows={order.slice(0, 200).map((index) => {
                const segment = data.segments[index];
                return segment
                  ? [<code key="a">{segment.address}</code>, <Size key="s" of={segment.size} />, <Size key="l" of={segment.allocated} />, <Size key="f" of={segment.size - segment.active} />, `${textOf(t.segmentTypes, segment.segment_type)}${segment.is_expandable ? `, ${t.segments.expandable}` : ""}`, `(${segment.pool.join(", ")})`, String(segment.stream)]
                  : [];
              })}
            />
          </details>
        </>
      )}
    </>
  );
}

export const segments: View = {
  id: "segments",
  name: (t) => t.segments.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: SegmentsView,
};
