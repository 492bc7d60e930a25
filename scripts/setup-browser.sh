#!/usr/bin/env bash
# Chromium and its driver, for the tests that need a real browser.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if ! find_browser >/dev/null || ! find_driver >/dev/null; then
  say "installing Chromium and its driver"
  apt_install chromium chromium-driver
fi
find_browser >/dev/null || die "no Chromium or Chrome found; install one or set CHROME_BIN"
find_driver >/dev/null || die "no chromedriver found; install the one of your Chromium or set CHROMEDRIVER"
