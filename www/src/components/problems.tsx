// What went wrong, in words: a file that could not be opened, the question of the memory budget, an
// offer of another page.

import { useState } from "preact/hooks";
import type { OpenOptions, WireError } from "../core/protocol";
import { bytes, count } from "../format";
import { textOf, useTexts } from "../i18n";
import { hints } from "../i18n/hints";
import { inChinese } from "../i18n/readers";
import { answer, offer } from "../state/embed";
import type { Offer } from "../state/embed";
import { defaultOptions, readAgain, remove } from "../state/files";
import type { FileEntry } from "../state/files";
import { budgetBytes, useSettings } from "../state/settings";
import { useStore } from "../state/store";
import { Dialog, Pairs } from "./basics";

/** A byte, line, record or event of a file, in words. */
export function where(position: WireError["position"], t: ReturnType<typeof useTexts>): string {
  if (!position) return "";
  const [unit, value] = Object.entries(position)[0] ?? [];
  return unit === undefined ? "" : `${textOf(t.errors.at, unit)} ${count(Number(value))}`;
}

export function ErrorBox({ error, title }: { error: WireError; title: string }) {
  const t = useTexts();
  const place = where(error.position, t);
  const chinese = useSettings().language === "zh";
  const hint = error.hint && chinese ? (hints[error.hint] ?? error.hint) : error.hint;
  return (
    <div class="problem" role="alert">
      <h2>{title}</h2>
      <p>{textOf(t.errors.kinds, error.kind, "")}</p>
      <p class="problem-words">
        {chinese ? inChinese(error.message) : error.message}
        {place && ` (${place})`}
      </p>
      {hint && <p>{hint}</p>}
    </div>
  );
}

/** In place of a view when the file could not be opened. */
export function Failed({ file, error }: { file: FileEntry; error: WireError }) {
  const t = useTexts();
  const memory = error.kind === "out_of_memory" || error.kind === "trap";
  return (
    <div class="page">
      <h1 class="page-title">{file.path}</h1>
      <ErrorBox error={error} title={t.errors.title} />
      {error.kind === "unknown_format" && (
        <Pairs of={t.empty.formats} kind="formats" />
      )}
      {memory && <p>{t.errors.dead}</p>}
      {memory ? <Keep file={file} need={null} /> : (
        <div class="row">
          <button type="button" onClick={() => readAgain(file.key, file.options)}>
            {t.app.retry}
          </button>
        </div>
      )}
    </div>
  );
}

type What = "last" | "range" | "no_native" | "raise";

/** What to keep of a file that is too large for the budget, or for the tab. */
export function Keep({ file, need }: { file: FileEntry; need: number | null }) {
  const t = useTexts();
  const [what, setWhat] = useState<What>("last");
  const [last, setLast] = useState(1_000_000);
  const [from, setFrom] = useState(0);
  const [to, setTo] = useState(1_000_000);
  const [limit, setLimit] = useState(Math.min(4, Math.ceil((need ?? budgetBytes()) / 2 ** 30)));
  const options = (): OpenOptions => {
    const plain = defaultOptions();
    if (what === "last") return { ...plain, last, budget: null };
    if (what === "range") return { ...plain, range: [Math.min(from, to), Math.max(from, to)], budget: null };
    if (what === "no_native") return { ...plain, native_frames: false };
    return { ...plain, budget: limit * 2 ** 30 };
  };
  const radio = (value: What) => <input type="radio" name="keep" value={value} checked={what === value} onChange={() => setWhat(value)} />;
  const number = (value: number, set: (n: number) => void, label: string, kind: What) => (
    <input
      type="number"
      min={0}
      value={value}
      aria-label={label}
      onInput={(event) => {
        setWhat(kind);
        set(Math.max(0, Math.trunc(Number(event.currentTarget.value)) || 0));
      }}
    />
  );
  return (
    <form
      class="keep"
      onSubmit={(event) => {
        event.preventDefault();
        readAgain(file.key, options());
      }}
    >
      {need !== null && <p>{t.budget.explain(file.name, bytes(need), bytes(file.options.budget ?? budgetBytes()))}</p>}
      <label>
        {radio("last")} {t.budget.last} {number(last, setLast, t.budget.last, "last")} {t.budget.lastUnit}
      </label>
      <label>
        {radio("range")} {t.budget.range} {t.budget.rangeFrom} {number(from, setFrom, t.budget.rangeFrom, "range")} {t.budget.rangeTo} {number(to, setTo, t.budget.rangeTo, "range")}
      </label>
      <label>
        {radio("no_native")} {t.budget.noNative}
      </label>
      <label>
        {radio("raise")} {t.budget.raise} {number(limit, setLimit, t.budget.raise, "raise")} {t.budget.raiseUnit}
      </label>
      <div class="row">
        <button type="submit" class="primary">
          {t.budget.read}
        </button>
        <button type="button" onClick={() => remove(file.key)}>
          {t.budget.give}
        </button>
      </div>
    </form>
  );
}

export function BudgetQuestion({ file, error }: { file: FileEntry; error: WireError }) {
  const t = useTexts();
  return (
    <div class="page">
      <h1 class="page-title">{file.path}</h1>
      <div class="problem" role="alert">
        <h2>{t.budget.title}</h2>
        <Keep file={file} need={error.estimate} />
      </div>
    </div>
  );
}

export function OfferDialog({ accept }: { accept: (offer: Offer) => void }) {
  const t = useTexts();
  const made = useStore(offer);
  const [remember, setRemember] = useState(false);
  if (!made) return null;
  return (
    <Dialog title={t.embed.title} onClose={() => answer(null, false)}>
      <p>{t.embed.ask(made.origin, made.title, bytes(made.buffer.byteLength))}</p>
      {made.origin !== "null" && (
        <label>
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.currentTarget.checked)} /> {t.embed.remember}
        </label>
      )}
      <div class="row">
        <button type="button" class="primary" onClick={() => answer(accept, remember)}>
          {t.embed.accept}
        </button>
        <button type="button" onClick={() => answer(null, false)}>
          {t.embed.refuse}
        </button>
      </div>
    </Dialog>
  );
}
