# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources count by executing: their counts are the truth, need no counter and no privilege, and what cannot be is refused.

Where a machine lacks a source, its cases skip with the reason that assay itself gives.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import frames
import tap
from processes import wait_until

BUILD = os.environ["ASSAY_BUILD"]
REFUSE = os.environ.get("SECCOMP_REFUSE", "")
NOBODY = "exec:setpriv --reuid=65534 --regid=65534 --clear-groups"
FOREVER = 10**12  # iterations of the loop: longer than any test


def state(process):
    """One letter, or nothing when the process is gone; and its parent."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return fields[0], int(fields[1])
    except OSError:
        return "", 0


def below(parent):
    """Every living process that descends from parent."""
    everybody = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    parents = {process: state(process) for process in everybody}
    found, new = set(), {parent}
    while new:
        new = {process for process, (letter, above) in parents.items() if above in new and letter not in "ZX"} - found
        found |= new
    return found


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-sources-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {"XDG_STATE_HOME": self.folder}

    def measure(self, *words, kit=None, **options):
        return tap.assay("measure", *words, env={**self.env, **({"ASSAY_KIT": kit} if kit else {})}, **options)

    def results(self, *words, **options):
        done = self.measure("--json", *words, **options)
        if done.returncode == 3:
            self.skipTest(json.loads(done.stdout)["skipped"][0]["reason"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["results"]

    def refused(self, status, *words):
        done = self.measure(*words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr


class Truths(Case):
    """To the count, at every level."""

    def exact(self, event, *words, **options):
        rows = self.results("--event", event, *words, **options)
        for row in rows:
            # Unoptimised, a compiler may fetch the two operands of the slot inside the window.
            overhead = row["overhead"] or 0
            self.assertIn(overhead, (0, 2) if row["opt"] == "O0" else (0,), row)
            self.assertEqual(set(row["values"]), {row["truth"] + overhead}, row)
            self.assertEqual((row["error"], row["disturbed"]), (overhead, 0), row)
        return rows

    def test_step_counts_null_loop_and_adds(self):
        rows = self.exact("step/instructions/", "--specimen", "null,loop,adds", "--n", "1,10,1000", "--runs", "2")
        rows += self.exact("step/instructions/", "--specimen", "loop", "--n", "10000", "--runs", "1", "--no-overhead")
        self.assertEqual({(row["path"], row["pattern"]) for row in rows}, {("bare", "rr")})
        self.assertEqual(len(rows), 10)

    def test_trap_counts_null_loop_and_adds_up_to_ten_thousand(self):
        rows = self.exact("trap/instructions/", "--specimen", "null,loop,adds", "--n", "1,10,1000", "--runs", "3")
        rows += self.exact("trap/instructions/", "--specimen", "loop", "--n", "10000", "--runs", "1", "--no-overhead")
        self.assertEqual({(row["path"], row["pattern"]) for row in rows}, {("trap", "ao")})
        self.assertEqual(len(rows), 10)

    def test_both_count_at_every_level_and_link(self):
        for event, words in (("step/instructions/", ("--path", "bare")), ("trap/instructions/", ())):
            with self.subTest(event):
                rows = self.exact(event, *words, "--specimen", "loop,adds", "--n", "10", "--opt", "all", "--link", "all", "--runs", "1")
                self.assertEqual(len(rows), 2 * 4 * 3)

    def test_system_calls_are_counted_by_step_and_are_instructions_to_both(self):
        rows = self.results("--event", "step/syscalls/,step/instructions/", "--specimen", "getppid", "--n", "100", "--runs", "2")
        calls, instructions = (next(row for row in rows if row["event"] == f"step/{name}/") for name in ("syscalls", "instructions"))
        self.assertEqual(set(calls["values"]), {100})
        trap, = self.results("--event", "trap/instructions/", "--specimen", "getppid", "--n", "100", "--runs", "2")
        self.assertEqual(trap["values"], instructions["values"])

    def test_a_repeated_instruction_is_one_and_raw_every_repetition(self):
        for source in ("step", "trap"):
            with self.subTest(source):
                done = self.measure("--json", "--event", f"{source}/instructions/,{source}/instructions-raw/", "--specimen", "rep-movsb",
                                    "--n", "1,500", "--runs", "2")
                if done.returncode == 3 or "no specimen" in done.stderr:
                    self.skipTest("no rep movsb, or no such source here")
                counts = {(row["event"].split("/")[1], row["n"]): set(row["values"]) for row in json.loads(done.stdout)["results"]}
                truths = {row["truth"] for row in json.loads(done.stdout)["results"] if row["event"].endswith("/instructions/")}
                self.assertEqual(counts["instructions", 1], counts["instructions", 500])
                self.assertEqual({truth for truth in truths if truth is not None}, counts["instructions", 1])
                self.assertEqual(counts["instructions-raw", 500].pop() - counts["instructions-raw", 1].pop(), 499)

    def test_raw_counts_say_what_they_are(self):
        done = self.measure("--event", "step/instructions-raw/", "--specimen", "loop", "--n", "10", "--runs", "1", "--no-overhead")
        if done.returncode == 3:
            self.skipTest(done.stderr)
        self.assertIn("compare with step/instructions/", " ".join(done.stdout.split()))

    def test_more_than_a_source_does_in_minutes_is_refused(self):
        done = self.measure("--event", "step/instructions/", "--specimen", "loop", "--n", "1e11", timeout=60)
        self.assertEqual(done.returncode, 3, done.stderr)
        if "cannot be counted here" in done.stderr:
            self.skipTest(done.stderr)
        self.assertIn("in ten minutes", done.stderr)
        # A repeated instruction is one by its truth, but not for who steps it.
        done = self.measure("--event", "step/instructions/", "--specimen", "rep-movsb", "--n", "1e6", "--runs", "100", timeout=60)
        if "no specimen" not in done.stderr and "not to be had" not in done.stderr:
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("100,000,000 instructions in 100 runs", done.stderr)
            self.assertRegex(done.stderr, "(qemu|valgrind)/.../ is fast enough|ask for a smaller N")

    def test_step_counts_the_windows_of_perf_paths_too(self):
        """What the path's counter would count: from the return of the call that opens to the one that closes."""
        rows = self.results("--event", "step/instructions/", "--path", "perf-read,perf-syscall,perf-prctl", "--pattern", "all",
                            "--specimen", "loop", "--n", "1,100", "--runs", "1")
        self.assertEqual(len(rows), 2 * 3 * 4)
        for row in rows:
            self.assertGreater(row["overhead"], 2)
            self.assertEqual(row["error"], row["overhead"], row)

    def test_calls_for_further_counters_fall_into_the_window_unless_one_call_serves_a_group(self):
        def counted(path, *words):
            rows = self.results("--event", "step/instructions/,step/syscalls/", "--path", path, "--pattern", "ar", "--specimen", "null",
                                "--runs", "1", "--no-overhead", *words)
            return [row["values"][0] for row in rows]
        for path in ("perf-read", "perf-syscall"):
            alone = counted(path)
            self.assertEqual(alone[1], 1)  # the closing read
            self.assertEqual([row["values"] for row in self.results("--event", "step/instructions/", "--counters", "4", "--path", path,
                                                                    "--pattern", "ar", "--specimen", "null", "--runs", "1",
                                                                    "--no-overhead")], [[alone[0]]])
            apart = counted(path, "--separate")
            self.assertEqual(apart[1], 2)  # the second counter is started in the window of the first, which is read first
            self.assertGreater(apart[0], alone[0])

    def test_papi_is_stepped_in_the_first_run_and_in_later_ones(self):
        rows = self.results("--event", "step/instructions/", "--path", "papi-low,papi-high", "--pattern", "all", "--specimen", "null",
                            "--runs", "3", "--link", "lazy", "--counters", "1,3", "--no-overhead")
        self.assertEqual({(row["path"], row["pattern"]) for row in rows},
                         {("papi-low", pattern) for pattern in ("ar", "ao", "rr", "ro")} | {("papi-high", "rr")})
        later = {(row["path"], row["pattern"], row["counters"]): row["values"][1:] for row in rows}
        for (path, *factors), (second, third) in later.items():
            if path == "papi-low":  # papi-high allocates memory in its window: see EvenMalloc
                self.assertEqual(second, third, factors)
        for row in rows:
            binds = row["pattern"] != "rr" or row["path"] == "papi-high"  # what closes was not called before it opened
            self.assertEqual(row["values"][0] > row["values"][1], binds, row)
        for pattern in ("ar", "ao", "rr", "ro"):
            self.assertGreater(later["papi-low", pattern, 3][0], later["papi-low", pattern, 1][0])
            self.assertGreater(later["papi-high", "rr", 1][0], later["papi-low", pattern, 1][0])

    def test_the_default_number_of_runs_is_the_sources(self):
        probe = frames.Probe(tap.KIT)
        self.addCleanup(probe.__exit__)
        runs = {frame["name"]: int(frame["runs"]) for frame in probe.hello() if frame.type == "source"}
        for name, wanted in runs.items():
            if name in ("step", "trap"):
                row, = self.results("--event", f"{name}/instructions/", "--specimen", "loop", "--n", "1")
                self.assertEqual(len(row["values"]), wanted)


