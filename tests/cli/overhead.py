# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay overhead on this machine: what it measures within a budget, in which order, and how it goes on.

No case asserts a cost: that is the machine's. The unit tests hold the judgement to planted costs.
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

import tap
from unfinished import unfinish

# Two paths that ordinary users may take, in few processes.
SMALL = ("--path", "perf-read,perf-syscall", "--counted", "page-faults:u", "--processes", "3")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-overhead-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def overhead(self, *arguments, **options):
        return tap.assay("overhead", *arguments, env={"XDG_STATE_HOME": self.folder}, timeout=200, **options)

    def refused(self, statuses, *arguments):
        done = self.overhead("--quiet", *arguments)
        self.assertIn(done.returncode, statuses, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("assay overhead: "), done.stderr)
        return done.stderr

    def judged(self, *arguments, **options):
        return self.envelope(self.overhead(*arguments, "--json", **options))

    def envelope(self, done):
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


class Shared(Case):
    """Cases that look at one run."""

    ARGUMENTS = ()

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix="assay-overhead-")
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.store = os.path.join(cls.shared, "run.sqlite")
        cls.done = tap.assay("overhead", *cls.ARGUMENTS, "--budget", "100s", "--quiet", "--json", "--store", cls.store, timeout=200)


class Everything(Shared):
    """One run of all operations."""

    ARGUMENTS = ("--processes", "2")

    def setUp(self):
        super().setUp()
        self.result = self.envelope(self.done)
        self.absent = self.rows(self.store, "SELECT name, reason FROM event WHERE kind = 'operation' AND error != 0")

    def test_every_operation_is_measured_or_its_absence_explained(self):
        known = {f"{path}.{kind}" for path, kind in self.rows(self.store, "SELECT path, kind FROM operation")}
        self.assertIn("timer.nothing", known)
        measured = {f"{row['path']}.{row['operation']}" for row in self.result["results"]}
        tours = self.rows(self.store, "SELECT calls FROM tour JOIN visit USING (cell) WHERE state = 'done'")
        called = {call.split("*")[0] for calls, in tours for call in calls.split(",")}
        failed = [reason for reason, in self.rows(self.store, "SELECT DISTINCT reason FROM visit WHERE state = 'failed'")]
        self.assertEqual(called, known, failed)
        self.assertLessEqual(measured, known)
        self.assertGreaterEqual(measured, {name for name in known if not name.startswith("timer.")})
        said = " ".join(skip["what"] for skip in self.result["skipped"])
        for name, reason in self.absent:
            self.assertTrue(reason, name)
            self.assertIn(name, said)
        self.assertFalse(known & {name for name, _ in self.absent})

    def test_absences_are_in_the_store(self):
        if not self.absent:
            self.skipTest("this machine can call everything")
        reasons = {skip["reason"] for skip in self.judged("--from", self.store)["skipped"]}
        self.assertLessEqual({reason for _, reason in self.absent}, reasons)


class Measured(Shared):
    """One run of few operations."""

    ARGUMENTS = SMALL

    def test_in_a_warm_tour_every_pair_stands_once(self):
        self.envelope(self.done)
        tours = [calls.split(",") for calls, in self.rows(self.store, "SELECT calls FROM tour WHERE NOT cold AND calls NOT LIKE '%start%'")]
        self.assertTrue(tours)
        for tour in tours:
            pairs = collections.Counter(zip(tour, tour[1:] + tour[:1]))
            self.assertEqual(set(pairs.values()), {1}, tour)
            self.assertEqual(len(pairs), len(set(tour)) ** 2)
        orders = {tuple(tour) for tour in tours if "perf-syscall.read" in tour and "perf-read.read" in tour}
        self.assertGreater(len(orders), 3)

    def test_stores_are_judged_without_the_machine(self):
        first = self.envelope(self.done)
        again = self.judged("--from", self.store)
        self.assertEqual(again["seed"], first["seed"])
        self.assertEqual(again["results"], first["results"])
        copy = self.path("copy.sqlite")
        shutil.copy(self.store, copy)
        self.assertEqual(self.judged("--from", self.store, "--from", copy)["results"], first["results"])
        unfinish(copy)  # the same calls, from before the run was finished
        self.assertIn("count twice", self.refused((2, 3, 4), "--from", self.store, "--from", copy))

    def test_processes_share_one_cpu_and_people_get_a_report(self):
        self.envelope(self.done)
        self.assertEqual(self.rows(self.store, "SELECT DISTINCT cpu FROM cell"), [(max(os.sched_getaffinity(0)),)])
        store, first = self.path("other.sqlite"), min(os.sched_getaffinity(0))
        done = self.overhead(*SMALL, "--budget", "2s", "--quiet", "--store", store, "--cpu", str(first))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("perf-read", done.stdout)
        self.assertIn("seed ", done.stdout)
        self.assertEqual(self.rows(store, "SELECT DISTINCT cpu FROM cell"), [(first,)])

    def test_a_budget_is_kept_and_what_it_leaves_out_is_said(self):
        began = time.monotonic()
        result = self.judged("--budget", "2s", "--quiet")
        self.assertLess(time.monotonic() - began, 60)  # a hang, not a time, is what this looks for
        self.assertEqual(result["command"], "overhead")
        self.assertGreater(result["analysis"]["calls"], 0)
        self.assertTrue([row for row in result["skipped"] if "budget" in row["reason"]])
        self.assertEqual(len(result["findings"]), 7)


