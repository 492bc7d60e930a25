// The first minute: where to drop, what is accepted, how to record it.

import { useState } from "preact/hooks";
import { sampleFile } from "../core/assets";
import { textOf, useTexts } from "../i18n";
import { recipes } from "../recipes";
import { addFiles } from "../state/files";
import { fromList } from "../state/input";
import { Choice, Copy, Pairs } from "./basics";

declare const SINGLE_FILE: boolean;

export function pickFiles(folder = false): void {
  const input = document.createElement("input");
  input.type = "file";
  if (folder) input.webkitdirectory = true;
  else input.multiple = true;
  input.addEventListener("change", () => input.files && void addFiles(fromList(input.files)));
  input.click();
}

/** A bundled file by its name. */
export async function openSample(name: string): Promise<boolean> {
  const file = await sampleFile(name);
  if (file) void addFiles([{ name: file.name, path: "sample/" + file.name, blob: file }]);
  return file !== null;
}

/** The profiler folders of the same run: a text of JSON, path by path. */
export async function openSampleFolder(): Promise<boolean> {
  const file = await sampleFile("profiler");
  if (file === null) return false;
  const texts = JSON.parse(await file.text()) as Record<string, string>;
  void addFiles(Object.entries(texts).map(([path, text]) => ({ name: path.split("/").pop() ?? path, path: "sample/" + path, blob: new Blob([text]) })));
  return true;
}

export function Empty() {
  const t = useTexts();
  const [recipe, setRecipe] = useState<(typeof recipes)[number]["id"]>("npu");
  const [missing, setMissing] = useState(false);
  const chosen = recipes.find((each) => each.id === recipe);
  return (
    <div class="empty">
      <div class="empty-head">
        <h1>HBM Lens</h1>
        <p>{t.app.tagline}</p>
      </div>
      <div class="drop-zone">
        <svg class="drop-mark" viewBox="0 0 48 48" aria-hidden="true">
          <path d="M24 6v22m0 0-8-8m8 8 8-8M8 32v6a4 4 0 0 0 4 4h24a4 4 0 0 0 4-4v-6" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" />
        </svg>
        <p class="drop-title">{t.empty.drop}</p>
        <p class="drop-or">{t.empty.or}</p>
        <div class="row">
          <button type="button" class="primary" onClick={() => pickFiles()}>
            {t.empty.pick}
          </button>
          <button type="button" onClick={() => pickFiles(true)}>
            {t.empty.pickFolder}
          </button>
          <button type="button" onClick={async () => setMissing(!(await openSample("snapshot.pickle")))}>
            {t.empty.sample}
          </button>
          <button type="button" onClick={async () => setMissing(!(await openSampleFolder()))}>
            {t.empty.sampleFolder}
          </button>
          <button type="button" onClick={async () => setMissing(!(await openSample("plog-sample.log")))}>
            {t.empty.sampleLog}
          </button>
        </div>
        {missing && <p role="status">{t.empty.sampleMissing}</p>}
        <p class="privacy">
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M4 7V5a4 4 0 0 1 8 0v2m-9 0h10v7H3z" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linejoin="round" />
          </svg>
          {SINGLE_FILE ? t.app.privacy : t.app.privacyHosted}
        </p>
      </div>
      <div class="empty-columns">
        <section aria-label={t.empty.accepts}>
          <h2>{t.empty.accepts}</h2>
          <Pairs of={t.empty.formats} kind="formats" />
        </section>
        <section aria-label={t.empty.record}>
          <div class="section-head">
            <h2>{t.empty.record}</h2>
            {chosen && <Copy text={chosen.code} />}
          </div>
          <Choice label={t.empty.record} value={recipe} onChange={setRecipe} options={recipes.map((each) => [each.id, textOf(t.empty.recipes, each.id)] as const)} />
          <pre class="code" tabIndex={0}>
            {chosen?.code}
          </pre>
        </section>
      </div>
    </div>
  );
}
