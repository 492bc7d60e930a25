// The files of the page: what each is, how far reading has come, and the worker that holds it. One
// worker a file, so ranks load side by side and one that dies takes no other with it. Of many snapshots only those
// looked at last keep their worker; one that was let go is read again when it is asked for.

import { CoreError, keepSpareCore, takeCore } from "../core/client";
import type { Core } from "../core/client";
import type { OpenOptions, Progress, Source, Summary, WireError } from "../core/protocol";
import { PROFILER_KINDS } from "../core/ops";
import { group, identified } from "./group";
import type { Group, Profile } from "./group";
import { selecting } from "./selection";
import { budgetBytes, change, settings } from "./settings";
import { Store } from "./store";
import { go, place } from "./url";

export type Status =
  | { is: "waiting" }
  | { is: "reading"; read: number; total: number; memory: number; began: number; now: number }
  /** Reading on would take more memory than the budget: the user decides. */
  | { is: "asking"; error: WireError }
  /** `summary` is of the first part; an entry of one file has one part. `run` is set where they are a profiler's. */
  | { is: "ready"; summary: Summary; parts: readonly Summary[]; run: OpsHead | null; seconds: number }
  | { is: "failed"; error: WireError }
  | { is: "cancelled" };

export interface FileEntry {
  /** Unique in the page, and what the address calls it. */
  key: string;
  name: string;
  path: string;
  /** Bytes of all its files. */
  size: number;
  sources: readonly Source[];
  counters: Source | null;
  profile: Profile | null;
  /** The files are parts of one log, read as one. */
  joined: boolean;
  /** One of the files is, or may be, a database: a worker of the module that knows them reads it. */
  databases: boolean;
  status: Status;
  core: Core | null;
  options: OpenOptions;
  /** Moves when answers about it change: counters given later, other rules. */
  revision: number;
}

export const files = new Store<readonly FileEntry[]>([]);

const readers = Math.max(1, navigator.hardwareConcurrency || 2);

/** So many workers of snapshots are kept: a job may have hundreds of ranks. */
const KEPT = Math.max(6, Math.min(16, readers));

/** What other parts of the page want of a snapshot before its worker is let go. */
export const beforeLetGo: ((entry: FileEntry) => Promise<unknown>)[] = [];

/** When each file was last looked at or asked. */
const used = new Map<string, number>();
let now = 0;

export function defaultOptions(): OpenOptions {
  return { budget: budgetBytes(), native_frames: true, last: null, range: null };
}

export function find(key: string | null): FileEntry | undefined {
  return files.value.find((entry) => entry.key === key);
}

function patch(key: string, change: Partial<FileEntry>): void {
  files.update((all) => all.map((entry) => (entry.key === key ? { ...entry, ...change } : entry)));
}

function freeKey(name: string): string {
  const taken = new Set(files.value.map((entry) => entry.key));
  if (!taken.has(name)) return name;
  let n = 2;
  while (taken.has(`${name}~${n}`)) n++;
  return `${name}~${n}`;
}

/** Adds files and begins to read them, as many at once as the machine has cores. */
export async function addFiles(sources: readonly Source[]): Promise<void> {
  addGroups(await identified(group(sources)));
}

/** Puts other entries in the place of some: logs joined, or a set taken apart. */
export function regroup(keys: readonly string[], groups: readonly Group[]): void {
  for (const key of keys) find(key)?.core?.terminate();
  files.update((all) => all.filter((entry) => !keys.includes(entry.key)));
  const made = addGroups(groups);
  if (keys.includes(place.value.file ?? "") && made[0] !== undefined) go({ file: made[0], range: null, at: null, sel: null });
}

function addGroups(groups: readonly Group[]): string[] {
  const keys: string[] = [];
  for (const each of groups) {
    const entry: FileEntry = {
      ...each,
      key: freeKey(each.path),
      size: each.sources.reduce((sum, source) => sum + source.blob.size, 0),
      // That module reads everything, so a wrong guess does no harm; what hides in an archive tells its worker.
      databases: each.sources.some(({ name }) => /\.(db|sqlite3?)(\.gz)?$/i.test(name)),
      status: { is: "waiting" },
      core: null,
      options: defaultOptions(),
      revision: 0,
    };
    files.update((all) => [...all, entry]);
    keys.push(entry.key);
  }
  startWaiting();
  return keys;
}

