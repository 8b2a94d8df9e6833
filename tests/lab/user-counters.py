# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters read in user code on a machine that has them: against read() on every counter, and through the perf-user paths."""
import csv
import io
import json
import os
import re
import tempfile

import tap
from laboratory import ANY_KIT, PATIENCE, VIA, LabCase

GUEST = os.path.join(os.environ["ASSAY_BUILD"], "cross/aarch64/tests/guest")
RUNS, MANY = 4, 8


class Programs(LabCase):
    """Programs that report in TAP themselves: one case here for each machine they run on."""

    def lines(self, command, cpu):
        programs = [os.path.join(GUEST, name) for name in re.findall(r"\./(\S+)", command)]
        for program in programs:
            if not os.path.exists(program):
                self.skipTest(f"{program} was not built: scripts/kits builds it")
        done = self.assay("lab", "run", "--cpu", cpu, *(word for program in programs for word in ("--send", program)), "aarch64", "--",
                          "sh", "-c", command)
        self.assertNotIn("# SKIP", done.stdout.splitlines()[-1] if done.stdout else "", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        cases = [line for line in done.stdout.splitlines() if re.match(r"(not )?ok \d", line)]
        self.assertEqual([line for line in cases if line.startswith("not ok")], [])
        plans = [int(line[3:]) for line in done.stdout.splitlines() if re.match(r"1\.\.\d+$", line)]
        self.assertEqual((len(plans), sum(plans)), (len(programs), len(cases)), done.stdout)
        self.assertEqual({int(number) for line in cases for number in re.findall(r"- index (\d+) \(", line)}, {1, 2, 3, 4, 5, 6, 32})
        return cases

    def test_every_counter_of_32_bits_reads_what_read_reads_and_access_withdrawn_in_mid_visit_fails_it_with_the_reason(self):
        cases = self.lines("./user-counters --settings && ./user-withdrawn", "cortex-a72")
        self.assertTrue(any("32 bits is read right across its end" in line for line in cases), cases)
        self.assertTrue(any("traps, and the trap is known" in line for line in cases), cases)
        self.assertEqual(sum("access withdrawn in the middle fails the visit" in line for line in cases), 3, cases)

    def test_every_counter_of_64_bits_does(self):
        cases = self.lines("./user-counters", "max")
        self.assertTrue(any("64 bits is read right across its end" in line for line in cases), cases)


class Paths(LabCase):
    """One run with one event and with more than there are counters, through every path that reads in user code."""

    @classmethod
    def setUpClass(cls):
        """What it said, and its samples."""
        with tempfile.TemporaryDirectory(prefix="assay-lab-test.") as folder:
            store = os.path.join(folder, "store")
            cls.done = tap.assay("measure", "--event", "instructions:u,page-faults:u", "--each", "--separate", "--counters", f"1,{MANY}",
                                 "--specimen", "loop", "--n", "300000", "--runs", str(RUNS), "--path",
                                 "perf-user,perf-user-touched,perf-user-cold", "--pattern", "ar,rr,ro", "--json", "--store", store,
                                 via=VIA, env=ANY_KIT, timeout=PATIENCE)
            cls.rows = list(csv.DictReader(io.StringIO(tap.assay("export", store).stdout)))

    def setUp(self):
        super().setUp()
        self.assertEqual(self.done.returncode, 0, self.done.stderr)

    def test_only_cold_pages_take_a_fault_and_all_count_the_same(self):
        faults, values = {}, {}
        for row in self.rows:
            if row["counters"] == "1":
                faults.setdefault(row["path"], set()).add(int(row["minor_faults"]))
                values.setdefault((row["pattern"], row["specimen"]), set()).add(int(row["value"]))
        self.assertEqual(faults, {"perf-user": {0}, "perf-user-touched": {0}, "perf-user-cold": {1}})
        self.assertEqual({key: seen for key, seen in values.items() if len(seen) > 1}, {})
        self.assertEqual(set(values), {(pattern, specimen) for pattern in ("ar", "rr", "ro") for specimen in ("loop", "null")})
        # The scheduler may disturb a run now and then; the fault of a cold page is the path's own.
        for row in json.loads(self.done.stdout)["results"]:
            if row["counters"] == 1:
                self.assertLess(row["disturbed"], RUNS, row)

    def test_an_event_without_a_counter_of_the_cpu_is_refused_by_name(self):
        self.assertIn("user code cannot read page-faults:u: the operating system counts it", str(json.loads(self.done.stdout)["skipped"]))

    def test_more_events_than_counters_are_told_as_multiplexed_or_without_a_counter(self):
        rows = [row for row in self.rows if row["specimen"] == "loop" and row["counters"] == str(MANY)]
        shared = [row for row in rows if int(row["running"]) < int(row["enabled"])]
        self.assertTrue(shared, f"{MANY} events ran all the time on six counters")
        truth = 3 * 300000 + 1
        for row in rows:  # what was counted is never more than what was there to count
            self.assertLess(int(row["value"]), truth + 1000, row)


if __name__ == "__main__":
    tap.main()
