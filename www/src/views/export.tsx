// Export: what leaves the page as files for other programs.

import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Choice, Section } from "../components/basics";
import { ErrorBox } from "../components/problems";
import { CoreError } from "../core/client";
import type { ExportFormat } from "../core/export";
import type { WireError } from "../core/protocol";
import { download } from "../download";
import { bytes, percent } from "../format";
import { useTexts } from "../i18n";
import { Cancelled } from "../sql/client";
import { databaseName, databaseOf, stopMaking } from "../sql/tables";
import { eventsBetween, statesShown, useSelection } from "../state/selection";
import { change, useSettings } from "../state/settings";
import { useStore } from "../state/store";
import { place } from "../state/url";
import type { View, ViewProps } from "./registry";

const NAMES: Record<ExportFormat, readonly [string, string]> = {
  trace: [".trace.json", "application/json"],
  pickle: [".selection.pickle", "application/octet-stream"],
  folded: [".folded.txt", "text/plain"],
};

function ExportView({ at, file, summary, device }: ViewProps) {
  const t = useTexts();
  // The range selected in the timeline, else the one it shows.
  const here = useStore(place).range;
  const range = useSelection().range ?? (here && statesShown(here));
  const { stripPaths } = useSettings();
  const [only, setOnly] = useState<"all" | "one">("all");
  const [part, setPart] = useState<"all" | "range">("all");
  const many = summary.devices.length > 1;
  const chosen = many && only === "one" ? device : "";
  const [first, last] = range ? eventsBetween(range) : [0, 0];
  const events = range ? ([first, last + 1] as const) : null;
  const selected = part === "range" ? events : null;
  const save = async (format: ExportFormat | "json" | "sqlite", told: (said: string) => void): Promise<number> => {
    if (format === "json") {
      const devices = summary.devices.map((each) => String(each.device)).filter((each) => chosen === "" || each === chosen);
      const { blob } = await at.core.query(at.doc, { type: "export", format, devices, strip: stripPaths }, "export.json", [], stripPaths);
      download(`${file.name}.json`, blob, "application/json");
      return blob.size;
    }
    if (format === "sqlite") {
      const database = await databaseOf(file, stripPaths, (step) => told(step.is === "reading" ? `${t.query.reading} ${percent(step.share, 0)}` : `${t.query.opening} ${bytes(step.bytes)}`));
      download(databaseName(file), database, "application/vnd.sqlite3");
      return database.size;
    }
    const { blob } = await at.core.query(at.doc, { type: "export", format, device: chosen, events: format === "pickle" ? selected : null }, `export.${format}`, [], stripPaths);
    const [ending, type] = NAMES[format];
    download(`${file.name}${ending}`, blob, type);
    return blob.size;
  };
  return (
    <>
      <Section title={t.exports.what}>
        <div class="row toolbar">
          {many && (
            <div class="field">
              <span class="faint">{t.exports.device}</span>
              <Choice label={t.exports.device} value={only} onChange={setOnly} options={[["all", t.exports.all], ["one", device === "host" ? t.app.host : device]]} />
            </div>
          )}
          {events !== null && (
            <div class="field">
              <span class="faint">{t.exports.events}</span>
              <Choice label={t.exports.events} value={part} onChange={setPart} options={[["all", t.exports.everything], ["range", t.exports.range(events[0], Math.max(events[0], events[1] - 1))]]} />
            </div>
          )}
          <label class="check">
            <input type="checkbox" checked={stripPaths} onChange={(event) => change({ stripPaths: event.currentTarget.checked })} /> {t.exports.strip}
          </label>
        </div>
        <p class="faint hint">{t.exports.stripMeans}</p>
        {events === null && <p class="faint hint">{t.exports.noRange}</p>}
      </Section>
      <Section title={t.exports.files}>
        <ul class="ge-files">
          {(["trace", "sqlite", "pickle", "folded", "json"] as const).map((format) => (
            <ExportLine key={format} id={format} title={t.exports.formats[format]?.[0] ?? format} save={(told) => save(format, told)} {...(format === "sqlite" ? { cancel: () => stopMaking(file) } : {})}>
              {t.exports.formats[format]?.[1]}
            </ExportLine>
          ))}
        </ul>
      </Section>
    </>
  );
}

/** A file that can be saved: `save` gives its bytes, and tells how far it is where it takes long; `cancel` ends it. */
export function ExportLine({ id, title, save, cancel, children }: { id: string; title: string; save: (told: (said: string) => void) => Promise<number>; cancel?: () => void; children: ComponentChildren }) {
  const t = useTexts();
  const [state, setState] = useState<"" | "busy" | number>("");
  const [error, setError] = useState<WireError | null>(null);
  const [said, setSaid] = useState("");
  const run = async () => {
    setState("busy");
    setError(null);
    try {
      setState(await save(setSaid));
    } catch (thrown) {
      setState("");
      if (!(thrown instanceof Cancelled)) setError(thrown instanceof CoreError ? thrown.wire : { kind: "trap", message: String(thrown), position: null, hint: null, estimate: null });
    }
    setSaid("");
  };
  return (
    <li data-export={id}>
      <button type="button" disabled={state === "busy"} aria-label={`${t.exports.save}: ${title}`} onClick={() => void run()}>
        {state === "busy" ? t.exports.saving : t.exports.save}
      </button>
      <b>{title}</b>
      <span class="faint">
        {children} <span role="status">{typeof state === "number" && t.exports.saved(bytes(state))}</span>
        {state === "busy" && cancel && (
          <>
            {said}{" "}
            <button type="button" class="small" onClick={cancel}>
              {t.query.cancel}
            </button>
          </>
        )}
      </span>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
    </li>
  );
}

export const exports: View = {
  id: "export",
  name: (t) => t.exports.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: ExportView,
};
