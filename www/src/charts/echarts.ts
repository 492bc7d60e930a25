// The parts of ECharts that this page uses, and nothing else of it: what a chart is called the page says in the
// language of the reader.

import { BarChart, LineChart } from "echarts/charts";
import { GridComponent, TooltipComponent } from "echarts/components";
import { getInstanceByDom, init, use } from "echarts/core";
import type { EChartsType } from "echarts/core";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

use([BarChart, LineChart, GridComponent, TooltipComponent, CanvasRenderer, SVGRenderer]);

export { init };
export { colour } from "./colour";
export type { EChartsType };

/** The chart that draws on a canvas, if one of ECharts does. */
export function chartOf(canvas: HTMLCanvasElement): EChartsType | undefined {
  const element = canvas.closest<HTMLElement>("[_echarts_instance_]");
  return (element && getInstanceByDom(element)) ?? undefined;
}

/** Draws all charts at most `width` pixels wide, as paper wants them; without one, as wide as they stand. */
export function fitCharts(width?: number): void {
  for (const element of document.querySelectorAll<HTMLElement>("[_echarts_instance_]")) {
    const chart = getInstanceByDom(element);
    chart?.resize({ width: width === undefined ? "auto" : Math.min(width, element.clientWidth) });
    chart?.getZr().flush();
  }
}

/** The same chart as SVG. */
export function chartSvg(chart: EChartsType): string {
  const size = { width: chart.getWidth(), height: chart.getHeight() };
  const again = init(null, null, { renderer: "svg", ssr: true, ...size });
  again.setOption({ ...(chart.getOption() as object), animation: false });
  const text = again.renderToSVGString();
  again.dispose();
  return text;
}

/**
 * Draws a chart that nobody sees. The first one of a page takes five times as long as the next, while
 * the engine learns the code; better when the user is still looking for a file.
 */
export function warmUp(): void {
  const chart = init(document.createElement("div"), null, { renderer: "canvas", width: 300, height: 100 });
  const data = Float64Array.from({ length: 2000 }, (_, i) => (i % 2 === 0 ? i : (i * 7919) % 1009));
  const series = ["a", "b", "c"].map((id) => ({ id, type: "line", step: "end", showSymbol: false, dimensions: ["x", "y"], data, areaStyle: {} }));
  for (let i = 0; i < 3; i++) {
    chart.setOption({ animation: false, xAxis: { type: "value", min: i }, yAxis: { type: "value" }, series });
    chart.getZr().flush();
  }
  chart.dispose();
  setTimeout(warmUpEvidence, 50);
}

/** The same for the small charts of evidence, which have a second axis and figures under the pointer. */
function warmUpEvidence(): void {
  const chart = init(document.createElement("div"), null, { renderer: "canvas", width: 300, height: 100 });
  const points = Array.from({ length: 200 }, (_, i) => [i, (i * 7919) % 1009]);
  chart.setOption({
    animation: false,
    tooltip: { trigger: "axis", confine: true },
    xAxis: { type: "value", name: "x", nameLocation: "middle", min: "dataMin", max: "dataMax" },
    yAxis: [{ type: "value" }, { type: "value", min: 0, max: 1, splitLine: { show: false } }],
    series: [0, 0, 1].map((yAxisIndex, i) => ({ name: String(i), type: "line", step: i === 0 ? "end" : false, yAxisIndex, data: points, symbol: "none" })),
  });
  chart.getZr().flush();
  chart.dispose();
  // Tests that measure wait for this.
  performance.mark("warm");
}
