# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay repeat on this machine: what it executes and in which order, how commands end, how it goes on, what it refuses.

No case asserts a time or how much a program varies. What is counted is held to the truth by the tests of sources and
subjects, and what is judged by the unit tests.
"""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import tap

# By perf_event alone, whose page faults every machine counts that lets one count at all.
PERF = ("--source", "perf_event", "--no-subjects")
FEW = (*PERF, "--runs", "2")
# As-is and one control: where it does not matter what is counted.
BRIEF = (*FEW, "--control", "aslr")
# With so much time that it decides nothing.
AMPLE = ("--budget", "10m")
# A command that takes no time.
NOTHING = ("--", "sh", "-c", "")


def absence():
    """Why perf_event counts no command here, or ""."""
    with tempfile.TemporaryDirectory(prefix="assay-repeat-") as folder:
        done = tap.assay("repeat", *BRIEF, "--quiet", *NOTHING, env={"XDG_STATE_HOME": folder}, timeout=200)
    return done.stderr if done.returncode else ""


ABSENCE = absence()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-repeat-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def repeat(self, *arguments, **options):
        return tap.assay("repeat", *arguments, env={"XDG_STATE_HOME": self.folder}, timeout=200, **options)

    def judged(self, *arguments, status=0, **options):
        done = self.repeat("--json", *arguments, **options)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout[:500])
        return json.loads(done.stdout)

    def refused(self, *arguments):
        done = self.repeat("--quiet", *arguments)
        self.assertEqual(done.returncode, 125, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("assay repeat: "), done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def rows(self, store, query):
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            return database.execute(query).fetchall()

    def done(self, store):
        return self.rows(store, "SELECT count(*) FROM visit WHERE state = 'done'")[0][0]

    def order(self, store):
        return self.rows(store, "SELECT cell, process FROM visit ORDER BY id")

    def script(self, name, body):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!{sys.executable}\n{body}")
        os.chmod(path, 0o755)
        return path


@unittest.skipIf(ABSENCE, ABSENCE)
class Measured(Case):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix="assay-repeat-")
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.store = os.path.join(cls.shared, "run.sqlite")
        cls.done_once = tap.assay("repeat", *PERF, *AMPLE, "--quick", "--sweep", "env,stack", "--quiet", "--json", "--store", cls.store,
                                  *NOTHING, env={"XDG_STATE_HOME": cls.shared}, timeout=300)

    def setUp(self):
        super().setUp()
        self.assertEqual(self.done_once.returncode, 0, self.done_once.stderr + self.done_once.stdout[:500])
        self.result = json.loads(self.done_once.stdout)

    def test_as_is_and_controlled_have_the_runs_that_were_asked_for(self):
        made = dict(self.rows(self.store, "SELECT setting, count(*) FROM command JOIN visit USING (cell) WHERE sweep = '' AND detail = '' AND state = 'done' GROUP BY cell"))
        self.assertEqual(made["as-is"], 7)
        self.assertEqual(made["controlled"], 7)

    def test_each_control_is_tried_alone_and_left_out_alone(self):
        made = {name for name, in self.rows(self.store, "SELECT setting FROM command WHERE sweep = ''")}
        for control in ("aslr", "environment", "argv0", "cpu", "stack", "stdin", "hash-seeds", "tunables", "layout"):
            self.assertIn(f"only-{control}", made)
            self.assertIn(f"without-{control}", made)

    def test_sweeps_go_over_many_points(self):
        for sweep in ("env", "stack"):
            points = {swept for swept, in self.rows(self.store, f"SELECT swept FROM command WHERE sweep = '{sweep}'")}
            self.assertGreaterEqual(len(points), 9)

    def test_every_execution_tells_how_it_ended(self):
        ends = self.rows(self.store, "SELECT DISTINCT value FROM sample JOIN counter USING (cell, counter) WHERE event = 'run/status/'")
        self.assertEqual(ends, [(0,)])

    def test_results_are_of_both_settings(self):
        settings = {row["setting"] for row in self.result["results"]}
        self.assertLessEqual({"as-is", "controlled"}, settings)
        self.assertTrue(all(row["source"] == "perf_event" for row in self.result["results"]))

    def test_a_stored_run_is_judged_again_without_the_machine(self):
        again = self.judged("--from", self.store)
        self.assertEqual(again["results"], self.result["results"])
        self.assertEqual(again["seed"], self.result["seed"])
        done = self.repeat("--from", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("controlled", done.stdout)

    def test_several_stores_are_judged_together(self):
        other = self.path("other.sqlite")
        shutil.copy(self.store, other)
        both = self.judged("--from", self.store, "--from", other)
        self.assertGreaterEqual(len(both["results"]), len(self.result["results"]))

    def test_a_finished_run_has_nothing_to_go_on_with(self):
        store = self.path("finished.sqlite")
        shutil.copy(self.store, store)
        before = self.order(store)
        self.judged("--resume", "--store", store)
        self.assertEqual(self.order(store), before)


@unittest.skipIf(ABSENCE, ABSENCE)
class Status(Case):
    def test_the_command_s_status_is_passed_on(self):
        for status in (0, 1, 2, 3, 123):
            done = self.repeat(*BRIEF, "--quiet", "--", "sh", "-c", f"exit {status}")
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn("as-is", done.stdout)

    def test_a_command_that_is_not_there(self):
        for words in (["/nowhere/none"], ["no-such-program-anywhere"], [self.path("none")]):
            done = self.repeat(*PERF, "--quiet", "--", *words)
            self.assertEqual(done.returncode, 127, done.stderr)
            self.assertIn(words[0], done.stderr)
            result = self.judged(*PERF, "--quiet", "--", *words, status=127)
            self.assertEqual({row["runs"] for row in result["results"]}, {0})
            self.assertTrue(result["skipped"])

    def test_a_command_that_cannot_be_executed(self):
        path = self.path("text")
        with open(path, "w", encoding="ascii") as file:
            file.write("hello\n")
        os.chmod(path, 0o644)
        self.assertEqual(self.repeat(*PERF, "--quiet", "--", path).returncode, 126)
        self.assertEqual(self.repeat(*PERF, "--quiet", "--", self.folder).returncode, 126)

    def test_what_cannot_be_started_is_tried_once(self):
        store = self.path("run.sqlite")
        self.repeat("--quiet", "--store", store, "--", "/nowhere/none")
        self.assertEqual(self.rows(store, "SELECT state, count(*) FROM visit GROUP BY state"), [("failed", 1)])

    def test_a_command_that_never_ends_is_executed_once(self):
        store = self.path("run.sqlite")
        done = self.repeat("--quiet", "--timeout", "300ms", "--store", store, "--", "sleep", "1000")
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertIn("--timeout", done.stderr)
        self.assertEqual(self.rows(store, "SELECT state, count(*) FROM visit GROUP BY state"), [("done", 1)])

    def test_a_command_that_is_killed(self):
        for how in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            done = self.repeat(*BRIEF, "--quiet", "--", "sh", "-c", f"kill -{int(how)} $$")
            self.assertEqual(done.returncode, 128 + how, done.stderr)
            self.assertIn(how.name, done.stdout)

    def test_statuses_that_differ_are_told(self):
        turn = self.script("turn", f"import os\npath = {self.path('turns')!r}\nopen(path, 'a').write('x')\nraise SystemExit(os.path.getsize(path) % 2)\n")
        done = self.repeat(*BRIEF, "--", turn)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("did not always end alike", done.stderr)

    def test_standard_input_is_empty_or_a_file(self):
        count = ["sh", "-c", "exit $(wc -c)"]
        self.assertEqual(self.repeat(*BRIEF, "--quiet", "--", *count).returncode, 0)
        path = self.path("in put")
        with open(path, "wb") as file:
            file.write(b"x" * 42)
        self.assertEqual(self.repeat(*BRIEF, "--quiet", "--input", path, "--", *count).returncode, 42)


@unittest.skipIf(ABSENCE, ABSENCE)
class Words(Case):
    HOSTILE = ["", " ", "it's", 'a "b"', "new\nline", "tab\t", "back\\slash", "$HOME `id` $(id) ; | & > < * ? ~", "ü€😀", "-q", "--json", "--", "%s%n", "{none}"]

    def received(self, words):
        path = self.path("words")
        writer = self.script("writer", f"import json, sys\njson.dump(sys.argv[1:], open({path!r}, 'w'))\n")
        done = self.repeat(*BRIEF, "--quiet", "--", writer, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def test_words_come_as_they_were_given(self):
        self.assertEqual(self.received(self.HOSTILE), self.HOSTILE)

    def test_sixty_kilobytes_of_words(self):
        words = ["x" * 1000] * 60
        self.assertEqual(self.received(words), words)

    def test_more_than_can_be_sent(self):
        self.assertIn("at most", self.refused(*PERF, "--", "echo", "x" * 70000))

    def test_a_hostile_command_goes_on_as_it_was_given(self):
        store = self.path("run.sqlite")
        words = ["sh", "-c", "", *self.HOSTILE]
        self.judged(*BRIEF, "--quiet", "--store", store, "--", *words)
        again = self.judged("--resume", "--quiet", "--store", store)
        self.assertTrue(again["results"])

    def test_options_of_the_command_are_the_command_s(self):
        done = self.repeat(*BRIEF, "--quiet", "sh", "-c", "exit 5", "--json", "--help")
        self.assertEqual(done.returncode, 5, done.stderr)

    def test_what_it_writes_is_not_in_the_report(self):
        shout = ["sh", "-c", "printf '%s%s%s\\n' out out out; printf '%s%s%s\\n' err err err >&2"]
        done = self.repeat(*BRIEF, "--quiet", "--", *shout)
        self.assertNotIn("outoutout\n", done.stdout + done.stderr)
        done = self.repeat(*BRIEF, "--quiet", "--show-output", "--", *shout)
        self.assertEqual(done.stderr.count("outoutout\n"), 1, done.stderr)
        self.assertEqual(done.stderr.count("errerrerr\n"), 1, done.stderr)
        self.assertNotIn("outoutout\n", done.stdout)


@unittest.skipIf(ABSENCE, ABSENCE)
class Chosen(Case):
    def settings(self, store):
        return {name for name, in self.rows(store, "SELECT DISTINCT setting FROM command")}

    def test_controls_that_were_named(self):
        store = self.path("run.sqlite")
        self.judged(*FEW, "--quiet", "--control", "aslr,cpu", "--store", store, *NOTHING)
        self.assertEqual(self.settings(store), {"as-is", "aslr+cpu", "only-aslr", "only-cpu"})
        self.assertEqual(self.rows(store, "SELECT count(*) FROM command"), [(4,)])

    def test_controls_that_are_left_out(self):
        store = self.path("run.sqlite")
        self.judged(*FEW, "--quiet", "--no-control", "layout", "--store", store, *NOTHING)
        self.assertIn("without-layout", self.settings(store))
        self.assertNotIn("controlled", self.settings(store))
        self.assertNotIn("only-layout", self.settings(store))

    def test_events_that_were_named_are_all_that_is_counted(self):
        store = self.path("run.sqlite")
        self.judged("--no-subjects", "--runs", "2", "--quiet", "--event", "task-clock:u", "--store", store, *NOTHING)
        events = {name for name, in self.rows(store, "SELECT DISTINCT event FROM counter") if not name.startswith("run/")}
        self.assertEqual(events, {"task-clock:u"})

    def test_variables_that_are_kept(self):
        code = 'test "$KEPT" = "a b" || exit 9'
        os.environ["KEPT"] = "a b"
        self.addCleanup(os.environ.pop, "KEPT")
        done = self.repeat(*FEW, "--quiet", "--control", "environment", "--keep", "KEPT", "--", "sh", "-c", code)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_files_that_are_brought(self):
        source = self.script("prog", "raise SystemExit(6)\n")
        done = self.repeat(*BRIEF, "--quiet", "--bring", source, "--", "{brought}/prog")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("cannot be brought", self.refused(*FEW, "--bring", self.path("none"), "--", "{brought}/none"))
        self.assertIn("cannot be brought", self.refused(*FEW, "--bring", self.folder, "--", "true"))

    def test_a_file_of_this_machine_is_suggested_to_be_brought(self):
        source = self.script("prog", "pass\n")
        done = self.repeat(*BRIEF, "--quiet", "--via", "exec:env -C /", "--", "./" + os.path.basename(source), cwd=self.folder)
        self.assertEqual(done.returncode, 127, done.stderr)
        self.assertIn("--bring", done.stderr)
        self.assertIn("{brought}/prog", done.stderr)

    def test_a_budget_leaves_out_what_matters_least_and_says_so(self):
        result = self.judged("--quiet", "--budget", "3s", "--", sys.executable, "-c", "pass")
        self.assertTrue([row for row in result["skipped"] if "budget" in row["reason"]], result["skipped"])
        self.assertTrue(result["results"])

    def test_few_runs_are_remarked_on(self):
        self.assertIn("paper", self.repeat(*BRIEF, *NOTHING).stderr)

    def test_the_seed_gives_the_order(self):
        orders = []
        for name, seed in (("a", "7"), ("b", "7"), ("c", "8")):
            self.judged(*FEW, *AMPLE, "--control", "aslr,cpu,stdin", "--quiet", "--seed", seed, "--store", self.path(name), *NOTHING)
            orders.append(self.order(self.path(name)))
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], orders[2])


@unittest.skipIf(ABSENCE, ABSENCE)
class Ended(Case):
    def begun(self, store, visits):
        try:
            return self.done(store) > visits
        except sqlite3.Error:
            return False

    def end(self, store, visits, how, *more):
        """A run that was ended by a signal after so many visits."""
        running = subprocess.Popen([tap.ASSAY, "repeat", *PERF, *AMPLE, *more, "--control", "aslr,cpu", "--runs", "8", "--json", "--seed", "11", "--store", store, "--",
                                    "sh", "-c", "sleep 0.05; exit 3"],
                                   env={**os.environ, "XDG_STATE_HOME": self.folder}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and running.poll() is None and not self.begun(store, visits):
            time.sleep(0.02)
        running.send_signal(how)
        output, errors = running.communicate(timeout=60)
        if running.returncode == 3:
            self.skipTest("it ended before it was interrupted")
        return running.returncode, output, errors

    def goes_on(self, store):
        before, order = self.done(store), self.order(store)
        again = self.judged("--resume", "--quiet", "--store", store, status=3)
        self.assertEqual(again["seed"], 11)
        self.assertGreater(self.done(store), before)
        self.assertEqual(self.order(store)[:len(order)], order)
        self.assertEqual(self.rows(store, "SELECT cell, process FROM visit GROUP BY cell, process HAVING count(*) > 1"), [])
        # What it began with is what it goes on with: no cell is there twice.
        cells = self.rows(store, "SELECT words, setting, sweep, swept, detail, timeout FROM command")
        self.assertEqual(len(set(cells)), len(cells))

    def test_an_interrupted_run_is_judged_and_goes_on(self):
        store = self.path("run.sqlite")
        status, output, errors = self.end(store, 6, signal.SIGINT)
        self.assertEqual(status, 130, errors)
        self.assertIn("--resume --store", errors)
        self.assertTrue(json.loads(output)["results"])
        self.goes_on(store)

    def test_its_input_is_brought_again_where_it_goes_on(self):
        store, via = self.path("run.sqlite"), ("--via", "exec:env -C /")
        with open(self.path("input"), "wb") as file:
            file.write(b"x" * 7)
        status, _, errors = self.end(store, 4, signal.SIGINT, *via, "--input", self.path("input"))
        self.assertEqual(status, 130, errors)
        # Where it is not, nothing is measured without it.
        os.rename(self.path("input"), self.path("away"))
        cells = self.rows(store, "SELECT count(*) FROM cell")
        refused = self.repeat("--resume", "--quiet", *via, "--store", store)
        self.assertEqual(refused.returncode, 125)
        self.assertIn("is not in this folder", refused.stderr)
        self.assertEqual(self.rows(store, "SELECT count(*) FROM cell"), cells)
        os.rename(self.path("away"), self.path("input"))
        self.judged("--resume", "--quiet", *via, "--store", store, status=3)
        self.assertEqual(self.rows(store, "SELECT DISTINCT state FROM visit"), [("done",)])

    def test_a_killed_run_loses_nothing_and_goes_on(self):
        store = self.path("run.sqlite")
        status, _, _ = self.end(store, 6, signal.SIGKILL)
        self.assertEqual(status, -signal.SIGKILL)
        self.assertGreater(self.done(store), 6)
        self.goes_on(store)


class Refused(Case):
    def test_options_that_make_no_sense(self):
        for option in (("--quick",), ("--runs", "3"), ("--event", "page-faults"), ("--suite", "open"), ("--resume",), ("--store", "y")):
            self.assertIn("--from", self.refused("--from", "x", *option))
        for option in (("--quick",), ("--runs", "3"), ("--no-subjects",), ("--", "true")):
            self.assertIn("began with", self.refused("--resume", *option))
        self.assertIn("nothing to repeat", self.refused("--no-subjects"))
        self.assertIn("about a command", self.refused("--input", "x"))
        self.assertIn("not both", self.refused("--suite", "open", "--", "true"))
        self.assertIn("--suite", self.refused("--install", "--", "true"))
        self.assertIn("empty word", self.refused("--", ""))

    def test_numbers_that_make_no_sense(self):
        for number in ("0", "1", "99999999", "x", "-3", ""):
            self.refused("--runs", number, "--", "true")
        for time_given in ("0", "x", "99999999h"):
            self.refused("--timeout", time_given, "--", "true")
        self.assertIn("CPU", self.refused("--cpu", "9999", "--", "true"))

    def test_names_that_do_not_exist(self):
        self.assertIn("hash-seeds", self.refused("--control", "none", "--", "true"))
        self.assertIn("hash-seeds", self.refused("--no-control", "aslr,none", "--", "true"))
        self.assertIn("stack", self.refused("--sweep", "none", "--", "true"))
        self.assertIn("'none'", self.refused("--source", "none", "--", "true"))
        self.refused("--event", "no-such-event", "--", "true")
        self.refused("--event", "run/status/", "--", "true")
        self.assertIn("--source", self.refused("--source", "perf_event", "--event", "step/instructions/", "--", "true"))
        self.assertIn("names of variables", self.refused("--keep", "A=b", "--", "true"))
        self.refused("--bogus", "--", "true")

    def test_stores_that_cannot_be(self):
        self.refused("--resume")
        self.refused("--resume", "--store", self.path("none"))
        self.refused("--from", self.path("none"))
        for name, content in (("text", b"hello\n" * 500), ("empty", b"")):
            with open(self.path(name), "wb") as file:
                file.write(content)
            self.refused("--from", self.path(name))
        store = self.path("measure.sqlite")
        tap.assay("measure", "-e", "clock/ticks/", "-s", "loop", "--runs", "2", "--quiet", "--store", store)
        self.assertIn("assay measure", self.refused("--from", store))
        self.assertIn("assay measure", self.refused("--resume", "--store", store))

    def test_suites_that_cannot_be(self):
        self.refused("--suite", self.path("none"))
        with open(self.path("suite"), "wb") as file:
            file.write(b"\x00\xff[[[\n")
        self.refused("--suite", self.path("suite"))


if __name__ == "__main__":
    tap.main()
