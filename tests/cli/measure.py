# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay measure on this machine: what is exact, what is off by how much, and what is refused.

Cases that need what a machine may lack (tracefs, a timestamp PMU, root) skip with the reason that
assay itself gives.
"""
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
from concurrent.futures import ThreadPoolExecutor

import tap
from processes import PATIENCE, children, eventually
from unfinished import unfinish

NOBODY = "exec:setpriv --reuid=65534 --regid=65534 --clear-groups"
REFUSE = os.environ.get("SECCOMP_REFUSE", "")


def setUpModule():
    """A probe that says nothing is waited for during the other cases."""
    global unanswered
    folder = tempfile.mkdtemp(prefix="assay-measure-")
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    pool = ThreadPoolExecutor(1)
    unittest.addModuleCleanup(pool.shutdown)
    unanswered = folder, pool.submit(tap.assay, "measure", "-e", "page-faults:u", via="exec:sleep 1000", cwd=folder, timeout=60)


def running(folder):
    """Programs of processes that were started in the folder or lie there. Harnesses too, whose environment is none of ours:
    where they work is all they inherit."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            program = os.readlink(f"/proc/{pid}/exe")
            place = os.readlink(f"/proc/{pid}/cwd")
        except OSError:
            continue
        if place.startswith(folder) or program.startswith(folder):
            found.append(program)
    return found


