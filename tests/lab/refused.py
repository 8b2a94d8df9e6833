# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that refuse: every command says what cannot be had, why, and how to have it."""
import json

import tap
from laboratory import LabCase

ONE = ["--specimen", "pages", "--runs", "2", "--n", "100", "--quiet"]


class Refused(LabCase):
    def partly(self, settings, *arguments):
        """Measures what can be had there: rows, the words on what cannot, and what the doctor says of the machine."""
        store = self.path("store")
        done = self.assay("measure", *ONE, "--json", *arguments, "--store", store, via="lab:aarch64," + settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        page = self.assay("report", store, "--json")
        self.assertEqual(page.returncode, 0, page.stderr)
        checks = json.loads(page.stdout)["analysis"]["machines"][0]["doctor"]
        return report["results"], json.dumps(report["skipped"]), {check["check"]: check for check in checks}

    def test_user_access_off(self):
        rows, words, checks = self.partly("user-access=off", "--event", "instructions:u", "--path", "perf-read,perf-user", "--pattern", "rr")
        self.assertEqual({row["path"] for row in rows}, {"perf-read"})
        self.assertIn("perf-user", words)
        self.assertIn("kernel.perf_user_access is 0", words)
        self.assertIn("user-access=on", words)
        self.assertNotIn("sudo", words)
        check = checks["user-access"]
        self.assertEqual((check["status"], check["value"]), ("warn", "perf_user_access = 0"))
        self.assertIn("user-access=on", check["fix"])

    def test_an_unprivileged_user_at_paranoid_3(self):
        via = "lab:aarch64,paranoid=3,user=nobody"
        done = self.assay("doctor", "--json", via=via)
        self.assertEqual(done.returncode, 0, done.stderr)
        checks = {row["check"]: row for row in json.loads(done.stdout)["results"]}
        self.assertEqual(checks["paranoid"]["status"], "bad")
        self.assertEqual(checks["paranoid"]["value"], "3")
        self.assertIn("paranoid=1", checks["paranoid"]["fix"])
        self.assertIn("uid 65534", checks["privileges"]["value"])
        self.assertIn("user=nobody", checks["privileges"]["fix"])
        self.assertIn("EACCES", checks["perf-syscall"]["value"])
        for arguments in (["measure", *ONE, "--event", "instructions:u", "--store", self.path("s")], ["events", "instructions:u"]):
            with self.subTest(arguments):
                done = self.assay(*arguments, via=via)
                self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                words = " ".join((done.stdout + done.stderr).split())
                self.assertIn("kernel.perf_event_paranoid is 3", words)
                self.assertIn("refuses every event to ordinary users", words)
                self.assertIn("--via lab:aarch64,paranoid=2", words)
                self.assertNotIn("sudo", words)

    def test_without_a_pmu_software_events_count(self):
        (row,), words, checks = self.partly("pmu=off", "--event", "page-faults:u,instructions:u", "--each")
        self.assertEqual((row["event"], row["values"]), ("page-faults:u", [100] * 2))
        self.assertIn("does not pass a PMU on", words)
        self.assertIn("without pmu=off", words)
        self.assertEqual(checks["pmu"]["status"], "bad")
        self.assertIn("none", checks["pmu"]["value"])
        self.assertIn("without pmu=off", checks["pmu"]["fix"])


if __name__ == "__main__":
    tap.main()
