# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands README shows work, and what it shows below them is still what they print.

Blocks marked `console` hold commands behind "$ " and their output. Numbers that belong to a machine
(times, seeds, addresses) differ elsewhere; what must agree is the exit status, the head of a table,
the names of doctor's checks, and, for events that can be counted here, truth, overhead and error.
"""
import os
import re
import subprocess
import tempfile
import unittest

import laboratory
import tap

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHECK = re.compile(r"^(?:ok|warn|bad|absent)\s+([a-z-]+):", re.MULTILINE)
VERDICT = re.compile(r"^([\w:-]+)  +(exact|dead)\b", re.MULTILINE)  # of validate
CORRECTED = re.compile(r"^(.* by .*): raw \d+, window \d+, corrected (.*)$", re.MULTILINE)  # of an example
HEAD = re.compile(r"^[a-z].*  (?:counted|kind)  ")  # of a table
DONE, LACKING = 0, 3


def commands(document):
    """Every (command, shown output) of a document, in order, grouped by block."""
    for block in BLOCK.findall(document):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
        yield list(zip(parts[::2], parts[1::2]))


def squeeze(line):
    return " ".join(line.split())


def table_rows(output):
    """Rows of the tables of measure: the words before the count -> those behind it."""
    rows = {}
    counted = truth = None
    for line in output.splitlines():
        if HEAD.match(line):
            counted, truth = line.find("counted"), line.find("truth")
        elif not line.strip():
            counted = None
        elif counted is not None and truth > 0 and not line.startswith(" "):
            rows[tuple(line[:counted].split())] = line[truth:].split()
    return rows


def run_block(block, folder, environment):
    """Runs the commands of a block in turn; `echo $?` gives the status of the one before."""
    status = None
    for command, shown in block:
        if command == "echo $?":
            yield command, shown, f"{status}\n", DONE
            continue
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        status = done.returncode
        yield command, shown, done.stdout, status


class Readme(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Runs every command once; the cases look at (command, shown, output, status)."""
        with open(os.path.join(tap.SOURCE, "README.md"), encoding="utf-8") as readme:
            blocks = list(commands(readme.read()))
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.dirname(os.path.abspath(tap.ASSAY)), os.path.join(folder, "build"))
            environment = dict(os.environ, XDG_STATE_HOME=folder, ASSAY_KIT=tap.KIT,
                               PATH=os.path.dirname(tap.ASSAY) + os.pathsep + os.environ["PATH"])
            cls.results = []
            for block in blocks:
                emulated = any("lab:" in command for command, _ in block)
                if not emulated:
                    cls.results += run_block(block, folder, environment)
                elif not laboratory.ABSENCE:
                    cls.results += run_block(block, folder, {**environment, **laboratory.ANY_KIT})

    def test_there_are_commands_to_run(self):
        self.assertGreaterEqual(len(self.results), 4)

    def test_every_command_works_or_says_what_the_machine_lacks(self):
        for command, _, output, status in self.results:
            with self.subTest(command=command):
                self.assertIn(status, (DONE, LACKING), output)
                self.assertNotEqual(output.strip(), "")

    def test_an_exit_status_is_as_shown_or_the_machine_can_do_more(self):
        for command, shown, output, _ in self.results:
            if command == "echo $?":
                self.assertIn(int(output), (int(shown), DONE))

    def test_tables_have_the_head_that_is_shown(self):
        for command, shown, output, status in self.results:
            if status == DONE:
                heads = {squeeze(line) for line in shown.splitlines() if HEAD.match(line)}
                with self.subTest(command=command):
                    self.assertLessEqual(heads, {squeeze(line) for line in output.splitlines()})

    def test_doctor_knows_the_checks_that_are_shown(self):
        for command, shown, output, _ in self.results:
            for check in CHECK.findall(shown) if command.startswith("assay doctor") else ():
                with self.subTest(check=check):
                    self.assertRegex(output, rf"\b{check}:")

    def test_verdicts_are_as_shown(self):
        """Where the machine has an event it gets the verdict that is shown; a second run may be disturbed all along."""
        for command, shown, output, _ in self.results:
            if command.startswith("assay validate"):
                here = dict(VERDICT.findall(output))
                for event, verdict in VERDICT.findall(shown):
                    if event in here:
                        with self.subTest(command=command, event=event):
                            self.assertEqual(here[event], verdict)

    def test_regions_are_corrected_as_shown(self):
        """Those that can be counted here."""
        for command, shown, output, _ in self.results:
            if command.startswith("build/examples/"):
                here = dict(CORRECTED.findall(output))
                for path, corrected in CORRECTED.findall(shown):
                    self.assertEqual(here.get(path, corrected), corrected)

    def test_exact_counts_are_as_shown(self):
        compared = 0
        for command, shown, output, _ in self.results:
            here = table_rows(output)
            for key, columns in table_rows(shown).items():
                if key in here and "proven" in columns:
                    compared += 1
                    with self.subTest(command=command, cell=key):
                        self.assertEqual(here[key], columns)
        if not compared:
            self.skipTest("none of the events in README can be counted here")


if __name__ == "__main__":
    tap.main()
