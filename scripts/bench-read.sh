#!/usr/bin/env bash
# How fast a snapshot is read, beside CPython's pickle.load in the same run.
#
#   scripts/bench-read.sh [FILE]      RUNS=5 (best of so many), PROFILE=release
#
# Without a file, a snapshot of a million events is made where the generator is at hand. Each reader is
# a process of its own, run in turns, so that a busy machine slows all of them alike; the best run of
# each counts. `pickle.load` is measured as users call it and with the garbage collector switched off.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

file=${1:-}
profile=${PROFILE:-release}
if [ -z "$file" ]; then
  file=${TMPDIR:-/tmp}/hbmlens-1m.pickle
  maker=${HBMLENS_SHARED:-../shared}/tools/make_snapshot.py
  if [ ! -e "$file" ]; then
    [ -e "$maker" ] || { say "reading: name a file to measure: scripts/bench-read.sh FILE"; exit 0; }
    python3 "$maker" "$file" --events 1000000 >/dev/null
  fi
fi
cargo build --quiet --profile "$profile" --example read --bin hbmlens
python3 - "$file" "target/$profile" "${RUNS:-5}" <<'PYTHON'
import os, re, resource, subprocess, sys, time

path, programs, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
size = os.path.getsize(path)
load = "import gc, pickle, sys, time\n{}\nt = time.perf_counter()\nvalue = pickle.load(open(sys.argv[1], 'rb'))\n" \
       "print(time.perf_counter() - t, flush=True)\nimport os; os._exit(0)"
readers = {
    "hbmlens, reading": [f"{programs}/examples/read", path],
    "hbmlens overview, whole process": [f"{programs}/hbmlens", "overview", path],
    "pickle.load": [sys.executable, "-c", load.format(""), path],
    "pickle.load without gc": [sys.executable, "-c", load.format("gc.disable()"), path],
}
best, memory = {}, {}
for _ in range(runs):
    for name, command in readers.items():
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status != 0:
            print(f"{name} failed with status {status}")
            continue
        inner = re.search(r"; ([0-9.]+) s,", text) if "reading" in name else re.match(r"[0-9.]+", text) if "load" in name else None
        if inner:
            seconds = float(inner.group(1) if "reading" in name else inner.group(0))
        best[name] = min(best.get(name, seconds), seconds)
        memory[name] = max(memory.get(name, 0), usage.ru_maxrss)
print(f"\n{path}: {size / 1e6:.0f} MB, best of {runs}")
print(f"{'':34}{'s':>8}{'MB/s':>8}{'MiB':>8}{'× pickle.load':>15}{'× without gc':>14}")
for name, seconds in best.items():
    ratio = [best.get(peer, float('nan')) / seconds for peer in ("pickle.load", "pickle.load without gc")]
    print(f"{name:34}{seconds:8.3f}{size / seconds / 1e6:8.0f}{memory[name] / 1024:8.0f}{ratio[0]:15.1f}{ratio[1]:14.1f}")
PYTHON
