// What a run amounts to: cards, what was odd, and the tables of components, modules and driver calls.

import { Card, Say, Section, Size, Table } from "../components/basics";
import type { Message, Summary } from "../core/protocol";
import { count, span } from "../format";
import { useTexts } from "../i18n";
import { clock } from "./clock";

export function rankName(t: ReturnType<typeof useTexts>, report: { role: string; rank_label: string }): string {
  return t.operators.rank(report.role, report.rank_label === "single" ? t.operators.single : report.rank_label);
}

export function Cards({ head }: { head: OpsHead }) {
  const t = useTexts();
  const { report } = head;
  const kinds = (Object.keys(t.operators.match) as OpsMatch[]).filter((kind) => report.matches[kind] > 0);
  return (
    <div class="cards">
      <Card label={t.operators.peak} note={head.peak_at === null ? undefined : t.operators.at(clock(head.peak_at))}>
        <Size of={report.peak_bytes} />
      </Card>
      <Card label={t.operators.unreleased} note={t.operators.rows(report.unreleased_count)}>
        <Size of={report.unreleased_bytes} />
      </Card>
      <Card label={t.operators.rowCount} note={report.device === "" ? undefined : t.operators.device(report.device)}>
        <span class="figure">{count(report.rows_total)}</span>
      </Card>
      <Card label={t.operators.matches} note={kinds.map((kind) => <div key={kind} title={t.operators.matchMeans[kind]}>{`${t.operators.match[kind]} ${count(report.matches[kind])}`}</div>)}>
        <span class="figure">{count(report.rows_total - report.matches.none)}</span>
      </Card>
      {report.unexplained && (
        <Card label={t.operators.unexplained} note={head.unexplained_at === null ? undefined : t.operators.at(clock(head.unexplained_at))}>
          <Size of={report.unexplained.peak.bytes} />
        </Card>
      )}
    </div>
  );
}

/** What the reader should know first: missing files, failed checks, advice. */
export function Notices({ head, parts }: { head: OpsHead; parts: readonly Summary[] }) {
  const t = useTexts();
  const { report } = head;
  const has = (kind: string) => parts.some((part) => part.kind === kind);
  // These tables are about something else than rows.
  const alone = parts.length > 0 && parts.every((part) => ["npu_module_mem", "static_op_mem", "step_trace_time"].includes(part.kind));
  const says = [
    ...(report.rows_total === 0 && !alone ? [t.operators.noFile] : []),
    ...(has("operator_memory") && !has("trace") ? [t.operators.noTrace] : []),
    ...(report.check.status === "fail" ? report.check.fields.filter((field) => field.missing > 0).map((field) => (field.field === "positive_size" ? t.operators.checkEmpty : t.operators.checkFailed(field.field, field.missing))) : []),
    ...(parts.every((part) => part.complete) ? [] : [t.errors.damaged]),
  ];
  const advice = report.api_cost?.advice;
  return (
    <>
      {says.map((text) => (
        <p key={text} class="notice">
          {text}
        </p>
      ))}
      {advice && (
        <p class="notice">
          <Say message={advice as Message} />
        </p>
      )}
    </>
  );
}

export function Tables({ head }: { head: OpsHead }) {
  const t = useTexts();
  const { components, unexplained, api_cost: api, warnings } = head.report;
  const order = [...head.report.modules].sort((a, b) => (b.peak?.bytes ?? 0) - (a.peak?.bytes ?? 0));
  // Of some forty modules few hold anything.
  const modules = order.filter((each) => each.peak === null || each.peak.bytes !== 0);
  const [heads, ...times] = head.step_times;
  const idle = order.length - modules.length;
  const size = (peak: OpsPeak | null) => <Size of={peak?.bytes} />;
  return (
    <>
      {components.length > 0 && (
        <Table
          label={t.operators.components}
          head={[t.operators.component, t.operators.samples, t.operators.peakAllocated, t.operators.peakReserved, t.operators.peakActive]}
          rows={components.map((each) => [`${each.component} ${each.device}`, count(each.samples), size(each.peak_allocated), size(each.peak_reserved), size(each.peak_active)])}
        />
      )}
      <div class="two">
        {unexplained && (
          <Section title={t.operators.unexplainedAt(head.unexplained_at === null ? "" : clock(head.unexplained_at))}>
            <Table
              label={t.operators.unexplained}
              head={[t.operators.part, t.operators.size]}
              rows={[
                [t.operators.app, <Size of={unexplained.app_bytes} />],
                [t.operators.framework, <Size of={-unexplained.framework_bytes} />],
                [<b>{t.operators.unexplained}</b>, <Size of={unexplained.peak.bytes} />],
                [t.operators.workspace, <Size of={unexplained.workspace_bytes} />],
                ...unexplained.modules.map((each) => [t.operators.module(each.module), <Size of={each.bytes} />]),
                [t.operators.other, <Size of={unexplained.other_bytes} />],
              ]}
            />
          </Section>
        )}
        {order.length > 0 && (
          <Section title={t.operators.modules}>
            <Table
              label={t.operators.modules}
              head={[t.operators.module("").trim(), t.operators.samples, t.operators.modulePeak, t.operators.moduleLast]}
              rows={modules.map((each) => [`${each.module} ${each.device}`.trim(), count(each.samples), each.peak ? size(each.peak) : <span class="faint">{t.operators.unknownLevel}</span>, <Size of={each.last_bytes} />])}
            />
            {idle > 0 && <p class="faint">{t.operators.idleModules(idle)}</p>}
          </Section>
        )}
        {api && api.calls.length > 0 && (
          <Section title={t.operators.api}>
            <Table label={t.operators.api} head={[t.operators.call, t.operators.calls, t.operators.total, t.operators.longest]} rows={api.calls.map((call) => [<code>{call.name}</code>, count(call.count), span(call.total_ns), span(call.longest_ns)])} />
          </Section>
        )}
        {heads && times.length > 0 && (
          <Section title={t.operators.stepTimes}>
            <Table label={t.operators.stepTimes} head={heads} text={[]} rows={times} />
          </Section>
        )}
        {warnings.length > 0 && (
          <Section title={t.operators.warnings}>
            <Table label={t.operators.warnings} head={[t.operators.kind, t.operators.number, t.operators.first]} text={[0, 2]} rows={warnings.map((each) => [<code>{each.kind}</code>, count(each.count), <span class="wrap">{each.detail}</span>])} />
          </Section>
        )}
      </div>
    </>
  );
}
