// The parts of ECharts that this page uses, and nothing else of it.

import { LineChart } from "echarts/charts";
import { GridComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([LineChart, GridComponent, CanvasRenderer]);

export { init };
export type { EChartsType } from "echarts/core";

/** The value of a CSS variable: drawings on canvas take their colours from the style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
