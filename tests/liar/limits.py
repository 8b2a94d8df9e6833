# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a verdict reaches, through the whole product on a machine that lies: what shows in long windows only, in few runs,
where the CPU is given up, or where the operating system works. What is lied about nowhere must not be accused."""
import json
import unittest
from concurrent.futures import ThreadPoolExecutor

import tap
from under import EMULATED, needs_liar, needs_stepping, via

SEED = ["--seed", "3"]
# What system calls execute is known, so that events without :u can be counted beside those with it.
KERNEL = [*EMULATED, "--kernel", "300"]
PMU = ["loop", "two-chains", "getppid"]
MOVES = ["loop", "getppid", "ping-pong", "migrations"]


def judged(events, told, specimens, *arguments):
    """What is said of each event."""
    names = [word for name in specimens for word in ("--specimen", name)]
    run = tap.assay("validate", *events, "--quiet", "--json", *SEED, *names, *arguments, via=via(*told), timeout=240)
    if run.returncode not in (0, 3):
        raise AssertionError(f"exit {run.returncode}: {run.stderr}")
    return {row["event"]: row for row in json.loads(run.stdout)["analysis"]["events"]}


def codes(said):
    return [clause["code"] for clause in said["note_data"]]


class Said(unittest.TestCase):
    def need_time(self, said):
        """A busy machine may not get to what shows a cause; then the verdict says so."""
        if {"undiagnosed", "no-turn"} & set(codes(said)):
            self.skipTest(f"too busy for the budget: {said['note']}")

    def need_switches(self, said):
        if said["verdict"] in ("exact", "accurate") and not said["limits"]["context_switches"]:
            self.skipTest("too busy for code that leaves its CPU")

    def assert_right(self, said):
        self.need_time(said)
        self.assertIn(said["verdict"], ("exact", "accurate"), json.dumps(said, indent=1))
        self.assertIn(said["cause"], (None, "interface-overhead"), json.dumps(said, indent=1))

    def assert_told(self, said, code):
        self.assertIn(code, codes(said), json.dumps(said, indent=1))

    def assert_cause(self, said, verdicts, *causes):
        if said["cause"] not in causes:
            self.need_time(said)
        self.assertIn(said["verdict"], verdicts, json.dumps(said, indent=1))
        self.assertIn(said["cause"], causes, json.dumps(said, indent=1))

    def assert_not_accused(self, said):
        """Of most code of this PMU's cycles nothing is known: they may be right or unjudged."""
        self.assertIn(said["verdict"], ("accurate", "unjudged"), json.dumps(said, indent=1))
        self.assertIsNone(said["cause"], json.dumps(said, indent=1))


@needs_liar
class RealEvent(Said):
    """Page faults: a window of them lasts as long as is wished, and they are counted to the last."""
    def said(self, *told, budget="10s", runs="6", specimens=("pages", "loop")):
        return judged(["page-faults"], told, specimens, "--budget", budget, "--runs", runs)["page-faults"]

    def assert_found(self, lie, code, *causes):
        """A busy machine is slow, and may not reach that length; then the verdict ends before it."""
        said = self.said("--lie", lie)
        if said["verdict"] == "exact":
            self.assertLess(said["limits"]["longest_ns"], 20_000_000, json.dumps(said, indent=1))
            said = self.said("--lie", lie, budget="40s")
        self.assert_cause(said, ("accurate", "biased"), *causes)
        self.assert_told(said, code)

    def test_an_error_of_long_windows_is_found(self):
        self.assert_found("offset=300:after=20", "long-windows", "unknown")

    def test_counts_that_long_windows_lack_are_found(self):
        self.assert_found("offset=-300:after=20", "long-windows", "unknown")

    def test_long_windows_without_a_lie_are_exact(self):
        said = self.said()
        self.assert_right(said)
        self.assertGreater(said["limits"]["longest_ns"], 20_000_000)

    def test_what_a_small_budget_does_not_reach_is_no_part_of_the_verdict(self):
        """The lie begins where no window of a second's budget ends: exact, but up to that length."""
        said = self.said("--lie", "offset=300:after=500", budget="1s")
        self.assert_right(said)
        self.assertTrue(0 < said["limits"]["longest_ns"] < 500_000_000, json.dumps(said, indent=1))
        self.assertFalse(said["limits"]["migrations"])

    def test_few_undisturbed_runs_that_are_off_are_told(self):
        said = self.said("--lie", "rare=0.02:50", runs="100", budget="4s")
        self.assertNotEqual(said["verdict"], "exact")
        if said["verdict"] == "accurate":
            self.assert_told(said, "strayed")

    def test_runs_that_are_never_off_are_not(self):
        said = self.said("--lie", "rare=0:50", runs="100", budget="4s")
        self.assert_right(said)
        self.assertNotIn("strayed", codes(said))


