# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole product on a machine that lies: what is planted below the probe must come out as the verdict and the cause
it is, through probe, wire, store, plan and judge; and what is not planted must not."""
import json
import unittest

import tap
from under import EMULATED, needs_liar, needs_stepping, via

# Code whose instructions are few, so that stepping it does not take long, and of many kinds.
SPECIMENS = ["loop", "fldcw", "locked", "pages", "getppid", "chase", "fadd-double", "atomics"]
# For lies that are the same whatever is executed.
PLAIN = ["loop", "chase"]


def validate(event, lies, specimens, *arguments, options=()):
    """What is said of one event when it is lied about."""
    told = [word for lie in lies for word in ("--lie", lie)]
    names = [word for name in specimens for word in ("--specimen", name)]
    run = tap.assay("validate", event, "--quiet", "--json", "--seed", "3", *names, *arguments,
                    via=via(*options, *told), timeout=120)
    if run.returncode not in (0, 3):
        raise AssertionError(f"exit {run.returncode}: {run.stderr}")
    return next(row for row in json.loads(run.stdout)["analysis"]["events"] if row["event"] == event)


class Judged(unittest.TestCase):
    def assert_said(self, said, verdicts, cause=None, words=()):
        """A verdict among those given, that cause (None: any), and these words in the note."""
        text = json.dumps(said, indent=1)
        self.assertIn(said["verdict"], verdicts, text)
        if cause:
            self.assertEqual(said["cause"], cause, text)
        for word in words:
            self.assertIn(word, said["note"], text)


@needs_liar
class RealEvent(Judged):
    """Page faults, which this machine counts to the last."""
    SPECIMENS = ["pages", "read-then-write", "shared-pages", "loop"]

    def said(self, *lies, event="page-faults", specimens=SPECIMENS, runs="40", budget="2s"):
        return validate(event, lies, specimens, "--runs", runs, "--budget", budget)

    def test_without_a_lie_it_is_exact(self):
        said = self.said()
        self.assert_said(said, {"exact"})
        self.assertIsNone(said["cause"])

    def test_a_factor_is_stated(self):
        self.assert_said(self.said("factor=1.2"), {"biased"}, words=["1.2"])

    def test_an_offset_is_stated(self):
        self.assert_said(self.said("offset=5"), {"biased"}, words=["5"])

    def test_an_offset_of_every_window_is_the_interface_s(self):
        said = self.said("offset=5:everywhere")
        self.assert_said(said, {"exact"}, "interface-overhead", ["5"])
        self.assertEqual(said["overhead"], 5)

    def test_zeros_are_dead(self):
        self.assert_said(self.said("zeros"), {"dead"})

    def test_noise_is_noisy(self):
        self.assert_said(self.said("noise=60%"), {"noisy"})

    def test_lost_runs_are_lost_counts(self):
        self.assert_said(self.said("lost=0.2"), {"biased", "accurate", "noisy"}, "lost-counts")

    def test_half_the_time_with_all_the_count_is_multiplexing(self):
        self.assert_said(self.said("scale"), {"biased"}, "multiplexing")

    def test_half_the_time_with_an_unlike_half_is_no_exact_count(self):
        self.assert_said(self.said("multiplex=0.3"), {"noisy", "biased"})

    def test_small_counts_that_read_zero_are_a_threshold(self):
        self.assert_said(self.said("threshold=50", budget="4s"), {"biased", "accurate"}, "threshold")

    def test_a_counter_of_few_bits_wraps(self):
        said = self.said("wrap=16", event="syscalls:sys_enter_getppid", specimens=["getppid"], runs="4", budget="60s")
        if said["verdict"] == "unsupported":
            self.skipTest(said["note"])
        self.assert_said(said, {"biased"}, "wrap", ["2^16"])

    def test_what_cannot_be_explained_is_not_called_right(self):
        for lie in ("stuck", "saturate=5", "late"):
            with self.subTest(lie=lie):
                said = self.said(lie)
                self.assertFalse(said["verdict"] == "exact" or
                                 (said["verdict"] == "accurate" and said["cause"] is None), json.dumps(said, indent=1))


@needs_stepping
class EmulatedEvent(Judged):
    """Instructions, counted by stepping. The budget is never used up: what fits it is what a point may cost."""
    def said(self, *lies, event="instructions:u", specimens=SPECIMENS, runs="4", budget="4s"):
        return validate(event, lies, specimens, "--path", "perf-syscall", "--runs", runs, "--budget", budget,
                        options=EMULATED)

    def assert_found(self, lie, *expected):
        """The cause of a lie. A busy machine must still be given the points that it is found from."""
        try:
            self.assert_said(self.said(lie), *expected)
        except AssertionError:
            self.assert_said(self.said(lie, budget="20s"), *expected)

    def test_without_a_lie_it_is_exact(self):
        said = self.said()
        self.assert_said(said, {"exact"}, "interface-overhead")
        self.assertTrue(0 < said["overhead"] < 10)

    def test_an_event_that_counts_in_user_mode_alone_is_found_by_itself(self):
        """This PMU refuses whatever is not :u, and not for want of permission."""
        run = tap.assay("validate", "instruction*", "--quiet", "--json", "--specimen", "loop", "--runs", "4", "--budget", "2s",
                        via=via(*EMULATED))
        said = {row["event"]: row["verdict"] for row in json.loads(run.stdout)["analysis"]["events"]}
        self.assertEqual(said, {"instructions:u": "exact"})

    def test_branches_without_a_lie_are_exact(self):
        self.assert_said(self.said(event="branches:u"), {"exact"})

    def test_a_factor_is_stated(self):
        self.assert_said(self.said("factor=1.5", specimens=PLAIN), {"biased"}, words=["1.5"])

    def test_zeros_are_dead(self):
        self.assert_said(self.said("zeros", specimens=PLAIN), {"dead"})

    def test_small_counts_that_read_zero_are_a_threshold(self):
        """The empty window reads 0 as well, so that its own instructions show in large counts only."""
        self.assert_said(self.said("threshold=200", specimens=PLAIN, budget="10s"), {"biased"}, "threshold")

    def test_one_too_many_for_each_fault_is_a_fault_overcount(self):
        self.assert_found("fault=1", {"biased", "accurate"}, "fault-overcount")

    def test_the_operating_system_s_instructions_are_a_kernel_leak(self):
        self.assert_found("leak=300", {"biased"}, "kernel-leak", ["300"])

    def test_the_opcode_that_counts_twice_is_named(self):
        for opcode in ("fldcw", "lock"):
            with self.subTest(opcode=opcode):
                self.assert_found(f"opcode={opcode}:2", {"biased", "accurate"}, "opcode-overcount", [opcode])

    def test_branches_under_the_name_of_instructions_are_another_definition(self):
        self.assert_found("branches", {"biased"}, "other-definition", ["branches"])


if __name__ == "__main__":
    tap.main()