class Case(unittest.TestCase):
    """A folder of its own for stores, so that no case sees another's runs."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-measure-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {"XDG_STATE_HOME": self.folder}

    def path(self, name):
        return os.path.join(self.folder, name)

    def measure(self, *arguments, **options):
        return tap.assay("measure", *arguments, env={**self.env, **options.pop("env", {})},
                         **options)

    def results(self, *arguments, **options):
        """The envelope of a measurement that must succeed; skips where the machine lacks it."""
        done = self.measure("--json", *arguments, **options)
        if done.returncode == 3:
            self.skipTest(json.loads(done.stdout)["skipped"][0]["reason"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def one(self, *arguments, **options):
        envelope = self.results(*arguments, **options)
        self.assertEqual(len(envelope["results"]), 1, envelope)
        return envelope["results"][0]

    def quiet_values(self, result):
        """Every value, or when somebody disturbed runs, the one that most of them show."""
        values = result["values"]
        return {max(set(values), key=values.count)} if result["disturbed"] else set(values)


class Truths(Case):
    def test_page_faults_are_exact(self):
        result = self.one("--event", "page-faults:u", "--n", "1000", "--runs", "50")
        self.assertEqual((result["specimen"], result["truth"]), ("pages", 1000))
        self.assertEqual(result["truth_grade"], "proven")
        self.assertEqual(self.quiet_values(result), {1000})
        self.assertEqual((result["overhead"], result["error"]), (0, 0))
        self.assertEqual(len(result["values"]), 50)

    def test_getppid_calls_are_exact(self):
        result = self.one("--event", "syscalls:sys_enter_getppid", "--runs", "50")
        self.assertEqual((result["specimen"], result["truth"], result["error"]),
                         ("getppid", 1000, 0))
        self.assertEqual(self.quiet_values(result), {1000})

    def test_raw_syscalls_count_the_closing_call_too(self):
        envelope = self.results("--event", "raw_syscalls:sys_enter", "--runs", "20", "--path",
                                "perf-read,perf-syscall,perf-prctl", "--pattern", "all")
        self.assertEqual(len(envelope["results"]), 12)
        for result in envelope["results"]:
            self.assertEqual((result["overhead"], result["error"]), (1, 1), result)
            self.assertEqual(self.quiet_values(result), {1001})
            self.assertIn("the overhead measured on the null specimen is 1", result["note"])

    def test_timestamps_are_shown_with_their_spread(self):
        result = self.one("--event", "msr/tsc/", "--runs", "50")
        self.assertIsNone(result["truth"])
        self.assertTrue(result["truth_reason"])
        self.assertLessEqual(result["min"], result["q1"])
        self.assertLess(result["min"], result["max"])
        self.assertIn("spread", result["note"])

    def test_task_clock_has_no_truth_and_says_so(self):
        result = self.one("--event", "task-clock:u")
        self.assertIsNone(result["error"])
        self.assertIn("does not predict task-clock", result["error_reason"])
        self.assertGreater(result["overhead"], 0)

    def test_a_bounded_truth_shows_its_limits(self):
        arguments = ("--event", "page-faults:u", "--specimen", "file-pages", "--n", "64", "--runs", "3")
        result = self.one(*arguments)
        self.assertEqual((result["truth"], result["truth_grade"]), (None, "bounded"))
        self.assertEqual((result["truth_low"], result["truth_high"]), (1, 64))
        self.assertIn("only limits", result["truth_reason"])
        self.assertIn("within the limits", result["note"])
        shown = self.measure(*arguments).stdout
        self.assertIn("1 \u2026 64  bounded", shown)
        self.assertIn("bounded: only limits", shown)
        exact = self.one("--event", "page-faults:u", "--n", "10", "--runs", "3")
        self.assertEqual((exact["truth_low"], exact["truth_high"]), (10, 10))

    def test_hardware_events_are_exact_or_refused_with_the_reason(self):
        done = self.measure("--event", "instructions:u", "--json")
        envelope = json.loads(done.stdout)
        if done.returncode == 0:
            self.assertEqual(envelope["results"][0]["truth_grade"], "proven")
            return
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(envelope["results"], [])
        skipped = envelope["skipped"][0]
        self.assertEqual(skipped["what"], "instructions:u")
        self.assertGreater(skipped["errno"], 0)
        self.assertIn(skipped["reason"], done.stderr)

    def test_the_person_gets_the_same_in_words(self):
        done = self.measure("-e", "page-faults:u", "--runs", "20", "--seed", "7")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("event page-faults:u, path perf-read, pattern ao (start-stop)", done.stdout)
        self.assertRegex(done.stdout, r"1,000 in \d+ of 20 runs +1,000 +proven +0 +0")
        self.assertIn("exact in", done.stdout)
        self.assertIn(f"seed 7, samples in {self.folder}/assay/", done.stdout)
        self.assertNotIn("\033", done.stdout + done.stderr)

    def test_results_of_an_emulated_machine_carry_the_mark(self):
        done = self.measure("--event", "page-faults:u", "--runs", "2", env={"ASSAY_EMULATED": "1"})
        if done.returncode == 3:
            self.skipTest(done.stderr.strip())
        self.assertIn("emulated (declared by ASSAY_EMULATED)", done.stdout)


class FromAStore(Case):
    """A stored run says the same again, where there is no machine."""

    NOWHERE = ("--via", "exec:/nowhere/no-such-program")

    def again(self, *arguments):
        store = self.path("run.sqlite")
        measured = self.results(*arguments, "--store", store)
        done = self.measure("--json", "--from", store, *self.NOWHERE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        judged = json.loads(done.stdout)
        for key in ("seed", "machine", "results", "analysis", "skipped"):
            self.assertEqual(judged[key], measured[key])
        return judged

    def test_counts_truths_and_overheads(self):
        self.again("--event", "page-faults:u,task-clock:u", "--n", "1,100", "--runs", "5", "--path",
                   "perf-read,perf-syscall")

    def test_limits_of_a_bounded_truth(self):
        judged = self.again("--event", "page-faults:u", "--specimen", "file-pages", "--n", "64", "--runs", "3")
        self.assertEqual(judged["results"][0]["truth_grade"], "bounded")

    def test_events_that_do_not_open(self):
        """Where one of two events is refused, the store knows why."""
        refused = json.loads(self.measure("--json", "--event", "cycles").stdout)["skipped"]
        if not refused:
            self.skipTest("cycles can be counted here")
        self.assertEqual(self.again("--event", "cycles,page-faults:u", "--runs", "3")["skipped"], refused)

    def test_what_does_not_go_together(self):
        """Combinations that were left out of the plan, and what a machine lacks."""
        skipped = self.again("--event", "page-faults:u", "--specimen", "file-pages", "--n", "1,1000000000", "--runs", "2")["skipped"]
        self.assertEqual([skip["what"] for skip in skipped], ["file-pages with N = 1000000000"])
        os.unlink(self.path("run.sqlite"))
        skipped = self.again("--event", "page-faults:u", "--path", "perf-read,perf-user", "--pattern", "ao,rr", "--runs", "2")["skipped"]
        self.assertTrue(skipped)

    def test_who_goes_on_is_told_of_it_too(self):
        store = self.path("run.sqlite")
        first = self.results("--event", "page-faults:u", "--specimen", "file-pages", "--n", "1,1000000000", "--runs", "2", "--store", store)
        unfinish(store)
        self.assertEqual(self.results("--resume", "--store", store)["skipped"], first["skipped"])

    def test_people_read_the_same(self):
        store = self.path("run.sqlite")
        first = self.measure("--event", "page-faults:u", "--runs", "3", "--store", store)
        again = self.measure("--from", store, *self.NOWHERE)
        self.assertEqual((again.returncode, again.stdout), (first.returncode, first.stdout))

    def test_what_makes_no_sense_beside_it(self):
        done = self.measure("--from", self.path("none.sqlite"), "--event", "page-faults", "--n", "7", "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("leave out --event, --n, --resume", done.stderr)
        self.assertEqual(self.measure("--from", self.path("none.sqlite")).returncode, 2)


class Modes(Case):
    """What the letters behind a name do to events that are no hardware: some filter everything."""

    def values(self, *events, **options):
        """The values of each event that is here, each in a cell of its own."""
        envelope = self.results("--each", "-e", ",".join(events), "--n", "100", "--runs", "20", **options)
        return {result["event"]: self.quiet_values(result) for result in envelope["results"]}

    def need_root(self):
        if os.geteuid() != 0:
            self.skipTest("not root: kernel mode cannot be counted at this paranoid level")

    def test_as_root_page_faults_belong_to_user_mode(self):
        self.need_root()
        expected = {"page-faults": {100}, "page-faults:u": {100}, "page-faults:uk": {100}, "page-faults:k": {0}}
        self.assertEqual(self.values(*expected), expected)

    def test_as_root_getppid_ignores_the_mode(self):
        self.need_root()
        events = ["syscalls:sys_enter_getppid" + mode for mode in ("", ":u", ":k", ":uk")]
        self.assertEqual(self.values(*events), {event: {100} for event in events})

    def test_as_root_tracepoints_of_entry_are_filtered_by_user_mode(self):
        self.need_root()
        expected = {event + mode: {0 if mode == ":u" else count}
                    for event, count in (("raw_syscalls:sys_enter", 101), ("exceptions:page_fault_user", 100)) for mode in ("", ":k", ":uk", ":u")}
        values = self.values(*expected)
        self.assertEqual(values, {event: expected[event] for event in values})

    def test_a_mode_that_filters_everything_is_named(self):
        self.need_root()
        result = self.one("-e", "raw_syscalls:sys_enter:u", "--n", "100", "--runs", "5")
        self.assertEqual(result["error"], -100)
        self.assertIn("the mode :u filters everything here", result["note"])

    def test_as_root_task_clock_ignores_the_mode(self):
        self.need_root()
        envelope = self.results("--each", "-e", "task-clock,task-clock:u,task-clock:k,task-clock:uk", "--runs", "5")
        self.assertEqual(len(envelope["results"]), 4)
        for result in envelope["results"]:
            self.assertGreater(result["min"], 0, result)

    def test_as_root_the_timestamp_pmu_refuses_modes(self):
        self.need_root()
        if not os.path.isdir("/sys/bus/event_source/devices/msr"):
            self.skipTest("no msr PMU in sysfs")
        self.assertEqual(self.measure("-e", "msr/tsc/u").returncode, 3)
        self.assertEqual(self.measure("-e", "msr/tsc/k").returncode, 3)
        self.assertEqual(self.measure("-e", "msr/tsc/").returncode, 0)

    def unprivileged(self):
        self.need_root()
        if not shutil.which("setpriv"):
            self.skipTest("setpriv is not installed")
        level = int(open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii").read())
        if level != 2:
            self.skipTest(f"perf_event_paranoid is {level}, the case is about 2")

    def test_unprivileged_user_mode_counts(self):
        self.unprivileged()
        self.assertEqual(self.values("page-faults:u", via=NOBODY), {"page-faults:u": {100}})

    def test_unprivileged_kernel_mode_is_refused_with_the_way_out(self):
        self.unprivileged()
        events = ("page-faults", "page-faults:k", "page-faults:uk", "instructions:k", "instructions:uk", "msr/tsc/")
        done = self.measure("--json", "--each", "-e", ",".join(events), via=NOBODY)
        self.assertEqual(done.returncode, 3, done.stderr)
        reasons = {skip["what"]: skip["reason"] for skip in json.loads(done.stdout)["skipped"]}
        for event in events:
            self.assertIn("perf_event_paranoid is 2", reasons[event])
        self.assertIn("perf_event_paranoid is 2", done.stderr)

    def test_unprivileged_tracepoints_need_tracefs(self):
        self.unprivileged()
        done = self.measure("-e", "raw_syscalls:sys_enter:u", via=NOBODY)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("tracefs", done.stderr)


class Sweeps(Case):
    def test_levels_may_be_written_as_for_a_compiler(self):
        envelope = self.results("-e", "page-faults:u", "-O3", "--runs", "1")
        self.assertEqual([result["opt"] for result in envelope["results"]], ["O3"])

    def test_several_events_are_one_group(self):
        envelope = self.results("-e", "page-faults:u", "-e", "task-clock:u,minor-faults:u",
                                "--runs", "5")
        self.assertEqual([result["counters"] for result in envelope["results"]], [3, 3, 3])
        faults, clock, minor = envelope["results"]
        self.assertEqual((faults["truth"], minor["truth"], clock["truth"]), (1000, 1000, None))
        self.assertEqual(self.quiet_values(minor), {1000})

    def test_each_gives_every_event_its_own_cell(self):
        envelope = self.results("-e", "page-faults:u,task-clock:u", "--each", "--runs", "2")
        self.assertEqual([(r["counters"], r["specimen"]) for r in envelope["results"]],
                         [(1, "pages"), (1, "loop")])

    def test_all_combinations_are_measured(self):
        envelope = self.results("-e", "page-faults:u", "--n", "1,1e3", "--counters", "1,4",
                                "--opt", "O0,O3", "--runs", "2")
        cells = {(r["n"], r["counters"], r["opt"]) for r in envelope["results"]}
        self.assertEqual(len(cells), 8)
        self.assertEqual({r["error"] for r in envelope["results"]}, {0})

    def test_what_a_path_cannot_do_is_left_out_with_the_reason(self):
        envelope = self.results("-e", "page-faults:u", "--n", "10,2e6", "--runs", "2")
        self.assertEqual([r["n"] for r in envelope["results"]], [10])
        self.assertEqual(len(envelope["skipped"]), 1)
        self.assertIn("goes up to", envelope["skipped"][0]["reason"])

    def test_an_event_that_does_not_open_leaves_the_others(self):
        listed = json.loads(tap.assay("events", "--json", env=self.env).stdout)["results"]
        refused = [event["event"] for event in listed if not event["openable"]]
        if not refused:
            self.skipTest("every event of this machine opens")
        envelope = self.results("-e", f"{refused[0]},page-faults:u", "--runs", "2")
        self.assertEqual([r["event"] for r in envelope["results"]], ["page-faults:u"])
        self.assertEqual([s["what"] for s in envelope["skipped"]], [refused[0]])

    def test_one_seed_one_order(self):
        def order(name, seed):
            self.results("-e", "page-faults:u", "--n", "1,2,3,4", "--processes", "3", "--runs",
                         "1", "--seed", seed, "--store", self.path(name))
            with sqlite3.connect(self.path(name)) as store:
                return store.execute("SELECT cell, process FROM visit ORDER BY id").fetchall()
        first, again, other = order("a", "42"), order("b", "42"), order("c", "43")
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(sorted(first), sorted(other))

    def test_overhead_can_be_left_out(self):
        result = self.one("-e", "page-faults:u", "--no-overhead", "--runs", "2")
        self.assertIsNone(result["overhead"])
        self.assertTrue(result["overhead_reason"])


class Refusals(Case):
    def refused(self, status, *arguments, **options):
        done = self.measure(*arguments, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("assay measure: "), done.stderr)
        self.assertNotIn("\033", done.stderr)
        return done.stderr

    def test_parameters_are_judged_before_there_is_a_store(self):
        path = self.path("p")
        for name, words in (("l1d-chase/l1=16k/", "did you mean 'l1d'?"), ("l1d-chase/l1d=banana/", "below 2^64, such as l1d=65536"),
                            ("l1d-chase/l1d/", "below 2^64"), ("l1d-chase/l1d=99999999999g/", "below 2^64"),
                            ("l1d-chase/l1d=16k", "one slash"), ("loop/l1d=16k/", "loop takes no parameters"),
                            ("placed/offset=-1/", "offset wants a whole number"), ("placed/offset=99999999999999999999/", "below 2^64"),
                            ("placed/ofset=1/", "did you mean 'offset'?"), ("phases/period=1ms/", "period wants a whole number"),
                            ("l1d-chase/" + "x" * 200 + "=1/", "has no parameter")):
            with self.subTest(name):
                done = self.measure("-e", "page-faults:u", "--specimen", name, "--store", path)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertFalse(os.path.exists(path))

    def test_parameters_that_the_specimen_cannot_do_are_refused_with_the_reason(self):
        page = os.sysconf("SC_PAGESIZE")
        for name, n, words in ((f"placed/offset={page}/", 1, "beyond the page"), ("placed/offset=18446744073709551615/", 1, "beyond the page"),
                               ("phases/period=3/", 10, "N = 10 is no multiple of period=3"), ("phases/period=16g/", 10, "no multiple")):
            with self.subTest(name):
                self.assertIn(words, self.refused(3, "-e", "page-faults:u", "--specimen", name, "--n", str(n)))

    def test_unknown_names_get_the_nearest(self):
        self.assertIn("page-faults", self.refused(2, "-e", "page-fautls"))
        self.assertIn("did you mean --event?", self.refused(2, "--evnet", "x"))
        self.assertIn("'loop'", self.refused(2, "-e", "page-faults:u", "--specimen", "lop"))
        self.assertIn("'perf-read'", self.refused(2, "-e", "page-faults:u", "--path", "perf-raed"))

    def test_wrong_command_lines_exit_2(self):
        for arguments in ([], ["-e", ""], ["-e", "page-faults:u", "--runs", "0"],
                          ["-e", "page-faults:u", "--runs", "1e9"],
                          ["-e", "page-faults:u", "--n", "many"],
                          ["-e", "page-faults:u", "--n", "-1"],
                          ["-e", "page-faults:u", "--counters", "33"],
                          ["-e", "page-faults:u", "--counters", "0"],
                          ["-e", "page-faults:u", "--pattern", "xx"],
                          ["-e", "page-faults:u", "--opt", "O9"],
                          ["-e", "page-faults:u", "--cpu", "-2"],
                          ["-e", "page-faults:u", "--budget", "soon"],
                          ["-e", "page-faults:u", "--via", "telepathy:x"],
                          ["-e", "page-faults:u", "stray"], ["--resume", "--store", "/nonexistent"],
                          ["-e", "page-faults:u", "--n", ",".join(map(str, range(20))),
                           "--processes", "1e6"],
                          ["-e", "page-faults:u", "--n", ",".join(map(str, range(400))),
                           "--processes", "1", "--path", "all", "--pattern", "all", "--opt", "all",
                           "--link", "all", "--counters", "1,2,3,4,5,6,7,8"]):
            with self.subTest(arguments):
                self.refused(2, *arguments)

    def test_hostile_names_are_answered_not_obeyed(self):
        for name in ("\033[2J", "a" * 5000, "%s%n%x", "page-faults\n:u", "msr/tsc=\xff\xfe/",
                     "../../etc/passwd", "uprobe:/nonexistent:main", "mem:0:rwx", ":::", "//",
                     "cpu/event=0x1,umask=/", "\u202eevil", "r" + "f" * 40):
            with self.subTest(name):
                done = self.measure("-e", name)
                self.assertIn(done.returncode, (2, 3), done.stderr)
                self.assertNotIn("\033", done.stderr)
                self.assertNotIn("\u202e", done.stderr)

    def test_hostile_values_are_answered_not_obeyed(self):
        for option in ("--specimen", "--path", "--pattern", "--opt", "--link", "--n", "--via",
                       "--store", "--output"):
            with self.subTest(option):
                done = self.measure("-e", "page-faults:u", "--runs", "1", option,
                                    "/nonexistent/\033[2J\u202e/x")
                self.assertIn(done.returncode, (1, 2), done.stderr)
                self.assertNotIn("\033", done.stderr)
                self.assertNotIn("\u202e", done.stderr)

    def test_a_cpu_that_is_not_there_is_lacking(self):
        self.assertIn("999", self.refused(3, "-e", "page-faults:u", "--cpu", "999"))

    def test_output_that_cannot_be_written_is_said_before_measuring(self):
        self.assertIn("/nonexistent/x", self.refused(1, "-e", "page-faults:u", "-o",
                                                     "/nonexistent/x"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_full_disk_is_no_result(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        done = self.measure("-e", "page-faults:u", "--runs", "2", "--json", "-o", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/full", done.stderr)

    def test_an_existing_store_is_not_touched(self):
        with open(self.path("x"), "w", encoding="ascii") as file:
            file.write("precious")
        self.refused(2, "-e", "page-faults:u", "--store", self.path("x"))
        self.assertEqual(open(self.path("x"), encoding="ascii").read(), "precious")

    def test_no_home_for_the_store_is_said(self):
        text = self.refused(1, "-e", "page-faults:u", env={"XDG_STATE_HOME": "/proc/nowhere"})
        self.assertIn("/proc/nowhere", text)

    def test_the_file_appears_whole(self):
        done = self.measure("-e", "page-faults:u", "--runs", "2", "--json", "-o", self.path("o"))
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        with open(self.path("o"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["schema"], "assay/1")
        self.assertEqual([n for n in os.listdir(self.folder) if n.startswith("o.")], [])

    def test_where_perf_is_refused_the_reason_is_said(self):
        if not REFUSE:
            self.skipTest("SECCOMP_REFUSE names no helper")
        for refusal, number, word in (("EPERM", 1, "perf_event_open"), ("ENOSYS", 38, "perf_event_open"),
                                      ("START", 1, "cannot be started")):
            with self.subTest(refusal):
                done = subprocess.run([REFUSE, refusal, "--", tap.ASSAY, "measure", "-e",
                                       "page-faults:u", "--json"], text=True, check=False,
                                      capture_output=True, env={**os.environ, **self.env},
                                      timeout=60)
                if done.returncode == 77:
                    self.skipTest("no seccomp filters in this kernel")
                self.assertEqual(done.returncode, 3, done.stderr)
                skipped = json.loads(done.stdout)["skipped"][0]
                self.assertEqual(skipped["errno"], number)
                self.assertIn(word, skipped["reason"])


class Breaks(Case):
    """Runs that end early, for every reason, and go on to the same cells and samples."""

    PLAN = ("-e", "page-faults:u", "--n", "50,100", "--processes", "40", "--runs", "50",
            "--seed", "3", "--store")

    def start(self, *arguments, **options):
        return subprocess.Popen([tap.ASSAY, "measure", *arguments], text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.folder,
                                env={**os.environ, **self.env}, **options)

    def content(self, path):
        with sqlite3.connect(path) as store:
            return (store.execute("SELECT id, specimen, n, path, pattern FROM cell").fetchall(),
                    store.execute("SELECT cell, process, state, samples FROM visit "
                                  "ORDER BY id").fetchall(),
                    store.execute("SELECT count(*) FROM sample").fetchone())

    whole = None

    def reference(self):
        """What a run that nothing ended holds; made once."""
        if not Breaks.whole:
            done = self.measure(*self.PLAN, self.path("whole"))
            self.assertEqual(done.returncode, 0, done.stderr)
            Breaks.whole = self.content(self.path("whole"))
        return Breaks.whole

    def setUp(self):
        """A kit of its own, by whose place the processes of this case are known."""
        super().setUp()
        if tap.KIT:
            shutil.copytree(tap.KIT, self.path("kit"))
            self.env["ASSAY_KIT"] = self.path("kit")

    def running(self):
        return running(self.folder)

    def assert_nothing_runs(self):
        """Nothing of ours is left; it may take a moment to end."""
        self.assertTrue(eventually(lambda: not self.running()), self.running())

    def finished_visits(self, path):
        """How many processes a store holds; None while it has no plan."""
        try:
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
                done, planned = store.execute("SELECT sum(state = 'done'), count(*) FROM visit"
                                              ).fetchone()
                return done if planned else None
        except sqlite3.Error:
            return None

    def test_killed_at_any_moment_it_resumes_to_the_same_samples(self):
        expected = self.reference()
        draw = random.Random(5)
        kept = []
        for attempt in range(4):
            path = self.path(f"killed-{attempt}")
            process = self.start(*self.PLAN, path)
            if attempt % 2:
                self.wait_for_samples(path)
            time.sleep(draw.uniform(0, 0.2))
            process.kill()
            process.communicate()
            self.assert_nothing_runs()
            done_before = self.finished_visits(path)
            done = self.measure("--resume", "--store", path)
            if done_before is None:  # killed before there was a plan: nothing to resume
                self.assertIn(done.returncode, (1, 2), done.stderr)
                self.assertNotEqual(done.stderr, "")
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.content(path), expected)
            kept.append(done_before)
        self.assertTrue([count for count in kept if 0 < count < len(expected[1])],
                        "no attempt was killed midway")

    def test_sigint_stops_between_processes_and_says_how_to_go_on(self):
        path = self.path("a b")
        process = self.start("-e", "page-faults:u", "--processes", "2000", "--store", path)
        self.wait_for_samples(path)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, output), (130, ""), errors)
        self.assertIn("interrupted after", errors)
        self.assertIn(f"assay measure --resume --store '{path}'", errors)
        self.assert_nothing_runs()

    def test_a_second_sigint_does_not_wait(self):
        path = self.path("s")
        process = self.start("-e", "page-faults:u", "--runs", "1000000", "--n", "100000",
                             "--specimen", "pages", "--store", path)
        # The store comes after hello, for which harnesses run too, to describe themselves.
        while not (os.path.exists(path) and any("harness" in program for program in self.running())):
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        words = process.stderr.readline()  # two signals at once would count as one
        self.assertIn("Ctrl-C again stops at once", words)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, errors)
        self.assert_nothing_runs()

    def test_one_signal_breaks_off_a_process_of_minutes(self):
        path = self.path("m")
        process = self.start("-e", "step/instructions/", "--specimen", "loop", "--n", "1000000", "--runs", "5", "--no-overhead",
                             "--store", path)
        while not (os.path.exists(path) and any("harness" in program for program in self.running())):
            if process.poll() is not None:
                errors = process.communicate()[1]
                self.assertIn("step/instructions/ cannot be counted here", errors)
                self.skipTest(f"no single steps here: {errors}")
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("stopping when the process under way has ended, in 2 seconds at the latest", errors)
        self.assertIn(f"assay measure --resume --store {path}", errors)
        self.assertEqual(self.finished_visits(path), 0)
        self.assert_nothing_runs()

    HUGE = ("-e", "page-faults:u", "--runs", "2", "--processes", "1000000", "--seed", "5", "--store")

    def order(self, path, state):
        with sqlite3.connect(path) as store:
            return store.execute("SELECT cell, process FROM visit WHERE state = ? ORDER BY id", (state,)).fetchall()

    def assert_goes_on(self, path):
        """It goes on with the same order, where it was; the store stays small."""
        before = self.order(path, "done")
        done = self.measure("--resume", "--store", path, "--budget", "500ms", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        envelope = json.loads(done.stdout)
        self.assertFalse(envelope["analysis"]["complete"])
        self.assertEqual(len(envelope["skipped"]), 2, envelope["skipped"])
        self.assertRegex(done.stderr, r"resuming .*, \d+ of 2000000 processes are done")
        after = self.order(path, "done")
        self.assertGreater(len(after), len(before))
        self.assertEqual(after[:len(before)], before)
        return after

    def test_a_plan_of_millions_costs_nothing_before_its_turn(self):
        """It is stored as it is measured, and what has not had its turn is told all the same."""
        path = self.path("huge")
        done = self.measure(*self.HUGE, path, "--budget", "500ms", "--json", timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"the budget was used up after \d+ of 2000000 processes")
        stored = len(self.order(path, "done")) + len(self.order(path, "pending"))
        self.assertLess(stored, 100_000)
        again = json.loads(self.measure("--from", path, "--json").stdout)
        self.assertEqual(len(again["skipped"]), 2, again["skipped"])
        self.assertFalse(again["analysis"]["complete"])
        first = self.assert_goes_on(path)
        self.assertEqual(self.measure(*self.HUGE, self.path("again"), "--budget", "500ms").returncode, 0)
        other = self.order(self.path("again"), "done")
        common = min(len(first), len(other))
        self.assertEqual(first[:common], other[:common])

    def test_signals_are_obeyed_while_a_plan_of_millions_is_stored(self):
        for name in ("SIGINT", "SIGTERM"):
            with self.subTest(name):
                path = self.path(name)
                process = self.start(*self.HUGE, path)
                self.assertTrue(eventually(lambda path=path: os.path.exists(path)))
                process.send_signal(getattr(signal, name))
                output, errors = process.communicate(timeout=PATIENCE)
                self.assertEqual((process.returncode, output), (130, ""), errors)
                self.assertRegex(errors, r"interrupted after \d+ of 2000000 processes")
                self.assertIn(f"assay measure --resume --store {path}", errors)
                self.assertLess(len(self.order(path, "pending")), 100_000)
                self.assert_goes_on(path)
        self.assert_nothing_runs()

    def wait_for_samples(self, path):
        self.assertTrue(eventually(lambda: self.finished_visits(path)), "no process ended")

    def test_the_terminal_gets_its_cursor_back(self):
        import pty
        try:
            main, side = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal to be had: {error}")
        process = subprocess.Popen([tap.ASSAY, "measure", "-e", "page-faults:u", "--processes",
                                    "2000", "--store", self.path("t")], stdin=side,
                                   stdout=subprocess.DEVNULL, stderr=side,
                                   env={**os.environ, **self.env, "TERM": "xterm"})
        os.close(side)
        seen = b""
        while b" processes, " not in seen:
            seen += os.read(main, 4096)
        self.assertIn(b"\033[?25l", seen)
        process.send_signal(signal.SIGINT)
        try:
            while True:
                chunk = os.read(main, 4096)
                if not chunk:
                    break
                seen += chunk
        except OSError:
            pass  # the last writer closed the terminal
        self.assertEqual(process.wait(timeout=PATIENCE), 130)
        self.assertGreater(seen.rfind(b"\033[?25h"), seen.rfind(b"\033[?25l"))
        self.assertIn(b"interrupted after", seen.rsplit(b"\033[?25h", 1)[1])
        os.close(main)

    def test_the_budget_ends_a_run_that_resumes(self):
        done = self.measure("-e", "page-faults:u", "--processes", "500", "--runs", "20", "--budget",
                            "300ms", "--json", "--store", self.path("b"))
        self.assertEqual(done.returncode, 0, done.stderr)
        envelope = json.loads(done.stdout)
        self.assertFalse(envelope["analysis"]["complete"])
        self.assertTrue(envelope["skipped"])
        self.assertIn("the budget was used up", done.stderr)
        self.assertIn("--resume", done.stderr)
        notes = json.loads(tap.assay("report", "--json", self.path("b")).stdout)["analysis"]["notes"]
        self.assertRegex(" ".join(notes), "ended with its budget")

    def test_resume_finds_the_latest_unfinished_run(self):
        self.assertEqual(self.measure("--resume").returncode, 2)
        arguments = ("-e", "page-faults:u", "--processes", "60", "--runs", "10")
        done = self.measure(*arguments, "--budget", "200ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.measure("--resume", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        envelope = json.loads(done.stdout)
        self.assertTrue(envelope["analysis"]["complete"])
        self.assertEqual(envelope["results"][0]["runs"], 600)

    def test_resume_with_another_plan_is_refused(self):
        self.measure("-e", "page-faults:u", "--runs", "5", "--processes", "500", "--budget",
                     "200ms", "--store", self.path("p"))
        done = self.measure("-e", "page-faults:u", "--runs", "6", "--resume", "--store",
                            self.path("p"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("runs", done.stderr)
        done = self.measure("-e", "page-faults:u", "--runs", "5", "--processes", "400", "--resume",
                            "--store", self.path("p"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("processes 500 became 400", done.stderr)

    def test_resume_on_another_machine_says_how_its_own_was_reached(self):
        there = "exec:env ASSAY_EMULATED=1"
        self.measure("-e", "page-faults:u", "--runs", "5", "--via", there, "--store", self.path("there"))
        done = self.measure("--resume", "--store", self.path("there"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"measured with --via '{there}'", done.stderr)
        self.measure("-e", "page-faults:u", "--runs", "5", "--store", self.path("here"))
        done = self.measure("--resume", "--store", self.path("here"), "--via=" + there)
        self.assertEqual(done.returncode, 2)
        self.assertIn("measured with --via local", done.stderr)

    def test_resume_with_another_kit_is_refused(self):
        """Its windows may cost something else, and the samples would be mixed."""
        self.measure("-e", "page-faults:u", "--runs", "5", "--processes", "500", "--budget",
                     "200ms", "--store", self.path("k"))
        with open(self.path("kit/manifest"), encoding="utf-8") as file:
            text = file.read()
        with open(self.path("kit/manifest"), "w", encoding="utf-8") as file:
            file.write(text.replace("\nbuild ", "\nbuild 0ther"))
        done = self.measure("--resume", "--store", self.path("k"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("another build of the probe's kit", done.stderr)

    def test_resume_without_a_plan_says_so(self):
        """Killed between the store and its plan."""
        path = self.path("planless")
        done = self.measure("-e", "page-faults:u", "--runs", "1", "--processes", "500", "--no-overhead", "--budget",
                            "1ms", "--store", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        with sqlite3.connect(path) as store:
            for table in ("cell", "counter", "visit", "sample_packed"):
                store.execute(f"DELETE FROM {table}")
        store.close()
        done = self.measure("--resume", "--store", path)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("before its plan", done.stderr)

    def test_the_head_tells_how_many_runs_the_cells_really_have(self):
        path = self.path("head")
        done = self.measure("-e", "page-faults:u", "--n", "1,2,3,4,5", "--runs", "10",
                            "--processes", "400", "--budget", "300ms", "--store", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        with sqlite3.connect(path) as store:
            counts = [row[0] for row in store.execute(
                "SELECT sum(state = 'done') FROM visit JOIN cell ON cell.id = visit.cell "
                "WHERE specimen != 'null' GROUP BY cell.id")]
        store.close()
        counts = [count for count in counts if count]
        if not counts:
            self.skipTest("the budget was used up before a process had run")
        low, high = min(counts), max(counts)
        words = (f"{10 * low:,} to {10 * high:,} runs in {low} to {high} processes" if low < high
                 else f"{10 * low:,} runs in {low} process")
        self.assertIn(words, " ".join(done.stdout.split()))

    def test_a_probe_that_dies_midway_is_said_and_resumes(self):
        path = self.path("d")
        process = self.start(*self.PLAN, path)
        self.wait_for_samples(path)
        for pid in children(process.pid):
            os.kill(pid, signal.SIGKILL)
        _, errors = process.communicate(timeout=PATIENCE)
        if process.returncode == 0:
            self.skipTest("the machine finished before the probe was killed")
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("--resume", errors)
        self.assert_nothing_runs()
        done = self.measure("--resume", "--store", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.content(path), self.reference())

    def fake(self, text):
        path = self.path("fake")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return f"exec:{path}"

    def test_probes_that_are_none_are_recognised(self):
        for name, text in (("dies", "exit 3"), ("rubbish", "head -c 100000 /dev/urandom"),
                           ("damaged", "echo '@assay 0 hello version=1 deadbeef'"),
                           ("chatty", "echo Welcome; echo to; echo nothing"),
                           ("escapes", "printf '\\033[2Jboo\\n'; exit 1")):
            with self.subTest(name):
                done = self.measure("-e", "page-faults:u", via=self.fake(text), timeout=120)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertTrue(done.stderr.startswith("assay measure: "), done.stderr)
                self.assertNotIn("\033", done.stderr)
                self.assert_nothing_runs()

    def test_sigint_while_connecting_ends_at_once(self):
        process = self.start("-e", "page-faults:u", "--via", self.fake(f"touch {self.path('connected')}; exec sleep 1000"))
        self.assertTrue(eventually(lambda: os.path.exists(self.path("connected"))))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=8)
        self.assertEqual(process.returncode, 130)
        self.assert_nothing_runs()


class Unanswered(Case):
    def test_a_probe_that_hangs_is_given_up(self):
        folder, done = unanswered
        self.assertEqual(done.result().returncode, 1, done.result().stderr)
        self.assertTrue(eventually(lambda: not running(folder)), running(folder))


if __name__ == "__main__":
    tap.main()
