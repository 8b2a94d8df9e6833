# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `assay overhead` says in JSON of planted reports: of everything, of several machines, of figures that do not exist, of
nothing. All of it is as the schema promises, and nothing is missing without a reason."""
import os

import planted
import tap

ROW = ("path", "variant", "operation", "events", "reads", "temperature", "predecessor", "processes", "runs", "unit", "min", "q1",
       "median", "q3", "p99", "max", "levels", "link", "mode", "layout", "low", "high", "disturbed", "position")
ANALYSIS = ("calls", "processes", "seconds", "timer", "gauge", "cold", "sweeps", "machines", "peers", "advice")


class Planted(planted.Reports):
    program = os.environ.get("OVERHEAD_JSON_SAMPLE", "build/tests/cli/overhead-json-sample")
    names = ("rich", "machines", "absent", "empty", "unknown")
    words = {"reference", "predecessor", "predecessor_times", "position", "levels_by", "mode", "meter", "why", "store", "variant", "link", "counted",
             "cpu", "os", "microcode", "kernel", "hypervisor", "container", "emulated", "cpus"}

    def spoiled(self):
        yield from self.spoil((("temperature", "tepid"), ("levels", None), ("median", "many"), ("surprise", 1)), "results")

    def test_a_median_that_does_not_exist_is_null(self):
        self.assertIsNone(self.sample("unknown")["results"][0]["median"])

    def test_rows_and_analysis_have_their_keys(self):
        envelope = self.sample("rich")
        for row in envelope["results"]:
            self.assertEqual([key for key in ROW if key not in row], [])
        self.assertEqual([key for key in ANALYSIS if key not in envelope["analysis"]], [])
        after = [row for row in envelope["results"] if row["predecessor"] == "papi-low.read"]
        self.assertEqual([(row["path"], row["operation"], row["median"], row["all_predecessors"]) for row in after],
                         [("perf-read", "read", 1960, False)])

    def test_levels_are_a_list_with_one_entry_or_more(self):
        rows = self.sample("rich")["results"]
        self.assertEqual([level["median"] for level in rows[3]["levels"]], [1014, 1508])
        self.assertEqual(rows[3]["levels_by"], "process")
        self.assertEqual([len(row["levels"]) for row in rows if row is not rows[3]], [1] * (len(rows) - 1))
        self.assertEqual({row["levels_by"] for row in rows if row is not rows[3]}, {None})

    def test_each_machine_has_rows_of_its_own(self):
        machines = self.sample("machines")["analysis"]["machines"]
        self.assertEqual([machine["os"] for machine in machines], ["6.12.9", "6.1.0-27"])
        self.assertEqual([machine["emulated"] for machine in machines], [True, True])
        totals = [[row["median"] for row in machine["rows"] if row["mode"] == "uk" and row["variant"] == "static"]
                  for machine in machines]
        self.assertEqual(totals, [[1220, 620], [1320, 720]])


if __name__ == "__main__":
    tap.main()
