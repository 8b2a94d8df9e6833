# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay clocks on this machine: what it watches within a budget, in which order, how it goes on, and what it refuses.

No case asserts a time or a verdict that is the machine's. The unit tests hold the judgement to planted clocks, and
tests/clocks to clocks that lie.
"""
import collections
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import tap

# Two clocks that every user may read, over short sleeps.
SMALL = ("--quick", "--clock", "monotonic,thread-cputime", "--workload", "sleep")
# With so much time that it decides nothing: what of a plan a budget holds depends on what visits took.
AMPLE = (*SMALL, "--budget", "10m")

VISITS = "SELECT count(*) FROM visit WHERE state = 'done'"
ORDER = "SELECT cell, process FROM visit ORDER BY id"
# What tells one watch from another.
WATCHED = ("SELECT cell, kind, workload, length, threads, moves, handover, awake, partner, cpu, event FROM watch "
           "JOIN cell ON cell.id = cell JOIN counter USING (cell) WHERE counter = 0 ORDER BY cell")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-clocks-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def clocks(self, *arguments, **options):
        return tap.assay("clocks", *arguments, env={"XDG_STATE_HOME": self.folder}, timeout=200, **options)

    def refused(self, statuses, *arguments):
        done = self.clocks("--quiet", *arguments)
        self.assertIn(done.returncode, statuses, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("assay clocks: "), done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def envelope(self, done):
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout[:500])
        return json.loads(done.stdout)

    def judged(self, *arguments, **options):
        return self.envelope(self.clocks(*arguments, "--json", **options))

    def started(self, name):
        """The store of a run that was started, and what was judged of it."""
        store, future = started[name]
        return store, self.envelope(future.result())

    def rows(self, store, query):
        return rows(store, query)

    def order(self, store):
        return rows(store, ORDER)


def setUpModule():
    """Starts the runs, which do little but wait, beside each other; each case takes those that it is about."""
    global started
    folder = tempfile.mkdtemp(prefix="assay-clocks-")
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    pool = ThreadPoolExecutor(16)
    unittest.addModuleCleanup(pool.shutdown)
    tardy = os.path.join(folder, "tardy.sh")  # far slower than anyone plans for
    with open(tardy, "w", encoding="ascii") as script:
        script.write("#!/bin/sh\nsleep 0.2\ndate +%s%N\n")
    os.chmod(tardy, 0o755)

    def start(name, function, *arguments):
        store = os.path.join(folder, name)
        started[name] = store, pool.submit(function, store, *arguments)

    started = {}
    start("measured", run, "--quick", "--budget", "100s")
    start("killed", end_and_go_on, 4, signal.SIGKILL)
    start("interrupted", end_and_go_on, 6, signal.SIGINT)
    start("tardy", run, "--quick", "--budget", "8s", "--workload", "sleep", "--clock", f"tardy@1000000000=run:{tardy}")
    start("named", run, *SMALL, "--budget", "100s")
    if shutil.which("taskset"):
        start("one CPU", run, *SMALL, "--via", f"exec:taskset -c {min(os.sched_getaffinity(0))}")
    start("brief", run, "--quick", "--budget", "2s")
    for name, seed in (("seed 7", 7), ("seed 7 again", 7), ("seed 8", 8)):
        start(name, end, 8, signal.SIGKILL, seed, AMPLE)
    start("booted", end, 4, signal.SIGKILL)


def run(store, *arguments):
    return tap.assay("clocks", *arguments, "--quiet", "--json", "--store", store, env={"XDG_STATE_HOME": os.path.dirname(store)}, timeout=200)


def rows(store, query):
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
        return database.execute(query).fetchall()


def begun(store, visits):
    try:
        return rows(store, VISITS)[0][0] > visits
    except sqlite3.Error:
        return False


def end(store, visits, how, seed=11, options=SMALL):
    """A run that was ended by a signal after so many visits."""
    running = subprocess.Popen([tap.ASSAY, "clocks", *options, "--json", "--seed", str(seed), "--store", store],
                               env={**os.environ, "XDG_STATE_HOME": os.path.dirname(store)}, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and running.poll() is None and not begun(store, visits):
        time.sleep(0.02)
    running.send_signal(how)
    output, errors = running.communicate(timeout=60)
    if running.returncode == 0:
        raise unittest.SkipTest("it ended before it was interrupted")
    return running.returncode, output, errors


def end_and_go_on(store, visits, how):
    """How it ended, what was in the store then, and what came of going on."""
    ended = end(store, visits, how)
    before = [rows(store, query) for query in (VISITS, ORDER, WATCHED)]
    return ended, before, tap.assay("clocks", "--resume", "--store", store, "--budget", "100s", "--quiet", "--json", timeout=200)


class Measured(Case):
    def setUp(self):
        super().setUp()
        self.store, self.result = self.started("measured")

    def test_every_clock_of_the_store_is_judged(self):
        known = {name for name, kind in self.rows(self.store, "SELECT name, kind FROM clock") if kind not in ("place", "stolen")}
        self.assertIn("monotonic", known | {skip["what"] for skip in self.result["skipped"]})
        judged = {row["clock"] for row in self.result["analysis"]["clocks"]}
        self.assertLessEqual(known - {"rtc", "outside"}, judged)

    def test_all_kinds_of_watches_are_made(self):
        made = collections.Counter(kind for kind, in self.rows(
            self.store, "SELECT kind FROM watch JOIN visit USING (cell) WHERE state = 'done'"))
        for kind in ("interval", "row", "steps"):
            self.assertGreater(made[kind], 0, made)
        if len(os.sched_getaffinity(0)) > 1:
            self.assertGreater(made["trips"], 0, made)
        lengths = {length for length, in self.rows(
            self.store, "SELECT DISTINCT length FROM watch WHERE workload = 'sleep' AND threads = 1 AND moves = 0 AND NOT handover AND NOT awake")}
        self.assertGreaterEqual(len(lengths), 5)
        works = {work for work, in self.rows(
            self.store, "SELECT DISTINCT workload FROM watch JOIN visit USING (cell) WHERE state = 'done' AND kind = 'interval'")}
        self.assertLessEqual({"sleep", "compute", "spin", "yield", "faults", "pipe"}, works)

    def test_clocks_of_a_look_are_read_around_the_same_intervals(self):
        columns = self.rows(self.store, "SELECT cell, group_concat(name) FROM (SELECT counter.cell AS cell, counter.event AS name FROM counter "
                                        "JOIN watch USING (cell) WHERE kind = 'interval' ORDER BY counter.cell, counter) GROUP BY cell")
        self.assertEqual(len({names for _, names in columns}), 1, columns[:3])
        self.assertTrue(columns[0][1].endswith(",cpu"), columns[0])

    def test_nothing_failed_without_a_reason_that_is_told(self):
        failed = self.rows(self.store, "SELECT DISTINCT reason FROM visit WHERE state = 'failed'")
        told = {skip["reason"] for skip in self.result["skipped"]}
        for reason, in failed:
            self.assertIn(reason, told)

    def test_a_stored_run_is_judged_again_without_the_machine(self):
        again = self.judged("--from", self.store)
        self.assertEqual(again["seed"], self.result["seed"])
        self.assertEqual(again["machine"], self.result["machine"])
        self.assertEqual(again["results"], self.result["results"])
        self.assertEqual([row["trust"] for row in again["results"]], [row["trust"] for row in self.result["results"]])
        done = self.clocks("--from", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("monotonic", done.stdout)

    def test_a_finished_run_has_nothing_to_go_on_with(self):
        before = self.order(self.store)
        again = self.judged("--resume", "--store", self.store, "--quiet")
        self.assertEqual(again["results"], self.result["results"])
        self.assertEqual(self.order(self.store), before)


class Chosen(Case):
    def test_only_the_clocks_that_were_named_are_read_in_a_row(self):
        store, _ = self.started("named")
        first = {name for name, in self.rows(store, "SELECT event FROM counter JOIN watch USING (cell) WHERE kind = 'row' AND counter = 0")}
        self.assertEqual(first, {"monotonic", "thread-cputime"})
        works = {work for work, in self.rows(store, "SELECT DISTINCT workload FROM watch WHERE kind = 'interval'")}
        self.assertEqual(works, {"sleep"})

    def test_a_budget_is_kept_and_what_it_leaves_out_is_said(self):
        """A run of minutes would be killed, and kept no budget."""
        _, result = self.started("brief")
        self.assertTrue([row for row in result["skipped"] if "budget" in row["reason"]], result["skipped"])

    def test_a_run_that_its_budget_cut_short_is_whole(self):
        # What is planned first cannot be held already.
        store, result = self.started("tardy")
        self.assertTrue(result["analysis"]["complete"])
        self.assertTrue([row for row in result["skipped"] if "budget" in row["reason"]], result["skipped"])
        self.assertEqual(self.rows(store, "SELECT count(*) FROM visit WHERE state = 'pending'"), [(0,)])
        self.assertEqual(self.rows(store, "SELECT count(*) FROM meta WHERE key = 'finished'"), [(1,)])

    def test_one_cpu_alone(self):
        if "one CPU" not in started:
            self.skipTest("taskset is not installed")
        _, result = self.started("one CPU")
        told = " ".join(skip["what"] + ": " + skip["reason"] for skip in result["skipped"])
        self.assertIn("trips between CPUs", told)
        self.assertIn("one CPU", told)


class Ended(Case):
    def test_the_seed_gives_the_order(self):
        orders = []
        for name in ("seed 7", "seed 7 again", "seed 8"):
            store, future = started[name]
            future.result()
            orders.append(self.order(store))
        common = min(len(order) for order in orders)
        self.assertGreater(common, 8)
        self.assertEqual(orders[0][:common], orders[1][:common])
        self.assertNotEqual(orders[0][:common], orders[2][:common])

    def test_an_interrupted_run_is_judged_and_goes_on(self):
        store, future = started["interrupted"]
        (status, output, errors), (visits, order, _), again = future.result()
        self.assertEqual(status, 130, errors)
        self.assertIn("--resume --store", errors)
        self.assertGreater(json.loads(output)["analysis"]["looks"], 0)
        again = self.envelope(again)
        self.assertEqual(again["seed"], 11)
        self.assertTrue(again["analysis"]["complete"])
        self.assertGreater(self.rows(store, VISITS), visits)
        self.assertEqual(self.order(store)[:len(order)], order)
        self.assertEqual(self.rows(store, "SELECT cell, process FROM visit GROUP BY cell, process HAVING count(*) > 1"), [])
        works = {work for work, in self.rows(store, "SELECT DISTINCT workload FROM watch WHERE kind = 'interval'")}
        self.assertEqual(works, {"sleep"})
        self.assertEqual(self.judged("--from", store)["results"], again["results"])

    def test_a_machine_that_was_booted_since_does_not_go_on(self):
        store, future = started["booted"]
        future.result()
        with sqlite3.connect(store) as database:
            changed = database.execute("UPDATE fact SET value = '00000000-0000-0000-0000-000000000000' WHERE key = 'boot.id'").rowcount
        if not changed:
            self.skipTest("this machine has no boot id")
        before = self.order(store)
        self.assertIn("booted", self.refused((2,), "--resume", "--store", store))
        self.assertEqual(self.order(store), before)
        self.assertFalse(self.judged("--from", store)["analysis"]["complete"])

    def test_a_killed_run_goes_on_as_it_began(self):
        store, future = started["killed"]
        (status, _, _), (_, _, before), again = future.result()
        self.assertEqual(status, -signal.SIGKILL)
        self.envelope(again)
        after = self.rows(store, WATCHED)
        # What it began with is what it goes on with: no watch is there twice.
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(len({row[1:] for row in after}), len(after))


class Refused(Case):
    def test_options_that_make_no_sense(self):
        self.assertIn("--from", self.refused((2,), "--from", "x", "--resume"))
        self.assertIn("--from", self.refused((2,), "--from", "x", "--clock", "tsc"))
        self.assertIn("--from", self.refused((2,), "--from", "x", "--quick"))
        self.assertIn("--clock", self.refused((2,), "tsc"))
        for option in (("--clock", "monotonic"), ("--workload", "sleep"), ("--quick",)):
            self.assertIn("began with", self.refused((2,), "--resume", *option))

    def test_clocks_that_do_not_exist(self):
        said = self.refused((2,), "--clock", "none")
        self.assertIn("'none'", said)
        self.assertIn("monotonic", said)
        self.refused((2,), "--clock", "monotonic,none")
        self.assertIn("tells no time", self.refused((2,), "--clock", "cpu"))

    def test_hostile_clocks(self):
        for text in ("", "=", "=run:x", "a=", "a=x", "a=run:", "a=object:x", "a=object::", "a=object:x:", "a@=run:x", "a@x=run:x",
                     "a@99999999999999999999999=run:x", "a b=run:x", "monotonic=run:true", "outside=run:true", "a\nb", "%s%n", "x" * 5000,
                     "x" * 100 + "=run:x", "a=run:" + "x" * 5000, "\u00fc=run:x", "a,=run:x", ",", "tsc,,tsc", "a=run:\x01"):
            self.refused((2,), "--clock", text)
        self.assertIn("two clocks", self.refused((2,), "--clock", "a=run:true", "--clock", "a=ask:true"))

    def test_clocks_that_cannot_be_read(self):
        for text in ("mine=object:/nowhere/none.so:now", "mine=run:/nowhere/none", "mine=ask:/nowhere/none", "mine=run:false", "mine=ask:true",
                     "mine=run:echo hello", "mine=run:'"):
            self.assertIn("mine", self.refused((2, 3), "--clock", text))
        self.assertEqual(os.listdir(self.folder), [])

    def test_workloads_that_do_not_exist(self):
        for name in ("none", "sleep,none", "a\nb", "%s%n", "x" * 500):
            self.assertIn("sleep", self.refused((2,), "--workload", name))

    def test_stores_that_cannot_be(self):
        self.refused((2,), "--resume")
        self.refused((2,), "--resume", "--store", self.path("none"))
        self.refused((2,), "--from", self.path("none"))
        store = self.path("measure.sqlite")
        tap.assay("measure", "-e", "clock/ticks/", "-s", "loop", "--runs", "2", "--quiet", "--store", store)
        self.assertIn("assay measure", self.refused((2,), "--from", store))
        self.assertIn("assay measure", self.refused((2,), "--resume", "--store", store))
        self.refused((2,), *SMALL, "--store", store)
        for name, content in (("text", b"hello\n" * 500), ("empty", b"")):
            with open(self.path(name), "wb") as file:
                file.write(content)
            self.refused((1, 2), "--from", self.path(name))


if __name__ == "__main__":
    tap.main()
