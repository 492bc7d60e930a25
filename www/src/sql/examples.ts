// Questions to begin with. Each runs on the tables as they are.

import type { Texts } from "../i18n";

type Title = keyof Texts["query"]["titles"];

/** The innermost frame in Python: those further in are of the allocator and of libraries. */
const siteOf = (frames: string) => `(
    SELECT (value ->> 'filename') || ':' || (value ->> 'line') || ' ' || (value ->> 'name')
    FROM json_each(${frames}) WHERE value ->> 'filename' LIKE '%.py' ORDER BY key LIMIT 1)`;

export const SNAPSHOT: readonly [Title, string][] = [
  ["overview", "SELECT * FROM device_overview;"],
  ["states", "SELECT * FROM block_state_dist;"],
  [
    "stacks",
    `SELECT bytes, count, ${siteOf("frames_json")} AS site
FROM top_allocations LIMIT 50;`,
  ],
  ["expansion", "SELECT * FROM expansion_timeline ORDER BY device, trace_index;"],
  [
    "categories",
    `SELECT d.device_index AS device, c.name AS category, SUM(l.size) AS bytes, COUNT(*) AS lives
FROM lives l
JOIN categories c ON c.id = l.category_id
JOIN devices d ON d.id = l.device_id
JOIN figures f ON f.device_id = l.device_id AND f.name = 'peak_event'
WHERE COALESCE(l.begin_event, -1) <= f.value AND COALESCE(l.end_event, 9e18) > f.value
GROUP BY d.id, c.id ORDER BY device, bytes DESC;`,
  ],
  ["ooms", "SELECT d.device_index AS device, trace_index, size AS requested, device_free FROM traces JOIN devices d ON d.id = device_id WHERE action = 'oom';"],
  [
    "idle",
    `SELECT printf('%x', address) AS segment, total_size, allocated_size, total_size - allocated_size AS idle, segment_type, stream
FROM segments ORDER BY idle DESC LIMIT 50;`,
  ],
];

export const COMPARE: readonly [Title, string][] = [
  [
    "compare",
    `SELECT a.bytes - COALESCE(b.bytes, 0) AS more, a.bytes, b.bytes AS ref_bytes, ${siteOf("a.frames_json")} AS site
FROM top_allocations a
LEFT JOIN ref.top_allocations b ON b.frames_json = a.frames_json
ORDER BY more DESC LIMIT 50;`,
  ],
];

export const PROFILER: readonly [Title, string][] = [
  ["operators", "SELECT name, COUNT(*) AS count, SUM(size) AS bytes FROM operator_memory WHERE size > 0 GROUP BY name ORDER BY bytes DESC;"],
  ["open", "SELECT name, size, allocation_time_ns FROM operator_memory WHERE size > 0 AND release_time_ns IS NULL ORDER BY size DESC;"],
  ["components", "SELECT component, device, MAX(total_reserved) AS reserved, MAX(total_allocated) AS allocated FROM memory_record GROUP BY component, device;"],
];
