# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches of clocks, asked for in the probe's own protocol: which harness takes them, what comes back, and what is refused."""
import os
import subprocess
import unittest

import frames
import tap
from processes import PATIENCE

NO_WATCH = dict(workload="", length=0, threads=1, moves=0, handover=0, awake=0, partner=-1)


class Watches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.probe = frames.Probe(tap.KIT)
        cls.catalogue = cls.probe.hello()
        cls.addClassCleanup(cls.probe.__exit__)

    def watch(self, kind, clocks, runs=6, **factors):
        """One visit, and the frames that came meanwhile."""
        asked = dict(NO_WATCH, **factors)
        others = {key: asked.pop(key) for key in ("link", "cpu", "opt") if key in asked}
        self.probe.cell(0, clocks, path="watch", pattern="rr", n=0, runs=runs, watch=kind, **asked, **others)
        self.probe.send("visits", list="0:0")
        self.probe.send("go")
        visit, self.meanwhile = frames.Visit(), self.probe.until("idle", "error")
        for frame in self.meanwhile:
            self.assertNotEqual(frame.type, "error", frame)
            if frame.type == "samples":
                visit.take(frame)
            elif frame.type == "end":
                visit.end = frame
        return visit

    def watched(self, kind, clocks, **factors):
        visit = self.watch(kind, clocks, **factors)
        self.assertTrue(visit.done, visit.end)
        return visit

    def refused(self, words, kind, clocks, **factors):
        visit = self.watch(kind, clocks, **factors)
        self.assertFalse(visit.done)
        self.assertIn(words, visit.end["reason"])
        self.assertNotEqual(visit.end["error"], "0")
        self.assertEqual(visit.values, [])

    def test_an_interval_comes_back_look_by_look(self):
        visit = self.watched("interval", ["thread-cputime", "monotonic-syscall"], runs=18, workload="sleep", length=5000)
        self.assertEqual(len(visit.values), 18)
        for first in range(0, 18, 6):
            wall = [row[1] for row in visit.values[first:first + 6]]
            self.assertEqual(wall, sorted(wall))
            self.assertGreaterEqual(wall[3] - wall[2], 5000000)

    def test_every_clock_that_is_offered_can_be_watched(self):
        offered = [frame["name"] for frame in self.catalogue if frame.type == "clock"]
        self.assertIn("monotonic-syscall", offered)
        for link in ("static", "lazy"):
            self.assertEqual(len(self.watched("interval", offered[:32], workload="spin", length=100, link=link).values), 6)

    def test_long_visits_keep_the_controller_waiting_but_not_in_silence(self):
        visit = self.watched("interval", ["monotonic-syscall"], runs=120, workload="sleep", length=160000)
        self.assertEqual(len(visit.values), 120)
        self.assertIn("alive", [frame.type for frame in self.meanwhile])

    def test_steps_and_rows_come_back(self):
        steps = self.watched("steps", ["monotonic-coarse", "monotonic-syscall"], runs=3, length=1000000)
        self.assertEqual(len(set(steps.counts)), 3)
        row = self.watched("row", ["monotonic-syscall"] * 4 + ["boottime"] * 2, runs=5, length=100)
        for first, last, backward, worst, before, after in row.values:
            self.assertLess(first, last)
            self.assertEqual((backward, worst), (0, 0))
            self.assertLess(before, after)

    def test_a_clock_that_nobody_offers_is_refused_by_name(self):
        self.refused("this kit has no clock sundial", "interval", ["sundial"], workload="sleep", length=1)
        for frame in self.catalogue:
            if frame.type == "absent" and frame["kind"] == "clock":
                self.refused(frame["reason"], "interval", [frame["name"]], workload="sleep", length=1)

    def test_events_of_perf_are_no_clocks(self):
        self.refused("this kit has no clock page-faults", "interval", ["page-faults"], workload="sleep", length=1)

    def test_shared_objects_take_the_lazy_harness(self):
        name = f"mine=object:{os.environ['LYING_CLOCKS']}:nothing_of_that_name"
        self.refused("watch it with link mode lazy", "interval", [name], workload="sleep", length=1)
        self.refused("the clock mine=object:", "interval", [name], workload="sleep", length=1, link="lazy")
        visit = self.watched("interval", [f"mine=object:{os.environ['LYING_CLOCKS']}:honest", "boottime"], workload="sleep", length=1000,
                             link="lazy")
        self.assertLess(visit.counts[2], visit.counts[3])

    def test_commands_are_clocks_of_either_harness(self):
        for link in ("static", "lazy"):
            visit = self.watched("interval", ["mine=run:printf 42", "boottime"], workload="sleep", length=1, link=link)
            self.assertEqual(set(visit.counts), {42})

    def test_there_is_no_harness_for_other_links_and_levels(self):
        self.refused("no harness that watches clocks with link mode bind-now", "interval", ["boottime"], workload="sleep", link="bind-now")
        self.refused("compiled at -O2, not -O0", "interval", ["boottime"], workload="sleep", opt="O0")

    def test_what_the_harness_cannot_do_is_its_sentence(self):
        self.refused("no workload dance", "interval", ["boottime"], workload="dance")
        self.refused("cannot pin to CPU 8000", "interval", ["boottime"], workload="sleep", cpu=8000)
        self.refused("one thread hands an interval over", "interval", ["boottime"], runs=12, workload="sleep", handover=1, threads=2)

    def test_a_harness_without_a_job_says_how_it_is_started(self):
        done = subprocess.run([os.path.join(tap.KIT, "harness-watch-static")], capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("started by assay-probe", done.stderr)


if __name__ == "__main__":
    tap.main()
