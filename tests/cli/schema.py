# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command's JSON is what `assay --schema` promises, which is made of the field tables in src/."""
import csv
import io
import json
import re
import shutil
import tempfile
import unittest

import promised
import tap




class Schema(unittest.TestCase):
    def setUp(self):
        self.validator = promised.validator()
        self.folder = tempfile.mkdtemp(prefix="assay-schema-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def output(self, *arguments, statuses=(0,)):
        done = tap.assay(*arguments, "--json", env={"XDG_STATE_HOME": self.folder})
        self.assertIn(done.returncode, statuses, done.stderr)
        return json.loads(done.stdout)

    def check(self, *arguments, statuses=(0,)):
        envelope = self.output(*arguments, statuses=statuses)
        self.assertEqual(promised.problems(self.validator, envelope), [], arguments)
        self.assertEqual(envelope["command"], arguments[0])
        self.assertEqual(envelope["argv"][1:], [*arguments, "--json"])
        return envelope

    def test_the_schema_is_one(self):
        self.validator.check_schema(self.validator.schema)

    def test_measure(self):
        envelope = self.check("measure", "-e", "page-faults:u,task-clock:u", "--runs", "3",
                              statuses=(0, 3))
        self.assertTrue(envelope["results"] or envelope["skipped"])

    def test_caches(self):
        envelope = self.check("caches", "--budget", "300ms", statuses=(0, 3))
        self.assertTrue(envelope["results"])

    def test_validate(self):
        envelope = self.check("validate", "page-faults:u", "context-switches:u", "instructions:u", "dummy:u", "--budget", "3s",
                              statuses=(0, 3))
        self.assertGreaterEqual(len(envelope["results"]), 4)
        self.assertEqual(len(envelope["findings"]), 10)
        self.check("validate", "--from", envelope["analysis"]["store"])

    def test_error(self):
        envelope = self.check("error", "--budget", "6s", statuses=(0, 3))
        self.assertEqual(len(envelope["analysis"]["table3"]), 12)
        self.check("error", "--from", envelope["analysis"]["store"])

    def test_overhead(self):
        envelope = self.check("overhead", "--budget", "6s", statuses=(0, 3))
        self.assertEqual(len(envelope["findings"]), 7)
        self.check("overhead", "--from", envelope["analysis"]["store"])

    def test_run(self):
        envelope = self.check("run", "--budget", "8s", statuses=(0, 3))
        self.assertEqual([part["part"] for part in envelope["results"]],
                         ["caches", "validate", "error", "overhead", "clocks", "repeat"])

    def test_compare(self):
        stores = [self.check("error", "page-faults", "--budget", "3s", statuses=(0, 3))["analysis"]["store"] for _ in range(2)]
        if not all(stores):
            self.skipTest("nothing can be measured here")
        envelope = self.check("compare", *stores)
        self.assertTrue(envelope["results"])
        self.assertEqual(len(envelope["analysis"]["sides"]), 2)

    def test_clocks(self):
        envelope = self.check("clocks", "--quick", "--all", "--budget", "6s", statuses=(0, 3))
        self.assertEqual(len(envelope["findings"]), 4)
        self.check("clocks", "--from", envelope["analysis"]["store"])

    def test_report(self):
        store = self.output("clocks", "--quick", "--budget", "2s", statuses=(0, 3))["analysis"]["store"]
        envelope = self.check("report", store)
        self.assertEqual(len(envelope["analysis"]["sections"]), 1)
        for path, value in ((("schema",), "assay-report/2"), (("sections", 0, "lead"), "one"), (("sections", 0, "figures"), [{}]),
                            (("machines", 0, "label"), "1"), (("surprise",), 1)):
            broken = json.loads(json.dumps(envelope))
            place = broken["analysis"]
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
            with self.subTest(path):
                self.assertFalse(self.validator.is_valid(broken))

    def test_measure_with_something_left_out(self):
        self.check("measure", "-e", "page-faults:u", "--path", "all", "--pattern", "all", "--runs",
                   "2", "--no-overhead", statuses=(0, 3))

    def test_measure_of_what_is_not_there(self):
        envelope = self.check("measure", "-e", "instructions:u", "--runs", "2", statuses=(0, 3))
        self.assertTrue(envelope["results"] or envelope["skipped"])

    def test_events(self):
        self.assertTrue(self.check("events")["results"])
        self.check("events", "nothing:*here", statuses=(3,))

    def test_specimens(self):
        self.assertTrue(self.check("events", "--specimens")["results"])
        self.assertTrue(self.check("events", "--specimens", "l*", "--n", "100")["results"])
        self.check("events", "--specimens", "nothing*here", statuses=(3,))

    def test_doctor(self):
        self.assertTrue(self.check("doctor")["results"])

    def test_lab_list(self):
        self.assertTrue(self.check("lab", "list")["results"])

    def test_rows_alone_are_the_results(self):
        """CSV and Markdown have a line for every result, and columns by its keys."""
        rows = self.output("doctor")["results"]
        said = tap.assay("doctor", "--csv").stdout
        table = list(csv.DictReader(io.StringIO(said)))
        self.assertEqual([row["check"] for row in table], [row["check"] for row in rows])
        self.assertEqual([row["status"] for row in table], [row["status"] for row in rows])
        self.assertLessEqual(set(table[0]), set(rows[0]))
        lines = tap.assay("doctor", "--markdown").stdout.splitlines()
        self.assertEqual(len(lines), len(rows) + 2)
        self.assertEqual({len(re.findall(r"(?<!\\)\|", line)) for line in lines}, {lines[0].count("|")})
        done = tap.assay("doctor", "--csv", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("choose one", done.stderr)

    def test_a_wrong_result_is_noticed(self):
        """The schema is no rubber stamp."""
        envelope = self.output("events")
        for key, value in (("openable", "yes"), ("errno", "ENOENT"), ("reason", 5)):
            broken = json.loads(json.dumps(envelope))
            broken["results"][0][key] = value
            with self.subTest(key):
                self.assertFalse(self.validator.is_valid(broken))
        specimens = self.output("events", "--specimens", "loop")
        for key, value in (("grade", "sure"), ("sources", "step"), ("base", None), ("decoded", 5)):
            broken = json.loads(json.dumps(specimens))
            broken["results"][0][key] = value
            with self.subTest(key):
                self.assertFalse(self.validator.is_valid(broken))
        del envelope["skipped"]
        self.assertFalse(self.validator.is_valid(envelope))


if __name__ == "__main__":
    tap.main()
