# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay stat on this machine: page faults of a program that makes a known number of them, exact after correction; how commands end, what
they write and read; and what is said where nothing can be counted."""
import contextlib
import csv
import io
import json
import os
import pathlib
import pty
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import warnings

import promised
import tap


COMMANDS = os.environ.get("COMMANDS", "build/tests/commands")
REFUSE = os.environ.get("SECCOMP_REFUSE", "")
LONG = 200  # s: the machine may be busy
HEADER = ("event,count,corrected,uncertainty,unit,overhead,min,max,runs,share,state,trust,trust_age,trust_cause,trust_event,trust_difference,"
          "reason").split(",")


def program(name):
    return os.path.abspath(os.path.join(COMMANDS, "command-" + name))


def check_schema(found):
    if promised.can_validate():
        wrong = promised.problems(promised.validator(), found)
        assert not wrong, wrong


class Case(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.folder = tempfile.mkdtemp(prefix="assay-stat-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {"XDG_STATE_HOME": self.folder}

    def stat(self, *arguments, **options):
        return tap.assay("stat", *arguments, env=self.env, timeout=LONG, **options)

    def raw(self, *arguments, prefix=(), **options):
        """Bytes, and a standard input of the caller's choice."""
        return subprocess.run([*prefix, tap.ASSAY, "stat", *arguments], env={**os.environ, **self.env}, timeout=LONG, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def envelope(self, *arguments, status=0):
        done = self.stat("--json", *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        found = json.loads(done.stdout)
        check_schema(found)
        return found

    def rows(self, *arguments, status=0):
        return {row["event"]: row for row in self.envelope(*arguments, status=status)["results"]}

    def countable(self, *events):
        """Skips where perf_event does not count these."""
        for event in events:
            if tap.assay("measure", "-e", event, "--n", "1", "--runs", "1", env=self.env).returncode == 3:
                self.skipTest(f"{event} cannot be counted here")


class FromAStore(Case):
    """A stored run says the same again, where there is no machine."""

    NOWHERE = ("--via", "exec:/nowhere/no-such-program")

    def setUp(self):
        super().setUp()
        self.store = os.path.join(self.folder, "run.sqlite")

    def same(self, *arguments, status=0, prefix=()):
        first = self.stat("--json", "--store", self.store, *arguments, prefix=prefix)
        self.assertEqual(first.returncode, status, first.stderr)
        again = self.stat("--json", "--from", self.store, *self.NOWHERE)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        first, again = json.loads(first.stdout), json.loads(again.stdout)
        for envelope in (first, again):
            del envelope["analysis"]["seconds"]
            for row in envelope["results"]:
                del row["trust_age"]
        for key in ("machine", "results", "analysis", "skipped", "findings"):
            self.assertEqual(again[key], first[key], key)
        return again

    def words(self, *arguments):
        first = self.stat("--store", self.store, *arguments)
        again = self.stat("--from", self.store)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertEqual(again.stdout, first.stderr)
        return again.stdout

    def test_the_usual_events(self):
        found = self.same("--", "subject:faults", "10")
        self.assertTrue(found["analysis"]["complete"])

    def test_events_that_were_asked_for_and_several_executions(self):
        self.same("-r", "3", "-e", "page-faults,task-clock,cycles", "--", "true")

    def test_everything_controlled(self):
        found = self.same("--controlled", "--timeout", "60", "-e", "page-faults:u", "--", "subject:faults", "7")
        self.assertEqual(found["analysis"]["setting"], "controlled")

    def test_how_the_command_ended(self):
        self.assertEqual(self.same("--", "sh", "-c", "exit 3", status=3)["analysis"]["executions"][0]["exit_status"], 3)

    def test_a_command_that_could_not_be_executed_is_reported(self):
        self.assertEqual(self.stat("--store", self.store, "--", "/nowhere/no-such-program").returncode, 127)
        done = tap.assay("report", self.store, "-o", os.path.join(self.folder, "page.html"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "page.html"), encoding="utf-8") as page:
            self.assertIn("Not executed: ", page.read())
        done = tap.assay("compare", self.store, self.store)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)

    def test_where_perf_event_is_refused(self):
        if not REFUSE:
            self.skipTest("SECCOMP_REFUSE names no helper")
        self.same("--", "subject:faults", "10", prefix=(REFUSE, "EPERM", "--"))
        os.unlink(self.store)
        self.same("-e", "page-faults,task-clock", "--", "subject:faults", "10", prefix=(REFUSE, "EPERM", "--"))

    def test_people_read_the_same(self):
        self.assertIn("Counts of `subject:faults 10`", self.words("--", "subject:faults", "10"))
        os.unlink(self.store)
        self.assertIn("2 executions, controlled", self.words("--controlled", "-r", "2", "--", "true"))

    def test_values_for_other_programs(self):
        first = self.stat("--csv", "--store", self.store, "--", "true").stdout
        again = self.stat("--csv", "--from", self.store).stdout
        drop = HEADER.index("trust_age")
        told = [[field for i, field in enumerate(row) if i != drop] for row in csv.reader(io.StringIO(first))]
        self.assertEqual([[field for i, field in enumerate(row) if i != drop] for row in csv.reader(io.StringIO(again))], told)

    def test_a_command_that_was_not_executed(self):
        first = self.stat("--json", "--store", self.store, "--", "/nowhere/no-such-program")
        again = self.stat("--json", "--from", self.store)
        self.assertEqual((first.returncode, again.returncode), (127, 127))
        self.assertEqual(json.loads(again.stdout)["skipped"], json.loads(first.stdout)["skipped"])
        self.assertEqual(again.stderr, first.stderr)

    def test_it_is_a_section_of_a_report(self):
        self.stat("--store", self.store, "--", "true")
        done = tap.assay("report", "--json", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        section, = json.loads(done.stdout)["analysis"]["sections"]
        self.assertIsNone(section["reason"])
        self.assertIn("Counts of `true`", section["words"])

    def test_what_makes_no_sense_beside_it(self):
        done = self.stat("--from", self.store, "-r", "3", "-e", "page-faults", "--", "true")
        self.assertEqual(done.returncode, 125)
        self.assertIn("leave out --event, --repeat, the arguments", done.stderr)
        done = self.stat("--from", self.store)
        self.assertEqual(done.returncode, 125)
        self.assertIn("No such file", done.stderr)


class Exact(Case):
    """subject:faults N writes to N fresh pages."""

    def test_page_faults_are_exact_once_corrected(self):
        self.countable("page-faults")
        for n in (1, 10, 1000):
            row = self.rows("--controlled", "-e", "page-faults", "--", "subject:faults", str(n))["page-faults"]
            self.assertEqual((row["corrected"], row["state"]), (n, "counted"), row)
            self.assertEqual(row["count"] - row["corrected"], row["overhead"])
            self.assertGreater(row["overhead"], 0)

    def test_in_user_mode_they_are_exact_whatever_the_addresses(self):
        self.countable("page-faults:u")
        row = self.rows("-r", "5", "-e", "page-faults:u", "--", "subject:faults", "100")["page-faults:u"]
        self.assertEqual((row["corrected"], row["uncertainty"], row["min"], row["max"]),
                         (100, 0, 100 + row["overhead"], 100 + row["overhead"]))

    def test_with_random_addresses_the_bar_holds_it(self):
        self.countable("page-faults")
        rows = [self.rows("-e", "page-faults", "--", "subject:faults", "100")["page-faults"] for _ in range(8)]
        held = [abs(row["corrected"] - 100) <= row["uncertainty"] for row in rows]
        self.assertGreaterEqual(sum(held), 6, rows)

    def test_children_and_threads_are_counted(self):
        self.countable("page-faults:u")
        shell = "for i in 1 2 3; do {}; done"
        few, many = (self.rows("--controlled", "-e", "page-faults:u", "--", "sh", "-c", shell.format(what))["page-faults:u"]["count"]
                     for what in (":", "/bin/true; :"))
        self.assertGreater(many, few + 60)

    def test_what_nothing_predicts_stands_as_it_was_counted(self):
        self.countable("task-clock")
        row = self.rows("-e", "task-clock", "--", "true")["task-clock"]
        self.assertEqual((row["corrected"], row["overhead"], row["uncertainty"], row["unit"]), (row["count"], None, None, "ns"))
        self.assertIn("starting", row["overhead_reason"])
        row = self.rows("-r", "3", "-e", "task-clock", "--", "true")["task-clock"]
        self.assertGreater(row["uncertainty"], 0)

    def test_times_have_a_part_that_more_executions_do_not_reduce(self):
        self.countable("task-clock")
        for runs in (2, 12):
            row = self.rows("-r", str(runs), "-e", "task-clock", "--", "true")["task-clock"]
            self.assertGreater(row["parts"]["drift"], .019 * row["count"])
            self.assertGreaterEqual(row["uncertainty"], row["parts"]["drift"])

    def test_earlier_invocations_tell_how_the_machines_speed_varies(self):
        self.countable("task-clock")
        call = "-r", "2", "-e", "task-clock", "--", "true"
        for number in range(1, 7):
            self.assertEqual(self.envelope(*call)["analysis"]["invocations"], number)
        stores = sorted(pathlib.Path(self.env["XDG_STATE_HOME"]).rglob("*-stat.sqlite"))
        for store, words in ((stores[0], "is assumed to vary"), (stores[-1], "over the latest 6 invocations")):
            self.assertIn(words, " ".join(self.stat("--from", str(store)).stdout.split()))
        # What counts more is executed in another way; what is damaged tells nothing.
        self.assertEqual(self.envelope(*call[:3], "task-clock,page-faults", *call[4:])["analysis"]["invocations"], 1)
        stores[0].write_bytes(b"damaged")
        self.assertEqual(self.envelope(*call)["analysis"]["invocations"], 6)

    def test_chance_has_a_bar_that_is_never_0(self):
        self.countable("context-switches")
        for runs in (1, 4):
            row = self.rows("-r", str(runs), "-e", "context-switches", "--", "true")["context-switches"]
            self.assertGreaterEqual(row["uncertainty"], 3.6 / runs, row)

    def test_the_report_says_what_so_few_executions_cannot_know(self):
        self.countable("page-faults")
        for runs, share in ((2, 78), (5, 45), (20, 14)):
            report = " ".join(self.stat("-r", str(runs), "-e", "page-faults", "--", "true").stderr.split())
            self.assertIn(f"fewer than {share} % of executions is missing from all {runs} in more than 5 of 100", report)
        self.assertIn("not of the program's variation", " ".join(self.stat("-e", "page-faults", "--", "true").stderr.split()))

    def test_several_executions_are_a_mean_with_its_spread(self):
        self.countable("page-faults:u")
        envelope = self.envelope("-r", "6", "-e", "page-faults:u", "--", "perl", "-e", "1")
        row = envelope["results"][0]
        values = [run["value"] for run in row["runs"]]
        self.assertEqual(len(values), 6)
        self.assertAlmostEqual(row["count"], sum(values) / 6)
        self.assertEqual((row["min"], row["max"]), (min(values), max(values)))
        self.assertEqual(len(envelope["analysis"]["executions"]), 6)
        self.assertTrue(envelope["analysis"]["complete"])


class Trust(Case):
    def test_the_latest_verdict_stands_beside_the_count(self):
        self.countable("page-faults")
        done = self.stat("-e", "page-faults", "--", "true")
        self.assertIn("`assay validate page-faults`", " ".join(done.stderr.split()))
        row = self.rows("-e", "page-faults", "--", "true")["page-faults"]
        self.assertEqual((row["trust"], row["trust_reason"]), (None, "not validated"))
        tap.assay("validate", "page-faults", "context-switches:u", "--budget", "5s", env=self.env, timeout=LONG)
        rows = self.rows("-e", "page-faults,context-switches:u", "--", "true")
        self.assertEqual(rows["page-faults"]["trust"], "exact")
        self.assertGreaterEqual(rows["page-faults"]["trust_age"], 0)
        self.assertIsNone(rows["page-faults"]["trust_cause"])
        if rows["context-switches:u"]["trust"] == "dead":
            self.assertIsNotNone(rows["context-switches:u"]["trust_cause"])
        done = self.stat("-e", "page-faults", "--", "true")
        self.assertRegex(done.stderr, r"page-faults .* exact\n")
        self.assertNotIn("not validated", done.stderr)
        longest = rows["page-faults"]["trust_longest_ns"]
        done = self.stat("-e", "page-faults", "--", "sleep", str(longest / 1e9 + 0.01))
        self.assertIn("(page-faults); this ran longer.", " ".join(done.stderr.split()))

    def test_a_zero_of_an_event_that_never_counts_is_marked(self):
        self.countable("dummy")
        tap.assay("validate", "dummy", "task-clock", "--budget", "2s", env=self.env, timeout=LONG)
        rows = self.rows("-e", "dummy,task-clock", "--", "true")
        self.assertEqual((rows["dummy"]["count"], rows["dummy"]["trust"], rows["dummy"]["trust_cause"]), (0, "unjudged", "reads-zero"))
        self.assertEqual((rows["task-clock"]["trust"], rows["task-clock"]["trust_cause"]), ("unjudged", None))
        self.assertIn("nothing shows that it counts at all", " ".join(self.stat("-e", "dummy", "--", "true").stderr.split()))
        listed = json.loads(tap.assay("events", "dummy", "--json", env=self.env).stdout)["results"][0]
        self.assertTrue(listed["verdict_reads_zero"])

    def test_a_verdict_of_another_mode_is_not_lent(self):
        self.countable("context-switches")
        tap.assay("validate", "context-switches:u", "--budget", "2s", env=self.env, timeout=LONG)
        rows = self.rows("-e", "context-switches,context-switches:u", "--", "true")
        self.assertEqual(rows["context-switches"]["trust"], None)
        self.assertEqual(rows["context-switches:u"]["trust_event"], "context-switches:u")
        self.assertNotIn("dead", self.stat("-e", "context-switches", "--", "true").stderr)

    def test_without_stores_the_passport_tells_and_is_stale_under_another_kernel(self):
        self.countable("page-faults")
        tap.assay("validate", "page-faults", "--budget", "5s", env=self.env, timeout=LONG)
        state = os.path.join(self.folder, "assay")
        passports = os.path.join(state, "passports")
        for name in os.listdir(state):
            if name != "passports":
                shutil.rmtree(os.path.join(state, name))
        row = self.rows("-e", "page-faults", "--", "true")["page-faults"]
        self.assertEqual((row["trust"], row["trust_stale"], row["trust_difference"]), ("exact", False, None))
        path = os.path.join(passports, os.listdir(passports)[0])
        with open(path, encoding="utf-8") as file:
            passport = json.load(file)
        for field in passport["machine"]:
            if field["label"] == "kernel":
                field["value"] = "2.6.9"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(passport, file)
        row = self.rows("-e", "page-faults", "--", "true")["page-faults"]
        self.assertEqual((row["trust"], row["trust_stale"]), ("exact", True))
        self.assertTrue(row["trust_difference"].startswith("kernel 2.6.9 -> "), row)
        self.assertGreaterEqual(row["trust_age"], 0)
        words = " ".join(self.stat("-e", "page-faults", "--", "true").stderr.split())
        self.assertIn("exact, stale", words)
        self.assertIn("kernel 2.6.9 -> ", words)
        self.assertIn("`assay validate page-faults` tells anew", words)
        found = csv.DictReader(io.StringIO(self.stat("--csv", "-e", "page-faults", "--", "true").stdout))
        self.assertEqual(next(found)["trust_difference"], row["trust_difference"])
        shown = json.loads(tap.assay("events", "--json", "page-faults", env=self.env).stdout)["results"][0]
        self.assertEqual((shown["verdict"], shown["verdict_stale"], shown["verdict_difference"]), ("exact", True, row["trust_difference"]))
        words = " ".join(tap.assay("events", "page-faults", env=self.env).stdout.split())
        self.assertIn("exact, stale", words)
        self.assertIn(f"different now: {row['trust_difference']}.", words)


class Endings(Case):
    def test_the_status_is_the_commands_own(self):
        for status in (0, 3, 123):
            execution = self.envelope("--", program("ends"), "exit", str(status), status=status)["analysis"]["executions"][0]
            self.assertEqual((execution["exit_status"], execution["signal"], execution["timed_out"]), (status, None, False))

    def test_a_signal_is_128_and_its_number(self):
        execution = self.envelope("--", program("ends"), "crash", status=128 + signal.SIGSEGV)["analysis"]["executions"][0]
        self.assertEqual((execution["exit_status"], execution["signal"]), (None, signal.SIGSEGV))
        done = self.stat("--", program("ends"), "crash")
        self.assertIn("It was killed by SIGSEGV.", done.stderr)

    def test_a_missing_command_is_127_and_one_that_cannot_be_executed_126(self):
        for words, status in ((["/nonexistent/program"], 127), (["no-such-program-here"], 127), (["/etc/passwd"], 126), (["/"], 126)):
            done = self.stat("--", *words)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(words[0], done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(self.envelope("--", "/nonexistent/program", status=127)["results"], [])

    def test_a_time_that_is_over_is_124(self):
        envelope = self.envelope("--timeout", "300ms", "--", "sleep", "1000", status=124)
        self.assertTrue(envelope["analysis"]["executions"][0]["timed_out"])

    def test_wrong_usage_is_125(self):
        for arguments in ((), ("--no-such-option", "true"), ("-r", "0", "true"), ("-r", "100001", "true"), ("--", ""), ("-e", "no-such-event", "true"),
                          ("-e", "page-faults,page-faults", "true"), ("-e", "page-faults, task-clock", "true"), ("-e", "{page-faults,task-clock}", "true"), ("-e", "step/instructions/", "true"),
                          ("-e", "run/status/", "true"), ("--csv", "--json", "true"), ("--cpu", "100000", "true"), ("--input", "/nonexistent", "true")):
            done = self.stat(*arguments)
            self.assertEqual(done.returncode, 125, (arguments, done.stderr))
            self.assertTrue(done.stderr.startswith("assay stat: "), done.stderr)

    def test_options_of_perf_that_are_not_here_say_what_to_do_instead(self):
        for arguments, words in ((("-p", "1"), "perf stat -p PID"), (("--pid=1",), "perf stat -p PID"), (("-a",), "perf stat -a"),
                                 (("-C", "0"), "--cpu CPU"), (("-I", "100"), "perf stat -I MS"), (("-x", ","), "--csv")):
            done = self.stat(*arguments, "--", "true")
            self.assertEqual(done.returncode, 125)
            self.assertIn(words, done.stderr)
            self.assertIn(f"no option {arguments[0].split('=')[0]}: ", done.stderr)

    def test_with_several_executions_the_first_failure_is_the_status(self):
        flag = os.path.join(self.folder, "flag")
        done = self.stat("-r", "3", "--", "sh", "-c", f"test -e {flag} && exit 0; touch {flag}; exit 7")
        self.assertEqual(done.returncode, 7)
        self.assertIn("ended with status 7", done.stderr)


class Output(Case):
    def test_bytes_pass_as_they_are_and_the_report_stands_beside(self):
        path = os.path.join(self.folder, "bytes")
        with open(path, "wb") as file:
            file.write(os.urandom(3 << 20) + b"\0\n\r\x1b[31m no end of line")
        with open(path, "rb") as file:
            expected = file.read()
        done = self.raw("--", "cat", path, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout == expected, "standard output is not what was written")
        self.assertIn(b"Counts of `cat ", done.stderr)

    def test_standard_error_stays_apart(self):
        done = self.raw("-o", os.path.join(self.folder, "report"), "--", "sh", "-c", "printf out; printf err >&2", stdin=subprocess.DEVNULL)
        self.assertEqual((done.stdout, done.stderr), (b"out", b"err"))
        with open(os.path.join(self.folder, "report"), encoding="utf-8") as file:
            self.assertIn("Counts of `sh -c", file.read())

    def test_what_programs_read_is_alone_on_standard_output(self):
        for form in ("--json", "--csv"):
            done = self.stat(form, "--", "sh", "-c", "echo mine; echo err >&2")
            self.assertNotIn("mine\n", done.stdout)
            self.assertEqual(sorted(done.stderr.split()), ["err", "mine"])

    def test_output_comes_while_the_command_runs(self):
        with subprocess.Popen([tap.ASSAY, "stat", "--", "sh", "-c", "echo first; read line; echo $line"], env={**os.environ, **self.env},
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
            self.assertEqual(running.stdout.readline(), b"first\n")
            running.stdin.write(b"second\n")
            running.stdin.flush()
            self.assertEqual(running.stdout.readline(), b"second\n")

    def test_the_command_has_the_callers_own_descriptors_and_no_other(self):
        script = "import os; print(*[(n, os.fstat(n).st_ino) for n in range(1, 64) if os.path.exists(f'/proc/self/fd/{n}')])"
        for form in ((), ("--json",), ("--json", "-o", os.path.join(self.folder, "report"))):
            with open(os.path.join(self.folder, "out"), "w+b") as out, open(os.path.join(self.folder, "err"), "w+b") as err:
                out.write(b"before\n")  # it goes on where the file stands
                out.flush()
                done = subprocess.run([tap.ASSAY, "stat", *form, "--", "python3", "-c", script], env={**os.environ, **self.env}, timeout=LONG,
                                      stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False)
                aside = form == ("--json",)
                expected = str((1, os.fstat((err if aside else out).fileno()).st_ino)) + " " + str((2, os.fstat(err.fileno()).st_ino))
                out.seek(0)
                err.seek(0)
                lines = out.read().decode().splitlines()
                self.assertEqual((done.returncode, lines[0]), (0, "before"))
                self.assertEqual(err.read().decode().splitlines()[0] if aside else lines[1], expected, form)

    def test_nothing_stands_between_the_command_and_who_reads_it(self):
        # 64 MiB through pipes of 64 KiB would make it wait a thousand times at least; what is written then comes from nowhere else.
        self.countable("context-switches")
        with open(os.devnull, "wb") as sink:
            found = subprocess.run([tap.ASSAY, "stat", "--json", "-o", os.path.join(self.folder, "report"), "-e", "context-switches", "--", "head", "-c",
                                    str(64 << 20), "/dev/zero"], env={**os.environ, **self.env}, timeout=LONG, stdin=subprocess.DEVNULL,
                                   stdout=sink, check=False)
        self.assertEqual(found.returncode, 0)
        with open(os.path.join(self.folder, "report"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertLess(report["results"][0]["count"], 500)
        execution = report["analysis"]["executions"][0]
        self.assertIsNone(execution["output_bytes"])
        self.assertIn("own standard output", execution["output_bytes_reason"])

    def test_a_terminal_is_the_commands_own(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(tap.ASSAY, ["assay", "stat", "-o", os.path.join(self.folder, "report"), "--", "sh", "-c",
                                  "test -t 1 && test -t 2 && tty <&1"], {**os.environ, **self.env})
        seen = b""
        with contextlib.suppress(OSError):  # its end
            while more := os.read(terminal, 4096):
                seen += more
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0, seen)
        self.assertRegex(seen, rb"^/dev/pts/\d+\r\n$")

    def test_what_is_closed_cannot_be_written_to(self):
        for closed in (">&-", "2>&-", ">&- 2>&-"):
            done = subprocess.run(["sh", "-c", f"{tap.ASSAY} stat -o {self.folder}/report -- sh -c 'echo one; a=$?; echo two >&2; exit $((a + 2 * $?))' {closed}"],
                                  env={**os.environ, **self.env}, timeout=LONG, capture_output=True, stdin=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, {">&-": 1, "2>&-": 2, ">&- 2>&-": 3}[closed], (closed, done.stderr))

    def test_a_reader_that_leaves_is_the_commands_own_affair(self):
        done = subprocess.run(["sh", "-c", f"{{ {tap.ASSAY} stat -- yes; echo status $? >&2; }} | head -1"], env={**os.environ, **self.env},
                              timeout=LONG, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.stdout, b"y\n")
        self.assertIn(b"It was killed by SIGPIPE", done.stderr)
        self.assertIn(b"status 141", done.stderr)

    def test_relayed_a_reader_that_leaves_ends_the_command(self):
        for _ in range(4):  # the probe must hear of it while it passes on a flood
            done = subprocess.run(["sh", "-c", f"{tap.ASSAY} stat --via exec:env -- yes | head -1"], env={**os.environ, **self.env}, timeout=LONG,
                                  capture_output=True, stdin=subprocess.DEVNULL, check=False)
            self.assertEqual(done.stdout, b"y\n")
            self.assertIn(b"nobody reads what the command writes: ended after 0 of 1 executions", done.stderr)
            self.assertIn(b"Counts of `yes`", done.stderr)
            self.assertIn(b"because nobody read what it wrote", done.stderr)
            self.assertNotIn(b"interrupted", done.stderr)

    def test_relayed_or_not_it_ends_as_a_closed_pipe_ends_it(self):
        store = os.path.join(self.folder, "unread.sqlite")
        for via in ([], ["--via", "exec:env"]):
            line = shlex.join([tap.ASSAY, "stat", *via, "--store", store, "--", "yes"])
            done = subprocess.run(["sh", "-c", f"{{ {line}; echo status $? >&2; }} | head -1"], env={**os.environ, **self.env}, timeout=LONG,
                                  capture_output=True, stdin=subprocess.DEVNULL, check=False)
            self.assertIn(b"status 141", done.stderr)
            again = tap.assay("stat", "--from", store)
            self.assertIn("killed by SIGPIPE", " ".join(again.stdout.split()))
            self.assertNotIn("SIGINT", again.stdout)
            os.unlink(store)

    def test_what_cannot_be_written_is_said(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([tap.ASSAY, "stat", "--", "cat", "/dev/zero"], env={**os.environ, **self.env}, timeout=LONG, stdout=full,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)  # cat's own
        self.assertIn(b"No space left on device", done.stderr)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([tap.ASSAY, "stat", "--via", "exec:env", "--", "echo", "lost"], env={**os.environ, **self.env}, timeout=LONG, stdout=full,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"what the command writes cannot be passed on: ", done.stderr)
        self.assertIn(b"Counts of `echo lost`", done.stderr)

    def test_a_slow_reader_loses_nothing(self):
        with subprocess.Popen([tap.ASSAY, "stat", "--via", "exec:env", "-o", os.path.join(self.folder, "r"), "--", "head", "-c", "600000", "/dev/zero"],
                              env={**os.environ, **self.env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as running:
            time.sleep(3)
            self.assertEqual(len(running.stdout.read()), 600000)

    def test_csv_has_a_header_and_quotes_what_needs_it(self):
        self.countable("page-faults:u")
        done = self.stat("--csv", "-e", "page-faults:u", "-e", "task-clock", "--", "true")
        rows = list(csv.reader(io.StringIO(done.stdout)))
        self.assertEqual(rows[0], HEADER)
        self.assertEqual({len(row) for row in rows}, {len(HEADER)})
        found = dict(zip(HEADER, rows[1]))
        self.assertEqual(int(found["count"]) - int(found["overhead"]), int(found["corrected"]))
        self.assertEqual((found["state"], found["runs"], found["share"]), ("counted", "1", "1"))
        done = self.stat("--csv", "--", "true")  # what cannot be counted has a reason with commas
        self.assertEqual({len(row) for row in csv.reader(io.StringIO(done.stdout))}, {len(HEADER)})

    def test_more_events_than_can_be_opened_together_say_so_before_the_command_runs(self):
        self.countable("page-faults:u")
        events = ",".join(f"mem:{place:#x}:w" for place in range(0x1000, 0x15000, 0x1000))
        done = self.stat("-e", events, "--", "echo", "ran")
        if done.returncode == 0:
            self.skipTest("this CPU has breakpoints enough")
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("Count fewer events at once", done.stderr)

    def test_the_table_fits_eighty_columns(self):
        done = self.stat("-r", "3", "--", "true")
        self.assertEqual([line for line in done.stderr.splitlines() if len(line) > 80], [])


class Words(Case):
    """No shell is between assay and the command."""

    HOSTILE = ["$(touch made)", "`id`", "a;b", "'", '"', "\\", "{a}", "*", "", " ", "-e", "--json", "\t\n", "\x1b[31m", "ü", "\udcff"]

    def test_arguments_arrive_as_they_are(self):
        done = self.raw("--", "printf", "%s\\0", *self.HOSTILE, stdin=subprocess.DEVNULL, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, b"".join(os.fsencode(word) + b"\0" for word in self.HOSTILE))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "made")))
        self.assertNotIn(b"\x1b", done.stderr)

    def test_the_environment_is_the_callers_unless_controlled(self):
        self.env["SOME_VARIABLE"] = "kept"
        words = ("--", "sh", "-c", "echo $SOME_VARIABLE")
        self.assertEqual(self.stat(*words).stdout, "kept\n")
        self.assertEqual(self.stat("--controlled", *words).stdout, "\n")
        self.assertEqual(self.stat("--controlled", "--keep", "SOME_VARIABLE", *words).stdout, "kept\n")

    def test_it_works_where_it_is_told_to(self):
        self.assertEqual(self.stat("--directory", self.folder, "--", "pwd").stdout, os.path.realpath(self.folder) + "\n")
        self.assertEqual(self.stat("--", "pwd", cwd="/").stdout, "/\n")

    def test_it_stays_on_the_cpu_that_is_named(self):
        cpu = str(max(os.sched_getaffinity(0)))
        self.assertEqual(self.stat("--cpu", cpu, "--", "sh", "-c", "taskset -pc $$ | sed 's/.*: //'").stdout.strip(), cpu)


class Input(Case):
    def text(self, *arguments, **options):
        done = self.raw(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_pipe_is_the_very_pipe(self):
        # What the command does not read is left to others.
        done = subprocess.run(["sh", "-c", f"printf 'one\\ntwo\\nthree\\n' | (dd bs=1 count=0 2>/dev/null; {tap.ASSAY} stat -- dd bs=4 count=1 2>/dev/null; cat)"],
                              env={**os.environ, **self.env}, stdout=subprocess.PIPE, timeout=LONG, check=False)
        self.assertEqual(done.stdout, b"one\ntwo\nthree\n")
        self.assertEqual(self.text("--", "cat", input=b"\0piped"), b"\0piped")

    def test_a_file_is_read_from_where_it_stands(self):
        path = os.path.join(self.folder, "lines")
        with open(path, "w", encoding="utf-8") as file:
            file.write("one\ntwo\n")
        with open(path, "rb", buffering=0) as file:
            self.assertEqual(self.text("--", "cat", stdin=file), b"one\ntwo\n")
        with open(path, "rb", buffering=0) as file:
            file.read(4)
            self.assertEqual(self.text("--", "cat", stdin=file), b"two\n")
        self.assertEqual(self.text("--input", path, "--", "cat", stdin=subprocess.DEVNULL), b"one\ntwo\n")
        with open(path, "rb", buffering=0) as file:
            self.assertEqual(self.text("-r", "2", "--", "cat", stdin=file), b"one\ntwo\none\ntwo\n")

    def test_sockets_and_named_pipes_are_passed_on(self):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(b"by socket")
            ours.shutdown(socket.SHUT_WR)
            self.assertEqual(self.text("--", "cat", stdin=theirs), b"by socket")
        path = os.path.join(self.folder, "fifo")
        os.mkfifo(path)
        writer = subprocess.Popen(["sh", "-c", f"echo by fifo > {path}"])
        with open(path, "rb", buffering=0) as file:
            self.assertEqual(self.text("--", "cat", stdin=file), b"by fifo\n")
        writer.wait(LONG)

    def test_a_terminal_is_read_and_its_interrupt_is_passed_on(self):
        for script, typed, expected in (("echo go; read line; echo got $line", b"typed\n", (0, b"got typed")),
                                        ("echo go; exec sleep 1000", b"\x03", (128 + signal.SIGINT, b"killed by SIGINT"))):
            pid, terminal = pty.fork()
            if pid == 0:
                os.execve(tap.ASSAY, ["assay", "stat", "--", "sh", "-c", script], {**os.environ, **self.env})
            seen = b""
            while b"go\r\n" not in seen:
                seen += os.read(terminal, 4096)
            os.write(terminal, typed)
            with contextlib.suppress(OSError):  # its end
                while more := os.read(terminal, 4096):
                    seen += more
            os.close(terminal)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), expected[0], seen)
            self.assertIn(expected[1], seen)

    def test_controlled_it_reads_nothing(self):
        self.assertEqual(self.text("--controlled", "--", "cat", input=b"some"), b"")


class Interrupted(Case):
    def interrupt(self, *words, lines=1):
        """What it wrote, and its status: once the command has written a line, SIGINT to all of its group as a terminal does."""
        with subprocess.Popen([tap.ASSAY, "stat", *words], env={**os.environ, **self.env}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as running:
            seen = b"".join(running.stdout.readline() for _ in range(lines))
            os.killpg(running.pid, signal.SIGINT)
            out, errors = running.communicate(timeout=LONG)
            return seen + out, errors.decode(), running.returncode

    def test_it_ends_the_command_and_shows_what_was_counted(self):
        out, errors, status = self.interrupt("--", "sh", "-c", "echo $$; exec sleep 1000")
        self.assertEqual(status, 128 + signal.SIGINT)
        self.assertIn("It was killed by SIGINT", errors)
        self.assertRegex(errors, r"Counts of `sh")
        self.assertFalse(os.path.exists(f"/proc/{int(out)}"))

    def test_one_that_ends_by_itself_then_is_a_part_all_the_same(self):
        # The signal is for assay; a command that catches it may end as it likes.
        for ending in (0, 9):
            store = os.path.join(self.folder, f"{ending}.sqlite")
            script = f"trap 'exit {ending}' INT TERM; echo; sleep 1000 & wait"
            _, errors, status = self.interrupt("-r", "5", "--store", store, "--", "sh", "-c", script)
            words = " ".join(errors.split())
            self.assertEqual(status, 128 + signal.SIGINT, errors)
            self.assertIn("interrupted after 0 of 5 executions", words)
            self.assertIn(f"It ended with status {ending}, when this was interrupted: a part was counted.", words)
            self.assertNotIn("-r 5 tells", words)
            again = self.stat("--from", store)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertIn("when this was interrupted: a part was counted", " ".join(again.stdout.split()))
            notes = json.loads(tap.assay("report", "--json", store).stdout)["analysis"]["notes"]
            self.assertEqual(notes, [f"the run of stat in {store} was interrupted: what it has is shown"])

    def left_out(self, third):
        """What is told of two executions and a third, which is interrupted."""
        counter = os.path.join(self.folder, "count")
        script = f"echo x >> {counter}; test $(wc -l < {counter}) -lt 3 && exit 0; {third}"
        _, errors, status = self.interrupt("-r", "9", "--", "sh", "-c", script)
        self.assertEqual(status, 128 + signal.SIGINT)
        words = " ".join(errors.split())
        self.assertIn("interrupted after 2 of 9 executions", words)
        self.assertIn("`, 2 executions: ", words)
        return words

    def test_it_is_left_out_also_where_it_ends_by_itself(self):
        self.assertIn("An execution ended with status 0, when this was interrupted, and is left out.",
                      self.left_out("trap 'exit 0' INT; echo; sleep 1000 & wait"))

    def test_one_that_does_not_listen_is_killed(self):
        out, errors, status = self.interrupt("--", "sh", "-c", "trap '' INT; echo $$; while :; do sleep 0.1; done")
        self.assertEqual(status, 128 + signal.SIGINT, errors)
        self.assertIn("It was killed by SIGKILL", errors)
        self.assertFalse(os.path.exists(f"/proc/{int(out)}"))

    def test_among_several_it_is_left_out(self):
        self.assertIn("and is left out", self.left_out("echo; exec sleep 1000"))

    def test_before_the_command_has_begun_it_says_that_nothing_was_counted(self):
        with subprocess.Popen([tap.ASSAY, "stat", "--", "touch", os.path.join(self.folder, "made")], env={**os.environ, **self.env},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as running:
            while running.poll() is None and not any(name.endswith(".sqlite") for _, _, names in os.walk(self.folder) for name in names):
                time.sleep(0.001)
            os.kill(running.pid, signal.SIGTERM)
            _, errors = running.communicate(timeout=LONG)
        self.assertNotIn(b"processes", errors)
        if not os.path.exists(os.path.join(self.folder, "made")):
            self.assertEqual(errors, b"assay stat: interrupted before the command had ended: nothing was counted\n")
            self.assertEqual(running.returncode, 128 + signal.SIGTERM)


class Refused(Case):
    """Where perf_event counts nothing the command is executed all the same."""

    def test_the_account_of_the_process_stands_in(self):
        if not REFUSE:
            self.skipTest("SECCOMP_REFUSE names no helper")
        for error in ("EPERM", "ENOSYS"):
            done = self.raw("--controlled", "--json", "--", "subject:faults", "1000", prefix=(REFUSE, error, "--"), stdin=subprocess.DEVNULL)
            if done.returncode == 77:
                self.skipTest("no seccomp filters in this kernel")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            rows = {row["event"]: row for row in found["results"]}
            self.assertEqual({row["state"] for row in rows.values()}, {"accounted"})
            self.assertEqual(rows["page-faults"]["corrected"], 1000, rows)
            self.assertIn("perf_event_open", found["skipped"][0]["reason"])
            done = self.raw("--", "sh", "-c", "echo hello; exit 5", prefix=(REFUSE, error, "--"), stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout), (5, b"hello\n"))
            self.assertIn("by getrusage", done.stderr.decode())
            self.assertIn("s elapsed", done.stderr.decode())

    def test_events_that_were_asked_for_say_why_not(self):
        if not REFUSE:
            self.skipTest("SECCOMP_REFUSE names no helper")
        done = self.raw("-e", "page-faults:u,cycles", "--", "echo", "ran", prefix=(REFUSE, "EPERM", "--"), stdin=subprocess.DEVNULL)
        if done.returncode == 77:
            self.skipTest("no seccomp filters in this kernel")
        self.assertEqual((done.returncode, done.stdout), (0, b"ran\n"))
        self.assertEqual(done.stderr.decode().count("Not counted: page-faults:u, cycles: "), 1, done.stderr)

    def test_where_none_of_them_can_be_counted_the_account_is_told(self):
        states = {row["state"] for row in self.envelope("-e", "cycles:u,instructions:u", "--", "true")["results"]}
        if states != {"unsupported"}:
            self.skipTest("the CPU's counters are visible here")
        for arguments, mean in (((), ""), (("-r", "3"), " in the mean")):
            words = " ".join(self.stat(*arguments, "-e", "cycles:u,instructions:u", "--", "true").stderr.split())
            self.assertRegex(words, rf"By the operating system's account: [1-9][0-9.,]* page faults? and [0-9.,]+ context switch(es)?{mean}\. ")


class Unprivileged(Case):
    """Who may count user mode only."""

    def test_what_never_happens_in_user_mode_is_no_zero(self):
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as file:
            paranoid = int(file.read())
        if os.geteuid() or paranoid != 2 or "asan" in os.environ.get("LD_PRELOAD", ""):
            self.skipTest("not root, or everybody may count more or less than user mode here")
        os.chown(self.folder, 65534, 65534)
        try:
            done = self.raw("--json", "--", "true", stdin=subprocess.DEVNULL, user=65534, group=65534, extra_groups=[], cwd="/")
        except PermissionError:
            self.skipTest("nobody may not execute assay where it was built")
        if done.returncode and b"Permission denied" in done.stderr:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["event"]: row for row in json.loads(done.stdout)["results"]}
        self.assertEqual(rows["page-faults:u"]["state"], "counted")
        self.assertFalse({"context-switches:u", "cpu-migrations:u"} & set(rows))
        self.assertEqual((rows["context-switches"]["state"], rows["context-switches"]["count"]), ("unsupported", None))


class Rights(Case):
    """Programs that gain rights when they are executed, by a user who has them not."""
    NOBODY = 65534

    def setUp(self):
        super().setUp()
        if os.geteuid() or "asan" in os.environ.get("LD_PRELOAD", ""):
            self.skipTest("only root can make a set-user-ID program of root")
        if os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("set-user-ID is ignored where temporary files are")
        with open("/proc/sys/fs/suid_dumpable", encoding="utf-8") as file:
            if int(file.read()) == 1:
                self.skipTest("fs.suid_dumpable is 1: programs that gained rights are counted")
        os.chmod(self.folder, 0o755)
        self.state = os.path.join(self.folder, "state")
        os.mkdir(self.state)
        os.chown(self.state, self.NOBODY, self.NOBODY)
        self.program = self.copy("gains", 0o4755)

    def copy(self, name, mode, original=None):
        path = os.path.join(self.folder, name)
        shutil.copy(original or shutil.which("seq"), path)
        os.chmod(path, mode)
        return path

    def as_nobody(self, *words):
        try:
            done = subprocess.run([tap.ASSAY, *words], env={**os.environ, "XDG_STATE_HOME": self.state}, timeout=LONG, check=False, cwd="/",
                                  user=self.NOBODY, group=self.NOBODY, extra_groups=[], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        except PermissionError:
            self.skipTest("nobody may not execute assay where it was built")
        if done.returncode and "Permission denied" in done.stderr:
            self.skipTest(done.stderr)
        return done

    def judged(self, *words):
        done = self.as_nobody("stat", "--json", "-e", "page-faults:u", "--", *words)
        found = json.loads(done.stdout)
        check_schema(found)
        if found["results"][0]["state"] == "unsupported":
            self.skipTest(str(found["skipped"]))
        return found["results"][0], found

    def test_what_was_not_counted_is_said_and_is_no_count(self):
        for program in (self.program, self.copy("unreadable", 0o711)):
            row, found = self.judged(program, "1", "3")
            self.assertEqual(row["state"], "dropped")
            self.assertEqual([row[key] for key in ("count", "corrected", "uncertainty", "low", "high")], [None] * 5)
            self.assertEqual([skip["what"] for skip in found["skipped"]], ["page-faults:u"])
            done = self.as_nobody("stat", "-e", "page-faults:u", "--", program, "1", "3")
            self.assertEqual((done.returncode, done.stdout), (0, "1\n2\n3\n"))
            words = " ".join(done.stderr.split())
            self.assertRegex(words, r"page-faults:u not counted \?")
            self.assertIn("Not counted: page-faults:u: the command gains rights when it is executed (set-user-ID", words)

    def test_who_gains_nothing_by_it_is_counted(self):
        row = self.rows("-e", "page-faults:u", "--", self.program, "1", "3")["page-faults:u"]  # root
        self.assertEqual(row["state"], "counted")
        self.assertGreater(row["corrected"], 0)
        row, _ = self.judged(self.copy("plain", 0o755), "1", "3")
        self.assertEqual(row["state"], "counted")

    def test_what_something_below_it_gained_makes_it_a_part(self):
        row, _ = self.judged("sh", "-c", f"{self.program} 1 10000000 > /dev/null; true")
        self.assertEqual((row["state"], row["uncertainty"]), ("partial", None))
        row, _ = self.judged("sh", "-c", "seq 1 10000000 > /dev/null; true")
        self.assertEqual(row["state"], "counted")

    def test_truth_says_that_it_ran_without_them(self):
        sources = [source for source in ("qemu", "step")  # Valgrind refuses such programs
                   if self.as_nobody("truth", "--source", source, "--", "subject:loop", "1").returncode == 0]
        if not sources:
            self.skipTest("nothing here counts by executing")
        short = next(path for path in (program("exact-repeats"), program("ends")) if os.path.exists(path))  # stepping is slow
        gaining = self.copy("short-gains", 0o4755, short)
        for source in sources:
            for words, withheld in ((gaining, True), (self.copy("short", 0o755, short), False)):
                done = self.as_nobody("truth", "--source", source, "--json", "--", words)
                self.assertEqual(json.loads(done.stdout)["results"][0]["rights_withheld"], withheld, (source, words))
        self.assertIn("It ran without the rights that its file gives", " ".join(self.as_nobody("truth", "--", gaining).stdout.split()))


class Relayed(Case):
    def test_what_relaying_adds_is_in_the_bar_and_no_count_is_called_exact(self):
        self.countable("context-switches", "page-faults:u")
        tap.assay("validate", "context-switches", "page-faults:u", "--budget", "5s", env=self.env, timeout=LONG)
        events = ("-e", "context-switches,page-faults:u")
        words = ("head", "-c", str(8 << 20), "/dev/zero")
        store = os.path.join(self.folder, "relayed.sqlite")
        done = self.raw("--json", "-o", os.path.join(self.folder, "report"), "--via", "exec:env", "--store", store, *events, "--", *words,
                        stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, len(done.stdout)), (0, 8 << 20), done.stderr)
        with open(os.path.join(self.folder, "report"), encoding="utf-8") as file:
            found = json.load(file)
        check_schema(found)
        switches, faults = found["results"]
        self.assertEqual(found["analysis"]["executions"][0]["output_bytes"], 8 << 20)
        self.assertGreater(switches["relayed"], 0)  # a pipe holds 64 KiB
        self.assertGreater(switches["parts"]["relaying"], 0)
        # What it has when nothing is between it and its reader: pages of a file are not waited for.
        with open(os.devnull, "wb") as sink:
            subprocess.run([tap.ASSAY, "stat", "--json", "-o", os.path.join(self.folder, "alone"), *events, "--", *words], check=True, stdout=sink,
                           env={**os.environ, **self.env}, timeout=LONG, stdin=subprocess.DEVNULL)
        with open(os.path.join(self.folder, "alone"), encoding="utf-8") as file:
            alone = json.load(file)["results"]
        self.assertLessEqual(switches["low"], alone[0]["high"], (switches, alone))
        for row in (switches, faults):
            self.assertIsNone(row["trust"])
            if row["trust_event"]:
                self.assertEqual(row["trust_cause"], "relayed-output")
        again = json.loads(self.stat("--json", "--from", store).stdout)["results"]
        self.assertEqual([row["corrected"] for row in again], [switches["corrected"], faults["corrected"]])
        text = " ".join(self.stat("--from", store).stdout.split())
        self.assertIn("What it wrote (8,388,608 bytes) was relayed, and what that adds is taken off and in the bars: context-switches ", text)
        self.assertIn("withheld: relayed-output", text)

    def test_what_writes_nothing_is_trusted_as_ever(self):
        self.countable("page-faults:u")
        tap.assay("validate", "page-faults:u", "--budget", "5s", env=self.env, timeout=LONG)
        here, there = (self.rows(*via, "-e", "page-faults:u", "--", "true")["page-faults:u"] for via in ((), ("--via", "exec:env")))
        self.assertEqual((there["trust"], there["relayed"]), (here["trust"], 0))


class Elsewhere(Case):
    def test_through_a_transport_output_comes_too(self):
        done = self.stat("--via", "exec:env", "--", "sh", "-c", "cat; echo there; exit 4")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(done.stdout, "there\n")
        self.assertIn("standard input was empty", " ".join(done.stderr.split()))

    def test_an_input_is_brought(self):
        path = os.path.join(self.folder, "brought.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("brought")
        self.assertEqual(self.stat("--via", "exec:env", "--input", path, "--", "cat").stdout, "brought")

    def test_the_samples_are_kept(self):
        self.countable("page-faults:u")
        store = os.path.join(self.folder, "kept.sqlite")
        self.assertEqual(self.stat("--store", store, "-r", "2", "-e", "page-faults:u", "--", "true").returncode, 0)
        done = tap.assay("export", store, "--format", "csv", env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.stat("--store", store, "--", "true").returncode, 125)


if __name__ == "__main__":
    tap.main()
