# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks of a machine of the lab, whose time a program makes: only the clock of the machine that asks can tell."""
import json
import sqlite3

import tap
from laboratory import VIA, LabCase


class Watched(LabCase):
    def test_the_clock_outside_tells_that_time_runs_at_another_rate(self):
        store = self.path("run.sqlite")
        done = self.assay("clocks", "--quick", "--clock", "cntvct,monotonic", "--workload", "sleep", "--budget", "120s",
                          "--quiet", "--json", "--store", store, via=VIA)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertTrue(result["machine"]["emulated"])
        self.assertEqual(result["analysis"]["reference"]["outside"], "outside")
        clocks = {clock["clock"]: clock for clock in result["analysis"]["clocks"]}
        for name in ("cntvct", "monotonic"):
            self.assertEqual(clocks[name]["trust"], "not dependable", clocks[name])
            self.assertEqual(clocks[name]["fault"], "wrong-rate", clocks[name])
            self.assertIn("made by a program", clocks[name]["why"])
        # Nothing that such a machine shows decides a claim about CPUs.
        self.assertEqual({finding["verdict"] for finding in result["findings"]}, {"not testable here"})
        self.assert_bursts_are_whole(store)
        self.assert_judged_again(store, result)

    def assert_bursts_are_whole(self, store):
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            visits = database.execute("SELECT state, samples FROM visit JOIN watch USING (cell) WHERE kind = 'outside' ORDER BY visit.id").fetchall()
            asked = [value for value, in database.execute("SELECT value FROM look WHERE kind = 'outside' AND part = 'asked' ORDER BY process, run")]
        # At the beginning, between and at the end.
        self.assertGreaterEqual(len(visits), 3)
        self.assertEqual({state for state, _ in visits}, {"done"})
        self.assertEqual(len({samples for _, samples in visits}), 1)
        self.assertEqual([int(value) for value in asked], sorted(int(value) for value in asked))

    def assert_judged_again(self, store, result):
        done = self.assay("clocks", "--from", store, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["results"], result["results"])
        # The machine ended with the run, and its clocks with it.
        done = self.assay("clocks", "--resume", "--store", store, "--quiet", via=VIA)
        self.assertIn(done.returncode, (0, 2), done.stderr)
        if done.returncode:
            self.assertIn("booted", done.stderr)


if __name__ == "__main__":
    tap.main()
