// The list of files in the rail: what each is, its progress, and a Cancel that works.

import type { Summary } from "../core/protocol";
import { bytes, middle, span } from "../format";
import { textOf, useTexts } from "../i18n";
import { rankName } from "../ops/figures";
import { cancel, files, readAgain, remove, show } from "../state/files";
import type { FileEntry } from "../state/files";
import { useStore } from "../state/store";
import { place } from "../state/url";

function Reading({ file }: { file: FileEntry }) {
  const t = useTexts();
  const status = file.status;
  if (status.is !== "reading") return null;
  const seconds = Math.max(0.001, (status.now - status.began) / 1000);
  const rate = status.read / seconds;
  const left = rate > 0 ? (status.total - status.read) / rate : 0;
  const share = status.total > 0 ? status.read / status.total : 0;
  const done = status.total > 0 && status.read >= status.total;
  const words = done
    ? t.files.finishing
    : t.files.progress(bytes(status.read), bytes(status.total), bytes(Math.round(rate)), seconds > 0.3 && left >= 1 ? span(Math.round(left) * 1e9) : "");
  return (
    <>
      <div class="bar" role="progressbar" aria-label={file.name} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(share * 100)}>
        <div style={{ width: `${share * 100}%` }} />
      </div>
      <div class="file-note figure">{words}</div>
    </>
  );
}

/** In the middle of the page while nothing is there to be looked at yet. */
export function Loading({ all }: { all: readonly FileEntry[] }) {
  const t = useTexts();
  return (
    <div class="page loading">
      {all.map((file) => (
        <div key={file.key} class="loading-file">
          <h1 class="page-title">{file.path}</h1>
          {file.status.is === "reading" ? <Reading file={file} /> : <p class="faint">{note(file, t)}</p>}
          {(file.status.is === "reading" || file.status.is === "waiting") && (
            <button type="button" onClick={() => cancel(file.key)}>
              {t.files.cancel}
            </button>
          )}
          {file.status.is === "cancelled" && (
            <button type="button" onClick={() => readAgain(file.key, file.options)}>
              {t.app.retry}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

/** What was read of an input that no view speaks about. */
export function Contents({ file, parts }: { file: FileEntry; parts: readonly Summary[] }) {
  const t = useTexts();
  return (
    <div class="page">
      <h1 class="page-title">{file.path}</h1>
      <p>{t.files.onlyRead}</p>
      <ul class="checks">
        {parts.map((part) => (
          <li key={part.doc}>
            <span class="mark pass" aria-hidden="true">
              ✓
            </span>
            <span>
              {textOf(t.files.kinds, part.kind)}
              {!part.complete && `: ${t.errors.damaged}`}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function note(file: FileEntry, t: ReturnType<typeof useTexts>): string {
  switch (file.status.is) {
    case "waiting":
      return t.files.waiting;
    case "ready":
      return [textOf(t.files.kinds, file.status.parts.length > 1 ? file.status.summary.kind : (file.status.parts[0]?.kind ?? "")), ...(file.status.run && file.profile?.folder ? [rankName(t, file.status.run.report)] : []), bytes(file.size)].join(" · ");
    case "asking":
      return t.files.asking;
    case "failed":
      return t.files.failed;
    case "cancelled":
      return t.files.cancelled;
    case "reading":
      return "";
  }
}

export function FileList() {
  const t = useTexts();
  const all = useStore(files);
  const shown = useStore(place).file;
  return (
    <ul class="files" aria-label={t.app.files}>
      {all.map((file) => {
        const busy = file.status.is === "reading" || file.status.is === "waiting";
        return (
          <li key={file.key} class={`file ${file.status.is} ${file.key === shown ? "shown" : ""}`}>
            <button type="button" class="file-name" title={file.path} aria-current={file.key === shown} onClick={() => show(file.key)}>
              {middle(file.name, 26)}
            </button>
            <button
              type="button"
              class="quiet small file-end"
              aria-label={`${busy ? t.files.cancel : t.files.remove}: ${file.name}`}
              title={busy ? t.files.cancel : t.files.remove}
              onClick={() => (busy ? cancel(file.key) : remove(file.key))}
            >
              {busy ? t.files.cancel : "✕"}
            </button>
            {file.status.is === "reading" ? <Reading file={file} /> : <div class="file-note">{note(file, t)}</div>}
          </li>
        );
      })}
    </ul>
  );
}
