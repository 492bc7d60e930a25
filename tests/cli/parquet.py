"""The Parquet folder of a rank against the database of the same file, row by row, and against the file itself, by DuckDB:

    parquet.py FOLDER DATABASE [SNAPSHOT]
"""
import json
import pathlib
import pickle
import sqlite3
import sys

try:
    import duckdb
except ImportError:
    print("skipped: no duckdb")
    sys.exit()

TYPES = {"INTEGER": "BIGINT", "REAL": "DOUBLE", "TEXT": "VARCHAR"}
folder, db = pathlib.Path(sys.argv[1]), sqlite3.connect(sys.argv[2])
read = lambda table: f"read_parquet('{folder}/{table}.parquet', hive_partitioning = false)"
tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
assert sorted(path.stem for path in folder.glob("*.parquet")) == sorted(tables)
total = 0
for table in tables:
    info = db.execute(f"PRAGMA table_info({table})").fetchall()
    found = duckdb.sql(f"SELECT * FROM {read(table)} ORDER BY id")
    assert found.columns == [column[1] for column in info], (table, found.columns)
    assert [str(t) for t in found.types] == [TYPES[column[2]] for column in info], (table, found.types)
    rows = db.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
    assert found.fetchall() == rows, table
    total += len(rows)
    # The same by sums, which is what queries ask for.
    for at, column in ((column[0], column[1]) for column in info if column[2] == "INTEGER"):
        known = [row[at] for row in rows if row[at] is not None]
        asked = duckdb.sql(f"SELECT COUNT(*), COUNT({column}), SUM(CAST({column} AS HUGEINT)) FROM {read(table)}").fetchall()[0]
        assert asked == (len(rows), len(known), sum(known) if known else None), (table, column, asked)

if len(sys.argv) > 3:
    raw = pathlib.Path(sys.argv[3]).read_bytes()
    snapshot = pickle.loads(raw) if raw[:1] == b"\x80" else json.loads(raw)
    if isinstance(snapshot, list):
        snapshot = {"segments": snapshot, "device_traces": []}
    blocks = [block for segment in snapshot["segments"] for block in segment["blocks"]]
    events = [event for trace in snapshot["device_traces"] for event in trace]
    for table, column, values in (
        ("segments", "total_size", [segment["total_size"] for segment in snapshot["segments"]]),
        ("blocks", "size", [block["size"] for block in blocks]),
        ("traces", "size", [event["size"] for event in events]),
    ):
        count, added = duckdb.sql(f"SELECT COUNT(*), COALESCE(SUM({column}), 0) FROM {read(table)}").fetchall()[0]
        assert (count, added) == (len(values), sum(values)), (table, count, added)
    found = duckdb.sql(f"SELECT address FROM {read('segments')} ORDER BY id").fetchall()
    assert [row[0] % 2**64 for row in found] == [segment["address"] % 2**64 for segment in snapshot["segments"]]
print(f"the same: {total} rows")
