// The figures of devices: of one as cards, of several side by side.

import type { ComponentChildren } from "preact";
import type { Device, Overview, Stats } from "../core/protocol";
import { bytes, count, percent } from "../format";
import { useTexts } from "../i18n";
import type { Texts } from "../i18n";
import { Card, Size, Table } from "./basics";

export type DeviceOverview = Overview["devices"][number];

export const deviceName = (device: Device, t: Texts) => (device === "host" ? t.app.host : `${t.app.device} ${device}`);

export function DeviceCards({ device, stats }: { device: DeviceOverview; stats?: Stats | undefined }) {
  const t = useTexts();
  return (
    <div class="cards">
      <Card label={t.overview.peak} note={device.events > 0 ? t.overview.peakAt(device.peak_event) : t.overview.atSnapshot}>
        <Size of={device.peak_requested} />
      </Card>
      <Card label={t.overview.reserved} note={`${t.overview.peakReserved} ${bytes(device.peak_reserved)}`}>
        <Size of={device.reserved} />
      </Card>
      <Card label={t.overview.allocated} note={`${t.overview.rounding} ${bytes(device.rounding)}`}>
        <Size of={device.allocated} />
      </Card>
      <Card label={t.overview.requested} note={`${t.overview.initial} ${bytes(device.initial_requested)}`}>
        <Size of={device.requested} />
      </Card>
      <Card label={t.overview.fragmentation} note={`${t.overview.largestFree} ${bytes(device.largest_free_block)}`}>
        {percent(device.fragmentation)}
      </Card>
      <Card label={t.overview.pending} note={`${t.overview.cached} ${bytes(device.cached_free)}`}>
        <Size of={device.pending_free} />
      </Card>
      {device.workspace > 0 && (
        <Card label={t.overview.workspace}>
          <Size of={device.workspace} />
        </Card>
      )}
      <Card label={t.overview.events} note={t.overview.livesNote(device.lives)}>
        {count(device.events)}
      </Card>
      <Card label={t.overview.segments} note={t.overview.blocksNote(device.blocks)}>
        {count(device.segments)}
      </Card>
      {stats && (
        <Card label={t.overview.pytorchStats} note={t.overview.pytorchNote(bytes(stats.internal), bytes(stats.external))}>
          <Size of={stats.total_allocated} />
        </Card>
      )}
    </div>
  );
}

/** Devices in columns, for comparing, and what they hold together. */
export function DeviceTable({ overview }: { overview: Overview }) {
  const t = useTexts();
  const { devices, total } = overview;
  const rows: [string, (device: DeviceOverview) => ComponentChildren, ComponentChildren][] = [
    [t.overview.peak, (d) => <Size of={d.peak_requested} />, ""],
    [t.overview.requested, (d) => <Size of={d.requested} />, <Size of={total.requested} />],
    [t.overview.allocated, (d) => <Size of={d.allocated} />, <Size of={total.allocated} />],
    [t.overview.active, (d) => <Size of={d.active} />, <Size of={total.active} />],
    [t.overview.reserved, (d) => <Size of={d.reserved} />, <Size of={total.reserved} />],
    [t.overview.peakReserved, (d) => <Size of={d.peak_reserved} />, ""],
    [t.overview.rounding, (d) => <Size of={d.rounding} />, <Size of={total.rounding} />],
    [t.overview.pending, (d) => <Size of={d.pending_free} />, <Size of={total.pending_free} />],
    [t.overview.cached, (d) => <Size of={d.cached_free} />, <Size of={total.cached_free} />],
    [t.overview.workspace, (d) => <Size of={d.workspace} />, <Size of={total.workspace} />],
    [t.overview.fragmentation, (d) => percent(d.fragmentation), ""],
    [t.overview.segments, (d) => count(d.segments), count(total.segments)],
    [t.overview.events, (d) => count(d.events), count(total.events)],
    [t.overview.lives, (d) => count(d.lives), count(total.lives)],
  ];
  return <Table label={t.overview.devices} head={[t.overview.figure, ...devices.map((each) => deviceName(each.device, t)), t.overview.total]} rows={rows.map(([name, of, sum]) => [name, ...devices.map(of), sum])} />;
}
