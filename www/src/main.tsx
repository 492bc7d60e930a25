// Where the page begins.

import { render } from "preact";
import { App } from "./app";
import { warmUp } from "./charts/echarts";
import { keepSpareCore } from "./core/client";
import { applyTheme, settings } from "./state/settings";

applyTheme();
settings.subscribe(() => applyTheme());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => applyTheme());

// On paper the page is light, and what is folded is open. A drawing's table is made when it is opened, and stays away.
let folded: HTMLDetailsElement[] = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open], .chart-table)")];
  for (const details of folded) details.open = true;
  applyTheme("light");
});
addEventListener("afterprint", () => {
  for (const details of folded) details.open = false;
  applyTheme();
});

const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
// The wasm module compiles, and the chart's code warms up, while the user looks for a file.
setTimeout(keepSpareCore, 0);
setTimeout(warmUp, 400);
