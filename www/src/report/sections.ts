// Which sections a report has: those that the file gives reason for. One place decides it for reports of the terminal
// and of the page.

import type { Report } from "./data";

export type SectionId =
  | "overview"
  | "devices"
  | "memory"
  | "segments"
  | "fragmentation"
  | "peak"
  | "growth"
  | "oom"
  | "attribution"
  | "advice"
  | "comparison"
  | "ranks"
  | "curves"
  | "components"
  | "operators"
  | "graphs"
  | "pools"
  | "device"
  | "overlaps"
  | "missing";

/** Fragmentation from here on is worth a section. */
const FRAGMENTED = 0.05;

export function sectionsOf(report: Report): SectionId[] {
  const when = (id: SectionId, shown: boolean): SectionId[] => (shown ? [id] : []);
  switch (report.kind) {
    case "snapshot": {
      const { overview, devices, comparisons } = report;
      const held = devices.some((device) => device.peak.requested > 0);
      return [
        "overview",
        ...when("devices", overview.devices.length > 1),
        ...when("memory", overview.devices.some((device) => device.events > 0)),
        ...when("segments", devices.some((device) => device.drawing.segments.length > 0)),
        ...when("fragmentation", devices.some((device) => device.fragment.fragmentation >= FRAGMENTED)),
        ...when("peak", held),
        ...when("growth", devices.some((device) => device.growth.risk !== "low")),
        ...when("oom", devices.some((device) => device.ooms.ooms.length > 0)),
        ...when("attribution", held),
        ...when("advice", devices.some((device) => device.fragment.advice.length > 0 || device.ooms.ooms.some((oom) => oom.advice.length > 0))),
        ...when("comparison", comparisons.length > 0),
      ];
    }
    case "profiler": {
      const { ranks } = report.ops;
      return [
        "overview",
        ...when("ranks", ranks.length > 1),
        ...when("curves", report.drawings.some((rank) => rank.series.some((line) => line.group === "rows"))),
        ...when("components", ranks.some((rank) => rank.components.length > 0)),
        ...when("operators", ranks.some((rank) => rank.rows.length > 0)),
      ];
    }
    case "ge_log": {
      const { processes, missing } = report.ge;
      return [
        "overview",
        ...when("graphs", processes.some((process) => process.graphs.length > 0)),
        ...when("pools", processes.some((process) => process.pools.length > 0)),
        ...when("device", processes.some((process) => process.device.allocations > 0)),
        ...when("overlaps", processes.some((process) => process.graphs.some((graph) => graph.overlap_count > 0))),
        ...when("missing", missing.length > 0),
      ];
    }
  }
}
