// Which of the files given belong together: a snapshot and its side-car of counters, the files of one
// profiler folder, the log files of one run. The same rules as the terminal's. Pure, so it is tested without a browser.

import type { Source } from "../core/protocol";

/** What becomes one entry of the list, read by one worker. */
export interface Group {
  name: string;
  path: string;
  /** The files to read, the telling one first. */
  sources: Source[];
  /** The counters that go with the first of them. */
  counters: Source | null;
  /** Set where the files are a profiler's. */
  profile: Profile | null;
  /** The files are parts of one log: a process writes many. */
  joined: boolean;
}

/** Which process a profiler's files are about. */
export interface Profile {
  /** The folder's own name; empty for files without one. */
  folder: string;
  role: string;
  /** Null for a card without a rank. */
  rank: number | null;
  /** The digits of the folder's time, padded so that they compare. */
  timestamp: string;
  /** The small files that tell rank and role. */
  infos: Source[];
}

const SIDECAR = ".counters.json";

/** Files of a profiler folder that are read, the most telling first. */
const PROFILER_FILES = [/^operator_memory.*\.csv$/, /^memory_record.*\.csv$/, /^(trace_view.*|kineto.*|.*\.trace)\.json$/, /^npu_module_mem.*\.csv$/, /^static_op_mem.*\.csv$/, /^step_trace_time.*\.csv$/, /^ascend_pytorch_profiler.*\.db$/];
const DATABASE = PROFILER_FILES.length - 1;
const INFO_FILES = [/^profiler_info(_-?\d+)?\.json$/, /^profiler_metadata\.json$/];
const OUTPUT_FOLDERS = ["ascend_profiler_output", "mindstudio_profiler_output"];

const plain = (name: string) => name.toLowerCase().replace(/\.gz$/, "");
const pieceOf = (name: string) => PROFILER_FILES.findIndex((pattern) => pattern.test(plain(name)));
const isInfo = (name: string) => INFO_FILES.some((pattern) => pattern.test(plain(name)));

/** The folder a profiler's file belongs to, and whether it is surely a profiler's. */
function folderOf(path: string): { folder: string; sure: boolean } {
  const folders = path.split(/[/\\]/).slice(0, -1);
  const at = folders.findLastIndex((part) => part.toLowerCase().endsWith("_ascend_pt"));
  if (at >= 0) return { folder: folders.slice(0, at + 1).join("/"), sure: true };
  if (OUTPUT_FOLDERS.includes(folders.at(-1)?.toLowerCase() ?? "")) folders.pop();
  return { folder: folders.join("/"), sure: false };
}

/** The time in a folder's name: `…_20250109073723745_ascend_pt`, `20260526_085155_ascend_pt`. */
function timestampOf(folder: string): string {
  const [, digits = ""] = /(?:^|_)(\d{14,}|\d{8}_\d+)_ascend_pt$/i.exec(folder) ?? [];
  return digits === "" ? "" : digits.replace("_", "").padEnd(17, "0");
}

/** plog-1234_20260304.log, and what a rotation made of it. */
const LOG_FILE = /\.log(\.\d+)?(\.gz)?$/i;

/** Log files given together are one log; of several folders each is one. */
function logSet(path: string): string | null {
  if (!LOG_FILE.test(path)) return null;
  const [folder, ...inner] = path.split("/");
  return inner.length > 0 ? (folder ?? "") : "";
}

/** Parts of one log as an entry. */
export function joinLogs(path: string, sources: readonly Source[]): Group {
  const [first] = sources;
  const name = path !== "" ? path : `${first?.name ?? ""}${sources.length > 1 ? ` +${sources.length - 1}` : ""}`;
  return { name, path: name, sources: [...sources], counters: null, profile: null, joined: sources.length > 1 };
}

