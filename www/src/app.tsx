// The shell: top bar, rail of files and views, and the view that is shown.

import { useEffect, useRef, useState } from "preact/hooks";
import { listenForKeys, useCommands } from "./commands";
import type { Command } from "./commands";
import { Choice } from "./components/basics";
import { Empty, pickFiles } from "./components/empty";
import { Contents, FileList, Loading } from "./components/files";
import { Help } from "./components/help";
import { LifePanel } from "./components/life-panel";
import { ReportButton } from "./components/report-button";
import { BudgetQuestion, ErrorBox, Failed, OfferDialog } from "./components/problems";
import { deviceOf } from "./device";
import { languages, useTexts } from "./i18n";
import { listenForOffers } from "./state/embed";
import type { Offer } from "./state/embed";
import { addFiles, coreOf, files, find, show } from "./state/files";
import type { FileEntry } from "./state/files";
import { fromList, fromTransfer, fromUrl } from "./state/input";
import { change, useSettings } from "./state/settings";
import type { Language, Theme } from "./state/settings";
import { selecting, useSelection } from "./state/selection";
import { useStore } from "./state/store";
import { go, place, urlAtStart } from "./state/url";
import { Boundary } from "./components/boundary";
import { views } from "./views/registry";

const acceptOffer = (made: Offer) => addFiles([{ name: made.title, path: made.title, blob: new Blob([made.buffer]) }]);

function TopBar({ onHelp }: { onHelp: () => void }) {
  const t = useTexts();
  const { language, theme } = useSettings();
  return (
    <header class="top">
      <button type="button" class="brand quiet" title={t.app.tagline} onClick={() => go({ file: null, view: "overview", device: null, range: null, at: null, sel: null })}>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="8.5" cy="8.5" r="6" fill="none" stroke="currentColor" stroke-width="1.8" />
          <path d="m13 13 5 5" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" />
          <path d="M6 11V8.5m2.5 2.5V5.5m2.5 5.5V7.5" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" />
        </svg>
        HBM Lens
      </button>
      <div class="grow" />
      <button type="button" onClick={() => pickFiles()}>
        {t.app.openFiles}
      </button>
      <Choice label={t.app.language} value={language} options={Object.entries(languages) as [Language, string][]} onChange={(value) => change({ language: value })} />
      <Choice label={t.app.theme} value={theme} options={Object.entries(t.app.themes) as [Theme, string][]} onChange={(value) => change({ theme: value })} />
      <button type="button" class="quiet" aria-label={t.app.help} title={`${t.app.help} (?)`} onClick={onHelp}>
        ?
      </button>
    </header>
  );
}

function Rail({ file }: { file: FileEntry | undefined }) {
  const t = useTexts();
  const view = useStore(place).view;
  const summary = file?.status.is === "ready" ? file.status.summary : null;
  const fitting = summary ? views.filter((each) => each.fits(summary)) : [];
  const shown = (fitting.find((each) => each.id === view) ?? fitting[0])?.id;
  const rail = useRef<HTMLElement>(null);
  // Where the rail is one row, what is shown may lie outside of it.
  useEffect(() => rail.current?.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [shown]);
  return (
    <aside ref={rail} class="rail">
      <div class="rail-title">{t.app.files}</div>
      <FileList />
      {summary && (
        <nav aria-label={t.app.views}>
          <div class="rail-title">{t.app.views}</div>
          {fitting.map((each, i) => (
            <button key={each.id} type="button" class={`view-link ${each.id === shown ? "shown" : ""}`} aria-current={each.id === shown ? "page" : undefined} onClick={() => go({ view: each.id })}>
              <span>{each.name(t)}</span>
              {i < 9 && <kbd>{i + 1}</kbd>}
            </button>
          ))}
        </nav>
      )}
    </aside>
  );
}

