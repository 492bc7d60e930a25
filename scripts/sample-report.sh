#!/usr/bin/env bash
# What the terminal program says of the bundled sample.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

program=${1:?usage: sample-report.sh PROGRAM FILE}
say "$(basename "$2"): the report of the bundled sample"
"$program" "$2"
