// One lane an operator name. Only the lanes in sight are asked for and drawn.

import { useState } from "preact/hooks";
import { drawLanes, LANE, laneAt } from "../../../src/export/ops_page/draw";
import { TimeCanvas } from "../charts/time-canvas";
import { quietly, useQuery } from "../core/use-query";
import type { Request } from "../core/protocol";
import { bytes } from "../format";
import { useTexts } from "../i18n";
import { clock } from "./clock";
import { LEFT } from "./curves";
import type { RunState } from "./state";

type LanesRequest = Extract<Request, { type: "ops_lanes" }>;
type HitRequest = Extract<Request, { type: "ops_hit" }>;

const MOST_HEIGHT = 13 * LANE;

export function Lanes({ run }: { run: RunState }) {
  const t = useTexts();
  const [width, setWidth] = useState(0);
  const [text, setText] = useState("");
  const [top, setTop] = useState(0);
  const [pointer, setPointer] = useState<{ x: number; y: number } | null>(null);
  const { from, to } = run.shown;
  const first = Math.floor(top / LANE);
  const { data, busy } = useQuery<LanesRequest>(run.at, width > 0 ? { type: "ops_lanes", from, to, width, first, count: MOST_HEIGHT / LANE + 1, text, block_release: run.block } : null, "ops.lanes");
  const lanes = data?.lanes;
  const total = lanes?.total ?? 0;
  const height = Math.min(MOST_HEIGHT, Math.max(LANE, total * LANE));
  const positionAt = (x: number) => from + (x / Math.max(1, width)) * (to - from);
  const under = pointer === null ? null : laneAt(pointer.y, top);
  const request = (x: number, y: number): HitRequest => {
    const { lane, track } = laneAt(y, top);
    return { type: "ops_hit", lane, track, from: Math.floor(positionAt(x)), to: Math.ceil(positionAt(x + 1)), text };
  };
  const hit = useQuery<HitRequest>(run.at, pointer === null ? null : request(pointer.x, pointer.y), "ops.hit");
  const pick = async (x: number, y: number) => {
    const reply = await run.at.core.query(run.at.doc, request(x, y), "ops.pick");
    const [found] = reply.lines;
    if (found) run.choose(found.row);
  };
  const lines = pointer !== null && hit.data ? hit.data.lines : [];
  return (
    <>
      <div class="row toolbar">
        <label class="field">
          <span class="faint">{t.operators.laneFilter}</span>
          <input type="search" class="search" value={text} onInput={(event) => (setText(event.currentTarget.value), setTop(0))} />
        </label>
        <span class="faint hint">{t.operators.lanesHelp}</span>
      </div>
      {lanes && total === 0 && <p class="notice">{t.operators.noLane}</p>}
      <div class="chart lanes" data-ready={lanes && !busy ? "yes" : ""} data-lanes={total}>
        <div class="lanes-scroll" style={{ height: `${height}px` }} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
          <div style={{ height: `${total * LANE}px` }}>
            <div class="lanes-fixed">
              <TimeCanvas
                left={LEFT}
                height={height}
                label={t.operators.lanesLabel(total)}
                shown={run.shown}
                extent={run.extent}
                mode={run.mode}
                draw={(canvas, width) => lanes && drawLanes(canvas, { left: LEFT, width, height, top, shown: run.shown, lanes, selected: run.interval, chosen: run.row, hover: under?.lane ?? null, note: (lane) => t.operators.laneNote(bytes(lane.bytes), lane.rows), unnamed: t.operators.unnamed })}
                of={[lanes, top, run.interval, run.row, under?.lane, t]}
                onWidth={setWidth}
                onShow={run.show}
                onSelect={run.select}
                onHover={(point) => {
                  setPointer(point);
                  run.setCross(point === null ? null : positionAt(point.x));
                }}
                onPick={(x, y) => quietly(pick(x, y))}
                cross={run.cross}
              >
                {pointer !== null && lines.length > 0 && (
                  <div class="chart-tip wide" style={{ top: pointer.y < height / 2 ? `${pointer.y + 14}px` : "auto", ...(pointer.y < height / 2 ? {} : { bottom: `${height - pointer.y + 10}px` }), ...(pointer.x < width / 2 ? { left: `${LEFT + pointer.x + 14}px` } : { right: `${width - pointer.x + 14}px` }) }}>
                    <b>{lines[0]?.name || t.operators.unnamed}</b>
                    {lines.slice(0, 4).map((line) => (
                      <div key={line.row}>
                        <span class="figure">{bytes(line.size)}</span>
                        <span>
                          {line.start === null ? "" : clock(line.start)} · {line.end === null ? t.operators.never : clock(line.end - (line.start ?? 0), 0)} · {t.operators.match[line.match]}
                        </span>
                        <div class="mono faint">{line.stack_top}</div>
                      </div>
                    ))}
                    {hit.data && hit.data.total > 4 && <div class="faint">{t.operators.more(hit.data.total - 4)}</div>}
                  </div>
                )}
              </TimeCanvas>
            </div>
          </div>
        </div>
      </div>
    </>
  );
}
