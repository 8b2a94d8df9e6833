# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay compare on recorded runs: claims about machines that were not tested are no verdicts, one group has one set of figures wherever it is
told, and the page draws what differs."""
import json
import lzma
import os
import re
import shutil
import tempfile
import unittest

import tap
from unfinished import changed

RECORDED = os.path.join(tap.SOURCE, "tests", "stores")


def figures_of(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    return text, json.loads(re.search(r'<script type="application/json" id="assay-figures">(.*?)</script>', text, re.DOTALL)[1])


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="assay-compare-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.here, cls.lab = (cls.recorded(name) for name in ("vm-x86_64-error", "lab-aarch64-error"))

    @classmethod
    def recorded(cls, name):
        path = os.path.join(cls.folder, name + ".sqlite")
        with lzma.open(os.path.join(RECORDED, name + ".sqlite.xz")) as packed, open(path, "wb") as file:
            shutil.copyfileobj(packed, file)
        return path

    def copied(self, source, name, *statements):
        return changed(source, os.path.join(self.folder, name + ".sqlite"), *statements)

    def compare(self, *arguments):
        done = tap.assay("compare", *arguments, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def judged(self, *arguments):
        return json.loads(self.compare("--json", *arguments))

    def factors_finding(self, *arguments):
        envelope = self.judged(*arguments)
        self.assertNotIn("finding Z6", [row["subject"] for row in envelope["analysis"]["verdicts"]])
        finding, = [finding for finding in envelope["findings"] if finding["id"] == "Z6"]
        return finding

    def test_a_machine_of_other_code_was_not_tested_as_a_factor(self):
        finding = self.factors_finding(self.here, self.lab)
        self.assertEqual((finding["verdict"], finding["estimate"]), ("not testable here", None))
        self.assertRegex(finding["reason"], r"^not tested: machine \(.*different code")

    def test_one_machine_was_not_tested_as_a_factor(self):
        finding = self.factors_finding(self.here, self.copied(self.here, "again"))
        self.assertEqual(finding["verdict"], "not testable here")
        self.assertRegex(finding["reason"], r"^not tested: machine \(.*one machine")

    def test_another_machine_with_the_same_build_is_tested_as_a_factor(self):
        other = self.copied(self.here, "other", "UPDATE meta SET value = '0123456789abcdef' WHERE key = 'fingerprint'")
        finding = self.factors_finding(self.here, other)
        self.assertIn("machine does not matter", finding["reason"])
        self.assertEqual(finding["verdict"], "does not hold")

    def test_a_group_has_one_set_of_figures(self):
        page = os.path.join(self.folder, "figures.html")
        words = " ".join(self.compare("--html", page, self.here, self.lab).split())
        analysis = self.judged(self.here, self.lab)["analysis"]
        group, = [group for group in analysis["groups"] if group["standing"] == "differs"]
        told = f"{group['subject']}, on B more by {group['shift']:g} {group['unit']} ({group['ratio']:.3g} times)"
        self.assertIn(told, words)
        self.assertIn(told, " ".join(analysis["headline"]))
        row = f"{group['first_median']:g} {group['median']:g} {group['shift']:g} {group['ratio']:.3g} {group['delta']:.2f} {group['delta_low']:.3g} to {group['delta_high']:.3g}"
        self.assertIn(row, words)
        _, figures = figures_of(page)
        drawn = figures["compare-1/effects"]
        values = dict(zip([column["key"] for column in drawn["columns"]], drawn["rows"][0]))
        for key, name in (("value", "delta"), ("low", "delta_low"), ("high", "delta_high"), ("shift", "shift"), ("ratio", "ratio"), ("there", "median")):
            self.assertAlmostEqual(values[key], group[name], places=9)

    def test_nothing_differs_whose_interval_holds_none(self):
        envelope = self.judged(self.here, self.lab)
        told = [row for row in envelope["analysis"]["groups"] + envelope["results"] if row["standing"] == "differs"]
        self.assertTrue(told)
        for row in told:
            self.assertFalse(row["delta_low"] <= 0 <= row["delta_high"], row)

    def test_the_page_draws_what_differs(self):
        page = os.path.join(self.folder, "page.html")
        self.compare("--html", page, self.here, self.lab)
        text, figures = figures_of(page)
        analysis = self.judged(self.here, self.lab)["analysis"]
        differ = {f"{row['study']} · {row['subject']}" for row in analysis["verdicts"] if row["standing"] == "differs"}
        matrix = figures["compare-1/verdicts"]
        self.assertEqual({row[1] for row in matrix["rows"]}, differ)
        self.assertTrue(all(row[2] for row in matrix["rows"]), "a field has no word")
        doubts = figures["compare-1/doubts"]["rows"]
        self.assertEqual(len(doubts), sum(row["standing"] == "unsure" for row in analysis["verdicts"]))
        self.assertIn("<h2>What differs</h2>", text)
        self.assertIn("<h2>Machine B</h2>", text)
        factors = figures["compare-1/factors"]
        for event in {row[2] for row in factors["rows"]}:
            self.assertGreater(max(row[1] for row in factors["rows"] if row[2] == event), 0, "an empty picture")

    def test_letters_of_machines_are_those_of_sides(self):
        page = os.path.join(self.folder, "three.html")
        self.compare("--html", page, self.here, self.copied(self.here, "second"), self.lab)
        text, _ = figures_of(page)
        self.assertRegex(text, r"C: Arm Cortex-A72")

    def test_a_collection_is_called_by_its_file(self):
        both = os.path.join(self.folder, "both.sqlite")
        self.assertEqual(tap.assay("merge", "-o", both, self.copied(self.here, "third"), timeout=300).returncode, 0)
        sides = self.judged(both, self.copied(self.here, "fourth"))["analysis"]["sides"]
        self.assertEqual([side["label"] for side in sides], ["both", "fourth"])


if __name__ == "__main__":
    tap.main()
