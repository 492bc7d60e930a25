# The commands of the project. `make help` lists them.
#
#   make run            set up what is missing, build, print the report of the bundled sample, serve the page
#   make test           set up what is missing, run every test
#
# Nothing is done twice: what a step makes is either its own file or a stamp under target/stamps.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# What `make PROFILE=quick …` builds wasm and program with; release is what ships.
PROFILE ?= release
SERVE ?= 1
PORT ?= 8137

STAMPS := target/stamps
WASM_TARGET_DIR ?= target-wasm
export WASM_TARGET_DIR PROFILE

RUST_SOURCES := $(shell find src -type f -not -name report.html) build.rs Cargo.toml Cargo.lock .cargo/config.toml
PAGE_SOURCES := $(shell find www -type f) package.json package-lock.json
SAMPLES := dist/samples/snapshot.pickle
PROGRAM := target/$(PROFILE)/hbmlens
# The module that every page loads, and the larger one that reads and makes databases too.
MODULES := pkg/hbmlens_bg.wasm pkg/database/hbmlens_bg.wasm
# The page of reports, which the program carries.
REPORT := src/export/report/template/report.html

.PHONY: help run build program page pkg test lint bench fuzz clean setup

help:
	@sed -n 's/^## *//p' Makefile

## make run              build everything, print the report of the bundled sample, serve the page (SERVE=0: stop before)
run: build
	@scripts/sample-report.sh $(PROGRAM) $(SAMPLES)
	@printf '\nThe page as one file: file://%s\n' "$(CURDIR)/dist/hbmlens.html"
	@if [ "$(SERVE)" != 0 ]; then exec node scripts/serve.mjs dist/site $(PORT); fi

## make build            the program, dist/hbmlens.html and dist/site/
build: program page
program: $(PROGRAM)
page: dist/hbmlens.html
pkg: $(MODULES)

$(REPORT): $(PAGE_SOURCES) $(STAMPS)/node
	node www/build.mjs --report
	@touch $@

$(PROGRAM): $(RUST_SOURCES) $(REPORT)
	cargo build --profile $(PROFILE) --bin hbmlens
	@touch $@

pkg/hbmlens_bg.wasm: $(RUST_SOURCES) scripts/build-wasm.sh | $(STAMPS)/wasm-tools $(STAMPS)/node
	scripts/build-wasm.sh
	@touch $@

# One after the other: what they are made of is the same, and so is the place where the compiler leaves them.
pkg/database/hbmlens_bg.wasm: $(RUST_SOURCES) scripts/build-wasm.sh | pkg/hbmlens_bg.wasm
	scripts/build-wasm.sh pkg/database database
	@touch $@

$(SAMPLES): $(shell find src/simulate examples -type f 2>/dev/null) scripts/make-samples.sh
	scripts/make-samples.sh dist/samples
	@touch $@

dist/hbmlens.html: $(MODULES) $(PAGE_SOURCES) $(SAMPLES) $(STAMPS)/node
	node www/build.mjs
	@touch $@

## make setup            install what building and testing need (the other commands do it by themselves)
setup: $(STAMPS)/wasm-tools $(STAMPS)/node $(STAMPS)/browser

$(STAMPS):
	@mkdir -p $@
# The CLI has to be the very version that Cargo.lock names, so a new lock asks again.
$(STAMPS)/wasm-tools: Cargo.lock scripts/setup-wasm.sh | $(STAMPS)
	scripts/setup-wasm.sh
	@touch $@
$(STAMPS)/node: package.json package-lock.json scripts/setup-node.sh | $(STAMPS)
	scripts/setup-node.sh
	@touch $@
$(STAMPS)/browser: scripts/setup-browser.sh | $(STAMPS)
	scripts/setup-browser.sh
	@touch $@

## make test             every test: Rust, wasm in headless Chrome, TypeScript, end-to-end in Chromium
test: setup
	scripts/test.sh

## make lint             formatting, clippy (host and wasm), TypeScript
lint: $(STAMPS)/wasm-tools $(STAMPS)/node pkg
	scripts/lint.sh

## make bench            the benchmarks
bench: program page $(STAMPS)/browser
	scripts/bench.sh

## make fuzz             a minute on each fuzz target (SECONDS_EACH=60)
fuzz:
	scripts/fuzz.sh

## make clean            remove what was built
clean:
	rm -rf dist target target-wasm node_modules e2e/test-results $(REPORT)
	find pkg -mindepth 1 ! -name README.md -delete