class Broken(Case):
    """A loop with one instruction more than it says is noticed."""

    def setUp(self):
        super().setUp()
        kit = pathlib.Path(self.folder, "kit")
        kit.mkdir()
        shutil.copy(f"{tap.KIT}/assay-probe", kit)
        shutil.copy(f"{BUILD}/tests/cli/harness-broken", kit)
        (kit / "manifest").write_text(f"assay-kit 1\nbuild broken\nisa {os.uname().machine}\nharness harness-broken static\n")
        self.kit = str(kit)

    def test_by_both_sources(self):
        for source in ("step", "trap"):
            with self.subTest(source):
                row, = self.results("--event", f"{source}/instructions/", "--specimen", "loop", "--n", "100", "--runs", "2", kit=self.kit)
                self.assertEqual((set(row["values"]), row["error"], row["overhead"]), ({row["truth"] + 100}, 100, 0))


class EvenMalloc(Case):
    """What differs between papi-high's runs is malloc, which PAPI calls in every region, and measure says so."""

    def test_every_later_run_is_equal_with_an_allocator_that_always_does_the_same(self):
        even = pathlib.Path(BUILD, "tests/cli/harness-even")
        if not even.exists():
            self.skipTest("built without PAPI")
        kit = pathlib.Path(self.folder, "kit")
        kit.mkdir()
        for file in (f"{tap.KIT}/assay-probe", even):
            shutil.copy(file, kit)
        (kit / "manifest").write_text(f"assay-kit 1\nbuild even\nisa {os.uname().machine}\nharness harness-even lazy\n")
        rows = self.results("--event", "step/instructions/", "--path", "papi-high", "--specimen", "null", "--runs", "6", "--link", "lazy",
                            "--no-overhead", "--counters", "1,3,7", kit=str(kit))
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertEqual(len(set(row["values"][1:])), 1, row)
            self.assertGreater(row["values"][0], row["values"][1])
        self.assertEqual(sorted(row["values"][1] for row in rows), [row["values"][1] for row in rows])

    def test_measure_says_so(self):
        done = self.measure("--event", "step/instructions/", "--path", "papi-high,perf-prctl", "--pattern", "rr", "--specimen", "null",
                            "--runs", "1", "--no-overhead")
        if done.returncode == 3:
            self.skipTest(done.stderr)
        words = " ".join(done.stdout.split())
        if "path papi-high: " in words:  # left out, with PAPI's reason; the other path is measured all the same
            self.skipTest(words[words.index("path papi-high: "):][:200])
        for note in ("papi-high: on a software event", "every region allocates memory inside its window", "perf-prctl: starts and stops every event"):
            self.assertEqual(words.count(note), 1, done.stdout)


