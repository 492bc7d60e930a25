#!/usr/bin/env bash
# Replaying a snapshot and seeking in it; then the same trace played ten times over.
#
#   scripts/bench-replay.sh [FILE]      PROFILE=release
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

file=${1:-}
profile=${PROFILE:-release}
[ -n "$file" ] || file=${TMPDIR:-/tmp}/hbmlens-1m.pickle
[ -e "$file" ] || { say "replaying: name a file to measure: scripts/bench-replay.sh FILE"; exit 0; }
cargo build --quiet --profile "$profile" --example bench_replay
say "replaying $file"
"target/$profile/examples/bench_replay" "$file"
"target/$profile/examples/bench_replay" "$file" 10
