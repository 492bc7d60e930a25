// The page that the terminal writes for one rank: curve 1, lanes, details, call stacks. The rows lie in the
// page itself, packed; nothing else is read.

import { FLOATS, IDS, OpsRun } from "./run.js";
import { drawCurves, drawLanes, LANE, laneAt } from "./draw.js";
import { listen } from "./surface.js";
import { panSpan, showsAll, zoomSpan } from "./span.js";

/** @typedef {import("./span.js").Span} Span */

const LEFT = 196;
const NARROWEST = 1000;
const CURVE_HEIGHT = 260;
const MOST_LANES = 14;

const TEXTS = {
  en: {
    curve: "Memory over time",
    help: "The wheel zooms, dragging pans, Shift + drag zooms into a range, a double click shows everything; keys W S A D 0. Click for the ten largest of a moment.",
    lanes: "Operators, one lane each",
    lanesHelp: "Rows that are live together stand below one another. Orange: never released. A click shows the row.",
    filter: "Name contains",
    peak: "Peak of listed rows",
    unreleased: "Never released",
    rows: "Rows",
    matches: "Call stacks",
    match: { exact: "exact", flow: "by queue", approximate: "approximate", inherited: "inherited", none: "none" },
    live: "Live rows",
    allocated: "Total allocated",
    reserved: "Total reserved",
    active: "Total active",
    at: (/** @type {string} */ time) => `at ${time}`,
    count: (/** @type {number} */ n) => `${n.toLocaleString("en")} ${n === 1 ? "row" : "rows"}`,
    unnamed: "(unnamed)",
    never: "never released",
    size: "Size",
    start: "Start",
    micros: "Start, µs",
    duration: "Duration",
    stack: "Call stack",
    found: "Stack found",
    noStack: "no call stack",
    overlaps: (/** @type {number} */ n) => `${n.toLocaleString("en")} other ${n === 1 ? "row" : "rows"} of this name at the same time`,
    stream: "Stream",
  },
  zh: {
    curve: "内存随时间的变化",
    help: "滚轮缩放，拖动平移，Shift + 拖动放大到区间，双击显示全部；按键 W S A D 0。点击查看某一时刻最大的十条。",
    lanes: "每个算子一条泳道",
    lanesHelp: "同时存活的记录上下排开。橙色：从未释放。点击查看该记录。",
    filter: "名称包含",
    peak: "所列记录的峰值",
    unreleased: "从未释放",
    rows: "记录",
    matches: "调用栈",
    match: { exact: "精确", flow: "经队列", approximate: "近似", inherited: "继承", none: "无" },
    live: "存活记录",
    allocated: "已分配总量",
    reserved: "保留总量",
    active: "活跃总量",
    at: (/** @type {string} */ time) => `在 ${time}`,
    count: (/** @type {number} */ n) => `${n.toLocaleString("en")} 条`,
    unnamed: "（无名）",
    never: "从未释放",
    size: "大小",
    start: "开始",
    micros: "开始（微秒）",
    duration: "时长",
    stack: "调用栈",
    found: "调用栈来源",
    noStack: "没有调用栈",
    overlaps: (/** @type {number} */ n) => `同时存活的同名记录：${n.toLocaleString("en")} 条`,
    stream: "流",
  },
};
const t = document.documentElement.lang.startsWith("zh") ? TEXTS.zh : TEXTS.en;

/** @param {number} n */
function bytesText(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let size = Math.abs(n);
  while (size >= 1023.995 && unit + 1 < units.length) {
    size /= 1024;
    unit++;
  }
  return `${n < 0 ? "−" : ""}${unit === 0 ? size : size.toFixed(2).replace(/\.?0+$/, "")} ${units[unit]}`;
}

/** @param {number} nanos @param {number} [resolution] */
function timeText(nanos, resolution = 1000) {
  const [unit, name] = Math.abs(nanos) < 1e6 ? [1e3, "µs"] : Math.abs(nanos) < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  return `${(nanos / unit).toFixed(Math.min(9, Math.max(0, Math.ceil(-Math.log10(resolution / unit)))))} ${name}`;
}

const format = { bytes: (/** @type {number} */ n) => bytesText(n), time: timeText };

