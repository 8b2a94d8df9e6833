# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay clocks on clocks that are known to lie (tests/clocks/lying-clocks.c): each is found out, and for what it does. One run
watches all of them around the same intervals, with an honest one beside them; another one clocks behind commands."""
import json
import os
import re
import shutil
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import tap
from tap import assay

OBJECT = os.environ.get("LYING_CLOCKS", "")
ANSWERING = os.environ.get("ANSWERING_CLOCK", "")
# What each function does, in the judge's words.
LIES = {
    "stops_during_sleep": "stops-during-sleep",
    "jumps_between_cpus": "jumps-between-cpus",
    "steps_backwards": "steps-backwards",
    "runs_fast": "wrong-rate",
    "coarse_steps": "coarse-steps",
    "wraps": "wraps",
}


def own(symbol):
    """The clock as --clock takes it: a second of it claims to be a milliard."""
    return f"{symbol.replace('_', '-')}@1000000000=object:{OBJECT}:{symbol}"


def clocks(*candidates, arguments=(), statuses=(0,)):
    """Judged clocks by name, and the whole envelope."""
    words = [word for candidate in candidates for word in ("--clock", candidate)]
    with tempfile.TemporaryDirectory() as folder:
        done = assay("clocks", "--quick", "--json", "--seed", "8", "--store", os.path.join(folder, "clocks.sqlite"), *arguments, *words,
                     timeout=300)
    if done.returncode not in statuses:
        raise AssertionError(f"exit {done.returncode}: {done.stderr}")
    envelope = json.loads(done.stdout)
    return {clock["clock"]: clock for clock in envelope["analysis"]["clocks"]}, envelope


def setUpModule():
    """A probe waits for more than 20 s for a clock that does not return: other clocks are watched meanwhile."""
    global stuck
    pool = ThreadPoolExecutor(1)
    # It may be all that there is time for.
    stuck = pool.submit(clocks, own("returns_no_more"), "monotonic-raw", arguments=["--workload", "sleep", "--budget", "2s"], statuses=(0, 3))
    unittest.addModuleCleanup(pool.shutdown)


class Stuck(unittest.TestCase):
    def test_one_that_does_not_return_is_given_up(self):
        _, envelope = stuck.result()
        self.assertTrue([row for row in envelope["skipped"] if "nothing was read for" in row["reason"]], envelope["skipped"])


class Liars(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.judged, cls.envelope = clocks(own("honest"), *map(own, LIES), "monotonic-raw", arguments=["--workload", "sleep,compute", "--budget", "9s"])

    def verdict(self, name):
        self.assertIn(name, self.judged, self.envelope["skipped"])
        clock = self.judged[name]
        return clock["trust"], clock["fault"], clock["why"]

    def caught(self, symbol):
        trust, fault, why = self.verdict(symbol.replace("_", "-"))
        self.assertEqual((trust, fault), ("not dependable", LIES[symbol]), why)
        self.assertTrue(why)

    def test_one_that_stops_during_sleep(self):
        self.caught("stops_during_sleep")

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two CPUs to jump between")
    def test_one_that_jumps_between_cpus(self):
        self.caught("jumps_between_cpus")

    def test_one_that_steps_backwards(self):
        self.caught("steps_backwards")
        self.assertFalse(self.judged["steps-backwards"]["monotonic"])

    def test_one_that_runs_fast(self):
        self.caught("runs_fast")
        clock = self.judged["runs-fast"]
        self.assertLess(clock["rate_low_ppm"], 200)
        self.assertGreater(clock["rate_high_ppm"], 200)

    def test_one_with_coarse_steps(self):
        self.caught("coarse_steps")
        self.assertEqual(self.judged["coarse-steps"]["step_ticks"] % 5e6, 0)

    def test_one_that_wraps(self):
        self.caught("wraps")

    def test_an_honest_one_is_not_accused(self):
        trust, fault, why = self.verdict("honest")
        self.assertIn(trust, ("dependable", "not falsifiable here"), why)
        self.assertIsNone(fault, why)
        self.assertEqual(self.judged["honest"]["faults"], [])


class Falsified(unittest.TestCase):
    """From outside all time of the machine is a third faster: the clocks that were looked at from there are falsified, and those that agree with
    them are wrong as well. Where the time is right, nobody is accused."""
    names = ("honest", "ticks", "asked", "monotonic", "monotonic-raw", "thread-cputime")

    def seen_from_outside(self, ppm):
        relay = os.path.join(os.path.dirname(__file__), os.pardir, "clocks", "another-time.py")
        return clocks(own("honest"), f"ticks=object:{OBJECT}:honest", f"asked@1000000000=ask:{ANSWERING}", "monotonic,monotonic-raw,thread-cputime",
                      arguments=["--workload", "sleep,compute", "--budget", "5s", "--via", f"exec:{sys.executable} {relay} {ppm}"])

    def test_what_agrees_with_a_falsified_clock_is_not_recommended(self):
        judged, envelope = self.seen_from_outside(333333)
        self.assertEqual({name: (judged[name]["trust"], judged[name]["fault"]) for name in self.names},
                         {name: ("not dependable", "wrong-rate") for name in self.names}, envelope["analysis"]["advice"])
        codes = {"honest": "agrees-with-wrong", "asked": "agrees-with-wrong", "thread-cputime": "agrees-with-wrong",
                 "ticks": "rate-taken-from-wrong", "monotonic": "runs-times"}
        self.assertEqual({name: judged[name]["why_code"] for name in codes}, codes)
        said = [clause for advice in envelope["analysis"]["advice"] for clause in advice["text_data"]]
        self.assertEqual([clause["against"] for clause in said if clause["code"] == "falsified"], ["outside"], said)
        self.assertTrue({"wrong-together", "none-trusted"} <= {clause["code"] for clause in said}, said)
        self.assertFalse([clause for clause in said if "clock" in clause and clause["code"] != "falsified"], said)

    def test_a_machine_that_is_right_from_outside_has_nobody_accused(self):
        judged, envelope = self.seen_from_outside(0)
        trusts = {name: judged[name]["trust"] for name in self.names}
        self.assertNotIn("not dependable", trusts.values(), judged)
        self.assertNotIn("falsified", [clause["code"] for advice in envelope["analysis"]["advice"] for clause in advice["text_data"]])


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        date = shutil.which("date")
        if not date:
            raise unittest.SkipTest("there is no date(1)")
        cls.judged, cls.envelope = clocks(f"asked@1000000000=ask:{ANSWERING}", f"ran@1000000000=run:{date} +%s%N", "monotonic-raw",
                                          arguments=["--workload", "sleep", "--budget", "3s"])

    def measured(self, name, way):
        clock = self.judged[name]
        self.assertEqual((clock["way"], clock["hardware"], clock["external"]), (way, "external", True))
        rows = [row for row in self.envelope["results"] if row["clock"] == name and row["workload"] == "sleep"]
        self.assertTrue(rows, self.envelope["skipped"])
        for row in rows:
            self.assertGreater(row["ratio_median"], 0.5)
            self.assertLess(row["ratio_median"], 2)

    def test_one_that_answers_lines(self):
        self.measured("asked", "ask")

    def test_a_program_that_prints_the_time(self):
        self.measured("ran", "run")


class Refused(unittest.TestCase):
    """A clock that cannot be read is told before anything is measured."""

    def left_out(self, candidate, word):
        done = assay("clocks", "--quick", "--json", "--clock", candidate)
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        self.assertRegex(done.stderr, f"gone.* cannot be read.*{re.escape(word)}")

    def test_an_object_that_is_not_there(self):
        self.left_out("gone=object:/nowhere/clock.so:now", "/nowhere/clock.so")

    def test_a_function_that_is_not_in_it(self):
        self.left_out(f"gone=object:{OBJECT}:no_such_function", "no_such_function")

    def test_a_command_that_says_no_number(self):
        self.left_out(f"gone=ask:{ANSWERING} words", "half past three")

    def test_a_command_that_cannot_be_run(self):
        self.left_out("gone=run:/nowhere/clock", "/nowhere/clock")


if __name__ == "__main__":
    tap.main()
