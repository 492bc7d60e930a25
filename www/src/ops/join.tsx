// A snapshot and a profiler's run of the same process share one time axis: steps and operators of the one
// beside the memory of the other. Which run it is, is always said and can be changed; where the times do not
// meet nothing is joined until the reader sets an offset.

import { useMemo, useState } from "preact/hooks";
import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, Request } from "../core/protocol";
import { Name } from "../components/basics";
import { span } from "../format";
import { useTexts } from "../i18n";
import { files } from "../state/files";
import type { FileEntry } from "../state/files";
import { Store, useStore } from "../state/store";
import { typedNumber } from "../typed";
import { rankName } from "./figures";

type CurvesRequest = Extract<Request, { type: "curves" }>;
type OperatorRequest = Extract<Request, { type: "ops_operator_at" }>;

/** What the reader decided for a snapshot. */
interface Choice {
  /** The key of a run's entry; null for none. */
  run: string | null;
  /** Nanoseconds added to the run's times. */
  offset: number;
}

const choices = new Store<ReadonlyMap<string, Choice>>(new Map());
const choose = (key: string, choice: Choice) => choices.update((now) => new Map(now).set(key, choice));

interface Candidate {
  entry: FileEntry;
  head: OpsHead;
  /** Where the run's base lies on the snapshot's axis, before any offset. */
  shift: number;
  /** Nanoseconds between the two; 0 where they meet, negative where the run is earlier. */
  miss: number;
}

export interface Join {
  key: string;
  /** The snapshot's first event in microseconds since the epoch: position 0 of its axis. */
  origin: number | null;
  candidates: readonly Candidate[];
  joined: (Candidate & { offset: number }) | null;
  choice: Choice | undefined;
}

/** The run that a snapshot's device is joined with. Times are positions on the snapshot's own axis. */
export function useJoin(at: Doc, device: Device, key: string, hasTime: boolean): Join {
  const all = useStore(files);
  const choice = useStore(choices).get(key);
  const runs = useMemo(() => all.flatMap((entry) => (entry.status.is === "ready" && entry.status.run && entry.core ? [{ entry, head: entry.status.run }] : [])), [all]);
  const clock = useQuery<CurvesRequest>(at, hasTime && runs.length > 0 ? { type: "curves", device, axis: "time", from: null, to: null, width: 1 } : null, "join.clock");
  const start = clock.data?.origin_ms ?? null;
  // The snapshot's times are whole microseconds.
  const origin = start === null ? null : Math.round(start * 1000);
  const end = clock.data?.extent[1] ?? 0;
  const candidates = useMemo(() => {
    if (origin === null) return [];
    const first = BigInt(origin) * 1000n;
    return runs.map(({ entry, head }): Candidate => {
      const shift = Number(BigInt(head.base_ns) - first);
      const last = shift + head.range[1];
      return { entry, head, shift, miss: shift > end ? shift - end : last < 0 ? last : 0 };
    });
  }, [runs, origin, end]);
  const found = choice ? candidates.find(({ entry }) => entry.key === choice.run) : candidates.find(({ miss }) => miss === 0);
  const offset = choice?.offset ?? 0;
  const meets = found && found.shift + offset <= end && found.shift + offset + found.head.range[1] >= 0;
  const joined = useMemo(() => (found && meets ? { ...found, offset } : null), [found, meets, offset]);
  return { key, origin, candidates, joined, choice };
}

/** Steps as spans of the snapshot's axis. */
export function useSteps(join: Join): readonly { name: string; from: number; to: number }[] {
  const { joined } = join;
  return useMemo(() => (joined ? joined.head.steps.map(([number, from, to]) => ({ name: `ProfilerStep#${number}`, from: from + joined.shift + joined.offset, to: to + joined.shift + joined.offset })) : []), [joined]);
}

/** Says which run is joined, or by how much it misses, and lets both be changed. */
export function JoinBar({ join }: { join: Join }) {
  const t = useTexts();
  const [typed, setTyped] = useState<string | null>(null);
  const { candidates, joined, choice, key } = join;
  if (candidates.length === 0) return null;
  const chosen = joined ?? candidates.find(({ entry }) => entry.key === choice?.run) ?? null;
  const nearest = chosen ?? candidates.reduce((best, each) => (Math.abs(each.miss) < Math.abs(best.miss) ? each : best));
  const offset = choice?.offset ?? 0;
  const isOff = choice?.run === null;
  return (
    <div class="row toolbar join" role="status">
      <label>
        {t.join.from}{" "}
        <select value={joined?.entry.key ?? (isOff ? "" : (choice?.run ?? ""))} onChange={(event) => choose(key, { run: event.currentTarget.value || null, offset: 0 })}>
          <option value="">{t.join.none}</option>
          {candidates.map(({ entry, head }) => (
            <option key={entry.key} value={entry.key}>
              {`${rankName(t, head.report)} · ${entry.name}`}
            </option>
          ))}
        </select>
      </label>
      {!joined && !isOff && nearest.miss !== 0 && (
        <>
          <span class="never">
            <Name text={nearest.entry.name} /> {nearest.miss > 0 ? t.join.later(span(nearest.miss)) : t.join.earlier(span(-nearest.miss))}
          </span>
          <button type="button" class="small" onClick={() => choose(key, { run: nearest.entry.key, offset: -nearest.shift })}>
            {t.join.align}
          </button>
        </>
      )}
      {joined && (
        <>
          <label>
            {t.join.offset}{" "}
            <input
              type="text"
              class="short"
              value={typed ?? String(offset / 1e6)}
              {...(typed !== null && typeof typedNumber(typed) !== "number" ? { "aria-invalid": true, title: t.typed.number } : {})}
              onInput={(event) => {
                setTyped(event.currentTarget.value);
                const millis = typedNumber(event.currentTarget.value);
                if (typeof millis === "number") choose(key, { run: joined.entry.key, offset: Math.round(millis * 1e6) });
              }}
              onBlur={() => setTyped(null)}
            />
          </label>
          {offset !== 0 && <span class="never">{t.join.shifted}</span>}
        </>
      )}
    </div>
  );
}

/** The step and the operator around a position of the snapshot's axis. */
export function OperatorAt({ join, position }: { join: Join; position: number }) {
  const t = useTexts();
  const { joined } = join;
  const at = joined ? Math.round(position - joined.shift - joined.offset) : 0;
  const doc = useMemo(() => (joined?.entry.core ? { core: joined.entry.core, doc: 0, revision: joined.entry.revision } : null), [joined]);
  const { data, answers } = useQuery<OperatorRequest>(doc, joined ? { type: "ops_operator_at", at } : null, "join.operator");
  if (!joined) return null;
  const step = joined.head.steps.find(([, from, to]) => from <= at && at <= to);
  const operator = data && answers?.at === at ? data.operator : null;
  return (
    <div class="joined">
      <span class="faint">{step ? `ProfilerStep#${step[0]}` : t.join.noStep}</span> {operator ? <b>{operator.name}</b> : <span class="faint">{t.join.noOperator}</span>}
      {operator && operator.stack_top !== "" && <div class="mono faint">{operator.stack_top}</div>}
    </div>
  );
}
