"""The DuckDB queries of the documentation, as they stand there, over the Parquet folders of several ranks; what they answer is counted
anew from the databases beside the snapshots:

    duckdb_docs.py DOCS FOLDER SNAPSHOT…    (the snapshot of rank 0, of rank 1 …)
"""
import collections
import json
import pathlib
import re
import sqlite3
import statistics
import sys

import duckdb

docs, folder = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2]
databases = [sqlite3.connect(pathlib.Path(path).with_suffix(".db")) for path in sys.argv[3:]]
queries = re.findall(r"```sql\n(-- DuckDB: .*?)```", docs, re.S)
assert len(queries) == 3, len(queries)
ask = lambda query: duckdb.sql(query.replace("ranks/", f"{folder}/"))

# Peaks, and how far each is from the median.
peaks = [(rank, device, peak) for rank, db in enumerate(databases) for device, peak in db.execute(
    "SELECT d.device_index, f.value FROM figures f JOIN devices d ON d.id = f.device_id WHERE f.name = 'peak_requested'")]
middle = statistics.median(peak for _, _, peak in peaks)
wanted = sorted((rank, device, peak, peak - middle) for rank, device, peak in peaks)
found = ask(queries[0])
assert found.columns == ["rank", "device", "peak", "from_median"], found.columns
assert sorted(found.fetchall()) == wanted, (found, wanted)

# What is live at the end, by the line that allocated it.
lines = collections.defaultdict(lambda: [set(), 0, 0])
for rank, db in enumerate(databases):
    for frames, size in db.execute("SELECT c.frames_json, l.size FROM lives l JOIN call_stacks c ON c.id = l.stack_id WHERE l.end_event IS NULL"):
        frame = (json.loads(frames) or [{}])[0]
        entry = lines[frame.get("filename"), frame.get("line")]
        entry[0].add(rank)
        entry[1] += size
        entry[2] += 1
wanted = sorted(((len(ranks), size, lives) for ranks, size, lives in lines.values()), key=lambda row: -row[1])[:20]
found = ask(queries[1])
assert found.columns == ["file", "line", "ranks", "bytes", "lives"], found.columns
rows = found.fetchall()
assert sorted(row[2:] for row in rows) == sorted(wanted), (rows, wanted)
for file, line, ranks, size, lives in rows:
    assert [ranks, size, lives] == [len(lines[file, line][0]), *lines[file, line][1:]], (file, line)

# What each rank reserves, and how much of it lies idle.
wanted = []
for rank, db in enumerate(databases):
    reserved, allocated = db.execute("SELECT COALESCE(SUM(total_size), 0), COALESCE(SUM(allocated_size), 0) FROM segments").fetchone()
    if reserved:
        wanted.append((rank, reserved, round(100 * (reserved - allocated) / reserved, 6)))
found = ask(queries[2])
assert found.columns == ["rank", "reserved", "idle_percent"], found.columns
assert sorted((rank, reserved, round(idle, 6)) for rank, reserved, idle in found.fetchall()) == sorted(wanted), wanted
print(f"the same: {len(queries)} queries")
