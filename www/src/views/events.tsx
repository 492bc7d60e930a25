// Events: every event of the trace as a table, filtered, sorted, and saved as CSV.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { deviceOf } from "../device";
import { useRoom } from "../charts/use-room";
import { Name, Size } from "../components/basics";
import { Field } from "../components/field";
import { SiteLine } from "../components/frames";
import { Stack } from "../components/life-detail";
import { ErrorBox } from "../components/problems";
import { useWidth } from "../components/use-width";
import { VirtualTable } from "../components/virtual-table";
import { useQuery } from "../core/use-query";
import type { EventFilter, EventLine, Request, SortBy } from "../core/protocol";
import { download } from "../download";
import { bytes, count, exactBytes, percent } from "../format";
import { useTexts } from "../i18n";
import { OperatorAt, useJoin } from "../ops/join";
import { choose, eventsBetween, selecting, statesShown, useSelection } from "../state/selection";
import { useSettings } from "../state/settings";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import { typedAddress, typedSize, typedWhole } from "../typed";
import type { View, ViewProps } from "./registry";

type EventsRequest = Extract<Request, { type: "events" }>;
type LifeRequest = Extract<Request, { type: "life" }>;
type DetailRequest = Extract<Request, { type: "event_detail" }>;

const PAGE = 200;
/** Rows of this width have room for every column in its usual order. */
const WIDE = 860;
const isOom = (line: EventLine) => line.action === "oom";
const ACTIONS = ["alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap", "oom", "snapshot", "workspace_snapshot", "user_defined", "annotate", "other"];
/** What the fields hold, as typed. The text of a stack is part of the selection: it lights up in the other views, too. */
const EMPTY = { action: "", address: "", minSize: "", maxSize: "", stream: "", first: "", last: "" };
type Fields = typeof EMPTY;

