# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stepped error against a counter: on an empty window `step` must count what the emulated PMU counts, in every cell that
both can do, in the first run of a process and in later ones, but for one edge that is the same everywhere."""
import collections
import os

import tap
from laboratory import LabCase

FEW = "perf-read,perf-syscall,perf-prctl,perf-user"  # whose code differs
ALL = FEW + ",perf-user-touched,perf-user-cold"
PATTERNS = {FEW: 3 * 4 + 3, ALL: 3 * 4 + 3 * 3}  # the perf-user paths have no start-stop
# Boots and visits are dear: the extremes, unless all are asked for (three minutes).
LEVELS, LINKS = ("O0,O1,O2,O3", "static,lazy,bind-now") if os.environ.get("ASSAY_TEST_EVERY_CELL") else ("O0,O2", "static,lazy")
EDGE = 0  # what QEMU's PMU counts beyond the window: it takes a call's own instruction for the last before the counter changes


def cell(row):
    return tuple(row[key] for key in ("path", "pattern", "opt", "link", "counters"))


class Stepped(LabCase):
    def counted(self, event, paths, *arguments):
        """Cell -> first count, and those that follow."""
        rows = self.measure("--event", event, "--path", paths, "--pattern", "all", "--specimen", "null", "--no-overhead", *arguments)
        return {cell(row): (row["values"][0], set(row["values"][1:])) for row in rows["results"]}

    def compare(self, paths, variants, *arguments):
        stepped = self.counted("step/instructions/", paths, "--runs", "2", *arguments)
        measured = self.counted("instructions:u", paths, "--runs", "3", *arguments)
        self.assertEqual(stepped.keys(), measured.keys())
        self.assertEqual(len(stepped), PATTERNS[paths] * variants)
        edges = collections.Counter()
        for key, (first, later) in stepped.items():
            self.assertEqual(len(later), 1, key)
            edges[measured[key][0] - first] += 1
            edges.update(count - min(later) for count in measured[key][1])
        self.assertEqual(set(edges), {EDGE}, {key: (stepped[key], measured[key]) for key in stepped if stepped[key] != measured[key]})
        self.assertGreater(len({first for first, _ in stepped.values()}), 10)  # and they are not all one number

    def test_at_levels_and_links(self):
        self.compare(ALL, len(LEVELS.split(",")) * len(LINKS.split(",")), "--opt", LEVELS, "--link", LINKS)

    def test_with_several_counters_in_a_group(self):
        self.compare(FEW, 1, "--counters", "6")

    def test_with_several_counters_of_their_own(self):
        self.compare(FEW, 1, "--counters", "3", "--separate")


if __name__ == "__main__":
    tap.main()
