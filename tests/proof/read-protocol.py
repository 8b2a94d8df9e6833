# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof of the user-space read: the readers of src/lib/user-read.h are stepped instruction by instruction on every
ISA, and at every boundary the operating system gets a turn: it moves, stops, widens, refuses the event and updates its
page. Whatever leaves the reader must have been true at one moment of the read. Readers with known defects must not
pass. Counters and clock are emulated, so that no PMU is needed."""
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap
from stepper import remote, traced
from stepper.bench import Bench, Torn
from stepper.image import Image
from stepper.isa import ISAS
from stepper.plays import Play

LEVELS = ("O0", "O1", "O2", "O3")
READERS = (("step_count", False), ("step_full", True))
# As the harness compiles its windows, and nothing but it: no libc, no start code.
FLAGS = ("-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fno-lto", "-fno-stack-protector",
         "-U_FORTIFY_SOURCE", "-ffreestanding", "-fno-pie", "-no-pie", "-static", "-nostdlib")
X86_FLAGS = ("-fcf-protection=none",)
FEW_KINDS = ("changed", "descheduled", "wrapped", "refused")
# level, function, full, one of how many boundaries the first update stands at
PAIRS = (("O2", "step_count", False, 1), ("O2", "step_full", True, 7), ("O0", "step_full", True, 61))
DEFECTS = ("lock_not_read_again", "lock_read_after_data", "lock_ignored_on_retry", "index_read_outside",
           "width_read_outside", "clock_read_outside", "offset_read_twice", "counter_read_outside", "sign_not_extended",
           "width_ignored", "index_zero_read", "capability_ignored", "stale_times_as_fresh",
           "fresh_times_without_counter", "narrow_clock_ignored")


def compiler(isa):
    """The compiler for an ISA, or why there is none."""
    native = platform.machine() == isa.name
    names = ("cc", "gcc", "clang") if native else (f"{isa.name}-linux-gnu-gcc",)
    for name in names:
        if shutil.which(name):
            return name
    raise unittest.SkipTest(f"no compiler for {isa.name}: {names[-1]} is not installed")


def build(isa, level, folder):
    path = os.path.join(folder, f"{isa.name}-{level}")
    extra = X86_FLAGS if isa.name == "x86_64" else ()
    source = f"{tap.SOURCE}/src"
    subprocess.run([compiler(isa), f"-{level}", *FLAGS, *extra, f"-I{source}", f"-I{source}/arch/{isa.name}",
                    f"-I{tap.SOURCE}/include", "-o", path, f"{tap.SOURCE}/tests/stepper/stepped-reader.c"], check=True)
    return path


class Protocol:
    """The cases, for each ISA and each way to step it."""
    isa = stepper = None
    defect_levels = ("O2",)

    @classmethod
    def setUpClass(cls):
        why_not = traced.possible(cls.isa) if cls.stepper is traced.Traced else remote.possible(cls.isa)
        if why_not:
            raise unittest.SkipTest(why_not)
        if cls.stepper is remote.Remote and cls.isa.name == platform.machine() and not traced.possible(cls.isa):
            raise unittest.SkipTest("the same code is stepped on this CPU itself: On_native")
        cls.folder = tempfile.TemporaryDirectory(prefix="read-protocol-")
        cls.benches = {}
        try:
            for level in LEVELS:
                path = build(cls.isa, level, cls.folder.name)
                cls.benches[level] = Bench(cls.isa, Image(path), cls.stepper)
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        for bench in cls.benches.values():
            bench.target.close()
        cls.folder.cleanup()

    def play(self, level, function="step_full", full=True):
        return Play(self.benches[level], function, full)

    def each(self):
        for level in LEVELS:
            for function, full in READERS:
                yield level, function, self.play(level, function, full)

    def report(self, level, function, text):
        print(f"# {self.isa.name} -{level} {function.removeprefix('step_')}: {text}", flush=True)

    def test_every_counter_is_read_with_its_width_and_sign(self):
        for level, function, play in self.each():
            self.report(level, function, f"{play.undisturbed()} reads")

    def test_no_torn_value_leaves_when_the_page_changes_at_any_instruction(self):
        for level, function, play in self.each():
            judged = play.once("counting", FEW_KINDS) + play.once("waiting", ("changed", "moved"))
            self.report(level, function, f"{play.boundaries} boundaries, {judged} reads")

    def test_no_torn_value_leaves_whatever_changes(self):
        for function, full in READERS:
            play = self.play("O2", function, full)
            judged = play.once() + sum(play.once(start, FEW_KINDS) for start in play.starts)
            self.report("O2", function, f"{play.boundaries} boundaries, {judged} reads")

    def test_no_torn_value_leaves_when_the_page_changes_twice(self):
        for level, function, full, every in PAIRS:
            self.report(level, function, f"{self.play(level, function, full).pairs(every=every)} pairs")

    def test_a_reader_ends_once_the_page_is_left_alone(self):
        for _, _, play in self.each():
            for updates in (7, 250):
                play.storm(updates, bound=1000)

    def test_the_lock_brackets_the_read(self):
        """A new lock makes it try again exactly between two boundaries, and the counter is read between them."""
        for level, function, play in self.each():
            pattern, counter = play.retries()
            self.assertRegex(pattern, "^0*1+0*$")
            self.assertEqual(pattern[counter], "1")
            self.report(level, function, f"tries again at boundaries {pattern.index('1')} to {pattern.rindex('1')}")

    def judge_whole(self, level, function):
        play = self.play(level, function)
        play.undisturbed()
        play.once("counting", ("changed",))
        play.pairs(every=29, kinds=(("changed", "changed"),))

    def test_a_reader_with_a_defect_does_not_pass(self):
        for level in self.defect_levels:
            self.judge_whole(level, "step_control")  # the same code passes without one
            for defect in DEFECTS:
                with self.subTest(level=level, defect=defect):
                    with self.assertRaises(Torn):
                        self.judge_whole(level, f"step_{defect}")


def load_tests(loader, _standard, _pattern):
    """One ISA a process, so that they run side by side; all that there are when none is named. "native" is this CPU
    itself, the others are emulated."""
    suite = unittest.TestSuite()
    for name in sys.argv[1:] or ["native", *ISAS]:
        isa, stepper = (name, remote.Remote) if name != "native" else (platform.machine(), traced.Traced)
        if isa in ISAS:
            case = type(f"On_{name}", (Protocol, unittest.TestCase), {"isa": ISAS[isa], "stepper": stepper})
            if stepper is traced.Traced:
                case.defect_levels = LEVELS  # cheap where nothing is emulated
            suite.addTests(loader.loadTestsFromTestCase(case))
    return suite


if __name__ == "__main__":
    tap.main()
