# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Path perf-stat: a whole command under perf(1). Its counts are those perf gives, and its error is shown; a perf that is missing,
fails or lies gives a reason and never a count.

Where perf is not installed, the cases that need the real one skip with the reason that assay itself gives.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import textwrap
import unittest

import frames
import tap
from processes import wait_until

FOREVER = 10**12  # iterations of the loop: longer than any test

# A perf that does what it is asked to, by the words that follow: `perf stat -x; --no-scale -o FILE -e EVENT -- COMMAND`.
HONEST = """\
    import os, subprocess, sys
    if sys.argv[1:] == ["--version"]:
        print("perf version 0.assay")
        sys.exit()
    words = sys.argv[1:]
    output, event = words[words.index("-o") + 1], words[words.index("-e") + 1]
    command = words[words.index("--") + 1:]
    def run():
        return subprocess.run(command, close_fds=False, check=False).returncode
    def write(text):
        with open(output, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("# started on a day\\n\\n" + text)
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-perf-stat-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {"XDG_STATE_HOME": self.folder}

    def measure(self, *words, **options):
        return tap.assay("measure", "--path", "perf-stat", *words, env=self.env, **options)

    def results(self, *words):
        done = self.measure("--json", *words)
        if done.returncode == 3:
            self.skipTest(json.loads(done.stdout)["skipped"][0]["reason"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["results"]


class Real(Case):
    """With the perf of this machine."""

    def setUp(self):
        super().setUp()
        done = self.measure("--event", "page-faults", "--specimen", "null", "--runs", "1", "--no-overhead")
        if done.returncode != 0:
            self.skipTest(done.stderr.strip())

    def test_the_null_error_of_page_faults_is_that_of_a_whole_process(self):
        null, loop = self.results("--event", "page-faults", "--specimen", "null,loop", "--n", "1000", "--runs", "3", "--processes", "2")
        for row in (null, loop):
            self.assertEqual((row["path"], row["pattern"], row["opt"], row["link"]), ("perf-stat", "ao", "O2", "static"))
            self.assertEqual((len(row["values"]), row["truth"]), (6, 0))
            # A static process touches tens of pages before and after its specimen.
            self.assertTrue(all(5 < value < 1000 for value in row["values"]), row)
            self.assertEqual(row["error"], sorted(row["values"])[2])
        self.assertLessEqual(abs(null["error"] - loop["error"]), 10)

    def test_a_specimen_that_faults_is_seen_beside_the_error(self):
        null, pages = self.results("--event", "page-faults", "--specimen", "null,pages", "--n", "500", "--runs", "3")
        self.assertIn(pages["error"] - null["error"], range(-20, 60))
        self.assertGreater(min(pages["values"]), 500)

    def test_clocks_are_told_in_nanoseconds(self):
        row, = self.results("--event", "task-clock", "--specimen", "null", "--runs", "3")
        self.assertTrue(all(10_000 < value < 10**10 and value % 10_000 == 0 for value in row["values"]), row)

    def test_it_leaves_no_file_system_mounted(self):
        """perf mounts tracefs wherever it may; the machine under test must not keep that."""
        if os.geteuid() != 0:
            self.skipTest("only root can mount")
        apart = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True, check=False)
        if apart.returncode != 0:
            self.skipTest(f"no mounts of its own can be had here: {apart.stderr.strip()}")
        store = os.path.join(self.folder, "mounts.sqlite")
        script = 'umount -a -l -t tracefs,debugfs; "$@" >/dev/null || exit 9; cat /proc/self/mounts'
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", tap.ASSAY, "measure", "--path", "perf-stat", "-e", "raw_syscalls:sys_enter",
                               "-s", "null", "-n", "0", "-r", "2", "--store", store], capture_output=True, text=True, check=False)
        if done.returncode == 9:
            self.skipTest(f"perf cannot count here: {done.stderr}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(done.stdout, r"\b(tracefs|debugfs)\b")

    def test_one_event_at_a_time(self):
        done = self.measure("--event", "page-faults,minor-faults", "--specimen", "null", "--runs", "1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("one event at a time", done.stderr)

    def test_an_event_that_only_the_harness_can_place_is_refused(self):
        done = self.measure("--event", "mem:target:x", "--specimen", "target-calls", "--runs", "1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("only the harness knows", done.stderr)

    def test_other_factors_are_refused_by_name(self):
        for words, said in ((("--pattern", "rr"), "ao"), (("--opt", "O0"), "O2"), (("--link", "lazy"), "static")):
            with self.subTest(words):
                done = self.measure("--event", "page-faults", *words)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertIn(said, done.stderr)


class Fake(Case):
    """With one of our own, first in PATH."""

    def setUp(self):
        super().setUp()
        self.env["PATH"] = self.folder + ":" + os.environ["PATH"]

    def fake(self, body, head=HONEST):
        program = pathlib.Path(self.folder, "perf")
        program.write_text("#!/usr/bin/python3\n" + textwrap.dedent(head) + textwrap.dedent(body), encoding="utf-8")
        program.chmod(0o755)

    def reason(self, body, *words):
        self.fake(body)
        done = self.measure("--json", "--event", "page-faults", "--specimen", "null", "--runs", "2", "--no-overhead", *words)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stderr

    def test_its_count_is_the_value(self):
        self.fake('status = run(); write(f"4711;;{event};1000;100.00;;\\n"); sys.exit(status)')
        row, = self.results("--event", "page-faults", "--specimen", "null", "--runs", "2", "--no-overhead")
        self.assertEqual(row["values"], [4711, 4711])

    def test_a_share_of_the_time_is_extrapolated(self):
        self.fake('status = run(); write(f"100;;{event};1000;50.00;;\\n"); sys.exit(status)')
        row, = self.results("--event", "page-faults", "--specimen", "null", "--runs", "2", "--no-overhead")
        self.assertEqual((row["values"], row["multiplexed"]), ([200, 200], 2))

    def test_lies_are_told_apart(self):
        lies = {
            'run(); write(f"<not supported>;;{event};0;100.00;;\\n")': "not supported",
            'run(); write(f"<not counted>;;{event};0;0.00;;\\n")': "got no counter",
            'run(); write(f"5;;{event}:u;9;100.00;;\\n")': "may not count the kernel",
            'run(); write("5;;cycles;9;100.00;;\\n")': "something else",
            'run(); write(f"-5;;{event};9;100.00;;\\n")': "a count that is none",
            'run(); write(f"5;;{event};9;100.00;;\\n" * 2)': "more than the one count",
            'run(); write("")': "no count",
            'run(); write("\\x1b[2J\\udcff" * 9)': "cannot be read",
            'run()': "left no count",
            'run(); os.mkfifo(output)': "left no count",
            'run(); os.symlink("/etc/passwd", output)': "left no count",
            'run(); os.truncate(os.open(output, os.O_CREAT | os.O_WRONLY), 10**12)': "left no count",
            'write(f"5;;{event};9;100.00;;\\n")': "did not run the command",
            'sys.stderr.write("event syntax error\\n   no such thing"); sys.exit(129)': "did not run the command: event syntax error no such thing",
            'run(); write(f"5;;{event};9;100.00;;\\n"); sys.exit(3)': "ended with status 3",
            'run(); os.kill(os.getpid(), 11)': "SIGSEGV",
        }
        for body, said in lies.items():
            with self.subTest(said):
                self.assertIn(said, self.reason(body))

    def test_what_the_harness_says_stands(self):
        self.assertIn("cannot pin to CPU 8191", self.reason("sys.exit(run())", "--cpu", "8191"))

    def test_without_perf_the_path_is_absent_with_the_reason(self):
        self.env["PATH"] = self.folder
        done = self.measure("--json", "--event", "page-faults", "--specimen", "null")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("perf is not installed", done.stderr + done.stdout)

    def test_a_perf_that_does_not_work_is_absent(self):
        for body in ('print("WARNING: perf not found for kernel 5.4")\n', "import sys; sys.exit(2)\n"):
            with self.subTest(body):
                self.fake(body, head="")
                done = self.measure("--json", "--event", "page-faults", "--specimen", "null")
                self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                self.assertIn("does not tell its version", done.stderr + done.stdout)


class Ends(Case):
    """Nothing outlives a session."""

    def below(self, parent):
        found, new = set(), {parent}
        while new:
            children = set()
            for name in os.listdir("/proc"):
                try:
                    fields = pathlib.Path(f"/proc/{name}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
                except OSError:
                    continue
                if name.isdigit() and int(fields[1]) in new and fields[0] not in "ZX":
                    children.add(int(name))
            new = children - found
            found |= new
        return found

    def alive(self, process):
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False

    def under_way(self):
        probe = frames.Probe(tap.KIT)
        self.addCleanup(probe.__exit__)
        paths = [frame["name"] for frame in probe.hello() if frame.type == "path"]
        if "perf-stat" not in paths:
            self.skipTest("perf is not installed, or does not work here")
        probe.cell(0, events="page-faults", path="perf-stat", specimen="loop", n=FOREVER, runs=1)
        probe.send("visits", list="0:0")
        probe.send("go")
        wait_until(lambda: len(self.below(probe.process.pid)) == 3)
        return probe, self.below(probe.process.pid)

    def test_a_killed_probe_takes_perf_and_the_harness_along(self):
        probe, processes = self.under_way()
        probe.process.send_signal(signal.SIGKILL)
        wait_until(lambda: not any(map(self.alive, processes)))

    def test_a_lost_controller_leaves_no_process(self):
        probe, processes = self.under_way()
        probe.process.stdin.close()
        wait_until(lambda: not any(map(self.alive, processes)))


if __name__ == "__main__":
    tap.main()
