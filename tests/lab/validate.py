# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's counter of instructions is exact, and assay validate says so; what it cannot count is unsupported."""
import json

import tap
from laboratory import VIA, LabCase

ABSENT = ("branches:u", "L1-dcache-loads:u", "cache-misses:u")


class Validated(LabCase):
    def test_instructions_are_exact_on_every_specimen(self):
        done = self.assay("validate", "instructions:u", *ABSENT, "--budget", "30s", "--runs", "4", "--json", "--quiet", "--store",
                          self.path("run.sqlite"), via=VIA)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        events = {event["event"]: event for event in report["analysis"]["events"]}
        instructions = events["instructions:u"]
        self.assertEqual((instructions["verdict"], instructions["cause"]), ("exact", "interface-overhead"), instructions)
        self.assertGreater(instructions["overhead"], 0)
        for event in ABSENT:
            self.assertEqual(events[event]["verdict"], "unsupported", event)
            self.assertTrue(events[event]["errno"], event)
        rows = [row for row in report["results"] if row["event"] == "instructions:u" and row["truth_grade"] == "proven"]
        measured = {row["specimen"] for row in rows if any(point["runs"] for point in row["points"])}
        self.assertGreater(len(measured), 10)
        wrong = [(row["specimen"], row["path"], row["verdict"], row["note"]) for row in rows
                 if row["specimen"] in measured and row["verdict"] not in ("exact", "unjudged")]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    tap.main()
