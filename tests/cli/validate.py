# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay validate on this machine: verdicts that are known here, what is stored, and what is refused.

How well the judge judges is tested elsewhere (tests/judge, tests/liar); here the way from events to verdicts.
"""
import glob
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

EXACT = ("page-faults", "minor-faults", "syscalls:sys_enter_getppid", "mem:target:x", "mem:target:w", "uprobe:target",
         "cpu-migrations")
SECCOMP_REFUSE = os.environ["SECCOMP_REFUSE"]
DECIDED = ("exact", "accurate", "biased", "noisy", "dead")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-validate-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def validate(self, *arguments, env=None, **options):
        return tap.assay("validate", *arguments, env={"XDG_STATE_HOME": self.folder, **(env or {})}, timeout=300,
                         **options)

    def judged(self, *arguments, statuses=(0,), **options):
        done = self.validate(*arguments, "--json", "--quiet", **options)
        self.assertIn(done.returncode, statuses, done.stderr)
        return json.loads(done.stdout)

    def events(self, envelope):
        return {event["event"]: event for event in envelope["analysis"]["events"]}

    def visits(self, store, state):
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            return database.execute("SELECT count(*) FROM visit WHERE state = ?", (state,)).fetchone()[0]


class Verdicts(Case):
    def test_events_that_are_exact_here_are_called_so(self):
        envelope = self.judged(*EXACT, "--budget", "20s", statuses=(0, 1, 2, 3))
        events = self.events(envelope)
        self.assertEqual(set(events), set(EXACT))
        decided = 0
        for name, event in events.items():
            if event["verdict"] in ("unsupported", "unjudged"):
                self.assertTrue(event["note"])
                continue
            decided += 1
            with self.subTest(event=name, note=event["note"]):
                self.assertIn(event["verdict"], ("exact", "accurate") if name == "mem:target:w" else ("exact",))
        if not decided:
            self.skipTest(next(iter(events.values()))["note"])

    def test_what_the_path_itself_adds_is_named(self):
        event = self.one("raw_syscalls:sys_enter")
        self.assertEqual((event["verdict"], event["cause"], event["overhead"]), ("exact", "interface-overhead", 1))
        self.assertIn("adds 1", event["note"])

    def one(self, name, *arguments, **options):
        envelope = self.judged(name, "--budget", "6s", *arguments, statuses=(0, 2, 3), **options)
        event = self.events(envelope)[name]
        if event["verdict"] == "unsupported":
            self.skipTest(event["note"])
        return event

    def test_context_switches_are_held_against_the_account_of_each_run(self):
        envelope = self.judged("context-switches", "--budget", "6s", statuses=(0, 3))
        event = self.events(envelope)["context-switches"]
        if event["verdict"] == "unsupported":
            self.skipTest(event["note"])
        self.assertIn(event["verdict"], ("exact", "accurate"), event["note"])
        reasons = {point.get("predicted_reason") for row in envelope["results"] for point in row["points"]}
        self.assertIn("each run is held against the system's account of it", reasons)

    def test_a_mode_that_filters_everything_is_told_from_a_dead_event(self):
        envelope = self.judged("context-switches", "context-switches:u", "--budget", "6s", statuses=(0, 3))
        events = self.events(envelope)
        if events["context-switches"]["verdict"] == "unsupported":
            self.skipTest(events["context-switches"]["note"])
        event = events["context-switches:u"]
        self.assertEqual((event["verdict"], event["cause"]), ("dead", "mode-not-applicable"))

    def test_an_event_of_the_cpu_is_judged_or_its_absence_explained(self):
        envelope = self.judged("instructions:u", "--budget", "4s", statuses=(0, 3))
        event = self.events(envelope)["instructions:u"]
        if event["verdict"] == "unsupported":
            self.assertTrue(event["errno"])
            self.assertTrue(event["note"])
            self.assertEqual([row["points"] for row in envelope["results"]], [[]])
        else:
            self.assertIn(event["verdict"], (*DECIDED, "unscheduled"))

    def test_a_source_gets_a_verdict(self):
        done = self.validate("--source", "trap", "--json", "--quiet", "--budget", "5s")
        if done.returncode == 3:
            self.skipTest(done.stderr.strip())
        events = self.events(json.loads(done.stdout))
        self.assertEqual(events["trap/instructions/"]["verdict"], "exact")
        self.assertEqual(events["trap/instructions-raw/"]["verdict"], "unjudged")

    def test_nothing_is_missing_silently(self):
        listed = json.loads(tap.assay("events", "--json").stdout)["results"]
        names = set(self.events(self.judged("--budget", "2s")))
        for event in listed:
            name = event["event"]
            if event["kind"] == "source":
                self.assertNotIn(name, names)
            else:
                mode = name + ("u" if name.endswith("/") else ":u")
                self.assertTrue({name, mode} & names, name)


    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv to become nobody")
    def test_what_is_forbidden_in_every_mode_is_said_once(self):
        envelope = self.judged("--budget", "1s", "--via", "exec:setpriv --reuid=65534 --regid=65534 --clear-groups",
                               statuses=(0, 1, 3))
        events = self.events(envelope)
        forbidden = {name for name, event in events.items() if event["cause"] == "permission"}
        if not forbidden:
            self.skipTest("nobody is refused nothing here")
        self.assertFalse({name for name in forbidden if name + ":u" in forbidden})

    def test_a_budget_that_is_too_small_is_not_blamed_on_the_specimens(self):
        envelope = self.judged("page-faults:u", "--budget", "1ms", statuses=(0, 3))
        event = self.events(envelope)["page-faults:u"]
        if event["verdict"] == "unsupported":
            self.skipTest(event["note"])
        self.assertEqual(event["note"], "Was not measured: the run ended before its turn came.")
        self.assertFalse(envelope["analysis"]["complete"])


class Results(Case):
    def test_rows_are_ladders_of_one_specimen(self):
        envelope = self.judged("page-faults:u", "--budget", "4s", statuses=(0, 3))
        if not envelope["analysis"]["runs"]:
            self.skipTest(envelope["results"][0]["note"])
        primary = next(row for row in envelope["results"] if row["specimen"] == "pages")
        self.assertEqual((primary["class"], primary["truth_grade"], primary["path"]),
                         ("page-faults", "proven", "perf-read"))
        sizes = [point["n"] for point in primary["points"]]
        self.assertEqual(sizes, sorted(sizes))
        self.assertEqual(sizes[:3], [1, 10, 100])
        for point in primary["points"]:
            self.assertEqual(point["predicted"], point["n"])
            self.assertGreaterEqual(point["runs"], 20)
        self.assertAlmostEqual(primary["fit"]["slope"], 1, places=2)

    def test_a_cap_is_told_with_what_a_hit_costs(self):
        envelope = self.judged("page-faults:u", "--budget", "2s", statuses=(0, 3))
        if not envelope["analysis"]["runs"]:
            self.skipTest(envelope["results"][0]["note"])
        cap = envelope["analysis"]["capped"][0]
        self.assertEqual((cap["event"], cap["specimen"], cap["top"]), ("page-faults:u", "pages", 1000000))
        self.assertLess(cap["n"], cap["top"])
        self.assertGreater(cap["hit_ns"], 0)

    def test_people_get_a_line_for_each_event_and_the_rest_by_reason(self):
        done = self.validate("page-faults:u", "dummy:u", "--budget", "3s", "--quiet")
        if done.returncode == 3:
            self.skipTest(done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^event +verdict")
        self.assertRegex(done.stdout, r"(?m)^page-faults:u +exact")
        self.assertRegex(done.stdout, r"(?m)^unjudged: dummy:u\n    What it counts is not known")
        self.assertIn("end early", done.stdout)
        self.assertIn("None of the findings", done.stdout)
        # The store's path may be longer; it is there twice where a busy machine leaves something to go on with.
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines() if self.folder not in line), 80)
        self.assertNotIn("\033", done.stdout)

    def shown(self, *events, budget="6s"):
        """What a person reads, and the events as JSON has them; from one run."""
        store = self.path("shown.sqlite")
        events = self.events(self.judged(*events, "--budget", budget, "--store", store, statuses=(0, 3)))
        done = self.validate("--from", store, "--quiet", via=None)
        lines = done.stdout.splitlines()
        self.assertLessEqual(max(map(len, lines[:-1])), 80, done.stdout)
        return done.stdout, events

    def test_both_modes_share_a_line_where_they_are_exact_alike(self):
        text, events = self.shown("page-faults", "page-faults:u", "-s", "pages")
        if {event["verdict"] for event in events.values()} != {"exact"}:
            self.skipTest(str([event["note"] for event in events.values()]))
        self.assertRegex(text, r"(?m)^page-faults\[:u\] +exact +0 +1-[0-9,]+ +[0-9,]+$")
        self.assertNotRegex(text, r"(?m)^page-faults:u")
        self.assertIn("[:u] with and without :u", text)
        self.assertNotIn("quiet run", text)
        self.assertNotIn("filters nothing", text)

    def test_a_tracepoint_that_ignores_its_mode_has_a_star(self):
        name = "syscalls:sys_enter_getppid"
        text, events = self.shown(name, name + ":u")
        if {event["verdict"] for event in events.values()} != {"exact"}:
            self.skipTest(str([event["note"] for event in events.values()]))
        self.assertEqual([events[name]["cause"], events[name + ":u"]["cause"]], [None, "mode-not-applicable"])
        self.assertRegex(text, rf"(?m)^{name}\[:u\]\* +exact")
        self.assertIn("* :u filters nothing", text)

    def test_what_is_told_once_names_what_it_concerns(self):
        text, events = self.shown("dummy", "dummy:u", "task-clock:u", "cpu-clock:u", "context-switches",
                                  "context-switches:u", budget="8s")
        if any(event["verdict"] == "unsupported" for event in events.values()):
            self.skipTest("not every event can be counted here")
        self.assertRegex(text, r"(?m)^unjudged: dummy\[:u\]$")
        self.assertRegex(text, r"(?m)^unjudged: task-clock:u, cpu-clock:u$\n    No specimen here predicts what they count\.")
        self.assertIn("Not to be believed as named: context-switches:u;", text)
        self.assertIn("(getrusage)", text)

    def test_all_shows_every_specimen(self):
        done = self.validate("page-faults:u", "--budget", "3s", "--quiet", "--all", "-s", "pages,loop")
        if done.returncode == 3:
            self.skipTest(done.stdout)
        self.assertRegex(done.stdout, r"(?m)^  pages +exact")
        self.assertRegex(done.stdout, r"(?m)^  loop ")
        self.assertNotIn("zero-pages", done.stdout)
        self.assertIn("A1 not testable here", done.stdout)

    def test_every_finding_has_a_line(self):
        envelope = self.judged("page-faults:u", "--budget", "1s", statuses=(0, 3))
        self.assertEqual([finding["id"] for finding in envelope["findings"]], [f"A{i}" for i in range(1, 11)])

    def test_paths_that_are_named_are_compared(self):
        envelope = self.judged("page-faults:u", "--budget", "3s", "-p", "perf-syscall,perf-prctl", "-s", "pages",
                               statuses=(0, 3))
        if not envelope["analysis"]["runs"]:
            self.skipTest(envelope["results"][0]["note"])
        self.assertEqual({row["path"] for row in envelope["results"]}, {"perf-syscall", "perf-prctl"})


class Stored(Case):
    def stored(self, *arguments, budget="3s", name="run.sqlite"):
        store = self.path(name)
        envelope = self.judged("page-faults:u", "--budget", budget, "--store", store, *arguments, statuses=(0, 3))
        if not envelope["analysis"]["runs"]:
            self.skipTest(envelope["results"][0]["note"])
        return store, envelope

    def test_a_stored_run_is_judged_the_same_without_the_machine(self):
        store, envelope = self.stored()
        again = self.judged("--from", store, via=None, env={"ASSAY_KIT": "/nowhere"})
        self.assertEqual(again["results"], envelope["results"])
        self.assertEqual(again["findings"], envelope["findings"])
        self.assertEqual(again["seed"], envelope["seed"])
        self.assertEqual(again["machine"]["fingerprint"], envelope["machine"]["fingerprint"])

    def test_events_truths_and_order_are_in_the_store(self):
        store, _ = self.stored("--seed", "7")
        with sqlite3.connect(store) as database:
            self.assertEqual(database.execute("SELECT name FROM event").fetchall(), [("page-faults:u",)])
            grades = database.execute("SELECT grade FROM truth WHERE specimen = 'pages' "
                                      "AND class = 'page-faults'").fetchall()
            nulls = database.execute("SELECT count(*) FROM cell WHERE specimen = 'null'").fetchone()[0]
        self.assertEqual(grades, [("proven",)])
        self.assertGreaterEqual(nulls, 1)

    def test_the_seed_gives_the_order(self):
        orders = []
        for name in ("first", "second", "third"):
            store = self.path(name)
            self.judged("page-faults:u", "minor-faults:u", "--budget", "1s", "--store", store, "--seed",
                        "7" if name != "third" else "8", statuses=(0, 3))
            with sqlite3.connect(store) as database:
                orders.append(database.execute("SELECT cell, process FROM visit ORDER BY id LIMIT 12").fetchall())
        if not orders[0]:
            self.skipTest("page faults cannot be counted here")
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], orders[2])

    def test_an_interrupted_run_is_judged_and_goes_on(self):
        store = self.path("run.sqlite")
        running = subprocess.Popen([tap.ASSAY, "validate", "page-faults:u", "minor-faults:u", "--budget", "60s", "--json",
                                    "--store", store], env={**os.environ, "XDG_STATE_HOME": self.folder},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and running.poll() is None and not self.begun(store):
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=60)
        if running.returncode in (0, 3):
            self.skipTest("it ended before it was interrupted")
        self.assertEqual(running.returncode, 130, errors)
        envelope = json.loads(output)
        self.assertFalse(envelope["analysis"]["complete"])
        self.assertGreater(envelope["analysis"]["runs"], 0)
        self.assertIn("--resume --store", errors)
        before = self.visits(store, "done")
        again = self.judged("--resume", "--store", store, "--budget", "4s")
        self.assertGreater(self.visits(store, "done"), before)
        self.assertEqual(set(self.events(again)), {"page-faults:u", "minor-faults:u"})
        self.assertEqual(again["seed"], envelope["seed"])

    def columns(self, store, columns):
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            return set(database.execute(f"SELECT {columns} FROM cell").fetchall())

    def test_a_killed_run_goes_on_as_it_began(self):
        """Wherever the end comes, what is measured afterwards is what would have been."""
        options = ("page-faults:u", "--specimen", "pages,getppid", "--runs", "6", "--cpu", "0", "--path", "perf-syscall")
        for kill_after in (1, 9):
            store = self.path(f"killed-{kill_after}")
            running = subprocess.Popen([tap.ASSAY, "validate", *options, "--budget", "20s", "--quiet", "--store", store],
                                       env={**os.environ, "XDG_STATE_HOME": self.folder}, stdout=subprocess.DEVNULL)
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and running.poll() is None and not self.begun(store, kill_after):
                time.sleep(0.02)
            running.kill()
            if running.wait() != -signal.SIGKILL:
                self.skipTest("it ended before it was killed")
            again = self.judged("--resume", "--store", store, "--budget", "8s")
            self.assertEqual(self.columns(store, "path, cpu"), {("perf-syscall", 0)})
            self.assertLessEqual({row[0] for row in self.columns(store, "specimen")}, {"pages", "getppid", "null"})
            for row in again["results"]:
                self.assertLessEqual({point["runs"] for point in row["points"]}, {0, 2, 3, 6, 8})
            self.assertEqual(self.events(again)["page-faults:u"]["verdict"], "exact")
        self.forget_events(store)
        done = self.validate("--resume", "--store", store)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("begin again", done.stderr)

    def forget_events(self, store):
        """As when the run was killed right after its store was made."""
        unfinish(store, *(f"DELETE FROM {table}" for table in ("sample_packed", "visit", "counter", "cell", "event")))

    def begun(self, store, visits=3):
        try:
            return self.visits(store, "done") > visits
        except sqlite3.Error:
            return False

    def test_damaged_stores_are_refused(self):
        store, _ = self.stored(budget="1s")
        with open(store, "rb") as file:
            content = file.read()
        for name, damaged in (("cut", content[:len(content) // 2]), ("text", b"hello\n" * 500), ("empty", b"")):
            with self.subTest(name=name):
                with open(self.path(name), "wb") as file:
                    file.write(damaged)
                done = self.validate("--from", self.path(name))
                self.assertIn(done.returncode, (1, 2), done.stdout)
                self.assertTrue(done.stderr.startswith("assay validate: "), done.stderr)

    def test_strange_contents_do_no_harm(self):
        for number, change in enumerate(("UPDATE event SET class = 'nothing'", "UPDATE truth SET base = 9223372036854775807",
                       "UPDATE cell SET specimen = 'unheard/of=1/', n = 0", "DELETE FROM event")):
            with self.subTest(change=change):
                store, _ = self.stored(budget="1s", name=f"run-{number}.sqlite")
                with sqlite3.connect(store) as database:
                    database.execute(change)
                done = self.validate("--from", store, "--json")
                self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr)
                if done.returncode in (0, 3):
                    json.loads(done.stdout)


class Refused(Case):
    def refused(self, status, *arguments):
        done = self.validate("--quiet", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("assay validate: "), done.stderr)
        return done.stderr

    def test_a_cpu_that_is_not_there_is_what_the_machine_lacks(self):
        done = self.validate("page-faults:u", "--cpu", "99999", "--budget", "2s", "--quiet")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)

    def test_options_that_make_no_sense(self):
        self.assertIn("no verdict 'wrong'", self.refused(2, "--fail-on", "wrong"))
        self.assertIn("--runs", self.refused(2, "--runs", "1"))
        self.assertIn("--cpu", self.refused(2, "--cpu", "-2"))
        self.assertIn("--from", self.refused(2, "--from", "x", "--resume"))
        self.assertIn("--from", self.refused(2, "--from", "x", "page-faults"))
        self.assertIn("--resume", self.refused(2, "--resume", "page-faults"))
        for option in (("--source", "step"), ("--specimen", "loop"), ("--path", "perf-read"), ("--runs", "5"),
                       ("--cpu", "0")):
            self.assertIn("began with", self.refused(2, "--resume", *option))

    def test_names_that_do_not_exist(self):
        self.refused(2, "no-such-event")
        self.assertIn("matches", self.refused(3, "nothing*here"))
        self.assertIn("no source 'none'", self.refused(2, "--source", "none"))
        self.assertIn("no specimen 'none'", self.refused(2, "page-faults:u", "--specimen", "none"))
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



class Gate(Case):
    """--fail-on: what has such a verdict fails, and so does what was named and has none."""

    def gate(self, *arguments, prefix=(), status=None):
        """The exit status, what failed the gate, and what was said."""
        done = self.validate(*arguments, "--json", "--quiet", prefix=prefix)
        if done.returncode == 77:
            self.skipTest("no seccomp filters: " + done.stderr)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)
        failed = {row["name"]: row["why"] for row in json.loads(done.stdout).get("gate", {}).get("failed", [])}
        for name in list(failed)[:10]:
            self.assertIn(name, done.stderr)
        return failed, done

    def countable(self):
        envelope = self.judged("page-faults:u", "--budget", "2s", statuses=(0, 3))
        verdict = self.events(envelope)["page-faults:u"]["verdict"]
        if verdict not in ("exact", "accurate"):
            self.skipTest(f"page faults are {verdict} here")

    def test_a_verdict_can_fail_a_script(self):
        self.countable()
        failed, _ = self.gate("page-faults:u", "--budget", "2s", "--fail-on", "dead,exact,accurate", status=4)
        self.assertEqual(set(failed), {"page-faults:u"})
        for verdicts in (("dead", "--fail-on", "biased"), ("untrusted",)):
            failed, _ = self.gate("page-faults:u", "--budget", "2s", "--fail-on", *verdicts, status=0)
            self.assertEqual(failed, {})

    def test_what_the_budget_did_not_hold_fails_it(self):
        failed, done = self.gate("page-faults:u", "--budget", "1ms", "--fail-on", "dead", status=4)
        self.assertEqual(set(failed), {"page-faults:u"})
        self.assertIn("nothing was measured", done.stderr)
        failed, done = self.gate("page-faults:u", "--budget", "1ms", status=3)
        self.assertEqual(failed, {})
        self.assertNotIn("gate", json.loads(done.stdout))
        self.assertIn("nothing was measured", done.stderr)

    def test_what_cannot_be_opened_or_judged_fails_it_by_name(self):
        failed, _ = self.gate("page-faults:u", "minor-faults:u", "--budget", "1s", "--fail-on", "dead", status=4,
                              prefix=(SECCOMP_REFUSE, "EPERM", "--"))
        self.assertEqual(failed, {"page-faults:u": "unsupported", "minor-faults:u": "unsupported"})
        failed, _ = self.gate("dummy:u", "--budget", "1s", "--fail-on", "dead", status=4)
        self.assertEqual(set(failed), {"dummy:u"})
        done = self.validate("nothing*here", "--quiet", "--fail-on", "dead")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("nothing*here", done.stderr)

    def test_one_good_event_does_not_carry_another(self):
        self.countable()
        failed, _ = self.gate("page-faults:u", "dummy:u", "--budget", "2s", "--fail-on", "dead,biased,noisy", status=4)
        self.assertEqual(failed, {"dummy:u": "unjudged"})

    def test_untrusted_is_all_but_exact_and_accurate(self):
        self.countable()
        envelope = self.judged("page-faults", "context-switches:u", "--budget", "3s", statuses=(0, 3))
        store = envelope["analysis"]["store"]
        done = self.validate("--from", store, "--json", "--quiet", "--fail-on", "untrusted")
        bad = {name for name, event in self.events(envelope).items() if event["verdict"] not in ("exact", "accurate")}
        self.assertEqual({row["name"] for row in json.loads(done.stdout)["gate"]["failed"]}, bad)
        self.assertEqual(done.returncode, 4 if bad else 0)

    def test_a_stored_run_knows_what_was_named(self):
        store = self.path("refused.sqlite")
        self.gate("page-faults:u", "--budget", "1s", "--store", store, status=3, prefix=(SECCOMP_REFUSE, "EPERM", "--"))
        failed, _ = self.gate("--from", store, "--fail-on", "dead", status=4)
        self.assertEqual(failed, {"page-faults:u": "unsupported"})

    def test_of_what_nobody_named_only_what_could_be_judged_counts(self):
        """Most events of most machines cannot be opened; those that the budget left out are named."""
        failed, done = self.gate("--budget", "3s", "--fail-on", "dead")
        events = self.events(json.loads(done.stdout))
        for name, why in failed.items():
            self.assertNotEqual(why, "unsupported", name)
            self.assertNotIn("No specimen here predicts", events[name]["note"])
        left_out = {name for name, event in events.items() if event["note"] and "its turn came" in event["note"]}
        self.assertLessEqual(left_out, set(failed))
        self.assertEqual(done.returncode, 4 if failed or not any(event["runs"] for event in events.values()) else 0)

    def test_a_machine_that_refuses_everything_passes_nothing(self):
        refuse = (SECCOMP_REFUSE, "EPERM", "--")
        _, done = self.gate("--budget", "2s", status=3, prefix=refuse)
        self.assertIn("nothing was measured", done.stderr)
        self.gate("--budget", "2s", "--fail-on", "untrusted", status=4, prefix=refuse)

    def test_a_budget_that_looking_at_the_machine_uses_up_measures_all_the_same(self):
        self.countable()
        store = self.path("small.sqlite")
        envelope = self.judged("--budget", "1s", "--store", store)
        self.assertGreater(envelope["analysis"]["runs"], 0)

    def test_an_interruption_stays_one(self):
        running = subprocess.Popen([tap.ASSAY, "validate", "--source", "step", "--budget", "60s", "--quiet", "--fail-on", "dead"],
                                   env={**os.environ, "XDG_STATE_HOME": self.folder}, stdout=subprocess.PIPE, text=True)
        stores = lambda: glob.glob(self.path("assay/*/*-validate.sqlite"))
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and running.poll() is None and not stores():
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        if running.returncode == 4:
            self.skipTest("nothing can be stepped here")
        self.assertEqual(running.returncode, 130)


if __name__ == "__main__":
    tap.main()
