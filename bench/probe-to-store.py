#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast samples go from a harness through the probe and the wire into a store, and how much
memory the controller needs for it: bench/probe-to-store.py ASSAY

Runs real `assay measure` commands of two lengths in turn. The rate is taken from the difference, so
that starting up does not count; memory is flat when the long run peaks where the short one does. The
time includes the measured windows themselves (two system calls each) and judging the cells at the
end.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

SHORT, LONG = 4, 24  # cells of RUNS runs
RUNS = 100000
REPEATS = 3


def peak_kib(pid):
    """The most memory the process had resident so far; None once it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return None


def measure(assay, cells):
    """One run; returns (seconds, peak KiB of the controller)."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        started = time.monotonic()
        child = subprocess.Popen([assay, "measure", "--event", "page-faults", "--path", "perf-syscall", "--pattern", "rr",
                                  "--specimen", "loop", "--no-overhead", "--runs", str(RUNS),
                                  "--n", ",".join(str(n) for n in range(1, cells + 1)), "--quiet",
                                  "--store", os.path.join(folder, "bench.sqlite")],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        peak = 0
        while child.poll() is None:
            peak = max(peak, peak_kib(child.pid) or 0)
            time.sleep(0.01)
        seconds = time.monotonic() - started
    if child.returncode != 0:
        sys.exit(child.returncode)
    return seconds, peak


def main():
    assay = sys.argv[1]
    measure(assay, 1)  # warm the files
    pairs = [(measure(assay, SHORT), measure(assay, LONG)) for _ in range(REPEATS)]
    rate = statistics.median((LONG - SHORT) * RUNS / (long[0] - short[0]) for short, long in pairs)
    short_peak = statistics.median(short[1] for short, _ in pairs)
    long_peak = statistics.median(long[1] for _, long in pairs)
    print(f"probe to store: {rate:.0f} samples/s; controller's peak memory {short_peak:.0f} KiB for "
          f"{SHORT * RUNS} samples, {long_peak:.0f} KiB for {LONG * RUNS} (ratio {long_peak / short_peak:.2f})")


if __name__ == "__main__":
    main()
