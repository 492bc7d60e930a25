#!/usr/bin/env bash
# Everything that reads the code without running it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cargo fmt --check
cargo clippy --all-targets --all-features -- -D warnings
for features in "" database; do
  CARGO_TARGET_DIR=${WASM_TARGET_DIR:-target-wasm} cargo clippy --lib --no-default-features --features "$features" \
    --target wasm32-unknown-unknown -- -D warnings
done
npm run --silent check
