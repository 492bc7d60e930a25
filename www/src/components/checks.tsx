// What can be checked about a snapshot, and the counters of its process, which decide some of it.

import { useRef, useState } from "preact/hooks";
import { CoreError } from "../core/client";
import type { Overview } from "../core/protocol";
import { useTexts } from "../i18n";
import { addCounters } from "../state/files";
import type { FileEntry } from "../state/files";
import { Section } from "./basics";
import { CheckList } from "./file-facts";

export function Checks({ overview, file, doc }: { overview: Overview; file: FileEntry; doc: number }) {
  const t = useTexts();
  return (
    <Section title={t.overview.checks} aside={<Counters file={file} doc={doc} />}>
      <CheckList overview={overview} />
    </Section>
  );
}

/** Where a side-car is given that did not come with the file. */
function Counters({ file, doc }: { file: FileEntry; doc: number }) {
  const t = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [told, setTold] = useState("");
  const take = async (chosen: File | undefined) => {
    if (!chosen) return;
    try {
      await addCounters(file.key, doc, { name: chosen.name, path: chosen.name, blob: chosen });
      setTold(t.overview.countersTaken);
    } catch (thrown) {
      setTold(t.overview.countersFailed(thrown instanceof CoreError ? thrown.wire.message : String(thrown)));
    }
  };
  return (
    <div class="row">
      <span role="status" class="faint">
        {told || file.counters?.name}
      </span>
      <input ref={input} type="file" accept=".json,application/json" hidden aria-label={t.overview.addCounters} onChange={(event) => void take(event.currentTarget.files?.[0])} />
      <button type="button" class="quiet" title={t.overview.addCountersMeans} onClick={() => input.current?.click()}>
        {t.overview.addCounters}
      </button>
    </div>
  );
}