function DevicePicker({ file }: { file: FileEntry }) {
  const t = useTexts();
  const chosen = useStore(place).device;
  if (file.status.is !== "ready" || file.status.summary.devices.length < 2) return null;
  const devices = file.status.summary.devices.map((each) => String(each.device));
  return (
    <label class="device-picker">
      {t.app.device}{" "}
      <select value={chosen ?? defaultDevice(file)} onChange={(event) => go({ device: event.currentTarget.value, ...selecting({ life: null, address: null }) })}>
        {devices.map((device) => (
          <option key={device} value={device}>
            {device === "host" ? t.app.host : device}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The device with the most events: of eight lists often only one is used. */
export function defaultDevice(file: FileEntry): string {
  if (file.status.is !== "ready") return "0";
  const { devices } = file.status.summary;
  const most = devices.reduce<(typeof devices)[number] | undefined>((best, each) => (best && best.events >= each.events ? best : each), undefined);
  return String(most?.device ?? "0");
}

function Content({ file }: { file: FileEntry | undefined }) {
  const t = useTexts();
  const here = useStore(place);
  const selection = useSelection();
  // A snapshot whose worker was let go is read again when it is looked at.
  useEffect(() => {
    if (file?.status.is === "ready" && !file.core) coreOf(file.key).catch(() => undefined);
  }, [file?.key, file?.core, file?.status.is]);
  const loading = useStore(files).filter((each) => each.status.is === "reading" || each.status.is === "waiting");
  if (!file) return loading.length > 0 ? <Loading all={loading.slice(0, 8)} /> : <Empty />;
  const status = file.status;
  if (status.is === "failed") return <Failed file={file} error={status.error} />;
  if (status.is === "asking") return <BudgetQuestion file={file} error={status.error} />;
  if (status.is !== "ready" || !file.core) return <Loading all={[file]} />;
  const { summary } = status;
  const fitting = views.filter((view) => view.fits(summary));
  const view = fitting.find((each) => each.id === here.view) ?? fitting[0];
  if (!view) return <Contents file={file} parts={status.parts} />;
  const known = summary.devices.some((each) => String(each.device) === here.device);
  const device = known && here.device !== null ? here.device : defaultDevice(file);
  const at = { core: file.core, doc: summary.doc, revision: file.revision };
  // An allocation chosen in one view is chosen in all of them.
  const life = summary.kind === "snapshot" ? selection.life : null;
  return (
    <div class="page">
      <div class="page-head">
        <h1 class="page-title" title={file.path}>
          {file.name}
        </h1>
        <ReportButton file={file} summary={summary} at={at} />
        <DevicePicker file={file} />
      </div>
      <div class={life === null ? "with-panel" : "with-panel open"}>
        <div>
          <Boundary key={`${file.key} ${view.id}`} title={t.app.failedView} Problem={ErrorBox}>
            <view.Component file={file} summary={summary} at={at} device={device} />
          </Boundary>
        </div>
        {life !== null && summary.devices.length > 0 && <LifePanel key={`${file.key} ${device}`} at={at} device={deviceOf(device)} life={life} last={summary.devices.find((each) => String(each.device) === device)?.events ?? 0} view={view.id} />}
      </div>
    </div>
  );
}

/** Dropping works anywhere on the page, pasting too. */
function useDrop(): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const enter = (event: DragEvent) => hasFiles(event) && (depth++, setOver(true));
    const leave = (event: DragEvent) => hasFiles(event) && --depth <= 0 && ((depth = 0), setOver(false));
    const hover = (event: DragEvent) => hasFiles(event) && event.preventDefault();
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      void fromTransfer(event.dataTransfer).then(addFiles);
    };
    const paste = (event: ClipboardEvent) => {
      if (event.clipboardData?.files.length) void addFiles(fromList(event.clipboardData.files));
    };
    document.addEventListener("dragenter", enter);
    document.addEventListener("dragleave", leave);
    document.addEventListener("dragover", hover);
    document.addEventListener("drop", drop);
    document.addEventListener("paste", paste);
    return () => {
      document.removeEventListener("dragenter", enter);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("dragover", hover);
      document.removeEventListener("drop", drop);
      document.removeEventListener("paste", paste);
    };
  }, []);
  return over;
}

function step(by: number): void {
  const all = files.value;
  const now = all.findIndex((file) => file.key === place.value.file);
  const next = all[(now + by + all.length) % Math.max(1, all.length)];
  if (next) show(next.key);
}

export function App() {
  const t = useTexts();
  const here = useStore(place);
  const all = useStore(files);
  const [help, setHelp] = useState(false);
  const [notice, setNotice] = useState("");
  const over = useDrop();
  const file = find(here.file);

  useEffect(() => {
    listenForKeys();
    listenForOffers(acceptOffer);
    if (urlAtStart !== null)
      fromUrl(urlAtStart).then(
        (source) => addFiles([source]),
        (error: Error) => setNotice(error.message === "origin" ? t.embed.urlOrigin : t.embed.urlFailed(error.message)),
      );
  }, []);

  useEffect(() => {
    document.title = file ? `${file.name} – HBM Lens` : "HBM Lens";
  }, [file?.name]);

  const summary = file?.status.is === "ready" ? file.status.summary : null;
  const goTo = (summary ? views.filter((view) => view.fits(summary)) : []).slice(0, 9).map(
    (view, i): Command => ({ id: `view.${view.id}`, name: t.commands.view(view.name(t)), keys: [String(i + 1)], run: () => go({ view: view.id }), scope: "everywhere" }),
  );
  useCommands([
    { id: "help", name: t.commands.help, keys: ["?"], run: () => setHelp(true), scope: "everywhere" },
    { id: "clear", name: t.commands.clear, keys: ["escape"], run: () => (help ? setHelp(false) : go({ sel: null, at: null })), scope: "everywhere" },
    { id: "file.next", name: t.commands.nextFile, keys: ["]"], run: () => step(1), scope: "everywhere" },
    { id: "file.previous", name: t.commands.previousFile, keys: ["["], run: () => step(-1), scope: "everywhere" },
    ...goTo,
  ]);

  return (
    <>
      <a class="skip" href="#content" onClick={(event) => (event.preventDefault(), document.getElementById("content")?.focus())}>
        {t.app.skip}
      </a>
      <TopBar onHelp={() => setHelp(true)} />
      <div class={`body ${all.length > 0 ? "with-rail" : ""}`}>
        {all.length > 0 && <Rail file={file} />}
        <main id="content" tabIndex={-1}>
          {notice && (
            <p class="notice" role="alert">
              {notice}
            </p>
          )}
          <Content file={file} />
        </main>
      </div>
      {over && (
        <div class="drop-cover" aria-hidden="true">
          <p>{t.empty.dropNow}</p>
        </div>
      )}
      {help && <Help onClose={() => setHelp(false)} />}
      <OfferDialog accept={acceptOffer} />
    </>
  );
}
