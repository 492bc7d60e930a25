// Devices side by side.

import { colour } from "../charts/colour";
import { byteStep } from "../charts/scale";
import { deviceName, DeviceTable } from "../components/device-figures";
import { axisBytes, bytes, percent } from "../format";
import { useTexts } from "../i18n";
import { Chart, frame, ink, plain, tip } from "./chart";
import type { SnapshotReport } from "./data";

/** Devices side by side, the rate of fragmentation on an axis of its own. */
export function Devices({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  const { devices } = report.overview;
  const names = devices.map((device) => deviceName(device.device, t));
  const kinds = [
    { key: "reserved", ink: "series-reserved" },
    { key: "active", ink: "series-active" },
    { key: "peak_requested", ink: "series-requested" },
  ] as const;
  const title = { reserved: t.overview.reserved, active: t.overview.active, peak_requested: t.overview.peak };
  const most = Math.max(1, ...devices.flatMap((device) => kinds.map(({ key }) => device[key])));
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame({ right: 56 }),
      tooltip: {
        trigger: "axis" as const,
        ...tip(),
        formatter: (items: { dataIndex: number }[]) => {
          const device = devices[items[0]?.dataIndex ?? 0];
          return device ? `${plain(deviceName(device.device, t))}${kinds.map(({ key }) => `<br>${title[key]} <b>${bytes(device[key])}</b>`).join("")}<br>${t.overview.fragmentation} <b>${percent(device.fragmentation)}</b>` : "";
        },
      },
      xAxis: { type: "category", data: names, ...ink() },
      yAxis: [
        { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
        { type: "value", min: 0, max: 1, ...ink(), splitLine: { show: false }, axisLabel: { ...ink().axisLabel, formatter: (value: number) => percent(value, 0) } },
      ],
      series: [
        ...kinds.map(({ key, ink: name }) => ({ name: title[key], type: "bar", barMaxWidth: 34, data: devices.map((device) => device[key]), itemStyle: { color: colour(name) } })),
        { name: t.overview.fragmentation, type: "line", yAxisIndex: 1, symbolSize: 9, data: devices.map((device) => device.fragmentation), lineStyle: { color: colour("bad"), width: 1.5, type: "dashed" }, itemStyle: { color: colour("bad") } },
      ],
    };
  };
  return (
    <>
      <Chart name="devices" label={t.overview.devices} height={300} option={option} />
      <DeviceTable overview={report.overview} />
    </>
  );
}
