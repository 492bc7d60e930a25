// Sides of a comparison: what a file holds at a moment, fetched from the file's own worker and kept as text, so that
// any worker can compare it and the file's worker may end.

import type { Device } from "../core/protocol";
import { beforeLetGo, coreOf, files, find } from "../state/files";
import type { FileEntry } from "../state/files";
import { Store } from "../state/store";

/** "peak", "end", or the number of a state. */
export type Moment = string;

/** One side as the view and the address name it. */
export interface Choice {
  file: string;
  device: string;
  moment: Moment;
}

export type Axis = "event" | "time" | "step";

/** Moments that were pinned in other views. */
export const pins = new Store<readonly Choice[]>([]);

export function pin(choice: Choice): void {
  const same = (each: Choice) => each.file === choice.file && each.device === choice.device && each.moment === choice.moment;
  pins.update((all) => (all.some(same) ? all.filter((each) => !same(each)) : [...all, choice]));
}

export function isPinned(all: readonly Choice[], choice: Choice): boolean {
  return all.some((each) => each.file === choice.file && each.device === choice.device && each.moment === choice.moment);
}

export const snapshots = (all: readonly FileEntry[]): FileEntry[] => all.filter((each) => each.status.is === "ready" && each.status.summary.kind === "snapshot");

/** The devices of a file in the order of the summary. */
export function devicesOf(file: FileEntry | undefined): Device[] {
  return file?.status.is === "ready" ? file.status.summary.devices.map((each) => each.device) : [];
}

export function deviceFrom(text: string): Device {
  return text === "host" ? "host" : Number(text);
}

let asked = 0;

async function ask(key: string, device: Device, moment: Moment, stacks: boolean, curves: Axis | null): Promise<string> {
  const core = await coreOf(key);
  const file = find(key);
  const doc = file?.status.is === "ready" ? file.status.summary.doc : 0;
  // Every question is wanted, so none may take another's place.
  return (await core.query(doc, { type: "compare_side", device: String(device), moment, stacks, curves }, `side ${asked++}`)).side;
}

/** Moves when counters or rules of a file change. */
export const revisionOf = (key: string): number => find(key)?.revision ?? 0;

const MOST_KEPT = 12;
const kept = new Map<string, Promise<string>>();

/** A side with stacks and curves. The last ones are kept. */
export function sideOf(choice: Choice, axis: Axis): Promise<string> {
  const id = JSON.stringify([choice, axis, revisionOf(choice.file)]);
  let side = kept.get(id);
  if (!side) {
    side = ask(choice.file, deviceFrom(choice.device), choice.moment, true, axis);
    side.catch(() => kept.delete(id));
  }
  kept.delete(id);
  kept.set(id, side);
  for (const old of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(old);
  }
  return side;
}

/** What a file leaves for the view of ranks, one a device that was used. */
export interface Digest {
  device: Device;
  /** At the peak, stacks cut to their call sites. */
  peak: string;
  /** At the end with stacks, for a series. */
  end: string;
}

const digests = new Map<string, { status: FileEntry["status"]; revision: number; made: Promise<Digest[]> }>();

/** Made once a file, and before its worker is let go. */
export function digestOf(file: FileEntry): Promise<Digest[]> {
  const known = digests.get(file.key);
  if (known?.status === file.status && known.revision === file.revision) return known.made;
  const made = makeDigest(file);
  digests.set(file.key, { status: file.status, revision: file.revision, made });
  made.catch(() => digests.delete(file.key));
  return made;
}

async function makeDigest(file: FileEntry): Promise<Digest[]> {
  if (file.status.is !== "ready") return [];
  const { devices } = file.status.summary;
  const used = devices.some((each) => each.events > 0) ? devices.filter((each) => each.events > 0) : devices;
  return Promise.all(
    used.map(async ({ device }) => {
      const [peak, end] = await Promise.all([ask(file.key, device, "peak", false, null), ask(file.key, device, "end", true, null)]);
      return { device, peak, end };
    }),
  );
}

beforeLetGo.push(digestOf);

// What closed files left is forgotten.
files.subscribe(() => {
  const there = new Set(files.value.map((each) => each.key));
  for (const key of digests.keys()) if (!there.has(key)) digests.delete(key);
  const left = pins.value.filter((each) => there.has(each.file));
  if (left.length < pins.value.length) pins.set(left);
});

/** The address of two sides. */
export function formatChoices(a: Choice, b: Choice): string {
  return JSON.stringify([a, b].map((each) => [each.file, each.device, each.moment]));
}

export function parseChoices(text: string | null): [Choice, Choice] | null {
  try {
    const parsed: unknown = JSON.parse(text ?? "");
    if (!Array.isArray(parsed) || parsed.length !== 2) return null;
    const choices = parsed.map((each: unknown): Choice | null => {
      if (!Array.isArray(each) || each.length !== 3 || each.some((part) => typeof part !== "string")) return null;
      const [file, device, moment] = each as [string, string, string];
      return /^(peak|end|\d{1,10})$/.test(moment) ? { file, device, moment } : null;
    });
    const [a, b] = choices;
    return a && b ? [a, b] : null;
  } catch {
    return null;
  }
}
