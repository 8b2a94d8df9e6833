# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads that come with assay run, end with 0 and do the same each time; what is not there is skipped by name."""
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import unittest

import tap

BUILD = os.path.dirname(os.path.abspath(tap.ASSAY))
MAKER = os.path.join(BUILD, "tests", "cli", "suite-inputs")
OPEN = os.path.join(tap.SOURCE, "workloads", "open.ini")


def read_suite(suite, folder):
    """Workloads as dictionaries; their inputs are in the folder then."""
    done = subprocess.run([MAKER, suite, folder], text=True, capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    keys = ("name", "command", "package", "needs", "input")
    return [dict(zip(keys, line.split("\t"))) for line in done.stdout.splitlines()]


def digests(folder):
    return {name: hashlib.sha256(open(os.path.join(folder, name), "rb").read()).hexdigest() for name in sorted(os.listdir(folder))}


class Open(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="assay-workloads-")
        cls.list = read_suite(OPEN, cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def test_it_holds_what_it_promises(self):
        self.assertGreaterEqual(len(self.list), 12)
        self.assertTrue(all(one["package"] for one in self.list))

    def test_inputs_are_the_same_bytes_each_time(self):
        with tempfile.TemporaryDirectory() as again:
            read_suite(OPEN, again)
            self.assertEqual(digests(again), {name: digest for name, digest in digests(self.folder).items() if name in os.listdir(again)})

    def test_inputs_are_the_same_bytes_everywhere(self):
        """Whoever changes a generator changes what all stores so far were measured with."""
        self.assertEqual(digests(self.folder)["few-words.txt"][:16], "4094aaebadf821de")
        self.assertEqual(digests(self.folder)["functions.c"][:16], "0a64046b559192fb")
        self.assertEqual(digests(self.folder)["people.json"][:16], "ce49415e9ad845fe")
        self.assertEqual(digests(self.folder)["table.csv"][:16], "384aabac5058dd7b")
        self.assertEqual(digests(self.folder)["noise.bin"][:16], "493dcfb67d5551c7")

    def test_every_workload_is_documented(self):
        with open(os.path.join(tap.SOURCE, "docs", "workloads.md"), encoding="utf-8") as document:
            text = document.read()
        for one in self.list:
            self.assertIn(f"| `{one['name']}` | {one['package']} |", text)

    def execute(self, one):
        words = [word.replace("{brought}", self.folder) for word in shlex.split(one["command"])]
        source = one["input"].replace("{brought}", self.folder) or os.devnull
        with open(source, "rb") as given:
            done = subprocess.run(words, stdin=given, capture_output=True, check=False, timeout=120,
                                  env={"PATH": os.environ["PATH"], "HOME": self.folder})
        self.assertEqual(done.returncode, 0, f"{one['name']}: {done.stderr[-300:]}")
        return done.stdout


def add_case(name):
    def case(self):
        one = next(one for one in self.list if one["name"] == name)
        for need in one["needs"].split():
            if not (os.access(need, os.X_OK) if "/" in need else shutil.which(need)):
                self.skipTest(f"{need} is not installed: package {one['package']}")
        self.assertEqual(self.execute(one), self.execute(one), f"{name} writes something else the second time")
    setattr(Open, f"test_{name}_ends_well_and_writes_the_same_again", case)


def add_cases():
    """One for each section, before anything was built from it."""
    with open(OPEN, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("[") and not line.startswith("[input "):
                add_case(line.strip()[1:-1])


class Suites(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-suites-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {"XDG_STATE_HOME": self.folder}

    def write(self, text, name="own.ini"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def repeat(self, suite, *more):
        return tap.assay("repeat", "--suite", suite, "--runs", "2", "--quick", "--budget", "5s", "--no-subjects", "--json", *more, env=self.env,
                         timeout=180)

    def test_what_is_not_installed_is_skipped_by_the_name_of_its_package(self):
        suite = self.write("[here]\ncommand = cat {brought}/x.txt\n\n[absent]\ncommand = no-such-program-anywhere -x\npackage = moon-tools\n"
                           "[input x.txt]\nmake = text\nsize = 1k\n")
        done = self.repeat(suite)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        skipped = [row for row in answer["skipped"] if row["what"] == "absent"]
        self.assertEqual(len(skipped), 1, answer["skipped"])
        self.assertIn("no-such-program-anywhere", skipped[0]["reason"])
        self.assertIn("moon-tools", skipped[0]["reason"])
        self.assertTrue(any(row.get("program") == "here" or row.get("name") == "here" for row in answer["results"]), answer["results"][:2])

    def test_a_suite_that_is_wrong_is_told_with_its_line(self):
        for text, words in (("[x]\ncommand = a\n[x]\n\ncolour = red\n", "line 5"),
                            ("[x]\ncommand = 'a\n", "has no command"),
                            ("", "no workload")):
            done = self.repeat(self.write(text))
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_suite_that_is_missing_is_told(self):
        done = self.repeat(os.path.join(self.folder, "none.ini"))
        self.assertEqual(done.returncode, 125)
        self.assertIn("none.ini", done.stderr)


add_cases()
if __name__ == "__main__":
    tap.main()
