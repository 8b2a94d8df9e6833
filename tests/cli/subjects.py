#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subjects of the kits: their truths hold for two sources that are not assay's, and each shows what it is there to show."""
import ctypes
import functools
import os
import re
import shutil
import subprocess
import unittest

import frames
import kits
import tap

STEP_COUNT = os.environ.get("STEP_COUNT", "")
ADDR_LIMIT_3GB = 0x8000000
VALGRIND = shutil.which("valgrind")


@functools.lru_cache(maxsize=None)
def catalogue(kit_folder, *prefix):
    with frames.Probe(kit_folder, prefix=prefix) as probe:
        return tuple(probe.hello())


def subjects(kit):
    """Frames by name, as the kit's own probe tells them."""
    return {frame["name"]: frame for frame in catalogue(kit.folder, *kit.emulator()) if frame.type == "subject"}


def absences(kit):
    return {frame["name"]: frame["reason"] for frame in catalogue(kit.folder, *kit.emulator())
            if frame.type == "absent" and frame["kind"] == "subject"}


def truth(frame, n):
    return int(frame["base"]) + int(frame["each"]) * n


def run(words, timeout=120, variables=None, **options):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=timeout,
                          check=False, env=variables or {}, **options)


def stepped(program, n, **options):
    """Instructions by a bare ptrace loop, and repetitions beyond the first."""
    done = run([STEP_COUNT, program, str(n)], **options)
    if done.returncode == 77:
        raise unittest.SkipTest(f"programs cannot be traced here: {done.stderr}")
    assert done.returncode == 0, done
    return tuple(int(word) for word in done.stdout.splitlines()[-1].split())


def totals(words):
    return sum(int(total) for total in re.findall(r"Total instructions: (\d+)", words))


def by_valgrind(program, n, **options):
    """Instructions as exp-bbv counts them, a repeated one once."""
    done = run([VALGRIND, "--tool=exp-bbv", "--bb-out-file=/dev/null", "--trace-children=yes", program, str(n)],
               **options)
    assert done.returncode == 0, done
    return totals(done.stderr)


def by_trace(kit, program, n):
    """Instructions as qemu-user logs them, one at a time. Each repetition of a string instruction is one."""
    done = run([*kit.emulator(), "-singlestep", "-d", "exec,nochain", program, str(n)])
    assert done.returncode == 0, done
    return len(re.findall(r"^Trace ", done.stderr, re.MULTILINE))


class Kit:
    """The own kit and every other."""
    kit = None

    def program(self, name):
        return os.path.join(self.kit.folder, "subject-" + name)

    def setUp(self):
        if self.kit.emulator_absence():
            self.skipTest(self.kit.emulator_absence())

    def test_every_subject_is_a_program_of_the_kit_or_absent_with_a_reason(self):
        here, lacking = subjects(self.kit), absences(self.kit)
        files = {name[len("subject-"):] for name in os.listdir(self.kit.folder) if name.startswith("subject-")}
        self.assertEqual(files, set(here))
        self.assertFalse(set(here) & set(lacking))
        self.assertTrue(all(len(reason) > 10 for reason in lacking.values()), lacking)
        for name in ("loop", "spin", "faults", "threads", "address-hash", "environment", "random", "identity", "clock", "partial",
                     "calls", "output", "repeat-string", "fldcw", "rounding-x87", "rounding-sse", "rounding-endless", "stack32"):
            self.assertTrue(name in here or name in lacking, name)

    def test_arguments_that_are_no_number_are_refused(self):
        for name in subjects(self.kit):
            for words in ([], [""], ["0"], ["12x"], ["-1"], ["99999999999999999999"]):
                with self.subTest(name=name, words=words):
                    done = run([*self.kit.emulator(), self.program(name), *words])
                    self.assertEqual(done.returncode, 2, done)
                    self.assertIn("takes one number", done.stderr)


@kits.each(kits.foreign())
class ForeignKit(Kit):
    def test_truths_hold_instruction_by_instruction_in_qemu(self):
        self.assertIn("loop", subjects(self.kit))
        for name, frame in subjects(self.kit).items():
            # with several threads qemu's log tells now and then an instruction that it broke off and began again
            for n in (1, 10, 123) if frame["truth"] == "1" and name != "threads" else ():
                with self.subTest(name=name, n=n):
                    self.assertEqual(by_trace(self.kit, self.program(name), n), truth(frame, n))


