# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole programs repeat exactly in the lab, on one CPU model and from one to the next; and one that counts otherwise is told."""
import json
import os
import shutil

import tap
from laboratory import LabCase
from unfinished import changed

KIT = os.path.join(os.environ.get("ASSAY_BUILD", ""), "libexec", "assay", "aarch64")
RUNS = 4


class Repeat(LabCase):
    def repeat(self, cpu):
        """Executes a program of the kit, brought as a file like any other; its store, rows by setting, and findings."""
        store = self.path(f"{cpu}.sqlite")
        program = self.path("program")
        shutil.copy(os.path.join(KIT, "subject-loop"), program)
        # One control, so that there are few settings.
        done = self.assay("repeat", "--event", "instructions:u,page-faults", "--source", "perf_event", "--runs", str(RUNS), "--control", "aslr",
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

    def test_a_program_counts_the_same_in_every_run_and_on_another_cpu_and_one_that_does_not_is_told(self):
        little, rows, findings = self.repeat("cortex-a53")
        self.assertEqual(findings["M11"]["verdict"], "not testable here", findings["M11"])
        big, others, _ = self.repeat("cortex-a72")
        for setting in ("as-is", "only-aslr"):
            for row in (rows[setting], others[setting]):
                self.assertEqual((row["runs"], row["identical"], row["distinct"]), (RUNS, RUNS, 1), row)
        self.assertEqual(rows["only-aslr"]["min"], others["only-aslr"]["max"])
        finding = self.between(little, big)
        self.assertEqual(finding["verdict"], "holds", finding)
        self.assertIn("1 of 1 comparisons of 1 program equal in every run", finding["reason"])
        self.assertIn("emulated", finding["reason"])
        self.assertEqual(self.between(little, little)["verdict"], "not testable here")
        # As if another program had been executed there: with as many instructions as this one has page faults.
        planted = changed(big, self.path("planted.sqlite"), "UPDATE counter SET event = CASE event WHEN 'page-faults' THEN 'instructions:u' "
                          "ELSE 'page-faults' END, class = CASE event WHEN 'page-faults' THEN 'instructions' ELSE 'page-faults' END "
                          "WHERE event IN ('instructions:u', 'page-faults')")
        finding = self.between(little, planted)
        self.assertEqual(finding["verdict"], "does not hold", finding)
        self.assertIn("Cortex-A72", finding["reason"])


if __name__ == "__main__":
    tap.main()
