// Overview: the health line, and each device in words and figures.

import { Table } from "../components/basics";
import { DeviceCards } from "../components/device-figures";
import { CheckList, SettingsTable } from "../components/file-facts";
import { HealthLine, Says, Sentences } from "../components/health";
import { count } from "../format";
import { useTexts } from "../i18n";
import type { SnapshotReport } from "./data";
import { Each } from "./parts";

export function Overview({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  const { overview, settings } = report;
  const empty = overview.devices.length === 0;
  return (
    <>
      <HealthLine overview={overview} />
      {!overview.file.complete && <p class="notice">{t.errors.damaged}</p>}
      {overview.devices.every((device) => device.events === 0) && !empty && <p class="notice">{t.overview.noEvents}</p>}
      {empty && <p class="notice">{t.report.empty}</p>}
      {overview.notes.length > 0 && <Says of={overview.notes} />}
      <Each of={overview.devices} device={(device) => device.device}>
        {(device) => (
          <>
            <Sentences of={device.summary} />
            <DeviceCards device={device} />
          </>
        )}
      </Each>
      {!empty && (
        <details>
          <summary>{t.overview.checks}</summary>
          <CheckList overview={overview} />
        </details>
      )}
      {settings.length > 0 && (
        <details>
          <summary>{t.overview.settings}</summary>
          <SettingsTable settings={settings} />
        </details>
      )}
      {overview.warnings.length > 0 && (
        <details open>
          <summary>{t.overview.warnings}</summary>
          <Table label={t.overview.warnings} head={[t.report.what, t.overview.number]} rows={overview.warnings.map((warning) => [warning.detail, count(warning.count)])} />
        </details>
      )}
    </>
  );
}
