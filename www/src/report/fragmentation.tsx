// Where reserved memory lies idle, and what is advised against that and against failures.

import { Card, Size, Table } from "../components/basics";
import { Says, Verdict } from "../components/health";
import { Site } from "../components/frames";
import { bytes, count, percent } from "../format";
import { useTexts } from "../i18n";
import type { SnapshotReport } from "./data";
import { Each } from "./parts";
import { hex } from "./segments";

export function Fragmentation({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  return (
    <Each of={report.devices.filter((device) => device.fragment.fragmentation >= 0.05)} device={(device) => device.drawing.device}>
      {({ fragment }) => (
        <>
          <Verdict grade={fragment.grade} title={percent(fragment.fragmentation)} reasons={fragment.summary} />
          <div class="cards">
            <Card label={t.fragmentation.releasable}><Size of={fragment.releasable} /></Card>
            <Card label={t.overview.pending} note={percent(fragment.pending_share)}><Size of={fragment.pending} /></Card>
            <Card label={t.fragmentation.largest}><Size of={fragment.largest_free_block} /></Card>
            <Card label={t.fragmentation.reuse}>{fragment.reuse_rate == null ? "–" : percent(fragment.reuse_rate)}</Card>
            <Card label={t.fragmentation.lowerBound}><Size of={fragment.lower_bound} /></Card>
          </div>
          {fragment.pinned.length > 0 && (
            <details>
              <summary>{t.fragmentation.pinned}</summary>
              <Table
                label={t.fragmentation.pinned}
                head={[t.segments.block, t.segments.size, t.fragmentation.gain, t.fragmentation.heldBy, t.range.callSite]}
                text={[0, 4]}
                rows={fragment.pinned.slice(0, 20).map((row) => [<code key="a">{hex(row.block)}</code>, <Size key="s" of={row.segment_size} />, <Size key="g" of={row.gain} />, <Size key="b" of={row.block_size} />, <Site key="f" frame={row.call_site} most={70} />])}
              />
            </details>
          )}
          <details>
            <summary>{t.fragmentation.freeBySize}</summary>
            <Table label={t.fragmentation.freeBySize} head={[t.fragmentation.upTo, t.range.count, t.segments.size]} rows={fragment.free_by_size.map((row) => [`≤ ${bytes(row.up_to)}`, count(row.count), <Size key="s" of={row.bytes} />])} />
          </details>
        </>
      )}
    </Each>
  );
}

export function Advice({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  return (
    <Each of={report.devices.filter((device) => device.fragment.advice.length > 0 || device.ooms.ooms.some((oom) => oom.advice.length > 0))} device={(device) => device.drawing.device}>
      {(device) => {
        const ofOoms = device.ooms.ooms.flatMap((oom) => oom.advice);
        // The same advice for many failures is said once.
        const once = [...new Map([...ofOoms, ...device.fragment.advice].map((message) => [message.en, message])).values()];
        return (
          <>
            <p class="faint">{t.report.adviceMeans}</p>
            <Says of={once} />
          </>
        );
      }}
    </Each>
  );
}
