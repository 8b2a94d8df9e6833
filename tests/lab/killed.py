# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is killed, and whenever: no process stays, and the store goes on where it was."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import time

import tap
from laboratory import VIA, PATIENCE, LabCase

CELLS = 12
PLAN = ["--event", "instructions:u", "--specimen", "loop", "--n", "1000", "--runs", "10", "--path",
        "perf-read,perf-syscall,perf-prctl", "--pattern", "ar,ao,rr,ro", "--no-overhead", "--processes", "4"]


def visits(store):
    """How many visits are done, or None while there is no plan."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as database:
            return database.execute("SELECT count(*) FROM visit WHERE state = 'done'").fetchone()[0]
    except sqlite3.Error:
        return None


class Killed(LabCase):
    def start(self, store):
        return subprocess.Popen([tap.ASSAY, "measure", *PLAN, "--store", store, "--via", VIA], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, **self.env))

    def until_emulating(self, process, seconds):
        """Until QEMU runs, and so many seconds longer: somewhere in the boot."""
        self.wait_for(lambda: self.emulators() or process.poll() is not None, "no emulator was started")
        self.assertIsNone(process.poll())
        time.sleep(seconds)

    def until_sampling(self, process, store):
        self.wait_for(lambda: visits(store) or process.poll() is not None, "no sample came")

    def assert_resumes(self, store):
        done = self.assay("measure", "--resume", "--store", store, "--json", via=VIA)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["results"]
        self.assertEqual(len(rows), CELLS)
        for row in rows:
            self.assertEqual(row["values"], row["values"][:1] * 40, row)

    def test_the_controller_killed_while_the_machine_boots(self):
        for seconds in (0, 0.3, 1):
            with self.subTest(seconds):
                process = self.start(self.path(f"s{seconds}"))
                self.until_emulating(process, seconds)
                process.kill()
                process.communicate()
                self.assert_nothing_runs()

    def test_the_controller_killed_between_samples_resumes(self):
        store = self.path("s")
        process = self.start(store)
        self.until_sampling(process, store)
        process.kill()
        process.communicate()
        self.assert_nothing_runs()
        self.assert_resumes(store)

    def test_the_emulator_killed_while_the_machine_boots(self):
        process = self.start(self.path("s"))
        self.until_emulating(process, 0.3)
        os.kill(self.emulators()[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("the machine ended before its probe spoke, with signal 9", errors)
        self.assert_nothing_runs()

    def test_the_emulator_killed_between_samples_is_told_and_resumes(self):
        store = self.path("s")
        process = self.start(store)
        self.until_sampling(process, store)
        os.kill(self.emulators()[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("--resume", errors)
        self.assert_nothing_runs()
        self.assert_resumes(store)

    def test_an_emulator_that_stands_still_is_given_up(self):
        store = self.path("s")
        self.env["ASSAY_SILENCE_MS"] = "3000"
        process = self.start(store)
        self.until_sampling(process, store)
        os.kill(self.emulators()[0], signal.SIGSTOP)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("hangs", errors)
        self.assert_nothing_runs()

    def test_sigint_while_booting_and_between_samples(self):
        process = self.start(self.path("b"))
        self.until_emulating(process, 0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, errors)
        self.assert_nothing_runs()
        store = self.path("s")
        process = self.start(store)
        self.until_sampling(process, store)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, errors)
        self.assert_nothing_runs()
        self.assert_resumes(store)

    def test_a_command_in_the_lab_killed_with_its_controller(self):
        process = subprocess.Popen([tap.ASSAY, "lab", "run", "aarch64", "--", "sh", "-c", "echo up; sleep 1000"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, **self.env))
        self.assertEqual(process.stdout.readline(), b"up\n")
        process.kill()
        process.communicate()
        self.assert_nothing_runs()

    def test_a_command_in_the_lab_ends_with_its_reader(self):
        done = subprocess.run(["sh", "-c", '{ "$1" lab run aarch64 -- yes; echo $? >&2; } | head -n 1', "sh", tap.ASSAY],
                              capture_output=True, env=dict(os.environ, **self.env), timeout=PATIENCE, stdin=subprocess.DEVNULL,
                              check=False)
        self.assertEqual((done.stdout, done.stderr), (b"y\n", b"141\n"))
        self.assert_nothing_runs()

    def test_a_command_in_the_lab_ended_by_a_signal_tells_which(self):
        for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            with self.subTest(number):
                process = subprocess.Popen([tap.ASSAY, "lab", "run", "aarch64", "--", "sh", "-c", "echo up; sleep 1000"],
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, **self.env))
                self.assertEqual(process.stdout.readline(), b"up\n")
                process.send_signal(number)
                process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, status)
                self.assert_nothing_runs()


if __name__ == "__main__":
    tap.main()
