# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources on another ISA: step counts the truth there, exclusive loads and stores included, and what cannot be is said why."""
import os
import re

import tap
from laboratory import LabCase

GUESTS = os.path.join(os.environ["ASSAY_BUILD"], "cross/aarch64/tests/guest")


class Sources(LabCase):
    def test_step_counts_the_truth_of_specimens_and_trap_is_absent_with_the_reason(self):
        specimens, events = ("null", "loop", "getppid", "adds"), ("step/instructions/", "step/syscalls/")
        report = self.measure("--event", ",".join(events) + ",trap/instructions/", "--each", "--specimen", ",".join(specimens), "--n", "1,10",
                              "--runs", "2", "--no-overhead")
        rows = report["results"]
        self.assertEqual({(row["event"], row["path"], row["pattern"], row["specimen"], row["n"]) for row in rows},
                         {(event, "bare", "rr", specimen, n) for event in events for specimen in specimens for n in (1, 10)})
        for row in rows:
            if row["truth"] is not None or row["specimen"] != "getppid":  # whose instructions the compiler chose
                self.assertEqual(set(row["values"]), {row["truth"]}, row)
        self.assertIn("no trap flag", str(report["skipped"]))

    def test_exclusive_sequences_are_run_past_and_whole_programs_are_followed(self):
        programs = [os.path.join(GUESTS, name) for name in ("stepping", "following")]
        for program in programs:
            if not os.path.exists(program):
                self.skipTest(f"{program} was not built: scripts/kits builds it")
        done = self.assay("lab", "run", *(word for program in programs for word in ("--send", program)), "aarch64", "--",
                          "sh", "-c", "./stepping && ./following")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        cases = [line for line in done.stdout.splitlines() if re.match(r"(not )?ok \d", line)]
        self.assertEqual([line for line in cases if line.startswith("not ok")], [])
        plans = [int(line[3:]) for line in done.stdout.splitlines() if line.startswith("1..")]
        self.assertEqual((len(plans), sum(plans)), (2, len(cases)), done.stdout)
        for piece in ("exclusive_loop", "exclusive sequences", "a thread", "a fork", "a signal's handler", "an exec"):
            self.assertTrue(any(f"{piece} is counted" in line for line in cases), cases)


if __name__ == "__main__":
    tap.main()