/** Reads a file again with other options: after the budget's question, or after its worker died. */
export function readAgain(key: string, options: OpenOptions): void {
  find(key)?.core?.terminate();
  patch(key, { core: null, options, status: { is: "waiting" } });
  startWaiting();
}

export function cancel(key: string): void {
  find(key)?.core?.terminate();
  patch(key, { core: null, status: { is: "cancelled" } });
  startWaiting();
}

export function remove(key: string): void {
  find(key)?.core?.terminate();
  files.update((all) => all.filter((entry) => entry.key !== key));
  if (place.value.file === key) {
    const next = files.value.find((entry) => entry.status.is === "ready");
    go({ file: next?.key ?? null, device: null, range: null, at: null, sel: null });
  }
  startWaiting();
}

const holds = (entry: FileEntry): boolean => entry.core !== null && entry.status.is === "ready" && entry.status.summary.kind === "snapshot";

let trimmed: Promise<void> = Promise.resolve();

/** Lets the workers go that were not used for the longest time; what is shown stays. */
function letGo(): Promise<void> {
  trimmed = trimmed.then(async () => {
    for (;;) {
      const held = files.value.filter(holds);
      const oldest = held.filter((entry) => entry.key !== place.value.file).sort((a, b) => (used.get(a.key) ?? 0) - (used.get(b.key) ?? 0))[0];
      if (held.length <= KEPT || !oldest) return;
      await Promise.allSettled(beforeLetGo.map((want) => want(oldest)));
      // Meanwhile it may have been closed, or chosen.
      if (find(oldest.key)?.core !== oldest.core) continue;
      if (place.value.file === oldest.key) {
        used.set(oldest.key, ++now);
        continue;
      }
      oldest.core?.terminate();
      patch(oldest.key, { core: null });
    }
  });
  return trimmed;
}

const reviving = new Map<string, Promise<Core>>();

/** The worker of a snapshot that was read; one that was let go reads it again, and nothing else changes. */
export function coreOf(key: string): Promise<Core> {
  const entry = find(key);
  used.set(key, ++now);
  if (!entry || entry.status.is !== "ready") return Promise.reject(new Error("the file is not there"));
  if (entry.core) return Promise.resolve(entry.core);
  const known = reviving.get(key);
  if (known) return known;
  const again = async () => {
    const core = takeCore(entry.databases);
    await readInto(core, entry, () => undefined);
    if (find(key)?.status !== entry.status) {
      core.terminate();
      throw new Error("the file was closed");
    }
    core.onDead = (error) => {
      if (find(key)?.core === core && error.kind !== "cancelled") patch(key, { core: null, status: { is: "failed", error } });
    };
    patch(key, { core });
    void letGo();
    return core;
  };
  const made = again().finally(() => reviving.delete(key));
  reviving.set(key, made);
  return made;
}

/** Shows a file at the range and moment of the one before; allocations of that one mean nothing here. */
export function show(key: string): void {
  used.set(key, ++now);
  if (place.value.file !== key) go({ file: key, ...selecting({ life: null }) });
}

/** Gives a snapshot the counters of its process. Fails with a `CoreError` where they cannot be read. */
export async function addCounters(key: string, doc: number, source: Source): Promise<void> {
  const core = find(key)?.core;
  if (!core) return;
  await core.addCounters(doc, source.blob);
  // Kept, so that reading it again takes them along.
  patch(key, { counters: source, revision: (find(key)?.revision ?? 0) + 1 });
}

/** Follows other rules of categories in every file. Fails where a line of them cannot be taken. */
export async function setRules(rules: string): Promise<void> {
  const open = files.value.filter((entry) => entry.status.is === "ready" && entry.core !== null);
  // Some worker has to say whether they can be taken, and before they are kept.
  const judge = open[0]?.core ?? takeCore();
  await judge.setRules(rules);
  change({ rules });
  await Promise.all(open.slice(1).map((entry) => entry.core?.setRules(rules)));
  files.update((all) => all.map((entry) => ({ ...entry, revision: entry.revision + 1 })));
  if (open.length > 0) return;
  judge.terminate();
  keepSpareCore();
}

