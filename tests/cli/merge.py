# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay merge: runs in one file, exported and judged as from files of their own; and what is left of damaged ones.

The stores are those of the fuzz corpus: every schema that there was, finished and not.
"""
import csv
import io
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import promised
import tap
from unfinished import unfinish


CORPUS = os.path.join(tap.SOURCE, "tests", "fuzz", "corpus", "store")
STORES = ("finished", "finished-schema-2", "finished-schema-3", "finished-schema-4", "finished-schema-5", "unfinished")
TABLES = ("samples", "cells", "visits", "machine", "events", "truths", "opcodes", "operations", "clocks", "subjects", "executed", "calls")


def shape(value):
    """All that a schema may ask of a number, anything else as it is."""
    return (type(value), value < 0, value > 0) if isinstance(value, (int, float)) else value


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-merge-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def store(self, name):
        return shutil.copy(os.path.join(CORPUS, name), self.path(name))

    def run_assay(self, *arguments, status=0):
        done = tap.assay(*arguments, env={"XDG_STATE_HOME": self.folder})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def collect(self, *names, to="all.sqlite"):
        self.run_assay("merge", "-o", self.path(to), *[self.store(name) for name in names])
        return self.path(to)

    def rows(self, what, path):
        text = self.run_assay("export", "--what", what, path).stdout
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))

    def valid(self, *arguments):
        envelope = json.loads(self.run_assay(*arguments, "--json").stdout)
        if promised.can_validate():
            # Rows that look alike to the schema are looked at once.
            alike = {str([(key, shape(value)) for key, value in row.items()]): row for row in envelope["results"]}
            self.assertEqual([error.message[:200] for error in promised.validator().iter_errors({**envelope, "results": list(alike.values())})], [])
        return envelope


class Merge(Case):
    def test_every_run_is_listed(self):
        path = self.path("all.sqlite")
        sources = [self.store(name) for name in STORES]
        envelope = self.valid("merge", "-o", path, *sources)
        self.assertEqual([(run["store"], run["name"]) for run in envelope["results"]],
                         [(i + 1, f"{path}#{i + 1}") for i in range(len(STORES))])
        self.assertEqual([run["schema"] for run in envelope["results"]], [1, 2, 3, 4, 5, 1])
        self.assertIsNone(envelope["results"][-1]["finished"])
        self.assertEqual(envelope["analysis"]["bytes"], os.path.getsize(path))
        shown = self.run_assay("merge", "-o", self.path("again.sqlite"), path).stdout
        self.assertEqual(len(shown.splitlines()), 1 + len(STORES))
        self.assertIn("unfinished", shown.splitlines()[-1])

    def test_runs_export_as_their_stores_did_alone_and_together(self):
        path = self.collect(*STORES)
        for what in TABLES:
            together = self.rows(what, path)
            self.assertTrue(all(next(iter(row)) == "store" for row in together))
            for number, name in enumerate(STORES, 1):
                with self.subTest(store=name, what=what):
                    alone = self.rows(what, self.path(name))
                    if what in ("samples", "cells", "visits") or number == 5:  # what runs differ in, and all of the latest
                        self.assertEqual(self.rows(what, f"{path}#{number}"), alone)
                    mine = [row for row in together if row["store"] == str(number)]
                    self.assertEqual([{key: row[key] for key in alone[0]} if alone else row for row in mine], alone)
                    for row in mine:  # columns that only other runs have
                        self.assertTrue(all(row[key] == "" for key in row if alone and key not in alone[0] and key != "store"))

    def test_the_rows_of_collections_are_as_the_schema_says(self):
        path = self.collect(*STORES)
        for what in TABLES + ("runs",):
            with self.subTest(what=what):
                envelope = self.valid("export", "--what", what, path)
                self.assertEqual(len(envelope["analysis"]["stores"]), len(STORES))
                self.assertEqual(len(envelope["skipped"]), 1)
        one = self.valid("export", "--what", "runs", self.path("finished"))["results"]
        self.assertEqual([(run["store"], run["name"]) for run in one], [(None, self.path("finished"))])

    def test_runs_that_are_there_twice_are_taken_once(self):
        first = self.collect("finished", "unfinished", to="first.sqlite")
        shutil.copy(self.path("finished"), self.path("copy"))
        path = self.path("all.sqlite")
        self.run_assay("merge", "-o", path, self.path("copy"), first, self.store("finished-schema-2"), first + "#1")
        self.assertEqual([row["name"][len(path):] for row in self.rows("runs", path)], ["#1", "#2", "#3"])
        self.assertEqual([row["schema"] for row in self.rows("runs", path)], ["1", "1", "2"])

    def test_wrong_command_lines_are_explained(self):
        path = self.collect("finished", "finished-schema-2")
        for arguments, words in (
                (("merge", path), "-o all.sqlite"),
                (("merge", "-o", self.path("new")), "-o all.sqlite"),
                (("merge", "-o", path, self.path("finished")), "is there already"),
                (("merge", "-o", self.path("new"), self.path("none")), "No such file"),
                (("measure", "--resume", "--store", path), "collection of runs"),
                (("measure", "-e", "task-clock:u", "--store", path), "File exists"),
                (("error", "--from", path), "no run of `assay error`"),
                (("error", "--from", path + "#2"), "holds a run of `assay measure`"),
                (("error", "--from", path + "#9"), "has no run 9"),
                (("validate", "--from", path), "no run of `assay validate`")):
            with self.subTest(arguments=arguments):
                done = tap.assay(*arguments, env={"XDG_STATE_HOME": self.folder})
                self.assertIn(done.returncode, (1, 2), done.stderr)
                self.assertIn(words, done.stderr)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_a_damaged_source_leaves_no_file(self):
        self.run_assay("merge", "-o", self.path("new"), self.store("finished"), self.store("flipped"), status=1)
        self.assertEqual(sorted(os.listdir(self.folder)), ["finished", "flipped"])

    def test_what_is_no_store_is_refused_with_advice_that_can_be_followed(self):
        foreign, cut = self.path("foreign"), self.path("cut")
        with sqlite3.connect(foreign) as other:
            other.execute("CREATE TABLE bookmark(url TEXT)")
        other.close()
        with open(self.store("finished"), "rb") as whole, open(cut, "wb") as file:
            file.write(whole.read(50))
        for path, words in ((foreign, "not a store of assay"), (cut, "is cut short")):
            for arguments in (("merge", "-o", self.path("new"), path), ("merge", "--salvage", "-o", self.path("new"), path),
                              ("compare", path, self.path("finished")), ("error", "--from", path), ("report", path), ("export", path)):
                with self.subTest(arguments=arguments):
                    said = self.run_assay(*arguments, status=1).stderr
                    self.assertIn(words, said)
                    self.assertIn("Name a file that assay wrote", said)
                    self.assertNotIn("latest", said)

    def interrupt(self, how, *arguments):
        """While its first store is locked it waits, so that the signal comes before anything is copied."""
        before = set(os.listdir(self.folder))
        locked = sqlite3.connect(arguments[-1], isolation_level=None)
        locked.execute("BEGIN EXCLUSIVE")
        process = subprocess.Popen([tap.ASSAY, "merge", "-o", self.path("new"), *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not any(name.startswith("new.") for name in os.listdir(self.folder)):
            time.sleep(0.001)
        process.send_signal(how)
        locked.close()
        shown, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, shown), (130, ""), said)
        self.assertEqual(said, f"assay merge: interrupted: {self.path('new')} was not made\n")
        self.assertEqual(set(os.listdir(self.folder)), before)

    def test_whoever_interrupts_it_gets_no_file(self):
        damaged = self.path("damaged")
        self.run_assay("merge", "-o", damaged, self.store("finished-schema-5"))
        with sqlite3.connect(damaged) as store:
            store.execute("UPDATE sample_packed SET value = value + 1 WHERE key = (SELECT max(key) FROM sample_packed)")
        store.close()
        for how in (signal.SIGINT, signal.SIGTERM):
            for arguments in ((self.path("finished-schema-5"),), ("--salvage", self.path("finished-schema-5")), ("--salvage", damaged)):
                with self.subTest(how=how, arguments=arguments):
                    self.interrupt(how, *arguments)

    def test_text_from_stores_cannot_command_a_terminal(self):
        path = self.store("unfinished")
        with sqlite3.connect(path) as store:
            store.execute("UPDATE meta SET value = char(27) || '[31mred' WHERE key = 'command'")
        store.close()
        shown = self.run_assay("merge", "-o", self.path("new"), path).stdout
        self.assertNotIn("\x1b[31m", shown)


class Salvage(Case):
    def damage(self, sql, name="finished-schema-5"):
        """A store of today with one change that its checksums notice."""
        path = self.path("damaged")
        self.run_assay("merge", "-o", path, self.store(name))
        with sqlite3.connect(path) as store:
            store.execute(sql)
        store.close()
        return path

    def test_the_rest_of_a_run_is_a_run(self):
        path = self.damage("UPDATE sample_packed SET value = value + 1 WHERE key = (SELECT max(key) FROM sample_packed)")
        refused = self.run_assay("export", path, status=1).stderr
        self.assertRegex(refused, "process [0-9]+ of cell [0-9]+ has samples that were changed")
        self.assertIn("merge --salvage", refused)
        envelope = self.valid("merge", "--salvage", "-o", self.path("rest"), path)
        self.assertTrue(envelope["analysis"]["salvage"])
        self.assertEqual(len(envelope["skipped"]), 1)
        self.assertIn("its samples are damaged", envelope["skipped"][0]["reason"])
        lost = [row for row in self.rows("visits", self.path("rest") + "#1") if row["state"] == "failed"]
        self.assertEqual(len(lost), 1)
        self.assertIn("damaged store", lost[0]["reason"])
        intact = self.rows("samples", self.path("finished-schema-5"))
        place = (lost[0]["cell"], lost[0]["process"])
        self.assertEqual(self.rows("samples", self.path("rest") + "#1"),
                         [row for row in intact if (row["cell"], row["process"]) != place])
        shown = self.run_assay("merge", "--salvage", "-o", self.path("shown"), path).stdout
        self.assertIn(f"process {place[1]} of cell {place[0]}: its samples are damaged", shown)

    def test_what_the_rest_would_mean_must_be_sound(self):
        for sql in ("UPDATE cell SET n = n + 1", "UPDATE counter SET truth = 8 WHERE truth = 7", "UPDATE meta SET value = '9' WHERE key = 'seed'"):
            with self.subTest(sql=sql):
                path = self.damage(sql)
                self.run_assay("merge", "--salvage", "-o", self.path("rest"), path, status=1)
                self.assertFalse(os.path.exists(self.path("rest")))
                os.unlink(path)

    def test_rows_that_cannot_be_there_are_damage(self):
        path = self.store("unfinished")
        for before, after, change in (("error INTEGER NOT NULL -- errno that", "error INTEGER -- errno that", "UPDATE fact SET error = NULL"),
                                      ("error INTEGER -- errno that", "error INTEGER NOT NULL -- errno that", "SELECT 1")):
            with sqlite3.connect(path) as file:
                file.execute("PRAGMA writable_schema=ON")
                file.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?)", (before, after))
            file.close()
            with sqlite3.connect(path) as file:
                file.execute(change)
            file.close()
        for arguments in ((), ("--salvage",)):
            with self.subTest(arguments):
                refused = self.run_assay("merge", *arguments, "-o", self.path("rest"), path, status=1).stderr
                self.assertIn("fact", refused)
                self.assertFalse(os.path.exists(self.path("rest")))

    def test_damage_anywhere_never_becomes_data(self):
        """Bits, cuts and pages by a fixed seed: every sample that comes out was written."""
        intact = self.path("intact")
        self.run_assay("merge", "-o", intact, self.store("finished-schema-5"))
        written = {tuple(row.values()) for row in self.rows("samples", intact + "#1")}
        with open(intact, "rb") as file:
            content = file.read()
        draw = random.Random(17)
        saved = refused = 0
        for number in range(30):
            damaged = bytearray(content)
            kind = number % 3
            if kind == 0:
                damaged[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
            elif kind == 1:
                damaged = damaged[:draw.randrange(len(content))]
            else:
                page = draw.randrange(len(content) // 4096) * 4096
                damaged[page:page + 4096] = bytes(4096)
            with open(self.path("damaged"), "wb") as file:
                file.write(damaged)
            done = tap.assay("merge", "--salvage", "-o", self.path("rest"), self.path("damaged"))
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode:
                refused += 1
                self.assertGreater(len(done.stderr), 40)
                self.assertNotIn("--salvage", done.stderr)  # which is what they do
                self.assertFalse(os.path.exists(self.path("rest")))
                continue
            saved += 1
            self.assertLessEqual({tuple(row.values()) for row in self.rows("samples", self.path("rest") + "#1")}, written)
            os.unlink(self.path("rest"))
        self.assertGreater(saved, 3)
        self.assertGreater(refused, 3)

    def test_what_it_makes_can_be_read_or_is_not_made(self):
        """Finished or not, and whatever was damaged: what is made can be exported and reported, and nothing else is left."""
        draw = random.Random(29)
        counts = {"made": 0, "refused": 0}
        for path in (unfinish(self.store("finished-schema-5")), self.store("unfinished"), self.store("finished-schema-4")):
            with open(path, "rb") as file:
                content = file.read()
            for number in range(16):
                damaged = bytearray(content)
                if number % 4 == 0:
                    for _ in range(draw.randrange(1, 40)):
                        damaged[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
                elif number % 4 == 1:
                    damaged = damaged[:draw.randrange(len(content))]
                elif number % 4 == 2:
                    start = draw.randrange(len(content))
                    damaged[start:start + draw.randrange(1, 600)] = b""
                    damaged = (damaged + bytes(len(content)))[:len(content)]
                else:
                    damaged[draw.randrange(len(content))] = draw.randrange(256)
                with self.subTest(store=os.path.basename(path), number=number):
                    counts[self.salvage(damaged)] += 1
        self.assertGreater(counts["made"], 8)
        self.assertGreater(counts["refused"], 8)

    def salvage(self, damaged):
        room = tempfile.mkdtemp(dir=self.folder)
        source, rest, page = (os.path.join(room, name) for name in ("damaged", "rest", "page.html"))
        with open(source, "wb") as file:
            file.write(damaged)
        done = tap.assay("merge", "--salvage", "-o", rest, source, env={"XDG_STATE_HOME": room})
        self.assertIn(done.returncode, (0, 1), done.stderr)
        if done.returncode:
            self.assertRegex(done.stderr, r"^assay merge: .{40,}\n$")
            self.assertEqual(os.listdir(room), ["damaged"])
            return "refused"
        self.assertEqual(sorted(os.listdir(room)), ["damaged", "rest"])
        for what in TABLES:
            self.run_assay("export", "--what", what, rest)
        self.run_assay("report", "-o", page, rest)
        self.assertEqual(sorted(os.listdir(room)), ["damaged", "page.html", "rest"])
        return "made"

    def test_an_unfinished_run_that_does_not_say_what_it_is_is_not_taken(self):
        """It has no checksums: all that it tells must make sense."""
        for sql, words in (("DELETE FROM meta WHERE key = 'command'", "no command"),
                           ("UPDATE meta SET value = 'x' WHERE key = 'seed'", "seed"),
                           ("DELETE FROM counter WHERE cell = 1", "a cell lacks events"),
                           ("DELETE FROM fact; INSERT INTO fact VALUES(1, '', 'x', 0)", "fact"),
                           ("UPDATE visit SET cell = 99 WHERE id = 1", "cell that is not there")):
            for arguments in ((), ("--salvage",)):
                with self.subTest(sql=sql, arguments=arguments):
                    path = unfinish(self.store("finished-schema-5"))
                    with sqlite3.connect(path) as store:
                        store.executescript(sql)
                    store.close()
                    before = os.listdir(self.folder)
                    done = tap.assay("merge", *arguments, "-o", self.path("rest"), path)
                    if "--salvage" in arguments and "visit" in sql:  # one process is lost, the others are there
                        self.assertEqual(done.returncode, 0, done.stderr)
                        self.run_assay("export", self.path("rest"))
                        os.unlink(self.path("rest"))
                        continue
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn(words, done.stderr)
                    self.assertEqual("--salvage -o NEW" in done.stderr, not arguments)
                    self.assertEqual(os.listdir(self.folder), before)


if __name__ == "__main__":
    tap.main()
