# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Help texts and manual pages: what is printed is what was reviewed.

The texts lie in golden/help/. After a wanted change:  ASSAY=build/assay tests/cli/help.py --update
(with PYTHONPATH=tests), and read the difference before committing it.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden", "help")


def commands():
    """The commands that `assay --help` lists."""
    text = tap.assay("--help").stdout
    listed = text.split("\nOptions:\n")[0]
    return re.findall(r"^  (\S+)", listed, re.MULTILINE)


def helps():
    """File name -> the help text that belongs into it."""
    texts = {"assay.txt": tap.assay("--help").stdout}
    for command in commands():
        texts[f"{command}.txt"] = tap.assay(command, "--help").stdout
    return texts


class Help(unittest.TestCase):
    maxDiff = None

    def test_every_help_text_is_the_reviewed_one(self):
        texts = helps()
        self.assertEqual(sorted(texts), sorted(os.listdir(GOLDEN)))
        for name, text in texts.items():
            with self.subTest(name), open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
                self.assertEqual(text, file.read())

    def test_eighty_columns_are_enough(self):
        for name, text in helps().items():
            for line in text.splitlines():
                with self.subTest(name):
                    self.assertLessEqual(len(line), 80, line)

    def test_every_transport_is_in_the_help_of_via(self):
        refused = tap.assay("doctor", via="telepathy:").stderr
        schemes = re.findall(r"^  (\w+) ", refused, re.MULTILINE)
        self.assertLessEqual({"exec", "lab", "local", "ssh"}, set(schemes))
        text = tap.assay("doctor", "--help").stdout.split("--via TRANSPORT", 1)[1].split("  -q, ", 1)[0]
        for scheme in schemes:
            self.assertRegex(text, rf"\b{scheme}[:,]")

    def test_commands_that_stay_here_have_no_via(self):
        for command in commands():
            with self.subTest(command):
                offered = "--via TRANSPORT" in tap.assay(command, "--help").stdout
                self.assertEqual(offered, command not in ("compare", "export", "lab", "merge", "report"))
                if not offered:
                    done = tap.assay(command, via="ssh:nowhere")
                    self.assertEqual(done.returncode, 2)
                    self.assertRegex(done.stderr, "no option --via: .* this machine")

    def test_a_budget_of_nothing_is_refused(self):
        # It would stand for one that nobody gave.
        with_budget = [command for command in commands() if "--budget TIME" in tap.assay(command, "--help").stdout]
        self.assertIn("run", with_budget)
        for command in with_budget:
            for nothing in ("0", "0s"):
                with self.subTest(command=command, budget=nothing):
                    done = tap.assay(command, "--budget", nothing)
                    self.assertEqual(done.returncode, 125 if command == "repeat" else 2)
                    self.assertIn(f"--budget '{nothing}': expected a duration of 1ms or more", done.stderr)

    def test_help_needs_nothing_else(self):
        self.assertEqual(tap.assay("measure", "--help", "stray").returncode, 0)
        self.assertEqual(tap.assay("help", "measure").stdout,
                         tap.assay("measure", "--help").stdout)

    def test_no_command_prints_help_and_fails(self):
        done = tap.assay()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("usage: assay", done.stderr)

    def test_unknown_commands_get_the_nearest(self):
        done = tap.assay("maesure")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'measure'?", done.stderr)
        done = tap.assay("\033[2J")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("\033", done.stderr)

    def test_the_version_is_printed(self):
        done = tap.assay("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^assay \d+\.\d+\.\d+\n$")

    def test_output_that_cannot_be_written_fails(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([tap.ASSAY, "--help"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left", done.stderr)


class Man(unittest.TestCase):
    def test_pages_are_clean_roff(self):
        if not shutil.which("man"):
            self.skipTest("man is not installed")
        for command in [None, *commands()]:
            page = tap.assay("--man", *([command] if command else [])).stdout
            with self.subTest(command), tempfile.NamedTemporaryFile("w", suffix=".1") as file:
                file.write(page)
                file.flush()
                shown = subprocess.run(["man", "--warnings", "-l", file.name], text=True,
                                       capture_output=True, check=False,
                                       env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
                if "cannot" in shown.stderr and "locale" not in shown.stderr:
                    self.skipTest(shown.stderr.strip())
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))
                self.assertIn("SYNOPSIS", shown.stdout)

    def test_every_option_is_in_the_page(self):
        for command in [None, *commands()]:
            with self.subTest(command):
                words = [command] if command else []
                page = re.sub(r"\\f.", "", tap.assay("--man", *words).stdout.replace("\\-", "-"))
                listed = re.findall(r"^  (?:(-\w), |    )(--[a-z-]+)(?: (\S+))?", tap.assay(*words, "--help").stdout,
                                    re.MULTILINE)
                self.assertGreater(len(listed), 3)
                for letter, name, argument in listed:
                    entry = f"{letter}, {name}" if letter else name
                    if command:
                        self.assertIn(f".TP\n{entry}{' ' + argument if argument else ''}\n", page)
                    else:
                        self.assertIn(f".TP\n{entry}", page)

    def test_every_command_is_in_the_page_of_all(self):
        page = tap.assay("--man").stdout.replace("\\-", "-")
        for command in commands():
            self.assertIn(f"\\fBassay {command}\\fR\n", page)
            self.assertIn(f".BR assay-{command} (1),\n", page)

    def test_typesetting_a_page_warns_of_nothing(self):
        if not shutil.which("man"):
            self.skipTest("man is not installed")
        for command in [None, *commands()]:
            page = tap.assay("--man", *([command] if command else [])).stdout
            with self.subTest(command), tempfile.NamedTemporaryFile("w", suffix=".1") as file:
                file.write(page)
                file.flush()
                done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file.name], text=True,
                                      capture_output=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout)


if __name__ == "__main__":
    if "--update" in sys.argv:
        for golden, content in helps().items():
            with open(os.path.join(GOLDEN, golden), "w", encoding="utf-8") as out:
                out.write(content)
    else:
        tap.main()
