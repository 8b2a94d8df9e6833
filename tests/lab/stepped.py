# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stepped error against a counter: on an empty window `step` must count what the emulated PMU counts, in every cell that
both can do, in the first run of a process and in later ones, but for one edge that is the same everywhere."""
import os

import tap
from laboratory import LabCase

EVENTS = "step/instructions/", "instructions:u"
FEW = "perf-read,perf-syscall,perf-prctl,perf-user"  # whose code differs
ALL = FEW + ",perf-user-touched,perf-user-cold"
PATTERNS = {FEW: 3 * 4 + 3, ALL: 3 * 4 + 3 * 3}  # the perf-user paths have no start-stop
# Boots and visits are dear: the extremes, unless all are asked for (three minutes).
LEVELS, LINKS = ("O0,O1,O2,O3", "static,lazy,bind-now") if os.environ.get("ASSAY_TEST_EVERY_CELL") else ("O0,O2", "static,lazy")
EDGE = 0  # what QEMU's PMU counts beyond the window: it takes a call's own instruction for the last before the counter changes


def cell(row):
    return tuple(row[key] for key in ("path", "pattern", "opt", "link", "counters"))


class Stepped(LabCase):
    def counted(self, paths, *arguments):
        """Of each event, cell -> first count, and the one that follows; both from one boot."""
        rows = self.measure("--event", ",".join(EVENTS), "--each", "--path", paths, "--pattern", "all", "--specimen", "null",
                            "--no-overhead", "--runs", "2", *arguments)["results"]
        return [{cell(row): tuple(row["values"]) for row in rows if row["event"] == event} for event in EVENTS]

    def compare(self, paths, variants, *arguments):
        stepped, measured = self.counted(paths, *arguments)
        self.assertEqual(stepped.keys(), measured.keys())
        self.assertEqual(len(stepped), PATTERNS[paths] * variants)
        edges = {measured[key][run] - stepped[key][run] for key in stepped for run in (0, 1)}
        self.assertEqual(edges, {EDGE}, {key: (stepped[key], measured[key]) for key in stepped if stepped[key] != measured[key]})
        self.assertGreater(len({first for first, _ in stepped.values()}), 10)  # and they are not all one number

    def test_at_levels_and_links(self):
        self.compare(ALL, len(LEVELS.split(",")) * len(LINKS.split(",")), "--opt", LEVELS, "--link", LINKS)

    def test_with_several_counters_in_a_group(self):
        self.compare(FEW, 1, "--counters", "6")

    def test_with_several_counters_of_their_own(self):
        self.compare(FEW, 1, "--counters", "3", "--separate")


if __name__ == "__main__":
    tap.main()
