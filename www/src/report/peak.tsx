// What the memory at the peak is for.

import { Name, Size, Table } from "../components/basics";
import { CategoryBars } from "../components/category-bars";
import { CategoryTag } from "../components/life-detail";
import { count, percent } from "../format";
import { useTexts } from "../i18n";
import type { SnapshotReport } from "./data";
import { figuresOf } from "./memory";
import { Each } from "./parts";

export function Peak({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  return (
    <Each of={report.devices.filter((device) => device.peak.requested > 0)} device={(device) => device.drawing.device}>
      {(device) => {
        const { peak } = device;
        return (
          <>
            <p>
              <b><Size of={peak.peak_requested} /></b> {t.report.held((figuresOf(report, device)?.events ?? 0) > 0 ? t.overview.peakAt(peak.peak_event) : t.overview.atSnapshot, peak.lives)} <span class="faint">{t.moment.explained(percent(peak.explained.plain), percent(peak.explained.inferred))}</span>
            </p>
            <CategoryBars
              bars={[
                { name: t.overview.atPeak, rows: peak.by_category.map((row) => [row.category, row.bytes] as const) },
                { name: t.overview.atSnapshot, rows: device.drawing.end.map(([category, size]) => [category, size] as const) },
              ]}
            />
            <Table
              label={t.moment.byCategory}
              head={[t.range.category, t.moment.size, t.moment.share, t.range.count, t.moment.inferred]}
              rows={peak.by_category.map((row) => [<CategoryTag key="c" id={row.category} inferred={false} />, <Size key="b" of={row.bytes} />, percent(row.bytes / peak.requested), count(row.count), row.inferred_bytes > 0 ? <Size key="i" of={row.inferred_bytes} /> : "–"])}
            />
            {peak.by_module.length > 0 && (
              <details>
                <summary>{t.moment.byModule}</summary>
                <Table
                  label={t.moment.byModule}
                  head={[t.moment.module, t.moment.size, t.range.count, t.moment.recompute]}
                  rows={peak.by_module.slice(0, 60).map((row) => [<span key="m" style={{ paddingLeft: `${row.depth * 14}px` }}><Name text={row.module ?? ""} most={70} /></span>, <Size key="b" of={row.bytes} />, count(row.count), <Size key="r" of={row.recompute_bytes} />])}
                />
              </details>
            )}
          </>
        );
      }}
    </Each>
  );
}
