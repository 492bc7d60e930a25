#!/bin/sh
# Times the readers of profiler files against Python on the same files: bench-profile.sh TRACE.json ROWS.csv
# Asks for 4 times ijson (yajl2_c) and 5 times csv.DictReader; both sides run alone, one run each.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 trace_view.json operator_memory.csv" >&2; exit 2; }
cd "$(dirname "$0")/.."
cargo build --quiet --release --example read_profile
python3 - "$1" "$2" <<'PY'
import csv, os, re, subprocess, sys, time

def python(kind, path):
    # CPU seconds: what else runs on the machine does not count.
    start = time.process_time()
    if kind == "trace":
        import ijson.backends.yajl2_c as ijson
        with open(path, "rb") as f:
            first = f.read(1)
            f.seek(0)
            count = sum(1 for _ in ijson.items(f, "item" if first == b"[" else "traceEvents.item"))
    else:
        with open(path, newline="") as f:
            count = sum(1 for _ in csv.DictReader(f))
    return time.process_time() - start, count

good = True
for kind, path, wanted in (("trace", sys.argv[1], 4), ("rows", sys.argv[2], 5)):
    before = os.times()
    out = subprocess.run(["target/release/examples/read_profile", kind, path], check=True, capture_output=True, text=True).stdout.strip()
    after = os.times()
    ours = after.children_user + after.children_system - before.children_user - before.children_system
    theirs, count = python(kind, path)
    ratio = theirs / ours
    size = os.path.getsize(path) / 1e6
    most = int(re.search(r"most memory (\d+) kB", out)[1]) * 1024 / 1e6
    columns = float(re.search(r"columns ([\d.]+) MB", out)[1])
    verdict = ratio >= wanted and most - columns < 64
    good &= verdict
    print(f"{kind}: {size:.0f} MB, ours {ours:.2f} s CPU ({size / ours:.0f} MB/s), Python {theirs:.2f} s ({count} items), {ratio:.1f} times as fast (wanted {wanted}), "
          f"{most - columns:.0f} MB beyond the columns (allowed 64): {'pass' if verdict else 'FAIL'}")
sys.exit(not good)
PY
