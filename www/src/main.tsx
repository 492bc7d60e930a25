// Where the page begins.

import { render } from "preact";
import { App } from "./app";
import { warmUp } from "./charts/echarts";
import { keepSpareCore } from "./core/client";
import { applyTheme, settings } from "./state/settings";

applyTheme();
settings.subscribe(applyTheme);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);

const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
// The wasm module compiles, and the chart's code warms up, while the user looks for a file.
setTimeout(keepSpareCore, 0);
setTimeout(warmUp, 400);
