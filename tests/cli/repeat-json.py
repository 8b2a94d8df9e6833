# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `assay repeat` says in JSON of planted reports: of everything, of a suite, of figures that do not exist, of hostile names, of
nothing. All of it is as the schema promises, and no number is missing without a reason."""
import os

import planted
import tap

ROW = ("event", "source", "setting", "runs", "counts", "min", "max", "mean", "stdev", "cv_percent", "adjusted")
PARTS = ("effects", "sweeps", "causes", "alignment", "contributions", "ranking", "programs")


class Planted(planted.Reports):
    program = os.environ.get("REPEAT_JSON_SAMPLE", "build/tests/cli/repeat-json-sample")
    names = ("rich", "suite", "absent", "empty", "unknown", "hostile")
    words = {"class", "sweep", "store", "words", "event"}

    def spoiled(self):
        yield from self.spoil((("runs", -1), ("mean", "many"), ("sweep", "moon"), ("counts", 7), ("surprise", 1)), "results")
        for part in PARTS:
            yield from self.spoil((("surprise", 1),), "analysis", part)

    def test_rows_and_parts_have_their_keys_first(self):
        envelope = self.sample("rich")
        for row in envelope["results"]:
            self.assertEqual(tuple(row)[:len(ROW)], ROW)
        self.assertEqual(tuple(envelope["analysis"])[:len(PARTS)], PARTS)

    def test_a_row_says_what_was_planted(self):
        rows = self.sample("rich")["results"]
        self.assertEqual([rows[1][key] for key in ROW[:4]], ["step/instructions/", "step", "controlled", 12])
        self.assertEqual(rows[1]["counts"], [1318002] * 12)
        self.assertEqual((rows[1]["min"], rows[1]["cv_percent"], rows[1]["identical"], rows[1]["adjusted"]), (1318002, 0, 12, None))
        swept = [row for row in rows if row["sweep"]]
        self.assertEqual([(row["sweep"], row["swept"]) for row in swept], [("env", 512 * i) for i in range(8)])

    def test_parts_say_what_was_planted(self):
        analysis = self.sample("rich")["analysis"]
        effect = analysis["effects"][0]
        self.assertEqual((effect["ratio"], effect["ratio_reason"]), (None, "controlled runs are identical"))
        self.assertEqual([part["control"] for part in effect["controls"] if part["needed"] or part["brings"]], ["aslr", "hash-seeds"])
        self.assertEqual([(seen["cause"], seen["parted"]) for seen in analysis["causes"]], [("random", True), ("time", False)])
        self.assertEqual(analysis["alignment"][0]["reasons"][0]["instructions"], -300)
        self.assertEqual([(c["of"], c["each"]) for c in analysis["contributions"]], [("page-fault", 1), ("interrupt", None)])
        self.assertEqual([(p["program"], p["own"], p["truth"]) for p in analysis["programs"]],
                         [("perl", True, None), ("subject:loop", False, 3004)])

    def test_counts_beyond_the_exact_integers_are_digits(self):
        self.assertEqual(self.sample("hostile")["results"][0]["counts"][0], str(2**64 - 1))


if __name__ == "__main__":
    tap.main()