export function group(sources: readonly Source[]): Group[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const runs = new Map<string, Group & { profile: Profile }>();
  const groups: Group[] = [];
  const infosOf = new Map<string, Source[]>();
  const logs = new Map<string, { at: number; sources: Source[] }>();
  for (const source of sources) {
    const { folder, sure } = folderOf(source.path);
    if (isInfo(source.name)) {
      const infos = infosOf.get(folder) ?? [];
      infosOf.set(folder, infos);
      infos.push(source);
      continue;
    }
    const piece = pieceOf(source.name);
    if (piece >= 0) {
      // Files without a folder of their own: the second of a kind belongs to another run.
      let turn = 0;
      const key = () => (sure ? folder : `${folder}//${turn}`);
      while (!sure && runs.get(key())?.sources.some((each) => pieceOf(each.name) === piece)) turn++;
      let run = runs.get(key());
      if (!run) {
        const parts = folder.split("/");
        const own = parts.at(-1) ?? "";
        const profile: Profile = { folder: own, role: parts.at(-2) ?? "", rank: null, timestamp: timestampOf(own), infos: [] };
        // A folder stands where its first file stood; the files beside the known ones are the profiler's own.
        run = { name: own || source.name, path: folder || source.path, sources: [], counters: null, profile, joined: false };
        runs.set(key(), run);
        groups.push(run);
      }
      run.sources.push(source);
      continue;
    }
    const set = sure ? null : logSet(source.path);
    if (set !== null) {
      const own = logs.get(set);
      if (own) own.sources.push(source);
      else {
        // It stands where its first file stood.
        logs.set(set, { at: groups.length, sources: [source] });
        groups.push(joinLogs(source.path, [source]));
      }
      continue;
    }
    if (sure || (source.path.endsWith(SIDECAR) && byPath.has(source.path.slice(0, -SIDECAR.length)))) continue;
    groups.push({ name: source.name, path: source.path, sources: [source], counters: byPath.get(source.path + SIDECAR) ?? null, profile: null, joined: false });
  }
  for (const [folder, { at, sources }] of logs) if (sources.length > 1) groups[at] = joinLogs(folder, sources);
  for (const run of runs.values()) {
    // A database says what the tables beside it say.
    if (run.sources.some((each) => pieceOf(each.name) === 0)) run.sources = run.sources.filter((each) => pieceOf(each.name) !== DATABASE);
    run.sources.sort((a, b) => pieceOf(a.name) - pieceOf(b.name));
    run.profile.infos = infosOf.get(folderOf(run.sources[0]?.path ?? "").folder) ?? [];
  }
  return groups;
}

/** Learns rank and role from the small files, and puts the runs in order of role, rank and time. */
export async function identified(groups: readonly Group[]): Promise<Group[]> {
  await Promise.all(groups.map((each) => each.profile && identify(each.profile, each.sources)));
  const runs = groups.filter((each) => each.profile !== null).sort(byRank);
  return groups.map((each) => (each.profile === null ? each : (runs.shift() as Group)));
}

function byRank({ profile: a }: Group, { profile: b }: Group): number {
  if (!a || !b) return 0;
  const text = (x: string, y: string) => (x < y ? -1 : x > y ? 1 : 0);
  return text(a.role, b.role) || (a.rank ?? -1) - (b.rank ?? -1) || text(a.timestamp, b.timestamp) || text(a.folder, b.folder);
}

async function identify(profile: Profile, sources: readonly Source[]): Promise<void> {
  let fromName: number | null = null;
  let inside: number | null = null;
  for (const info of profile.infos) {
    const name = /^profiler_info_(-?\d+)\.json$/i.exec(info.name);
    if (name && fromName === null) fromName = Number(name[1]);
    try {
      const { rank_id: rank, role } = JSON.parse((await info.blob.text()).replace(/^\ufeff/, "")) as { rank_id?: unknown; role?: unknown };
      if ((typeof rank === "number" || typeof rank === "string") && /^\s*-?\d+\s*$/.test(String(rank))) inside ??= Number(rank);
      if ((typeof role === "string" && role !== "") || typeof role === "number") profile.role = String(role);
    } catch {
      // What cannot be read costs only what it would have told.
    }
  }
  // A database names its rank, too.
  const [, ofDatabase] = sources.map(({ name }) => /^ascend_pytorch_profiler_(\d+)\.db/i.exec(name)).find((found) => found !== null) ?? [];
  // A rank of −1 says "no rank": the single card's.
  const rank = fromName ?? inside ?? (ofDatabase === undefined ? null : Number(ofDatabase));
  profile.rank = rank !== null && rank >= 0 ? rank : null;
}
