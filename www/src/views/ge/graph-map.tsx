// One graph's outputs: the map with its curve, what is under the pointer, the output chosen, and the
// same as a table.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { GeMap, around, panArea, zoomArea } from "../../charts/ge-map";
import type { Area } from "../../charts/ge-map";
import { isHeld, layOut, memTypesOf, overlapBox } from "../../charts/ge-layout";
import type { ColourBy } from "../../charts/ge-layout";
import { useCommands } from "../../commands";
import { Choice, Copy, Section } from "../../components/basics";
import { ErrorBox } from "../../components/problems";
import { useInSight } from "../../components/use-in-sight";
import { C, NEVER, Outputs, liveCurve } from "../../core/ge";
import type { GeGraph } from "../../core/ge";
import type { Request } from "../../core/protocol";
import { useQuery } from "../../core/use-query";
import type { Doc } from "../../core/use-query";
import { bytes, count } from "../../format";
import { textOf, useTexts } from "../../i18n";
import { fieldsOf } from "./fields";
import { OutputTable } from "./outputs";
import { useStore } from "../../state/store";
import { lookFor } from "./names";
import { goGe, useGePlace } from "./place";

type GraphRequest = Extract<Request, { type: "ge_graph" }>;

/** The outputs of each overlap, by row. */
function partnersOf(outputs: Outputs, siblings: readonly GeGraph[]): Map<number, string[]> {
  const key = (memType: number, offset: number, begin: number, name: string) => `${memType} ${offset} ${begin} ${name}`;
  const others = new Map<string, string[]>();
  const offsets = new Set<number>();
  for (const graph of siblings)
    for (const { kind, first, second } of graph.overlaps) {
      if (kind !== "overlap") continue;
      for (const [one, other] of [
        [first, second],
        [second, first],
      ] as const) {
        const named = key(graph.memtype, one.offset, one.begin, one.name);
        others.set(named, [...(others.get(named) ?? []), other.name]);
        offsets.add(one.offset);
      }
    }
  const partners = new Map<number, string[]>();
  for (let row = 0; row < outputs.count; row++) {
    if (!offsets.has(outputs.at(row, C.offset))) continue;
    const found = others.get(key(outputs.at(row, C.memType), outputs.at(row, C.offset), outputs.at(row, C.begin), outputs.label(row)));
    if (found) partners.set(row, found);
  }
  return partners;
}

