# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""libassay's calipers on a machine with counters: the program tests/guest/calipers.c reports in TAP itself, and is run once."""
import os
import re

import tap
from laboratory import LabCase

PROGRAM = os.path.join(os.environ["ASSAY_BUILD"], "cross/aarch64/tests/guest/calipers")
COUNTERS, COMPILED, SHAPES = 6, 3, 5


class Calipers(LabCase):
    def lines(self, *settings):
        if not os.path.exists(PROGRAM):
            self.skipTest(f"{PROGRAM} was not built: scripts/kits builds it")
        done = self.assay("lab", "run", *settings, "--send", PROGRAM, "aarch64", "--", "./calipers")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[-1], r"^1\.\.[1-9]\d*$")
        return lines

    def test_regions_of_known_length_read_back_exactly(self):
        lines = self.lines()
        self.assertEqual([line for line in lines if line.startswith(("not ok", "Bail"))], [])
        for path in "perf-user", "perf-read":
            exact = [line for line in lines if re.match(rf"ok \d+ - {path}, counters: \d, .*\b0 wrong$", line)]
            self.assertEqual(len(exact), COUNTERS * COMPILED * SHAPES, path)
            whole = [line for line in exact if "0 to 1000000 instructions, 20 times each" in line]
            self.assertEqual(len(whole), 2 * 2, path)  # with one counter and six; alone, and with a region inside
        for words in ("a child of fork outside of regions", "a child of fork inside of a region counts",
                      "inside of a region, which it does not end", "two threads, each with calipers of its own: 0 and 0 wrong",
                      "regions of a handler cost", "regions of 100000,", "regions of 0,"):
            self.assertTrue([line for line in lines if line.startswith("ok ") and words in line], words)
        cost = next(line for line in lines if "an empty region by user reads" in line)
        print("#", cost)


if __name__ == "__main__":
    tap.main()
