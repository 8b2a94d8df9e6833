# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `assay overhead` prints of one short run of this machine, judged again from its store."""
import json
import os
import shutil
import tempfile
import unittest
import warnings

import promised
import tap


ROW = ("path", "variant", "operation", "events", "reads", "temperature", "predecessor", "processes", "runs", "unit", "min", "q1",
       "median", "q3", "p99", "max", "levels")
ANALYSIS = ("calls", "processes", "seconds", "timer", "gauge", "cold", "sweeps", "machines", "peers", "advice")


class Output(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore")
        cls.folder = tempfile.mkdtemp(prefix="assay-overhead-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.store = os.path.join(cls.folder, "run.sqlite")
        cls.measured = tap.assay("overhead", "--budget", "8s", "--json", "--quiet", "--store", cls.store, timeout=200)

    def setUp(self):
        if self.measured.returncode == 3:
            self.skipTest("nothing can be measured here: " + self.measured.stderr.strip()[:200])
        self.assertIn(self.measured.returncode, (0, 1), self.measured.stderr)
        self.envelope = json.loads(self.measured.stdout)

    def again(self, *arguments, env=None):
        done = tap.assay("overhead", "--from", self.store, *arguments, env=env, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_rows_and_analysis_have_their_keys(self):
        self.assertTrue(self.envelope["results"])
        for row in self.envelope["results"]:
            self.assertEqual([key for key in ROW if key not in row], [], row)
            if row["runs"]:
                quantiles = [row[key] for key in ("min", "q1", "median", "q3", "p99", "max")]
                self.assertEqual(quantiles, sorted(quantiles), row)
                self.assertGreaterEqual(len(row["levels"]), 1, row)
                self.assertAlmostEqual(sum(level["share"] for level in row["levels"]), 1, places=6)
        analysis = self.envelope["analysis"]
        self.assertEqual([key for key in ANALYSIS if key not in analysis], [])
        self.assertGreater(analysis["calls"], analysis["processes"])
        self.assertEqual([finding["id"] for finding in self.envelope["findings"]], [f"W{i}" for i in range(1, 8)])

    def test_it_is_as_the_schema_promises(self):
        problems = promised.problems(promised.validator(), self.envelope)
        self.assertEqual(problems[:5], [])

    def test_a_stored_run_is_judged_alike(self):
        again = json.loads(self.again("--json"))
        self.assertEqual(again["results"], self.envelope["results"])
        for part in ("calls", "timer", "gauge", "cold", "sweeps", "machines", "peers", "advice"):
            self.assertEqual(again["analysis"][part], self.envelope["analysis"][part], part)
        self.assertEqual([finding["verdict"] for finding in again["findings"]],
                         [finding["verdict"] for finding in self.envelope["findings"]])

    def test_every_predecessor_of_a_warm_call_has_a_row(self):
        rows = [row for row in self.envelope["results"] if row["temperature"] == "warm" and row["reads"] == 1]
        reads = [row for row in rows if (row["path"], row["operation"]) == ("perf-syscall", "read") and row["events"] == 1]
        self.assertIn(True, {row["all_predecessors"] for row in reads})
        before = {row["predecessor"] for row in reads}
        for name in ("perf-syscall.read", "perf-read.read", "timer.nothing", "timer.gauge"):
            self.assertIn(name, before)

    def test_text_fits_a_terminal_and_names_every_part(self):
        for arguments in ((), ("--all",)):
            text = self.again(*arguments, env={"LC_ALL": "C.UTF-8"})
            timed = any(timer["unit"] == "ticks" for timer in self.envelope["analysis"]["timer"])
            for words in ("calls in", "Metering", "What a call costs, in ticks" if timed else "What a call executes",
                          "What the call before changes", "Findings of the paper on overhead", "seed "):
                self.assertIn(words, text)
            # A command to copy and a path stand as they are.
            wide = [line for line in text.splitlines() if len(line) > 80 and self.folder not in line]
            self.assertEqual(wide, [])

    def test_without_utf_8_everything_is_ascii(self):
        text = self.again(env={"LC_ALL": "C"})
        self.assertTrue(text.isascii(), [line for line in text.splitlines() if not line.isascii()])


if __name__ == "__main__":
    tap.main()