class Ended(Case):
    def begun(self, store, visits):
        try:
            return self.visits(store) > visits
        except sqlite3.Error:
            return False

    def end(self, store, visits, how, seed=11):
        """A run that was ended by a signal after so many visits."""
        running = subprocess.Popen([tap.ASSAY, "overhead", *SMALL[:4], "--processes", "400", "--budget", "1h", "--json",
                                    "--seed", str(seed), "--store", store],
                                   env={**os.environ, "XDG_STATE_HOME": self.folder}, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and running.poll() is None and not self.begun(store, visits):
            time.sleep(0.02)
        running.send_signal(how)
        output, errors = running.communicate(timeout=60)
        if running.returncode in (0, 3):
            self.skipTest("it ended before it was interrupted")
        return running.returncode, output, errors

    def planned(self, name, seed):
        store = self.path(name)
        self.end(store, 60, signal.SIGKILL, seed)
        return self.order(store), self.rows(store, "SELECT calls FROM tour ORDER BY cell")


class Ordered(Ended):
    """Ended in the midst, so that no budget depends on how busy the machine is; the plan stands in the store."""

    def test_the_seed_gives_the_order_of_calls_and_of_processes(self):
        (first, tours), (again, same), (other, others) = tap.together(lambda run: self.planned(*run), (("a", 7), ("b", 7), ("c", 8)))
        common = min(len(first), len(again), len(other))
        self.assertGreater(common, 30)
        self.assertEqual(first[:common], again[:common])
        self.assertNotEqual(first[:common], other[:common])
        common = min(len(tours), len(same), len(others))
        self.assertEqual(tours[:common], same[:common])
        self.assertNotEqual(tours[:common], others[:common])
        # Tours do not come together.
        changes = sum(1 for before, after in zip(first, first[1:]) if before[0] != after[0])
        self.assertGreater(changes, len(first) * 3 / 4)


class Resumed(Ended):
    def test_an_interrupted_run_is_judged_and_goes_on(self):
        store = self.path("run.sqlite")
        status, output, errors = self.end(store, 60, signal.SIGINT)
        self.assertEqual(status, 130, errors)
        self.assertIn("--resume --store", errors)
        self.assertGreater(json.loads(output)["analysis"]["calls"], 0)
        before, order = self.visits(store), self.order(store)
        again = self.judged("--resume", "--store", store, "--budget", "2s", "--quiet")
        self.assertEqual(again["seed"], 11)
        self.assertGreater(self.visits(store), before)
        self.assertEqual(self.order(store)[:len(order)], order)

    def test_a_killed_run_goes_on_as_it_began(self):
        def killed(visits):
            store = self.path(f"killed-{visits}")
            status, _, _ = self.end(store, visits, signal.SIGKILL)
            before = self.rows(store, "SELECT cell, calls FROM tour ORDER BY cell")
            self.judged("--resume", "--store", store, "--budget", "2s", "--quiet")
            return store, status, before
        for store, status, before in tap.together(killed, (0, 80)):
            self.assertEqual(status, -signal.SIGKILL)
            after = self.rows(store, "SELECT cell, calls FROM tour ORDER BY cell")
            self.assertEqual(after[:len(before)], before)
            # The orders that it began with are those it goes on with: no tour is there twice.
            tours = self.rows(store, "SELECT link, calls, open, separate, count(*) FROM tour JOIN cell ON cell.id = cell GROUP BY 1, 2, 3, 4")
            self.assertEqual([row for row in tours if row[4] > 1], [])
            called = {call.split(".")[0] for _, calls in after for call in calls.split(",")}
            self.assertEqual(called, {"timer", "perf-read", "perf-syscall"})
            self.assertEqual(self.rows(store, "SELECT cell, process FROM visit GROUP BY cell, process HAVING count(*) > 1"), [])
            self.assertEqual({counted for counted, in self.rows(store, "SELECT DISTINCT counted FROM tour")}, {"page-faults:u"})


class JudgedAgain(Case):
    def test_damaged_stores_are_refused(self):
        for name, content in (("text", b"hello\n" * 500), ("empty", b"")):
            with open(self.path(name), "wb") as file:
                file.write(content)
            done = self.overhead("--from", self.path(name))
            self.assertIn(done.returncode, (1, 2), done.stdout)
            self.assertTrue(done.stderr.startswith("assay overhead: "), done.stderr)


class Refused(Case):
    def test_options_that_make_no_sense(self):
        self.assertIn("--processes", self.refused((2,), "--processes", "0"))
        self.assertIn("--cpu", self.refused((2,), "--cpu", "-2"))
        self.assertIn("--from", self.refused((2,), "--from", "x", "--resume"))
        self.assertIn("--from", self.refused((2,), "--from", "x", "--path", "perf-read"))
        self.assertIn("--counted", self.refused((2,), "page-faults"))
        for option in (("--path", "perf-read"), ("--meter", "clock/ticks/"), ("--counted", "page-faults"), ("--processes", "5"),
                       ("--cpu", "0")):
            self.assertIn("began with", self.refused((2,), "--resume", *option))

    def test_names_that_do_not_exist(self):
        for name in ("none", "timer", "perf-read.start", "a\nb", "%s%n", "x" * 500):
            self.refused((2,), "--path", name)
        for name in ("none", "clock/", "step/instructions/", "page-faults", "clock/ticks/u"):
            self.refused((2, 3), "--meter", name)
        for name in ("none", "clock/ticks/", "tracepoint:", "\u00fc", ":::"):
            self.refused((2, 3), "--counted", name)

    def test_a_cpu_that_is_not_there(self):
        done = self.overhead(*SMALL, "--budget", "2s", "--quiet", "--cpu", "4095")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("4095", done.stdout)

    def test_stores_that_cannot_be(self):
        self.refused((2,), "--resume")
        self.refused((2,), "--resume", "--store", self.path("none"))
        self.refused((2,), "--from", self.path("none"))
        store = self.path("measure.sqlite")
        tap.assay("measure", "-e", "clock/ticks/", "-s", "loop", "--runs", "2", "--quiet", "--store", store)
        self.assertIn("assay measure", self.refused((2,), "--from", store))
        self.assertIn("assay measure", self.refused((2,), "--resume", "--store", store))
        self.refused((2,), *SMALL, "--store", store)


class Restricted(Case):
    REFUSE = os.environ.get("SECCOMP_REFUSE", "")

    def test_without_perf_it_does_what_it_can_and_says_what_is_missing(self):
        if not self.REFUSE:
            self.skipTest("SECCOMP_REFUSE is not set")
        for refusal in ("EPERM", "ENOSYS"):
            done = self.overhead("--budget", "4s", "--quiet", "--json", "--via", f"exec:{self.REFUSE} {refusal} --")
            self.assertIn(done.returncode, (0, 3), done.stderr)
            result = json.loads(done.stdout)
            self.assertTrue(result["skipped"])
            self.assertEqual(done.returncode == 0, result["analysis"]["calls"] > 0)
            self.assertNotIn("perf-read", {row["path"] for row in result["results"]})

    def test_as_an_ordinary_user(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("needs root, who can become another, and setpriv")
        done = self.overhead("--budget", "4s", "--processes", "2", "--quiet", "--json",
                             "--via", "exec:setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        result = json.loads(done.stdout)
        if done.returncode == 3:
            self.assertTrue(result["skipped"])
        else:
            self.assertIn("perf-read", {row["path"] for row in result["results"]})


if __name__ == "__main__":
    tap.main()