function startWaiting(): void {
  const reading = files.value.filter((entry) => entry.status.is === "reading").length;
  const waiting = files.value.filter((entry) => entry.status.is === "waiting");
  for (const entry of waiting.slice(0, Math.max(0, readers - reading))) void read(entry);
}

/** Reads the files of an entry into a worker; those of a profiler are put together. `told` hears the bytes read so far. */
export async function readInto(core: Core, entry: FileEntry, told: (read: number, memory: number) => void): Promise<{ first: Summary; parts: Summary[]; run: OpsHead | null }> {
  const { sources, options, joined } = entry;
  const parts: Summary[] = [];
  let before = 0;
  let failure: unknown = new Error("the file is not there");
  for (const [i, source] of (joined ? sources.slice(0, 1) : sources).entries()) {
    const progress = ({ read, memory }: Progress) => told(before + read, memory);
    try {
      parts.push(await core.open(source, i === 0 ? (entry.counters?.blob ?? null) : null, settings.value.rules, options, progress, joined ? sources.slice(1) : []));
    } catch (error) {
      // One bad file of a folder does not keep the others out.
      if (sources.length === 1 || !(error instanceof CoreError) || ["over_budget", "database", "cancelled"].includes(error.wire.kind)) throw error;
      failure = error;
    }
    before += source.blob.size;
  }
  const [first] = parts;
  if (!first) throw failure;
  const { role, rank, folder } = entry.profile ?? { role: "", rank: null, folder: "" };
  const isRun = parts.every((part) => PROFILER_KINDS.includes(part.kind));
  const run = isRun ? (await core.query(0, { type: "ops_open", role, rank, folder }, "ops.open")).head : null;
  return { first, parts, run };
}

async function read(entry: FileEntry): Promise<void> {
  const { key, sources, size } = entry;
  const core = takeCore(entry.databases);
  const began = performance.now();
  const current = () => find(key)?.core === core;
  patch(key, { core, status: { is: "reading", read: 0, total: size, memory: 0, began, now: began } });
  core.onDead = (error) => {
    if (current() && error.kind !== "cancelled") patch(key, { core: null, status: { is: "failed", error } });
  };
  try {
    const { first, parts, run } = await readInto(core, entry, (read, memory) => {
      if (current()) patch(key, { status: { is: "reading", read, total: size, memory, began, now: performance.now() } });
    });
    if (!current()) return;
    const whole = { ...first, kind: "profiler", complete: parts.every((part) => part.complete), warnings: parts.flatMap((part) => part.warnings) };
    const summary = run !== null || parts.length > 1 || (sources.length > 1 && !entry.joined) ? whole : first;
    patch(key, { status: { is: "ready", summary, parts, run, seconds: (performance.now() - began) / 1000 } });
    // The first file to finish is shown at once, unless the user looks at another by choice.
    const shown = find(place.value.file)?.status.is;
    if (shown === undefined || shown === "failed" || shown === "cancelled") showFirst(key);
  } catch (error) {
    if (current()) {
      const wire = error instanceof CoreError ? error.wire : unexpected(error);
      core.terminate();
      // It waits again, for a worker that can read it.
      if (wire.kind === "database" && !entry.databases) patch(key, { core: null, databases: true, status: { is: "waiting" } });
      else {
        patch(key, { core: null, status: wire.kind === "over_budget" ? { is: "asking", error: wire } : { is: "failed", error: wire } });
        // Bad news is shown too, unless a file is being looked at.
        if (find(place.value.file)?.status.is !== "ready" && wire.kind !== "cancelled") show(key);
      }
    }
  }
  // Before the next one is read, so that the memory stays bounded.
  await letGo();
  startWaiting();
  // Not at once: the views of this file come first.
  setTimeout(keepSpareCore, 3000);
}

/** Keeps view, range and moment of the address when the page was opened with them and the file fits. */
function showFirst(key: string): void {
  if (place.value.file === null) go({ file: key });
  // The address speaks of a file that is not here.
  else if (find(place.value.file) === undefined) go({ file: key, device: null, range: null, at: null, sel: null });
  else show(key);
}

function unexpected(error: unknown): WireError {
  return { kind: "trap", message: error instanceof Error ? error.message : String(error), position: null, hint: null, estimate: null };
}
