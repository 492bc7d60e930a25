"""CSV files against the database of the same file, by Python's csv and sqlite3:

    csv_tables.py DATABASE FOLDER
"""
import csv
import pathlib
import sqlite3
import sys

csv.field_size_limit(1 << 30)
db, folder = sqlite3.connect(sys.argv[1]), pathlib.Path(sys.argv[2])
tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
assert sorted(path.name for path in folder.iterdir()) == sorted(f"{table}.csv" for table in tables)
total = 0
for table in tables:
    info = db.execute(f"PRAGMA table_info({table})").fetchall()
    reals = {column[0] for column in info if column[2] == "REAL"}
    with open(folder / f"{table}.csv", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        assert next(rows) == [column[1] for column in info], table
        for wanted in db.execute(f"SELECT * FROM {table} ORDER BY id"):
            found = next(rows)
            total += 1
            for at, (cell, value) in enumerate(zip(found, wanted, strict=True)):
                if at in reals and value is not None:
                    assert float(cell) == value, (table, wanted, found)
                else:
                    assert cell == ("" if value is None else str(value)), (table, wanted, found)
        assert next(rows, None) is None, table
print(f"the same: {total} rows")
