# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `assay repeat` says in JSON of planted reports: of everything, of a suite, of figures that do not exist, of hostile names, of
nothing. All of it is as the schema promises, and no number is missing without a reason."""
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

SAMPLE = os.environ.get("REPEAT_JSON_SAMPLE", "build/tests/cli/repeat-json-sample")
SCHEMA = os.path.join(tap.SOURCE, "docs", "json", "assay-1.schema.json")
SAMPLES = ("rich", "suite", "absent", "empty", "unknown", "hostile")
ROW = ("event", "source", "setting", "runs", "counts", "min", "max", "mean", "stdev", "cv_percent", "adjusted")
PARTS = ("effects", "sweeps", "causes", "alignment", "contributions", "ranking", "programs")
# Words that may be null: there is nothing to explain.
WORDS = {"class", "sweep", "store", "words", "event"}


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
        for key, value in (("runs", -1), ("mean", "many"), ("sweep", "moon"), ("counts", 7), ("surprise", 1)):
            broken = sample("rich")
            broken["results"][0][key] = value
            with self.subTest(key):
                self.assertFalse(validator.is_valid(broken))
        for part in PARTS:
            broken = sample("rich")
            broken["analysis"][part][0]["surprise"] = 1
            with self.subTest(part):
                self.assertFalse(validator.is_valid(broken))

    def test_nothing_is_missing_without_a_reason(self):
        for name in SAMPLES:
            envelope = sample(name)
            with self.subTest(name):
                self.assertEqual(unexplained(envelope["results"]) + unexplained(envelope["analysis"]), [])

    def test_rows_and_parts_have_their_keys_first(self):
        envelope = sample("rich")
        for row in envelope["results"]:
            self.assertEqual(tuple(row)[:len(ROW)], ROW)
        self.assertEqual(tuple(envelope["analysis"])[:len(PARTS)], PARTS)

    def test_a_row_says_what_was_planted(self):
        rows = sample("rich")["results"]
        self.assertEqual([rows[1][key] for key in ROW[:4]], ["step/instructions/", "step", "controlled", 12])
        self.assertEqual(rows[1]["counts"], [1318002] * 12)
        self.assertEqual((rows[1]["min"], rows[1]["cv_percent"], rows[1]["identical"], rows[1]["adjusted"]), (1318002, 0, 12, None))
        swept = [row for row in rows if row["sweep"]]
        self.assertEqual([(row["sweep"], row["swept"]) for row in swept], [("env", 512 * i) for i in range(8)])

    def test_parts_say_what_was_planted(self):
        analysis = sample("rich")["analysis"]
        effect = analysis["effects"][0]
        self.assertEqual((effect["ratio"], effect["ratio_reason"]), (None, "controlled runs are identical"))
        self.assertEqual([part["control"] for part in effect["controls"] if part["needed"] or part["brings"]], ["aslr", "hash-seeds"])
        self.assertEqual([(seen["cause"], seen["parted"]) for seen in analysis["causes"]], [("random", True), ("time", False)])
        self.assertEqual(analysis["alignment"][0]["reasons"][0]["instructions"], -300)
        self.assertEqual([(c["of"], c["each"]) for c in analysis["contributions"]], [("page-fault", 1), ("interrupt", None)])
        self.assertEqual([(p["program"], p["own"], p["truth"]) for p in analysis["programs"]],
                         [("perl", True, None), ("subject:loop", False, 3004)])

    def test_counts_beyond_the_exact_integers_are_digits(self):
        self.assertEqual(sample("hostile")["results"][0]["counts"][0], str(2**64 - 1))


if __name__ == "__main__":
    tap.main()
