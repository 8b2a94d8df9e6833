# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole programs repeat exactly in the lab, on one CPU model and from one to the next; and another program under the same name
is told from it."""
import json
import os
import shutil

import tap
from laboratory import LabCase

KIT = os.path.join(os.environ.get("ASSAY_BUILD", ""), "libexec", "assay", "aarch64")
RUNS = 12


class Repeat(LabCase):
    def repeat(self, cpu, subject):
        """Executes a program of the kit, brought as a file like any other; its store, rows by setting, and findings."""
        store = self.path(f"{cpu}-{subject}.sqlite")
        program = self.path("program")
        shutil.copy(os.path.join(KIT, "subject-" + subject), program)
        # One control, so that there are few settings.
        done = self.assay("repeat", "--event", "instructions:u", "--source", "perf_event", "--runs", str(RUNS), "--control", "aslr",
                          "--no-subjects", "--budget", "5m", "--store", store, "--json", "--bring", program,
                          "--via", f"lab:aarch64,cpu={cpu}", "--", "{brought}/program", "100000")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        rows = {row["setting"]: row for row in report["results"] if row["event"] == "instructions:u" and not row["sweep"]}
        return store, rows, {finding["id"]: finding for finding in report["findings"]}

    def between(self, *stores):
        """M11 of several stores."""
        done = self.assay("repeat", *[word for store in stores for word in ("--from", store)], "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        finding, = [finding for finding in json.loads(done.stdout)["findings"] if finding["id"] == "M11"]
        return finding

    def test_a_program_counts_the_same_in_every_run_and_on_another_cpu_and_another_program_does_not(self):
        little, rows, findings = self.repeat("cortex-a53", "loop")
        self.assertEqual(findings["M11"]["verdict"], "not testable here", findings["M11"])
        big, others, _ = self.repeat("cortex-a72", "loop")
        for setting in ("as-is", "only-aslr"):
            for row in (rows[setting], others[setting]):
                self.assertEqual((row["runs"], row["identical"], row["distinct"]), (RUNS, RUNS, 1), row)
        self.assertEqual(rows["only-aslr"]["min"], others["only-aslr"]["max"])
        finding = self.between(little, big)
        self.assertEqual(finding["verdict"], "holds", finding)
        self.assertIn("1 of 1 comparisons of 1 program equal in every run", finding["reason"])
        self.assertIn("emulated", finding["reason"])
        self.assertEqual(self.between(little, little)["verdict"], "not testable here")
        planted, wrong, _ = self.repeat("cortex-a72", "environment")
        self.assertEqual(wrong["only-aslr"]["distinct"], 1)
        finding = self.between(little, planted)
        self.assertEqual(finding["verdict"], "does not hold", finding)
        self.assertIn("Cortex-A72", finding["reason"])


if __name__ == "__main__":
    tap.main()
