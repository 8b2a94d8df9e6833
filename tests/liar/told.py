# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What processes under the liar see: the truth when no lie is told, the lie when one is; and that nothing of it is left
behind. The counts come through the product's own probe; no judge is asked."""
import json
import os
import signal
import subprocess
import unittest

import processes
import tap
from under import EMULATED, LIAR, needs_liar, needs_stepping, via


def measure(liar, *arguments):
    """The rows of one measurement through the liar."""
    run = tap.assay("measure", "--quiet", "--json", "--seed", "1", *arguments, via=via(*liar), timeout=120)
    if run.returncode not in (0, 3):
        raise AssertionError(f"exit {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)["results"]


def of(rows, n):
    return next(row for row in rows if row["n"] == n)


@needs_liar
class RealEvents(unittest.TestCase):
    def page_faults(self, *lies, n="1,100", runs="6"):
        return measure(lies, "-e", "page-faults", "--specimen", "pages", "-n", n, "-r", runs)

    def test_without_a_lie_every_count_is_the_truth(self):
        for row in self.page_faults():
            self.assertEqual(row["values"], [row["truth"]] * 6)
            self.assertEqual(row["overhead"], 0)

    def test_events_of_the_same_machine_are_the_same_under_the_liar(self):
        compared = 0
        for event, specimen in (("syscalls:sys_enter_getppid", "getppid"), ("raw_syscalls:sys_enter", "getppid"),
                                ("mem:target:x", "target-calls"), ("uprobe:target", "target-calls")):
            words = ["--quiet", "--json", "-e", event, "--specimen", specimen, "-n", "50", "-r", "3"]
            plain = tap.assay("measure", *words)
            if plain.returncode:
                continue  # not every machine has them
            honest = json.loads(plain.stdout)["results"]
            told = json.loads(tap.assay("measure", *words, via=via("--lie", "offset=0")).stdout)["results"]
            for key in ("values", "overhead"):
                self.assertEqual(honest[0][key], told[0][key], event)
            compared += 1
        if not compared:
            self.skipTest("neither tracepoints, breakpoints nor probes can be counted here")

    def test_starting_by_prctl_counts_too(self):
        rows = measure(["--lie", "factor=2"], "-e", "page-faults", "--specimen", "pages", "-n", "10", "-r", "3",
                       "--path", "perf-prctl")
        self.assertEqual(rows[0]["values"], [20] * 3)

    def test_members_of_a_group_are_lied_about_each(self):
        rows = measure(["--lie", "factor=3"], "-e", "page-faults,minor-faults", "--specimen", "pages", "-n", "10",
                       "-r", "3")
        self.assertEqual([row["values"] for row in rows], [[30] * 3] * 2)

    def test_counters_of_their_own_are_lied_about_each(self):
        rows = measure(["--lie", "factor=3"], "-e", "page-faults", "--each", "--counters", "2", "--specimen", "pages",
                       "-n", "10", "-r", "3")
        self.assertEqual(rows[0]["values"], [30] * 3)

    def test_a_constant_lie_is_told_of_every_run(self):
        for lie, n, told in (("factor=1.5", 100, 150), ("zeros", 100, 0), ("fault=1", 100, 200), ("wrap=6", 100, 36),
                             ("threshold=50", 1, 0), ("threshold=50", 100, 100), ("saturate=64", 100, 64),
                             ("offset=5", 100, 105)):
            with self.subTest(lie=lie, n=n):
                self.assertEqual(of(self.page_faults("--lie", lie), n)["values"], [told] * 6)

    def test_an_offset_spares_empty_windows_unless_told_everywhere(self):
        self.assertEqual(of(self.page_faults("--lie", "offset=5"), 100)["overhead"], 0)
        self.assertEqual(of(self.page_faults("--lie", "offset=5:everywhere"), 100)["overhead"], 5)

    def test_windows_that_are_short_can_be_spared(self):
        """A fault takes a microsecond or so: thousands of them longer than a millisecond, one not."""
        lie = ["--lie", "offset=5:after=1"]
        self.assertEqual(of(self.page_faults(*lie, n="1,10000", runs="3"), 10000)["values"], [10005] * 3)
        self.assertEqual(of(self.page_faults("--lie", "offset=5:after=60000"), 100)["values"], [100] * 6)

    def test_few_runs_can_be_off(self):
        self.assertEqual(of(self.page_faults("--lie", "rare=1:7"), 100)["values"], [107] * 6)
        values = of(self.page_faults("--seed", "5", "--lie", "rare=0.2:7", n="100", runs="60"), 100)["values"]
        self.assertEqual(set(values), {100, 107})
        self.assertLess(values.count(107), 30)

    def test_a_scaled_count_is_doubled_by_who_believes_the_times(self):
        self.assertEqual(of(self.page_faults("--lie", "scale"), 100)["values"], [200] * 6)

    def test_some_runs_are_lost_and_the_seed_repeats_them(self):
        values = [of(self.page_faults("--seed", "5", "--lie", "lost=0.5", n="100", runs="40"), 100)["values"]
                  for _ in range(2)]
        self.assertEqual(values[0], values[1])
        self.assertTrue(5 < sum(value < 100 for value in values[0]) < 35, values[0])
        self.assertEqual(max(values[0]), 100)

    def test_a_kind_can_be_spared(self):
        self.assertEqual(of(self.page_faults("--on", "tracepoint", "--lie", "zeros"), 100)["values"], [100] * 6)


@needs_stepping
class EmulatedCounter(unittest.TestCase):
    def instructions(self, specimens, *lies, n="20", more=()):
        rows = measure([*EMULATED, *lies], "-e", "instructions:u", "--specimen", specimens, "-n", n, "-r", "3", *more)
        return {(row["specimen"], row["pattern"], row["path"]): row for row in rows}

    def errors(self, rows):
        """What is left of every run when truth and overhead are taken away."""
        return {key[0]: {value - row["truth"] - row["overhead"] for value in row["values"]} for key, row in rows.items()}

    def test_instructions_are_counted_to_the_last(self):
        rows = self.instructions("loop,adds,mixed,calls,indirect,rep-movsb,fldcw,x87,locked,barriers,pages,getppid")
        self.assertEqual(len(rows), 12)
        for name, errors in self.errors(rows).items():
            self.assertEqual(errors, {0}, name)

    def test_every_path_and_pattern_opens_and_closes_the_same_window(self):
        for path, pattern in (("perf-read", "all"), ("perf-syscall", "all"), ("perf-prctl", "all")):
            rows = self.instructions("loop", more=("--path", path, "--pattern", pattern))
            self.assertEqual(len(rows), 4)
            for key, row in rows.items():
                self.assertEqual(set(row["values"]), {row["truth"] + row["overhead"]}, key)

    def test_the_window_ends_with_the_closing_system_call(self):
        """Between two bare system calls stand the instructions that prepare the second, and the second."""
        rows = self.instructions("null", more=("--path", "perf-syscall", "--pattern", "ao"))
        stepped = json.loads(tap.assay("measure", "--quiet", "--json", "-e", "step/instructions/", "--specimen", "null",
                                       "--path", "perf-prctl", "-r", "1").stdout)["results"]
        own = next(iter(rows.values()))["values"]
        self.assertTrue(all(0 < value < 10 for value in own), own)
        self.assertTrue(stepped[0]["values"][0] > own[0])

    def test_branches_are_counted(self):
        rows = measure(EMULATED, "-e", "branches:u,instructions:u", "--specimen", "mixed,calls,taken,jumps", "-n", "20",
                       "-r", "3")
        for row in rows:
            self.assertEqual(set(row["values"]), {row["truth"] + row["overhead"]}, (row["event"], row["specimen"]))

    def test_only_the_opcode_of_the_lie_is_counted_twice(self):
        for opcode, specimen, each in (("fldcw", "fldcw", 4), ("lock", "locked", 8)):
            errors = self.errors(self.instructions("fldcw,locked,loop,mixed", "--lie", f"opcode={opcode}:2"))
            for name, found in errors.items():
                self.assertEqual(found, {each * 20 if name == specimen else 0}, (opcode, name))

    def test_faults_and_system_calls_add_their_own(self):
        errors = self.errors(self.instructions("pages,getppid,loop", "--lie", "fault=3"))
        self.assertEqual(errors, {"pages": {60}, "getppid": {0}, "loop": {0}})
        errors = self.errors(self.instructions("pages,getppid,loop", "--lie", "leak=300"))
        self.assertEqual(errors, {"pages": {0}, "getppid": {6000}, "loop": {0}})

    def test_switches_take_their_own(self):
        errors = self.errors(self.instructions("ping-pong,migrations,loop", "--lie", "switch=3"))
        self.assertEqual(errors, {"ping-pong": {-60}, "migrations": {0}, "loop": {0}})

    def counts(self, event, *told):
        row, = measure([*EMULATED, "--kernel", "300", *told], "-e", event, "--specimen", "getppid", "-n", "20", "-r", "2")
        return {value - row["overhead"] for value in row["values"]}

    def test_plain_events_count_the_operating_system_and_others_where_the_pmu_ignores_the_mode(self):
        honest = {event: self.counts(event) for event in ("instructions:u", "instructions", "cycles:u", "cycles")}
        self.assertEqual(honest["instructions"], {count + 20 * 300 for count in honest["instructions:u"]})
        for event in ("cycles:u", "cycles"):
            self.assertEqual(len(honest[event]), 1)
        for mode in ("instructions", "cycles"):
            told = self.counts(mode + ":u", "--lie", "unfiltered")
            self.assertTrue(max(abs(one - other) for one in told for other in honest[mode]) <= 1, (mode, told, honest))
        self.assertEqual(self.counts("cycles:u", "--on", "instructions", "--lie", "unfiltered"), honest["cycles:u"])

    def test_stalls_are_always_nothing(self):
        for event in ("stalled-cycles-frontend:u", "stalled-cycles-backend:u"):
            self.assertEqual(self.counts(event), {0})

    def test_stepping_is_not_seen_in_the_accounts(self):
        store = os.path.join(os.environ.get("XDG_STATE_HOME", "."), f"liar-{os.getpid()}.store")
        os.makedirs(os.path.dirname(store), exist_ok=True)
        try:
            measure(EMULATED, "-e", "instructions:u", "--specimen", "loop", "-n", "50", "-r", "3", "--store", store)
            rows = tap.assay("export", store, "--format", "csv").stdout.splitlines()
        finally:
            os.unlink(store)
        header = rows[0].split(",")
        self.assertIn("voluntary", header)
        for column in ("voluntary", "involuntary"):
            self.assertEqual({row.split(",")[header.index(column)] for row in rows[1:]}, {"0"}, column)

    def test_what_it_does_not_have_is_refused(self):
        run = tap.assay("measure", "--quiet", "--json", "-e", "cache-misses:u", via=via(*EMULATED))
        self.assertEqual(run.returncode, 3)
        run = tap.assay("measure", "--quiet", "--json", "-e", "instructions:u", "--path", "perf-user",
                        via=via(*EMULATED))
        self.assertNotEqual(run.returncode, 0)


def measures(pid):
    """Is it a harness in its window? Those that only describe themselves have an argument more."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8") as line:
            words = line.read().split("\0")
            return words[0].startswith("harness") and words[1:] == [""]
    except (FileNotFoundError, ProcessLookupError):
        return False


@needs_liar
class Process(unittest.TestCase):
    def liar(self, *words, **options):
        return subprocess.run([LIAR, *words], text=True, capture_output=True, timeout=processes.PATIENCE, check=False, **options)

    def test_it_ends_as_the_program_ends(self):
        self.assertEqual(self.liar("--", "sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(self.liar("--", "sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM)
        self.assertEqual(self.liar("--", "/nonexistent").returncode, 127)

    def test_input_and_output_are_the_programs(self):
        run = self.liar("--", "sh", "-c", "cat; echo bad >&2", input="good\n")
        self.assertEqual((run.stdout, run.stderr), ("good\n", "bad\n"))

    def test_wrong_words_are_refused(self):
        for words in ([], ["--lie", "truth", "--", "true"], ["--on", "nothing", "--", "true"], ["--nothing"]):
            with self.subTest(words=words):
                run = self.liar(*words)
                self.assertEqual(run.returncode, 2)
                self.assertTrue(run.stderr)

    def test_a_signal_reaches_the_program(self):
        script = "trap 'echo heard; exit 3' INT; echo ready; while :; do sleep 0.05; done"
        with subprocess.Popen([LIAR, "--", "sh", "-c", script], stdout=subprocess.PIPE, text=True) as run:
            try:
                self.assertEqual(run.stdout.readline(), "ready\n")
                run.send_signal(signal.SIGINT)
                self.assertEqual(run.stdout.readline(), "heard\n")
                self.assertEqual(run.wait(20), 3)
            finally:
                run.kill()

    def test_nothing_outlives_it(self):
        command = [tap.ASSAY, *processes.LONG, "--via", via("--lie", "zeros")]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            try:
                self.assertTrue(processes.eventually(lambda: any(map(measures, processes.descendants(run.pid)))))
                left = processes.descendants(run.pid)
                liar, = processes.children(run.pid)
                os.kill(liar, signal.SIGKILL)
                run.wait(30)
            finally:
                run.kill()

        def gone():
            return not any((processes.parent_of(pid) or (0, 0))[1] == start for pid, start in left.items())
        self.assertTrue(processes.eventually(gone))


if __name__ == "__main__":
    tap.main()
