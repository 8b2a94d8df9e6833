# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tours of metered calls, asked for in the probe's own protocol: here, and where there is a lab, in instructions there."""
import os
import subprocess
import unittest

import frames
import laboratory
import tap

LINKS = ["static", "lazy", "bind-now"]
SWITCHES = ["timer.nothing", "timer.gauge", "perf-read.stop", "perf-read.read", "perf-read.start", "perf-syscall.read",
            "perf-syscall.stop", "perf-syscall.start", "perf-syscall.read*8"]
FIRST_CALLS = ["timer.nothing", "timer.nothing", "perf-read.start", "perf-read.read", "perf-read.stop", "perf-read.start",
               "perf-read.read", "perf-read.stop"]


class Guest(frames.Probe):
    """The probe of a machine of the lab."""

    def __init__(self, environment, settings="user-access=on"):  # pylint: disable=super-init-not-called
        kit = os.path.join(os.environ["ASSAY_BUILD"], "libexec/assay/aarch64")
        sends = [word for name in sorted(os.listdir(kit)) for word in ("--send", os.path.join(kit, name))]
        self.process = subprocess.Popen([tap.ASSAY, "lab", "run", f"aarch64,{settings}", "--quiet", *sends, "--", "./assay-probe", "serve"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
                                        errors="replace", env=dict(os.environ, **environment))
        self.sent = self.received = 0


class Touring:
    """What the cases share; each has its probe."""

    def tour(self, calls, **factors):
        return self.tours([dict(calls=calls, **factors)])[0]

    def tours(self, asked):
        """Visits each once."""
        for number, factors in enumerate(asked):
            self.probe.tour(number, **factors)
        self.probe.send("visits", list=",".join(f"{number}:0" for number in range(len(asked))))
        self.probe.send("go")
        visits = [frames.Visit() for _ in asked]
        for frame in self.probe.until("idle", "error"):
            self.assertNotEqual(frame.type, "error", frame)
            if frame.type == "samples":
                visits[int(frame["cell"])].take(frame)
            elif frame.type == "end":
                visits[int(frame["cell"])].end = frame
        return visits

    def made(self, calls, **factors):
        visit = self.tour(calls, **factors)
        self.assertTrue(visit.done, visit.end)
        self.assertEqual(len(visit.values), len(calls) * factors.get("passes", 1))
        return visit

    def refused(self, calls, words, **factors):
        visit = self.tour(calls, **factors)
        self.assertFalse(visit.done)
        self.assertIn(words, visit.end["reason"])
        self.assertEqual(visit.values, [])

    def operations(self):
        return {f"{frame['path']}.{frame['kind']}": frame for frame in self.catalogue if frame.type == "operation"}


class Here(Touring, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.probe = frames.Probe(tap.KIT)
        cls.catalogue = cls.probe.hello()
        cls.addClassCleanup(cls.probe.__exit__)

    def countable(self):
        self.probe.send("try", name="page-faults:u")
        frame = self.probe.receive()
        if frame["openable"] != "1":
            self.skipTest(f"page-faults:u cannot be opened here: {frame['reason']}")

    def test_the_catalogue_names_each_operation_once_with_all_its_links(self):
        named = [f"{frame['path']}.{frame['kind']}" for frame in self.catalogue if frame.type == "operation"]
        self.assertEqual(len(named), len(set(named)))
        for name in ("timer.nothing", "timer.gauge", "perf-read.start", "perf-read.stop", "perf-read.read", "perf-syscall.read",
                     "perf-prctl.start", "assay.read"):
            self.assertEqual(self.operations()[name]["links"], ",".join(LINKS), name)

    def test_operations_tell_what_a_plan_must_know(self):
        def about(name):
            return [self.operations()[name][key] for key in ("instrument", "effect", "when", "binds", "alone", "page")]
        self.assertEqual(about("perf-read.start"), ["perf", "starts", "stopped", "1", "0", ""])
        self.assertEqual(about("perf-syscall.stop"), ["perf", "stops", "running", "0", "0", ""])
        self.assertEqual(about("perf-prctl.stop"), ["prctl", "stops", "running", "1", "1", ""])
        self.assertEqual(about("assay.read"), ["assay", "keeps", "any", "1", "0", ""])
        self.assertEqual(about("timer.gauge"), ["timer", "keeps", "any", "0", "0", ""])

    def test_an_operation_is_there_or_absent_with_a_reason(self):
        absent = {frame["name"]: frame for frame in self.catalogue if frame.type == "absent" and frame["kind"] == "operation"}
        for name in ("perf-user.read", "perf-user-touched.read", "perf-user-cold.read"):
            self.assertNotEqual(name in self.operations(), name in absent, name)
            if name in absent:
                self.assertTrue(absent[name]["reason"], name)
                self.refused([name], absent[name]["reason"][:60])

    def test_every_run_is_a_call(self):
        self.countable()
        for link in LINKS:
            visit = self.made(SWITCHES, passes=20, link=link)
            self.assertTrue(all(value > 0 for value in visit.counts))

    def test_eight_calls_in_one_span_cost_more_than_one(self):
        self.countable()
        visit = self.made(["timer.nothing", "perf-syscall.read", "perf-syscall.read*8"], passes=50)
        def least(call):
            return min(visit.counts[call::3])
        self.assertLess(least(0), least(1))
        self.assertLess(3 * least(1), least(2))

    def test_the_account_of_a_warm_tour_stands_in_the_first_run_of_a_pass(self):
        visit = self.made(["timer.nothing", "timer.gauge", "timer.nothing"], passes=4)
        self.assertEqual([row[0] > 0 for row in visit.enabled], [True, False, False] * 4)

    def test_every_call_of_a_cold_tour_has_its_account(self):
        self.countable()
        for link in LINKS:
            visit = self.made(FIRST_CALLS, cold=1, link=link)
            self.assertTrue(all(row[0] > 0 for row in visit.enabled))
            self.assertEqual(visit.minor[1], 0)  # nothing, a second time

    def test_layouts_and_numbers_of_counters(self):
        self.countable()
        for count in (1, 2, 8, 32):
            for separate in (0, 1):
                self.made(SWITCHES + ["assay.read"], open_=count, separate=separate)

    def test_other_instruments_run_beside(self):
        self.countable()
        self.made(["timer.nothing", "perf-read.read", "assay.stop", "perf-read.stop", "assay.start", "assay.read", "perf-read.start"], passes=3)

    def test_prctl_is_toured_alone(self):
        self.countable()
        self.made(["perf-prctl.start", "timer.nothing", "perf-prctl.stop"], passes=3)
        self.refused(["perf-prctl.start", "perf-read.read", "perf-prctl.stop"], "no other instrument")

    def test_calls_that_nobody_has_are_refused_by_name(self):
        self.refused(["timer.nothing", "perf-read.accum"], "this kit has no operation perf-read.accum")
        self.refused(["nobody.read"], "this kit has no operation nobody.read")
        self.refused(["timer.nothing"], "timer.nothing cannot be called here with link mode sideways", link="sideways")

    def test_calls_that_make_no_sense_are_refused(self):
        self.refused(["perf-read.stop", "perf-syscall.stop"], "call 2 of the tour, perf-syscall.stop, makes no sense where it stands")
        self.refused(["perf-read.stop"], "its next pass would be another one")

    def test_meters_that_are_none_are_refused(self):
        self.refused(["timer.nothing"], "cannot meter the calls of a tour", meters="step/instructions/")
        self.refused(["timer.nothing"], "meters alone", meters=["clock/ticks/", "page-faults:u"])
        self.refused(["timer.nothing"], "user code cannot read", meters="page-faults:u")
        self.refused(["timer.nothing"], "at most 3 meters", meters=["page-faults"] * 4)
        self.refused(["timer.nothing"], "no event is called", meters="nonsense")

    def test_events_that_the_calls_cannot_count_are_refused(self):
        self.refused(["perf-read.read"], "cannot be what the calls of a tour count", counted="clock/ticks/")
        self.refused(["perf-read.read"], "no event is called", counted="nonsense")
        self.refused(["perf-read.read"], "at most 511 bytes", counted="x" * 600)

    def test_an_event_that_cannot_be_opened_says_why(self):
        self.probe.send("try", name="instructions:u")
        frame = self.probe.receive()
        if frame["openable"] == "1":
            self.skipTest("instructions:u can be opened here")
        self.refused(["perf-read.read"], frame["reason"][:60], counted="instructions:u")

    def test_there_is_one_level(self):
        self.refused(["timer.nothing"], "compiled at -O2", opt="O3")

    def test_a_session_goes_on_after_refusals_and_windows(self):
        self.countable()
        self.refused(["nobody.read"], "no operation")
        self.assertTrue(self.probe.run([dict(events="page-faults:u", path="perf-read")])[0].done)
        self.made(SWITCHES)


class UnderAFilter(Touring, unittest.TestCase):
    """What a container's filter refuses becomes a failed visit, and never a cheap call."""

    def under(self, refusal):
        refuse = [os.environ["SECCOMP_REFUSE"], refusal, "--"]
        if subprocess.run([*refuse, "true"], check=False).returncode == 77:
            self.skipTest("this kernel has no seccomp filters")
        self.probe = frames.Probe(tap.KIT, prefix=refuse)
        self.addCleanup(self.probe.__exit__)
        self.probe.hello()
        self.probe.send("try", name="page-faults:u")
        return self.probe.receive()

    def test_a_start_that_is_refused_is_noticed_after_its_span(self):
        if self.under("START")["openable"] != "1":
            self.skipTest("page-faults:u cannot be opened here")
        for path in ("perf-read", "perf-syscall", "assay"):
            visit = self.tour(["timer.nothing", f"{path}.start", f"{path}.stop"], cold=1)
            self.assertFalse(visit.done, path)
            self.assertIn(f"call 2 of the tour, {path}.start, failed: ", visit.end["reason"])
            self.assertIn("Operation not permitted", visit.end["reason"])
            self.assertEqual(int(visit.end["error"]), 1)

    def test_an_instrument_that_cannot_be_started_before_the_tour_says_so(self):
        if self.under("START")["openable"] != "1":
            self.skipTest("page-faults:u cannot be opened here")
        self.refused(["perf-read.read"], "the counters opened but cannot be started")
        self.refused(["assay.read"], "the counters of libassay cannot be started")

    def test_counters_that_may_not_be_opened_have_a_reason(self):
        frame = self.under("EPERM")
        self.assertEqual(frame["openable"], "0")
        self.refused(["perf-read.read"], frame["reason"][:60])
        self.made(["timer.nothing", "timer.gauge"], passes=2)  # they need none


class InTheLab(Touring, laboratory.LabCase):
    """Instructions of an emulated CPU are exact."""
    METERS = ["instructions:u", "instructions:k"]

    def setUp(self):
        super().setUp()
        self.probe = Guest(self.env)
        self.catalogue = self.probe.hello()
        self.addCleanup(self.probe.__exit__)

    def values(self, visit, calls, call, meter):
        return [row[meter] for row in visit.values[call::len(calls)]]

    def test_instructions_of_calls(self):
        calls = ["timer.nothing", "perf-syscall.stop", "perf-syscall.start", "perf-syscall.read", "perf-read.read", "perf-user.read",
                 "perf-syscall.read*8", "perf-user.read*8", "assay.read", "timer.nothing"]
        visit = self.made(calls, meters=self.METERS, counted="instructions:u", passes=40)
        user = [self.values(visit, calls, call, 0) for call in range(len(calls))]
        system = [self.values(visit, calls, call, 1) for call in range(len(calls))]
        for call, name in enumerate(calls):  # the same user instructions in every pass
            self.assertEqual(len(set(user[call])), 1, f"{name}: {set(user[call])}")
        self.assertEqual(user[0], user[9])
        for call in (0, 5, 7, 9):  # no system call
            self.assertEqual(min(system[call]), 0, calls[call])
        for call in (3, 4, 6, 8):  # ticks of the clock come on top, and not in most passes
            self.assertGreater(system[call].count(min(system[call])), 20, f"{calls[call]}: {system[call]}")
        self.assertEqual(min(system[6]), 8 * min(system[3]))
        self.assertGreater(min(system[3]), 1000)
        again = self.made(calls, meters=self.METERS[:1], counted="instructions:u", passes=3)  # another meter costs another nothing
        less = user[0][0] - again.values[0][0]
        self.assertEqual([row[0] + less for row in again.values[:len(calls)]], [values[0] for values in user])

        # what prctl switches are not the meters: they count on
        visit = self.made(["timer.nothing", "perf-prctl.stop", "timer.gauge", "perf-prctl.start"], meters=self.METERS, counted="instructions:u",
                          passes=3)
        self.assertGreater(visit.values[2][0], 2000)

        # a page that is not there takes one fault
        for path, faults in (("perf-user-cold", 1), ("perf-user", 0), ("perf-user-touched", 0)):
            visit = self.made(["timer.nothing", "timer.nothing", f"{path}.read", f"{path}.read", f"{path}.read"], meters=self.METERS,
                              counted="instructions:u", cold=1)
            self.assertEqual(visit.minor[1:], [0, faults, 0, 0], path)
            self.assertEqual([row[1] > 0 for row in visit.values], [False, False, faults > 0, False, False], path)

        # binding is in the first call alone, and only where it is lazy
        for link in LINKS:
            if link not in self.operations()["perf-read.read"]["links"].split(","):
                continue
            visit = self.made(FIRST_CALLS, meters=self.METERS, counted="instructions:u", cold=1, link=link)
            user = [row[0] for row in visit.values]
            self.assertEqual(user[0], user[1])
            for first, second in ((2, 5), (3, 6)):
                self.assertEqual(user[first] - user[second] > 100, link == "lazy", f"{link} {user}")
                if link != "lazy":
                    self.assertEqual(user[first], user[second], link)

        # reads are metered whole; a start stops the PMU for a while, and the meters with it. Ticks tell: the emulated clock goes by
        # instructions, and the gauge says how many of them a tick is
        calls = ["timer.nothing", "timer.gauge", "perf-syscall.read", "perf-syscall.stop", "perf-syscall.start"]
        def cost(visit, call):
            """The median over passes of all meters together, without what metering costs."""
            sums = [sorted(sum(row) for row in visit.values[at::len(calls)]) for at in (call, 0)]
            return sums[0][len(sums[0]) // 2] - sums[1][len(sums[1]) // 2]
        for counted, whole in (("instructions:u", False), ("page-faults:u", True)):
            counters, clock = self.tours([dict(calls=calls, counted=counted, passes=60, meters=meters) for meters in (self.METERS, "clock/ticks/")])
            scale = cost(counters, 1) / cost(clock, 1)
            self.assertLess(abs(cost(clock, 2) * scale / cost(counters, 2) - 1), 0.05, counted)
            self.assertEqual(cost(clock, 4) * scale < 1.05 * cost(counters, 4), whole, counted)

        # more counters than the CPU has
        self.refused(["perf-syscall.read"], "Open fewer at once", meters=self.METERS, counted="instructions:u", open_=8, separate=1)


if __name__ == "__main__":
    tap.main()
