# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters read in user code on a machine that has them: against read() on every counter, and through the perf-user paths."""
import csv
import io
import os
import re

import tap
from laboratory import VIA, LabCase

GUEST = os.path.join(os.environ["ASSAY_BUILD"], "cross/aarch64/tests/guest")
ONE = ["--event", "instructions:u", "--specimen", "loop", "--n", "1000", "--runs", "5"]


class Programs(LabCase):
    """Programs that report in TAP themselves: one case here for each run of theirs."""

    def lines(self, name, *words, cpu="cortex-a72"):
        program = os.path.join(GUEST, name)
        if not os.path.exists(program):
            self.skipTest(f"{program} was not built: scripts/kits builds it")
        done = self.assay("lab", "run", "--cpu", cpu, "--send", program, "aarch64", "--", "./" + name, *words)
        self.assertNotIn("# SKIP", done.stdout.splitlines()[-1] if done.stdout else "", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        cases = [line for line in done.stdout.splitlines() if re.match(r"(not )?ok \d", line)]
        self.assertEqual([line for line in cases if line.startswith("not ok")], [])
        self.assertIn(f"1..{len(cases)}", done.stdout.splitlines())
        return cases

    def indices(self, cases):
        return {int(number) for line in cases for number in re.findall(r"- index (\d+) \(", line)}

    def test_every_counter_of_32_bits_reads_what_read_reads_across_its_end_too(self):
        cases = self.lines("user-counters", "--settings")
        self.assertEqual(self.indices(cases), {1, 2, 3, 4, 5, 6, 32})
        self.assertTrue(any("32 bits is read right across its end" in line for line in cases), cases)
        self.assertTrue(any("traps, and the trap is known" in line for line in cases), cases)

    def test_every_counter_of_64_bits_does(self):
        cases = self.lines("user-counters", cpu="max")
        self.assertEqual(self.indices(cases), {1, 2, 3, 4, 5, 6, 32})
        self.assertTrue(any("64 bits is read right across its end" in line for line in cases), cases)

    def test_access_withdrawn_in_mid_visit_fails_it_with_the_reason(self):
        self.assertEqual(len(self.lines("user-withdrawn")), 3)


class Paths(LabCase):
    def test_only_cold_pages_take_a_fault_and_all_count_the_same(self):
        store = self.path("store")
        done = self.assay("measure", *ONE, "--path", "perf-user,perf-user-touched,perf-user-cold", "--pattern", "ar,rr,ro",
                          "--store", store, via=VIA)
        self.assertEqual(done.returncode, 0, done.stderr)
        # The scheduler may disturb a run now and then; the fault of a cold page is the path's own.
        self.assertNotRegex(done.stdout, r"5\s+of\s+5\s+runs\s+disturbed")
        rows = list(csv.DictReader(io.StringIO(self.assay("export", store).stdout)))
        faults, values = {}, {}
        for row in rows:
            faults.setdefault(row["path"], set()).add(int(row["minor_faults"]))
            values.setdefault((row["pattern"], row["specimen"]), set()).add(int(row["value"]))
        self.assertEqual(faults, {"perf-user": {0}, "perf-user-touched": {0}, "perf-user-cold": {1}})
        self.assertEqual({key: seen for key, seen in values.items() if len(seen) > 1}, {})
        self.assertEqual(len(values), 6)

    def test_an_event_without_a_counter_of_the_cpu_is_refused_by_name(self):
        done = self.assay("measure", "--event", "page-faults:u", "--path", "perf-user", "--pattern", "rr", "--store",
                          self.path("store"), via=VIA)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"user code cannot read page-faults:u: the operating system counts it")

    def test_cycles_have_a_counter_of_their_own(self):
        results = self.measure("--event", "cycles:u", *ONE[2:], "--path", "perf-user")["results"]
        self.assertEqual(results[0]["pattern"], "rr", "the pattern unless given is one that the path has")
        self.assertEqual(len(set(results[0]["values"])), 1)

    def test_more_events_than_counters_are_told_as_multiplexed_or_without_a_counter(self):
        done = self.assay("measure", *ONE[:4], "--n", "1000000", "--runs", "10", "--counters", "12", "--separate", "--path", "perf-user",
                          "--pattern", "rr,ar", "--store", self.path("store"), via=VIA)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO(self.assay("export", self.path("store")).stdout)))
        shared = [row for row in rows if row["specimen"] == "loop" and int(row["running"]) < int(row["enabled"])]
        self.assertTrue(shared, "twelve events ran all the time on six counters")
        truth = 3 * 1000000 + 1
        for row in rows:
            if row["specimen"] == "loop":  # what was counted is never more than what was there to count
                self.assertLess(int(row["value"]), truth + 1000, row)


if __name__ == "__main__":
    tap.main()
