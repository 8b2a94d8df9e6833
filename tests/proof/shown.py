# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What sources must show on the machine at hand: the trap flag is exact up to 10 000 iterations, and a repeated string
instruction is one instruction to all, whatever they see of it themselves."""
import unittest

import ask
import tap

LADDER = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
# Bytes that one instruction moves, by source; those that stop behind every byte are shown fewer, because a million takes half a
# minute of each.
BYTES = {"step": 100000, "trap": 100000, "valgrind": 1000000, "qemu": 1000000}


class Native(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = ask.place("native")
        cls.specimens, cls.absent = cls.place.specimens()

    def test_the_trap_flag_counts_a_loop_exactly_from_1_to_10000_iterations(self):
        self.place.classes("trap")
        seen, left_out = self.place.measure(["trap/instructions/"], ["loop"], LADDER, "--runs", "1")
        self.assertEqual(left_out, [])
        truth = self.specimens["loop"].truths["instructions"]
        self.assertEqual({one.n: set(one.counts) for one in seen}, {n: {truth.limits(n)[0]} for n in LADDER})

    def test_bytes_moved_by_one_instruction_are_one_instruction_to_every_source(self):
        if "rep-movsb" not in self.specimens:
            self.skipTest(self.absent["rep-movsb"])
        asked = []
        for source, count in BYTES.items():
            try:
                self.place.classes(source)
            except unittest.SkipTest as skipped:
                print(f"# {source}: {skipped}")
                continue
            events = [f"{source}/instructions/", f"{source}/instructions-raw/"]
            truth = self.specimens["rep-movsb"].truths["instructions"].limits(count)[0]
            seen, left_out = self.place.measure(events, ["rep-movsb"], [count], "--runs", "1")
            self.assertEqual(left_out, [])
            counts = {one.name: one.counts for one in seen}
            print(f"# {source}, {count} bytes: {counts.get(None)} raw, {counts['instructions']} aligned; the truth is {truth}")
            self.assertEqual(counts["instructions"], [truth], source)
            asked.append(source)
        if not asked:
            self.skipTest("no source counts here")


if __name__ == "__main__":
    tap.main()
