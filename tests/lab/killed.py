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
import uuid

import tap
from laboratory import ANY_KIT, VIA, PATIENCE, LabCase

CELLS = 12
PLAN = ["--event", "instructions:u", "--specimen", "loop", "--n", "1000", "--runs", "5", "--path",
        "perf-read,perf-syscall,perf-prctl", "--pattern", "ar,ao,rr,ro", "--no-overhead", "--processes", "8"]


def visits(store):
    """How many visits are done, or None while there is no plan."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as database:
            return database.execute("SELECT count(*) FROM visit WHERE state = 'done'").fetchone()[0]
    except sqlite3.Error:
        return None


class Booting(LabCase):
    """Machines side by side, each with a mark of its own; what is killed ends long before it is up."""

    def start(self, *arguments):
        mark = uuid.uuid4().hex
        process = subprocess.Popen([tap.ASSAY, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=dict(os.environ, ASSAY_TEST_MARK=self.mark + mark, **ANY_KIT))
        self.addCleanup(process.kill)
        return process, mark

    def test_whatever_is_killed_nothing_stays(self):
        machines = [self.start("measure", *PLAN, "--store", self.path(str(number)), "--via", VIA) for number in range(5)]
        machines += [self.start("lab", "run", "aarch64", "--", "sleep", "1000") for _ in range(2)]
        for process, mark in machines:
            self.wait_for(lambda: self.emulators(mark) or process.poll() is not None, "no emulator was started")
            self.assertIsNone(process.poll())
        at_once, interrupted, early, bereft, late, command, stopped = machines
        at_once[0].kill()
        command[0].kill()
        stopped[0].send_signal(signal.SIGINT)
        time.sleep(0.2)
        interrupted[0].send_signal(signal.SIGINT)
        time.sleep(0.1)
        early[0].kill()
        os.kill(self.emulators(bereft[1])[0], signal.SIGKILL)
        time.sleep(0.7)
        late[0].kill()
        errors = [process.communicate(timeout=PATIENCE)[1] for process, _ in machines]
        self.assertEqual([process.returncode for process, _ in machines], [-9, 130, -9, 1, -9, -9, 130], errors)
        self.assertIn("the machine ended before its probe spoke, with signal 9", errors[3])
        self.assert_nothing_runs()


class Sampling(LabCase):
    def start(self, store, *arguments, **env):
        return subprocess.Popen([tap.ASSAY, "measure", *arguments, "--store", store, "--via", VIA], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, **self.env, **env))

    def until_sampling(self, process, store, before):
        self.wait_for(lambda: (visits(store) or 0) > before or process.poll() is not None, "no sample came")

    def test_a_store_goes_on_however_often_something_is_killed(self):
        store = self.path("store")
        before, begin = 0, PLAN
        for what, status, words in (("controller", -9, ""), ("emulator", 1, "--resume"), ("interrupt", 130, ""), ("standstill", 1, "hangs")):
            with self.subTest(what):
                process = self.start(store, *begin, **({"ASSAY_SILENCE_MS": "3000"} if what == "standstill" else {}))
                self.until_sampling(process, store, before)
                if what == "controller":
                    process.kill()
                elif what == "interrupt":
                    process.send_signal(signal.SIGINT)
                else:
                    os.kill(self.emulators()[0], signal.SIGKILL if what == "emulator" else signal.SIGSTOP)
                _, errors = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, status, errors)
                self.assertIn(words, errors)
                self.assert_nothing_runs()
            before, begin = visits(store), ["--resume"]
        done = self.assay("measure", "--resume", "--store", store, "--json", via=VIA)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["results"]
        self.assertEqual(len(rows), CELLS)
        for row in rows:
            self.assertEqual(row["values"], row["values"][:1] * 40, row)

    def test_a_command_in_the_lab_ends_with_its_reader_or_by_a_signal(self):
        stopped = subprocess.Popen([tap.ASSAY, "lab", "run", "aarch64", "--", "sh", "-c", "echo up; sleep 1000"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, **self.env))
        self.addCleanup(stopped.kill)
        done = subprocess.run(["sh", "-c", '{ "$1" lab run aarch64 -- yes; echo $? >&2; } | head -n 1', "sh", tap.ASSAY],
                              capture_output=True, env=dict(os.environ, **self.env), timeout=PATIENCE, stdin=subprocess.DEVNULL,
                              check=False)
        self.assertEqual((done.stdout, done.stderr), (b"y\n", b"141\n"))
        self.assertEqual(stopped.stdout.readline(), b"up\n")
        stopped.terminate()
        stopped.communicate(timeout=PATIENCE)
        self.assertEqual(stopped.returncode, 143)
        self.assert_nothing_runs()


if __name__ == "__main__":
    tap.main()
