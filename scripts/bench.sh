#!/usr/bin/env bash
# The benchmarks: reading, replaying, profiler files, GE logs, and the page in Chromium, each beside a peer.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Files to measure beside the generated ones may be named.
scripts/bench-read.sh "${1:-}"
scripts/bench-replay.sh "${1:-}"
scripts/bench-profile.sh
scripts/bench-ge.sh
CHROME_BIN=$(find_browser) node e2e/bench.mjs "$@"
