// What happened in a selected range: allocated, freed, and what is left of it.

import { useState } from "preact/hooks";
import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, RangeRow, Request } from "../core/protocol";
import { count } from "../format";
import { useTexts } from "../i18n";
import { eventsBetween } from "../state/selection";
import { Name, Section, Size, Table } from "./basics";
import { CategoryTag } from "./life-detail";
import { steady } from "./steady";

type RangeRequest = Extract<Request, { type: "range_summary" }>;

interface Props {
  at: Doc;
  device: Device;
  from: number;
  to: number;
  onClear: () => void;
  onZoom: () => void;
}

export const RangePanel = steady((props: Props) => {
  const t = useTexts();
  const { data } = useQuery<RangeRequest>(props.at, { type: "range_summary", device: props.device, from: props.from, to: props.to }, "range");
  const [all, setAll] = useState(false);
  const summary = data?.summary;
  const figures = (row: RangeRow) => [
    <Size key="a" of={row.allocated} />,
    count(row.allocated_count),
    <Size key="f" of={row.freed} />,
    count(row.freed_count),
    <Size key="s" of={row.surviving} />,
    count(row.surviving_count),
  ];
  const head = (first: string) => [first, t.range.allocated, t.range.count, t.range.freed, t.range.count, t.range.surviving, t.range.count];
  return (
    <Section
      title={t.range.title(...eventsBetween([props.from, props.to]))}
      aside={
        <div class="row">
          <button type="button" class="quiet" onClick={props.onZoom}>
            {t.range.zoom}
          </button>
          <button type="button" class="quiet" onClick={props.onClear}>
            {t.range.clear}
          </button>
        </div>
      }
    >
      {summary && (
        <div class="two range-summary">
          <Table
            label={t.range.byCategory}
            head={head(t.range.category)}
            rows={[
              [<b key="t">{t.range.total}</b>, ...figures(summary.total)],
              ...summary.by_category.map((row) => [<CategoryTag key="c" id={row.key} inferred={false} />, ...figures(row)]),
            ]}
          />
          <div>
            <Table
              label={t.range.byCallSite}
              head={head(t.range.callSite)}
              rows={summary.by_call_site.slice(0, all ? undefined : 12).map((row) => [row.key === "" ? t.life.noStack : <Name key="n" text={row.key} most={56} />, ...figures(row)])}
            />
            {summary.by_call_site.length > 12 && (
              <button type="button" class="quiet small" aria-expanded={all} onClick={() => setAll(!all)}>
                {all ? t.range.fewer : t.range.all(summary.by_call_site.length)}
              </button>
            )}
            {all && summary.more_call_sites > 0 && <p class="faint">{t.timeline.othersInLegend(summary.more_call_sites)}</p>}
          </div>
        </div>
      )}
      {summary && <p class="faint hint">{t.range.means}</p>}
    </Section>
  );
});
