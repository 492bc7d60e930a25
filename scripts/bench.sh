#!/usr/bin/env bash
# The benchmarks: the Rust ones, then the page in Chromium on a generated file of a million events.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if compgen -G "benches/*.rs" >/dev/null; then cargo bench --all-features; fi
scripts/bench-read.sh "${1:-}"
CHROME_BIN=$(find_browser) node e2e/bench.mjs "$@"
