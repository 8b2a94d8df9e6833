# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Error bars of ticks and time on this machine: how often they hold a truth that was bracketed beside the library."""
import os
import re
import subprocess
import unittest

import tap

PROGRAM = os.environ["TICK_COVERAGE"]
TRIALS = 1000
ATTEMPTS = 12  # what else runs on the machine, and on its host, can only spoil some
KINDS = {"empty", "readings", "clock-reads", "loop", "system-call", "page-fault", "mispredictions", "misses", "walk", "open",
         "floating-point", "function-call", "nested"}
# Their ends are late in every region alike: by how much such regions differ says nothing of what the bar has to hold.
LATE = {"walk", "open"}


def rows(seed):
    ran = subprocess.run([PROGRAM, str(TRIALS), str(seed)], capture_output=True, text=True, timeout=240, check=False)
    if ran.returncode == 77:
        raise unittest.SkipTest(ran.stdout.strip())
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = {}
    for line in ran.stdout.splitlines():
        way, kind, measure = line.split()[:3]
        found[way, kind, measure] = {name: float(value) for name, value in re.findall(r"([a-z0-9/-]+)=([\d.]+)", line)}
    return found


class Coverage(unittest.TestCase):
    def test_bars_hold_the_truth_of_every_kind_of_region_and_are_not_wide(self):
        missing = {}
        for seed in range(1, ATTEMPTS + 1):
            found = rows(seed)
            self.assertEqual({kind for _, kind, _ in found}, KINDS)
            if seed == 1:
                missing = dict(found)
            for row in list(missing):
                got = found[row]
                self.assertEqual(got["trials"], TRIALS, row)
                if got["held"] >= 93 and got["possible"] >= 93 and (row[1] in LATE or got["width/allowed"] <= 1):
                    del missing[row]
            if not missing:
                return
        self.fail(f"in none of {ATTEMPTS} attempts did 93 of 100 bars hold the truth for {missing}")


if __name__ == "__main__":
    tap.main()
