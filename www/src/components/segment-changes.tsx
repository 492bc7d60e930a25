// What a step through the events changed in the memory, and what lay at an address before.

import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, LifeLine, Request } from "../core/protocol";
import { count } from "../format";
import { textOf, useTexts } from "../i18n";
import type { Changes as Found } from "../segments-diff";
import { choose } from "../state/selection";
import { Name, Section, Size, Table } from "./basics";
import { CategoryTag } from "./life-detail";

type DetailRequest = Extract<Request, { type: "event_detail" }>;

export interface Stepped {
  /** States. */
  from: number;
  to: number;
  changes: Found;
}

export function Changes({ at, device, stepped }: { at: Doc; device: Device; stepped: Stepped }) {
  const t = useTexts();
  const { from, to, changes } = stepped;
  // A step on shows what its event did; a step back what is undone by it.
  const single = Math.abs(to - from) === 1 ? Math.max(from, to) - 1 : null;
  const detail = useQuery<DetailRequest>(at, single === null ? null : { type: "event_detail", device, event: single }, "segments.event");
  const line = detail.data?.line;
  const life = (id: number | null) =>
    id !== null && (
      <button key="l" type="button" class="quiet small" onClick={() => choose({ life: id })}>
        {t.life.title}
      </button>
    );
  return (
    <Section title={t.segments.changedBetween(from - 1, to - 1)}>
      {single !== null && line && line.event === single && (
        <p role="status">
          <b>{t.curves.atEvent(single)}</b>: <code>{line.action}</code> <Size of={line.size} /> <code>{line.address}</code>{" "}
          <span class="mono">
            <Name text={line.call_site} most={80} />
          </span>
        </p>
      )}
      {changes.count === 0 ? (
        <p class="faint">{t.segments.nothingChanged}</p>
      ) : (
        <Table
          label={t.segments.changes}
          head={[t.segments.change, t.segments.size, t.life.address, t.app.more]}
          text={[0, 2, 3]}
          rows={changes.first.map((change) => [textOf(t.segments.kinds, change.what), <Size key="s" of={change.bytes} />, <code key="a">0x{change.address.toString(16)}</code>, life(change.life)])}
        />
      )}
      {changes.count > changes.first.length && <p class="faint">{t.timeline.othersInLegend(changes.count - changes.first.length)}</p>}
    </Section>
  );
}

export function AddressHistory({ lines, address }: { lines: readonly LifeLine[]; address: string }) {
  const t = useTexts();
  return (
    <Section title={t.segments.historyOf(address)}>
      {lines.length === 0 ? (
        <p class="faint">{t.segments.noHistory}</p>
      ) : (
        <Table
          label={t.segments.historyOf(address)}
          head={[t.life.lived, t.life.size, t.life.category, t.range.callSite, t.app.more]}
          text={[0, 2, 3, 4]}
          rows={lines.map((line) => [
            t.life.span(line.begin_event, line.end_event),
            <Size key="s" of={line.size} />,
            <CategoryTag key="c" id={line.category} inferred={line.inferred} />,
            <span key="f" class="mono">
              <Name text={line.call_site === "" ? t.life.noStack : line.call_site} most={60} />
            </span>,
            <button key="l" type="button" class="quiet small" aria-label={`${t.life.title} ${count(line.life)}`} onClick={() => choose({ life: line.life })}>
              {t.life.title}
            </button>,
          ])}
        />
      )}
    </Section>
  );
}
