# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `assay error` prints of one short run of this machine, judged again from its store."""
import json
import os
import shutil
import tempfile
import unittest

import tap

ROW = ("event", "path", "pattern", "counters", "opt", "link", "specimen", "n", "runs", "processes", "min", "q1", "median",
       "q3", "max", "stepped", "mode", "part", "truth", "first", "later", "others", "separate", "disturbed", "multiplexed",
       "unscheduled")
ANALYSIS = ("measurements", "cells", "seconds", "best", "table3", "anova", "slopes", "by_size", "ticks", "counters", "choices",
            "stepped", "placement", "multiplexing", "advice", "doctor")


class Output(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="assay-error-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.store = os.path.join(cls.folder, "run.sqlite")
        cls.measured = tap.assay("error", "--budget", "8s", "--json", "--quiet", "--store", cls.store, timeout=200)

    def setUp(self):
        if self.measured.returncode == 3:
            self.skipTest("nothing can be measured here: " + self.measured.stderr.strip()[:200])
        self.assertIn(self.measured.returncode, (0, 1), self.measured.stderr)
        self.envelope = json.loads(self.measured.stdout)

    def again(self, *arguments, env=None):
        done = tap.assay("error", "--from", self.store, *arguments, env=env, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_rows_and_analysis_have_their_keys(self):
        self.assertTrue(self.envelope["results"])
        for row in self.envelope["results"]:
            self.assertFalse([key for key in ROW if key not in row], row)
            self.assertLessEqual(row["min"], row["q1"])
            self.assertLessEqual(row["q1"], row["median"])
            self.assertLessEqual(row["median"], row["q3"])
            self.assertLessEqual(row["q3"], row["max"])
            if row["part"] == "stepped":
                self.assertIsNotNone(row["stepped"], row)
        analysis = self.envelope["analysis"]
        self.assertFalse([key for key in ANALYSIS if key not in analysis])
        self.assertEqual(analysis["measurements"], sum(row["runs"] for row in self.envelope["results"]))
        self.assertEqual([finding["id"] for finding in self.envelope["findings"]], [f"Z{i}" for i in range(1, 11)])

    def test_a_stored_run_is_judged_alike(self):
        again = json.loads(self.again("--json"))
        self.assertEqual(again["results"], self.envelope["results"])
        self.assertEqual(again["analysis"]["best"], self.envelope["analysis"]["best"])
        self.assertEqual([finding["verdict"] for finding in again["findings"]],
                         [finding["verdict"] for finding in self.envelope["findings"]])

    def test_text_fits_a_terminal_and_names_every_part(self):
        for arguments in ((), ("--all",)):
            text = self.again(*arguments, env={"LC_ALL": "C.UTF-8"})
            for words in ("What to do", "Table 3", "Null error of", "Which factors matter", "What each further counter adds",
                          "What each iteration of a loop adds", "The same loop at other places", "Whole commands under perf stat",
                          "Findings of the paper on accuracy", "seed "):
                self.assertIn(words, text)
            # A command to copy and a path stand as they are.
            wide = [line for line in text.splitlines() if len(line) > 80 and "fix: " not in line and self.folder not in line]
            self.assertEqual(wide, [])

    def test_without_utf_8_everything_is_ascii(self):
        text = self.again(env={"LC_ALL": "C"})
        self.assertTrue(text.isascii(), [line for line in text.splitlines() if not line.isascii()])


if __name__ == "__main__":
    tap.main()