export function GraphMap({ at, graph, siblings, process }: { at: Doc; graph: GeGraph; siblings: readonly GeGraph[]; process: number }) {
  const t = useTexts();
  const here = useGePlace();
  const [colourBy, setColourBy] = useState<ColourBy>("op");
  const [memType, setMemType] = useState<number | null>(graph.memtype);
  const [search, setSearch] = useState("");
  const [view, setView] = useState<Area | null>(null);
  const [hover, setHover] = useState<{ row: number | null; x: number; y: number; step: number | null }>({ row: null, x: 0, y: 0, step: null });
  const searchBox = useRef<HTMLInputElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const { data, error } = useQuery<GraphRequest>(at, { type: "ge_graph", process, key: graph.key, round: graph.round }, "ge.graph");
  const outputs = useMemo(() => (data ? new Outputs(data.cells, data.texts) : null), [data]);
  const partners = useMemo(() => (outputs ? partnersOf(outputs, siblings) : new Map<number, string[]>()), [outputs, siblings]);
  const layout = useMemo(() => (outputs ? layOut(outputs, memType, colourBy, t.ge.map.others) : null), [outputs, memType, colourBy, t]);
  const curve = useMemo(() => (outputs ? liveCurve(outputs, (row) => memType === null || outputs.at(row, C.memType) === memType) : null), [outputs, memType]);
  const found = useMemo(() => {
    const needle = search.trim().toLowerCase();
    if (needle === "" || !outputs || !layout) return null;
    const kept = new Set<number>();
    for (const row of layout.rows) if (outputs.text(row, C.name).toLowerCase().includes(needle) || outputs.text(row, C.opType).toLowerCase() === needle) kept.add(row);
    return kept;
  }, [outputs, layout, search]);

  const chosen = outputs && here.row !== null && here.row < outputs.count ? here.row : null;
  const scene = useMemo(() => {
    if (!layout || !curve) return null;
    const shown = siblings.filter((each) => memType === null || each.memtype === memType);
    const sum = (of: (graph: GeGraph) => number) => shown.reduce((all, each) => all + of(each), 0);
    return {
      layout,
      curve,
      marks: [
        { name: t.ge.figures.memory_size, bytes: sum((each) => each.memory_size) },
        { name: t.ge.figures.theory_min, bytes: sum((each) => each.theory_min) },
      ],
      peakName: t.ge.map.peak,
      stepName: t.ge.map.step,
      overlaps: shown.flatMap((each) => each.overlaps.filter((overlap) => overlap.kind === "overlap").flatMap((overlap) => overlapBoxes(overlapBox(layout, overlap, each.memtype)))),
      found,
      chosen,
    };
  }, [layout, curve, siblings, memType, found, chosen, t]);

  const whole: Area | null = layout && { x: layout.x, y: layout.y };
  const area = view ?? whole;
  const centre = { x: 0.5, y: 0.5 };
  const show = (next: Area | null) => setView(next);
  const zoom = (factor: number) => area && whole && show(zoomArea(area, whole, factor, centre));
  const pan = (x: number, y: number) => area && whole && show(panArea(area, whole, x, y));
  const boxOf = (row: number): readonly [number, number, number, number] | null => (layout ? [layout.box[row * 4] ?? 0, layout.box[row * 4 + 1] ?? 0, layout.box[row * 4 + 2] ?? 0, layout.box[row * 4 + 3] ?? 0] : null);
  const focus = (row: number | null) => {
    const box = row === null ? null : boxOf(row);
    if (box && whole) show(around(box, whole));
  };
  const pick = (row: number | null) => goGe({ row });
  // A row of the table below is read there: only what is met in the map brings its panel into sight.
  const [met, setMet] = useState<number | null>(null);
  const panel = useInSight(met, met === chosen);
  const meet = (row: number | null) => {
    setMet(row);
    pick(row);
  };
  const next = () => {
    if (!found || found.size === 0 || !outputs) return;
    // In the order of execution.
    const order = [...found].sort((a, b) => outputs.at(a, C.begin) - outputs.at(b, C.begin) || a - b);
    const row = order[(chosen === null ? 0 : order.indexOf(chosen) + 1) % order.length] ?? null;
    pick(row);
    focus(row);
  };
  const wanted = useStore(lookFor);
  useEffect(() => {
    if (!wanted || !outputs || !layout) return;
    const row = outputs.find(wanted, memType);
    lookFor.set(null);
    if (row < 0) return;
    pick(row);
    focus(row);
    frame.current?.scrollIntoView({ block: "nearest" });
  }, [wanted, outputs, layout]);
  useCommands([
    { id: "ge.in", name: t.commands.zoomIn, keys: ["w"], run: () => zoom(0.6), scope: "view" },
    { id: "ge.out", name: t.commands.zoomOut, keys: ["s"], run: () => zoom(1 / 0.6), scope: "view" },
    { id: "ge.left", name: t.commands.panLeft, keys: ["a", "arrowleft"], run: () => pan(-0.2, 0), scope: "view" },
    { id: "ge.right", name: t.commands.panRight, keys: ["d", "arrowright"], run: () => pan(0.2, 0), scope: "view" },
    { id: "ge.up", name: t.ge.map.up, keys: ["arrowup"], run: () => pan(0, 0.2), scope: "view" },
    { id: "ge.down", name: t.ge.map.down, keys: ["arrowdown"], run: () => pan(0, -0.2), scope: "view" },
    { id: "ge.all", name: t.commands.everything, keys: ["0"], run: () => show(null), scope: "view" },
    { id: "ge.focus", name: t.commands.focus, keys: ["f"], run: () => focus(chosen), scope: "view" },
    { id: "ge.search", name: t.commands.search, keys: ["/"], run: () => searchBox.current?.focus(), scope: "view" },
    { id: "ge.next", name: t.ge.map.next, keys: ["n"], run: next, scope: "view" },
    { id: "ge.clear", name: t.commands.clear, keys: ["escape"], run: () => (setSearch(""), pick(null)), scope: "view" },
  ]);

  if (error) return <ErrorBox error={error} title={t.app.failedView} />;
  if (!outputs || !layout || !curve || !scene || !area || !whole) return <div class="ge-map-waiting" />;
  const kinds = memTypesOf(outputs);
  const total = found ? [...found].reduce((sum, row) => sum + outputs.at(row, C.bytes), 0) : 0;
  const live = hover.step === null ? null : liveAt(curve.moments, curve.live, curve.fixed, hover.step);
  return (
    <Section title={t.ge.map.title}>
      <div class="row toolbar">
        <Choice label={t.ge.map.colourBy} value={colourBy} onChange={setColourBy} options={Object.entries(t.ge.map.colours) as [ColourBy, string][]} />
        {kinds.length > 1 && (
          <label class="row">
            {t.ge.map.memory}
            <select
              value={memType === null ? "all" : String(memType)}
              onChange={(event) => {
                setMemType(event.currentTarget.value === "all" ? null : Number(event.currentTarget.value));
                show(null);
              }}
            >
              {kinds.map((kind) => (
                <option key={kind} value={String(kind)}>
                  {textOf(t.ge.memtypes, String(kind), t.ge.memtype(kind))}
                </option>
              ))}
              <option value="all">{t.ge.map.allMemory}</option>
            </select>
          </label>
        )}
        <button type="button" disabled={view === null} onClick={() => show(null)}>
          {t.ge.map.everything}
        </button>
        <span class="grow" />
        {found && (
          <span role="status" class="ge-found">
            {t.ge.map.found(found.size, bytes(total))}
          </span>
        )}
        {found && found.size > 0 && (
          <button type="button" onClick={next}>
            {t.ge.map.next}
          </button>
        )}
        <input
          ref={searchBox}
          type="search"
          class="search"
          placeholder={t.ge.map.search}
          aria-label={t.ge.map.search}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && next()}
        />
      </div>
      <div class={chosen === null ? "with-panel" : "with-panel open"}>
        <div ref={frame} class="chart ge-chart">
          <GeMap scene={scene} area={area} label={t.ge.map.describe(layout.rows.length, outputs.last)} onArea={show} onPick={meet} onHover={(row, x, y, step) => setHover({ row, x, y, step })} />
          {hover.step !== null && (
            <div class="ge-live" aria-hidden="true">
              {t.ge.map.step} {count(Math.min(hover.step, outputs.last))} · {t.ge.map.live} {bytes(live ?? 0)}
            </div>
          )}
          {hover.row !== null && (
            <div class={`chart-tip ge-tip ${hover.x > 520 ? "left" : ""}`} style={hover.x > 520 ? { top: `${Math.min(hover.y, 330)}px`, right: `calc(100% - ${hover.x - 12}px)` } : { top: `${Math.min(hover.y, 330)}px`, left: `${hover.x + 16}px` }}>
              {fieldsOf(outputs, hover.row, partners.get(hover.row) ?? [], t).map(([name, text]) => (
                <div key={name}>
                  <span class="faint">{name}</span>
                  <span class="ge-field">{text}</span>
                </div>
              ))}
            </div>
          )}
          <div class="legend">
            {layout.classes.map((each) => (
              <span key={each.name} title={bytes(each.bytes)}>
                <span class="category-mark" style={{ background: each.css }} />
                {each.name === "" ? t.ge.unlabelled : colourBy === "memory" ? textOf(t.ge.memtypes, each.name, t.ge.memtype(Number(each.name))) : each.name}
              </span>
            ))}
            {layout.rows.some((row) => isHeld(outputs, row)) && (
              <span>
                <span class="category-mark ge-hatched" />
                {t.ge.map.noReuse}
              </span>
            )}
            {scene.overlaps.length > 0 && (
              <span>
                <span class="category-mark ge-bad" />
                {t.ge.map.overlap}
              </span>
            )}
          </div>
        </div>
        {chosen !== null && (
          <section ref={panel} class="panel" aria-label={outputs.label(chosen)}>
            <div class="section-head">
              <h2 class="wrap">{outputs.label(chosen)}</h2>
              <button type="button" class="quiet" aria-label={t.ge.map.close} onClick={() => pick(null)}>
                ✕
              </button>
            </div>
            <div class="row">
              <button type="button" class="small" onClick={() => focus(chosen)}>
                {t.ge.map.zoomTo}
              </button>
              <Copy text={outputs.text(chosen, C.name)} />
            </div>
            <dl class="facts ge-facts">
              {fieldsOf(outputs, chosen, partners.get(chosen) ?? [], t).map(([name, text]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{name === t.ge.field.end && outputs.at(chosen, C.end) >= NEVER ? `${text} (${t.ge.map.never})` : text}</dd>
                </div>
              ))}
            </dl>
          </section>
        )}
      </div>
      <p class="faint hint">{t.ge.map.help}</p>
      <OutputTable outputs={outputs} rows={layout.rows} found={found} partners={partners} chosen={chosen} onChoose={(row) => {
        setMet(null);
        pick(row);
      }} />
    </Section>
  );
}

const overlapBoxes = (box: ReturnType<typeof overlapBox>) => (box ? [box] : []);

/** Live bytes at a step. */
function liveAt(moments: Float64Array, live: Float64Array, before: number, step: number): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle] ?? 0) <= step) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? (live[low - 1] ?? 0) : before;
}
