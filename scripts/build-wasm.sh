#!/usr/bin/env bash
# pkg/: the wasm module with its JavaScript and TypeScript sides, optimised.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

profile=${PROFILE:-release}
say "building the wasm module ($profile)"
# wasm-opt comes from npm and runs below: a download by wasm-pack would be one more thing to fail.
# Level 2 and less inlining: the single file carries the module. Measured on a file of a million events,
# the limit costs a twentieth of the reading speed and saves a thirteenth of the size.
if [ "$profile" = release ]; then
  export RUSTFLAGS="-C target-feature=+simd128 -C llvm-args=-inline-threshold=60"
fi
CARGO_PROFILE_RELEASE_OPT_LEVEL=2 CARGO_TARGET_DIR=${WASM_TARGET_DIR:-target-wasm} wasm-pack build --target web --out-dir pkg --no-pack \
  --mode no-install --profile "$profile" . -- --no-default-features ${WASM_FEATURES:+--features "$WASM_FEATURES"}
rm -f pkg/.gitignore

if [ "$profile" = release ]; then
  # Level 1: the higher ones inline what the compiler chose not to, and the module grows.
  node_modules/.bin/wasm-opt -O1 --enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int \
    --enable-sign-ext --enable-mutable-globals --enable-reference-types --enable-multivalue \
    pkg/hbmlens_bg.wasm -o pkg/hbmlens_bg.wasm.opt
  mv pkg/hbmlens_bg.wasm.opt pkg/hbmlens_bg.wasm
fi
