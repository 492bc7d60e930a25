// Ranks: all loaded runs of a profiler at a glance, and two of them by operator name.

import { useEffect, useMemo, useState } from "preact/hooks";
import { Choice, Section, Size, Table } from "../components/basics";
import { RankTable } from "../components/rank-table";
import { ReportButton } from "../components/report-button";
import type { OpsName } from "../core/ops";
import { bytes, count, percent } from "../format";
import { useTexts } from "../i18n";
import { clock } from "../ops/clock";
import { rankName } from "../ops/figures";
import { deviations, differences } from "../ops/ranks";
import { files } from "../state/files";
import type { FileEntry } from "../state/files";
import { useStore } from "../state/store";
import { go } from "../state/url";
import type { View, ViewProps } from "./registry";

interface Rank {
  file: FileEntry;
  head: OpsHead;
}

type Over = "all" | "peak";
const SHOWN = 100;

function RanksView({ file, summary, at }: ViewProps) {
  const t = useTexts();
  const all = useStore(files);
  const ranks = useMemo(() => all.flatMap((each): Rank[] => (each.status.is === "ready" && each.status.run ? [{ file: each, head: each.status.run }] : [])), [all]);
  const reading = all.filter((each) => each.status.is === "reading" || each.status.is === "waiting").length;
  const off = useMemo(() => deviations(ranks.map(({ file, head }) => ({ key: file.key, group: head.report.role, rank: head.report.rank, value: head.report.peak_bytes }))), [ranks]);
  const peaks = ranks.map(({ head }) => head.report.peak_bytes);
  const outliers = ranks.filter(({ file }) => off.get(file.key)?.outlier).sort((a, b) => Math.abs(off.get(b.file.key)?.share ?? 0) - Math.abs(off.get(a.file.key)?.share ?? 0));
  return (
    <>
      <Section title={t.ranks.title} aside={ranks.length > 1 && <span class="faint">{t.ranks.spread(bytes(Math.min(...peaks)), bytes(Math.max(...peaks)))}</span>}>
        {reading > 0 && <p class="faint">{t.ranks.waiting(reading)}</p>}
        {ranks.length > 1 && reading === 0 && <ReportButton file={file} summary={summary} at={at} ranks={ranks.map((rank) => rank.file)} />}
        {outliers.map((rank) => (
          <Outlier key={rank.file.key} rank={rank} typical={ranks.find(({ file }) => file.key === off.get(rank.file.key)?.typical)} share={off.get(rank.file.key)?.share ?? 0} />
        ))}
        {outliers.length === 0 && <p class="faint">{off.size === 0 ? t.ranks.few : t.ranks.none}</p>}
        <RankTable
          rows={ranks.map(({ file, head }) => ({
            key: file.key,
            role: head.report.role,
            rank: head.report.rank_label === "single" ? t.operators.single : head.report.rank_label,
            name: file.name,
            peak: head.report.peak_bytes,
            deviation: off.get(file.key),
            cells: [head.peak_at === null ? "–" : clock(head.peak_at), <Size of={head.report.unreleased_bytes} />, count(head.report.unreleased_count), <Size of={head.report.unexplained?.peak.bytes} />],
          }))}
          heads={[t.ranks.peakTime, t.ranks.unreleased, t.ranks.unreleasedRows, t.ranks.unexplained]}
          onOpen={(key) => go({ file: key, view: "operators", device: null, range: null, at: null, sel: null })}
        />
        <p class="faint hint">{t.ranks.help}</p>
      </Section>
      {ranks.length > 1 && <Comparison ranks={ranks} first={file.key} />}
    </>
  );
}

/** By operator name, from a rank's own worker. */
function useNames(rank: Rank | undefined, over: Over): OpsName[] | null {
  const [names, setNames] = useState<OpsName[] | null>(null);
  const core = rank?.file.core;
  useEffect(() => {
    let wanted = true;
    setNames(null);
    core?.query(0, { type: "ops_names", at_peak: over === "peak" }, `ranks.names.${over}.${Math.random()}`).then(
      (reply) => wanted && setNames(reply.names),
      // A worker that ended has said so itself.
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [core, over]);
  return names;
}

function Outlier({ rank, typical, share }: { rank: Rank; typical: Rank | undefined; share: number }) {
  const t = useTexts();
  const [own, other] = [useNames(rank, "peak"), useNames(typical, "peak")];
  const most = own && other ? differences(other, own)[0] : undefined;
  const sign = share < 0 ? "−" : "+";
  return (
    <p class="notice">
      {t.ranks.outlier(rankName(t, rank.head.report), bytes(rank.head.report.peak_bytes), bytes(typical?.head.report.peak_bytes ?? 0), `${sign}${percent(Math.abs(share))}`)}{" "}
      {most && t.ranks.because(most.name || t.operators.unnamed, `${most.diff_bytes < 0 ? "" : "+"}${bytes(most.diff_bytes)}`)}
    </p>
  );
}

function Comparison({ ranks, first }: { ranks: readonly Rank[]; first: string }) {
  const t = useTexts();
  // The next rank of the same role, where there is one.
  const others = ranks.filter(({ file }) => file.key !== first);
  const role = ranks.find(({ file }) => file.key === first)?.head.report.role;
  const [keys, setKeys] = useState<readonly [string, string]>([first, (others.find(({ head }) => head.report.role === role) ?? others[0])?.file.key ?? first]);
  const [over, setOver] = useState<Over>("all");
  const [all, setAll] = useState(false);
  const find = (key: string) => ranks.find(({ file }) => file.key === key);
  const [a, b] = [useNames(find(keys[0]), over), useNames(find(keys[1]), over)];
  const rows = useMemo(() => (a && b ? differences(a, b) : []), [a, b]);
  const picker = (label: string, value: string, set: (key: string) => void) => (
    <label class="field">
      <span class="faint">{label}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {ranks.map(({ file, head }) => (
          <option key={file.key} value={file.key}>
            {`${rankName(t, head.report)} · ${file.name}`}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Section title={t.ranks.compare}>
      <div class="row toolbar">
        {picker(t.ranks.a, keys[0], (key) => setKeys([key, keys[1]]))}
        {picker(t.ranks.b, keys[1], (key) => setKeys([keys[0], key]))}
        <Choice label={t.ranks.over} value={over} onChange={setOver} options={Object.entries(t.ranks.overs) as [Over, string][]} />
      </div>
      <Table
        label={t.ranks.compare}
        head={[t.operators.operator, t.ranks.rowsA, t.ranks.rowsB, t.ranks.bytesA, t.ranks.bytesB, t.ranks.difference, t.ranks.ratio]}
        rows={rows.slice(0, all ? rows.length : SHOWN).map((row) => [
          row.name === "" ? <span class="faint">{t.operators.unnamed}</span> : <span class="wrap">{row.name}</span>,
          count(row.a_count),
          count(row.b_count),
          <Size of={row.a_bytes} />,
          <Size of={row.b_bytes} />,
          <Size of={row.diff_bytes} />,
          row.ratio === null ? "–" : percent(row.ratio),
        ])}
      />
      {rows.length > SHOWN && !all && (
        <button type="button" class="small" onClick={() => setAll(true)}>
          {t.ranks.all} ({count(rows.length)})
        </button>
      )}
    </Section>
  );
}

export const ranks: View = {
  id: "ranks",
  name: (t) => t.ranks.name,
  fits: (summary) => summary.kind === "profiler",
  Component: RanksView,
};
