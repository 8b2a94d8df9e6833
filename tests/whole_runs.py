# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of `assay run` share: a folder, starting it, and what must be there when it ended."""
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest

import tap

PARTS = ["caches", "validate", "error", "overhead", "clocks", "repeat"]
TOLD = ["validate", "error", "overhead", "clocks", "repeat", "caches"]  # the most important first
DONE, FAILED, USAGE, LACKING, INTERRUPTED = 0, 1, 2, 3, 130


def start(folder, *arguments, prefix=(), **options):
    """assay run with its state in the folder."""
    return subprocess.Popen([*prefix, tap.ASSAY, "run", *arguments], env=dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state")), text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-run-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.store = self.path("all.sqlite")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_all(self, *arguments, **options):
        return tap.assay("run", *arguments, env={"XDG_STATE_HOME": self.path("state")}, timeout=300, **options)

    def start(self, *arguments, **options):
        return start(self.folder, *arguments, **options)

    def result(self, *arguments, statuses=(DONE, LACKING), **options):
        done = self.run_all(*arguments, "--json", **options)
        self.assertIn(done.returncode, statuses, done.stderr + done.stdout[:500])
        return json.loads(done.stdout)

    def record(self):
        try:
            with open(self.store + ".parts/run.json", encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def wait_for(self, what, process):
        """Until what() is true; fails when the process ends before."""
        while not what():
            self.assertIsNone(process.poll(), process.communicate() if process.poll() is not None else "")
            time.sleep(0.02)

    def assert_whole(self, envelope):
        """One store with every part that measured, one page, and nothing else."""
        stored = [part for part in envelope["results"] if part["store"]]
        self.assertTrue(envelope["analysis"]["complete"])
        self.assertEqual(envelope["analysis"]["store"], self.store)
        self.assertFalse(os.path.exists(self.store + ".parts"))
        for number, part in enumerate(sorted(stored, key=lambda part: TOLD.index(part["part"])), 1):
            self.assertEqual(part["store"], f"{self.store}#{number}")
            with self.subTest(part=part["part"]):
                again = tap.assay(part["part"], "--from", part["store"], "--json", timeout=120)
                self.assertEqual(again.returncode, DONE, again.stderr)
                self.assertEqual(json.loads(again.stdout)["command"], part["part"])
        with open(envelope["analysis"]["report"], encoding="utf-8") as page:
            self.assertIn("</html>", page.read())
        database = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        database.close()
