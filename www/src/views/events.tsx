// Events: every event of the trace as a table, filtered, sorted, and saved as CSV.

import { useEffect, useMemo, useState } from "preact/hooks";
import { deviceOf } from "../device";
import { useRoom } from "../charts/use-room";
import { Name, Size } from "../components/basics";
import { Stack } from "../components/life-detail";
import { ErrorBox } from "../components/problems";
import { useWidth } from "../components/use-width";
import { lettersLeft, VirtualTable } from "../components/virtual-table";
import { useQuery } from "../core/use-query";
import type { EventFilter, Request, SortBy } from "../core/protocol";
import { download } from "../download";
import { count, percent } from "../format";
import { useTexts } from "../i18n";
import { OperatorAt, useJoin } from "../ops/join";
import { choose, selecting, useSelection } from "../state/selection";
import { useSettings } from "../state/settings";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import type { View, ViewProps } from "./registry";

type EventsRequest = Extract<Request, { type: "events" }>;
type LifeRequest = Extract<Request, { type: "life" }>;
type DetailRequest = Extract<Request, { type: "event_detail" }>;

const PAGE = 200;
const ACTIONS = ["alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap", "oom", "snapshot", "workspace_snapshot", "user_defined", "annotate", "other"];
/** Every field set, so that each has its input. */
type Filter = Required<EventFilter>;
const EMPTY: Filter = { actions: [], stack_text: "", min_size: null, max_size: null, address: "", stream: null, first: null, last: null };

const numberOf = (text: string) => (/^-?\d{1,16}$/.test(text.trim()) ? Number(text.trim()) : null);

