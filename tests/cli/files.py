# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command that reads a stored run: what its exit status says of the file, and what it leaves beside it.

The rule: the command line is wrong (2) where it names a file that is not there, a folder, or a run of something else; it is a failure (1)
where the file is damaged, or may not be read. Commands that execute another one have 125 for both.
"""
import glob
import lzma
import os
import shutil
import sqlite3
import stat
import tempfile
import unittest

import tap

STORES = os.path.join(tap.SOURCE, "tests", "stores")
FROM = ("caches", "clocks", "error", "measure", "overhead", "repeat", "stat", "truth", "validate")
OURS = ("repeat", "stat", "truth")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all")


def readers(path, folder, sound):
    """Every way to have a file read."""
    yield "export", ("export", path)
    yield "report", ("report", "-o", os.path.join(folder, "page.html"), path)
    yield "compare", ("compare", path, sound)
    yield "compare", ("compare", sound, path)
    yield "merge", ("merge", "-o", os.path.join(folder, "all.sqlite"), path)
    yield "merge", ("merge", "--salvage", "-o", os.path.join(folder, "all.sqlite"), path)
    for command in FROM:
        yield command, (command, "--from", path)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-files-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.sound = self.unpack("lab-aarch64-error")

    def path(self, name):
        return os.path.join(self.folder, name)

    def unpack(self, name, to=None):
        path = to or self.path(name + ".sqlite")
        with lzma.open(os.path.join(STORES, name + ".sqlite.xz")) as packed, open(path, "wb") as store:
            shutil.copyfileobj(packed, store)
        return path

    def run_assay(self, arguments, prefix=()):
        return tap.assay(*arguments, prefix=prefix, env={"XDG_STATE_HOME": self.folder})


class ExitStatus(Case):
    def refused(self, path, status, words, prefix=(), leave=()):
        for command, arguments in readers(path, self.folder, self.sound):
            if command in leave:
                continue
            with self.subTest(arguments=arguments[:2]):
                before = sorted(os.listdir(self.folder))
                done = self.run_assay(arguments, prefix)
                self.assertEqual(done.returncode, 125 if command in OURS else status, done.stderr)
                self.assertRegex(done.stderr, f"^assay [a-z]+: .*{words}")
                self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_a_file_that_is_not_there(self):
        self.refused(self.path("none.sqlite"), 2, "No such file")

    def test_a_name_that_goes_through_a_file(self):
        self.refused(os.path.join(self.sound, "x"), 2, "Not a directory")

    def test_a_folder(self):
        os.mkdir(self.path("folder"))
        self.refused(self.path("folder"), 2, "is a folder")

    def test_a_run_that_a_collection_does_not_have(self):
        collection = self.path("collection.sqlite")
        self.assertEqual(self.run_assay(("merge", "-o", collection, self.sound)).returncode, 0)
        self.refused(collection + "#7", 2, "has no run 7")

    def test_a_run_of_another_command(self):
        other = self.unpack("lab-aarch64-clocks")
        for command in FROM:
            if command == "clocks":
                continue
            with self.subTest(command):
                done = self.run_assay((command, "--from", other))
                self.assertEqual(done.returncode, 125 if command in OURS else 2, done.stderr)
                self.assertIn("holds a run of `assay clocks`", done.stderr)

    def test_what_is_no_store(self):
        with open(self.path("text"), "w", encoding="utf-8") as file:
            file.write("not a database at all, but long enough to be taken for one\n" * 20)
        self.refused(self.path("text"), 1, "not an SQLite database")

    def test_a_damaged_store(self):
        damaged = self.unpack("lab-aarch64-error", self.path("damaged.sqlite"))
        with sqlite3.connect(damaged) as store:
            store.execute("UPDATE meta SET value = '9' WHERE key = 'seed'")
        store.close()
        self.refused(damaged, 1, "damaged")

    @unittest.skipUnless(os.geteuid() or shutil.which("setpriv"), "root may read everything, and cannot become nobody here")
    def test_a_file_that_may_not_be_read(self):
        prefix = () if os.geteuid() else NOBODY
        os.chmod(self.folder, 0o777)
        closed = self.unpack("lab-aarch64-error", self.path("closed.sqlite"))
        os.chmod(closed, 0)
        if prefix and tap.assay("--version", prefix=prefix).returncode:
            self.skipTest("nobody may look into this build folder")
        self.refused(closed, 1, "Permission denied", prefix)

    def test_facts_of_a_machine(self):
        with open(self.path("text"), "w", encoding="utf-8") as file:
            file.write("nothing of the kind\n")
        for path, status in ((self.path("none"), 2), (self.folder, 2), (self.path("text"), 1)):
            with self.subTest(path):
                self.assertEqual(self.run_assay(("doctor", "--facts", path)).returncode, status)

    def test_resuming_what_is_not_there(self):
        for command in ("measure", "validate", "error", "overhead", "clocks", "caches", "repeat", "run"):
            with self.subTest(command):
                done = self.run_assay((command, "--resume", "--store", self.path("none.sqlite")))
                if done.returncode == 3:
                    continue  # nothing can be measured here
                self.assertEqual(done.returncode, 125 if command in OURS else 2, done.stderr)

    def test_a_report_with_a_damaged_run_shows_the_others(self):
        damaged = self.unpack("vm-x86_64-error", self.path("damaged.sqlite"))
        with sqlite3.connect(damaged) as store:
            store.execute("UPDATE sample_packed SET value = value + 1 WHERE key = (SELECT max(key) FROM sample_packed)")
        store.close()
        page = self.path("page.html")
        done = self.run_assay(("report", "-o", page, self.sound, damaged))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("damaged.sqlite is damaged", done.stderr)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("has samples that were changed after they were written", text)
        self.assertIn("error-1", text)
        done = self.run_assay(("report", "--json", self.sound, damaged))
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_the_rule_is_in_the_manual(self):
        for command, _ in readers("x", "", "y"):
            with self.subTest(command):
                page = tap.assay("--man", command).stdout
                self.assertIn("EXIT STATUS", page)
                if command not in OURS:
                    self.assertIn("names a file that is not there", page)


class Beside(Case):
    """Reading leaves nothing, also beside a store that is kept in WAL mode."""

    def setUp(self):
        super().setUp()
        self.room = self.path("room")
        os.mkdir(self.room)
        self.store = self.unpack("lab-aarch64-error", os.path.join(self.room, "run.sqlite"))
        with sqlite3.connect(self.store) as store:
            self.assertEqual(store.execute("PRAGMA journal_mode=WAL").fetchone(), ("wal",))
        store.close()
        self.assertEqual(os.listdir(self.room), ["run.sqlite"])
        self.addCleanup(os.chmod, self.room, 0o755)

    def read_in_every_way(self, prefix=()):
        with open(self.store, "rb") as file:
            before = file.read()
        for command, arguments in readers(self.store, self.folder, self.sound):
            if command in FROM and command != "error":
                continue
            with self.subTest(arguments=arguments[:2]):
                done = self.run_assay(arguments, prefix)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(os.listdir(self.room), ["run.sqlite"])
                for made in ("page.html", "all.sqlite"):
                    if os.path.exists(self.path(made)):
                        os.unlink(self.path(made))
        with open(self.store, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_where_one_may_write(self):
        self.read_in_every_way()

    def test_in_a_folder_that_is_closed(self):
        os.chmod(self.store, stat.S_IRUSR)
        os.chmod(self.room, 0o555)
        self.read_in_every_way()

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv to become nobody")
    def test_in_a_folder_that_is_open_a_file_that_is_not(self):
        os.chmod(self.folder, 0o777)
        os.chmod(self.room, 0o777)
        os.chmod(self.store, 0o444)
        if tap.assay("--version", prefix=NOBODY).returncode:
            self.skipTest("nobody may look into this build folder")
        self.read_in_every_way(NOBODY)
        os.chmod(self.room, 0o555)
        self.read_in_every_way(NOBODY)

    def test_no_recorded_store_is_in_wal_mode(self):
        for packed in glob.glob(os.path.join(STORES, "*.sqlite.xz")):
            with self.subTest(os.path.basename(packed)), lzma.open(packed) as store:
                self.assertEqual(store.read(20)[18:], b"\1\1")


if __name__ == "__main__":
    tap.main()
