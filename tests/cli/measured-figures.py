# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of error and overhead from runs that are made here: what a figure shows is what --json says of the same run."""
import json
import os
import shutil
import tempfile
import unittest

import tap

MOST_BYTES = 400_000


def rows_of(figure):
    keys = [column["key"] for column in figure["columns"]]
    return [dict(zip(keys, row, strict=True)) for row in figure["rows"]]


class Measured(unittest.TestCase):
    """What both have in common: a run, and its section of the report."""

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="assay-figures-")
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)
        store = os.path.join(cls.made, "run.sqlite")
        cls.ran = tap.assay(cls.command, *cls.options, "--seed", "17", "--quiet", "--store", store, "-o",
                            os.path.join(cls.made, "ignored"), env={"XDG_STATE_HOME": cls.made})
        if cls.ran.returncode:
            return
        told = tap.assay("report", "--json", store, env={"XDG_STATE_HOME": cls.made})
        assert told.returncode == 0, told.stderr
        (cls.section,) = json.loads(told.stdout)["analysis"]["sections"]
        cls.figures = {figure["id"]: figure for figure in cls.section["figures"]}

    def setUp(self):
        if self.ran.returncode:
            self.skipTest(f"{self.command} cannot measure here: {self.ran.stderr}")

    def check_all(self):
        self.assertTrue(self.figures)
        self.assertEqual(len(self.figures), len(self.section["figures"]), "ids differ")
        self.assertLess(len(json.dumps(self.section["figures"], separators=(",", ":"))), MOST_BYTES)
        for figure in self.figures.values():
            self.assertTrue(0 < len(rows_of(figure)) <= 1000, figure["id"])
            self.assertTrue(figure["caption"].endswith("."), figure["caption"])
            self.assertNotIn("machine", [column["key"] for column in figure["columns"]])

    def each(self, prefix):
        return [figure for name, figure in self.figures.items() if name.startswith(prefix)]


class Error(Measured):
    command = "error"
    options = ["--path", "perf-syscall,perf-read", "--processes", "2", "--budget", "6s"]

    def test_figures_are_sound(self):
        self.check_all()

    def test_the_best_pattern_is_the_one_that_json_has(self):
        best = {(row["path"], row["stepped"]): row["median"] for row in self.section["analysis"]["best"]
                if row["event"] in ("instructions:u", "step/instructions/")}
        figure = self.figures.get("best-pattern")
        if not best or figure is None:
            self.skipTest("nothing counts or steps instructions here")
        ours = [row for row in rows_of(figure) if row["of"].startswith("here") and row["mode"] == "user"]
        self.assertTrue(ours)
        for row in ours:
            self.assertEqual(row["median"], best[row["path"], row["of"] == "here, exact"], row)

    def test_boxes_lie_within_the_cells_of_json(self):
        cells = [row for row in self.section["results"] if row["part"] == "null" and row["counters"] == 1]
        for figure in self.each("null-by-path-"):
            for box in rows_of(figure):
                own = [cell for cell in cells if cell["event"] == box["event"] and cell["path"] == box["path"]]
                if not own:  # stepped windows have another name
                    self.assertIn("stepped", box["event"])
                    continue
                self.assertGreaterEqual(box["min"], min(cell["min"] for cell in own))
                self.assertLessEqual(box["max"], max(cell["max"] for cell in own))
                self.assertTrue(box["min"] <= box["q1"] <= box["median"] <= box["q3"] <= box["p99"] <= box["max"])


class Overhead(Measured):
    command = "overhead"
    options = ["--path", "perf-syscall,perf-read", "--processes", "3", "--budget", "6s"]

    def test_figures_are_sound(self):
        self.check_all()

    def test_boxes_are_the_warm_rows_of_json(self):
        warm = {}
        for row in self.section["results"]:
            if row["temperature"] == "warm" and row["all_predecessors"] and row["events"] == 1 and row["reads"] == 1:
                warm.setdefault((row["path"], row["operation"], row["variant"]), set()).add(row["median"])
        boxes = [row for figure in self.each("calls-") for row in rows_of(figure)]
        self.assertTrue(boxes)
        for box in boxes:
            self.assertIn(box["median"], warm[box["path"], box["kind"], box["variant"]], box)
            self.assertTrue(box["density"] is None or len(box["density"]) == 66)

    def test_sweeps_are_those_of_json(self):
        points = {(sweep["by"], point["count"], point["median"]) for sweep in self.section["analysis"]["sweeps"]
                  for point in sweep["points"]}
        for prefix, by in (("more-events-", "events"), ("reads-in-a-row-", "reads")):
            for figure in self.each(prefix):
                for row in rows_of(figure):
                    self.assertIn((by, row["count"], row["median"]), points)


del Measured  # no test of its own

if __name__ == "__main__":
    tap.main()
