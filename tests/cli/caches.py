# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay caches on this machine: what it may say, what it stores, and what it refuses.

No case asserts a size: how a machine's neighbours behave is not the product's. The unit tests hold the deduction to
simulated machines.
"""
import json
import os
import shutil
import sqlite3
import tempfile
import unittest

import tap

NULLABLE = ("claimed_bytes", "measured_bytes", "confidence", "low_bytes", "high_bytes", "claimed_line_bytes",
            "line_bytes", "line_confidence", "claimed_ways", "ways", "ways_confidence", "ticks", "next_ticks")
VALUES = (("measured_bytes", "confidence"), ("line_bytes", "line_confidence"), ("ways", "ways_confidence"))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-caches-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def caches(self, *arguments, env=None, **options):
        return tap.assay("caches", *arguments, env={"XDG_STATE_HOME": self.folder, **(env or {})},
                         timeout=300, **options)

    def stored(self, name="run.sqlite"):
        """A store of a run that broke off."""
        done = self.caches("--budget", "300ms", "--quiet", "--store", self.path(name))
        if done.returncode == 3:
            self.skipTest(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path(name)

    def stores(self):
        return [name for _, _, names in os.walk(self.folder) for name in names]

    def check_rows(self, rows):
        self.assertTrue(rows)
        for row in rows:
            for key in NULLABLE:
                with self.subTest(row=(row["level"], row["type"]), key=key):
                    if row[key] is None:
                        self.assertTrue(row[key + "_reason"])
                    else:
                        self.assertNotIn(key + "_reason", row)
            for value, confidence in VALUES:
                self.assertEqual(row[value] is None, row[confidence] is None)
                if row[confidence] is not None:
                    self.assertGreaterEqual(row[confidence], 0.8)


class Measured(Case):
    def test_a_short_run_is_honest_and_goes_on(self):
        store = self.path("run.sqlite")
        first = self.caches("--budget", "1s", "--json", "--store", store)
        if first.returncode == 3:
            self.skipTest(json.loads(first.stdout)["results"][0]["measured_bytes_reason"])
        self.assertEqual(first.returncode, 0, first.stderr)
        envelope = json.loads(first.stdout)
        self.check_rows(envelope["results"])
        self.assertFalse(envelope["analysis"]["complete"])
        self.assertEqual(envelope["analysis"]["store"], store)
        self.assertIn("--resume --store", first.stderr)
        self.assertIn("assay caches --resume --store " + store, envelope["analysis"]["complete_reason"])
        self.assertNotRegex(first.stdout, r"\d\.\d{5}")
        self.assertEqual(self.stores(), ["run.sqlite"])
        before = self.done(store)
        second = self.caches("--budget", "1s", "--json", "--resume", "--store", store)
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertGreater(self.done(store), before)
        self.assertEqual(json.loads(second.stdout)["seed"], envelope["seed"])

    def done(self, store):
        with sqlite3.connect(store) as database:
            return database.execute("SELECT count(*) FROM visit WHERE state = 'done'").fetchone()[0]

    def test_every_cell_is_a_ring_timed_by_the_clock(self):
        with sqlite3.connect(self.stored()) as database:
            for event, path, specimen in database.execute("SELECT event, path, specimen FROM reading"):
                self.assertEqual((event, path), ("clock/ticks/", "clock"))
                self.assertTrue(specimen.startswith("chase/bytes="))

    def test_the_cpu_is_that_which_was_asked_for(self):
        store = self.path("pinned.sqlite")
        done = self.caches("--cpu", "0", "--budget", "300ms", "--quiet", "--store", store)
        if done.returncode == 3:
            self.skipTest(done.stdout.strip())
        with sqlite3.connect(store) as database:
            self.assertEqual(database.execute("SELECT DISTINCT cpu FROM cell").fetchall(), [(0,)])

    def test_people_get_a_table_with_what_is_claimed(self):
        done = self.caches("--budget", "300ms")
        if done.returncode == 3:
            self.skipTest(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("claimed", done.stdout.splitlines()[0])
        self.assertIn("page size:", done.stdout)
        self.assertIn("not finished: the budget ended", done.stdout)
        self.assertIn("assay caches --resume --store", " ".join(done.stdout.split()))
        self.assertEqual(len(self.stores()), 1)


class FromAStore(Case):
    def test_it_is_judged_again_without_a_machine(self):
        store = self.path("run.sqlite")
        first = self.caches("--budget", "2s", "--json", "--quiet", "--store", store)
        if first.returncode == 3:
            self.skipTest(json.loads(first.stdout)["results"][0]["measured_bytes_reason"])
        again = self.caches("--from", store, "--json", "--via", "exec:/nowhere/no-such-program")
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        measured, judged = json.loads(first.stdout), json.loads(again.stdout)
        for key in ("seed", "machine", "results", "skipped", "findings"):
            self.assertEqual(judged[key], measured[key])
        for key in ("complete", "page_bytes", "pages", "store"):
            self.assertEqual(judged["analysis"].get(key), measured["analysis"].get(key))

    def test_people_are_told_that_it_was_not_finished(self):
        done = self.caches("--from", self.stored())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("not finished: measuring ended before the plan did", done.stdout)
        self.assertNotIn("--resume", done.stdout)


class Emulated(Case):
    def test_nothing_is_measured_and_every_null_has_the_reason(self):
        done = self.caches("--json", env={"ASSAY_EMULATED": "1"})
        self.assertEqual(done.returncode, 3, done.stderr)
        envelope = json.loads(done.stdout)
        self.check_rows(envelope["results"])
        for row in envelope["results"]:
            for value, _ in VALUES:
                self.assertIsNone(row[value])
                self.assertIn("emulated", row[value + "_reason"])
        self.assertIn("emulated", envelope["analysis"]["pages_reason"])
        self.assertEqual(self.stores(), [])

    def test_people_are_told(self):
        done = self.caches(env={"ASSAY_EMULATED": "1"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("the machine is emulated", done.stdout)


class Refused(Case):
    def refused(self, status, *arguments):
        done = self.caches("--quiet", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("assay caches: "), done.stderr)
        return done.stderr

    def test_arguments_and_wrong_cpus(self):
        self.assertIn("unexpected argument", self.refused(2, "l1d"))
        self.assertIn("--cpu", self.refused(2, "--cpu", "-2"))

    def test_what_makes_no_sense_beside_from(self):
        said = self.refused(2, "--from", self.path("none.sqlite"), "--cpu", "0", "--seed", "1")
        self.assertIn("leave out --cpu, --seed", said)
        self.refused(2, "--from", self.path("none.sqlite"))

    def test_a_store_that_is_there(self):
        self.assertIn("run.sqlite", self.refused(2, "--store", self.stored()))

    def test_nothing_to_resume(self):
        self.refused(2, "--resume")
        self.refused(2, "--resume", "--store", self.path("none.sqlite"))

    def test_files_that_are_no_stores(self):
        for name, content in (("empty", b""), ("text", b"hello\n" * 1000), ("sqlite", b"SQLite format 3\0" * 99)):
            with self.subTest(name=name):
                with open(self.path(name), "wb") as file:
                    file.write(content)
                self.assertIn(self.refused_status("--resume", "--store", self.path(name)), (1, 2))

    def refused_status(self, *arguments):
        done = self.caches("--quiet", *arguments)
        self.assertTrue(done.stderr, arguments)
        return done.returncode

    def test_a_store_of_another_command(self):
        store = self.path("measure.sqlite")
        done = tap.assay("measure", "-e", "clock/ticks/", "-s", "loop", "--runs", "2", "--quiet", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("assay measure", self.refused(2, "--resume", "--store", store))

    def test_cells_that_are_no_rings_do_no_harm(self):
        store = self.stored()
        with sqlite3.connect(store) as database:
            database.execute("UPDATE cell SET specimen = 'chase/bytes=0,stride=0/' WHERE id % 3 = 0")
            database.execute("UPDATE cell SET specimen = 'chase/bytes=18446744073709551615,stride=8,pair=3/' "
                             "WHERE id % 3 = 1")
            database.execute("UPDATE cell SET n = -1 WHERE id % 2 = 0")
        done = self.caches("--budget", "1s", "--json", "--resume", "--store", store)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        if done.returncode == 0:
            self.check_rows(json.loads(done.stdout)["results"])
        else:
            self.assertTrue(done.stderr)


if __name__ == "__main__":
    tap.main()
