# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `step` counts in the empty windows of paths, against two accounts that owe nothing to ptrace: the code of the window as
objdump shows it, where it is straight, and Valgrind's trace of a harness that measures in earnest."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import tap

LEVELS = "O0", "O1", "O2", "O3"
ENABLE, DISABLE = 0x2400, 0x2401  # of perf descriptors' ioctl
ENABLE_ALL, DISABLE_ALL = 32, 31  # prctl's
CALL = re.compile(r"SYSCALL\[\d+,\d+\]\(\s*(\d+)\) \w+\s?\(\s*(\d+)(?:, (0x[0-9a-f]+|\d+))?.*")
READ, IOCTL, PRCTL, RUSAGE = (0, 16, 157, 98) if os.uname().machine == "x86_64" else (63, 29, 167, 165)


def measure(event, path, *arguments, kit=None, folder):
    done = tap.assay("measure", "--json", "--event", event, "--path", path, "--specimen", "null", "--no-overhead",
                     "--store", os.path.join(folder, f"{event.partition('/')[0]}-{len(os.listdir(folder))}"), *arguments,
                     env={"ASSAY_KIT": kit or tap.KIT}, timeout=300)
    if done.returncode == 3:
        raise unittest.SkipTest(done.stderr.strip())
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["results"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay-stepped.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def stepped(self, path, *arguments):
        """(pattern, level) -> counts, run by run."""
        rows = measure("step/instructions/", path, "--runs", "2", *arguments, folder=self.folder)
        return {(row["pattern"], row["opt"]): row["values"] for row in rows}


@unittest.skipUnless(shutil.which("objdump"), "objdump is not installed")
class Decoded(Case):
    def straight(self, pattern):
        """Instructions from behind the first to and with the second system call, of every window that has these two and neither
        calls nor jumps: perf-syscall's, one for each level."""
        listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--no-addresses", f"{tap.KIT}/harness-static"],
                                 capture_output=True, text=True, check=True).stdout
        counts = []
        for body in re.findall(rf"<window_{pattern}_null_group>:\n((?:.+\n)+)", listing):
            words = [line.split()[0] for line in body.splitlines() if line.strip()]
            calls = [place for place, word in enumerate(words) if word in ("syscall", "svc")]
            if len(calls) == 2 and not any(re.fullmatch(r"call|j\w+|bl?r?|b\.\w+|t?bn?z|cbn?z", word) for word in words):
                counts.append(calls[1] - calls[0])
        return counts

    def test_straight_windows_are_as_long_as_they_are_decoded(self):
        stepped = self.stepped("perf-syscall", "--pattern", "all", "--opt", "all")
        self.assertEqual(len(stepped), 16)
        for pattern in ("ar", "ao", "rr", "ro"):
            decoded = self.straight(pattern)
            self.assertEqual(len(decoded), len(LEVELS), pattern)
            for run in (0, 1):
                self.assertEqual(collections.Counter(stepped[pattern, level][run] for level in LEVELS), collections.Counter(decoded))


class Trace:
    """A harness under Valgrind: its instructions, and its system calls among them."""

    def __init__(self, lines):
        self.windows, calls, executed = [], None, 0
        for line in lines:
            if line.startswith("I "):
                executed += 1
                continue
            call = CALL.match(line)
            if not call:
                continue
            number, first, second = int(call[1]), int(call[2]), int(call[3] or "0", 0)
            if number == RUSAGE:  # the harness asks before and behind every window
                if calls is not None:
                    self.windows.append(self.between(calls))
                calls = [] if calls is None else None
            elif calls is not None:
                calls.append((number, first, second, executed))

    @staticmethod
    def between(calls):
        """From the first call that starts or reads the first descriptor to the next that reads or stops it."""
        mine = min((first for number, first, _, _ in calls if number in (READ, IOCTL)), default=None)
        opening = None
        for number, first, second, executed in calls:
            own = number in (READ, IOCTL) and first == mine
            if opening is None:
                starts = (number == IOCTL and own and second == ENABLE) or (number == PRCTL and first == ENABLE_ALL)
                if starts or (number == READ and own):
                    opening = executed
            elif (number == READ and own) or (number == IOCTL and own and second == DISABLE) or (number == PRCTL and first == DISABLE_ALL):
                return executed - opening
        raise AssertionError(f"no window in {calls}")


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
class Traced(Case):
    def setUp(self):
        super().setUp()
        self.log = os.path.join(self.folder, "log")
        kit = pathlib.Path(self.folder, "kit")
        kit.mkdir()
        self.kit = str(kit)
        shutil.copy(f"{tap.KIT}/assay-probe", kit)
        (kit / "manifest").write_text(f"assay-kit 1\nbuild traced\nisa {os.uname().machine}\nharness harness-static static\n")
        harness = kit / "harness-static"
        harness.write_text(f"""#!/bin/sh
[ "$1" = --describe ] && exec '{tap.KIT}/harness-static' --describe
exec valgrind --tool=lackey --trace-mem=yes --trace-syscalls=yes --log-file='{self.log}' -- '{tap.KIT}/harness-static'
""")
        harness.chmod(0o755)

    def traced(self, path, pattern, *arguments):
        measure("page-faults:u", path, "--pattern", pattern, "--runs", "2", *arguments, kit=self.kit, folder=self.folder)
        with open(self.log, encoding="ascii", errors="replace") as lines:
            return Trace(lines).windows

    def compare(self, paths, *arguments):
        for path in paths:
            for (pattern, level), counts in self.stepped(path, "--pattern", "all", *arguments).items():
                with self.subTest(path=path, pattern=pattern, level=level):
                    self.assertEqual(self.traced(path, pattern, *arguments), counts)

    def test_every_path_and_pattern(self):
        self.compare(("perf-read", "perf-syscall", "perf-prctl"))

    def test_code_that_was_not_optimised(self):
        self.compare(("perf-read",), "--opt", "O0")

    def test_counters_of_their_own(self):
        self.compare(("perf-read",), "--counters", "3", "--separate")


if __name__ == "__main__":
    tap.main()
