# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay run: parts in order, what is left out, one store and one page at the end, and what it refuses.

No case asserts a time, nor what a machine has: parts that it lacks are named, and that is all that is asked of them.
"""
import functools
import json
import os
import shutil
import tempfile
import unittest

import tap
from whole_runs import DONE, FAILED, LACKING, PARTS, USAGE, Case, start

REFUSE = os.environ.get("SECCOMP_REFUSE", "")
SUMMARY = ("doctor", "trust", "adds", "calls", "clocks", "caches", "repeat", "findings", "left out", "next", "go on",
           "store", "report", "")
ODD = "-a 'b\"\nc.sqlite#2"


class Ended(Case):
    """Runs that take the time they are given: they take it beside each other, and each case looks at what it is about."""
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix="assay-run-")
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        place = functools.partial(os.path.join, cls.shared)
        runs = {
            "whole": ["--budget", "20s", "--seed", "17", "--store", place("all.sqlite"), "--json"],  # the least that holds every part
            "confined": ["--budget", "20s", "--store", place("confined.sqlite"), "--json"],
            "shown": ["--quick", "--budget", "7s", "--via", "exec:env", "--store", place("shown.sqlite"), "--report", place("page.html")],
            "odd": ["--budget", "3s", "--store", place(ODD), "--json"],
            "unnamed": ["--budget", "3s", "--json"],
            "quiet": ["--budget", "3s", "--json", "--quiet"],
        }
        prefixes = {"confined": (REFUSE, "EPERM", "--")} if REFUSE else {}
        started = {name: start(cls.shared, *words, prefix=prefixes.get(name, ())) for name, words in runs.items()}
        cls.said = {name: process.communicate(timeout=250) for name, process in started.items()}
        cls.statuses = {name: process.returncode for name, process in started.items()}

    def setUp(self):
        self.folder, self.store = self.shared, os.path.join(self.shared, "all.sqlite")

    def of(self, name):
        """Output and errors of a run that ended well."""
        output, errors = self.said[name]
        self.assertIn(self.statuses[name], (DONE, LACKING), errors + output[:500])
        return output, errors

    def envelope(self, name):
        return json.loads(self.of(name)[0])

    def test_every_part_is_done_or_named(self):
        envelope = self.envelope("whole")
        self.assertEqual([part["part"] for part in envelope["results"]], PARTS)
        for part in envelope["results"]:
            self.assertIn(part["status"], ("done", "lacking"), part)
            if part["status"] == "lacking":
                self.assertTrue(part["reason"], part)
        self.assertEqual(envelope["seed"], 17)
        self.assertEqual({skip["what"] for skip in envelope["skipped"]},
                         {part["part"] for part in envelope["results"] if part["status"] != "done"})
        self.assert_whole(envelope)

    def test_what_a_short_time_does_not_hold_is_named(self):
        envelope = self.envelope("unnamed")
        states = {part["part"]: part["status"] for part in envelope["results"]}
        self.assertEqual(states["caches"], "left out")
        self.assertIn(states["validate"], ("done", "lacking"))
        reasons = {skip["what"]: skip["reason"] for skip in envelope["skipped"]}
        self.assertIn("--budget", reasons["caches"])
        with open(envelope["analysis"]["report"], encoding="utf-8") as file:
            page = file.read()
        self.assertIn("caches was left out: ", page)
        self.assertIn(f"assay run --budget 3000ms --seed {envelope['seed']}<", page)

    def test_the_summary_is_one_screen(self):
        output, errors = self.of("shown")
        lines = output.splitlines()
        self.assertLessEqual(len(lines), 24, output)
        for line in lines[2:]:
            self.assertIn(line[:11].strip(), SUMMARY, output)
        self.assertEqual(lines[-1].split(), ["report", self.path("page.html")])
        self.assertIn(self.path("shown.sqlite"), output)
        self.assertTrue(os.path.exists(self.path("page.html")))
        # Without a terminal every part is told when it begins and when it ends.
        self.assertIn("2 of 6 validate: about ", errors)
        self.assertIn("2 of 6 validate: done after ", errors)

    def test_what_comes_next_is_of_the_same_machine(self):
        words = " ".join(self.of("shown")[0].split())
        self.assertIn("`assay run --via exec:env` sees more, in 11 min", words)
        self.assertIn("`assay doctor --via exec:env`", words)

    def test_quiet_says_nothing_meanwhile(self):
        self.assertEqual(self.of("quiet")[1], "")

    def test_in_the_state_folder_two_at_a_time(self):
        places = set()
        for name in ("unnamed", "quiet"):
            analysis = self.envelope(name)["analysis"]
            places.update((analysis["store"], analysis["report"]))
        self.assertEqual(len(places), 4)
        for place in places:
            self.assertTrue(os.path.exists(place), place)
            self.assertIn("-run.", place)

    def test_odd_names_are_names(self):
        if self.envelope("odd")["analysis"]["store"]:
            self.assertTrue(os.path.isfile(self.path(ODD)))

    @unittest.skipUnless(REFUSE, "needs seccomp-refuse")
    def test_without_perf_event_the_rest_goes_on(self):
        envelope = self.envelope("confined")
        states = {part["part"]: part["status"] for part in envelope["results"]}
        self.assertEqual(set(states.values()) - {"done", "lacking"}, set(), envelope["results"])
        self.assertEqual(states["clocks"], "done")


class Refused(Case):
    def test_a_machine_that_is_not_there(self):
        done = self.run_all("--via", "exec:false", "--store", self.store)
        self.assertNotEqual(done.returncode, DONE)
        self.assertTrue(done.stderr.startswith("assay run: "), done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def refused(self, *arguments, status=USAGE):
        done = self.run_all(*arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("assay run: "), done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_what_is_there_is_left_as_it_is(self):
        for name in (self.store, self.path("all.html")):
            with open(name, "w", encoding="utf-8") as file:
                file.write("mine")
            self.assertIn(name, self.refused("--store", self.store))
            with open(name, encoding="utf-8") as file:
                self.assertEqual(file.read(), "mine")
            os.remove(name)
        os.mkdir(self.store + ".parts")
        self.assertIn("--resume", self.refused("--store", self.store))

    def test_wrong_words(self):
        self.assertIn("leave out", self.refused("--resume", "--seed", "5"))
        self.assertIn("error", self.refused("error"))
        self.assertIn("--store", self.refused("--store", ""))
        self.assertIn("nowhere", self.refused("--resume", "--store", self.path("nowhere")))
        self.assertIn("unfinished", self.refused("--resume"))

    def test_a_place_that_cannot_be_written(self):
        self.assertIn("/proc/self/mem", self.refused("--store", "/proc/self/mem/x", status=FAILED))
        self.assertIn("nowhere/x", self.refused("--report", self.path("nowhere/x"), "--store", self.store, status=FAILED))
        os.mkdir(self.path("state"))
        with open(self.path("state/assay"), "w", encoding="utf-8"):
            pass  # where a folder should be
        self.assertIn("--store", self.refused(status=FAILED))

    def test_a_damaged_record_is_said(self):
        os.mkdir(self.store + ".parts")
        for content in ("", "{}", "[1]", '{"schema": "assay-run/1", "parts": [1, 2, 3, 4, 5, 6], "total_ms": 5}'):
            with open(self.store + ".parts/run.json", "w", encoding="utf-8") as file:
                file.write(content)
            self.assertIn("damaged", self.refused("--resume", "--store", self.store, status=FAILED))


if __name__ == "__main__":
    tap.main()
