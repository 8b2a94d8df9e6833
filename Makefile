# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The front door: short names for what Meson and the scripts do. `make help` lists them.
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
# Seconds each fuzz target runs in `make fuzz`.
FUZZ_SECONDS ?= 60
export FUZZ_SECONDS JOBS

ninja = ninja -C $(BUILD) -j $(JOBS)

.PHONY: all help run test test-all kits lab deps install bench lint clang sanitize fuzz coverage dist deb release-check goldens clean

all: ## build assay and its kit (build/assay, build/libexec/)
	@scripts/deps --check run
	@scripts/configure $(BUILD)
	@$(ninja)
	@scripts/kits --built $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 23

run: ## build, then measure this machine with every study, which takes two minutes
	@scripts/deps run
	@[ -e $(BUILD)/build.ninja ] || scripts/configure $(BUILD) -Dtests=disabled
	@scripts/configure $(BUILD)
	@find $(BUILD)/web -name page.js -size 0 -delete 2>/dev/null || : # pictures that could not be had the last time
	@[ -x $(BUILD)/assay ] || echo "building in $(BUILD): some minutes, the first time"
	@$(ninja) $$([ -t 1 ] || echo --quiet)
	@scripts/first-run $(BUILD)

test: ## build, then run the tests that show whether assay works on this machine; the last line is the tally
	@scripts/deps test
	@scripts/configure $(BUILD) -Dtests=enabled
	@$(ninja)
	@scripts/kits --built $(BUILD)
	@scripts/run-tests $(BUILD) --no-suite foreign --no-suite lab --no-suite web

test-all: ## the same, and proofs by emulation, other ISAs, the emulated machine, pages in a browser
	@scripts/deps test
	@scripts/configure $(BUILD) -Dtests=enabled
	@$(ninja)
	@scripts/kits $(BUILD)
	@scripts/lab $(BUILD)
	@scripts/run-tests $(BUILD)

kits: ## kits for other ISAs too, where their cross compilers are: KITS="aarch64 riscv64", else all
	@scripts/deps --check run
	@scripts/configure $(BUILD)
	@$(ninja) --quiet
	@scripts/kits $(BUILD) $(KITS)

lab: ## the emulated machine behind --via lab:aarch64: QEMU, the kit for it, a kernel
	@scripts/deps lab
	@scripts/configure $(BUILD)
	@$(ninja) --quiet
	@scripts/kits $(BUILD)
	@scripts/lab $(BUILD) tell

deps: ## install what building and testing need; NO_INSTALL=1 only looks, YES=1 does not ask
	@scripts/deps test

install: all ## install below PREFIX (and DESTDIR), with the kits that were built
	@scripts/configure $(BUILD) "-Dprefix=$(PREFIX)"
	@$(ninja) --quiet
	@meson install -C $(BUILD) --no-rebuild --quiet

bench: ## figures: cost of a library read, speed of stepping, samples per second into the store, peak memory
	@scripts/deps --check run
	@scripts/configure $(BUILD)
	@$(ninja) --quiet
	@meson test -C $(BUILD) --no-rebuild --benchmark --verbose

clang: ## build everything once with clang: warnings are errors, sanitizers for addresses and undefined behaviour, libFuzzer
	@scripts/deps --check test
	@CC="$$(command -v ccache) clang" CXX="$$(command -v ccache) clang++" scripts/configure build-clang -Dwerror=true -Dtests=enabled \
	    -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false -Dprobe_static=false -Doptimization=1 -Dc_args=-gline-tables-only
	@ninja -C build-clang -j $(JOBS)

lint: clang ## formatting, clang-tidy, cppcheck, licences, shell scripts
	@scripts/lint build-clang

sanitize: clang ## the tests on that build, but for those that try little sanitized that others do not; THOROUGH=1 runs these too
	@scripts/run-tests build-clang --no-suite proof --no-suite lab --no-suite liar --no-suite repository --no-suite web \
	    --no-suite unsanitized $(if $(THOROUGH),,--no-suite thorough)

fuzz: clang ## run each fuzz target of that build for FUZZ_SECONDS
	@scripts/fuzz build-clang

goldens: all ## write anew what every command says of the recorded stores (tests/goldens), and print what changed
	@ASSAY=$(abspath $(BUILD))/assay PYTHONPATH=tests python3 tests/cli/goldens.py --renew

coverage: ## run the tests and report which lines they reach
	@scripts/deps --check test
	@scripts/configure build-coverage -Dtests=enabled -Db_coverage=true
	@ninja -C build-coverage -j $(JOBS)
	@scripts/coverage build-coverage

dist: all ## a source archive of the last commit, with the script of pages in it: build/meson-dist
	@meson dist -C $(BUILD) --no-tests

deb: all ## Debian packages from that archive, built without a network: build/deb
	@scripts/deb $(BUILD)

release-check: all ## for a release, beside .ci/run: packages built twice with the same bytes and tried, all tests with sanitizers
	@$(MAKE) --no-print-directory sanitize THOROUGH=1
	@scripts/deb $(BUILD) --twice
	@scripts/try-deb $(BUILD)/deb

clean: ## remove every build folder
	rm -rf -- $(BUILD) build-clang build-coverage .cache