function EventsView({ at, file, summary, device: chosen }: ViewProps) {
  const t = useTexts();
  const device = deviceOf(chosen);
  const about = summary.devices.find((each) => String(each.device) === chosen);
  const here = useStore(place);
  const height = useRoom(330, 300, 2000);
  const selection = useSelection();
  const { stripPaths } = useSettings();
  const [fields, setFields] = useState<Fields>(EMPTY);
  const lastEvent = (about?.events ?? 1) - 1;
  const understood = {
    address: typedAddress(fields.address),
    minSize: typedSize(fields.minSize),
    maxSize: typedSize(fields.maxSize),
    stream: typedWhole(fields.stream, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    first: typedWhole(fields.first, 0, lastEvent),
    last: typedWhole(fields.last, 0, lastEvent),
  };
  // What is not understood does not filter.
  const filter: EventFilter = {
    actions: fields.action === "" ? [] : [fields.action],
    stack_text: selection.find,
    min_size: understood.minSize ?? null,
    max_size: understood.maxSize ?? null,
    address: understood.address ?? "",
    stream: understood.stream ?? null,
    first: understood.first ?? null,
    last: understood.last ?? null,
  };
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


  const join = useJoin(at, device, file.key, about?.has_time === true);

  // What is known of the chosen allocation leads to its first event.
  const chosen_ = useQuery<LifeRequest>(at, selection.life === null ? null : { type: "life", device, life: selection.life }, "events.life");
  const life = chosen_.answers?.life === selection.life && selection.life !== null ? (chosen_.data?.detail ?? null) : null;
  const asked = JSON.stringify([filter, sort, device]);
  const before = useRef(asked);
  useEffect(() => {
    if (before.current === asked) return;
    before.current = asked;
    setRow(null);
    setPage(0);
  }, [asked]);
  const begin = life?.begin_event ?? life?.end_event ?? null;
  const isEmpty = selection.find === "" && Object.values(fields).every((text) => text === "");
  const isPlain = isEmpty && sort.by === "event" && !sort.descending;
  // The allocation that a row of this table chose: it stands at that row, be it the one that frees it.
  const byRow = useRef<number | null>(null);
  useEffect(() => {
    if (selection.life === null || selection.life === byRow.current) return;
    byRow.current = null;
    // Without a filter the row of an event is its number.
    if (begin !== null && isPlain) setRow(begin);
  }, [selection.life, begin, isPlain]);
  // The allocation of a row that was chosen by hand is chosen everywhere.
  const byHand = useRef<number | null>(null);
  const found = selected && detail.answers?.event === selected.event ? (detail.data?.life ?? null) : null;
  const chooseLife = () => {
    byRow.current = found;
    choose({ life: found });
  };
  useEffect(() => {
    if (found === null || row === null || byHand.current !== row) return;
    byHand.current = null;
    if (found !== selection.life) chooseLife();
  }, [found, row]);

  const change = (part: Partial<Fields>) => setFields((now) => ({ ...now, ...part }));
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

  // Streams are small numbers or pointers, times may be missing, and of a failure there is more to say than an
  // address: what they leave is the call site's. Where there is little room it stands before them.
  const [frame, width] = useWidth();
  const digits = data?.rows.reduce((most, line) => Math.max(most, String(line.stream).length), 0) ?? 0;
  const failed = useRef(false);
  failed.current ||= data?.rows.some(isOom) ?? false;
  const isNarrow = width > 0 && width < WIDE;
  const timed = about?.has_time === true;
  const columns = useMemo(() => {
    const site = { id: "call_site", name: t.range.callSite, width: "minmax(200px, 1fr)" };
    const address = { id: "address", name: t.events.address, width: failed.current ? "168px" : "104px" };
    return [
      { id: "event", name: t.events.event, width: "68px", number: true },
      { id: "action", name: t.events.action, width: "112px" },
      ...(isNarrow ? [] : [address]),
      { id: "size", name: t.events.size, width: "76px", number: true },
      ...(isNarrow ? [site, address] : []),
      { id: "stream", name: t.events.stream, width: digits > 6 ? "112px" : "56px", number: true },
      { id: "time", name: t.events.time, width: timed ? "134px" : "72px", number: true },
      ...(isNarrow ? [] : [site]),
    ];
  }, [t, digits > 6, timed, isNarrow, failed.current]);
  if (about?.events === 0) return <p class="notice">{t.events.noEvents}</p>;
  const cellsOf = (line: EventLine): Record<string, ComponentChildren> => ({
    event: count(line.event),
    action: line.action,
    // Where an allocation failed stands what the device had left.
    address: isOom(line) ? <span title={exactBytes(Number(line.address))}>{t.events.deviceFree(bytes(Number(line.address)))}</span> : <code>{line.address}</code>,
    size: <Size of={line.size} />,
    stream: <Name text={String(line.stream)} most={13} />,
    time: line.time_us === null ? "–" : String(line.time_us),
    call_site: <SiteLine text={line.call_site} />,
  });
  const field = (name: keyof typeof understood, label: string, expected: string) => <Field label={label} text={fields[name]} isBad={understood[name] === undefined} expected={expected} onText={(text) => change({ [name]: text })} />;
  const whole = t.typed.whole(0, lastEvent);
  // What happened in the range selected in the timeline, else in the one it shows.
  const range = selection.range ?? (here.range && statesShown(here.range));
  const between = range && eventsBetween(range);
  return (
    <>
      <div class="row toolbar">
        <label class="field">
          <span class="faint">{t.events.action}</span>
          <select value={fields.action} onChange={(event) => change({ action: event.currentTarget.value })}>
            <option value="">{t.events.anyAction}</option>
            {ACTIONS.map((action) => (
              <option key={action} value={action}>
                {action}
              </option>
            ))}
          </select>
        </label>
        <Field label={t.events.stackText} text={selection.find} kind="search" onText={(find) => choose({ find })} />
        {field("address", t.events.address, t.typed.address)}
        {field("minSize", t.events.minSize, t.typed.size)}
        {field("maxSize", t.events.maxSize, t.typed.size)}
        {field("stream", t.events.stream, t.typed.stream)}
        {field("first", t.events.first, whole)}
        {field("last", t.events.last, whole)}
      </div>
      <div class="row toolbar">
        <b role="status">{data && t.events.kept(total, about?.events ?? total)}</b>
        {between && (
          <button type="button" class="small" onClick={() => change({ first: String(Math.min(lastEvent, between[0])), last: String(Math.min(lastEvent, between[1])) })}>
            {t.events.shownRange}
          </button>
        )}
        {!isPlain && (
          <button type="button" class="small quiet" onClick={() => (setSort({ by: "event", descending: false }), choose({ find: "" }), setFields(EMPTY))}>
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
            const cells = line && cellsOf(line);
            return cells && columns.map(({ id }) => cells[id]);
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
          onChoose={(index) => {
            byHand.current = index;
            setRow(index);
            if (index === row && found !== null) chooseLife();
          }}
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