/**
 * An element with text and children: text of a file is never markup.
 * @param {string} tag @param {Record<string, string>} attributes @param {...(string | Node)} children
 */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** @param {string} id */
function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(id);
  return found;
}

/** Unpacks what the terminal laid in: a length, a text of JSON, then the columns one after the other. */
async function unpacked() {
  const packed = Uint8Array.from(atob((byId("data").textContent ?? "").trim()), (c) => c.charCodeAt(0));
  const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  /** @type {{ head: OpsHead, rows: number, series: number[], stacks: string[] }} */
  const meta = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length)));
  let at = 8 + Math.ceil(length / 8) * 8;
  const floats = (/** @type {number} */ count) => {
    const part = new Float64Array(bytes, at, count);
    at += count * 8;
    return part;
  };
  /** @type {Record<string, Float64Array | Uint32Array | Float64Array[]>} */
  const columns = {};
  for (const name of FLOATS) columns[name] = floats(meta.rows);
  columns["series"] = meta.series.map(floats);
  for (const name of IDS) {
    columns[name] = new Uint32Array(bytes, at, meta.rows);
    at += meta.rows * 4;
  }
  const { stacks } = meta;
  return new OpsRun(meta.head, /** @type {OpsColumns} */ (/** @type {unknown} */ (columns)), {
    stack: (id) => stacks[id] ?? "",
    stacksWith: (text) => stacks.flatMap((stack, id) => (stack.toLowerCase().includes(text) ? [id] : [])),
  });
}

const run = await unpacked();
const { head } = run;
const extent = { from: 0, to: Math.max(head.range[1], NARROWEST) };
const state = {
  shown: extent,
  /** @type {number | null} */
  moment: null,
  /** @type {number | null} */
  chosen: null,
  filter: "",
  /** @type {number | null} */
  cross: null,
  /** @type {number | null} */
  lane: null,
};

byId("curve-title").textContent = t.curve;
byId("curve-help").textContent = t.help;
byId("lanes-title").textContent = t.lanes;
byId("lanes-help").textContent = t.lanesHelp;
byId("filter-name").textContent = t.filter;
const kinds = Object.entries(head.report.matches).filter(([, n]) => n > 0);
for (const [name, value, note] of [
  [t.peak, bytesText(head.report.peak_bytes), head.peak_at === null ? "" : t.at(timeText(head.peak_at))],
  [t.unreleased, bytesText(head.report.unreleased_bytes), t.count(head.report.unreleased_count)],
  [t.rows, head.report.rows_total.toLocaleString("en"), head.report.device],
  [t.matches, (head.report.rows_total - head.report.matches.none).toLocaleString("en"), kinds.map(([kind, n]) => `${t.match[/** @type {OpsMatch} */ (kind)]} ${n.toLocaleString("en")}`).join(", ")],
])
  byId("cards").append(make("div", {}, make("span", { class: "faint" }, name ?? ""), make("b", {}, value ?? ""), make("span", { class: "faint" }, note ?? "")));

// --- drawing -------------------------------------------------------------------------------------

const curve = parts(byId("curve"));
const lanes = parts(byId("lanes"));
const scroller = byId("lanes");
const tall = /** @type {HTMLElement} */ (scroller.querySelector(".tall"));

/** @param {HTMLElement} frame */
function parts(frame) {
  const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (frame.querySelector(selector));
  return { frame, canvas: /** @type {HTMLCanvasElement} */ (find("canvas")), cross: find(".cross"), box: find(".box"), tip: find(".tip") };
}

const plotWidth = () => Math.max(64, Math.floor(curve.frame.clientWidth - LEFT));
const laneWidth = () => Math.max(64, Math.floor(tall.clientWidth - LEFT));
const laneCount = () => run.lanesWith(state.filter).length;
const lanesHeight = () => Math.min(MOST_LANES, Math.max(1, laneCount())) * LANE;

let asked = false;
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw();
  });
}

