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

.PHONY: all help run test kits lab deps install bench lint clang sanitize fuzz coverage dist deb clean

all: ## build assay and its kit (build/assay, build/libexec/)
	@scripts/deps --check run
	@scripts/configure $(BUILD)
	@$(ninja)
	@scripts/kits --built $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

run: ## build, then measure this machine with every study, which takes two minutes
	@scripts/deps run
	@[ -e $(BUILD)/build.ninja ] || scripts/configure $(BUILD) -Dtests=disabled
	@scripts/configure $(BUILD)
	@find $(BUILD)/web -name page.js -size 0 -delete 2>/dev/null || : # pictures that could not be had the last time
	@[ -x $(BUILD)/assay ] || echo "building in $(BUILD): some minutes, the first time"
	@$(ninja) $$([ -t 1 ] || echo --quiet)
	@scripts/first-run $(BUILD)

test: ## build, then run every test; the last line counts them
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

lint: clang ## formatting, clang-tidy, cppcheck, licences, shell scripts
	@scripts/lint build-clang

clang: ## build everything with clang, warnings are errors
	@CC=clang CXX=clang++ scripts/configure build-clang -Dwerror=true -Dtests=enabled
	@ninja -C build-clang -j $(JOBS)

sanitize: ## the tests with address and undefined-behaviour sanitizers, but for those that try nothing sanitized that others do not try too
	@scripts/deps --check test
	@scripts/configure build-sanitize -Dtests=enabled -Db_sanitize=address,undefined -Dprobe_static=false
	@ninja -C build-sanitize -j $(JOBS)
	@scripts/kits build-sanitize
	@scripts/run-tests build-sanitize --no-suite proof --no-suite lab --no-suite liar --no-suite repository --no-suite web \
	    --no-suite unsanitized

fuzz: ## run each fuzz target for FUZZ_SECONDS with libFuzzer
	@CC=clang scripts/configure build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false \
	    -Dprobe_static=false -Dc_args=-fsanitize=fuzzer-no-link
	@ninja -C build-fuzz -j $(JOBS) fuzzers
	@scripts/fuzz build-fuzz

coverage: ## run the tests and report which lines they reach
	@scripts/deps --check test
	@scripts/configure build-coverage -Dtests=enabled -Db_coverage=true
	@ninja -C build-coverage -j $(JOBS)
	@scripts/coverage build-coverage

dist: all ## a source archive of the last commit, with the script of pages in it: build/meson-dist
	@meson dist -C $(BUILD) --no-tests

deb: all ## Debian packages from that archive, built without a network: build/deb; TWICE=1 builds them twice and compares
	@scripts/deb $(BUILD) $(if $(TWICE),--twice)

clean: ## remove every build folder
	rm -rf -- $(BUILD) build-clang build-sanitize build-fuzz build-coverage .cache
