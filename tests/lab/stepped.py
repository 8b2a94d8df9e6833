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
# Visits are dear: the extremes, and linked lazily what calls libc, unless all are asked for (minutes).
EVERY = os.environ.get("ASSAY_TEST_EVERY_CELL")
LEVELS = "O0,O1,O2,O3" if EVERY else "O0,O2"
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
        # The perf-user paths have no start-stop.
        self.assertEqual(len(stepped), variants * sum(3 if path.startswith("perf-user") else 4 for path in paths.split(",")))
        edges = {measured[key][run] - stepped[key][run] for key in stepped for run in (0, 1)}
        self.assertEqual(edges, {EDGE}, {key: (stepped[key], measured[key]) for key in stepped if stepped[key] != measured[key]})
        return {first for first, _ in stepped.values()}

    def test_at_levels_and_with_several_counters_in_a_group(self):
        links = "static,lazy,bind-now" if EVERY else "static"
        numbers = self.compare(ALL if EVERY else FEW, 2 * len(LEVELS.split(",")) * len(links.split(",")), "--opt", LEVELS, "--link", links,
                               "--counters", "1,6")
        self.assertGreater(len(numbers), 10)  # they are not all one

    def test_linked_lazily_with_several_counters_of_their_own(self):
        self.compare(ALL if EVERY else "perf-read,perf-prctl,perf-user-cold", 1, "--link", "lazy", "--counters", "3", "--separate")


if __name__ == "__main__":
    tap.main()