@needs_stepping
class EmulatedPmu(Said):
    """A PMU with four events, in machines that differ in what they lie about. No budget is used up; each is what a point may cost."""
    MACHINES = {
        "honest": (["instructions:u", "cycles:u"], KERNEL, PMU, "12s"),
        "unfiltered": (["instructions:u", "cycles:u"], [*KERNEL, "--lie", "unfiltered"], PMU, "12s"),
        "unfiltered cycles": (["cycles:u"], [*KERNEL, "--lie", "unfiltered"], PMU, "8s"),
        "unfiltered instructions": (["instructions:u", "cycles:u"], [*KERNEL, "--on", "instructions", "--lie", "unfiltered"], PMU, "14s"),
        "no calls seen": (["instructions:u", "cycles:u"], [*EMULATED, "--lie", "leak=300"], ["loop", "getppid", "chain"], "8s"),
        "leak, small budget": (["instructions:u"], [*EMULATED, "--lie", "leak=300"], PMU, "5s"),
        "leak, large budget": (["instructions:u"], [*EMULATED, "--lie", "leak=300"], PMU, "16s"),
        "moves": (["instructions:u"], EMULATED, MOVES, "8s"),
        "lost at switches": (["instructions:u"], [*EMULATED, "--lie", "switch=5"], MOVES, "8s"),
        "more at switches": (["instructions:u"], [*EMULATED, "--lie", "switch=-50"], MOVES, "8s"),
        "stalls": (["stalled-cycles-frontend:u", "stalled-cycles-backend:u", "instructions:u"], KERNEL, ["two-chains", "getppid"], "8s"),
    }

    @classmethod
    def setUpClass(cls):
        """Two at a time: each of them keeps a CPU busy, and who waits for one is slow, and measures less."""
        with ThreadPoolExecutor(2) as pool:
            cls.said = dict(zip(cls.MACHINES, pool.map(cls.judge, cls.MACHINES.values())))

    @staticmethod
    def judge(machine):
        events, told, specimens, budget = machine
        return judged(events, told, specimens, "--path", "perf-syscall", "--runs", "2", "--budget", budget)

    def test_an_honest_pmu_is_not_accused(self):
        said = self.said["honest"]
        self.assertEqual(said["instructions:u"]["verdict"], "exact")
        self.assert_right(said["instructions:u"])
        if said["instructions:u"]["filter"] == "unknown":
            self.skipTest("too busy for windows of system calls")
        self.assertTrue(said["instructions:u"]["limits"]["system_calls"])
        self.assert_not_accused(said["cycles:u"])

    def test_a_filter_that_the_pmu_ignores_is_ignored_by_all_of_its_events(self):
        said = self.said["unfiltered"]
        self.assert_cause(said["instructions:u"], ("biased",), "kernel-leak")
        self.assert_cause(said["cycles:u"], ("biased", "unjudged"), "kernel-leak")

    def test_it_is_found_of_an_event_that_no_truth_is_known_of(self):
        said = self.said["unfiltered cycles"]["cycles:u"]
        if said["filter"] == "unknown":
            self.skipTest("too busy for windows of system calls")
        self.assert_cause(said, ("biased", "unjudged"), "kernel-leak")

    def test_an_event_whose_own_windows_are_clean_is_not_accused_with_another(self):
        said = self.said["unfiltered instructions"]
        self.assert_cause(said["instructions:u"], ("biased",), "kernel-leak")
        self.assert_not_accused(said["cycles:u"])

    def test_where_no_plain_event_can_be_had_it_is_not_trusted_either(self):
        said = self.said["no calls seen"]
        self.assert_cause(said["instructions:u"], ("biased",), "kernel-leak")
        self.assertNotIn(said["cycles:u"]["verdict"], ("exact", "accurate"))

    def test_the_cause_is_the_same_with_any_budget_or_time_was_short(self):
        small, large = (self.said[f"leak, {size} budget"]["instructions:u"] for size in ("small", "large"))
        self.assert_cause(large, ("biased",), "kernel-leak")
        self.assert_cause(small, ("biased",), "kernel-leak", "unknown")
        if small["cause"] == "unknown":
            self.assert_told(small, "undiagnosed")

    def test_code_that_leaves_its_cpu_is_counted_right(self):
        said = self.said["moves"]["instructions:u"]
        self.assert_right(said)
        self.need_switches(said)
        self.assertTrue(said["limits"]["migrations"], json.dumps(said, indent=1))

    def test_what_switches_lose_or_add_is_found(self):
        for told, cause in (("lost at switches", "lost-counts"), ("more at switches", "kernel-leak")):
            said = self.said[told]["instructions:u"]
            self.need_switches(said)
            self.assert_cause(said, ("biased",), cause, "unknown")

    def test_events_that_read_nothing_say_so(self):
        for event in ("stalled-cycles-frontend:u", "stalled-cycles-backend:u"):
            said = self.said["stalls"][event]
            if not said["runs"]:
                self.skipTest("too busy to look at what nothing judges")
            self.assertEqual(said["verdict"], "unjudged")
            self.assert_told(said, "reads-zero")
        self.assert_right(self.said["stalls"]["instructions:u"])


if __name__ == "__main__":
    tap.main()
