#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the cases of finished test runs: summary.py [--status N] LOG...

LOG is the testlog.json that `meson test` leaves, one JSON object a line. Every TAP case counts on
its own. A program that crashed, ran out of time or reported fewer cases than it planned counts as
one more failure. --status is what `meson test` returned: a failure nobody reported still fails.
Prints each skip with its reason, then what failed with the end of what it said, and as the last line
"N passed, N failed, N skipped": whoever sees the end of a long log only sees what matters.
"""
import argparse
import json
import re
import signal
import sys

CASE = re.compile(r"(not )?ok\b\s*(\d+)?\s*-?\s*([^#]*?)\s*(?:#\s*(\w+)\S*\s*(.*))?$")
PLAN = re.compile(r"1\.\.(\d+)(?:\s*#\s*skip\S*\s*(.*))?$", re.IGNORECASE)
REASON = re.compile(r"#\s*skip:\s*(.*)$")
NO_REASON = "no reason given"
SAID_LINES = 8  # of a failure: the end of a trace tells what was expected


class Summary:
    def __init__(self):
        self.passed = 0
        self.failed = []  # (name, comments after it)
        self.skipped = []  # (name, reason)

    def case(self, test, match, reason):
        """Files one TAP line; reason is that of a "# skip:" comment just before it, or None."""
        name = f"{test}: {match[3] or match[2] or 'unnamed case'}"
        directive = (match[4] or "").lower()
        if match[1] and directive != "todo":
            self.failed.append((name, []))
        elif directive.startswith("skip") or reason is not None:
            self.skipped.append((name, match[5] or reason or NO_REASON))
        elif match[1]:
            self.skipped.append((name, f"known to fail: {match[5] or NO_REASON}"))
        else:
            self.passed += 1

    def tap(self, test, output):
        """Files every case of a program's output; returns (cases seen, cases planned or None)."""
        seen, planned, reason, said = 0, None, None, None
        for line in output.splitlines():
            plan = PLAN.match(line)
            if plan:
                planned = int(plan[1])
                if planned == 0:
                    self.skipped.append((test, plan[2] or NO_REASON))
                continue
            match = CASE.match(line)
            if match:
                seen += 1
                failures = len(self.failed)
                self.case(test, match, reason)
                reason, said = None, self.failed[-1][1] if len(self.failed) > failures else None
                continue
            if said is not None and line.startswith("#"):
                said.append(line[1:].rstrip())
            comment = REASON.match(line)
            if comment:
                reason = comment[1] or NO_REASON
        return seen, planned

    def fault(self, what):
        """Files a failure that no case reported."""
        self.failed.append((what, []))

    def record(self, record, prefix):
        """Files one program."""
        test = prefix + record["name"]
        result = record.get("result", "ERROR")
        failures = len(self.failed)
        seen, planned = self.tap(test, record.get("stdout") or "")
        if seen == 0 and planned is None and result in ("OK", "EXPECTEDFAIL"):
            self.passed += 1
        elif seen == 0 and planned is None and result == "SKIP":
            self.skipped.append((test, "the program asked to be skipped"))
        elif result in ("TIMEOUT", "INTERRUPT"):
            self.fault(f"{test}: {'ran out of time' if result == 'TIMEOUT' else 'was interrupted'}")
        elif (record.get("returncode") or 0) < 0:
            self.fault(f"{test}: killed by {signal_name(-record['returncode'])}")
        elif seen and planned is None:
            self.fault(f"{test}: ended without a plan after {seen} cases")
        elif planned is not None and seen != planned:
            self.fault(f"{test}: planned {planned} cases, reported {seen}")
        elif result not in ("OK", "SKIP", "EXPECTEDFAIL") and len(self.failed) == failures:
            self.fault(f"{test}: {result}, exit status {record.get('returncode')}")

    def show(self, out):
        for name, reason in self.skipped:
            print(f"skipped  {name}: {reason}", file=out)
        for name, said in self.failed:
            print(f"failed   {name}", file=out)
            for line in said[-SAID_LINES:]:
                print(f"        {line}", file=out)
        print(f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped", file=out)


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def read_log(summary, path, prefix):
    """Files every record of a log; a log that is missing, damaged or empty is a failure."""
    count = 0
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            for line in log:
                summary.record(json.loads(line), prefix)
                count += 1
    except (OSError, ValueError, KeyError) as error:
        summary.fault(f"{path}: {error}")
        return
    if count == 0:
        summary.fault(f"{path}: no test ran")


def main():
    parser = argparse.ArgumentParser(description="Counts the cases of finished test runs.")
    parser.add_argument("--status", type=int, default=0, help="what `meson test` returned")
    parser.add_argument("logs", nargs="+", metavar="LOG", help="a testlog.json")
    options = parser.parse_args()
    summary = Summary()
    for path in options.logs:
        read_log(summary, path, f"{path.split('/')[0]}/" if len(options.logs) > 1 else "")
    if options.status and not summary.failed:
        summary.fault(f"meson test: exit status {options.status} although no case failed")
    summary.show(sys.stdout)
    return 1 if summary.failed else 0


if __name__ == "__main__":
    sys.exit(main())
