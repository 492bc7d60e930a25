# Shared by the scripts: sourced, never run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$HOME/.cargo/bin:$PATH"

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Installs Debian packages where apt-get exists; else says what is wanted.
apt_install() {
  command -v apt-get >/dev/null || die "there is no apt-get here; please install by hand: $*"
  local sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# The first of the named programs that exists, as a path.
first_of() {
  local name
  for name in "$@"; do command -v "$name" 2>/dev/null && return 0; done
  return 1
}
find_browser() { first_of ${CHROME_BIN:-} chromium chromium-browser google-chrome google-chrome-stable; }
find_driver() { first_of ${CHROMEDRIVER:-} chromedriver; }
