# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that refuse: every command says what cannot be had, why, and how to have it."""
import json

import tap
from laboratory import LabCase

ONE = ["--event", "instructions:u", "--specimen", "loop", "--runs", "2", "--n", "1000"]


class Refused(LabCase):
    def doctor(self, settings, *checks):
        done = self.assay("doctor", "--json", *checks, via="lab:aarch64," + settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["check"]: row for row in json.loads(done.stdout)["results"]}

    def lacking(self, settings, *arguments):
        """The words with which a command gives exit status 3."""
        done = self.assay(*arguments, via="lab:aarch64," + settings)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        return " ".join((done.stdout + done.stderr).split())

    def test_user_access_off(self):
        check = self.doctor("user-access=off", "user-access")["user-access"]
        self.assertEqual((check["status"], check["value"]), ("warn", "perf_user_access = 0"))
        self.assertIn("user-access=on", check["fix"])
        words = self.lacking("user-access=off", "measure", *ONE, "--path", "perf-user", "--pattern", "rr", "--store",
                             self.path("s"))
        self.assertIn("perf-user", words)
        self.assertIn("kernel.perf_user_access is 0", words)
        self.assertIn("user-access=on", words)
        self.assertNotIn("sudo", words)

    def test_an_unprivileged_user_at_paranoid_3(self):
        settings = "paranoid=3,user=nobody"
        checks = self.doctor(settings)
        self.assertEqual(checks["paranoid"]["status"], "bad")
        self.assertEqual(checks["paranoid"]["value"], "3")
        self.assertIn("paranoid=1", checks["paranoid"]["fix"])
        self.assertIn("uid 65534", checks["privileges"]["value"])
        self.assertIn("user=nobody", checks["privileges"]["fix"])
        self.assertIn("EACCES", checks["perf-syscall"]["value"])
        for arguments in (["measure", *ONE, "--store", self.path("s")], ["events", "instructions:u"]):
            with self.subTest(arguments):
                words = self.lacking(settings, *arguments)
                self.assertIn("kernel.perf_event_paranoid is 3", words)
                self.assertIn("refuses every event to ordinary users", words)
                self.assertIn("--via lab:aarch64,paranoid=2", words)
                self.assertNotIn("sudo", words)

    def test_no_pmu(self):
        check = self.doctor("pmu=off", "pmu")["pmu"]
        self.assertEqual(check["status"], "bad")
        self.assertIn("none", check["value"])
        self.assertIn("without pmu=off", check["fix"])
        for arguments in (["measure", *ONE, "--store", self.path("s")], ["events", "instructions:u"]):
            with self.subTest(arguments):
                words = self.lacking("pmu=off", *arguments)
                self.assertIn("does not pass a PMU on", words)
                self.assertIn("without pmu=off", words)

    def test_zeros_of_events_that_are_not_emulated_are_explained(self):
        done = self.assay("measure", "--event", "r10:u", "--specimen", "loop", "--n", "10", "--runs", "2", "--store",
                          self.path("s"), via="lab:aarch64")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("QEMU counts instructions and cycles only; others read 0", " ".join(done.stdout.split()))

    def test_software_events_count_without_a_pmu(self):
        row, = self.measure("--event", "page-faults:u", "--specimen", "pages", "--n", "100", "--runs", "5",
                            via="lab:aarch64,pmu=off")["results"]
        self.assertEqual(row["values"], [100] * 5)


if __name__ == "__main__":
    tap.main()
