#!/usr/bin/env bash
# build-wasm.sh [FOLDER [FEATURES]]: the wasm module with its JavaScript and TypeScript sides, optimised, in FOLDER (pkg).
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

folder=${1:-pkg} features=${2:-}
profile=${PROFILE:-release}
say "building the wasm module ($profile${features:+, with $features})"
# wasm-opt comes from npm and runs below: a download by wasm-pack would be one more thing to fail.
# Level s: the single file carries the module, and may not grow beyond what a mail or a page takes. Measured on a
# file of a million events, reading takes a fifth longer than at level 2 and the module is a tenth smaller.
CARGO_PROFILE_RELEASE_OPT_LEVEL=s CARGO_TARGET_DIR=${WASM_TARGET_DIR:-target-wasm} wasm-pack build --target web --out-dir "$folder" --no-pack \
  --mode no-install --profile "$profile" . -- --no-default-features ${features:+--features "$features"}
rm -f "$folder/.gitignore"

if [ "$profile" = release ]; then
  # Without inlining: what the compiler chose not to inline makes the module grow.
  node_modules/.bin/wasm-opt -O2 --one-caller-inline-max-function-size=0 --always-inline-max-function-size=0 \
    --flexible-inline-max-function-size=0 --enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int \
    --enable-sign-ext --enable-mutable-globals --enable-reference-types --enable-multivalue \
    "$folder/hbmlens_bg.wasm" -o "$folder/hbmlens_bg.wasm.opt"
  mv "$folder/hbmlens_bg.wasm.opt" "$folder/hbmlens_bg.wasm"
fi
