#!/usr/bin/env bash
# Feeds the readers with mutated files for SECONDS_EACH=60 seconds a target; a failure ends it with the
# input kept in fuzz/artifacts/. TARGET names one or more of those below, SEED=n; files and folders named on
# the command line are beginnings too.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cargo build --quiet --release --manifest-path fuzz/Cargo.toml --target-dir target/fuzz
targets=${TARGET:-open pickle json text csv records trace pieces ge profile sqlite}
for target in $targets; do
  say "fuzzing $target for ${SECONDS_EACH:-60} s"
  target/fuzz/release/hbmlens-fuzz "$target" "${SECONDS_EACH:-60}" "${SEED:-1}" "$@"
done
