# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay truth on this machine: a program of known length by every source that is here, how commands end, what they write, and what
is said where nothing can count them. Sources that are not here skip with the reason that assay gives."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import warnings

import promised
import tap


COMMANDS = os.environ.get("COMMANDS", "build/tests/commands")
SOURCES = ("qemu", "valgrind", "step")
LONG = 200  # s: sources are slow, and so may the machine be


def program(name):
    return os.path.join(COMMANDS, "command-" + name)


def executing(path):
    """Processes that execute this file."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(path):
                found.append(pid)
        except OSError:
            continue
    return found


class Case(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.folder = tempfile.mkdtemp(prefix="assay-truth-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def truth(self, *arguments, **options):
        environment = {"XDG_STATE_HOME": self.folder, **options.pop("env", {})}
        return tap.assay("truth", *arguments, env=environment, timeout=LONG, **options)

    def envelope(self, *arguments, status=0):
        done = self.truth("--json", *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def one(self, *arguments, status=0):
        envelope = self.envelope(*arguments, status=status)
        self.assertEqual(len(envelope["results"]), 1, envelope)
        return envelope["results"][0]

    def by(self, source, *arguments, status=0):
        """As one(), by this source; None where it cannot be used here."""
        done = self.truth("--json", "--source", source, *arguments)
        if done.returncode == 125 and ("cannot count commands here" in done.stderr or "under that name" in done.stderr):
            return None
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)["results"][0]



class FromAStore(Case):
    NOWHERE = ("--via", "exec:/nowhere/no-such-program")

    def stored(self, *arguments):
        """A store of a command, and what was said of it; skips where nobody can count."""
        store = os.path.join(self.folder, "run.sqlite")
        done = self.truth("--json", "--store", store, *arguments)
        if done.returncode == 125:
            self.skipTest(done.stderr.strip())
        return store, json.loads(done.stdout), done.returncode

    def test_it_is_shown_again_without_a_machine(self):
        store, counted, status = self.stored("--by", "opcode,function", "--", "subject:loop", "1000")
        self.assertEqual(status, 0)
        again = self.envelope("--from", store, "--by", "opcode,function", *self.NOWHERE)
        for key in ("machine", "results", "skipped"):
            self.assertEqual(again[key], counted[key])
        self.assertEqual(again["analysis"]["complete"], counted["analysis"]["complete"])
        self.assertIn("right to the instruction", self.truth("--from", store).stdout)

    def test_opcodes_that_were_not_counted_then_are_told_so(self):
        store, counted, _ = self.stored("--", "subject:loop", "1000")
        if counted["results"][0]["unknown"] is None:
            self.skipTest(f"{counted['results'][0]['source']} does not tell the code")
        row = self.envelope("--from", store, "--by", "opcode,function", *self.NOWHERE)["results"][0]
        why = "not counted in that run: execute the command again with --by opcode"
        self.assertEqual((row["opcodes"], row["opcodes_reason"]), (None, f"they were {why}"))
        self.assertTrue(row["functions"])
        self.assertIn(f"Opcodes were {why}.", " ".join(self.truth("--from", store, "--by", "opcode").stdout.split()))
        self.assertNotIn("Opcodes were", self.truth("--from", store).stdout)

    def test_the_status_is_not_that_of_the_command(self):
        store, counted, status = self.stored("--", "sh", "-c", "exit 7")
        self.assertEqual(status, 7)
        self.assertEqual(self.envelope("--from", store)["results"], counted["results"])

    def test_a_command_that_nobody_could_execute(self):
        store = os.path.join(self.folder, "run.sqlite")
        done = self.truth("--store", store, "--", "/nonexistent-command")
        if done.returncode != 127:
            self.skipTest(done.stderr.strip())
        again = self.truth("--from", store, "--json")
        self.assertEqual((again.returncode, json.loads(again.stdout)["results"]), (127, []))

    def interrupted(self, script, then, *arguments):
        """A script of a shell that waits for its input, interrupted there; what happens then, and what was said."""
        fifo, store = os.path.join(self.folder, "fifo"), os.path.join(self.folder, "run.sqlite")
        os.mkfifo(fifo)
        running = subprocess.Popen([tap.ASSAY, "truth", "--quiet", "--store", store, *arguments, "--", "sh", "-c", f"read line <{fifo}; {script}"],
                                   env={**os.environ, "XDG_STATE_HOME": self.folder}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        opened = None
        while opened is None and running.poll() is None:
            try:
                opened = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            except OSError: # nobody reads it yet
                time.sleep(0.02)
        if opened is None:
            self.skipTest(running.communicate()[1].strip())
        running.send_signal(signal.SIGINT)
        if then == "it goes on":
            os.close(opened)
        output, errors = running.communicate(timeout=60)
        if then != "it goes on":
            os.close(opened)
        return store, running.returncode, output, errors

    def test_an_interruption_leaves_what_was_there(self):
        report = os.path.join(self.folder, "report")
        with open(report, "w", encoding="utf-8") as file:
            file.write("of yesterday")
        store, status, output, errors = self.interrupted("true", "it waits", "--json", "-o", report)
        self.assertEqual((status, output), (130, ""), errors)
        with open(report, encoding="utf-8") as file:
            self.assertEqual(file.read(), "of yesterday")
        again = self.truth("--from", store, "--json")
        self.assertEqual((json.loads(again.stdout)["results"], json.loads(again.stdout)["skipped"]), ([], []))
        self.assertIn("interrupted before anything had counted it", again.stderr)

    def test_what_no_source_could_count_is_said_while_it_is_interrupted(self):
        _, status, _, errors = self.interrupted("true | true", "it goes on", "--source", "valgrind")
        self.assertEqual(status, 125, errors)
        self.assertIn("it could not be counted. By\n  valgrind: ", errors)

    def test_what_makes_no_sense_beside_it(self):
        done = self.truth("--from", "none.sqlite", "--source", "step", "--", "true")
        self.assertEqual(done.returncode, 125)
        self.assertIn("leave out --source, the arguments", done.stderr)


class Known(Case):
    """The subject of the kit that counts down: two instructions for each."""

    LENGTHS = (10000, 20000)

    @classmethod
    def setUpClass(cls):
        """Every source counts every length once, all beside each other."""
        case = cls("test_it_repeats")
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        keys = [(source, n) for source in SOURCES for n in cls.LENGTHS]
        cls.rows = dict(zip(keys, tap.together(lambda key: case.by(key[0], "--", "subject:loop", str(key[1])), keys)))

    def check(self, source):
        rows = [self.rows[source, n] for n in self.LENGTHS]
        if None in rows:
            self.skipTest(f"{source} cannot count commands here")
        first, second = (row["classes"]["instructions"] for row in rows)
        self.assertGreater(first, 10000)
        # Its digits are read by as many instructions: both numbers have five.
        self.assertEqual((second - first) % 10000, 0)
        self.assertEqual(second - first, (first // 10000) * 10000)

    def test_by_qemu(self):
        self.check("qemu")

    def test_by_valgrind(self):
        self.check("valgrind")

    def test_by_step(self):
        self.check("step")

    def test_all_sources_agree_to_the_instruction(self):
        counted = {source: row["classes"]["instructions"] for source in SOURCES if (row := self.rows[source, 10000])}
        if len(counted) < 2:
            self.skipTest("fewer than two sources can be used here")
        self.assertEqual(len(set(counted.values())), 1, counted)

    def test_by_opcode_and_function_it_adds_up(self):
        row = self.one("--by", "opcode,function", "--", "subject:loop", "10000")
        total = row["classes"]["instructions"]
        if not row["opcodes"]:
            self.skipTest(f"{row['source']} does not tell the code")
        self.assertEqual(sum(opcode["count"] for opcode in row["opcodes"]), total)
        self.assertEqual(sum(function["count"] for function in row["functions"]), total)
        self.assertEqual(row["unknown"], 0)
        self.assertEqual([f["function"] for f in row["functions"]], ["_start"])
        self.assertGreaterEqual(row["classes"]["cond-branches"], 10000)

    def test_it_repeats(self):
        rows = [self.one("--", program("ends"), "exit", "0") for _ in range(2)]
        self.assertEqual(*[row["classes"] for row in rows])


class OtherPaths(Case):
    """Programs that do something else where a tool answers their system calls otherwise than the kernel does."""

    def plain(self, what):
        return subprocess.run([program("lacks"), what], check=False, capture_output=True).returncode

    def check_path(self, what, *arguments, names):
        """What is counted is what it does without a tool, or it is said that it is not."""
        done = self.truth("--json", *arguments, "--", program("lacks"), what)
        if done.returncode == 125:
            self.assertIn("cannot count commands here", done.stderr)
            return None
        envelope = json.loads(done.stdout)
        row = envelope["results"][0]
        self.assertEqual(done.returncode, row["exit_status"])
        if row["exit_status"] != self.plain(what):
            self.assertIsNotNone(row["other_path"], row)
            self.assertIn(names, row["other_path"])
        return envelope

    def check_call(self, what, names):
        plain = self.plain(what)
        by = {source: self.check_path(what, "--source", source, names=names) for source in SOURCES}
        for source, envelope in by.items():
            with self.subTest(source):
                if not envelope:
                    continue
                row = envelope["results"][0]
                self.assertEqual([], envelope["skipped"])
                text = " ".join(self.truth("--source", source, "--", program("lacks"), what).stdout.split())
                self.assertEqual(row["other_path"] is not None, f"This is not what it executes without {source}:" in text, text)
        if by["step"]: # the CPU itself, with the kernel itself
            self.assertEqual((by["step"]["results"][0]["exit_status"], by["step"]["results"][0]["other_path"]), (plain, None))
        tried = self.check_path(what, names=names)
        if not tried:
            self.skipTest("nothing counts commands here")
        row = tried["results"][0]
        true = [source for source in SOURCES if by[source] and not by[source]["results"][0]["other_path"]]
        if true: # the fastest of those that kept to the path, after all that did not
            self.assertEqual((row["source"], row["other_path"], row["exit_status"]), (true[0], None, plain))
            for skip in tried["skipped"]:
                if by.get(skip["what"]):
                    self.assertEqual(skip["reason"], by[skip["what"]]["results"][0]["other_path"])
        else:
            self.assertIsNotNone(row["other_path"])

    def test_a_system_call_that_a_tool_lacks(self):
        self.check_call("clone3", "lacks the system call clone3")

    def test_another_one(self):
        self.check_call("io_uring_setup", "lacks the system call io_uring_setup")

    def test_a_limit_that_a_tool_does_not_keep(self):
        self.check_call("limit", "limits its memory")

    def test_a_library_that_does_without_takes_its_own_path(self):
        """glibc makes threads by clone where it has no clone3, and registers nothing where it cannot."""
        first = self.one("--", "subject:loop", "10")["source"]
        for row in (self.one("--", program("threads"), "3"), self.one("--", program("ends"), "exit", "0")):
            self.assertEqual((row["source"], row["other_path"]), (first, None))

    def test_repeat_says_it_too(self):
        tried = self.check_path("clone3", "--source", "qemu", names="clone3")
        row = tried and tried["results"][0]
        if not row or not row["other_path"]:
            self.skipTest("qemu cannot count here, or has what the kernel has")
        done = tap.assay("repeat", "--json", "--source", "qemu", "--no-subjects", "--runs", "2", "--budget", "2s", "--", program("lacks"), "clone3",
                         env={"XDG_STATE_HOME": self.folder}, timeout=LONG)
        self.assertIn(f"its counts are not of what it executes elsewhere: {row['other_path']}",
                      [skip["reason"] for skip in json.loads(done.stdout)["skipped"]])

    def test_where_memory_is_limited_another_source_counts(self):
        if not os.path.exists(program("exact-repeats")):
            self.skipTest("in assembly of x86-64")
        limit = ("sh", "-c", 'ulimit -v 450000; exec "$@"', "sh")
        if tap.assay("--version", prefix=limit).returncode:
            self.skipTest("assay itself needs more, as with sanitizers")
        done = self.truth("--json", "--", program("exact-repeats"), prefix=limit)
        if done.returncode == 125: # there is but one source, and its reason stands there
            self.assertIn("could not be counted", done.stderr)
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads(done.stdout)["results"][0]
        self.assertEqual((row["classes"]["instructions"], row["other_path"]), (225, None))

    def test_shown_again_it_is_the_same(self):
        store = os.path.join(self.folder, "run.sqlite")
        done = self.truth("--json", "--store", store, "--", program("lacks"), "clone3")
        if done.returncode == 125:
            self.skipTest(done.stderr.strip())
        self.assertEqual(self.envelope("--from", store)["results"], json.loads(done.stdout)["results"])


class Groups(Case):
    """Instructions of every group, whose accesses and transfers the program itself states."""

    FLAGS = {"adx", "aes", "avx2", "bmi2", "f16c", "fma", "pclmulqdq", "movbe", "abm", "cx16", "sse4_2"}

    def stated(self):
        path = program("exact-groups")
        if not os.path.exists(path) or not shutil.which("nm"):
            self.skipTest("in assembly of x86-64, read by nm")
        symbols = subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout
        return {name: int(value, 16) for value, name in re.findall(r"^([0-9a-f]+) A (\w+)$", symbols, re.MULTILINE)}

    def check_by(self, source):
        stated = self.stated()
        if source != "qemu" and not set(re.search(r"^flags\s*:(.*)", open("/proc/cpuinfo", encoding="utf-8").read(), re.MULTILINE)[1].split()) >= self.FLAGS:
            self.skipTest("this CPU does not have all of them")
        done = self.truth("--json", "--source", source, "--by", "opcode", "--", program("exact-groups"))
        if done.returncode:
            self.skipTest(done.stderr.strip() or f"{source} does not know all of them: status {done.returncode}")
        row = json.loads(done.stdout)["results"][0]
        for name, stated_as in (("loads", "loads"), ("stores", "stores"), ("cond-branches", "conditionals"), ("calls", "calls"),
                                ("returns", "returns")):
            self.assertEqual((name, row["classes"][name], row["unsure"].get(name)), (name, stated[stated_as] * stated["rounds"], None))
        self.assertEqual(row["unknown"], 0)
        # What computes in more than one operation, or in none that has a class.
        self.assertGreater(row["unsure"]["fp-operations"], 0)
        self.assertFalse([opcode for opcode in row["opcodes"] if opcode["at_least"]])
        self.assertEqual(sum(opcode["count"] for opcode in row["opcodes"]), row["classes"]["instructions"])
        return row

    def test_by_qemu(self):
        self.check_by("qemu")

    def test_by_step(self):
        self.check_by("step")

    def test_a_limit_is_said_beside_its_number(self):
        store = os.path.join(self.folder, "run.sqlite")
        done = self.truth("--source", "qemu", "--all", "--store", store, "--", program("exact-groups"))
        if done.returncode or not os.path.exists(program("exact-groups")):
            self.skipTest(done.stderr.strip() or "in assembly of x86-64")
        row = self.envelope("--from", store)["results"][0]
        for line in done.stdout.splitlines():
            name = line.split(" ")[0]
            if name in row["classes"]:
                self.assertEqual(line.count("at least"), 2 if name in row["unsure"] else 0, line)
        self.assertIn('Where it says "at least",', " ".join(done.stdout.split()))


class Endings(Case):
    def test_the_status_is_the_commands_own(self):
        row = self.one("--", program("ends"), "exit", "42", status=42)
        self.assertEqual((row["exit_status"], row["signal"], row["timed_out"]), (42, None, False))

    def test_a_crash_is_its_signal_and_leaves_no_dump(self):
        work = os.path.join(self.folder, "work")
        os.mkdir(work)
        row = self.one("--directory", work, "--", os.path.abspath(program("ends")), "crash", status=128 + signal.SIGSEGV)
        self.assertEqual((row["exit_status"], row["signal"]), (None, signal.SIGSEGV))
        self.assertGreater(row["classes"]["instructions"], 0)
        self.assertEqual(os.listdir(work), [])

    def test_a_missing_command_is_127(self):
        envelope = self.envelope("--", "/nonexistent/program", status=127)
        self.assertEqual((envelope["results"], envelope["analysis"]["complete"]), ([], False))
        done = self.truth("--", "no-such-program-here")
        self.assertEqual((done.returncode, done.stdout), (127, ""))
        self.assertIn("no-such-program-here", done.stderr)

    def test_what_cannot_be_executed_is_126(self):
        path = os.path.join(self.folder, "plain")
        with open(path, "w", encoding="utf-8") as file:
            file.write("no program\n")
        self.assertEqual(self.truth("--", path).returncode, 126)

    def test_one_that_never_ends_is_124_and_leaves_nothing(self):
        done = self.truth("--json", "--timeout", "500ms", "--", program("deaf"))
        self.assertEqual(done.returncode, 124, done.stderr)
        row = json.loads(done.stdout)["results"][0]
        self.assertEqual((row["timed_out"], row["exit_status"]), (True, None))
        self.assertEqual(executing(program("deaf")), [])

    def test_wrong_usage_is_125(self):
        for arguments in ((), ("--by", "moon", "--", "true"), ("--control", "moon", "--", "true"),
                          ("--source", "moon", "--", "true"), ("--cpu", "99999", "--", "true"), ("--moon",), ("--", "")):
            with self.subTest(arguments):
                done = self.truth(*arguments)
                self.assertEqual((done.returncode, done.stdout), (125, ""))
                self.assertNotEqual(done.stderr, "")


class Company(Case):
    def test_children_are_counted(self):
        alone, several = (self.one("--", program("forks"), "wait", str(children)) for children in (1, 3))
        self.assertEqual((alone["processes"], several["processes"]), (2, 4))
        self.assertGreater(several["classes"]["instructions"], alone["classes"]["instructions"])

    def test_threads_are_counted(self):
        row = self.one("--", program("threads"), "3")
        self.assertEqual((row["tasks"], row["processes"]), (4, 1))

    def test_another_program_in_its_place_is_counted_too_or_by_another_source(self):
        """What cannot be followed is never counted in part: either all of it, or a reason and the next source."""
        alone = self.one("--", program("ends"), "exit", "9", status=9)
        envelope = self.envelope("--", program("becomes"), program("ends"), "exit", "9", status=9)
        both, = envelope["results"]
        self.assertGreater(both["classes"]["instructions"], alone["classes"]["instructions"])
        self.assertNotIn(both["source"], [skip["what"] for skip in envelope["skipped"]])
        for skip in envelope["skipped"]:
            self.assertNotEqual(skip["reason"], "")


class Output(Case):
    def test_it_is_dropped_and_its_amount_told(self):
        store = os.path.join(self.folder, "run.sqlite")
        row = self.one("--store", store, "--", program("flood"), "1", status=7)
        self.assertEqual(row["output_bytes"], 1 << 20)
        done = self.truth("--from", store)
        self.assertNotIn("xxx", done.stdout)
        self.assertIn("1,048,576 bytes", " ".join(done.stdout.split()))

    def test_shown_it_comes_as_it_is_and_the_report_beside_it(self):
        done = self.truth("--show-output", "--", program("flood"), "1", "1")
        self.assertEqual(done.returncode, 7)
        self.assertEqual(done.stdout, "x" * (1 << 20))
        self.assertTrue(done.stderr.startswith("x" * (1 << 20)))
        self.assertIn("instructions, counted one by one by", " ".join(done.stderr.split()))

    def test_shown_the_report_may_go_to_a_file(self):
        path = os.path.join(self.folder, "report.json")
        done = self.truth("--show-output", "--json", "-o", path, "--", program("flood"), "1")
        self.assertEqual((done.returncode, len(done.stdout), done.stderr), (7, 1 << 20, ""))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["results"][0]["exit_status"], 7)

    def test_it_reads_nothing_or_what_it_is_given(self):
        empty = self.truth("--show-output", "--", "cat")
        self.assertEqual((empty.returncode, empty.stdout), (0, ""))
        path = os.path.join(self.folder, "some text")
        with open(path, "w", encoding="utf-8") as file:
            file.write("of a file\n")
        given = self.truth("--show-output", "--input", path, "--", "cat")
        self.assertEqual((given.returncode, given.stdout), (0, "of a file\n"))

    def test_variables_that_are_kept_reach_it_and_others_do_not(self):
        done = self.truth("--show-output", "--keep", "FIRST,SECOND", "--", "env", env={"FIRST": "1", "SECOND": "2", "THIRD": "3"})
        variables = dict(line.split("=", 1) for line in done.stdout.splitlines())
        self.assertEqual([variables.get(name) for name in ("FIRST", "SECOND", "THIRD")], ["1", "2", None], done.stderr)

    def test_it_stays_on_the_cpu_that_was_named_or_on_the_last(self):
        allowed = sorted(os.sched_getaffinity(0))
        for options, cpu in ((("--cpu", str(allowed[0])), allowed[0]), ((), allowed[-1])):
            with self.subTest(options):
                done = self.truth("--show-output", *options, "--", "grep", "Cpus_allowed_list", "/proc/self/status")
                self.assertEqual(done.stdout.split()[1:], [str(cpu)], done.stderr)
        refused = self.truth("--cpu", str(2**32), "--", "true")
        self.assertEqual(refused.returncode, 125)
        self.assertIn("no CPU that may be used", refused.stderr)

    def test_words_arrive_as_they_were_given(self):
        done = self.truth("--show-output", "--", "printf", "[%s]", "a b", "'", "", "$HOME", "ö\n")
        self.assertEqual(done.stdout, "[a b]['][][$HOME][ö\n]")

    def test_options_behind_the_command_are_the_commands(self):
        done = self.truth("--show-output", "printf", "%s", "--json")
        self.assertEqual(done.stdout, "--json")


class Brought(Case):
    def test_a_file_is_there_while_it_runs(self):
        path = os.path.join(self.folder, "text")
        with open(path, "w", encoding="utf-8") as file:
            file.write("brought\n")
        done = self.truth("--show-output", "--bring", path, "--", "cat", "{brought}/text")
        self.assertEqual(done.stdout, "brought\n", done.stderr)

    def test_a_file_that_is_none_is_refused(self):
        for path in ("/nonexistent", self.folder):
            done = self.truth("--bring", path, "--", "true")
            self.assertEqual(done.returncode, 125)
            self.assertIn("cannot be brought", done.stderr)


class Report(Case):
    def test_it_is_as_the_schema_promises(self):
        validator = promised.validator()
        for arguments, status in ((("--by", "opcode,function", "--", program("ends"), "exit", "0"), 0),
                                  (("--", program("ends"), "crash"), 139), (("--", "/nonexistent"), 127)):
            problems = [error.message[:200] for error in validator.iter_errors(self.envelope(*arguments, status=status))]
            self.assertEqual(problems, [])

    def test_classes_are_first_and_lines_fit(self):
        done = self.truth("--by", "function,opcode", "--all", "--", program("ends"), "exit", "0")
        self.assertRegex(" ".join(done.stdout.split()), r"\A.*?: [\d,]+ instructions, counted one by one by (qemu|valgrind|step);")
        self.assertLess(done.stdout.index("class "), done.stdout.index("By opcode"))
        for line in done.stdout.splitlines():
            if not line.startswith("samples in"):
                self.assertLessEqual(len(line), 100, line)

    def test_the_store_can_be_exported(self):
        path = os.path.join(self.folder, "truth.sqlite")
        self.one("--store", path, "--", program("ends"), "exit", "0")
        done = tap.assay("export", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("instructions", done.stdout)

    def test_nobody_who_may_not_trace_is_miscounted(self):
        """With every way to count forbidden there is a reason and no number."""
        refuse = os.environ.get("SECCOMP_REFUSE", "")
        if not refuse:
            self.skipTest("SECCOMP_REFUSE names no program")
        done = subprocess.run([refuse, "PTRACE", "--", tap.ASSAY, "truth", "--json", "--source", "step", "--", "true"], text=True,
                              capture_output=True, timeout=LONG, check=False, env=dict(
                                  os.environ, XDG_STATE_HOME=self.folder, ASAN_OPTIONS="detect_leaks=0"))  # its search for leaks traces too
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertTrue(re.search("ptrace|trace", done.stderr), done.stderr)


if __name__ == "__main__":
    tap.main()
