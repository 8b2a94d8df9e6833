# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Error bars of ticks on this machine: how often they hold a truth that was bracketed beside the library."""
import os
import re
import subprocess
import unittest

import tap

PROGRAM = os.environ["TICK_COVERAGE"]
ATTEMPTS = 12  # what else runs on the machine, and on its host, can only spoil one


def figures(seed):
    ran = subprocess.run([PROGRAM, "10000", str(seed)], capture_output=True, text=True, timeout=240, check=False)
    if ran.returncode == 77:
        raise unittest.SkipTest(ran.stdout.strip())
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = {name: float(value) for name, value in re.findall(r"([a-z0-9/-]+)=([\d.]+)", ran.stdout)}
    print("#", ran.stdout.strip())
    return found


class Coverage(unittest.TestCase):
    def test_bars_hold_the_truth_and_are_not_wide(self):
        for seed in range(1, ATTEMPTS + 1):
            found = figures(seed)
            self.assertEqual(found["trials"], 10000)
            if found["covered"] >= 93 and found["median/2iqr"] <= 1.5:
                return
        self.fail(f"in none of {ATTEMPTS} attempts did 93 of 100 bars hold the truth")


if __name__ == "__main__":
    tap.main()
