# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of commands share: a probe, the programs of tests/commands, and a look at what is left of them."""
import atexit
import os
import pathlib
import shutil
import tempfile
import unittest

import frames
import processes
import tap

# Copies of its own: what runs from there was started by this script, and by none that runs beside it.
FOLDER = tempfile.mkdtemp(prefix="assay-commands.")
atexit.register(shutil.rmtree, FOLDER)
for original in pathlib.Path(os.environ["COMMANDS"]).glob("command-*"):
    if original.is_file():
        shutil.copy(original, FOLDER)
TOOLS = ("qemu-", "valgrind")  # programs that run programs
SIGNAL, TIMEOUT = 256, 512  # as of run/status/
CONTROLS = ["aslr", "environment", "argv0", "directory", "cpu", "stack", "stdin", "hash-seeds", "tunables", "layout"]
ALL = (1 << len(CONTROLS)) - 1


def program(name):
    return os.path.join(FOLDER, "command-" + name)


def only(*names):
    return sum(1 << CONTROLS.index(name) for name in names)


def left():
    """Processes of programs of this script, be they run by a tool, wherever they are: {pid: executable}."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and processes.parent_of(entry):
            try:
                path = os.readlink(f"/proc/{entry}/exe")
                words = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if path.startswith(FOLDER) or (FOLDER in words and any(tool in path for tool in TOOLS)):
                found[int(entry)] = path
    return found


class Session(unittest.TestCase):
    """A probe in a folder of its own; nothing may be left of what it ran, there or anywhere."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name, "work")
        self.private = pathlib.Path(self.folder.name, "private")
        self.work.mkdir()
        self.private.mkdir()
        self.addCleanup(self.nothing_is_left)

    def nothing_is_left(self):
        if not processes.eventually(lambda: not left()):
            raise AssertionError(f"still run: {left()}")
        self.assertEqual(list(self.private.iterdir()), [], "files of the probe")

    def started(self, **options):
        environment = dict(os.environ, TMPDIR=str(self.private), **options.pop("environment", {}))
        probe = frames.Probe(tap.KIT, env=environment, cwd=self.work, **options)
        self.addCleanup(probe.__exit__)
        self.assertEqual(probe.hello()[-1].type, "ready", probe.catalogue[-1])
        return probe

    def ran(self, *words, probe=None, **factors):
        """The visit of one command."""
        return (probe or self.started()).run([{"words": list(words), **factors}])[0]

    def ended_late(self, *words, timeout, **factors):
        """The visit of one that never ends, with a time (ms) that let it say that it is there: longer where the machine is busy."""
        for _ in range(5):
            visit = self.ran(*words, timeout=timeout, **factors)
            if visit.done and visit.became["output-bytes"]:
                break
            timeout *= 3
        return visit

    def became(self, *words, **factors):
        visit = self.ran(*words, **factors)
        self.assertTrue(visit.done, visit.end)
        return visit.became
