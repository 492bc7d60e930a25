#!/usr/bin/env bash
# The npm packages, exactly as locked. No package downloads a browser.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v node >/dev/null || die "Node.js 20 or newer is missing: see https://nodejs.org"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' ||
  die "Node.js 20 or newer is needed; this is $(node --version)"
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  say "installing the npm packages"
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund --loglevel=error
fi
