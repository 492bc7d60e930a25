// The report files of imas, and the trace for Perfetto.

import { useState } from "preact/hooks";
import { Section } from "../../components/basics";
import { ErrorBox } from "../../components/problems";
import { CoreError } from "../../core/client";
import type { GeReport } from "../../core/ge";
import type { WireError } from "../../core/protocol";
import type { Doc } from "../../core/use-query";
import { download } from "../../download";
import { useTexts } from "../../i18n";
import type { FileEntry } from "../../state/files";

/** Sentences are of the page; JSON has their key and values. */
function withoutSentences(this: unknown, key: string, value: unknown): unknown {
  const holder = this as Record<string, unknown>;
  return (key === "en" || key === "zh") && typeof holder["params"] === "object" ? undefined : value;
}

export function Files({ at, report }: { at: Doc; file: FileEntry; report: GeReport }) {
  const t = useTexts();
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  const save = async (name: string) => {
    setBusy(name);
    setError(null);
    try {
      if (name === "report.json") download(name, JSON.stringify(report, withoutSentences), "application/json");
      else {
        const { bytes } = await at.core.query(at.doc, { type: "ge_file", name }, `ge.file ${name}`);
        download(name, bytes, name.endsWith(".json") ? "application/json" : "text/plain");
      }
    } catch (thrown) {
      if (thrown instanceof CoreError) setError(thrown.wire);
    }
    setBusy(null);
  };
  return (
    <Section title={t.ge.save.title}>
      <p class="faint">{t.ge.save.explain}</p>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      <ul class="ge-files">
        {Object.entries(t.ge.save.what).map(([name, what]) => (
          <li key={name}>
            <button type="button" disabled={busy !== null} aria-label={`${t.ge.save.save} ${name}`} onClick={() => void save(name)}>
              {t.ge.save.save}
            </button>
            <code>{name}</code>
            <span class="faint">{what}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
