# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of proofs against what the kits claim: nobody is left without a proof, and nothing is proven that nobody claims."""
import unittest

import ask
import kits
import table
import tap


class Record:
    """The cases for each kit."""

    @classmethod
    def setUpClass(cls):
        cls.place = ask.place(cls.isa)
        cls.specimens, cls.absent = cls.place.specimens()
        cls.recorded = {row[1:]: sources for row, sources in table.read().items() if row[0] == cls.place.isa}

    def test_every_specimen_has_a_row_that_a_source_confirmed(self):
        self.assertEqual(sorted(set(self.specimens) - {specimen for specimen, _ in self.recorded}), [])

    def test_every_recorded_row_is_claimed(self):
        for specimen, name in sorted(self.recorded):
            if specimen not in self.absent:
                with self.subTest(specimen=specimen, name=name):
                    self.assertIn(name, self.specimens[specimen].truths if specimen in self.specimens else ())

    def test_what_is_not_proven_says_why(self):
        for specimen in self.specimens.values():
            for name, truth in specimen.truths.items():
                with self.subTest(specimen=specimen.name, name=name):
                    self.assertTrue(truth.grade == "proven" or truth.why)

    def test_how_many_rows_there_are_of_each_grade(self):
        """For who reads the log."""
        grades = [truth.grade for specimen in self.specimens.values() for truth in specimen.truths.values()]
        counts = ", ".join(f"{grades.count(grade)} {grade}" for grade in ("proven", "bounded", "model"))
        print(f"# {self.place.isa}: {len(self.specimens)} specimens, {len(grades)} rows: {counts}")
        self.assertTrue(grades)


for word in ["native", *(kit.isa for kit in kits.foreign())]:
    title = "Record_" + word
    globals()[title] = type(title, (Record, unittest.TestCase), {"isa": word, "__module__": "__main__"})


if __name__ == "__main__":
    tap.main()
