// A chart as a picture. PNG: what is on its canvases, over the page's ground. SVG: charts of ECharts as that
// draws them in SVG; our own are drawn once more, on a context that writes SVG instead of pixels. The names of
// the curves and the marks of a scale, which stand beside a chart as elements, are written above it.

import { themeVersion } from "../state/settings";
import { chartOf, chartSvg, colour } from "./echarts";
import { SvgContext, escaped } from "./svg-context";

interface Piece {
  canvas: HTMLCanvasElement;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Picture {
  pieces: Piece[];
  width: number;
  height: number;
  /** Names of the curves, with their colours. */
  names: readonly (readonly [string, string])[];
  /** Marks of the scale above the chart: where, and what they are called. */
  ticks: readonly (readonly [number, string])[];
  /** Where the scale begins. */
  scaleTop: number;
}

const HEAD = 24;
const SCALE = 18;
const FONT = "12px system-ui, sans-serif";

/** The canvases inside an element, where they lie in it, without empty ones. */
function pictureOf(element: HTMLElement): Picture {
  const all = [...element.querySelectorAll("canvas")].map((canvas) => ({ canvas, edge: canvas.getBoundingClientRect() })).filter(({ canvas, edge }) => canvas.width > 0 && edge.width > 0 && edge.height > 0);
  const left = Math.min(...all.map(({ edge }) => edge.left));
  const top = Math.min(...all.map(({ edge }) => edge.top));
  const legend = element.closest(".chart, .section")?.querySelectorAll<HTMLElement>(".legend-item:not(.off)") ?? [];
  const names = [...legend].flatMap((item): [string, string][] => {
    const swatch = item.querySelector<HTMLElement>(".swatch, .dot");
    return swatch ? [[item.textContent?.trim() ?? "", getComputedStyle(swatch).backgroundColor]] : [];
  });
  const head = names.length > 0 ? HEAD : 0;
  const ticks = [...element.querySelectorAll<HTMLElement>(".segment-tick")].map((tick): [number, string] => [tick.getBoundingClientRect().left - left, tick.textContent?.trim() ?? ""]);
  const above = head + (ticks.length > 0 ? SCALE : 0);
  const pieces = all.map(({ canvas, edge }) => ({ canvas, x: edge.left - left, y: edge.top - top + above, width: edge.width, height: edge.height }));
  return {
    pieces,
    names,
    ticks,
    scaleTop: head,
    width: Math.max(1, ...pieces.map((piece) => piece.x + piece.width)),
    height: Math.max(1, ...pieces.map((piece) => piece.y + piece.height)),
  };
}

/** Writes the names of the curves along the top, and the scale below them. */
function drawHead(context: Pick<CanvasRenderingContext2D, "fillStyle" | "font" | "fillRect" | "fillText" | "measureText">, { names, ticks, scaleTop }: Picture): void {
  context.font = FONT;
  let x = 10;
  for (const [name, ink] of names) {
    context.fillStyle = ink;
    context.fillRect(x, 8, 10, 10);
    context.fillStyle = colour("text");
    context.fillText(name, x + 15, 17);
    x += 15 + context.measureText(name).width + 18;
  }
  for (const [at, name] of ticks) {
    context.fillStyle = colour("line-2");
    context.fillRect(at, scaleTop, 1, SCALE);
    context.fillStyle = colour("text-2");
    context.fillText(name, at + 4, scaleTop + 13);
  }
}

export function pngOf(element: HTMLElement): Promise<Blob> {
  const picture = pictureOf(element);
  const { pieces, width, height } = picture;
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return Promise.reject(new Error("this browser draws no picture of that size"));
  context.scale(ratio, ratio);
  context.fillStyle = colour("bg");
  context.fillRect(0, 0, width, height);
  drawHead(context, picture);
  for (const piece of pieces) context.drawImage(piece.canvas, piece.x, piece.y, piece.width, piece.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("this browser draws no picture of that size"))), "image/png"));
}

export async function svgOf(element: HTMLElement): Promise<Blob> {
  const picture = pictureOf(element);
  const { pieces, width, height } = picture;
  const drawn = await drawnAgain(pieces.filter(({ canvas }) => chartOf(canvas) === undefined).map(({ canvas }) => canvas));
  const head = new SvgContext();
  head.fillStyle = colour("bg");
  head.fillRect(0, 0, width, height);
  drawHead(head, picture);
  const seen = new Set<unknown>();
  const parts = pieces.map((piece) => {
    const { canvas } = piece;
    const place = `x="${piece.x}" y="${piece.y}" width="${piece.width}" height="${piece.height}"`;
    const chart = chartOf(canvas);
    if (chart) {
      // Its layers are one drawing.
      if (seen.has(chart)) return "";
      seen.add(chart);
      return chartSvg(chart).replace("<svg ", `<svg x="${piece.x}" y="${piece.y}" `);
    }
    const context = drawn.get(canvas);
    if (context && !context.isEmpty) return `<svg ${place} viewBox="0 0 ${canvas.width / context.ratio} ${canvas.height / context.ratio}">${context.body()}</svg>`;
    return `<image ${place} href="${canvas.toDataURL("image/png")}"/>`;
  });
  const text = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(pieces[0]?.canvas.getAttribute("aria-label") ?? "")}">${head.body()}${parts.join("")}</svg>\n`;
  return new Blob([text], { type: "image/svg+xml" });
}

const frame = () => new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done)));

/**
 * Lets our own charts draw once more, each on a context that writes SVG. Every drawing follows the theme, so
 * moving its number is what makes them; and once more to put the canvases right.
 */
async function drawnAgain(canvases: readonly HTMLCanvasElement[]): Promise<Map<HTMLCanvasElement, SvgContext>> {
  const drawn = new Map<HTMLCanvasElement, SvgContext>();
  if (canvases.length === 0) return drawn;
  for (const canvas of canvases) {
    canvas.getContext = ((kind: string) => {
      if (kind !== "2d") return null;
      const context = new SvgContext();
      drawn.set(canvas, context);
      return context;
    }) as unknown as HTMLCanvasElement["getContext"];
  }
  try {
    themeVersion.update((n) => n + 1);
    // Drawings come in the layout of this frame, in its callbacks, or right after it.
    await frame();
    await frame();
  } finally {
    // What stands on the element itself hides the one of its kind.
    for (const canvas of canvases) delete (canvas as Partial<HTMLCanvasElement>).getContext;
    themeVersion.update((n) => n + 1);
  }
  return drawn;
}
