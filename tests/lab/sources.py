# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources on another ISA: step counts the truth there, exclusive loads and stores included, and what cannot be is said why."""
import os
import re

import tap
from laboratory import VIA, LabCase

GUESTS = os.path.join(os.environ["ASSAY_BUILD"], "cross/aarch64/tests/guest")


class Sources(LabCase):
    def test_step_counts_the_truth_of_specimens(self):
        rows = self.measure("--event", "step/instructions/,step/syscalls/", "--specimen", "null,loop,getppid,adds", "--n", "1,100",
                            "--runs", "2")["results"]
        self.assertEqual({(row["path"], row["specimen"], row["n"]) for row in rows},
                         {("bare", specimen, n) for specimen in ("null", "loop", "getppid", "adds") for n in (1, 100)})
        for row in rows:
            if row["truth"] is not None or row["specimen"] != "getppid":  # whose instructions the compiler chose
                self.assertEqual(set(row["values"]), {row["truth"]}, row)
            self.assertEqual(row["overhead"], 0, row)

    def cases_of(self, name):
        """Runs a guest program there; the lines of its cases, none of which failed."""
        program = os.path.join(GUESTS, name)
        if not os.path.exists(program):
            self.skipTest(f"{program} was not built: scripts/kits builds it")
        done = self.assay("lab", "run", "--send", program, "aarch64", "--", "./" + name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        cases = [line for line in done.stdout.splitlines() if re.match(r"(not )?ok \d", line)]
        self.assertEqual([line for line in cases if line.startswith("not ok")], [])
        self.assertIn(f"1..{len(cases)}", done.stdout.splitlines())
        return cases

    def test_exclusive_sequences_are_run_past_and_counted(self):
        cases = self.cases_of("stepping")
        self.assertTrue(any("exclusive_loop is counted" in line for line in cases), cases)

    def test_whole_programs_are_followed(self):
        cases = self.cases_of("following")
        for piece in ("exclusive sequences", "a thread", "a fork", "a signal's handler", "an exec"):
            self.assertTrue(any(f"{piece} is counted" in line for line in cases), cases)

    def test_trap_is_absent_with_the_reason(self):
        done = self.assay("measure", "--event", "trap/instructions/", via=VIA)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("no trap flag", done.stderr)


if __name__ == "__main__":
    tap.main()
