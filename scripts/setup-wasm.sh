#!/usr/bin/env bash
# The wasm target and the two command-line tools that make a package of it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v cargo >/dev/null || die "Rust is missing: see https://rustup.rs"

target=wasm32-unknown-unknown
if ! compgen -G "$(rustc --print target-libdir --target $target)/libcore-*.rlib" >/dev/null; then
  command -v rustup >/dev/null || die "the toolchain has no $target and there is no rustup to add it"
  say "adding the target $target"
  rustup target add $target
fi

# The tools run for seconds, so what counts is that they are built quickly.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off
export CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=0

# install_tool CRATE COMMAND VERSION
install_tool() {
  local have
  have=$("$2" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -1) || true
  [ "$have" != "$3" ] || return 0
  say "installing $1 $3"
  # From /, so that this project's own settings do not apply. A mirror of the registry may lack a
  # version that the crate's lock file names; its dependencies are then resolved anew.
  (cd / && { cargo install --quiet --locked "$1" --version "=$3" --force 2>/dev/null ||
    cargo install --quiet "$1" --version "=$3" --force; })
}

bindgen=$(awk -F'"' '/^name = "wasm-bindgen"$/ { found = 1 } found && /^version/ { print $2; exit }' Cargo.lock)
[ -n "$bindgen" ] || die "Cargo.lock names no wasm-bindgen"
install_tool wasm-bindgen-cli wasm-bindgen "$bindgen"
# Any wasm-pack that can build with a named profile will do.
wasm-pack --version 2>/dev/null | grep -qE ' 0\.1[3-9]| [1-9]' || install_tool wasm-pack wasm-pack 0.15.1