function EventsView({ at, file, summary, device: chosen }: ViewProps) {
  const t = useTexts();
  const device = deviceOf(chosen);
  const about = summary.devices.find((each) => String(each.device) === chosen);
  const here = useStore(place);
  const height = useRoom(330, 300, 2000);
  const selection = useSelection();
  const { stripPaths } = useSettings();
  // The text of a stack is part of the selection: it lights up in the other views, too.
  const [own, setFilter] = useState<Filter>(EMPTY);
  const filter: Filter = { ...own, stack_text: selection.find };
  const [sort, setSort] = useState<{ by: SortBy; descending: boolean }>({ by: "event", descending: false });
  const [page, setPage] = useState(0);
  const [row, setRow] = useState<number | null>(null);
  const [saving, setSaving] = useState<number | null>(null);

  const request: EventsRequest = { type: "events", device, filter, sort: sort.by, descending: sort.descending, first: Math.max(0, page * PAGE - PAGE), count: 3 * PAGE };
  const { data, answers, error } = useQuery<EventsRequest>(at, request, "events");
  const total = data?.total ?? 0;
  // Rows of another filter, or in another order, are other rows.
  const list = answers === undefined ? undefined : JSON.stringify([answers.filter, answers.sort, answers.descending, answers.device]);
  const lineOf = (index: number) => (data ? (data.rows[index - data.first] ?? null) : null);
  const selected = row === null ? null : lineOf(row);
  const detail = useQuery<DetailRequest>(at, selected ? { type: "event_detail", device, event: selected.event } : null, "events.detail");

  useEffect(() => setRow(null), [list]);

  const join = useJoin(at, device, file.key, about?.has_time === true);

  // What is known of the chosen allocation leads to its first event.
  const chosen_ = useQuery<LifeRequest>(at, selection.life === null ? null : { type: "life", device, life: selection.life }, "events.life");
  const life = chosen_.answers?.life === selection.life && selection.life !== null ? (chosen_.data?.detail ?? null) : null;
  const begin = life?.begin_event ?? life?.end_event ?? null;
  const isPlain = sort.by === "event" && !sort.descending && filter.first === null && filter.last === null && filter.actions.length === 0 && filter.stack_text === "" && filter.address === "" && filter.min_size === null && filter.max_size === null && filter.stream === null;
  useEffect(() => {
    // Without a filter the row of an event is its number.
    if (begin !== null && isPlain) setRow(begin);
  }, [begin, isPlain]);

  const change = (part: Partial<Filter>) => {
    if (part.stack_text !== undefined) choose({ find: part.stack_text });
    setFilter((now) => ({ ...now, ...part }));
    setRow(null);
    setPage(0);
  };
  const save = async () => {
    const parts: string[] = [];
    let first: number | null = 0;
    while (first !== null) {
      setSaving(total > 0 ? first / total : 0);
      const reply: { text: string; next: number | null } = await at.core.query(at.doc, { ...request, type: "events_csv", first, count: 0 }, "events.csv", [], stripPaths);
      parts.push(reply.text);
      first = reply.next;
    }
    download(`${file.name}.events.csv`, parts, "text/csv");
    setSaving(null);
  };

  // Streams are small numbers or pointers, and times may be missing: what they leave is the call site's.
  const [frame, width] = useWidth();
  const digits = data?.rows.reduce((most, line) => Math.max(most, String(line.stream).length), 0) ?? 0;
  const timed = about?.has_time === true;
  const columns = useMemo(
    () => [
      { id: "event", name: t.events.event, width: "68px", number: true },
      { id: "action", name: t.events.action, width: "112px" },
      { id: "address", name: t.events.address, width: "104px" },
      { id: "size", name: t.events.size, width: "76px", number: true },
      { id: "stream", name: t.events.stream, width: digits > 6 ? "112px" : "56px", number: true },
      { id: "time", name: t.events.time, width: timed ? "134px" : "72px", number: true },
      { id: "call_site", name: t.range.callSite, width: "minmax(200px, 1fr)" },
    ],
    [t, digits > 6, timed],
  );
  if (about?.events === 0) return <p class="notice">{t.events.noEvents}</p>;
  const letters = lettersLeft(columns, width);
  const field = (label: string, value: string, set: (text: string) => void, wide = false) => (
    <label class="field">
      <span class="faint">{label}</span>
      <input type="search" class={wide ? "search" : "short"} value={value} onInput={(event) => set(event.currentTarget.value)} />
    </label>
  );
  return (
    <>
      <div class="row toolbar">
        <label class="field">
          <span class="faint">{t.events.action}</span>
          <select value={filter.actions[0] ?? ""} onChange={(event) => change({ actions: event.currentTarget.value === "" ? [] : [event.currentTarget.value] })}>
            <option value="">{t.events.anyAction}</option>
            {ACTIONS.map((action) => (
              <option key={action} value={action}>
                {action}
              </option>
            ))}
          </select>
        </label>
        {field(t.events.stackText, filter.stack_text, (text) => change({ stack_text: text }), true)}
        {field(t.events.address, filter.address, (text) => change({ address: text }))}
        {field(t.events.minSize, filter.min_size === null ? "" : String(filter.min_size), (text) => change({ min_size: numberOf(text) }))}
        {field(t.events.maxSize, filter.max_size === null ? "" : String(filter.max_size), (text) => change({ max_size: numberOf(text) }))}
        {field(t.events.stream, filter.stream === null ? "" : String(filter.stream), (text) => change({ stream: numberOf(text) }))}
        {field(t.events.first, filter.first === null ? "" : String(filter.first), (text) => change({ first: numberOf(text) }))}
        {field(t.events.last, filter.last === null ? "" : String(filter.last), (text) => change({ last: numberOf(text) }))}
      </div>
      <div class="row toolbar">
        <b role="status">{data && t.events.kept(total, about?.events ?? total)}</b>
        {here.range && (
          <button type="button" class="small" onClick={() => here.range && change({ first: Math.max(0, here.range[0] - 1), last: Math.max(0, here.range[1] - 2) })}>
            {t.events.shownRange}
          </button>
        )}
        {!isPlain && (
          <button type="button" class="small quiet" onClick={() => (setSort({ by: "event", descending: false }), change(EMPTY))}>
            {t.events.everyField}
          </button>
        )}
        <span class="grow" />
        <button type="button" disabled={saving !== null || total === 0} onClick={() => void save()}>
          {saving === null ? t.events.export : t.events.exporting(percent(saving, 0))}
        </button>
      </div>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      <div ref={frame} />
      {data && total === 0 ? (
        <p class="notice">{t.events.none}</p>
      ) : (
        <VirtualTable
          label={t.events.table}
          columns={columns}
          total={total}
          height={height}
          cells={(index) => {
            const line = lineOf(index);
            return line && [count(line.event), line.action, <code key="a">{line.address}</code>, <Size key="s" of={line.size} />, String(line.stream), line.time_us === null ? "–" : String(line.time_us), <span key="t" class="mono" title={line.call_site}><Name text={line.call_site} most={letters} /></span>];
          }}
          onVisible={(first) => setPage(Math.floor(first / PAGE))}
          sort={{ by: sort.by, descending: sort.descending }}
          onSort={(by) => {
            if (by !== "call_site") setSort((now) => ({ by: by as SortBy, descending: now.by === by && !now.descending }));
          }}
          chosen={row}
          list={list}
          marked={(index) => {
            const event = lineOf(index)?.event;
            return life !== null && event !== undefined && (event === life.begin_event || event === life.end_event || (life.pending_from !== null && event === life.pending_from - 1));
          }}
          onChoose={setRow}
        />
      )}
      <p class="faint hint">{t.events.help}</p>
      {selected && detail.data && detail.answers?.event === selected.event && (
        <section class="panel" aria-label={t.events.stack}>
          <div class="row">
            <b>{t.curves.atEvent(selected.event)}</b>
            <button type="button" class="small" onClick={() => go({ view: "timeline", at: selected.event + 1, ...selecting({ life: detail.data?.life ?? null }) })}>
              {t.events.toTimeline}
            </button>
            {detail.data.life !== null && (
              <button type="button" class="small" onClick={() => choose({ life: detail.data?.life ?? null })}>
                {t.life.title}
              </button>
            )}
          </div>
          {join.origin !== null && selected.time_us !== null && <OperatorAt join={join} position={(selected.time_us - join.origin) * 1000} />}
          <Stack frames={detail.data.stack} />
        </section>
      )}
    </>
  );
}

export const events: View = {
  id: "events",
  name: (t) => t.events.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: EventsView,
};
