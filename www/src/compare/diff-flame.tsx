// The flame graph of a difference: orange where B holds more, blue where it holds less.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { colour } from "../charts/echarts";
import { useCommands } from "../commands";
import { Choice } from "../components/basics";
import { FlameOrder } from "../components/flame-order";
import { Picture } from "../components/picture";
import { PointerTip } from "../components/pointer-tip";
import { useWidth } from "../components/use-width";
import { bytes, middle, percent } from "../format";
import { useTexts } from "../i18n";
import type { Texts } from "../i18n";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { signed } from "./diff";
import { build, layout } from "./flame";
import type { FlameBox, FlameNode, Weigh } from "./flame";
import { diffInk } from "./inks";
import type { Paths } from "./types";

const ROW = 18;
const MOST_ROWS = 120;

function labelOf(node: FlameNode | undefined, t: Texts): string {
  if (!node) return "";
  if (node.label !== null) return node.label;
  return { root: t.flame.everything, no_stack: t.flame.noStack, freed_at: t.flame.freedAt, hidden: t.flame.hidden }[node.special ?? "root"];
}

export function DiffFlame({ paths }: { paths: Paths }) {
  const t = useTexts();
  const theme = useStore(themeVersion);
  const [weigh, setWeigh] = useState<Weigh>("difference");
  const [innermost, setInnermost] = useState(false);
  const [hideNative, setHideNative] = useState(true);
  const [hideFramework, setHideFramework] = useState(false);
  const [zoom, setZoom] = useState(0);
  const [typed, setTyped] = useState("");
  const [hover, setHover] = useState<{ x: number; y: number; node: number } | null>(null);
  const [frame, width] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);

  const nodes = useMemo(() => build(paths, { weigh, innermost, hideNative, hideFramework }), [paths, weigh, innermost, hideNative, hideFramework]);
  useEffect(() => setZoom(0), [nodes]);
  const boxes = useMemo(() => (width > 0 ? layout(nodes, zoom < nodes.length ? zoom : 0, 0.6 / width) : []), [nodes, zoom, width]);
  const rows = Math.min(MOST_ROWS, 1 + boxes.reduce((most, box) => Math.max(most, box.row), 0));

  useEffect(() => {
    if (canvas.current && width > 0) draw(canvas.current, nodes, boxes, width, rows, typed.trim().toLowerCase(), t);
  }, [boxes, rows, theme, t, typed]);

  const boxAt = (event: MouseEvent): FlameBox | undefined => {
    const edge = canvas.current?.getBoundingClientRect();
    if (!edge) return undefined;
    const x = (event.clientX - edge.left) / Math.max(1, width);
    const row = Math.floor((event.clientY - edge.top) / ROW);
    return boxes.find((box) => box.row === row && box.x <= x && x < box.x + box.width);
  };
  useCommands([
    { id: "flame.all", name: t.commands.everything, keys: ["0", "home"], run: () => (setZoom(0), setTyped("")), scope: "view" },
    { id: "flame.search", name: t.commands.search, keys: ["/"], run: () => searchBox.current?.focus(), scope: "view" },
    // The selection in the address is what is compared: it stays.
    { id: "flame.clear", name: t.commands.clear, keys: ["escape"], run: () => (setZoom(0), setTyped(""), searchBox.current?.blur()), scope: "view" },
  ]);

  const shown = hover ? nodes[hover.node] : undefined;
  const widest = useMemo(() => [...boxes].sort((x, y) => Math.abs((nodes[y.node]?.b ?? 0) - (nodes[y.node]?.a ?? 0)) - Math.abs((nodes[x.node]?.b ?? 0) - (nodes[x.node]?.a ?? 0))).slice(0, 60), [boxes]);
  return (
    <>
      <div class="row toolbar">
        <Choice label={t.compare.weigh} value={weigh} onChange={setWeigh} options={[["difference", t.compare.weighs.difference], ["larger", t.compare.weighs.larger]]} />
        <FlameOrder {...{ innermost, setInnermost, hideNative, setHideNative, hideFramework, setHideFramework }} />
        <span class="grow" />
        <input ref={searchBox} type="search" class="search" placeholder={t.flame.search} aria-label={t.flame.search} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      </div>
      <div class="legend">
        <span>
          <i class="dot" style={{ background: diffInk(1) }} />
          {t.compare.more}
        </span>
        <span>
          <i class="dot" style={{ background: diffInk(-1) }} />
          {t.compare.less}
        </span>
      </div>
      {(nodes[0]?.weight ?? 0) === 0 && <p class="faint">{t.compare.nothingDiffers}</p>}
      <div ref={frame} class="flame">
        <canvas
          ref={canvas}
          role="img"
          aria-label={t.flame.describe(boxes.length)}
          style={{ width: `${width}px`, height: `${Math.max(1, rows) * ROW}px` }}
          onClick={(event) => {
            const box = boxAt(event);
            if (box) setZoom(box.node);
          }}
          onPointerMove={(event) => {
            const box = boxAt(event);
            setHover(box ? { x: event.clientX, y: event.clientY, node: box.node } : null);
          }}
          onPointerLeave={() => setHover(null)}
        />
        <Picture name="difference" />
        {hover && shown && (
          <PointerTip x={hover.x} y={hover.y}>
            <div class="mono wrap">{labelOf(shown, t)}</div>
            <div>
              <b>{signed(shown.b - shown.a)}</b>
              <span>A {bytes(shown.a)}</span>
              <span>B {bytes(shown.b)}</span>
              {shown.a > 0 && <span class="faint">{`${shown.b < shown.a ? "−" : "+"}${percent(Math.abs(shown.b - shown.a) / shown.a)}`}</span>}
            </div>
          </PointerTip>
        )}
      </div>
      <p class="faint hint">{t.flame.help}</p>
      <details class="chart-table">
        <summary>{t.flame.table}</summary>
        <div class="table-frame">
          <table aria-label={t.flame.table}>
            <thead>
              <tr>
                <th scope="col">{t.flame.box}</th>
                <th scope="col" class="number">{t.flame.level}</th>
                <th scope="col" class="number">A</th>
                <th scope="col" class="number">B</th>
                <th scope="col" class="number">B − A</th>
              </tr>
            </thead>
            <tbody>
              {widest.map(({ node }) => (
                <tr key={node}>
                  <td class="mono wrap">
                    <button type="button" class="quiet small as-text" onClick={() => setZoom(node)}>
                      {labelOf(nodes[node], t)}
                    </button>
                  </td>
                  <td class="number">{nodes[node]?.depth}</td>
                  <td class="number">{bytes(nodes[node]?.a ?? 0)}</td>
                  <td class="number">{bytes(nodes[node]?.b ?? 0)}</td>
                  <td class="number">{signed((nodes[node]?.b ?? 0) - (nodes[node]?.a ?? 0))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function draw(canvas: HTMLCanvasElement, nodes: readonly FlameNode[], boxes: readonly FlameBox[], width: number, rows: number, search: string, t: Texts): void {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(Math.max(1, rows) * ROW * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  context.font = "11px ui-monospace, Consolas, monospace";
  const [ink, ground, accent] = [colour("text"), colour("bg-3"), colour("accent")];
  for (const box of boxes) {
    const node = nodes[box.node];
    if (!node || box.row >= rows) continue;
    const text = labelOf(node, t);
    const diff = node.b - node.a;
    // Half of a box that differs is as strong as it gets: differences are mostly small parts of what is there.
    const strength = Math.min(1, (2 * Math.abs(diff)) / Math.max(1, node.a, node.b));
    const wide = box.width * width;
    const place = [box.x * width, box.row * ROW, Math.max(0.6, wide - (wide > 2 ? 1 : 0)), ROW - 1] as const;
    context.fillStyle = ground;
    context.fillRect(...place);
    if (search === "" ? diff !== 0 : text.toLowerCase().includes(search)) {
      context.fillStyle = search === "" ? diffInk(diff, 0.16 + 0.5 * strength) : accent;
      context.fillRect(...place);
    }
    if (wide > 34) {
      context.fillStyle = ink;
      context.fillText(middle(text, Math.max(3, Math.floor((wide - 8) / 6.7))), place[0] + 4, box.row * ROW + 12.5);
    }
  }
}
