# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other people's tools in tours: PAPI, LIKWID, whole commands plain and under perf stat. What works is called, what does not has a
reason, and nothing of it is left behind.
"""
import os
import pathlib
import shutil
import tempfile
import unittest

import frames
import tap
from processes import eventually
from tours import LINKS, Touring

KIT = os.environ["ASSAY_KIT"]
LOW = ["timer.nothing", "papi-low.start", "papi-low.read", "papi-low.accum", "papi-low.read*4", "papi-low.stop", "timer.gauge"]
HIGH = ["timer.nothing", "papi-high.begin", "papi-high.end"]
COMMANDS = ["timer.nothing", "command.command", "perf-stat.command"]


class Case(Touring, unittest.TestCase):
    environment = {}

    def setUp(self):
        self.probe = frames.Probe(KIT, env=dict(os.environ, **self.environment))
        self.addCleanup(self.probe.__exit__)
        self.catalogue = self.probe.hello()

    def absence(self, name):
        found = [frame["reason"] for frame in self.catalogue if frame.type == "absent" and frame["name"] == name]
        return found[0] if found else None

    def need(self, *names):
        for name in names:
            if name not in self.operations():
                self.skipTest(self.absence(name) or f"there is no {name}")

    def links(self, name):
        return [link for link in LINKS if link in self.operations()[name]["links"].split(",")]


class Papi(Case):
    def setUp(self):
        super().setUp()
        self.need("papi-low.read", "papi-high.begin")

    def test_warm_and_cold_tours_of_both_levels_are_made_however_papi_is_linked(self):
        for calls in (LOW, HIGH):
            for link in self.links(calls[1]):
                for cold in (0, 1):
                    with self.subTest(calls=calls[1], link=link, cold=cold):
                        visit = self.made(calls, link=link, cold=cold, passes=1 if cold else 20)
                        self.assertTrue(all(row[0] > 0 for row in visit.values))

    def test_reads_of_everybody_stand_in_one_tour(self):
        calls = ["timer.nothing", "perf-read.read", "papi-low.read", "perf-syscall.read", "papi-low.accum", "assay.read", "perf-read.read"]
        for link in self.links("papi-low.read"):
            self.made(calls, link=link, passes=10)

    def test_several_counters_are_one_set(self):
        for calls in (LOW, HIGH):
            self.made(calls, open_=8)
            self.refused(calls, "in one set", open_=2, separate=1)

    def test_an_event_that_papi_has_no_name_for_is_refused(self):
        for calls in (LOW, HIGH):
            for cold in (0, 1):
                self.refused(calls, "PAPI has no name for alignment-faults", counted="alignment-faults:u", cold=cold)

    def test_a_tour_of_many_regions_is_made_to_its_end(self):
        self.made(HIGH, passes=20000)

    def test_two_sets_of_papi_do_not_run_at_once(self):
        visit = self.tour(["papi-low.read", "papi-high.begin", "papi-high.end"])
        self.assertFalse(visit.done)
        self.assertIn("papi-high", visit.end["reason"])


class Likwid(Case):
    def test_it_can_be_called_or_says_why_not(self):
        for name in ("likwid.begin", "likwid.end"):
            if name in self.operations():
                continue
            self.assertIn("LIKWID", self.absence(name))
            self.assertGreater(len(self.absence(name).split()), 5)
            self.refused([name], "LIKWID", link="lazy")

    def test_regions_are_toured_where_it_counts(self):
        self.need("likwid.begin", "likwid.end")
        cpu = max(os.sched_getaffinity(0))
        self.made(["timer.nothing", "likwid.begin", "likwid.end"], link="lazy", counted="instructions:u", cpu=cpu, passes=10)


class Commands(Case):
    def test_a_command_is_run_plain_and_under_perf(self):
        self.need("command.command", "perf-stat.command")
        visit = self.made(COMMANDS, passes=3)
        self.assertTrue(all(row[0] > 0 for row in visit.values))

    def test_it_leaves_no_file_system_mounted(self):
        self.need("perf-stat.command")
        before = pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8")
        self.made(COMMANDS)
        self.assertEqual(pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8"), before)

    def test_one_event_at_a_time(self):
        self.need("perf-stat.command")
        self.refused(COMMANDS, "one event at a time", open_=2)
        self.made(COMMANDS[:2], open_=2)


class WithoutPerf(Case):
    environment = {"PATH": "/nowhere"}

    def test_its_absence_has_a_reason_and_plain_commands_stay(self):
        self.need("command.command")
        self.assertNotIn("perf-stat.command", self.operations())
        self.assertIn("not installed", self.absence("perf-stat.command"))
        self.made(COMMANDS[:2])


class OtherPerf(Case):
    """With one of our own, first in PATH."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-peers-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {"PATH": self.folder + ":" + os.environ["PATH"]}
        self.pretend("exit 0")
        super().setUp()
        self.need("perf-stat.command")

    def pretend(self, body):
        program = pathlib.Path(self.folder, "perf")
        program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo perf version 0 && exit\n{body}\n', encoding="utf-8")
        program.chmod(0o755)

    def test_its_failure_is_told_in_its_own_words(self):
        self.pretend("echo the counters are on holiday >&2; exit 7")
        self.refused(COMMANDS, "ended with status 7: the counters are on holiday")
        self.pretend("kill -9 $$")
        self.refused(COMMANDS, "killed by signal 9")

    def test_one_that_counts_nothing_is_no_peer(self):
        self.pretend("exit 0")
        self.refused(COMMANDS, "left no count")
        self.pretend('while [ "$1" != -o ]; do shift; done; echo "4711;;cycles;1;100.00;;" > "$2"')
        self.refused(COMMANDS, "cycles")

    def processes(self):
        """Of those that run our perf."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if self.folder.encode() in words:
                found.append(int(entry.name))
        return found

    def test_one_that_hangs_ends_with_the_probe(self):
        self.pretend(f"exec {self.folder}/hang 1000")
        shutil.copy(shutil.which("sleep"), f"{self.folder}/hang")
        self.probe.tour(1, COMMANDS)
        self.probe.send("visits", list="1:0")
        self.probe.send("go")
        self.assertTrue(eventually(self.processes))
        self.probe.process.kill()
        self.probe.process.wait()
        self.assertTrue(eventually(lambda: not self.processes()), self.processes())


if __name__ == "__main__":
    tap.main()
