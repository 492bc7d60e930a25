#!/usr/bin/env bash
# The benchmarks: reading, replaying, profiler files, GE logs, and the page in Chromium, each beside a peer.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# All of them run, even after one that falls short of what is wanted of it.
status=0
# Files to measure beside the generated ones may be named.
scripts/bench-read.sh "${1:-}" || status=1
scripts/bench-replay.sh "${1:-}" || status=1
scripts/bench-profile.sh || status=1
scripts/bench-ge.sh || status=1
CHROME_BIN=$(find_browser)
export CHROME_BIN
node e2e/bench.mjs "$@" || status=1
node e2e/bench-redraw.mjs "$@" || status=1
exit $status
