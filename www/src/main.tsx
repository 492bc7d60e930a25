// Where the page begins.

import { render } from "preact";
import { App } from "./app";
import { fitCharts, warmUp } from "./charts/echarts";
import { keepSpareCore } from "./core/client";
import { applyTheme, settings } from "./state/settings";

applyTheme();
settings.subscribe(() => applyTheme());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => applyTheme());

// On paper the page is light, and what is folded is open. A drawing's table is made when it is opened, and stays away.
/** Pixels across a sheet of A4 between its margins, and its frame. */
const PAPER = 700;
let folded: HTMLDetailsElement[] = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open], .chart-table)")];
  for (const details of folded) details.open = true;
  applyTheme("light");
  // Once what follows the theme is rendered, which is done when this task ends.
  queueMicrotask(() => fitCharts(PAPER));
});
addEventListener("afterprint", () => {
  for (const details of folded) details.open = false;
  applyTheme();
  queueMicrotask(() => fitCharts());
});

const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
// The wasm module compiles, and the chart's code warms up, while the user looks for a file.
setTimeout(keepSpareCore, 0);
setTimeout(warmUp, 400);
