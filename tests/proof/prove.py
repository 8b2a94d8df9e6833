# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every truth of every specimen against what sources count: prove.py ISA SOURCE…

ISA is that of a kit, or `native`; `lab` is the kit for the lab's machine, there. Counts are compared with what the kit claims,
for several N; what a source confirms is compared with the record, src/specimens/proof.table. With PROOF_UPDATE=1 in the
environment the record is written instead, where all counts were right."""
import os
import sys
import unittest

import ask
import table
import tap
from truths import Specimen, Truth, judge

WORDS = sys.argv[1:]


class Proof:
    """The cases for each source."""
    source = place = None

    @classmethod
    def setUpClass(cls):
        cls.place = ask.place(WORDS[0])
        cls.specimens, cls.absent = cls.place.specimens()
        cls.seen, cls.wanted, cls.left_out = ask.count(cls.place, cls.source, cls.specimens)
        cls.outcome = judge(cls.place.isa, cls.source, cls.specimens, cls.seen, cls.wanted)

    def test_every_count_is_the_truth(self):
        self.assertTrue(self.outcome.counted, self.left_out)
        wrong = [str(mismatch) for mismatch in self.outcome.mismatches]
        if wrong:
            self.fail("\n".join([f"{len(wrong)} counts are not the truth:", *wrong]))

    def test_every_count_would_notice_a_truth_that_is_off_by_one(self):
        """The comparison itself can fail, for every row and in both directions."""
        for step in (-1, 1):
            moved = {}
            for name, one in self.specimens.items():
                edges = {row: truth.high if step > 0 else truth.low for row, truth in one.truths.items()}
                moved[name] = Specimen(name, one.least, one.most, {row: Truth((base + step, each))
                                                                   for row, (base, each) in edges.items()})
            unnoticed = judge(self.place.isa, self.source, moved, self.seen, self.wanted).confirmed
            self.assertEqual(unnoticed, set())

    def test_what_it_confirms_is_what_the_record_says(self):
        isa, source, confirmed = self.place.isa, self.source, self.outcome.confirmed
        if os.environ.get("PROOF_UPDATE") and not self.outcome.mismatches:
            table.update(isa, source, confirmed, set(self.specimens), {*self.specimens, *self.absent})
        print(f"# {isa} {source}: {len(confirmed)} rows of {len({row[0] for row in confirmed})} specimens")
        recorded = {row for row in table.confirmed_by(table.read(), isa, source) if row[0] in self.specimens}
        if ask.depends_on_the_machine(source):  # what was not counted here and now may be elsewhere, and the other way round
            for row in sorted(confirmed - recorded):
                print(f"# confirmed here, not recorded: {' '.join(row)}")
            recorded &= self.outcome.complete
            confirmed = confirmed & recorded
        for reason, what in ask.by_reason(self.left_out):
            print(f"# left out: {', '.join(what)}: {reason}")
        lines = [f"{what}: {isa} {' '.join(row)}" for what, rows in (("recorded, not confirmed", recorded - confirmed),
                                                                    ("confirmed, not recorded", confirmed - recorded))
                 for row in sorted(rows)]
        if lines:
            self.fail("\n".join([f"src/specimens/proof.table is not what {source} confirms (scripts/prove writes it):", *lines]))


for word in WORDS[1:]:
    title = "Proof_" + word.replace("/", "_")
    globals()[title] = type(title, (Proof, unittest.TestCase), {"source": word, "__module__": "__main__"})


if __name__ == "__main__":
    tap.main()
