// Compare: any two moments of any two snapshots; in words, in curves, as a flame graph and as a table.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Choice as Buttons, Copy, Name, Say, Section, Size, Table } from "../components/basics";
import { CategoryTag } from "../components/life-detail";
import { ErrorBox } from "../components/problems";
import { ReportButton } from "../components/report-button";
import { DiffCurves, signed } from "../compare/diff-curves";
import { DiffFlame } from "../compare/diff-flame";
import { diffInk } from "../compare/inks";
import { group, keep } from "../compare/rows";
import type { GroupBy, Show, TableRow } from "../compare/rows";
import { devicesOf, formatChoices, parseChoices, pins, revisionOf, sideOf, snapshots } from "../compare/sides";
import type { Axis, Choice } from "../compare/sides";
import type { Comparison, CurvePair, DiffRow, Pair, SegmentKind } from "../compare/types";
import { CoreError } from "../core/client";
import type { WireError } from "../core/protocol";
import { bytes, count, exactBytes, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import { files, find } from "../state/files";
import type { FileEntry } from "../state/files";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import type { View, ViewProps } from "./registry";

const SHOWN = 100;

/** A difference with its sign; the exact number on hover. */
export function Diff({ of }: { of: number }) {
  return (
    <span class={of === 0 ? "figure faint" : "figure"} style={of === 0 ? {} : { color: diffInk(of) }} title={exactBytes(of)}>
      {signed(of)}
    </span>
  );
}

function busiest(file: FileEntry | undefined): string {
  if (file?.status.is !== "ready") return "0";
  return String([...file.status.summary.devices].sort((x, y) => y.events - x.events)[0]?.device ?? "0");
}

/** What is compared before anything is chosen: this file's peak and end, or another file's end with this one's. */
function usual(file: FileEntry, device: string, all: readonly FileEntry[]): [Choice, Choice] {
  const end = { file: file.key, device, moment: "end" };
  const other = all.find((each) => each.key !== file.key);
  if (!other) return [{ ...end, moment: "peak" }, end];
  const ends = [other, file].map((each) => ({ file: each.key, device: devicesOf(each).map(String).includes(device) ? device : busiest(each), moment: "end" }));
  const inOrder = all.indexOf(other) < all.indexOf(file) ? ends : ends.reverse();
  return inOrder as [Choice, Choice];
}

function momentName(moment: string, t: ReturnType<typeof useTexts>): string {
  return moment === "peak" || moment === "end" ? t.compare.moments[moment] : `${t.compare.event} ${count(Number(moment) - 1)}`;
}

function Picker({ label, value, onChange, all }: { label: string; value: Choice; onChange: (next: Choice) => void; all: readonly FileEntry[] }) {
  const t = useTexts();
  const pinned = useStore(pins);
  const file = find(value.file);
  const devices = devicesOf(file).map(String);
  const pinOf = pinned.findIndex((each) => each.file === value.file && each.device === value.device && each.moment === value.moment);
  const isEvent = value.moment !== "peak" && value.moment !== "end";
  return (
    <div class="side-picker" role="group" aria-label={t.compare.side(label)}>
      <b class="side-letter">{label}</b>
      <select
        aria-label={t.compare.file(label)}
        value={pinOf >= 0 ? `pin ${pinOf}` : `file ${value.file}`}
        onChange={(event) => {
          const [kind, ...rest] = event.currentTarget.value.split(" ");
          const key = rest.join(" ");
          const pin = pinned[Number(key)];
          if (kind === "pin" && pin) onChange(pin);
          else if (kind === "file") onChange({ file: key, device: devicesOf(find(key)).map(String).includes(value.device) ? value.device : busiest(find(key)), moment: isEvent ? "end" : value.moment });
        }}
      >
        <optgroup label={t.app.files}>
          {all.map((each) => (
            <option key={each.key} value={`file ${each.key}`}>
              {each.path}
            </option>
          ))}
        </optgroup>
        {pinned.length > 0 && (
          <optgroup label={t.compare.pinned}>
            {pinned.map((each, i) => (
              <option key={i} value={`pin ${i}`}>
                {`${find(each.file)?.name ?? each.file} · ${momentName(each.moment, t)}`}
              </option>
            ))}
          </optgroup>
        )}
      </select>
      {devices.length > 1 && (
        <select aria-label={`${t.app.device} ${label}`} value={value.device} onChange={(event) => onChange({ ...value, device: event.currentTarget.value, moment: isEvent ? "end" : value.moment })}>
          {devices.map((each) => (
            <option key={each} value={each}>
              {each === "host" ? t.app.host : `${t.app.device} ${each}`}
            </option>
          ))}
        </select>
      )}
      <select aria-label={t.compare.moment(label)} value={isEvent ? "event" : value.moment} onChange={(event) => onChange({ ...value, moment: event.currentTarget.value === "event" ? "1" : event.currentTarget.value })}>
        <option value="end">{t.compare.moments.end}</option>
        <option value="peak">{t.compare.moments.peak}</option>
        <option value="event">{t.compare.afterEvent}</option>
      </select>
      {isEvent && (
        <input
          type="number"
          aria-label={`${t.compare.event} ${label}`}
          min={-1}
          value={Number(value.moment) - 1}
          onChange={(event) => onChange({ ...value, moment: String(Math.max(0, Math.trunc(Number(event.currentTarget.value)) + 1)) })}
        />
      )}
    </div>
  );
}

/** The comparison of two sides; the one before stays until the next is there. */
function useComparison(at: ViewProps["at"], a: Choice, b: Choice, axis: Axis, ignoreLines: boolean) {
  const [found, setFound] = useState<Comparison | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  const [busy, setBusy] = useState(true);
  const asked = JSON.stringify([a, b, axis, ignoreLines, revisionOf(a.file), revisionOf(b.file)]);
  useEffect(() => {
    let wanted = true;
    setBusy(true);
    const compare = async () => {
      const [left, right] = await Promise.all([sideOf(a, axis), sideOf(b, axis)]);
      if (!wanted) return;
      const reply = await at.core.query(at.doc, { type: "compare", a: left, b: right, ignore_lines: ignoreLines }, "compare");
      if (!wanted) return;
      setFound(reply.comparison);
      setError(null);
      setBusy(false);
    };
    compare().catch((problem: unknown) => {
      if (!wanted) return;
      setBusy(false);
      setError(problem instanceof CoreError ? problem.wire : { kind: "request", message: String(problem), position: null, hint: null, estimate: null });
    });
    return () => {
      wanted = false;
    };
  }, [at.core, at.doc, asked]);
  return { found, error, busy };
}

function CompareView({ file, summary, at, device }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const all = snapshots(useStore(files));
  const there = new Set(all.map((each) => each.key));
  const given = parseChoices(here.sel);
  const [a, b] = given && given.every((each) => there.has(each.file)) ? given : usual(file, device, all);
  const [ignoreLines, setIgnoreLines] = useState(false);
  const [axis, setAxis] = useState<Axis>("event");
  const [curve, setCurve] = useState<CurvePair["curve"]>("requested");
  const { found, error, busy } = useComparison(at, a, b, axis, ignoreLines);
  const choose = (left: Choice, right: Choice) => go({ sel: formatChoices(left, right) });
  const pair = found?.curves?.curves.find((each) => each.curve === curve);
  return (
    <>
      <div class="compare-head">
        <div class="sides">
          <Picker label="A" value={a} all={all} onChange={(next) => choose(next, b)} />
          <Picker label="B" value={b} all={all} onChange={(next) => choose(a, next)} />
        </div>
        <button type="button" onClick={() => choose(b, a)}>
          {t.compare.swap}
        </button>
        <label class="row" title={t.compare.ignoreMeans}>
          <input type="checkbox" checked={ignoreLines} onChange={() => setIgnoreLines(!ignoreLines)} /> {t.compare.ignore}
        </label>
        {found && !busy && <ReportButton file={file} summary={summary} at={at} comparison={found} />}
      </div>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {!found && !error && <p class="faint">{t.compare.working}</p>}
      {found && (
        <div class={busy ? "compared stale" : "compared"} aria-busy={busy}>
          <ul class="says">
            {found.summary.map((message, i) => (
              <li key={i}>
                <Say message={message} />
              </li>
            ))}
          </ul>
          <div class="two">
            <Section title={t.compare.byCategory}>
              <Categories rows={found.by_category} />
            </Section>
            <Section title={t.compare.totals}>
              <Totals of={found} />
            </Section>
          </div>
          <Section
            title={t.compare.curves}
            aside={
              <div class="row">
                <Buttons label={t.compare.curve} value={curve} onChange={setCurve} options={Object.entries(t.compare.curveNames) as [CurvePair["curve"], string][]} />
                <Buttons label={t.compare.axis} value={axis} onChange={setAxis} options={Object.entries(t.compare.axes) as [Axis, string][]} />
              </div>
            }
          >
            {found.curves && pair ? (
              <>
                <DiffCurves curves={found.curves} pair={pair} />
                <div class="legend">
                  <span>
                    <svg class="line-sample" viewBox="0 0 26 6" aria-hidden="true">
                      <path d="M0 3h26" stroke="var(--text)" stroke-width="1.6" stroke-dasharray="6 4" />
                    </svg>
                    A · {momentLabel(found.a, t)}
                  </span>
                  <span>
                    <svg class="line-sample" viewBox="0 0 26 6" aria-hidden="true">
                      <path d="M0 3h26" stroke="var(--series-requested)" stroke-width="1.6" />
                    </svg>
                    B · {momentLabel(found.b, t)}
                  </span>
                  <span>
                    <i class="dot" style={{ background: diffInk(1, 0.4) }} />
                    {t.compare.more}
                  </span>
                  <span>
                    <i class="dot" style={{ background: diffInk(-1, 0.4) }} />
                    {t.compare.less}
                  </span>
                </div>
              </>
            ) : (
              <p class="faint">{busy ? t.compare.working : t.compare.noCurves(t.compare.axes[axis])}</p>
            )}
          </Section>
          <Section title={t.compare.flame}>
            <DiffFlame paths={found.paths} />
          </Section>
          <Differences of={found} />
          <div class="two">
            <Section title={t.compare.stacks}>
              <Table
                label={t.compare.stacks}
                head={["", t.compare.count, t.compare.diff]}
                rows={(
                  [
                    ["common", found.stacks.common, found.stacks.common_diff_bytes],
                    ["grown", found.stacks.grown, found.stacks.grown_bytes],
                    ["shrunk", found.stacks.shrunk, -found.stacks.shrunk_bytes],
                    ["only_a", found.stacks.only_a, -found.stacks.only_a_bytes],
                    ["only_b", found.stacks.only_b, found.stacks.only_b_bytes],
                  ] as const
                ).map(([name, number, diff]) => [t.compare.stackNames[name], count(number), <Diff of={diff} />])}
              />
            </Section>
            <Section title={t.compare.segments}>
              <Segments of={found} />
            </Section>
          </div>
          <Section title={t.compare.peaks}>
            <p>{t.compare.peakWords(bytes(found.peaks.requested.a), count(found.peaks.a_event), bytes(found.peaks.requested.b), count(found.peaks.b_event), signed(found.peaks.requested.diff))}</p>
            <Categories rows={found.peaks.by_category} />
          </Section>
        </div>
      )}
    </>
  );
}

function momentLabel(side: Comparison["a"], t: ReturnType<typeof useTexts>): string {
  return `${side.file.split("/").pop() ?? side.file}, ${t.compare.event} ${count(side.event)}`;
}

/** Two bars of each category, one above the other, and what differs. */
function Categories({ rows }: { rows: readonly DiffRow[] }) {
  const t = useTexts();
  const most = Math.max(1, ...rows.map((row) => Math.max(row.a_bytes, row.b_bytes)));
  return (
    <Table
      label={t.compare.byCategory}
      text={[0, 1]}
      head={[t.compare.category, "", "A", "B", t.compare.diff]}
      rows={rows.map((row) => [
        <CategoryTag id={row.key ?? "unknown"} inferred={row.a_inferred_bytes > 0 || row.b_inferred_bytes > 0} />,
        <div class="pair-bars" aria-hidden="true">
          <span class="a" style={{ width: `${(row.a_bytes / most) * 100}%` }} />
          <span class="b" style={{ width: `${(row.b_bytes / most) * 100}%` }} />
        </div>,
        <Size of={row.a_bytes} />,
        <Size of={row.b_bytes} />,
        <Diff of={row.diff_bytes} />,
      ])}
    />
  );
}

function Totals({ of }: { of: Comparison }) {
  const t = useTexts();
  const { fragmentation, ...figures } = of.totals;
  const row = ([name, { a, b, diff }]: [string, Pair]): ComponentChildren[] => {
    const isCount = name === "lives" || name === "segments";
    if (isCount) return [textOf(t.compare.figures, name), count(a), count(b), `${diff < 0 ? "" : "+"}${count(diff)}`];
    return [textOf(t.compare.figures, name), <Size of={a} />, <Size of={b} />, <Diff of={diff} />];
  };
  const rows = (Object.entries(figures) as [string, Pair][]).map(row);
  if (fragmentation) rows.push([t.compare.figures.fragmentation, percent(fragmentation.a), percent(fragmentation.b), `${fragmentation.diff < 0 ? "−" : "+"}${percent(Math.abs(fragmentation.diff))}`]);
  return <Table label={t.compare.totals} head={["", "A", "B", t.compare.diff]} rows={rows} />;
}

function Differences({ of }: { of: Comparison }) {
  const t = useTexts();
  const [by, setBy] = useState<GroupBy>("call_site");
  const [show, setShow] = useState<Show>("changed");
  const [text, setText] = useState("");
  const [all, setAll] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const rows = useMemo(() => group(of.paths, by), [of, by]);
  const kept = useMemo(() => rows.filter((row) => keep(row, show, text)), [rows, show, text]);
  const sum = kept.reduce((total, row) => total + row.diff_bytes, 0);
  const id = (row: TableRow, i: number) => `${by} ${row.key} ${i}`;
  return (
    <Section title={t.compare.table}>
      <div class="row toolbar">
        <Buttons label={t.compare.groupBy} value={by} onChange={setBy} options={Object.entries(t.compare.groups) as [GroupBy, string][]} />
        <label class="row">
          <span class="faint">{t.compare.show}</span>
          <select aria-label={t.compare.show} value={show} onChange={(event) => setShow(event.currentTarget.value as Show)}>
            {Object.entries(t.compare.shows).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <input type="search" class="search" placeholder={t.compare.filter} aria-label={t.compare.filter} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <span class="grow" />
        <span role="status" class="figure">
          {t.compare.kept(kept.length, rows.length, signed(sum))}
        </span>
      </div>
      <div class="table-frame">
        <table aria-label={t.compare.table} class="differences">
          <thead>
            <tr>
              <th scope="col" class="number">{t.compare.diff}</th>
              <th scope="col" class="number">A</th>
              <th scope="col" class="number">B</th>
              <th scope="col" class="number">{t.compare.countA}</th>
              <th scope="col" class="number">{t.compare.countB}</th>
              <th scope="col">{t.compare.presence}</th>
              {by !== "category" && <th scope="col">{t.compare.category}</th>}
              <th scope="col">{t.compare.groups[by]}</th>
            </tr>
          </thead>
          <tbody>
            {kept.slice(0, all ? kept.length : SHOWN).map((row, i) => (
              <tr key={id(row, i)}>
                <td class="number">
                  <Diff of={row.diff_bytes} />
                </td>
                <td class="number">
                  <Size of={row.a_bytes} />
                </td>
                <td class="number">
                  <Size of={row.b_bytes} />
                </td>
                <td class="number">{count(row.a_count)}</td>
                <td class="number">{count(row.b_count)}</td>
                <td class="nowrap">{t.compare.presences[row.presence]}</td>
                {by !== "category" && <td>{row.category && <CategoryTag id={row.category} inferred={false} />}</td>}
                <td class="mono wrap">
                  {row.freedAt && <span class="faint">{t.compare.freedAt} </span>}
                  {row.frames.length > 0 ? (
                    <>
                      <button type="button" class="quiet small" aria-expanded={open === id(row, i)} onClick={() => setOpen(open === id(row, i) ? null : id(row, i))}>
                        {open === id(row, i) ? "▾" : "▸"} <Name text={row.key ?? t.flame.noStack} most={90} />
                      </button>
                      {open === id(row, i) && (
                        <div>
                          <Copy text={row.frames.join("\n")} />
                          <ol class="stack">
                            {row.frames.map((frame, n) => (
                              <li key={n}>{frame}</li>
                            ))}
                          </ol>
                        </div>
                      )}
                    </>
                  ) : by === "category" && row.key !== null ? (
                    textOf(t.categories, row.key)
                  ) : (
                    (row.key ?? (by === "module" ? t.compare.noModule : t.flame.noStack))
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {kept.length === 0 && <p class="faint">{rows.some((row) => row.diff_bytes !== 0) ? t.compare.noneKept : t.compare.nothingDiffers}</p>}
      {kept.length > SHOWN && !all && (
        <button type="button" class="small" onClick={() => setAll(true)}>
          {t.compare.showAll(kept.length)}
        </button>
      )}
    </Section>
  );
}

const KINDS: readonly SegmentKind[] = ["new", "gone", "grown", "shrunk", "moved"];

function Segments({ of }: { of: Comparison }) {
  const t = useTexts();
  const hex = (address: number | null) => (address === null ? "–" : `0x${address.toString(16)}`);
  const changed = KINDS.flatMap((kind) => of.segments[kind].rows.map((row) => ({ kind, row })));
  return (
    <>
      <Table
        label={t.compare.segments}
        head={["", t.compare.count, t.compare.diff]}
        rows={[
          ...KINDS.map((kind) => [t.compare.segmentKinds[kind], count(of.segments[kind].count), <Diff of={of.segments[kind].diff_bytes} />]),
          [t.compare.segmentKinds.same, count(of.segments.same), <Diff of={0} />],
        ]}
      />
      {changed.length > 0 && (
        <details>
          <summary>{t.compare.segmentList}</summary>
          <Table
            label={t.compare.segmentList}
            text={[0, 1, 2]}
            head={["", `${t.compare.address} A`, `${t.compare.address} B`, "A", "B", t.compare.diff]}
            rows={changed.map(({ kind, row }) => [
              t.compare.segmentKinds[kind],
              <span class="mono">{hex(row.a_address)}</span>,
              <span class="mono">{hex(row.b_address)}</span>,
              <Size of={row.a_bytes} />,
              <Size of={row.b_bytes} />,
              <Diff of={row.b_bytes - row.a_bytes} />,
            ])}
          />
        </details>
      )}
    </>
  );
}

export const compare: View = {
  id: "compare",
  name: (t) => t.compare.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: CompareView,
};