@unittest.skipUnless(tap.KIT and STEP_COUNT, "no kit was built for this ISA")
class OwnKit(Kit, unittest.TestCase):
    kit = kits.Kit(None)
    lengths = (1, 10, 1234)  # with and without carries: reading a number must not cost by its digits

    def exact(self):
        return [(name, frame, n) for name, frame in subjects(self.kit).items() if frame["truth"] == "1" for n in self.lengths]

    @unittest.skipIf(os.uname().machine not in ("x86_64", "aarch64"), "this ISA cannot be stepped")
    def test_truths_hold_for_a_bare_ptrace_loop(self):
        self.assertGreater(len(self.exact()), 15)
        for name, frame, n in self.exact():
            with self.subTest(name=name, n=n):
                self.assertEqual(stepped(self.program(name), n)[0], truth(frame, n))

    @unittest.skipUnless(VALGRIND, "valgrind is not installed")
    def test_truths_hold_for_valgrind(self):
        for name, frame, n in self.exact():
            with self.subTest(name=name, n=n):
                self.assertEqual(by_valgrind(self.program(name), n), truth(frame, n))

    @unittest.skipUnless(VALGRIND, "valgrind is not installed")
    def test_a_long_loop_is_as_long_as_told(self):
        frame = subjects(self.kit)["spin"]
        self.assertEqual(by_valgrind(self.program("spin"), 3000000), truth(frame, 3000000))

    def test_what_needs_no_more_than_its_argument_is_told_as_such(self):
        """The default of each can be executed, and ends."""
        for name, frame in subjects(self.kit).items():
            with self.subTest(name=name):
                self.assertEqual(run([self.program(name), frame["n"]]).returncode, 0)


@unittest.skipUnless(tap.KIT and STEP_COUNT, "no kit was built for this ISA")
@unittest.skipUnless(os.uname().machine == "x86_64", "these subjects are of x86")
class Shown(unittest.TestCase):
    kit = kits.Kit(None)

    def program(self, name):
        if name in absences(self.kit):
            self.skipTest(absences(self.kit)[name])
        return os.path.join(self.kit.folder, "subject-" + name)

    def test_string_instructions_repeat_as_often_as_they_are_told_to(self):
        self.assertEqual(stepped(self.program("repeat-string"), 5)[1], 5 * (31 + 95))

    @unittest.skipUnless(VALGRIND, "valgrind is not installed")
    def test_valgrind_rounds_x87_arithmetic_to_doubles_and_ends_sooner(self):
        program = self.program("rounding-x87")
        each = 64 * 5 + 6, 53 * 5 + 6
        self.assertEqual(stepped(program, 7)[0] - stepped(program, 6)[0], each[0])
        self.assertEqual(by_valgrind(program, 7) - by_valgrind(program, 6), each[1])

    @unittest.skipUnless(VALGRIND, "valgrind is not installed")
    def test_what_waits_for_more_than_a_double_can_tell_never_ends_in_valgrind(self):
        program = self.program("rounding-endless")
        there = stepped(program, 1)[0]
        words = [VALGRIND, "--tool=exp-bbv", "--bb-out-file=/dev/null", program, "1"]
        for seconds in (4, 12, 36):  # a busy machine may need some of them before the program begins
            with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env={}) as endless:
                with self.assertRaises(subprocess.TimeoutExpired):
                    endless.wait(timeout=seconds)
                endless.terminate()
                executed = totals(endless.stderr.read())
            if executed > 100 * there:
                break
        self.assertGreater(executed, 100 * there)

    @unittest.skipUnless(VALGRIND, "valgrind is not installed")
    def test_valgrind_places_what_is_hashed_elsewhere_and_the_loop_does_not_care(self):
        hashed, loop = self.program("address-hash"), self.program("loop")
        places = [{"A": "x" * 16 * length} for length in range(4)]  # one of them may happen to take the same number
        self.assertEqual(stepped(hashed, 3), stepped(hashed, 3))
        for program, compare in ((hashed, self.assertNotEqual), (loop, self.assertEqual)):
            compare([stepped(program, 3, variables=place)[0] for place in places],
                    [by_valgrind(program, 3, variables=place) for place in places])

    def test_a_32_bit_program_takes_other_paths_where_its_stack_ends_at_3_gb(self):
        program = self.program("stack32")
        libc = ctypes.CDLL(None)
        usual = stepped(program, 3)
        lower = stepped(program, 3, preexec_fn=lambda: libc.personality(ADDR_LIMIT_3GB))
        self.assertEqual(usual, stepped(program, 3))
        self.assertNotEqual(usual, lower)

    def test_a_longer_environment_is_longer_to_read(self):
        program = self.program("environment")
        counts = [stepped(program, 1, variables={"A": "x" * length})[0] for length in (0, 100, 200)]
        self.assertEqual(counts[2] - counts[1], counts[1] - counts[0])
        self.assertGreaterEqual(counts[1] - counts[0], 300)

    def test_what_depends_on_chance_is_not_the_same_twice(self):
        program = self.program("random")
        self.assertGreater(len({stepped(program, 5) for _ in range(5)}), 1)


if __name__ == "__main__":
    tap.main()