function draw() {
  const { shown } = state;
  const all = run.curves(shown.from, shown.to, plotWidth());
  const points = (/** @type {string} */ what) => all[head.series.findIndex((each) => each.group === "rows" && each.what === what)] ?? new Float64Array();
  const marks = [];
  if (head.peak_at !== null) marks.push({ at: head.peak_at, name: bytesText(head.report.peak_bytes) });
  if (state.moment !== null) marks.push({ at: state.moment, name: timeText(state.moment) });
  size(curve.canvas, LEFT + plotWidth(), CURVE_HEIGHT);
  drawCurves(
    curve.canvas,
    {
      left: LEFT,
      width: plotWidth(),
      height: CURVE_HEIGHT,
      shown,
      lines: [
        { points: points("live"), colour: "accent", fill: true },
        { points: points("allocated"), colour: "series-active", dashed: true },
      ],
      steps: head.steps,
      selected: null,
      marks,
    },
    format,
  );
  const [width, height, top] = [laneWidth(), lanesHeight(), scroller.scrollTop];
  tall.style.height = `${laneCount() * LANE}px`;
  scroller.style.height = `${height + 2}px`;
  size(lanes.canvas, LEFT + width, height);
  const window = run.laneWindow(shown.from, shown.to, width, Math.floor(top / LANE), MOST_LANES + 1, state.filter);
  drawLanes(lanes.canvas, { left: LEFT, width, height, top, shown, lanes: window, selected: null, chosen: state.chosen, hover: state.lane, note: (lane) => `${bytesText(lane.bytes)} · ${t.count(lane.rows)}`, unnamed: t.unnamed });
  for (const each of [curve, lanes]) {
    const x = state.cross === null ? -1 : LEFT + ((state.cross - shown.from) / (shown.to - shown.from)) * (each === curve ? plotWidth() : width);
    each.cross.style.display = x >= LEFT ? "block" : "none";
    each.cross.style.left = `${x}px`;
  }
}

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function size(canvas, width, height) {
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}

/** @param {Span | null} next */
function show(next) {
  state.shown = next && !showsAll(next, extent) ? next : extent;
  redraw();
}

/** @param {typeof curve} where @param {{ x: number, y: number } | null} point @param {Node[]} content */
function tip(where, point, content) {
  const { tip: box } = where;
  box.style.display = point && content.length > 0 ? "block" : "none";
  if (!point || content.length === 0) return;
  box.replaceChildren(...content);
  const left = point.x < plotWidth() / 2;
  box.style.left = left ? `${LEFT + point.x + 14}px` : "auto";
  box.style.right = left ? "auto" : `${plotWidth() - point.x + 14}px`;
  const below = where === curve || point.y < lanesHeight() / 2;
  box.style.top = where === curve ? "8px" : below ? `${point.y + 14}px` : "auto";
  box.style.bottom = below ? "auto" : `${lanesHeight() - point.y + 10}px`;
}

/** @param {OpsLine} line */
const nameOf = (line) => (line.name === "" ? t.unnamed : line.name);
/** @param {OpsLine} line */
const durationOf = (line) => (line.end === null ? t.never : timeText(line.end - (line.start ?? 0)));
/** @param {number} x @param {number} width */
const timeAt = (x, width) => state.shown.from + (x / width) * (state.shown.to - state.shown.from);

/** @param {typeof curve} where @param {() => number} width @param {(point: { x: number, y: number } | null) => Node[]} hover @param {(x: number, y: number) => void} pick */
function surface(where, width, hover, pick) {
  listen(where.canvas, () => ({
    left: LEFT,
    width: width(),
    shown: state.shown,
    extent,
    least: NARROWEST,
    mode: "pan",
    onShow: show,
    onSelect: () => undefined,
    onHover: (point) => {
      state.cross = point === null ? null : timeAt(point.x, width());
      tip(where, point, hover(point));
      redraw();
    },
    onPick: pick,
    onBox: (box) => {
      where.box.style.display = box ? "block" : "none";
      if (box) Object.assign(where.box.style, { left: `${LEFT + box.from}px`, width: `${box.to - box.from}px` });
    },
  }));
}

