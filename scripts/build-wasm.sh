#!/usr/bin/env bash
# pkg/: the wasm module with its JavaScript and TypeScript sides, optimised.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

profile=${PROFILE:-release}
say "building the wasm module ($profile)"
# wasm-opt comes from npm and runs below: a download by wasm-pack would be one more thing to fail.
# Level s: the single file carries the module, and may not grow beyond what a mail or a page takes. Measured on a
# file of a million events, reading takes a fifth longer than at level 2 and the module is a tenth smaller.
CARGO_PROFILE_RELEASE_OPT_LEVEL=s CARGO_TARGET_DIR=${WASM_TARGET_DIR:-target-wasm} wasm-pack build --target web --out-dir pkg --no-pack \
  --mode no-install --profile "$profile" . -- --no-default-features ${WASM_FEATURES:+--features "$WASM_FEATURES"}
rm -f pkg/.gitignore

if [ "$profile" = release ]; then
  # Without inlining: what the compiler chose not to inline makes the module grow.
  node_modules/.bin/wasm-opt -O2 --one-caller-inline-max-function-size=0 --always-inline-max-function-size=0 \
    --flexible-inline-max-function-size=0 --enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int \
    --enable-sign-ext --enable-mutable-globals --enable-reference-types --enable-multivalue \
    pkg/hbmlens_bg.wasm -o pkg/hbmlens_bg.wasm.opt
  mv pkg/hbmlens_bg.wasm.opt pkg/hbmlens_bg.wasm
fi