class Unsteppable(Broken):
    """Windows whose edges stepping does not find are refused, and soon."""

    test_by_both_sources = None  # of paths that can be

    def reason(self, path):
        done = self.measure("--event", "step/instructions/", "--path", path, "--specimen", "null", "--runs", "1", "--no-overhead", kit=self.kit)
        if "ptrace" in done.stderr or "single-step" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        return " ".join(done.stderr.split())

    def test_a_path_that_does_not_come_to_its_slot(self):
        self.assertIn("took 200000 steps and had not come to its slot", self.reason("endless"))

    def test_a_path_that_opens_nothing(self):
        self.assertIn("no instruction that starts or reads its first counter: where its window opens", self.reason("unopened"))


class Refusals(Case):
    def test_events_of_two_sources_do_not_share_a_cell(self):
        words = self.refused(2, "--event", "step/instructions/,page-faults:u")
        for word in ("step", "perf_event", "--each"):
            self.assertIn(word, words)

    def test_each_gives_them_cells_with_paths_of_their_own(self):
        rows = self.results("--event", "step/syscalls/,trap/instructions/", "--each", "--n", "3")
        self.assertEqual({(row["event"], row["path"]) for row in rows}, {("step/syscalls/", "bare"), ("trap/instructions/", "trap")})

    def test_a_path_that_does_not_go_with_a_source_names_those_that_do(self):
        self.assertIn("events of trap can be counted on trap only", self.refused(3, "--event", "trap/instructions/", "--path", "perf-read"))
        self.assertIn("events of perf_event can be counted on perf-read,", self.refused(3, "--event", "page-faults:u", "--path", "bare"))

    def test_all_paths_are_those_that_go_with_the_source(self):
        done = self.measure("--json", "--event", "trap/instructions/", "--path", "all", "--n", "1", "--runs", "1")
        if done.returncode == 3:
            self.skipTest("no trap flag here")
        self.assertEqual(json.loads(done.stdout)["skipped"], [])

    def test_wrong_names_are_answered_with_the_nearest(self):
        self.assertIn("did you mean instructions", self.refused(2, "--event", "step/instrutions/"))
        self.assertIn("did you mean step", self.refused(2, "--event", "stp/instructions/"))
        self.assertIn("user code", self.refused(2, "--event", "step/instructions/k"))

    def test_the_probe_refuses_what_the_controller_should_have(self):
        probe = frames.Probe(tap.KIT)
        self.addCleanup(probe.__exit__)
        probe.hello()
        mixed, path = probe.run([dict(events=["step/instructions/", "page-faults:u"], path="bare", pattern="rr", runs=1),
                                 dict(events="page-faults:u", path="bare", pattern="rr", runs=1)])
        self.assertIn("one source", mixed.end["reason"])
        self.assertIn("that takes perf-read", path.end["reason"])

    def test_without_ptrace_step_is_absent_with_the_reason_and_trap_counts(self):
        if not REFUSE:
            self.skipTest("SECCOMP_REFUSE names no helper")
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", **self.env)  # its search for leaks traces too
        def run(event):
            return subprocess.run([REFUSE, "PTRACE", "--", tap.ASSAY, "measure", "--event", event, "--specimen", "loop", "--n", "10"],
                                  env=environment, capture_output=True, text=True, check=False, timeout=60)
        done = run("step/instructions/")
        if done.returncode == 77:
            self.skipTest("no seccomp filters in this kernel")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("ptrace is refused", done.stderr)
        self.assertIn(run("trap/instructions/").returncode, (0, 3))

    def test_without_perf_events_both_count(self):
        if not REFUSE:
            self.skipTest("SECCOMP_REFUSE names no helper")
        for event in ("step/instructions/", "trap/instructions/"):
            done = subprocess.run([REFUSE, "ENOSYS", "--", tap.ASSAY, "measure", "--json", "--event", event, "--specimen", "loop", "--n", "10"],
                                  env=dict(os.environ, **self.env), capture_output=True, text=True, check=False, timeout=60)
            if done.returncode in (3, 77):
                self.skipTest(done.stderr)
            row, = json.loads(done.stdout)["results"]
            self.assertEqual(set(row["values"]), {row["truth"]})


