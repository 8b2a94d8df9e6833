# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay stat where there is a PMU: instructions of programs whose length is known are exact once corrected; and
what a command writes comes through the lab."""
import json

import tap
from laboratory import VIA, LabCase


class Stat(LabCase):
    def stat(self, *arguments):
        done = self.assay("stat", "--via", VIA, "--json", "-o", self.path("report"), *arguments)
        with open(self.path("report"), encoding="utf-8") as report:
            return done, json.load(report)

    def test_instructions_are_exact_and_output_comes_through(self):
        done, report = self.stat("-r", "3", "-e", "instructions:u,page-faults,cycles", "--controlled", "--", "subject:loop", "1000")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["event"]: row for row in report["results"]}
        row = rows["instructions:u"]
        truth, own = self.truth("loop", 1000)
        self.assertEqual((row["corrected"], row["uncertainty"], row["overhead"]), (truth, 0, 0), (row, own))
        self.assertEqual(rows["page-faults"]["corrected"], 0)
        self.assertEqual((rows["cycles"]["overhead"], rows["cycles"]["state"]), (None, "counted"))
        self.assertGreater(rows["cycles"]["count"], 0)

    def truth(self, name, n):
        """What the subject says of itself: the sum that the source `step` confirms elsewhere."""
        export = self.assay("truth", "--via", VIA, "--json", "--source", "step", "--", f"subject:{name}", str(n))
        self.assertEqual(export.returncode, 0, export.stderr)
        row = json.loads(export.stdout)["results"][0]
        return row["classes"]["instructions"], row

    def test_what_it_writes_is_passed_on_and_its_status(self):
        done, report = self.stat("--", "sh", "-c", "echo from the lab; exit 6")
        self.assertEqual((done.returncode, done.stdout), (6, "from the lab\n"), done.stderr)
        counted = {row["event"] for row in report["results"] if row["state"] in ("counted", "multiplexed")}
        self.assertLessEqual({"task-clock", "page-faults", "cycles", "instructions"}, counted)

    def test_more_events_than_counters_are_extrapolated_with_a_bar_that_holds_the_truth(self):
        events = ["instructions:u", "cycles:u", "branch-misses:u", *(f"r{code:x}:u" for code in (0x08, 0x11, 0x1b, 0x12, 0x16, 0x04, 0x03, 0x01))]
        done, report = self.stat("-e", ",".join(events), "--controlled", "--", "subject:loop", "50000000")
        self.assertEqual(done.returncode, 0, done.stderr)
        shared = [row for row in report["results"] if row["state"] == "multiplexed"]
        self.assertTrue(shared, report["results"])
        row = report["results"][0]
        if row["state"] == "multiplexed":
            self.assertLess(row["share"], 1)
            self.assertGreater(row["parts"]["sharing"], 0)
            self.assertLessEqual(abs(row["corrected"] - 2 * 50000000), row["uncertainty"] + 100, row)


if __name__ == "__main__":
    tap.main()
