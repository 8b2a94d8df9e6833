# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay validate on this machine: verdicts that are known here, what is stored, and what is refused.

How well the judge judges is tested elsewhere (tests/judge, tests/liar); here the way from events to verdicts.
"""
import glob
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import tap
from unfinished import changed, unfinish

EXACT = ("page-faults", "minor-faults", "syscalls:sys_enter_getppid", "mem:target:x", "mem:target:w", "uprobe:target",
         "cpu-migrations")
GETPPID = "syscalls:sys_enter_getppid"
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


class Shared(Case):
    """Cases about one run, which is measured once."""
    ARGUMENTS = ()

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix="assay-validate-")
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.store = os.path.join(cls.shared, "run.sqlite")
        cls.done = tap.assay("validate", *cls.ARGUMENTS, "--json", "--quiet", "--store", cls.store, timeout=300)

    def setUp(self):
        super().setUp()
        self.assertIn(self.done.returncode, (0, 1, 2, 3, 4), self.done.stderr)
        self.envelope = json.loads(self.done.stdout)
        self.judgements = self.events(self.envelope)

    def text(self, *arguments):
        """What a person reads of it."""
        done = self.validate("--from", self.store, "--quiet", *arguments)
        self.assert_fits(done.stdout, self.shared)
        return done.stdout

    def assert_fits(self, text, folder):
        # The store's path may be longer; it is there twice where a busy machine leaves something to go on with.
        self.assertLessEqual(max(len(line) for line in text.splitlines() if folder not in line), 80, text)
        self.assertNotIn("\033", text)

    def event(self, name):
        event = self.judgements[name]
        if event["verdict"] == "unsupported":
            self.skipTest(event["note"])
        return event


class Verdicts(Shared):
    ARGUMENTS = (*EXACT, "page-faults:u", GETPPID + ":u", "raw_syscalls:sys_enter", "context-switches", "context-switches:u", "dummy", "dummy:u",
                 "task-clock:u", "cpu-clock:u", "instructions:u", "--budget", "10s")

    def test_events_that_are_exact_here_are_called_so(self):
        decided = 0
        for name in EXACT:
            event = self.judgements[name]
            if event["verdict"] in ("unsupported", "unjudged"):
                self.assertTrue(event["note"])
                continue
            decided += 1
            with self.subTest(event=name, note=event["note"]):
                self.assertIn(event["verdict"], ("exact", "accurate") if name == "mem:target:w" else ("exact",))
        if not decided:
            self.skipTest(self.judgements[EXACT[0]]["note"])

    def test_what_the_path_itself_adds_is_named(self):
        event = self.event("raw_syscalls:sys_enter")
        self.assertEqual((event["verdict"], event["cause"], event["overhead"]), ("exact", "interface-overhead", 1))
        self.assertIn("adds 1", event["note"])

    def test_context_switches_are_held_against_the_account_of_each_run(self):
        event = self.event("context-switches")
        self.assertIn(event["verdict"], ("exact", "accurate"), event["note"])
        reasons = {point.get("predicted_reason") for row in self.envelope["results"] if row["event"] == "context-switches" for point in row["points"]}
        self.assertIn("each run is held against the system's account of it", reasons)
        self.assertIn("(getrusage)", self.text())

    def test_a_mode_that_filters_everything_is_told_from_a_dead_event(self):
        self.event("context-switches")
        event = self.event("context-switches:u")
        self.assertEqual((event["verdict"], event["cause"]), ("dead", "mode-not-applicable"))
        self.assertRegex(self.text(), r"Not to be believed as named:[^;]*context-switches:u")

    def test_an_event_that_nothing_judges_and_that_never_counts_says_so(self):
        event = self.event("dummy")
        if not event["runs"]:
            self.skipTest("the machine was so busy that its turn did not come within the budget")
        self.assertEqual((event["verdict"], event["reads_zero"]), ("unjudged", True))
        zero = next(said for said in event["note_data"] if said["code"] == "reads-zero")
        self.assertEqual(zero["runs"], event["runs"])
        self.assertGreater(zero["specimens"], 1)
        self.assertIn("Read 0 in all of", event["note"])
        # That nobody knows what it counts does not mean that it reads 0.
        self.assertFalse(self.event("task-clock:u")["reads_zero"])

    def test_an_event_of_the_cpu_is_judged_or_its_absence_explained(self):
        event = self.judgements["instructions:u"]
        if event["verdict"] == "unsupported":
            self.assertTrue(event["errno"])
            self.assertTrue(event["note"])
            self.assertEqual([row["points"] for row in self.envelope["results"] if row["event"] == "instructions:u"], [[]])
        else:
            self.assertIn(event["verdict"], (*DECIDED, "unscheduled"))

    def test_a_tracepoint_that_ignores_its_mode_has_a_star(self):
        events = self.event(GETPPID), self.event(GETPPID + ":u")
        self.assertEqual([event["verdict"] for event in events], ["exact", "exact"], [event["note"] for event in events])
        self.assertEqual([event["cause"] for event in events], [None, "mode-not-applicable"])
        text = self.text()
        self.assertRegex(text, rf"(?m)^{GETPPID}\[:u\]\* +exact")
        self.assertIn("* :u filters nothing", text)

    def test_what_is_told_once_names_what_it_concerns(self):
        for name in ("dummy", "dummy:u", "task-clock:u", "cpu-clock:u"):
            self.event(name)
        text = self.text()
        self.assertRegex(text, r"(?m)^unjudged: dummy\[:u\]$")
        self.assertRegex(text, r"(?m)^unjudged: task-clock:u, cpu-clock:u$\n    No specimen here predicts what they count\.")

    def test_untrusted_is_all_but_exact_and_accurate(self):
        done = self.validate("--from", self.store, "--json", "--quiet", "--fail-on", "untrusted")
        bad = {name for name, event in self.judgements.items() if event["verdict"] not in ("exact", "accurate")}
        self.assertEqual({row["name"] for row in json.loads(done.stdout)["gate"]["failed"]}, bad)
        self.assertEqual(done.returncode, 4 if bad else 0)


class Sources(Case):
    def test_a_source_gets_a_verdict(self):
        done = self.validate("--source", "trap", "--json", "--quiet", "--budget", "3s")
        if done.returncode == 3:
            self.skipTest(done.stderr.strip())
        events = self.events(json.loads(done.stdout))
        self.assertEqual(events["trap/instructions/"]["verdict"], "exact")
        self.assertEqual(events["trap/instructions-raw/"]["verdict"], "unjudged")


class Everything(Shared):
    """All events that the machine offers, in a budget that looking at the machine may use up."""
    ARGUMENTS = ("--budget", "1s", "--fail-on", "dead")

    def test_nothing_is_missing_silently(self):
        for event in json.loads(tap.assay("events", "--json").stdout)["results"]:
            name = event["event"]
            if event["kind"] == "source":
                self.assertNotIn(name, self.judgements)
            else:
                mode = name + ("u" if name.endswith("/") else ":u")
                self.assertTrue({name, mode} & set(self.judgements), name)

    def test_of_what_nobody_named_only_what_could_be_judged_fails_the_gate(self):
        """Most events of most machines cannot be opened; those that the budget left out are named."""
        failed = {row["name"]: row["why"] for row in self.envelope["gate"]["failed"]}
        for name in list(failed)[:10]:
            self.assertIn(name, self.done.stderr)
        for name, why in failed.items():
            self.assertNotEqual(why, "unsupported", name)
            self.assertNotIn("No specimen here predicts", self.judgements[name]["note"])
        left_out = {name for name, event in self.judgements.items() if event["note"] and "its turn came" in event["note"]}
        self.assertLessEqual(left_out, set(failed))
        self.assertEqual(self.done.returncode, 4 if failed or not any(event["runs"] for event in self.judgements.values()) else 0)

    def test_a_budget_that_looking_at_the_machine_uses_up_measures_all_the_same(self):
        faults = [self.judgements[name] for name in ("page-faults", "page-faults:u") if name in self.judgements]
        if not [event for event in faults if event["verdict"] != "unsupported"]:
            self.skipTest(faults[0]["note"])
        self.assertGreater(self.envelope["analysis"]["runs"], 0)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv to become nobody")
    def test_what_is_forbidden_in_every_mode_is_said_once(self):
        envelope = self.judged("--budget", "1s", "--via", "exec:setpriv --reuid=65534 --regid=65534 --clear-groups",
                               statuses=(0, 1, 3))
        events = self.events(envelope)
        forbidden = {name for name, event in events.items() if event["cause"] == "permission"}
        if not forbidden:
            self.skipTest("nobody is refused nothing here")
        self.assertFalse({name for name in forbidden if name + ":u" in forbidden})


class Modes(Case):
    # Between the two sides: instructions opens, and instructions:u is refused or not, whatever the machine has.
    BETWEEN = r'''
import re, subprocess, sys, threading, zlib
refused = sys.argv[1] == "refused"
probe = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def forward():
    while True:
        got = sys.stdin.buffer.raw.read(65536)
        if not got:
            break
        probe.stdin.write(got)
        probe.stdin.flush()
    probe.stdin.close()
threading.Thread(target=forward, daemon=True).start()
for line in probe.stdout:
    name = re.search(rb"^@assay \d+ event name=instructions(:u)? ", line.replace(b"%3A", b":"))
    if name:
        opens = not (refused and name.group(1))
        body = line.rsplit(b" ", 1)[0]
        body = re.sub(rb"openable=\d", b"openable=%d" % opens, body)
        body = re.sub(rb"error=\d+", b"error=%d" % (0 if opens else 22), body)
        body = re.sub(rb"reason=\S*", b"reason=" if opens else b"reason=odd", body)
        line = body + b" %08x" % zlib.crc32(body) + b"\n"
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
sys.exit(probe.wait())
'''

    def note(self, how):
        between = self.path("between.py")
        with open(between, "w", encoding="utf-8") as file:
            file.write(self.BETWEEN)
        via = f"exec:{sys.executable} {between} {how}"
        return self.events(self.judged("instructions", "--budget", "1s", "--via", via, statuses=(0, 3)))["instructions"]["note"]

    def test_the_other_mode_is_recommended_only_where_it_opens(self):
        self.assertIn("with :u it can be judged", self.note("open"))
        self.assertIn("with :u it could be judged, but that is refused here", self.note("refused"))


class Results(Shared):
    """Page faults, which everybody may count, and something that nobody predicts."""
    ARGUMENTS = ("page-faults", "page-faults:u", "dummy:u", "-s", "pages,loop", "--seed", "7", "--budget", "4s")

    def setUp(self):
        super().setUp()
        if not self.envelope["analysis"]["runs"]:
            self.skipTest(self.envelope["results"][0]["note"])

    def gate(self, *arguments):
        done = self.validate("--from", self.store, "--json", "--quiet", *arguments)
        return done.returncode, {row["name"]: row["why"] for row in json.loads(done.stdout)["gate"]["failed"]}

    def test_rows_are_ladders_of_one_specimen(self):
        primary = next(row for row in self.envelope["results"] if (row["event"], row["specimen"]) == ("page-faults:u", "pages"))
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
        cap = self.envelope["analysis"]["capped"][0]
        self.assertEqual((cap["event"].removesuffix(":u"), cap["specimen"], cap["top"]), ("page-faults", "pages", 1000000))
        self.assertLess(cap["n"], cap["top"])
        self.assertGreater(cap["hit_ns"], 0)

    def test_people_get_a_line_for_each_event_and_the_rest_by_reason(self):
        """Ladders that ended early are known to the run that ended them, and not to its store."""
        done = self.validate("page-faults:u", "dummy:u", "--budget", "3s", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^event +verdict")
        self.assertRegex(done.stdout, r"(?m)^page-faults:u +exact")
        self.assertRegex(done.stdout, r"(?m)^unjudged: dummy:u\n    What it counts is not known")
        self.assertIn("end early", done.stdout)
        self.assertIn("None of the findings", done.stdout)
        self.assert_fits(done.stdout, self.folder)

    def test_both_modes_share_a_line_where_they_are_exact_alike(self):
        events = [self.event(name) for name in ("page-faults", "page-faults:u")]
        self.assertEqual([event["verdict"] for event in events], ["exact", "exact"], [event["note"] for event in events])
        text = self.text()
        self.assertRegex(text, r"(?m)^page-faults\[:u\] +exact +0 +1-[0-9,]+ +[0-9.]+ [nµm]?s +[0-9,]+$")
        self.assertNotRegex(text, r"(?m)^page-faults:u")
        self.assertIn("[:u] with and without :u", text)
        self.assertNotIn("quiet run", text)
        self.assertNotIn("filters nothing", text)

    def test_all_shows_every_specimen(self):
        text = self.text("--all")
        self.assertRegex(text, r"(?m)^  pages +exact")
        self.assertRegex(text, r"(?m)^  loop ")
        self.assertNotIn("zero-pages", text)
        self.assertIn("A1 not testable here", text)

    def test_every_finding_has_a_line(self):
        self.assertEqual([finding["id"] for finding in self.envelope["findings"]], [f"A{i}" for i in range(1, 11)])

    def test_a_stored_run_is_judged_the_same_without_the_machine(self):
        again = self.judged("--from", self.store, via=None, env={"ASSAY_KIT": "/nowhere"})
        self.assertEqual(again["results"], self.envelope["results"])
        self.assertEqual(again["findings"], self.envelope["findings"])
        self.assertEqual(again["seed"], 7)
        self.assertEqual(again["machine"]["fingerprint"], self.envelope["machine"]["fingerprint"])

    def test_events_truths_and_order_are_in_the_store(self):
        with sqlite3.connect(self.store) as database:
            self.assertEqual(set(database.execute("SELECT name FROM event")), {("page-faults",), ("page-faults:u",), ("dummy:u",)})
            grades = database.execute("SELECT grade FROM truth WHERE specimen = 'pages' "
                                      "AND class = 'page-faults'").fetchall()
            nulls = database.execute("SELECT count(*) FROM cell WHERE specimen = 'null'").fetchone()[0]
        self.assertEqual(grades, [("proven",)])
        self.assertGreaterEqual(nulls, 1)

    def test_damaged_stores_are_refused(self):
        with open(self.store, "rb") as file:
            content = file.read()
        for name, damaged in (("cut", content[:len(content) // 2]), ("text", b"hello\n" * 500), ("empty", b"")):
            with self.subTest(name=name):
                with open(self.path(name), "wb") as file:
                    file.write(damaged)
                done = self.validate("--from", self.path(name))
                self.assertIn(done.returncode, (1, 2), done.stdout)
                self.assertTrue(done.stderr.startswith("assay validate: "), done.stderr)

    def test_strange_contents_do_no_harm(self):
        """Unfinished, so that no checksum refuses them before they are judged."""
        for change in ("UPDATE event SET class = 'nothing'", "UPDATE truth SET base = 9223372036854775807",
                       "UPDATE cell SET specimen = 'unheard/of=1/', n = 0", "DELETE FROM event"):
            for store in (changed(self.store, self.path("unfinished"), change), self.finished(change)):
                with self.subTest(change=change, store=store):
                    done = self.validate("--from", store, "--json")
                    self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr)
                    if done.returncode in (0, 3):
                        json.loads(done.stdout)

    def finished(self, change):
        store = shutil.copy(self.store, self.path("finished"))
        with sqlite3.connect(store) as database:
            database.execute(change)
        database.close()
        return store

    def test_one_good_event_does_not_carry_another(self):
        self.assertEqual(self.gate("--fail-on", "dead,biased,noisy"), (4, {"dummy:u": "unjudged"}))

    def test_a_verdict_can_fail_a_script(self):
        status, failed = self.gate("--fail-on", "dead,exact,accurate")
        self.assertEqual((status, set(failed)), (4, {"page-faults", "page-faults:u", "dummy:u"}))
        store = self.path("run.sqlite")
        done = self.validate("page-faults:u", "--budget", "2s", "--json", "--quiet", "--store", store, "--fail-on", "dead", "--fail-on", "biased")
        self.assertEqual((done.returncode, json.loads(done.stdout)["gate"]["failed"]), (0, []), done.stderr)
        done = self.validate("--from", store, "--json", "--quiet", "--fail-on", "untrusted")
        self.assertEqual((done.returncode, json.loads(done.stdout)["gate"]["failed"]), (0, []), done.stderr)


class Paths(Case):
    def test_paths_that_are_named_are_compared(self):
        envelope = self.judged("page-faults:u", "--budget", "3s", "-p", "perf-syscall,perf-prctl", "-s", "pages",
                               statuses=(0, 3))
        if not envelope["analysis"]["runs"]:
            self.skipTest(envelope["results"][0]["note"])
        self.assertEqual({row["path"] for row in envelope["results"]}, {"perf-syscall", "perf-prctl"})


class Ended(Case):
    def end(self, how, store, visits, *arguments):
        """A run that was ended by a signal after so many visits: its status, and what it said."""
        running = subprocess.Popen([tap.ASSAY, "validate", *arguments, "--budget", "60s", "--json", "--store", store],
                                   env={**os.environ, "XDG_STATE_HOME": self.folder}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and running.poll() is None and not self.begun(store, visits):
            time.sleep(0.02)
        running.send_signal(how)
        output, errors = running.communicate(timeout=60)
        if running.returncode in (0, 3):
            self.skipTest("it ended before it was interrupted")
        return running.returncode, output, errors

    def begun(self, store, visits):
        try:
            return self.visits(store, "done") > visits
        except sqlite3.Error:
            return False

    def columns(self, store, columns):
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            return set(database.execute(f"SELECT {columns} FROM cell").fetchall())

    def test_the_seed_gives_the_order(self):
        def order(named):
            name, seed = named
            self.end(signal.SIGKILL, self.path(name), 12, "page-faults:u", "minor-faults:u", "--seed", seed)
            with sqlite3.connect(self.path(name)) as database:
                return database.execute("SELECT cell, process FROM visit ORDER BY id LIMIT 12").fetchall()
        first, again, other = tap.together(order, (("a", "7"), ("b", "7"), ("c", "8")))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_an_interrupted_run_is_judged_and_goes_on(self):
        store = self.path("run.sqlite")
        status, output, errors = self.end(signal.SIGINT, store, 3, "page-faults:u", "minor-faults:u")
        self.assertEqual(status, 130, errors)
        envelope = json.loads(output)
        self.assertFalse(envelope["analysis"]["complete"])
        self.assertGreater(envelope["analysis"]["runs"], 0)
        self.assertIn("--resume --store", errors)
        before = self.visits(store, "done")
        again = self.judged("--resume", "--store", store, "--budget", "2s")
        self.assertGreater(self.visits(store, "done"), before)
        self.assertEqual(set(self.events(again)), {"page-faults:u", "minor-faults:u"})
        self.assertEqual(again["seed"], envelope["seed"])

    def test_a_killed_run_goes_on_as_it_began(self):
        """Wherever the end comes, what is measured afterwards is what would have been."""
        def killed(visits):
            store = self.path(f"killed-{visits}")
            status, _, _ = self.end(signal.SIGKILL, store, visits, "page-faults:u", "--specimen", "pages,getppid", "--runs", "6", "--cpu", "0",
                                    "--path", "perf-syscall")
            return store, status, self.judged("--resume", "--store", store, "--budget", "8s")
        for store, status, again in tap.together(killed, (1, 9)):
            self.assertEqual(status, -signal.SIGKILL)
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
        """What failed the gate, and the envelope; what was said names it."""
        return self.judged(self.validate(*arguments, "--json", "--quiet", prefix=prefix), status)

    def starved(self, *arguments, status):
        """Of a run whose budget held nothing: a fast machine squeezes a process or two into the
        smallest budget there is now and then, so runs until it did not."""
        for _ in range(50):
            done = self.validate(*arguments, "--budget", "1ms", "--json", "--quiet")
            if not re.search(r"the budget was used up after [1-9]", done.stderr):
                return self.judged(done, status)
        self.skipTest("this machine measures something in the smallest budget every time")

    def judged(self, done, status):
        if done.returncode == 77:
            self.skipTest("no seccomp filters: " + done.stderr)
        self.assertEqual(done.returncode, status, done.stderr)
        envelope = json.loads(done.stdout)
        failed = {row["name"]: row["why"] for row in envelope.get("gate", {}).get("failed", [])}
        for name in list(failed)[:10]:
            self.assertIn(name, done.stderr)
        return failed, envelope, done.stderr

    def test_what_the_budget_did_not_hold_fails_it_and_is_not_blamed_on_the_specimens(self):
        failed, _, said = self.starved("page-faults:u", "--fail-on", "dead", status=4)
        self.assertEqual(set(failed), {"page-faults:u"})
        self.assertIn("nothing was measured", said)
        failed, envelope, said = self.starved("page-faults:u", status=3)
        self.assertEqual(failed, {})
        self.assertNotIn("gate", envelope)
        self.assertIn("nothing was measured", said)
        self.assertFalse(envelope["analysis"]["complete"])
        event = self.events(envelope)["page-faults:u"]
        if event["verdict"] != "unsupported":
            self.assertEqual(event["note"], "Was not measured: the run ended before its turn came.")

    def test_what_cannot_be_opened_or_judged_fails_it_by_name(self):
        """And a stored run knows what was named."""
        store = self.path("refused.sqlite")
        failed, _, _ = self.gate("page-faults:u", "minor-faults:u", "--budget", "1s", "--store", store, "--fail-on", "dead", status=4,
                                 prefix=(SECCOMP_REFUSE, "EPERM", "--"))
        self.assertEqual(failed, {"page-faults:u": "unsupported", "minor-faults:u": "unsupported"})
        self.assertEqual(self.gate("--from", store, "--fail-on", "dead", status=4)[0], failed)
        failed, _, _ = self.gate("dummy:u", "--budget", "1s", "--fail-on", "dead", status=4)
        self.assertEqual(set(failed), {"dummy:u"})
        done = self.validate("nothing*here", "--quiet", "--fail-on", "dead")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("nothing*here", done.stderr)

    def test_a_machine_that_refuses_everything_passes_nothing(self):
        refuse = (SECCOMP_REFUSE, "EPERM", "--")
        _, _, said = self.gate("--budget", "2s", status=3, prefix=refuse)
        self.assertIn("nothing was measured", said)
        self.gate("--budget", "2s", "--fail-on", "untrusted", status=4, prefix=refuse)

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
