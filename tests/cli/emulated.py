# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kits of other ISAs under QEMU's user mode, which has no perf_event_open: what their windows and specimens execute is
counted from QEMU's log, one line an instruction; and the probe says what is missing."""
import collections
import json
import os
import re
import subprocess
import tempfile
import unittest

import kits
import tap

EXECUTED = re.compile(rb"Trace \d+: 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/")
CALLED = re.compile(rb"\d+ (\w+)\(")
Run = collections.namedtuple("Run", "path opt pattern layout specimen n opens closed")
Count = collections.namedtuple("Count", "instructions syscalls getppid")


def flags(emulator):
    """Flags that make QEMU log every instruction. Since 8.1 -singlestep has another name."""
    usage = subprocess.run([emulator, "-h"], capture_output=True, text=True, check=False).stdout
    return ["-one-insn-per-tb" if "-one-insn-per-tb" in usage else "-singlestep", "-d", "exec,nochain,strace"]


def count(log, runs):
    """What stands in the log between the marks of each run, in order."""
    waiting = iter(runs)
    run, inside = next(waiting), False
    counts, instructions, calls = [], 0, []
    for line in log:
        executed = EXECUTED.match(line)
        if executed:
            address = int(executed[1], 16)
            if not inside and address == run.opens:
                inside, instructions, calls = True, 0, []
            elif inside and address == run.closed:
                counts.append(Count(instructions, len(calls), calls.count(b"getppid")))
                run, inside = next(waiting, None), False
                if run is None:
                    break
            instructions += inside
        elif inside and CALLED.match(line):
            calls.append(CALLED.match(line)[1])
    return counts


@kits.each(kits.foreign())
class Windows:
    """Windows of every path on perf descriptors, level, pattern and layout, with a few specimens at several N."""

    @classmethod
    def setUpClass(cls):
        absence = cls.kit.emulator_absence()
        if absence:
            raise unittest.SkipTest(absence)
        emulator, program = cls.kit.emulator()[0], os.path.join(cls.kit.build, "tests/guest/windows")
        listed = subprocess.run([emulator, program, "list"], capture_output=True, text=True, check=True, timeout=60).stdout
        cls.truths, cls.runs = {}, []
        for kind, *words in map(str.split, listed.splitlines()):
            if kind == "truth":
                cls.truths[tuple(words[:2])] = int(words[2]), int(words[3])
            else:
                cls.runs.append(Run(*words[:5], int(words[5]), int(words[6], 16), int(words[7], 16)))
        with tempfile.NamedTemporaryFile() as log:
            subprocess.run([emulator, *flags(emulator), "-D", log.name, program, "run"], check=True, timeout=240)
            cls.counts = count(log, cls.runs)
        cls.null = {run[:4]: found for run, found in zip(cls.runs, cls.counts) if run.specimen == "null"}

    def added(self, broken=False):
        """Every run with what its specimen added to the empty window."""
        for run, found in zip(self.runs, self.counts):
            if (run.path == "broken") == broken:
                yield run, Count(*(full - empty for full, empty in zip(found, self.null[run[:4]])))

    def truth(self, run, name):
        """Predicted count of a class, or None where the specimen makes no statement."""
        if (run.specimen, name) not in self.truths:
            return None
        base, slope = self.truths[run.specimen, name]
        return base + slope * run.n

    def deviations(self, broken):
        """Of the counted instructions from the truth, for every run that has one."""
        return {run: found.instructions - self.truth(run, "instructions") for run, found in self.added(broken)
                if self.truth(run, "instructions") is not None}

    def test_every_window_was_found_and_run(self):
        self.assertEqual(len(self.counts), len(self.runs))
        self.assertTrue(all(run.opens and run.closed for run in self.runs))
        paths = {run.path for run in self.runs} - {"broken"}
        self.assertLessEqual({"perf-read", "perf-syscall", "perf-prctl"}, paths)
        self.assertEqual({run.specimen for run in self.runs}, {"null", "loop", "adds", "pages", "getppid"})
        user = {path for path in paths if path.startswith("perf-user")}
        self.assertLessEqual({"perf-user", "perf-user-touched", "perf-user-cold"}, user)
        windows = len({run[:4] for run in self.runs if run.path != "broken"})
        self.assertEqual(windows, (len(paths) * 4 - len(user)) * 4 * 2)  # patterns (no start-stop in user code), levels, layouts

    def test_windows_make_a_system_call_at_each_end_and_none_where_user_code_reads(self):
        for run, found in zip(self.runs, self.counts):
            if run.specimen == "null":
                ends = ({"ar": 1, "ro": 1, "rr": 0}[run.pattern] if run.path.startswith("perf-user") else 2)
                counters = 3 if run.layout == "separate" and run.path != "perf-prctl" else 1
                if run.path != "perf-prctl" or run.layout == "group":
                    self.assertEqual(found.syscalls, ends * counters, run)

    def test_every_specimen_executes_the_instructions_it_predicts(self):
        deviations = self.deviations(broken=False)
        self.assertEqual({run: wrong for run, wrong in deviations.items() if wrong}, {})
        self.assertLessEqual({"null", "loop", "adds"}, {run.specimen for run in deviations})

    def test_a_loop_with_one_instruction_more_is_noticed(self):
        deviations = self.deviations(broken=True)
        self.assertTrue(any(run.specimen == "loop" for run in deviations))
        for run, wrong in deviations.items():
            self.assertEqual(wrong, run.n if run.specimen == "loop" else 0, run)

    def test_every_specimen_makes_the_system_calls_it_predicts(self):
        for run, found in self.added():
            for name, calls in (("syscalls", found.syscalls), ("getppid-calls", found.getppid)):
                if self.truth(run, name) is not None:
                    self.assertEqual(calls, self.truth(run, name), run)


@kits.each(kits.foreign())
class Probe:
    """The real kit through exec:, as a user would."""

    def setUp(self):
        absence = self.kit.emulator_absence()
        if absence:
            self.skipTest(absence)

    def through(self, *arguments):
        return tap.assay(*arguments, via="exec:" + self.kit.cross["qemu_user"], env={"ASSAY_KIT": self.kit.folder})

    def test_doctor_says_that_the_machine_is_emulated_and_cannot_count(self):
        done = self.through("doctor", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answer = json.loads(done.stdout)
        self.assertEqual(answer["machine"]["isa"], self.kit.isa)
        self.assertIn("qemu-user", answer["machine"]["emulated"])
        checks = {result["check"]: result for result in answer["results"]}
        self.assertEqual((checks["perf-syscall"]["status"], checks["perf-syscall"]["value"]), ("bad", "refused: ENOSYS"))
        self.assertIn("qemu-user", checks["virtualization"]["value"])

    def test_events_are_listed_with_the_reason_why_none_opens(self):
        done = self.through("events", "--json")
        results = json.loads(done.stdout)["results"]
        self.assertIn("instructions", [result["event"] for result in results])
        for result in results:
            if result["kind"] != "source":  # what counts by executing needs no perf_event_open
                # A tracepoint's number is in tracefs, which need not be mounted.
                lacking = "tracefs|perf_event_open" if result["kind"] == "tracepoint" else "perf_event_open"
                self.assertFalse(result["openable"], result)
                self.assertRegex(result["reason"], lacking)

    def test_measure_ends_with_the_status_of_a_machine_that_lacks_what_was_asked(self):
        done = self.through("measure", "--event", "instructions:u", "--specimen", "loop", "--n", "10")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"instructions:u cannot be counted here: .*perf_event_open.*qemu-user")


if __name__ == "__main__":
    tap.main()
