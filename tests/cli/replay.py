# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded runs judged again: what was found when they were recorded is found by the assay of today, without their machines.

tests/stores has MACHINE-COMMAND.sqlite.xz: short runs on virtual machines without a PMU and on one of the lab with one. tests/cli/goldens.py
keeps what is said of them; here it must be the same however a run is brought.
"""
import functools
import glob
import json
import lzma
import os
import shutil
import sqlite3
import tempfile
import unittest

import tap
from unfinished import unfinish

STORES = os.path.join(tap.SOURCE, "tests", "stores")
NAMES = sorted(os.path.basename(path)[:-len(".sqlite.xz")] for path in glob.glob(os.path.join(STORES, "*.sqlite.xz")))

# Statements that take a store back to an older schema. Its checksums go with them.
OLDER = {
    4: "DROP VIEW execution; DROP TABLE command; DROP TABLE subject; DROP TABLE executed; DROP TABLE system_call;",
    3: "DROP VIEW look; DROP TABLE watch; DROP TABLE clock;",
    2: "DROP VIEW timed; DROP VIEW call; DROP TABLE tour; DROP TABLE operation;",
}
# The first schema that holds what a command measures.
SINCE = {"validate": 2, "error": 2, "overhead": 3, "clocks": 4, "repeat": 5}


def command_of(name):
    return name.rsplit("-", 1)[1]


def judged(name, path):
    done = tap.assay(command_of(name), "--from", path, "--json", env={"XDG_STATE_HOME": os.path.dirname(path)})
    if done.returncode:
        raise AssertionError(f"{name}: {done.stderr}")
    envelope = json.loads(done.stdout)
    return {part: envelope[part] for part in ("machine", "findings", "results")}


def unpack(name, folder):
    path = os.path.join(folder, name + ".sqlite")
    with lzma.open(os.path.join(STORES, name + ".sqlite.xz")) as packed, open(path, "wb") as store:
        shutil.copyfileobj(packed, store)
    return path


@functools.cache
def expected(name):
    """What is judged of the store as it is."""
    with tempfile.TemporaryDirectory() as folder:
        return judged(name, unpack(name, folder))


class Replay(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-replay-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_from_a_collection_it_is_judged_the_same(self):
        collection = os.path.join(self.folder, "all.sqlite")
        done = tap.assay("merge", "-o", collection, *[unpack(name, self.folder) for name in NAMES])
        self.assertEqual(done.returncode, 0, done.stderr)
        for number, name in enumerate(NAMES, 1):
            with self.subTest(name):
                self.assertEqual(judged(name, f"{collection}#{number}"), expected(name))
        for name in NAMES:  # the only run of a command needs no number
            if sum(command_of(other) == command_of(name) for other in NAMES) == 1:
                with self.subTest(name, numbered=False):
                    self.assertEqual(judged(name, collection), expected(name))

    def test_a_run_counts_once_however_often_it_is_named(self):
        """A copy of the file and a collection that holds it are no further evidence."""
        for name in ("lab-aarch64-error", "vm-x86_64-overhead", "vm-x86_64-repeat"):
            command = command_of(name)
            path = unpack(name, self.folder)
            copy = shutil.copy(path, os.path.join(self.folder, "copy.sqlite"))
            collection = os.path.join(self.folder, f"{name}-all.sqlite")
            merged = tap.assay("merge", "-o", collection, path, unpack("vm-x86_64-clocks", self.folder))
            self.assertEqual(merged.returncode, 0, merged.stderr)
            alone = tap.assay(command, "--from", path, "--json")
            for files, said in (((path, path), f"{path} is named twice and counts once"),
                                ((path, copy), f"{copy} is the same run as {path} and counts once"),
                                ((path, collection), f"{collection}#1 is the same run as {path} and counts once"),
                                ((collection, path), f"{path} is the same run as {collection}#1 and counts once")):
                with self.subTest(name, files=files):
                    done = tap.assay(command, *[word for file in files for word in ("--from", file)], "--json")
                    self.assertEqual(done.returncode, alone.returncode, done.stderr)
                    self.assertEqual(done.stderr, f"assay {command}: {said}\n" + alone.stderr)
                    one, several = json.loads(alone.stdout), json.loads(done.stdout)
                    for part in ("machine", "seed", "findings", "results"):
                        self.assertEqual(several[part], one[part])

    def test_a_run_goes_on_in_its_store_but_not_in_a_collection(self):
        collection = os.path.join(self.folder, "all.sqlite")
        paths = [unpack(name, self.folder) for name in NAMES]
        for path in paths:
            unfinish(path)
        done = tap.assay("merge", "-o", collection, *paths)
        self.assertEqual(done.returncode, 0, done.stderr)
        for number, (name, path) in enumerate(zip(NAMES, paths), 1):
            if command_of(name) not in SINCE:  # others have little to go on with, and do not speak of it
                continue
            with self.subTest(name):
                self.assertIn("--resume", tap.assay(command_of(name), "--from", path).stdout)
                collected = tap.assay(command_of(name), "--from", f"{collection}#{number}").stdout
                self.assertIn("Not finished", collected)
                self.assertNotIn("--resume", collected)

    def test_stores_of_older_schemas_are_judged_the_same(self):
        for name in NAMES:
            if command_of(name) not in SINCE or name.startswith("schema"):
                continue
            path = unfinish(unpack(name, self.folder))
            store = sqlite3.connect(path)
            for schema, statements in OLDER.items():
                if schema < SINCE[command_of(name)]:
                    continue
                store.executescript(f"{statements} PRAGMA user_version={schema}")
                with self.subTest(name, schema=schema):
                    self.assertEqual(judged(name, path), expected(name))
            store.close()

    def damaged(self, name):
        """A copy with another count in its last process than was written."""
        path = unpack(name, self.folder)
        with sqlite3.connect(path) as store:
            store.execute("UPDATE sample_packed SET value = value + 1 WHERE key = (SELECT max(key) FROM sample_packed)")
        store.close()
        return path

    def test_a_damaged_run_is_not_compared_by_what_is_left_of_it(self):
        for name in ("lab-aarch64-error", "vm-x86_64-clocks", "vm-x86_64-overhead"):
            with self.subTest(name):
                whole = shutil.copy(unpack(name, self.folder), os.path.join(self.folder, "whole.sqlite"))
                done = tap.assay("compare", "--fail-on", "difference", whole, self.damaged(name))
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("damaged", done.stderr)
                self.assertEqual(done.stdout, "")

    def test_a_report_of_a_damaged_run_says_what_is_damaged(self):
        done = tap.assay("report", "--json", self.damaged("lab-aarch64-error"))
        self.assertEqual(done.returncode, 1, done.stderr)
        section, = json.loads(done.stdout)["analysis"]["sections"]
        self.assertIn("damaged", section["reason"])
        self.assertIn("damaged", done.stderr)
        self.assertEqual(section["figures"], [])

    def test_a_report_of_a_damaged_run_and_its_sound_copy_has_both(self):
        whole = shutil.copy(unpack("lab-aarch64-error", self.folder), os.path.join(self.folder, "whole.sqlite"))
        done = tap.assay("report", "--json", self.damaged("lab-aarch64-error"), whole)
        self.assertEqual(done.returncode, 1, done.stderr)
        first, second = json.loads(done.stdout)["analysis"]["sections"]
        self.assertIn("damaged", first["reason"])
        self.assertEqual(second["store"], whole)
        self.assertTrue(second["figures"])

    def test_a_newer_schema_is_refused_by_its_name(self):
        path = unpack(NAMES[0], self.folder)
        with sqlite3.connect(path) as store:
            store.execute("PRAGMA user_version=99")
        store.close()
        done = tap.assay(command_of(NAMES[0]), "--from", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("schema 99", done.stderr)
        self.assertIn("newer assay", done.stderr)


if __name__ == "__main__":
    tap.main()
