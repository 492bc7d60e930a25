// Texts of the export view and of the buttons that save a picture, in both languages.

import { count } from "../format";

export const exportEn = {
  exports: {
    name: "Export",
    what: "What to take along",
    device: "Device",
    all: "All",
    events: "Events",
    everything: "All",
    range: (from: number, to: number) => `${count(from)} to ${count(to)}, the range in the timeline`,
    noRange: "Select a range in the timeline to take only a part of the events.",
    strip: "Strip paths",
    stripMeans: "Directories and user names are left out of everything that is saved; files keep their last name. It holds for the events' table, too.",
    files: "Files",
    save: "Save",
    saving: "Writing…",
    saved: (size: string) => `Saved, ${size}`,
    formats: {
      trace: ["Trace for Perfetto", "counters, a slice for each allocation, segment events, annotations and out-of-memories; open it at ui.perfetto.dev or chrome://tracing"],
      sqlite: ["SQLite database", "all tables with indexes and views, of all devices and events; sqlite3 and pandas read it, and this page"],
      pickle: ["Pickle of the selection", "device and range as chosen above, with the segments; PyTorch's memory_viz reads it, and this page"],
      folded: ["Folded stacks", "every block with its stack and bytes, for flamegraph.pl, speedscope or inferno; all devices"],
      json: ["Figures as JSON", "overview, composition of the peak, fragmentation, growth and out-of-memories, as the page shows them"],
    } as Record<string, readonly [string, string]>,
  },
  picture: {
    save: "Save picture",
    png: "PNG",
    svg: "SVG",
  },
};

export const exportZh: typeof exportEn = {
  exports: {
    name: "导出",
    what: "导出内容",
    device: "设备",
    all: "全部",
    events: "事件",
    everything: "全部",
    range: (from: number, to: number) => `${count(from)} 至 ${count(to)}，即时间线中的范围`,
    noRange: "在时间线中选取范围，即可只导出部分事件。",
    strip: "去除路径",
    stripMeans: "保存的内容中不含目录与用户名，文件只保留最后的名字；事件表同样适用。",
    files: "文件",
    save: "保存",
    saving: "正在写入…",
    saved: (size: string) => `已保存，${size}`,
    formats: {
      trace: ["Perfetto 跟踪", "计数器、每个分配一个切片、内存段事件、标注与内存不足；可在 ui.perfetto.dev 或 chrome://tracing 打开"],
      sqlite: ["SQLite 数据库", "全部表、索引与视图，含所有设备与事件；sqlite3、pandas 与本页面均可读取"],
      pickle: ["所选部分的 pickle", "上面所选的设备与范围，含各内存段；PyTorch 的 memory_viz 与本页面均可读取"],
      folded: ["折叠栈", "每个块及其调用栈与字节数，供 flamegraph.pl、speedscope 或 inferno 使用；含所有设备"],
      json: ["JSON 数据", "总览、峰值构成、碎片、增长与内存不足，与页面所示相同"],
    } as Record<string, readonly [string, string]>,
  },
  picture: {
    save: "保存图片",
    png: "PNG",
    svg: "SVG",
  },
};
