// Which of the files given belong together: a snapshot and its side-car of counters, the files of one
// profiler folder. Pure, so it is tested without a browser.

import type { Source } from "../core/protocol";

/** What becomes one entry of the list, read by one worker. */
export interface Group {
  name: string;
  path: string;
  /** The files to read, the telling one first. */
  sources: Source[];
  /** The counters that go with the first of them. */
  counters: Source | null;
}

const SIDECAR = ".counters.json";

/** Files of a profiler folder that are read, the most telling first. */
const PROFILER_FILES = [
  /^operator_memory\.csv$/,
  /^memory_record\.csv$/,
  /^trace_view\.json(\.gz)?$/,
  /^npu_module_mem\.csv$/,
  /^static_op_mem\.csv$/,
  /^step_trace_time\.csv$/,
];

/** The path up to and with the profiler's folder, where the file lies in one. */
function profilerFolder(path: string): string | null {
  const parts = path.split("/");
  const at = parts.slice(0, -1).findLastIndex((part) => part.endsWith("_ascend_pt"));
  return at < 0 ? null : parts.slice(0, at + 1).join("/");
}

export function group(sources: readonly Source[]): Group[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const folders = new Map<string, Source[]>();
  const groups: Group[] = [];
  for (const source of sources) {
    const folder = profilerFolder(source.path);
    if (folder !== null) {
      // A folder stands where its first file stood; the files beside the known ones are the profiler's own.
      let own = folders.get(folder);
      if (!own) {
        own = [];
        folders.set(folder, own);
        groups.push({ name: folder.split("/").pop() ?? folder, path: folder, sources: own, counters: null });
      }
      if (PROFILER_FILES.some((pattern) => pattern.test(source.name))) own.push(source);
      continue;
    }
    if (source.path.endsWith(SIDECAR) && byPath.has(source.path.slice(0, -SIDECAR.length))) continue;
    groups.push({ name: source.name, path: source.path, sources: [source], counters: byPath.get(source.path + SIDECAR) ?? null });
  }
  const rank = (source: Source) => PROFILER_FILES.findIndex((pattern) => pattern.test(source.name));
  for (const own of folders.values()) own.sort((a, b) => rank(a) - rank(b));
  return groups.filter((each) => each.sources.length > 0);
}

