# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `assay clocks` says in JSON of planted reports: of everything, of figures that do not exist, of hostile names, of nothing.
All of it is as the schema promises, and no number is missing without a reason."""
import json
import os
import subprocess
import unittest
import warnings

import tap

try:
    import jsonschema
except ImportError:
    jsonschema = None

SAMPLE = os.environ.get("CLOCKS_JSON_SAMPLE", "build/tests/cli/clocks-json-sample")
SCHEMA = os.path.join(tap.SOURCE, "docs", "json", "assay-1.schema.json")
SAMPLES = ("rich", "all", "absent", "empty", "unknown", "hostile")
ROW = ("clock", "reference", "reference_independent", "workload", "threads", "requested_ms", "runs", "ratio_median", "ratio_min",
       "ratio_max", "max_error_ns", "trust")
CLOCK = ("clock", "cost_ticks", "resolution_ns", "monotonic", "cross_cpu_offset_ticks", "rate_ppm")
# Words that may be null: there is nothing to explain.
WORDS = {"why", "fault", "worst_workload", "same_as", "note", "idle", "clocksource", "available", "flags", "store", "outside", "rtc", "by"}


def sample(name):
    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")
    done = subprocess.run([SAMPLE, name], text=True, capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout, parse_constant=refuse)


def unexplained(value, where=""):
    """Every null without a reason beside it."""
    found = []
    if isinstance(value, list):
        for index, member in enumerate(value):
            found += unexplained(member, f"{where}[{index}]")
    elif isinstance(value, dict):
        for key, member in value.items():
            if member is None and key not in WORDS and not value.get(key + "_reason"):
                found.append(f"{where}.{key}")
            found += unexplained(member, f"{where}.{key}")
    return found


class Planted(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def test_all_of_it_is_as_the_schema_promises(self):
        if not jsonschema or not hasattr(jsonschema, "Draft202012Validator"):
            self.skipTest("python3-jsonschema is not installed, or older than draft 2020-12")
        with open(SCHEMA, encoding="utf-8") as file:
            validator = jsonschema.Draft202012Validator(json.load(file))
        for name in SAMPLES:
            with self.subTest(name):
                problems = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(sample(name))]
                self.assertEqual(problems, [])
        for key, value in (("trust", "blind"), ("ratio_max", "many"), ("runs", -1), ("surprise", 1)):
            broken = sample("rich")
            broken["results"][0][key] = value
            with self.subTest(key):
                self.assertFalse(validator.is_valid(broken))
        for key, value in (("fault", "bad luck"), ("monotonic", "yes"), ("cost_ticks", "few"), ("surprise", 1)):
            broken = sample("rich")
            broken["analysis"]["clocks"][0][key] = value
            with self.subTest(key):
                self.assertFalse(validator.is_valid(broken))

    def test_nothing_is_missing_without_a_reason(self):
        for name in SAMPLES:
            envelope = sample(name)
            with self.subTest(name):
                self.assertEqual(unexplained(envelope["results"]) + unexplained(envelope["analysis"]), [])

    def test_rows_and_clocks_have_their_keys_first(self):
        envelope = sample("rich")
        for row in envelope["results"]:
            self.assertEqual(tuple(row)[:len(ROW)], ROW)
        for clock in envelope["analysis"]["clocks"]:
            self.assertEqual(tuple(clock)[:len(CLOCK)], CLOCK)

    def test_a_row_says_what_was_planted(self):
        row = sample("rich")["results"][0]
        self.assertEqual([row[key] for key in ROW[:7]], ["tsc", "monotonic-raw", False, "sleep", 1, 20.0, 20])
        self.assertEqual((row["ratio_max"], row["trust"], row["bound_ns"]), (1.000002, "not falsifiable here", 900))

    def test_a_clock_says_what_was_planted(self):
        clocks = {clock["clock"]: clock for clock in sample("rich")["analysis"]["clocks"]}
        self.assertNotIn("cpu", clocks)
        tsc, raw, coarse = clocks["tsc"], clocks["monotonic-raw"], clocks["monotonic-coarse"]
        self.assertEqual([tsc[key] for key in CLOCK], ["tsc", 25, 10, True, 3, 0.31])
        self.assertEqual((raw["same_as"], raw["parted_ns"], tsc["same_as"]), ("tsc", 31, None))
        self.assertEqual((coarse["trust"], coarse["fault"], coarse["faults"]), ("not dependable", "coarse-steps", ["coarse-steps"]))
        self.assertEqual((tsc["claims"]["hz"], tsc["rates"][0]["against"]), (2595000000, "monotonic-raw"))

    def test_what_is_no_number_is_null(self):
        envelope = sample("unknown")
        row, clocks = envelope["results"][0], envelope["analysis"]["clocks"]
        self.assertEqual([row["ratio_max"], row["naive_max"], row["scatter"]], [None] * 3)
        self.assertEqual([clocks[0]["cost_ticks"], clocks[0]["resolution_ns"], clocks[0]["rate_ppm"]], [None] * 3)
        self.assertEqual([clocks[1][key] for key in CLOCK[1:]], [None] * 5)
        self.assertEqual((envelope["results"][1]["runs"], envelope["results"][1]["ratio_median"]), (0, None))
        self.assertEqual([envelope["analysis"]["pairs"][0][key] for key in ("constant", "offset_ticks")], [False, None])

    def test_points_come_with_all(self):
        self.assertNotIn("points", sample("rich")["analysis"])
        points = sample("all")["analysis"]["points"]
        self.assertEqual(len(points), 7 * 15)
        self.assertEqual((points[0]["clock"], points[0]["requested_ms"]), ("tsc", 20))


if __name__ == "__main__":
    tap.main()
