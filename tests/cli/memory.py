# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory that runs out in the controller: one sentence, status 1, and the store as it was."""
import glob
import hashlib
import lzma
import os
import re
import resource
import shutil
import subprocess
import tempfile
import unittest

import tap

MIB = 1 << 20
ENOUGH = 4096  # MiB of addresses


def limited(mib, *arguments, **options):
    """Runs assay with that many MiB of addresses. Soft, so that a probe can be given more."""
    return subprocess.run([tap.ASSAY, *arguments], text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=120,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (int(mib * MIB), resource.RLIM_INFINITY)), **options)


class Memory(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-memory-")
        self.addCleanup(shutil.rmtree, self.folder)

    def stored(self, name):
        path = os.path.join(self.folder, name + ".sqlite")
        with lzma.open(os.path.join(tap.SOURCE, "tests", "stores", name + ".sqlite.xz")) as packed, open(path, "wb") as out:
            out.write(packed.read())
        return path

    def least(self, suffices, *arguments):
        """The fewest MiB whose end suffices, to a quarter."""
        low, high = 0, ENOUGH
        while high - low > 0.25:
            middle = (low + high) / 2
            low, high = (low, middle) if suffices(limited(middle, *arguments).returncode) else (middle, high)
        return high

    def span(self, *arguments):
        """From where on the kernel can execute it at all, and its stack has room, up to where it has enough."""
        return self.least(lambda status: status >= 0, *arguments) + 1, self.least(lambda status: status == 0, *arguments)

    def assert_said(self, done, status=1):
        """One sentence that says what is lacking, and what to do; where the store's writer found it, the command that goes on as well."""
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        said = re.sub(r"^assay \w+: broken off after \d+ of \d+ processes; what was measured is kept\. Go on with\n  assay \w+ --resume --store .*\n", "",
                      done.stderr, flags=re.MULTILINE)
        self.assertEqual(len(said.strip().splitlines()), 1, done.stderr)
        self.assertRegex(said, "out of memory|no memory|memory ran out")

    def test_judging_ends_with_a_sentence_and_harms_no_store(self):
        for name in ("vm-x86_64-error", "vm-x86_64-clocks", "vm-x86_64-validate", "vm-x86_64-overhead", "vm-x86_64-repeat"):
            with self.subTest(name):
                path, command = self.stored(name), name.rsplit("-", 1)[1]
                with open(path, "rb") as file:
                    before = hashlib.sha256(file.read()).hexdigest()
                arguments = (command, "--from", path, "--json")
                starts, judges = self.span(*arguments)
                for part in (0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1):
                    done = limited(starts + part * (judges - 0.25 - starts), *arguments)
                    # The allocator's arenas make the limit blurred: what suffices is no failure.
                    if done.returncode != 0:
                        self.assert_said(done, 125 if command == "repeat" else 1)
                with open(path, "rb") as file:
                    self.assertEqual(hashlib.sha256(file.read()).hexdigest(), before)
                self.assertEqual(glob.glob(os.path.join(self.folder, "*-wal")), [])

    def test_what_was_measured_stays(self):
        if not shutil.which("prlimit"):
            self.skipTest("prlimit (util-linux) is not installed")
        path = os.path.join(self.folder, "run.sqlite")
        arguments = ("clocks", "--quick", "--workload", "sleep", "--clock", "monotonic", "--budget", "3s", "--seed", "3", "--quiet", "--store", path)
        via = ("--via", "exec:prlimit --as=unlimited")
        starts, ended = self.least(lambda status: status >= 0, "--version"), 0
        for mib in range(1, 40):
            if os.path.exists(path):
                os.unlink(path)
            done = limited(starts + mib, *arguments, *via)
            if done.returncode == 0:
                break
            self.assert_said(done)
            ended += 1
            if not os.path.exists(path):
                continue
            # A store of a run that ended so is whole: it says what it holds, and is gone on with.
            self.assertEqual(tap.assay("export", path, "--what", "cells").returncode, 0)
            again = tap.assay("clocks", "--resume", "--store", path, "--quiet", *via)
            self.assertIn(again.returncode, (0, 2, 3), again.stderr)
        self.assertGreater(ended, 0)


if __name__ == "__main__":
    tap.main()
