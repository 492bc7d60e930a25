#!/usr/bin/env bash
# The files that the page carries to try it with, made by the project's own allocator simulation.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

out=${1:?usage: make-samples.sh FOLDER}
mkdir -p "$out"
cargo run --quiet --example make_sample --features simulate -- "$out"
