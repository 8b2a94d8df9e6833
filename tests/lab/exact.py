# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts in the lab are exact: the same in every run, with an error that does not depend on the work."""
import collections
import json

import tap
from laboratory import VIA, LabCase

RUNS = 3
LOOP = ["--specimen", "loop", "--runs", str(RUNS), "--no-overhead"]


class Exact(LabCase):
    def test_every_window_counts_the_same_in_every_run_and_errs_alike_at_every_n(self):
        # The larger N is a quarter of a tick of the timer, which many of the runs meet.
        report = self.measure("--event", "instructions:u", *LOOP, "--n", "1,300000", "--path", "all", "--pattern", "all", "--opt", "all")
        errors = collections.defaultdict(set)
        patterns = collections.defaultdict(set)
        for row in report["results"]:
            window = row["path"], row["pattern"], row["opt"]
            self.assertEqual(row["values"], row["values"][:1] * RUNS, row)
            self.assertEqual(row["truth_grade"], "proven", row)
            errors[window].add(row["values"][0] - row["truth"])
            patterns[row["path"]].add(row["pattern"])
        self.assertEqual({window: found for window, found in errors.items() if len(found) != 1}, {})
        for path in ("perf-read", "perf-syscall", "perf-prctl"):
            self.assertEqual(patterns[path], {"ar", "ao", "rr", "ro"}, path)
        self.assertIn("perf-user", patterns)
        self.assertEqual({opt for _, _, opt in errors}, {"O0", "O1", "O2", "O3"})
        self.assertEqual(len(report["results"]), 2 * len(errors))

    def test_user_and_kernel_add_up_in_every_run_and_link_mode_and_the_results_say_that_it_is_emulated(self):
        report = self.measure("--event", "instructions:u,instructions:k,instructions:uk", *LOOP, "--n", "1,1000", "--link", "all")
        counts = collections.defaultdict(dict)
        for row in report["results"]:
            counts[row["link"], row["n"]][row["event"]] = row["values"]
        self.assertEqual(set(counts), {(link, n) for link in ("static", "lazy", "bind-now") for n in (1, 1000)}, report["skipped"])
        for cell, of in counts.items():
            sums = [user + kernel for user, kernel in zip(of["instructions:u"], of["instructions:k"])]
            self.assertEqual(sums, of["instructions:uk"], cell)
            self.assertEqual(of["instructions:u"], of["instructions:u"][:1] * RUNS, cell)
        self.assertIn("QEMU TCG", report["machine"]["emulated"])
        self.assertEqual(report["machine"]["isa"], "aarch64")

    def test_its_counters_show_that_it_is_emulated_whether_it_says_so_or_not(self):
        done = self.assay("doctor", "--json", via=VIA)
        self.assertEqual(json.loads(done.stdout)["analysis"]["facts"]["perf.lockstep"], "1", done.stderr)

    def test_more_events_than_counters_are_shown_as_multiplexed_with_scaling_and_error(self):
        """On another CPU, which counts exactly too."""
        many, few = self.measure("--event", "instructions:u", *LOOP, "--n", "20000000", "--separate", "--counters", "6,9",
                                 "--path", "perf-syscall", via=VIA + ",cpu=neoverse-n1")["results"]
        if many["counters"] != 9:
            many, few = few, many
        self.assertEqual((few["multiplexed"], few["scaling_max"]), (0, 1.0), few)
        self.assertEqual(few["values"], few["values"][:1] * RUNS)
        self.assertEqual(many["multiplexed"], RUNS, many)
        self.assertGreater(many["scaling_min"], 1.05)
        self.assertLess(many["scaling_max"], 3)
        self.assertIn(f"multiplexed in {RUNS} of {RUNS} runs", many["note"])
        # Extrapolated: near the truth, and said how far from it.
        for end in ("error_min", "error", "error_max"):
            self.assertLess(abs(many[end]), 0.2 * many["truth"], many)

    def test_a_group_that_does_not_fit_is_told_with_the_way_out_and_zeros_of_events_that_are_not_emulated_are_explained(self):
        """On a third CPU, where one counter is exact."""
        done = self.assay("measure", "--event", "instructions:u,r10:u", "--each", "--counters", "1,7", *LOOP, "--n", "1000", "--store",
                          self.path("misfit"), via=VIA + ",cpu=max")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"instructions:u +1 +[0-9,]+ in 3 of 3 runs")
        words = " ".join(done.stdout.split())
        self.assertIn("never got a counter: the zeros mean nothing", words)
        self.assertIn("let them take turns with --separate", words)
        self.assertIn("QEMU counts instructions and cycles only; others read 0", words)
        self.assertIn("Linux", words)


if __name__ == "__main__":
    tap.main()
