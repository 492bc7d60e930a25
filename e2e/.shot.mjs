import { launch, open, pick, singleFile } from "./browser.mjs";
const [file, viewsArg = "timeline", theme = "light", lang = "en", w = "1440", h = "1000"] = process.argv.slice(2);
const browser = await launch();
const { page, complaints } = await open(browser, singleFile, { locale: lang === "zh" ? "zh-CN" : "en-US", colorScheme: theme, viewport: { width: +w, height: +h } });
if (file !== "none") {
  await pick(page, [file]);
  await page.waitForSelector(".page, .problem", { timeout: 60000 }).catch(() => {});
}
await page.waitForFunction(() => location.hash.includes("file="), null, { timeout: 60000 }).catch(() => {});
for (const v of viewsArg.split(",")) {
  await page.evaluate((v) => { const p = new URLSearchParams(location.hash.slice(1)); p.set("view", v); location.hash = p.toString(); }, v);
  await page.waitForTimeout(+(process.env.WAIT ?? 2500));
  if (v === "timeline" && process.env.CLICK) { const [x, y] = process.env.CLICK.split(",").map(Number); await page.mouse.move(x, y); await page.waitForTimeout(300); await page.mouse.click(x, y); await page.waitForTimeout(600); await page.mouse.move(x+3, y); await page.waitForTimeout(500); }
  await page.screenshot({ path: `/tmp/shots/${v}-${theme}-${lang}.png` });
}
console.log(complaints.join("\n"));
await browser.close();
