# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the lab share: whether it can boot here, and what a test leaves running."""
import json
import os
import tempfile
import unittest
import uuid

import tap
from processes import eventually

VIA = "lab:aarch64"
ANY_KIT = {"ASSAY_KIT": ""}  # not that of this machine, which other tests name
PATIENCE = 600  # seconds for one command: the machine that tests may be a busy one


def absence():
    """Why no machine can be booted here, or ""."""
    done = tap.assay("lab", "list", "--json", env=ANY_KIT)
    if done.returncode:
        return "assay lab list fails: " + done.stderr.strip()
    return "; ".join(missing["reason"] for missing in json.loads(done.stdout)["results"][0]["missing"])


ABSENCE = absence()


@unittest.skipIf(ABSENCE, ABSENCE)
class LabCase(unittest.TestCase):
    """A case with a folder of its own; every process it starts carries a mark by which it is found again."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay-lab-test.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.mark = uuid.uuid4().hex
        self.env = {"ASSAY_TEST_MARK": self.mark, **ANY_KIT}

    def path(self, name):
        return os.path.join(self.folder, name)

    def assay(self, *arguments, via=None, **options):
        return tap.assay(*arguments, via=via, env=self.env, timeout=PATIENCE, **options)

    def measure(self, *arguments, via=VIA):
        """Measures and returns the JSON; fails unless the command succeeds."""
        done = self.assay("measure", *arguments, "--json", "--store", self.path(uuid.uuid4().hex), via=via)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def running(self, mark=None):
        """Process id -> command line of everything that carries the mark, that of the case unless given."""
        mark = (mark or self.mark).encode()
        found = {}
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/environ", "rb") as environment:
                    if name.isdigit() and mark in environment.read():
                        with open(f"/proc/{name}/cmdline", "rb") as words:
                            found[int(name)] = words.read().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
        return found

    def emulators(self, mark=None):
        """Those that boot or have booted, not one that is asked for its CPU models before."""
        return [number for number, words in self.running(mark).items() if "qemu-system" in words.split(" ")[0] and " -kernel " in words]

    def wait_for(self, condition, what):
        self.assertTrue(eventually(condition), what)

    def assert_nothing_runs(self):
        self.wait_for(lambda: not self.running(), f"left behind: {self.running()}")
