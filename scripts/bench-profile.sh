#!/usr/bin/env bash
# Times the readers of profiler files against Python on the same files.
#
#   scripts/bench-profile.sh [TRACE.json ROWS.csv]
#
# Without files, a profile of 200,000 operators is made where the generator is at hand. Asks for 4 times
# ijson (yajl2_c) and 5 times csv.DictReader; both sides run alone, one run each. Then the page reads the trace,
# against JSON.parse of the same text in the same browser. PROFILE=quick: without link-time optimisation.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

trace=${1:-} rows=${2:-}
if [ -z "$trace" ]; then
  maker=${HBMLENS_SHARED:-../shared}/tools/make_profile.py
  [ -e "$maker" ] || { say "profiler files: name a trace and a table: scripts/bench-profile.sh TRACE.json ROWS.csv"; exit 0; }
  folder=$(mktemp -d "${TMPDIR:-/tmp}/bench-profile.XXXXXX")
  trap 'rm -rf "$folder"' EXIT
  python3 "$maker" "$folder/made" --ops 200000 >/dev/null
  trace=$(find "$folder" -name trace_view.json | head -1)
  rows=$(find "$folder" -name operator_memory.csv | head -1)
fi
python3 -c 'import ijson.backends.yajl2_c' 2>/dev/null || die "the peer is missing: pip install ijson"
profile=${PROFILE:-release}
reader=target/$profile/examples/read_profile
cargo build --quiet --profile "$profile" --example read_profile
say "profiler files"
status=0
python3 - "$trace" "$rows" "$reader" <<'PY' || status=1
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
    out = subprocess.run([sys.argv[3], kind, path], check=True, capture_output=True, text=True).stdout.strip()
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
columns=$("$reader" trace "$trace" | sed -n 's/.*columns \([0-9.]*\) MB.*/\1/p')
[ ! -f dist/hbmlens.html ] || CHROME_BIN=$(find_browser) node e2e/bench-profile.mjs "$trace" "$columns"
exit $status
