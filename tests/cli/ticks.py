# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where reading the CPU's counter of time is forbidden (PR_SET_TSC): what works without it works, the rest says why, and nobody
is killed."""
import json
import subprocess
import unittest

import forbidden
import tap
from forbidden import DENY
from tap import assay

FORBIDDEN = "is forbidden here"


def denied(*arguments, **options):
    """assay, whose probe may not read ticks."""
    return assay(*arguments, via=f"exec:{DENY}", **options)


def facts(done):
    return json.loads(done.stdout)["analysis"]["facts"]


@unittest.skipIf(forbidden.why_not(), forbidden.why_not())
class Probe(unittest.TestCase):
    def test_the_doctor_names_it_with_what_to_do(self):
        done = denied("doctor", "--json", "clocksource")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(facts(done)["clock.ticks"], "forbidden")
        result = json.loads(done.stdout)["results"][0]
        self.assertEqual(result["status"], "bad")
        self.assertIn("SIGSEGV", result["why"])
        self.assertIn("PR_SET_TSC", result["fix"])

    def test_counts_of_the_operating_system_stay_exact(self):
        done = denied("measure", "--json", "-e", "page-faults", "--specimen", "pages", "-n", "100", "--runs", "5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads(done.stdout)["results"][0]
        self.assertEqual(sorted(result["values"])[2], 100)

    def test_stepping_works(self):
        done = denied("measure", "--json", "-e", "step/instructions/", "--runs", "2")
        if "cannot be counted" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_whoever_needs_ticks_says_why_not(self):
        for arguments in (["measure", "-e", "clock/ticks/"], ["overhead", "--meter", "clock/ticks/"]):
            done = denied(*arguments)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(FORBIDDEN, done.stderr)
        done = denied("caches")
        self.assertEqual(done.returncode, 3)
        self.assertIn("forbidden", done.stdout)

    def test_a_source_that_runs_other_programs_says_why_not(self):
        done = denied("measure", "-e", "valgrind/instructions/")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, FORBIDDEN + "|no valgrind|kit has no")

    def test_everything_left_out_of_a_study_has_that_reason(self):
        done = denied("overhead", "--json", "--budget", "1s")
        self.assertEqual(done.returncode, 3, done.stderr)
        reasons = [skipped["reason"] for skipped in json.loads(done.stdout)["skipped"]]
        self.assertTrue(any(FORBIDDEN in reason for reason in reasons), reasons)
        self.assertFalse([reason for reason in reasons if "signal" in reason], reasons)


@unittest.skipIf(forbidden.why_not(), forbidden.why_not())
class Controller(unittest.TestCase):
    """Forbidden to assay itself."""

    def test_it_lives_and_its_probe_sees_the_machine_as_it_was(self):
        done = assay("doctor", "--json", "clocksource", **forbidden.to_assay())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(facts(done)["clock.ticks"], "forbidden")

    def test_it_stores_what_was_counted(self):
        done = assay("measure", "--json", "-e", "page-faults", "--runs", "2", **forbidden.to_assay())
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_wish_in_the_environment_does_the_same(self):
        done = assay("doctor", "--json", "clocksource", env={"ASSAY_TICKS": "forbidden"})
        self.assertEqual(facts(done)["clock.ticks"], "forbidden")
        done = assay("doctor", "--json", "clocksource", env={"ASSAY_TICKS": ""})
        self.assertEqual(facts(done)["clock.ticks"], "allowed")

    def test_a_dynamic_program_in_between_dies_of_it_and_the_message_says_so(self):
        done = assay("doctor", "clocksource", via="exec:env", env={"ASSAY_TICKS": "forbidden"})
        if done.returncode == 0:
            self.skipTest("env is no program that reads ticks as it starts")
        self.assertEqual(done.returncode, 1)
        self.assertIn("PR_SET_TSC", done.stderr)

    def test_the_helper_itself_denies(self):
        done = subprocess.run([DENY, DENY], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        dead = subprocess.run([DENY, "/bin/true"], check=False)
        if dead.returncode == 0:
            self.skipTest("/bin/true reads no ticks as it starts")
        self.assertEqual(dead.returncode, -11)


if __name__ == "__main__":
    tap.main()
