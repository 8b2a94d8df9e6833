# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`assay repeat` and `assay truth` with programs at their worst: a clear result, the program's own status, nothing left, and
the terminal as it was."""
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import tempfile
import termios
import time
import unittest

import processes
import programs
import tap
from programs import program

TIMED_OUT, NOT_EXECUTABLE, NOT_FOUND, SIGNALLED, INTERRUPTED = 124, 126, 127, 128, 130
PATIENCE = 100  # seconds; only a limit

# Few executions by what costs least, so that what is tried is the program and not the study.
REPEAT = ["repeat", "--runs", "2", "--control", "aslr", "--no-subjects", "--source", "perf_event", "--event", "page-faults:u"]
TRUTH = ["truth", "--source", "qemu"]


class Hostile(unittest.TestCase):
    """Of one command of assay, which a class below names."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work, self.private, state = (pathlib.Path(self.folder.name, name) for name in ("work", "private", "state"))
        for folder in (self.work, self.private, state):
            folder.mkdir()
        self.environment = dict(os.environ, TMPDIR=str(self.private), XDG_STATE_HOME=str(state))
        self.addCleanup(self.nothing_is_left)

    def nothing_is_left(self):
        if not processes.eventually(lambda: not programs.left()):
            raise AssertionError(f"still run: {programs.left()}")
        self.assertEqual(list(self.private.iterdir()), [], "files of the probe")

    def words(self, *words, timeout="20s"):
        return [tap.ASSAY, *self.COMMAND, "--timeout", timeout, "--", *words]

    def run_command(self, *words, **options):
        result = subprocess.run(self.words(*words, **options), env=self.environment, cwd=self.work, timeout=PATIENCE, text=True,
                                errors="replace", capture_output=True, stdin=subprocess.DEVNULL, check=False)
        self.assertNotIn("Traceback", result.stderr)
        return result

    def status(self, *words, **options):
        return self.run_command(*words, **options).returncode

    # --- the status is the program's own ---

    def test_success(self):
        result = self.run_command(program("ends"), "exit", "0")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"\d")

    def test_failure_still_shows_results(self):
        result = self.run_command(program("ends"), "exit", "42")
        self.assertEqual(result.returncode, 42, result.stderr)
        self.assertRegex(result.stdout, r"\d")

    def test_a_crash(self):
        self.assertEqual(self.status(program("ends"), "crash"), SIGNALLED + signal.SIGSEGV)
        self.assertEqual(list(self.work.iterdir()), [], "no dump")

    def test_killed(self):
        for number in (signal.SIGKILL, signal.SIGTERM):
            self.assertEqual(self.status(program("ends"), "signal", str(int(number))), SIGNALLED + number)

    def test_missing(self):
        for name in ("/nonexistent/program", "no-such-program-anywhere", ""):
            result = self.run_command(name)
            self.assertIn(result.returncode, (NOT_FOUND, 125) if not name else (NOT_FOUND,), result.stderr)
            self.assertIn(name, result.stderr)

    def test_not_executable(self):
        (self.work / "text").write_text("text", encoding="ascii")
        for name in ("/tmp", "./text"):
            result = self.run_command(name)
            self.assertEqual(result.returncode, NOT_EXECUTABLE, result.stderr)

    # --- it ends, whatever the program does ---

    def test_one_that_waits_for_ever(self):
        result = self.run_command(program("reads"), "forever", timeout="300ms")
        self.assertEqual(result.returncode, TIMED_OUT, result.stderr)

    def test_one_that_reads_has_nothing_to_read(self):
        self.assertEqual(self.status("cat"), 0)

    def test_one_that_does_not_listen(self):
        ended = tap.together(lambda mode: self.status(program("deaf"), *mode, timeout="300ms"), ([], ["stopped"]))
        self.assertEqual(ended, [TIMED_OUT, TIMED_OUT])

    def test_one_that_prints_megabytes(self):
        result = self.run_command(program("flood"), "2", "2")
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertNotIn("xxxxxxxxxxxx", result.stdout + result.stderr)

    def test_one_that_forks(self):
        self.assertEqual(self.status(program("forks"), "tree", "3"), 0)

    def test_a_daemon(self):
        told = self.work / "pid"
        self.assertEqual(self.status("sh", "-c", f"rm -f {told}; exec {program('daemonize')} {told}"), 0)
        self.assertIsNone(processes.parent_of(told.read_text(encoding="ascii").strip()))

    # --- whoever dies ---

    def under_way(self, **options):
        process = subprocess.Popen(self.words(program("deaf"), timeout="100s"), env=self.environment, cwd=self.work,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertTrue(processes.eventually(programs.left), "the program was not started")
        return process

    def test_the_controller_is_killed(self):
        process = self.under_way()
        process.kill()
        process.wait()
        self.assertTrue(processes.eventually(lambda: not programs.left()))
        self.assertTrue(processes.eventually(lambda: not list(self.private.iterdir())))

    def test_the_controller_is_interrupted(self):
        process = self.under_way()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=PATIENCE), INTERRUPTED)

    # --- the terminal ---

    def on_terminal(self, words, keys=b""):
        """Runs on a terminal of its own; its status, and what differs about the terminal afterwards."""
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        self.addCleanup(os.close, follower)
        before = termios.tcgetattr(follower)
        process = subprocess.Popen(words, env=self.environment, cwd=self.work, stdin=follower, stdout=follower, stderr=follower,
                                   preexec_fn=lambda: (os.setsid(), os.close(os.open(os.ttyname(0), os.O_RDWR))))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        said, end = b"", time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < end:
            if select.select([leader], [], [], 0.05)[0]:
                said += os.read(leader, 65536)
            if keys and programs.left():
                os.write(leader, keys)
                keys = b""
        self.assertIsNotNone(process.poll(), said[-500:])
        while select.select([leader], [], [], 0.1)[0]:
            said += os.read(leader, 65536)
        return process.returncode, said, before == termios.tcgetattr(follower)

    def test_the_terminal_is_out_of_reach_and_stays_as_it_was(self):
        # stty on what the program has, and on the terminal itself: both must fail, and its status tells.
        script = "stty raw -echo </dev/tty 2>/dev/null && exit 51; stty raw -echo 2>/dev/null && exit 52; exit 17"
        status, said, same = self.on_terminal(self.words("sh", "-c", script))
        self.assertEqual((status, same), (17, True), said[-500:])

    def test_a_key_that_interrupts(self):
        status, said, same = self.on_terminal(self.words(program("deaf"), timeout="100s"), b"\x03")
        self.assertEqual((status, same), (INTERRUPTED, True), said[-500:])
        self.assertIsNone(re.search(rb"\x1b\[\?25l(?!.*\x1b\[\?25h)", said, re.S), "the cursor stays visible")


class Repeat(Hostile):
    COMMAND = REPEAT


class Truth(Hostile):
    COMMAND = TRUTH

    def setUp(self):
        if tap.assay("truth", "--help").returncode != 0:
            self.skipTest("there is no command truth")
        super().setUp()


del Hostile

if __name__ == "__main__":
    tap.main()
