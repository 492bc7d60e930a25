// A report: the page's own pieces around data that lies in the page instead of around a file.

import { render } from "preact";
import type { ComponentType } from "preact";
import { Choice } from "../components/basics";
import { Boundary } from "../components/boundary";
import { languages, useTexts } from "../i18n";
import { applyTheme, settings, useSettings } from "../state/settings";
import type { Language, Theme } from "../state/settings";
import { drawAll } from "./chart";
import { Comparisons } from "./comparison";
import type { Laid, Report } from "./data";
import { Devices } from "./devices";
import { Advice, Fragmentation } from "./fragmentation";
import { GeDeviceSection, GeOverview, Graphs, Missing, Overlaps, Pools } from "./ge";
import { Growth } from "./growth";
import { Memory } from "./memory";
import { Ooms } from "./oom";
import { Overview } from "./overview";
import { Peak } from "./peak";
import { Components, Curves, Operators, ProfilerOverview, Ranks } from "./profiler";
import { sectionsOf } from "./sections";
import type { SectionId } from "./sections";
import { Segments } from "./segments";
import { Attribution } from "./sites";

type Part = ComponentType<{ report: never }>;
const PARTS: Readonly<Record<Report["kind"], Partial<Record<SectionId, Part>>>> = {
  snapshot: { overview: Overview, devices: Devices, memory: Memory, segments: Segments, fragmentation: Fragmentation, peak: Peak, growth: Growth, oom: Ooms, attribution: Attribution, advice: Advice, comparison: Comparisons },
  profiler: { overview: ProfilerOverview, ranks: Ranks, curves: Curves, components: Components, operators: Operators },
  ge_log: { overview: GeOverview, graphs: Graphs, pools: Pools, device: GeDeviceSection, overlaps: Overlaps, missing: Missing },
};

function nameOf(report: Report): string {
  switch (report.kind) {
    case "snapshot":
      return report.overview.file.name;
    case "profiler":
      return report.ops.ranks.map((rank) => rank.folder).join(", ");
    case "ge_log":
      return report.names.join(", ");
  }
}

const set = (part: { language?: Language; theme?: Theme }) => settings.update((now) => ({ ...now, ...part }));

function Top() {
  const t = useTexts();
  const { language, theme } = useSettings();
  return (
    <header class="top">
      <span class="brand">HBM Lens</span>
      <span class="faint">{t.report.name}</span>
      <div class="grow" />
      <Choice label={t.app.language} value={language} options={Object.entries(languages) as [Language, string][]} onChange={(value) => set({ language: value })} />
      <Choice label={t.app.theme} value={theme} options={Object.entries(t.app.themes) as [Theme, string][]} onChange={(value) => set({ theme: value })} />
    </header>
  );
}

function Problem({ error }: { error: { message: string } }) {
  return <p class="notice">{error.message}</p>;
}

function Page({ report }: { report: Report }) {
  const t = useTexts();
  const sections = sectionsOf(report);
  const name = nameOf(report);
  return (
    <>
      <Top />
      <div class="report-body">
        <nav class="report-contents" aria-label={t.report.contents}>
          <div class="rail-title">{t.report.contents}</div>
          {sections.map((id) => (
            <a key={id} href={`#${id}`}>
              {t.report.sections[id]}
            </a>
          ))}
        </nav>
        <main>
          <h1 class="page-title">{name.split(/[\\/]/).at(-1)}</h1>
          <p class="faint wrap">{name}</p>
          {sections.map((id) => {
            const Shown = PARTS[report.kind][id] as ComponentType<{ report: Report }> | undefined;
            return (
              <section key={id} id={id} class="section" aria-label={t.report.sections[id]}>
                <h2>{t.report.sections[id]}</h2>
                <Boundary title={t.app.failedView} Problem={Problem}>
                  {Shown && <Shown report={report} />}
                </Boundary>
              </section>
            );
          })}
          <footer class="faint">
            {t.report.reductions} {t.report.private}
          </footer>
        </main>
      </div>
    </>
  );
}

const laid = JSON.parse(document.getElementById("data")?.textContent ?? "null") as Laid | null;
// What the page of the browser remembers is not this file's: a report begins as it was made.
settings.update((now) => ({ ...now, theme: "system", ...(laid?.language ? { language: laid.language } : {}) }));
applyTheme();
settings.subscribe(() => applyTheme());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => applyTheme());

/** Pixels across a sheet of A4 between its margins. */
const PAPER = 700;
let closed: HTMLDetailsElement[] = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open], .chart-table)")];
  for (const details of closed) details.open = true;
  applyTheme("light");
  drawAll(PAPER);
});
addEventListener("afterprint", () => {
  for (const details of closed) details.open = false;
  applyTheme();
  drawAll();
});

const root = document.getElementById("report");
if (root && laid) {
  document.title = `${nameOf(laid.report).split(/[\\/]/).at(-1) ?? ""} – HBM Lens`;
  render(<Page report={laid.report} />, root);
  // The place in the address is there only now.
  if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
