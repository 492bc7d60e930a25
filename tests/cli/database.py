"""Compares a database with the pickle it was made of, row by row, by means of Python's own sqlite3 and pickle."""
import hashlib
import json
import pickle
import sqlite3
import sys

SCHEMA = {
    "devices": ["device_index", "device_type"],
    "call_stacks": ["stack_hash", "frames_json"],
    "segments": ["device_id", "address", "total_size", "allocated_size", "active_size", "requested_size", "stream",
                 "segment_type", "pool_id_0", "pool_id_1", "is_expandable", "stack_id"],
    "blocks": ["segment_id", "address", "size", "requested_size", "state", "stack_id"],
    "traces": ["device_id", "trace_index", "action", "addr", "device_free", "size", "stream", "stack_id", "time_us"],
}
OURS = {"lives", "categories", "annotations", "operator_memory", "memory_record", "warnings"}
INDEXES = {
    "idx_blocks_state": ("blocks", ["state"]),
    "idx_blocks_stack": ("blocks", ["stack_id"]),
    "idx_blocks_segment": ("blocks", ["segment_id"]),
    "idx_blocks_segment_state": ("blocks", ["segment_id", "state"]),
    "idx_traces_stack": ("traces", ["stack_id"]),
    "idx_traces_device_action": ("traces", ["device_id", "action"]),
    "idx_traces_device_index": ("traces", ["device_id", "trace_index"]),
    "idx_segments_stack": ("segments", ["stack_id"]),
    "idx_segments_device": ("segments", ["device_id"]),
    "idx_segments_device_type": ("segments", ["device_id", "segment_type"]),
}
VIEWS = {
    "device_overview": ["device", "reserved", "allocated", "active", "fragmentation", "segments"],
    "block_state_dist": ["device", "state", "count", "bytes"],
    "segment_type_dist": ["device", "segment_type", "count", "bytes", "allocated"],
    "expansion_timeline": ["device", "trace_index", "action", "size", "running_reserved"],
    "top_allocations": ["stack", "bytes", "count", "frames_json"],
}
FOREIGN = {
    "segments": {("device_id", "devices", "NO ACTION"), ("stack_id", "call_stacks", "NO ACTION")},
    "blocks": {("segment_id", "segments", "CASCADE"), ("stack_id", "call_stacks", "NO ACTION")},
    "traces": {("device_id", "devices", "NO ACTION"), ("stack_id", "call_stacks", "NO ACTION")},
}

db = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True)
all_of = lambda sql, *args: db.execute(sql, args).fetchall()
one = lambda sql, *args: db.execute(sql, args).fetchone()[0]
unsigned = lambda value: None if value is None else value % 2**64


