#!/usr/bin/env bash
# Runs every fuzz target for a while. Needs a nightly toolchain; installs cargo-fuzz when it is missing.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ -d fuzz ] || die "there is no folder fuzz/"
rustup toolchain list 2>/dev/null | grep -q nightly || die "fuzzing needs a nightly toolchain: rustup toolchain install nightly"
command -v cargo-fuzz >/dev/null || { say "installing cargo-fuzz"; (cd / && cargo install --quiet cargo-fuzz); }
for target in $(cargo +nightly fuzz list); do
  say "fuzzing $target for ${SECONDS_EACH:-60} s"
  cargo +nightly fuzz run "$target" -- -max_total_time="${SECONDS_EACH:-60}" -rss_limit_mb=1024
done