surface(
  curve,
  plotWidth,
  (point) => {
    if (!point) return [];
    const moment = run.moment(timeAt(point.x, plotWidth()), 10);
    return [
      make("b", {}, timeText(moment.at, (state.shown.to - state.shown.from) / 1000)),
      make("div", {}, make("span", {}, t.live), make("span", {}, bytesText(moment.bytes))),
      ...(moment.allocated === null ? [] : [make("div", {}, make("span", {}, t.allocated), make("span", {}, bytesText(moment.allocated)))]),
      make("div", { class: "faint" }, t.count(moment.rows)),
      ...moment.top.map((line) => make("div", {}, make("span", {}, nameOf(line)), make("span", {}, bytesText(line.size)))),
    ];
  },
  (x) => {
    state.moment = timeAt(x, plotWidth());
    const moment = run.moment(state.moment, 10);
    byId("moment").replaceChildren(
      make("table", {}, ...moment.top.map((line) => make("tr", {}, make("td", {}, opener(line, nameOf(line))), make("td", { class: "number" }, bytesText(line.size)), make("td", {}, line.stack_top)))),
    );
    redraw();
  },
);

/** @param {number} x @param {number} y */
function under(x, y) {
  const { lane, track } = laneAt(y, scroller.scrollTop);
  return run.hit(lane, track, timeAt(x, laneWidth()), timeAt(x + 1, laneWidth()), state.filter, 5);
}
surface(
  lanes,
  laneWidth,
  (point) => {
    state.lane = point === null ? null : laneAt(point.y, scroller.scrollTop).lane;
    if (!point) return [];
    const { lines } = under(point.x, point.y);
    const [first] = lines;
    return first === undefined ? [] : [make("b", {}, nameOf(first)), ...lines.map((line) => make("div", {}, make("span", {}, bytesText(line.size)), make("span", {}, `${line.start === null ? "" : timeText(line.start)} · ${durationOf(line)}`)))];
  },
  (x, y) => {
    const [found] = under(x, y).lines;
    if (found) choose(found.row);
  },
);

// --- details -------------------------------------------------------------------------------------

/** @param {OpsLine} line @param {string} text */
function opener(line, text) {
  const button = make("button", { type: "button" }, text);
  button.addEventListener("click", () => choose(line.row));
  return button;
}

/** @param {number} row */
function choose(row) {
  state.chosen = row;
  const { line, stack, overlap_count, overlaps } = run.detail(row, 50);
  const micros = line.start === null ? "–" : (BigInt(head.base_ns) + BigInt(Math.round(line.start))).toString().replace(/(\d{3})$/, ".$1");
  const frames = stack === "" ? [] : stack.split(/;\r?\n/);
  /** @type {[string, string][]} */
  const facts = [
    [t.size, `${bytesText(line.size)} (${line.size.toLocaleString("en")} B)`],
    [t.start, line.start === null ? "–" : timeText(line.start)],
    [t.micros, micros],
    [t.duration, durationOf(line)],
    [t.allocated, line.allocated === null ? "–" : bytesText(line.allocated)],
    [t.reserved, line.reserved === null ? "–" : bytesText(line.reserved)],
    [t.active, line.active === null ? "–" : bytesText(line.active)],
    [t.stream, line.stream === null ? line.device : `${line.stream} · ${line.device}`],
    [t.found, t.match[line.match]],
  ];
  byId("detail").replaceChildren(
    make("b", {}, nameOf(line)),
    make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
    make("b", {}, t.stack),
    frames.length === 0 ? make("p", { class: "faint" }, t.noStack) : make("ol", {}, ...frames.map((frame) => make("li", {}, frame))),
    make("b", {}, t.overlaps(overlap_count)),
    make("div", {}, ...overlaps.map((other) => make("div", {}, opener(other, bytesText(other.size)), ` ${durationOf(other)}`))),
  );
  redraw();
}

scroller.addEventListener("scroll", redraw);
byId("filter").addEventListener("input", (event) => {
  state.filter = /** @type {HTMLInputElement} */ (event.target).value;
  scroller.scrollTop = 0;
  redraw();
});
addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const { shown } = state;
  const key = event.key.toLowerCase();
  if (key === "w") show(zoomSpan(shown, 0.6, 0.5, extent, NARROWEST));
  else if (key === "s") show(zoomSpan(shown, 1 / 0.6, 0.5, extent, NARROWEST));
  else if (key === "a") show(panSpan(shown, -0.2, extent, NARROWEST));
  else if (key === "d") show(panSpan(shown, 0.2, extent, NARROWEST));
  else if (key === "0") show(null);
});
new ResizeObserver(redraw).observe(curve.frame);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
redraw();
document.body.dataset["ready"] = "yes";
