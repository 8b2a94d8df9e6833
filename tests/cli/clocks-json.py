# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `assay clocks` says in JSON of planted reports: of everything, of figures that do not exist, of hostile names, of nothing.
All of it is as the schema promises, and no number is missing without a reason."""
import os

import planted
import tap

ROW = ("clock", "reference", "reference_independent", "workload", "threads", "requested_ms", "runs", "ratio_median", "ratio_min",
       "ratio_max", "max_error_ns", "trust")
CLOCK = ("clock", "cost_ticks", "resolution_ns", "monotonic", "cross_cpu_offset_ticks", "rate_ppm")


class Planted(planted.Reports):
    program = os.environ.get("CLOCKS_JSON_SAMPLE", "build/tests/cli/clocks-json-sample")
    names = ("rich", "all", "absent", "empty", "unknown", "hostile")
    words = {"why", "fault", "worst_workload", "same_as", "note", "idle", "clocksource", "available", "flags", "store", "outside", "rtc", "by"}

    def spoiled(self):
        yield from self.spoil((("trust", "blind"), ("ratio_max", "many"), ("runs", -1), ("surprise", 1)), "results")
        yield from self.spoil((("fault", "bad luck"), ("monotonic", "yes"), ("cost_ticks", "few"), ("surprise", 1)), "analysis", "clocks")

    def test_rows_and_clocks_have_their_keys_first(self):
        envelope = self.sample("rich")
        for row in envelope["results"]:
            self.assertEqual(tuple(row)[:len(ROW)], ROW)
        for clock in envelope["analysis"]["clocks"]:
            self.assertEqual(tuple(clock)[:len(CLOCK)], CLOCK)

    def test_a_row_says_what_was_planted(self):
        row = self.sample("rich")["results"][0]
        self.assertEqual([row[key] for key in ROW[:7]], ["tsc", "monotonic-raw", False, "sleep", 1, 20.0, 20])
        self.assertEqual((row["ratio_max"], row["trust"], row["bound_ns"]), (1.000002, "not falsifiable here", 900))

    def test_a_clock_says_what_was_planted(self):
        clocks = {clock["clock"]: clock for clock in self.sample("rich")["analysis"]["clocks"]}
        self.assertNotIn("cpu", clocks)
        tsc, raw, coarse = clocks["tsc"], clocks["monotonic-raw"], clocks["monotonic-coarse"]
        self.assertEqual([tsc[key] for key in CLOCK], ["tsc", 25, 10, True, 3, 0.31])
        self.assertEqual((raw["same_as"], raw["parted_ns"], tsc["same_as"]), ("tsc", 31, None))
        self.assertEqual((coarse["trust"], coarse["fault"], coarse["faults"]), ("not dependable", "coarse-steps", ["coarse-steps"]))
        self.assertEqual((tsc["claims"]["hz"], tsc["rates"][0]["against"]), (2595000000, "monotonic-raw"))

    def test_what_is_no_number_is_null(self):
        envelope = self.sample("unknown")
        row, clocks = envelope["results"][0], envelope["analysis"]["clocks"]
        self.assertEqual([row["ratio_max"], row["naive_max"], row["scatter"]], [None] * 3)
        self.assertEqual([clocks[0]["cost_ticks"], clocks[0]["resolution_ns"], clocks[0]["rate_ppm"]], [None] * 3)
        self.assertEqual([clocks[1][key] for key in CLOCK[1:]], [None] * 5)
        self.assertEqual((envelope["results"][1]["runs"], envelope["results"][1]["ratio_median"]), (0, None))
        self.assertEqual([envelope["analysis"]["pairs"][0][key] for key in ("constant", "offset_ticks")], [False, None])

    def test_points_come_with_all(self):
        self.assertNotIn("points", self.sample("rich")["analysis"])
        points = self.sample("all")["analysis"]["points"]
        self.assertEqual(len(points), 7 * 15)
        self.assertEqual((points[0]["clock"], points[0]["requested_ms"]), ("tsc", 20))


if __name__ == "__main__":
    tap.main()
