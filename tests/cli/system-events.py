# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operating system counts, on the product: events of every kind around the specimens that make them happen.

Others on the machine may add to a count: a run that the account calls undisturbed must be the truth, and no run may be below it."""
import json
import unittest

import tap

FAULTS = ["pages", "zero-pages", "read-then-write", "shared-pages", "populated-pages"]
CASES = [("page-faults:u", specimen, (1, 100)) for specimen in FAULTS] + [
    ("major-faults:u", "disk-pages", (1, 20)),
    ("context-switches", "ping-pong", (1, 100)),
    ("context-switches", "fifo-yields", (1, 100)),
    ("cpu-migrations", "migrations", (1, 100)),
    ("syscalls:sys_enter_getuid", "getuid", (1, 100)),
    ("syscalls:sys_enter_getppid", "getuid", (100,)),
    ("syscalls:sys_enter_write", "ping-pong", (1, 100)),
    ("mem:target:x", "target-calls", (1, 100)),
    ("mem:target:x:u", "target-calls", (100,)),
    ("mem:target:w", "target-writes", (1, 100)),
    ("mem:target:w", "target-calls", (100,)),
    ("uprobe:target", "target-calls", (1, 100)),
    ("uretprobe:target", "target-calls", (1, 100)),
    ("alignment-faults:u", "misaligned", (100,)),
]


def measure(event, specimen, counts, *more):
    done = tap.assay("measure", "--json", "-e", event, "-s", specimen, "-n", ",".join(map(str, counts)), "--runs", "20", *more)
    return done, json.loads(done.stdout) if done.stdout else {}


class Counts(unittest.TestCase):
    def test_events_are_exact_around_the_specimens_that_make_them_happen(self):
        judged = 0
        for event, specimen, counts in CASES:
            with self.subTest(f"{event} {specimen}"):
                done, report = measure(event, specimen, counts)
                if done.returncode in (2, 3):  # not openable, or the machine lacks what the specimen needs
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                for row in report["results"]:
                    if row["truth"] is None:
                        continue  # bounded here
                    self.assertGreaterEqual(min(row["values"]), row["truth"], row["n"])
                    if row["disturbed"] < row["runs"]:
                        self.assertIn(row["truth"], row["values"], row["n"])
                    judged += 1
        if not judged:
            self.skipTest("no event of the operating system can be counted here")
        self.assertGreater(judged, 5)

    def test_every_harness_finds_its_own_target(self):
        done, report = measure("mem:target:x", "target-calls", (10,), "--link", "all", "--path", "perf-read,perf-syscall",
                               "--opt", "all", "--pattern", "all")
        if done.returncode == 3:
            self.skipTest("no breakpoints here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(report["results"]), 20)
        for row in report["results"]:
            self.assertEqual(set(row["values"]), {10}, (row["link"], row["opt"], row["path"], row["pattern"]))

    def test_every_harness_finds_its_own_target_in_its_file(self):
        done, report = measure("uprobe:target", "target-calls", (10,), "--link", "all")
        if done.returncode == 3:
            self.skipTest("no uprobes here")
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in report["results"]:
            self.assertEqual(set(row["values"]), {10}, row["link"])

    def test_without_a_second_cpu_there_are_no_migrations(self):
        done, _ = measure("cpu-migrations", "migrations", (10,), "--cpu", "0")
        self.assertEqual(done.returncode, 3, done.stderr)


class Names(unittest.TestCase):
    def test_the_target_is_listed_with_what_it_counts(self):
        done = tap.assay("events", "--json", "*target*")
        classes = {event["event"]: event["class"] for event in json.loads(done.stdout)["results"] if event["kind"] != "tracepoint"}
        self.assertEqual(classes, {"mem:target:x": "breakpoint-exec", "mem:target:w": "breakpoint-write",
                                   "mem:target:rw": "breakpoint-access", "uprobe:target": "uprobe-hits",
                                   "uretprobe:target": "uprobe-returns"})


if __name__ == "__main__":
    tap.main()
