# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `assay overhead` says in JSON of planted reports: of everything, of several machines, of figures that do not exist, of
nothing. All of it is as the schema promises, and nothing is missing without a reason."""
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

SAMPLE = os.environ.get("OVERHEAD_JSON_SAMPLE", "build/tests/cli/overhead-json-sample")
SCHEMA = os.path.join(tap.SOURCE, "docs", "json", "assay-1.schema.json")
SAMPLES = ("rich", "machines", "absent", "empty", "unknown")
ROW = ("path", "variant", "operation", "events", "reads", "temperature", "predecessor", "processes", "runs", "unit", "min", "q1",
       "median", "q3", "p99", "max", "levels", "link", "mode", "layout", "low", "high", "disturbed", "position")
ANALYSIS = ("calls", "processes", "seconds", "timer", "gauge", "cold", "sweeps", "machines", "peers", "advice")
# Words that may be null: there is nothing to explain.
WORDS = {"reference", "predecessor", "predecessor_times", "position", "levels_by", "mode", "meter", "why", "store", "variant", "link", "counted",
         "cpu", "os", "microcode", "kernel", "hypervisor", "container", "emulated", "cpus"}


def sample(name):
    done = subprocess.run([SAMPLE, name], text=True, capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)


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
        for key, value in (("temperature", "tepid"), ("levels", None), ("median", "many"), ("surprise", 1)):
            broken = sample("rich")
            broken["results"][0][key] = value
            with self.subTest(key):
                self.assertFalse(validator.is_valid(broken))

    def test_nothing_is_missing_without_a_reason(self):
        for name in SAMPLES:
            envelope = sample(name)
            with self.subTest(name):
                self.assertEqual(unexplained(envelope["results"]) + unexplained(envelope["analysis"]), [])
        self.assertIsNone(sample("unknown")["results"][0]["median"])

    def test_rows_and_analysis_have_their_keys(self):
        envelope = sample("rich")
        for row in envelope["results"]:
            self.assertEqual([key for key in ROW if key not in row], [])
        self.assertEqual([key for key in ANALYSIS if key not in envelope["analysis"]], [])
        after = [row for row in envelope["results"] if row["predecessor"] == "papi-low.read"]
        self.assertEqual([(row["path"], row["operation"], row["median"], row["all_predecessors"]) for row in after],
                         [("perf-read", "read", 1960, False)])

    def test_levels_are_a_list_with_one_entry_or_more(self):
        rows = sample("rich")["results"]
        self.assertEqual([level["median"] for level in rows[3]["levels"]], [1014, 1508])
        self.assertEqual(rows[3]["levels_by"], "process")
        self.assertEqual([len(row["levels"]) for row in rows if row is not rows[3]], [1] * (len(rows) - 1))
        self.assertEqual({row["levels_by"] for row in rows if row is not rows[3]}, {None})

    def test_each_machine_has_rows_of_its_own(self):
        machines = sample("machines")["analysis"]["machines"]
        self.assertEqual([machine["os"] for machine in machines], ["6.12.9", "6.1.0-27"])
        self.assertEqual([machine["emulated"] for machine in machines], [True, True])
        totals = [[row["median"] for row in machine["rows"] if row["mode"] == "uk" and row["variant"] == "static"]
                  for machine in machines]
        self.assertEqual(totals, [[1220, 620], [1320, 720]])


if __name__ == "__main__":
    tap.main()
