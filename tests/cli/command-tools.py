#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole programs counted by QEMU and by Valgrind: to the instruction where their length is known, and refused where not all
could be counted."""
import errno
import os
import pathlib
import shutil
import signal
import stat
import tempfile
import unittest

import frames
import programs
import tap
from programs import ALL, SIGNAL, TIMEOUT, program

# Instructions that come to their end; every source must say so. Valgrind counts one that faults, too.
EXACT = {"repeats": 225, "writes-itself": 904, "calls-on-itself": 605, "threads": 800078, "children": 600059, "faults": 1460,
         "crashes": 2, "overflows": 2}
STATUS = {"children": 7, "crashes": SIGNAL + signal.SIGSEGV, "overflows": SIGNAL + signal.SIGSEGV}


def given(visit):
    """What a program was given, in its own words (mirror)."""
    lines = visit.output["1"].splitlines()
    kept = [line for line in lines if line.split()[0] in ("word", "words", "variable", "variables", "bytes", "folder", "stack")]
    assert len(kept) > 4, lines
    return kept


def executions(visit):
    return sum(int(frame["instructions"]) * int(frame["executions"]) for frame in visit.details)


class Counting(programs.Session):
    """All cases of a source take one probe, whose files must be gone when it is."""
    source = ""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.probe = frames.Probe(tap.KIT, env=dict(os.environ, TMPDIR=folder), cwd=programs.FOLDER)
        cls.addClassCleanup(cls.nothing_of_the_probe_is_left, folder)
        absent = [frame for frame in cls.probe.hello() if frame.type == "absent" and frame["kind"] == "counter"
                  and frame["name"] == cls.source]
        if absent:
            raise unittest.SkipTest(absent[0]["reason"])

    @classmethod
    def nothing_of_the_probe_is_left(cls, folder):
        cls.probe.__exit__()
        assert not os.listdir(folder), os.listdir(folder)

    def counted(self, *words, source=None, classes=("instructions",), **factors):
        events = [f"{source or self.source}/{name}/" for name in classes]
        return self.ran(*words, probe=self.probe, events=events, **factors)

    def count(self, *words, **factors):
        visit = self.counted(*words, **factors)
        self.assertTrue(visit.done, visit.end)
        return visit.values[0][0]

    def refusal(self, *words, **factors):
        visit = self.counted(*words, **factors)
        self.assertFalse(visit.done, visit.values)
        return int(visit.end["error"]), visit.end["reason"]

    def exact(self, name):
        path = program("exact-" + name)
        if not os.path.exists(path):
            raise unittest.SkipTest("these programs are in assembly of x86-64")
        return path

    def script(self, text):
        path = self.work / "script"
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def static(self):
        """A program of the kit that is linked with the C library."""
        return ["subject:calls", "2"]


class Qemu(Counting):
    source = "qemu"

    def test_known_lengths_are_counted_to_the_instruction(self):
        for name, truth in EXACT.items():
            with self.subTest(name):
                visit = self.counted(self.exact(name))
                self.assertTrue(visit.done, visit.end)
                self.assertEqual((visit.values[0][0], visit.became["status"]), (truth, STATUS.get(name, 0)))

    def test_the_cpu_itself_agrees(self):
        for name in ("repeats", "writes-itself", "calls-on-itself", "faults", "crashes", "overflows"):
            with self.subTest(name):
                self.assertEqual(self.count(self.exact(name), source="step"), EXACT[name])

    def test_repetitions_are_told_apart(self):
        visit = self.counted(self.exact("repeats"), classes=("instructions", "instructions-raw", "syscalls"))
        self.assertEqual(visit.values[0][:3], (225, 225 + 20 * 1000, 1))

    def test_threads_and_children_are_counted_as_such(self):
        for name, tasks, processes in (("threads", 5, 1), ("children", 4, 4), ("repeats", 1, 1)):
            became = self.counted(self.exact(name)).became
            self.assertEqual((became["tasks"], became["processes"]), (tasks, processes), name)

    def test_threads_lose_nothing_however_often(self):
        self.assertEqual({self.count(self.exact("threads")) for _ in range(5)}, {EXACT["threads"]})

    def test_a_program_that_is_executed_counts_with_the_one_before(self):
        becomes, repeats = self.exact("becomes"), self.exact("repeats")
        visit = self.counted(becomes, becomes, repeats)
        self.assertTrue(visit.done, visit.end)
        self.assertEqual((visit.values[0][0], visit.became["tasks"]), (7 + 7 + EXACT["repeats"], 1))

    def test_one_that_cannot_be_executed_is_left_to_the_system(self):
        visit = self.counted(self.exact("becomes"), "/nonexistent")
        self.assertEqual((visit.values[0][0], visit.became["status"]), (7 + 3, 99))

    def test_arguments_and_environment_reach_the_next_program(self):
        for controls in (0, ALL):
            alone = self.ran(program("mirror"), "one", "", "a b", probe=self.probe, controls=controls, shown=1)
            before = self.ran(program("becomes"), program("mirror"), "one", "", "a b", probe=self.probe, controls=controls,
                              shown=1)
            after = self.counted(program("becomes"), program("mirror"), "one", "", "a b", controls=controls, shown=1)
            self.assertEqual(given(after), given(before))
            self.assertEqual(given(after)[1:], given(alone)[1:])

    def test_a_program_that_executes_itself_is_not_qemu(self):
        visit = self.counted(program("becomes"), "/proc/self/exe", program("ends"), "exit", "7")
        self.assertTrue(visit.done, visit.end)
        self.assertEqual(visit.became["status"], 7)
        twice = self.count(program("becomes"), program("becomes"), program("ends"), "exit", "7", controls=ALL)
        itself = self.count(program("becomes"), "/proc/self/exe", program("ends"), "exit", "7", controls=ALL)
        self.assertLess(abs(twice - itself), twice / 10)

    def test_children_that_are_killed_at_once_spoil_nothing(self):
        for _ in range(4):
            visit = self.counted(program("kills"), "30")
            self.assertTrue(visit.done, visit.end)
            self.assertEqual(visit.became["status"], 0)

    def test_a_script_is_run_by_its_interpreter(self):
        becomes, repeats = self.exact("becomes"), self.exact("repeats")
        # The interpreter gets its argument, which it executes, and the script's path.
        self.assertEqual(self.count(self.script(f"#! {becomes}  {repeats} \n")), 7 + EXACT["repeats"])
        self.assertEqual(self.count(becomes, self.script(f"#!{becomes} {repeats}\n")), 7 + 7 + EXACT["repeats"])

    def test_what_it_is_given_is_the_same_as_without(self):
        for controls in (0, ALL):
            plain = self.ran(program("mirror"), "one", "", probe=self.probe, controls=controls, shown=1)
            under = self.counted(program("mirror"), "one", "", controls=controls, shown=1)
            self.assertTrue(under.done, under.end)
            self.assertEqual(given(under), given(plain))

    def test_32_bit_programs_are_counted(self):
        narrow = [frame for frame in self.probe.catalogue if frame.type == "subject" and frame["bits"] == "32"]
        if not narrow:
            self.skipTest("this kit has no 32-bit program")
        words = ["subject:" + narrow[0]["name"], "100"]
        self.assertEqual(len({self.count(*words, controls=ALL) for _ in range(3)}), 1)

    def test_what_was_executed_sums_to_the_count(self):
        self.probe.command(0, [self.exact("children")], [f"{self.source}/instructions/"], detail="code")
        self.probe.send("visits", list="0:0")
        self.probe.send("go")
        ran = [frame for frame in self.probe.until("idle") if frame.type == "ran"]
        self.assertEqual(sum(int(frame["instructions"]) * int(frame["executions"]) for frame in ran), EXACT["children"])
        self.assertEqual({os.path.basename(frame["object"]) for frame in ran}, {"command-exact-children"})

    def test_a_static_program_is_identical_under_control(self):
        words = self.static()
        self.assertEqual(len({self.count(*words, controls=ALL) for _ in range(5)}), 1)

    def test_one_whose_time_is_over_is_counted_as_far_as_it_came(self):
        visit = self.ended_late(program("deaf"), timeout=500, probe=self.probe, events=[f"{self.source}/instructions/"])
        self.assertTrue(visit.done, visit.end)
        self.assertGreaterEqual(visit.became["status"], TIMEOUT)
        self.assertGreater(visit.values[0][0], 0)

    def test_variables_that_qemu_hears_on_are_refused(self):
        self.probe = self.started(environment={"QEMU_STRACE": "1"})
        error, reason = self.refusal(program("ends"), "exit", "0")
        self.assertEqual(error, errno.EINVAL)
        self.assertIn("QEMU_STRACE", reason)
        self.assertGreater(self.count(program("ends"), "exit", "0", controls=ALL), 0)

    def test_no_core_is_left(self):
        visit = self.counted(program("ends"), "crash", directory=str(self.work), controls=ALL)
        self.assertEqual(visit.became["status"], SIGNAL + signal.SIGSEGV)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_what_leaves_qemu_is_refused_by_name(self):
        narrow = os.path.join(tap.KIT, "subject-stack32")
        if not os.path.exists(narrow):
            self.skipTest("this kit has no 32-bit program")
        error, reason = self.refusal(program("becomes"), narrow, "1")
        self.assertEqual(error, errno.ENOTSUP)
        self.assertIn("subject-stack32", reason)
        self.assertIn("step", reason)

    def test_a_program_of_another_isa_is_refused(self):
        foreign = self.work / "foreign"
        foreign.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\x16\x00" + bytes(44))
        foreign.chmod(0o755)
        error, reason = self.refusal(str(foreign))
        self.assertEqual(error, errno.ENOEXEC)
        self.assertIn("ISA", reason)


class Valgrind(Counting):
    source = "valgrind"

    def test_known_lengths_are_counted_to_the_instruction(self):
        for name in ("repeats", "writes-itself", "calls-on-itself", "threads"):
            with self.subTest(name):
                self.assertEqual(self.count(self.exact(name)), EXACT[name])

    def test_the_status_is_the_programs_own(self):
        for words, status in ((("exit", "42"), 42), (("signal", "15"), SIGNAL + 15), (("crash",), SIGNAL + 11)):
            self.assertEqual(self.counted(program("ends"), *words).became["status"], status)

    def test_repetitions_are_told_apart(self):
        visit = self.counted(self.exact("repeats"), classes=("instructions", "instructions-raw"))
        self.assertEqual(visit.values[0][:2], (225, 225 + 20 * 1000))

    def test_other_processes_are_refused(self):
        error, reason = self.refusal(self.exact("children"))
        self.assertEqual(error, errno.ENOTSUP)
        self.assertIn("qemu", reason)

    def test_another_program_is_refused(self):
        error, reason = self.refusal(self.exact("becomes"), self.exact("repeats"))
        self.assertEqual(error, errno.ENOTSUP)
        self.assertIn("qemu", reason)

    def test_a_static_program_is_identical_under_control(self):
        words = self.static()
        self.assertEqual(len({self.count(*words, controls=ALL) for _ in range(5)}), 1)

    def test_one_that_had_to_be_killed_has_a_status_and_no_count(self):
        visit = self.ended_late(program("deaf"), timeout=500, probe=self.probe, events=[f"{self.source}/instructions/"])
        self.assertTrue(visit.done, visit.end)
        self.assertEqual((visit.became["status"], visit.running[0][0]), (TIMEOUT + signal.SIGKILL, 0))
        told = self.ended_late(program("deaf"), timeout=1000, probe=self.probe, events=[f"{self.source}/instructions/"], detail="code")
        self.assertEqual((told.became["status"], told.running[0][0], told.details), (TIMEOUT + signal.SIGKILL, 0, []))

    def test_what_was_executed_sums_to_the_count(self):
        for name in ("repeats", "threads"):
            with self.subTest(name):
                visit = self.counted(self.exact(name), detail="code")
                self.assertTrue(visit.done, visit.end)
                self.assertEqual((visit.values[0][0], executions(visit)), (EXACT[name], EXACT[name]))
                self.assertEqual(sum(int(frame["repetitions"]) for frame in visit.details), 20000 if name == "repeats" else 0)
                self.assertEqual({os.path.basename(frame["object"]) for frame in visit.details}, {"command-exact-" + name})

    def test_a_program_with_libc_is_told_as_it_is_counted(self):
        visit = self.counted(*self.static(), controls=ALL, detail="code")
        self.assertEqual(executions(visit), self.count(*self.static(), controls=ALL))
        self.assertIn("main", {frame["function"] for frame in visit.details})

    def test_instructions_that_fault_are_not_told(self):
        for name in ("crashes", "overflows"):
            visit = self.counted(self.exact(name), detail="code")
            self.assertEqual((executions(visit), visit.became["status"]), (EXACT[name], STATUS[name]))

    def test_what_cannot_be_told_is_refused(self):
        for words, reason in (((self.exact("children"),), "starts other processes"),
                              ((self.exact("becomes"), self.exact("repeats")), "another program"),
                              ((self.exact("writes-itself"),), "changes its code")):
            with self.subTest(words):
                error, told = self.refusal(*words, detail="code")
                self.assertEqual(error, errno.ENOTSUP)
                self.assertIn(reason, told)

    def test_more_than_can_be_told_is_refused(self):
        """By a trace that a program writes faster than Valgrind."""
        real, folder = shutil.which("valgrind"), pathlib.Path(self.folder.name, "bin")
        folder.mkdir()
        (folder / "valgrind").write_text(f'''#!/bin/sh
for word; do case $word in --log-file=*) file=${{word#*=}};; --trace-mem=yes) traces=yes;; esac; done
[ -n "$traces" ] || exec {real} "$@"
exec yes 'I  04001000,3' > "${{file%\\%p}}$$"
''')
        (folder / "valgrind").chmod(0o755)
        self.probe = self.started(environment={"PATH": f"{folder}:{os.environ['PATH']}"})
        error, reason = self.refusal("subject:loop", "30000000", detail="code")
        self.assertEqual(error, errno.E2BIG)
        self.assertIn("qemu", reason)

    def test_no_shell_is_given_what_is_no_program(self):
        self.assertEqual(self.refusal(self.script("echo hello\n"))[0], errno.ENOEXEC)

    def test_no_core_is_left(self):
        visit = self.counted(program("ends"), "crash", directory=str(self.work), controls=ALL)
        self.assertEqual(visit.became["status"], SIGNAL + signal.SIGSEGV)
        self.assertEqual(list(self.work.iterdir()), [])


del Counting

if __name__ == "__main__":
    tap.main()
