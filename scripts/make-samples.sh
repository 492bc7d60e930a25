#!/usr/bin/env bash
# Snapshots made by the project's own allocator simulation: those that the page carries to try it with,
# and beside them those that only its tests open.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

out=${1:?usage: make-samples.sh FOLDER}
mkdir -p "$out"
cargo run --quiet --example make_sample --features simulate -- "$out"
cargo run --quiet --example make_cases --features simulate -- "$out/../cases"
cargo run --quiet --example ge_log --features simulate -- sample "$out/plog-sample.log"
