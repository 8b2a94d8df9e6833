# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts in the lab are exact: the same in every run, with an error that does not depend on the work."""
import collections

import tap
from laboratory import VIA, LabCase

LOOP = ["--specimen", "loop", "--runs", "10", "--no-overhead"]


class Exact(LabCase):
    def test_every_window_counts_the_same_in_every_run_and_errs_alike_at_every_n(self):
        report = self.measure("--event", "instructions:u", *LOOP, "--n", "1,1000,1000000", "--path", "all", "--pattern", "all",
                              "--opt", "all")
        errors = collections.defaultdict(set)
        patterns = collections.defaultdict(set)
        for row in report["results"]:
            window = row["path"], row["pattern"], row["opt"]
            self.assertEqual(row["values"], row["values"][:1] * 10, row)
            self.assertEqual(row["truth_grade"], "proven", row)
            errors[window].add(row["values"][0] - row["truth"])
            patterns[row["path"]].add(row["pattern"])
        self.assertEqual({window: found for window, found in errors.items() if len(found) != 1}, {})
        for path in ("perf-read", "perf-syscall", "perf-prctl"):
            self.assertEqual(patterns[path], {"ar", "ao", "rr", "ro"}, path)
        self.assertIn("perf-user", patterns)
        self.assertEqual({opt for _, _, opt in errors}, {"O0", "O1", "O2", "O3"})
        self.assertEqual(len(report["results"]), 3 * len(errors))

    def test_user_and_kernel_add_up_in_every_run(self):
        report = self.measure("--event", "instructions:u,instructions:k,instructions:uk", *LOOP, "--n", "1,1000")
        counts = collections.defaultdict(dict)
        for row in report["results"]:
            counts[row["n"]][row["event"]] = row["values"]
        self.assertEqual(sorted(counts), [1, 1000])
        for n, of in counts.items():
            sums = [user + kernel for user, kernel in zip(of["instructions:u"], of["instructions:k"])]
            self.assertEqual(sums, of["instructions:uk"], f"N = {n}")
            self.assertEqual(len(set(of["instructions:u"])), 1)

    def test_more_events_than_counters_are_shown_as_multiplexed_with_scaling_and_error(self):
        many, few = self.measure("--event", "instructions:u", *LOOP, "--n", "20000000", "--runs", "3", "--separate",
                                 "--counters", "6,9")["results"]
        if many["counters"] != 9:
            many, few = few, many
        self.assertEqual((few["multiplexed"], few["scaling_max"]), (0, 1.0), few)
        self.assertEqual(len(set(few["values"])), 1)
        self.assertEqual(many["multiplexed"], 3, many)
        self.assertGreater(many["scaling_min"], 1.05)
        self.assertLess(many["scaling_max"], 3)
        self.assertIn("multiplexed in 3 of 3 runs", many["note"])
        # Extrapolated: near the truth, and said how far from it.
        for end in ("error_min", "error", "error_max"):
            self.assertLess(abs(many[end]), 0.2 * many["truth"], many)

    def test_every_link_mode_runs_there_and_the_results_say_that_it_is_emulated(self):
        report = self.measure("--event", "instructions:u", *LOOP, "--n", "1000", "--link", "all")
        self.assertEqual({row["link"] for row in report["results"]}, {"static", "lazy", "bind-now"}, report["skipped"])
        for row in report["results"]:
            self.assertEqual(row["values"], row["values"][:1] * 10, row)
        self.assertIn("QEMU TCG", report["machine"]["emulated"])
        self.assertEqual(report["machine"]["isa"], "aarch64")

    def test_other_cpus_count_exactly_too(self):
        for cpu in ("neoverse-n1", "max"):
            with self.subTest(cpu):
                row, = self.measure("--event", "instructions:u", *LOOP, "--n", "1000", "--path", "perf-syscall",
                                    via=f"lab:aarch64,cpu={cpu}")["results"]
                self.assertEqual(row["values"], row["values"][:1] * 10)

    def test_a_group_that_does_not_fit_is_told_with_the_way_out(self):
        done = self.assay("measure", "--event", "instructions:u", "--counters", "7", "--specimen", "loop", "--n", "1000",
                          "--runs", "3", "--store", self.path("misfit"), via=VIA)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("never got a counter: the zeros mean nothing", done.stdout)
        self.assertIn("let them take turns with --separate", done.stdout)
        self.assertIn("Linux", done.stdout)


if __name__ == "__main__":
    tap.main()
