// The picture of the README: the bundled sample in the built page. `npm run screenshot` writes it anew.

import { launch, open, singleFile } from "./browser.mjs";

const browser = await launch();
const { page } = await open(browser, singleFile, { viewport: { width: 1280, height: 800 }, colorScheme: "light" });
await page.getByRole("button", { name: "Try a sample" }).click();
await page.locator('.chart[data-points="ready"]').waitFor();
await page.locator(".health").waitFor();
const plot = await page.locator(".chart-canvas").boundingBox();
if (plot) await page.mouse.move(plot.x + plot.width * 0.32, plot.y + 60);
await page.locator(".chart-tip").waitFor();
await page.screenshot({ path: "docs/overview.png" });
await browser.close();