class Unprivileged(Case):
    def test_both_count_for_nobody(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("needs root and setpriv, to become nobody")
        for event in ("step/instructions/", "trap/instructions/"):
            with self.subTest(event):
                row, = self.results("--event", event, "--specimen", "loop", "--n", "1000", "--runs", "2", via=NOBODY)
                self.assertEqual(set(row["values"]), {row["truth"]})


def catches(process, number):
    """Has the process a handler of its own for this signal yet?"""
    with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as status:
        caught, = (int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
    return caught >> (number - 1) & 1


class Endings(Case):
    """Whatever ends, nothing stays behind, and the reason is told."""

    def under_way(self, event="step/instructions/", path="bare", pattern="rr"):
        probe = frames.Probe(tap.KIT)
        self.addCleanup(probe.__exit__)
        probe.hello()
        if event.split("/")[0] not in [frame["name"] for frame in probe.catalogue if frame.type == "source"]:
            self.skipTest(f"{event} cannot be counted here")
        probe.cell(0, events=event, specimen="loop", n=FOREVER, runs=1, path=path, pattern=pattern)
        probe.send("visits", list="0:0")
        probe.send("go")
        wait_until(lambda: len(below(probe.process.pid)) == (2 if path == "bare" else 1))
        return probe, below(probe.process.pid)

    def harness(self, probe):
        counting, = (process for process in below(probe.process.pid) if state(process)[1] == probe.process.pid)
        traced, = below(counting)
        return counting, traced

    def gone(self, processes):
        wait_until(lambda: all(state(process)[0] in ("", "Z", "X") for process in processes))

    def test_a_killed_probe_takes_tracer_and_traced_along(self):
        probe, processes = self.under_way()
        probe.process.kill()
        self.gone(processes)

    def test_a_lost_controller_leaves_no_process(self):
        probe, processes = self.under_way()
        probe.process.stdin.close()
        self.gone(processes)

    def test_a_killed_counting_process_fails_the_visit_and_takes_the_traced_along(self):
        probe, processes = self.under_way()
        counting, traced = self.harness(probe)
        os.kill(counting, signal.SIGKILL)
        end = probe.until("end")[-1]
        self.assertEqual((end["state"], end["reason"]), ("failed", "the counting process was killed by SIGKILL"))
        self.gone([traced])

    def test_a_crashed_harness_fails_its_visit_with_the_signal(self):
        probe, _ = self.under_way()
        _, traced = self.harness(probe)
        os.kill(traced, signal.SIGSEGV)
        end = probe.until("end")[-1]
        self.assertEqual((end["state"], end["reason"]), ("failed", "the harness was killed by SIGSEGV"))

    def test_a_trap_of_somebody_else_fails_the_visit(self):
        probe, processes = self.under_way("trap/instructions/", "trap", "ao")
        process = processes.pop()
        wait_until(lambda: catches(process, signal.SIGTRAP))
        os.kill(process, signal.SIGTRAP)
        end = probe.until("end")[-1]
        self.assertEqual(end["state"], "failed")
        self.assertIn("the trap flag did not make", end["reason"])

    def test_a_stop_comes_between_visits(self):
        probe, processes = self.under_way()
        probe.send("bye")
        os.kill(self.harness(probe)[1], signal.SIGKILL)
        self.assertEqual(probe.until("bye")[-1].type, "bye")
        self.gone(processes)


class Listing(Case):
    def test_events_lists_them_with_their_classes(self):
        done = tap.assay("events", "--json", "*/*/")
        found = {row["event"]: row for row in json.loads(done.stdout)["results"] if row["kind"] == "source"}
        self.assertEqual(found["step/instructions/"]["class"], "instructions")
        self.assertIsNone(found["step/instructions-raw/"]["class"])
        self.assertIn("trap/instructions/", found)
        for row in found.values():
            self.assertTrue(row["openable"] or row["reason"], row)

    def test_paths_and_sources_of_the_catalogue_agree(self):
        probe = frames.Probe(tap.KIT)
        self.addCleanup(probe.__exit__)
        catalogue = probe.hello()
        offered = {source for frame in catalogue if frame.type == "path" for source in frame["sources"].split(",")}
        sources = {frame["name"] for frame in catalogue if frame.type == "source"}
        self.assertLessEqual(sources, offered)
        absent = {frame["name"]: frame["reason"] for frame in catalogue if frame.type == "absent" and frame["kind"] == "source"}
        self.assertFalse(sources & set(absent))
        for source, reason in absent.items():
            self.assertTrue(reason, source)


if __name__ == "__main__":
    tap.main()
