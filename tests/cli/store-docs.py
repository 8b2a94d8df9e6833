# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/store.md against collections and other programs: its examples run, and every table and column is explained.

Examples in SQL on a single store are run by the unit test store-docs.
"""
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import tap

CORPUS = os.path.join(tap.SOURCE, "tests", "fuzz", "corpus", "store")
DOCUMENT = os.path.join(tap.SOURCE, "docs", "store.md")


def examples(language):
    with open(DOCUMENT, encoding="utf-8") as file:
        return re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.M | re.S)


class Documented(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-store-docs-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.store = shutil.copy(os.path.join(CORPUS, "finished-schema-5"), os.path.join(self.folder, "run.sqlite"))
        self.collection = os.path.join(self.folder, "all.sqlite")

    def collect(self):
        done = tap.assay("merge", "-o", self.collection, self.store, os.path.join(CORPUS, "finished"))
        self.assertEqual(done.returncode, 0, done.stderr)
        collected = sqlite3.connect(f"file:{self.collection}?mode=ro", uri=True)
        self.addCleanup(collected.close)
        return collected

    def run_program(self, *command):
        path = os.pathsep.join([os.path.dirname(tap.ASSAY), os.environ["PATH"]])
        done = subprocess.run(command, cwd=self.folder, env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_examples_on_collections(self):
        collected = self.collect()
        found = examples("sql collection")
        self.assertGreaterEqual(len(found), 3)
        for example in found:
            with self.subTest(example=example):
                self.assertTrue(collected.execute(example).fetchall())

    def test_the_example_in_python(self):
        (example,) = examples("python")
        shown = self.run_program(sys.executable, self.write("example.py", example), self.store)
        self.assertRegex(shown, r"page-faults:u +N = 0 +median error -?[0-9.e+]+, 200 runs")

    @unittest.skipUnless(shutil.which("Rscript"), "R is not installed")
    def test_the_example_in_r(self):
        (example,) = examples("r")
        shown = self.run_program("Rscript", "--vanilla", self.write("example.R", example), self.store)
        self.assertRegex(shown, r"page-faults:u +perf-read +ar +0 ")

    @unittest.skipUnless(shutil.which("sqlite3"), "the command sqlite3 is not installed")
    def test_the_example_for_the_command_line(self):
        (example,) = examples("sh")
        self.assertIn("page-faults:u,", self.run_program("sh", "-c", example))

    def test_every_table_and_column_of_a_collection_is_explained(self):
        collected = self.collect()
        with open(DOCUMENT, encoding="utf-8") as file:
            document = file.read()
        sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##)", document, re.M | re.S))
        seen = 0
        for table, column in collected.execute(
                "SELECT m.name, c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type IN ('table', 'view')"):
            if column == "store" and table not in ("run", "store"):
                continue  # the one that all of them have in front
            self.assertIn(f"`{column}`", sections[table], table)
            seen += 1
        self.assertGreater(seen, 150)

    def test_tables_have_the_columns_of_a_store(self):
        collected = self.collect()
        alone = sqlite3.connect(self.store)
        self.addCleanup(alone.close)
        for (table,) in alone.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"):
            columns = [row[1] for row in alone.execute(f"PRAGMA table_info({table})")]
            self.assertEqual([row[1] for row in collected.execute(f"PRAGMA table_info({table})")], ["store", *columns], table)


if __name__ == "__main__":
    tap.main()
