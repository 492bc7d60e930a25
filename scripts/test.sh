#!/usr/bin/env bash
# Every test of the project. A part that fails does not keep the others from running; the last line is
# the sum: "N passed, N failed".
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# unittest_sum WHAT: the sum of WHAT=N in the closing lines of Python's unittest.
unittest_sum() {
  sed -nE 's/^(OK|FAILED) \((.*)\)$/\2/p' "$log" | tr ',' '\n' | sed -nE "/^ *($1)=[0-9]+$/p" | awk -F= '{ n += $2 } END { print n + 0 }'
}

# part NAME COMMAND…: runs it, shows its output, and adds what it counted. A part that counts nothing
# is one test; a part that ends badly without a failed test is one failure.
part() {
  local name=$1 rc=0 p f ran bad skipped
  shift
  say "$name"
  "$@" 2>&1 | tee "$log" || rc=$?
  # cargo: "test result: ok. 12 passed; 0 failed"; node: "# pass 12", "ℹ pass 12"; Python: "Ran 12 tests in
  # 3.4s", which counts all, then "OK (skipped=2)" or "FAILED (failures=1, errors=1, skipped=2)".
  p=$(sed -nE 's/^test result: .* ([0-9]+) passed.*/\1/p; s/^(#|ℹ) pass ([0-9]+)$/\2/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  f=$(sed -nE 's/^test result: .* ([0-9]+) failed.*/\1/p; s/^(#|ℹ) fail ([0-9]+)$/\2/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  ran=$(sed -nE 's/^Ran ([0-9]+) tests? in .*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  bad=$(unittest_sum 'failures|errors|unexpected successes')
  skipped=$(unittest_sum skipped)
  p=$((p + (ran > bad + skipped ? ran - bad - skipped : 0))) f=$((f + bad))
  if [ $((p + f + ran)) = 0 ]; then
    if [ $rc = 0 ]; then p=1; else f=1; fi
  elif [ $rc != 0 ] && [ "$f" = 0 ]; then
    f=1
  fi
  passed=$((passed + p)) failed=$((failed + f))
  printf '%s: %d passed, %d failed (%d s)\n' "$name" "$p" "$f" "$SECONDS"
}

wasm_tests() {
  # The browser refuses to run as root inside its sandbox; tests/wasm/webdriver.json says so.
  CARGO_TARGET_DIR=$PWD/${WASM_TARGET_DIR:-target-wasm} wasm-pack test --headless --chrome --mode no-install \
    --chromedriver "$(find_driver)" tests/wasm
}

part "formatting" cargo fmt --check
part "page of reports" node www/build.mjs --report
part "clippy" cargo clippy --quiet --all-targets --all-features -- -D warnings
part "Rust tests" cargo test --quiet --all-features --no-fail-fast
if command -v python3 >/dev/null; then
  part "recording" python3 -m unittest discover -s tests/capture
else
  say "recording: not tested, there is no python3"
fi
for features in "" database; do
  part "clippy (wasm${features:+, with $features})" env CARGO_TARGET_DIR="${WASM_TARGET_DIR:-target-wasm}" \
    cargo clippy --quiet --lib --no-default-features --features "$features" --target wasm32-unknown-unknown -- -D warnings
done
part "wasm in Chrome" wasm_tests
part "build" make --no-print-directory page
part "TypeScript" npm run --silent check
part "unit tests" npm run --silent test
part "end to end" npm run --silent e2e

say "all"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
