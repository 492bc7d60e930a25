"""Figures of an Ascend profiler's database, by a query and a sweep of its own."""
import json
import sqlite3
import sys

db = sqlite3.connect(f"file:{sys.argv[1]}?immutable=1", uri=True)
rows = db.execute("SELECT size, allocationTime, releaseTime, duration FROM OP_MEMORY").fetchall()
edges = []
unreleased = [0, 0]
for size, start, end, duration in rows:
    if size <= 0:
        continue
    if end is None and duration is None:
        unreleased[0] += size
        unreleased[1] += 1
    if start is not None:
        edges.append((start, 1, size))
        if end is not None or duration is not None:
            edges.append((end if end is not None else start + duration, 0, -size))
live = peak = at = 0
for time, _, size in sorted(edges):
    live += size
    if live > peak:
        peak, at = live, time
print(json.dumps({"rank": 0, "rows_total": len(rows), "peak_bytes": peak, "peak_ns": at,
                  "unreleased_bytes": unreleased[0], "unreleased_count": unreleased[1]}))
