// What is known of a whole file: what could be checked of it, and how its allocator was set.

import type { Overview } from "../core/protocol";
import { textOf, useTexts } from "../i18n";
import { Say, Table } from "./basics";

const MARKS: Readonly<Record<string, string>> = { pass: "✓", fail: "✕", unknown: "?" };

export function CheckList({ overview }: { overview: Overview }) {
  const t = useTexts();
  return (
    <ul class="checks">
      {overview.checks.map((check) => (
        <li key={check.name}>
          <span class={`mark ${check.status}`} role="img" aria-label={textOf(t.overview.status, check.status)}>
            {MARKS[check.status]}
          </span>
          <span>{textOf(t.overview.check, check.name)}</span>
          <span class="check-detail">
            <Say message={check.detail} />
          </span>
        </li>
      ))}
    </ul>
  );
}

export function SettingsTable({ settings }: { settings: readonly (readonly [string, string])[] }) {
  const t = useTexts();
  return (
    <Table
      label={t.overview.settings}
      head={[t.overview.setting, t.overview.value, t.overview.meaning]}
      text={[0, 1, 2]}
      rows={settings.map(([name, value]) => [
        <code key="n">{name}</code>,
        <code key="v" class="wrap">
          {value}
        </code>,
        <span key="m" class="faint">
          {textOf(t.settings, name, "")}
        </span>,
      ])}
    />
  );
}
