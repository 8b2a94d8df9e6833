# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks that are commands, read by a harness for a visit: what they said arrives, and nothing of them is left."""
import os
import unittest

import frames
import tap
from processes import eventually

LOOKS = 6  # of an interval
WATCH = dict(path="watch", pattern="rr", n=0, runs=LOOKS, watch="interval", workload="sleep", length=1000, threads=1, moves=0,
             handover=0, awake=0, partner=-1)


def gone(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"  # nobody may be there who reaps it
    except FileNotFoundError:
        return True


class Commands(unittest.TestCase):
    def setUp(self):
        self.probe = frames.Probe(tap.KIT)
        self.addCleanup(self.probe.__exit__)
        self.assertEqual(self.probe.hello()[-1].type, "ready", self.probe.catalogue[-1])

    def visit(self, *clocks):
        visit, = self.probe.run([dict(WATCH, events=list(clocks))])
        return visit

    def readings(self, clock):
        visit = self.visit(clock)
        self.assertEqual(visit.end["state"], "done", visit.end)
        return visit.counts

    def assert_leaves(self, process):
        self.assertTrue(eventually(lambda: gone(process)), f"process {process} is still there")

    def test_every_look_asks_once(self):
        counts = self.readings("mine=ask:sh -c 'n=0; while read line; do n=$((n+1)); echo $n; done'")
        self.assertEqual(counts, list(range(counts[0], counts[0] + LOOKS)))

    def test_every_look_runs_once(self):
        counts = self.readings("mine=run:sh -c 'echo $$'")
        self.assertEqual(len(set(counts)), LOOKS, counts)

    def test_a_command_and_what_it_started_end_with_the_visit(self):
        self.assert_leaves(self.readings("mine=ask:sh -c 'while read line; do echo $$; done'")[0])
        self.assert_leaves(self.readings("mine=ask:sh -c 'sleep 999 & while read line; do echo $!; done'")[0])
        self.assert_leaves(self.readings("mine=run:sh -c 'sleep 999 >/dev/null & echo $!'")[0])

    def test_a_command_that_fails_in_the_middle_fails_the_visit_in_its_own_words(self):
        visit = self.visit("monotonic-syscall", "mine=ask:sh -c 'for n in 1 2 3 4; do read line; echo $n; done; exit 9'")
        self.assertEqual(visit.end["state"], "failed", visit.end)
        self.assertIn("mine", visit.end["reason"])
        self.assertIn("exit status 9", visit.end["reason"])
        visit = self.visit("mine=ask:/no/such/clock")
        self.assertEqual(visit.end["state"], "failed", visit.end)
        self.assertIn("/no/such/clock", visit.end["reason"])

    def test_a_lost_controller_leaves_no_command(self):
        self.probe.cell(1, ["mine=ask:sh -c 'echo $$ >&2; while read line; do echo 1; done; sleep 999'"], **dict(WATCH, length=60000000))
        self.probe.send("visits", list="1:0")
        self.probe.send("go")
        said = self.probe.until("output")[-1]["bytes"]
        self.assertTrue(os.path.exists(f"/proc/{int(said)}"))
        self.probe.process.stdin.close()
        self.assert_leaves(int(said))


if __name__ == "__main__":
    tap.main()
