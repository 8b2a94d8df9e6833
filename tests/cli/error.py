# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay error on this machine: what it measures within a budget, in which order, and how it goes on.

No case asserts a count: what measuring adds is the machine's. The unit tests hold the judgement to planted errors.
"""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import tap

# Two events that ordinary users may count, through two paths: quick, and a whole crossing.
SMALL = ("page-faults:u", "task-clock:u", "--path", "perf-read,perf-syscall", "--processes", "3", "--runs", "4")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-error-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def error(self, *arguments, **options):
        return tap.assay("error", *arguments, env={"XDG_STATE_HOME": self.folder}, timeout=120, **options)

    def judged(self, *arguments, **options):
        done = self.error(*arguments, "--json", **options)
        if done.returncode == 3:
            self.skipTest(f"nothing can be measured here: {done.stderr or done.stdout}"[:300])
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def rows(self, store, query):
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            return database.execute(query).fetchall()

    def visits(self, store):
        return self.rows(store, "SELECT count(*) FROM visit WHERE state = 'done'")[0][0]

    def order(self, store):
        return self.rows(store, "SELECT cell, process FROM visit ORDER BY id")


class Measured(Case):
    def test_a_budget_is_kept_and_what_it_leaves_out_is_said(self):
        began = time.monotonic()
        result = self.judged("--budget", "2s", "--quiet")
        self.assertLess(time.monotonic() - began, 60)  # a hang, not a time, is what this looks for
        self.assertEqual(result["command"], "error")
        self.assertGreater(result["analysis"]["measurements"], 0)
        # On a busy machine already what was planned first may not be finished.
        self.assertTrue(not result["analysis"]["complete"] or [row for row in result["skipped"] if "budget" in row["reason"]])
        self.assertEqual(len(result["findings"]), 10)

    def test_replicates_are_fresh_processes(self):
        # One event through one path: all of it is measured long before the budget ends, however busy the machine is.
        result = self.judged("page-faults:u", "--path", "perf-read", "--processes", "3", "--runs", "4", "--budget", "100s", "--quiet")
        nulls = [row for row in result["results"] if row["part"] == "null" and row["counters"] == 1]
        self.assertTrue(nulls)
        for row in nulls:
            self.assertEqual((row["path"], row["processes"], row["runs"]), ("perf-read", 3, 12), row)
        self.assertEqual(sum(row["runs"] for row in result["results"]), result["analysis"]["measurements"])

    def test_for_people_it_is_a_report(self):
        done = self.error(*SMALL, "--budget", "1s", "--quiet")
        if done.returncode == 3:
            self.skipTest(done.stdout[:300])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("page-faults:u", done.stdout)
        self.assertIn("seed ", done.stdout)


class Ended(Case):
    def begun(self, store, query, count):
        try:
            return self.rows(store, query)[0][0] > count
        except sqlite3.Error:
            return False

    def end(self, store, visits, how, seed=11, asked=(*SMALL, "--budget", "1h"), query="SELECT count(*) FROM visit WHERE state = 'done'"):
        """A run that was ended by a signal after so many visits, or so many of what is asked for."""
        running = subprocess.Popen([tap.ASSAY, "error", *asked, "--json", "--seed", str(seed), "--store", store],
                                   env={**os.environ, "XDG_STATE_HOME": self.folder}, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and running.poll() is None and not self.begun(store, query, visits):
            time.sleep(0.02)
        running.send_signal(how)
        output, errors = running.communicate(timeout=60)
        if running.returncode in (0, 3):
            self.skipTest("it ended before it was interrupted")
        return running.returncode, output, errors


class Ordered(Ended):
    """Ended in the midst, so that no budget depends on how busy the machine is; the plan stands in the store."""

    def ordered(self, name, seed):
        self.end(self.path(name), 30, signal.SIGKILL, seed)
        return self.order(self.path(name))

    def test_the_seed_gives_the_order(self):
        first, again, other = self.ordered("a", 7), self.ordered("b", 7), self.ordered("c", 8)
        common = min(len(first), len(again), len(other))
        self.assertGreater(common, 100)
        self.assertEqual(first[:common], again[:common])
        self.assertNotEqual(first[:common], other[:common])

    def test_neither_events_nor_paths_come_together(self):
        self.ordered("run", 5)
        order = self.rows(self.path("run"), "SELECT c.path, (SELECT event FROM counter WHERE cell = c.id AND counter = 0) "
                                            "FROM visit v JOIN cell c ON c.id = v.cell ORDER BY v.id")
        self.assertGreater(len(order), 100)
        for column in (0, 1):
            changes = sum(1 for before, after in zip(order, order[1:]) if before[column] != after[column])
            self.assertGreater(changes, len(order) / 5)


class Resumed(Ended):
    def test_an_interrupted_run_is_judged_and_goes_on(self):
        store = self.path("run.sqlite")
        status, output, errors = self.end(store, 40, signal.SIGINT)
        self.assertEqual(status, 130, errors)
        self.assertIn("--resume --store", errors)
        self.assertGreater(json.loads(output)["analysis"]["measurements"], 0)
        before, order = self.visits(store), self.order(store)
        again = self.judged("--resume", "--store", store, "--budget", "2s", "--quiet")
        self.assertEqual(again["seed"], 11)
        self.assertGreater(self.visits(store), before)
        self.assertEqual(self.order(store)[:len(order)], order)

    def test_it_goes_on_in_the_stage_that_it_was_in(self):
        store = self.path("run.sqlite")
        # So many processes a cell that the first stage leaves most of its cells out.
        status, _, errors = self.end(store, 0, signal.SIGINT, asked=("page-faults:u", "--processes", "200", "--runs", "4", "--budget", "5s"),
                                     query="SELECT count(*) FROM cell WHERE specimen LIKE 'placed%'")
        self.assertEqual(status, 130, errors)
        before = self.rows(store, "SELECT max(id) FROM cell")[0][0]
        self.judged("--resume", "--store", store, "--budget", "3s", "--quiet")
        after = self.rows(store, f"SELECT specimen, counters FROM cell WHERE id > {before} ORDER BY id LIMIT 1")
        if not after:
            self.skipTest("the time held no new cell")
        self.assertNotEqual(after[0], ("null", 1))

    def test_a_killed_run_goes_on_as_it_began(self):
        for visits in (0, 60):
            store = self.path(f"killed-{visits}")
            status, _, _ = self.end(store, visits, signal.SIGKILL)
            self.assertEqual(status, -signal.SIGKILL)
            self.judged("--resume", "--store", store, "--budget", "2s", "--quiet")
            self.assertLessEqual({row[0] for row in self.rows(store, "SELECT path FROM cell")},
                                 {"perf-read", "perf-syscall", "clock", "perf-stat"})
            counts = self.rows(store, "SELECT max(process) FROM visit v JOIN cell c ON c.id = v.cell "
                                      "WHERE c.specimen = 'null'")
            self.assertLess(counts[0][0], 3)
            twice = self.rows(store, "SELECT cell, process FROM visit GROUP BY cell, process HAVING count(*) > 1")
            self.assertEqual(twice, [])


class JudgedAgain(Case):
    def test_stores_are_judged_without_the_machine(self):
        store = self.path("run.sqlite")
        first = self.judged(*SMALL, "--budget", "1500ms", "--quiet", "--store", store)
        again = self.judged("--from", store)
        self.assertEqual(again["seed"], first["seed"])
        self.assertEqual(again["results"], first["results"])
        other = self.judged(*SMALL, "--budget", "1500ms", "--quiet", "--store", self.path("other.sqlite"))
        both = self.judged("--from", store, "--from", self.path("other.sqlite"))
        self.assertEqual(both["analysis"]["measurements"], first["analysis"]["measurements"] + other["analysis"]["measurements"])

    def test_damaged_stores_are_refused(self):
        for name, content in (("text", b"hello\n" * 500), ("empty", b"")):
            with open(self.path(name), "wb") as file:
                file.write(content)
            done = self.error("--from", self.path(name))
            self.assertIn(done.returncode, (1, 2), done.stdout)
            self.assertTrue(done.stderr.startswith("assay error: "), done.stderr)


class Refused(Case):
    def refused(self, status, *arguments):
        done = self.error("--quiet", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("assay error: "), done.stderr)
        return done.stderr

    def test_options_that_make_no_sense(self):
        self.assertIn("--runs", self.refused(2, "--runs", "0"))
        self.assertIn("--processes", self.refused(2, "--processes", "0"))
        self.assertIn("--cpu", self.refused(2, "--cpu", "-2"))
        self.assertIn("--from", self.refused(2, "--from", "x", "--resume"))
        self.assertIn("--from", self.refused(2, "--from", "x", "page-faults"))
        for option in (("page-faults",), ("--path", "perf-read"), ("--runs", "5"), ("--processes", "5"), ("--cpu", "0")):
            self.assertIn("began with", self.refused(2, "--resume", *option))

    def test_names_that_do_not_exist(self):
        self.refused(2, "no-such-event")
        self.assertIn("no path 'none'", self.refused(2, "page-faults:u", "--path", "none"))

    def test_stores_that_cannot_be(self):
        self.refused(2, "--resume")
        self.refused(2, "--resume", "--store", self.path("none"))
        self.refused(2, "--from", self.path("none"))
        store = self.path("measure.sqlite")
        tap.assay("measure", "-e", "clock/ticks/", "-s", "loop", "--runs", "2", "--quiet", "--store", store)
        self.assertIn("assay measure", self.refused(2, "--from", store))
        self.assertIn("assay measure", self.refused(2, "--resume", "--store", store))
        self.refused(2, "page-faults:u", "--store", store)


class Restricted(Case):
    REFUSE = os.environ.get("SECCOMP_REFUSE", "")

    def test_without_perf_it_steps_and_says_what_is_missing(self):
        if not self.REFUSE:
            self.skipTest("SECCOMP_REFUSE is not set")
        done = self.error("--budget", "2s", "--quiet", "--json", "--via", f"exec:{self.REFUSE} EPERM --")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        result = json.loads(done.stdout)
        self.assertTrue(result["skipped"])
        self.assertEqual(done.returncode == 0, result["analysis"]["measurements"] > 0)


if __name__ == "__main__":
    tap.main()
