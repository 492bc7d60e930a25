// At a moment: who holds the memory at the peak, or at any other event; as areas, and as a table that
// goes from category to call site to stack.

import { useEffect, useMemo, useState } from "preact/hooks";
import { categoryColour } from "../charts/palette";
import { Treemap } from "../charts/treemap";
import type { Area } from "../charts/treemap";
import { Later, Section, Size } from "../components/basics";
import { CompositionTable, partsOf, siteText } from "../components/composition-table";
import { frameText } from "../components/frames";
import { ModuleTree } from "../components/module-tree";
import { MomentPicker } from "../components/moment-picker";
import { ErrorBox } from "../components/problems";
import { useQuery } from "../core/use-query";
import type { DevicePeak, Drill, LifeDetail, Request } from "../core/protocol";
import { deviceOf } from "../device";
import { useCommands } from "../commands";
import { percent } from "../format";
import { textOf, useTexts } from "../i18n";
import type { Texts } from "../i18n";
import { choose, useSelection } from "../state/selection";
import { useStore } from "../state/store";
import { place } from "../state/url";
import type { View, ViewProps } from "./registry";

type CompositionRequest = Extract<Request, { type: "composition" }>;
type DrillRequest = Extract<Request, { type: "drill" }>;
type LifeRequest = Extract<Request, { type: "life" }>;

/** How deep one has gone: nowhere, into a category, into one of its call sites (a row of the composition). */
export interface Path {
  category: string | null;
  row: number | null;
}

function MomentView({ at, device: chosen }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const selection = useSelection();
  const device = deviceOf(chosen);
  const { data, error } = useQuery<CompositionRequest>(at, { type: "composition", device, state: here.at }, "moment");
  const composition = data?.composition;
  const [path, setPath] = useState<Path>({ category: null, row: null });
  // Rows of another moment are other rows.
  useEffect(() => setPath(({ category }) => ({ category, row: null })), [here.at, chosen]);
  const drill = useQuery<DrillRequest>(at, path.category === null ? null : { type: "drill", device, state: here.at, category: path.category, row: path.row }, "moment.drill");
  const opened = drill.answers?.category === path.category && drill.answers.row === path.row ? drill.data?.drill : undefined;
  const life = useQuery<LifeRequest>(at, selection.life === null ? null : { type: "life", device, life: selection.life }, "moment.life");
  const detail = selection.life === null ? null : (life.data?.detail ?? null);

  useCommands([{ id: "moment.up", name: t.moment.up, keys: ["backspace", "u"], run: () => setPath(path.row === null ? { category: null, row: null } : { ...path, row: null }), scope: "view" }]);
  const areas = useMemo(() => (composition ? areasOf(composition, path, opened, detail, t) : []), [composition, path, opened, detail, t]);
  const enter = (group: string, part: string | null) => {
    if (path.category === null) setPath({ category: group, row: part === null || part === "" ? null : Number(part) });
    else if (path.row === null) group !== "" && setPath({ ...path, row: Number(group) });
    else if (group !== "") choose({ life: Number(group) });
  };
  const site = path.row === null ? undefined : composition?.by_call_site[path.row];
  return (
    <>
      <MomentPicker at={at} device={device} />
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {composition && (
        <>
          <p>
            <b>
              <Size of={composition.requested} />
            </b>
            {t.app.sentences([t.moment.inLives(composition.lives), t.moment.explained(percent(composition.explained.plain), percent(composition.explained.inferred))])}
          </p>
          {composition.lives > 0 && (
            <>
              <nav class="row crumbs" aria-label={t.moment.path}>
                <button type="button" class="quiet small" aria-current={path.category === null} onClick={() => setPath({ category: null, row: null })}>
                  {t.flame.everything}
                </button>
                {path.category !== null && (
                  <button type="button" class="quiet small" aria-current={path.row === null} onClick={() => setPath({ ...path, row: null })}>
                    › {textOf(t.categories, path.category)}
                  </button>
                )}
                {site && <span class="mono wrap">› {siteText(site, t)}</span>}
                <span class="grow" />
                <span class="faint">{t.moment.hatched}</span>
              </nav>
              <Treemap areas={areas} label={t.moment.treemap} height={320} inferredText={t.moment.inferredShare} onOpen={enter} />
            </>
          )}
          <div class="two wide-left">
            <Section title={t.moment.byCategory}>
              <CompositionTable composition={composition} path={path} drill={opened} life={detail} onPath={setPath} />
            </Section>
            <Section title={t.moment.byModule}>
              <Later>
                <ModuleTree modules={data.modules} />
              </Later>
            </Section>
          </div>
        </>
      )}
    </>
  );
}

function areasOf(composition: DevicePeak, path: Path, drill: Drill | undefined, life: LifeDetail | null, t: Texts): Area[] {
  const groups = composition.by_category.map((row): Area => {
    const ink = categoryColour(row.category);
    const parts = partsOf(composition, row.category, life, t).map((part) => ({ ...part, ink }));
    return { key: row.category, name: textOf(t.categories, row.category, row.category), bytes: row.bytes, inferred: row.inferred_bytes, ink, parts };
  });
  if (path.category === null) return groups;
  const group = groups.find((each) => each.key === path.category);
  if (path.row === null || !drill) return [...(group?.parts ?? [])];
  const ink = group?.ink ?? "";
  const stacks = drill.stacks.map((stack): Area => {
    const frames = stack.frames.filter((frame) => !frame.is_noise);
    const name = frames.slice(0, 3).map((frame) => frameText({ ...frame, file: frame.file.split("/").pop() ?? "" })).join(" ← ");
    return { key: String(stack.largest), name: name || t.life.noStack, bytes: stack.sums.bytes, inferred: stack.sums.inferred_bytes, ink };
  });
  if (drill.rest.bytes > 0) stacks.push({ key: "", name: t.moment.others(drill.rest.count), bytes: drill.rest.bytes, inferred: drill.rest.inferred_bytes, ink });
  return stacks.sort((a, b) => b.bytes - a.bytes);
}

export const moment: View = {
  id: "moment",
  name: (t) => t.moment.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: MomentView,
};