def check_schema(with_indexes):
    assert all_of("PRAGMA integrity_check") == [("ok",)], all_of("PRAGMA integrity_check")[:5]
    assert all_of("PRAGMA foreign_key_check") == []
    for table, columns in SCHEMA.items():
        info = all_of(f"PRAGMA table_info({table})")
        assert [row[1] for row in info] == ["id", *columns], (table, info)
        assert info[0][2] == "INTEGER" and info[0][5] == 1
        sql = one("SELECT sql FROM sqlite_master WHERE name = ?", table)
        assert "id INTEGER PRIMARY KEY AUTOINCREMENT" in sql, sql
    for table, keys in FOREIGN.items():
        found = {(row[3], row[2], row[6]) for row in all_of(f"PRAGMA foreign_key_list({table})")}
        assert found == keys, (table, found)
    unique = lambda table: {tuple(r[2] for r in all_of(f"PRAGMA index_info({row[1]})"))
                            for row in all_of(f"PRAGMA index_list({table})") if row[2]}
    assert unique("devices") == {("device_index",)} and unique("call_stacks") == {("stack_hash",)}
    assert all_of("PRAGMA table_info(devices)")[1][3] == 1
    tables = {row[0] for row in all_of("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert OURS <= tables, tables
    for table in tables - {"sqlite_sequence"}:
        last = db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        count, most = db.execute(f"SELECT COUNT(*), MAX(id) FROM {table}").fetchone()
        assert (last[0] if last else None) == most and count == (most or 0), table
    indexes = {row[0] for row in all_of("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")}
    assert indexes == (set(INDEXES) if with_indexes else set()), indexes
    for name, (table, columns) in INDEXES.items():
        if with_indexes:
            assert [row[2] for row in all_of(f"PRAGMA index_info({name})")] == columns
            assert one("SELECT tbl_name FROM sqlite_master WHERE name = ?", name) == table
    for view, columns in VIEWS.items():
        assert [c[0] for c in db.execute(f"SELECT * FROM {view}").description] == columns, view


check_schema(len(sys.argv) < 4)
snapshot = pickle.load(open(sys.argv[1], "rb"))
if isinstance(snapshot, list):
    snapshot = {"segments": snapshot, "device_traces": []}

stacks = {}
for number, digest, text in db.execute("SELECT id, stack_hash, frames_json FROM call_stacks"):
    assert digest == hashlib.md5(text.encode()).hexdigest()
    stacks[number] = json.loads(text)
devices = dict(all_of("SELECT id, device_index FROM devices"))


def same_stack(number, frames, where):
    found = stacks.get(number)
    if frames is None:
        assert found is None, where
        return
    assert found is not None, where
    wanted = [(f.get("filename"), f.get("line"), f.get("name")) for f in frames]
    assert [(f["filename"], f["line"], f["name"]) for f in found] == wanted, where


rows = all_of("SELECT id, device_id, address, total_size, allocated_size, active_size, requested_size, stream, segment_type, "
              "pool_id_0, pool_id_1, is_expandable, stack_id FROM segments ORDER BY id")
assert len(rows) == len(snapshot["segments"])
blocks = db.execute("SELECT segment_id, address, size, requested_size, state, stack_id FROM blocks ORDER BY id")
count = 0
for row, segment in zip(rows, snapshot["segments"]):
    assert devices[row[1]] == segment.get("device", 0)
    assert unsigned(row[2]) == segment["address"] % 2**64
    assert list(row[3:6]) == [segment[k] for k in ("total_size", "allocated_size", "active_size")]
    assert row[6] == segment.get("requested_size") and row[7] == segment["stream"]
    assert row[8] == segment["segment_type"]
    assert row[9:11] == tuple(segment.get("segment_pool_id", (None, None)))
    assert bool(row[11]) == segment.get("is_expandable", False)
    same_stack(row[12], segment.get("frames"), ("segment", row[0]))
    address = segment["address"]
    for block in segment["blocks"]:
        count += 1
        found = blocks.fetchone()
        where = ("block", count)
        assert found[0] == row[0], where
        assert unsigned(found[1]) == block.get("address", address) % 2**64, where
        assert found[2] == block["size"] and found[3] == block.get("requested_size"), where
        assert found[4] == block["state"].replace("awaiting", "pending"), where
        history = block.get("history") or [{}]
        same_stack(found[5], block.get("frames", history[0].get("frames")), where)
        address += block["size"]
assert blocks.fetchone() is None

events = db.execute("SELECT device_id, trace_index, action, addr, device_free, size, stream, stack_id, time_us FROM traces ORDER BY id")
total = 0
for device, trace in enumerate(snapshot.get("device_traces", [])):
    for index, event in enumerate(trace):
        total += 1
        found = events.fetchone()
        where = ("event", device, index)
        assert (devices[found[0]], found[1], found[2]) == (device, index, event["action"]), (where, found)
        if event["action"] == "oom":
            assert found[3] is None and found[4] == event["device_free"], where
        else:
            assert unsigned(found[3]) == event["addr"] % 2**64 and found[4] is None, where
        assert (found[5], found[6], found[8]) == (event["size"], event["stream"], event.get("time_us")), (where, found)
        same_stack(found[7], event.get("frames"), where)
assert events.fetchone() is None

# What the views say, counted anew.
for device, reserved, allocated, active, fragmentation, segments in all_of("SELECT * FROM device_overview"):
    own = [s for s in snapshot["segments"] if s.get("device", 0) == device]
    sums = [sum(s[k] for s in own) for k in ("total_size", "allocated_size", "active_size")]
    assert [reserved, allocated, active, segments] == [*sums, len(own)]
    assert abs(fragmentation - ((sums[0] - sums[1]) / sums[0] if sums[0] else 0)) < 1e-12
last = {}
for device, index, action, size, running in all_of("SELECT * FROM expansion_timeline ORDER BY device, trace_index"):
    if device in last:
        assert running - last[device] == (size if action in ("segment_alloc", "segment_map") else -size)
    last[device] = running
for device, running in last.items():
    assert running == sum(s["total_size"] for s in snapshot["segments"] if s.get("device", 0) == device)
top = all_of("SELECT bytes, count FROM top_allocations")
live = [b["size"] for s in snapshot["segments"] for b in s["blocks"] if b["state"] == "active_allocated"]
assert (sum(t[0] for t in top), sum(t[1] for t in top)) == (sum(live), len(live))
assert top == sorted(top, key=lambda t: -t[0])
plan = " ".join(r[3] for r in all_of("EXPLAIN QUERY PLAN SELECT COUNT(*) FROM blocks WHERE state = 'inactive'"))
if len(sys.argv) < 4:
    assert "idx_blocks_state" in plan, plan
    for state in ("active_allocated", "inactive", "active_pending_free"):
        by_index = one("SELECT COUNT(*) FROM blocks WHERE state = ?", state)
        assert by_index == one("SELECT COUNT(*) FROM blocks NOT INDEXED WHERE state = ?", state)
print(json.dumps({"segments": len(rows), "blocks": count, "events": total, "lives": one("SELECT COUNT(*) FROM lives")}))
