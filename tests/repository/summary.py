# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last line of `make test` tells the truth: tests/summary.py on sample logs."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import tap


def program(name, stdout, result="OK", returncode=0):
    return {"name": name, "stdout": stdout, "result": result, "returncode": returncode}


class Summary(unittest.TestCase):
    def summarize(self, *logs, status=0):
        """Each log is a list of records or raw text; returns (exit status, output lines)."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, log in enumerate(logs):
                paths.append(os.path.join(folder, f"{number}.json"))
                with open(paths[-1], "w", encoding="utf-8") as out:
                    out.write(log if isinstance(log, str) else "".join(json.dumps(r) + "\n" for r in log))
            done = subprocess.run([sys.executable, os.path.join(tap.SOURCE, "tests", "summary.py"),
                                   "--status", str(status), *paths],
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def counts(self, *logs, **options):
        status, lines = self.summarize(*logs, **options)
        return status, lines[-1]

    def test_cases_of_several_programs_add_up(self):
        log = [program("a", "1..2\nok 1 - x\nok 2 - y\n"), program("b", "1..1\nok 1 z\n")]
        self.assertEqual(self.counts(log), (0, "3 passed, 0 failed, 0 skipped"))

    def test_several_logs_add_up(self):
        log = [program("a", "1..1\nok 1 - x\n")]
        self.assertEqual(self.counts(log, log), (0, "2 passed, 0 failed, 0 skipped"))

    def test_a_failed_case_fails_the_run_and_is_named(self):
        status, lines = self.summarize([program("a", "1..2\nok 1 - x\nnot ok 2 - y\n# why\n", "FAIL", 1)], status=1)
        self.assertEqual(status, 1)
        self.assertEqual(lines, ["failed   a: y", "         why", "1 passed, 1 failed, 0 skipped"])

    def test_failures_come_last_with_the_end_of_what_they_said(self):
        trace = "".join(f"# line {number}\n" for number in range(20))
        log = [program("a", f"1..3\nnot ok 1 - x\n{trace}ok 2 - y # SKIP no PMU\nok 3 - z\n# of z\n", "FAIL", 1)]
        lines = self.summarize(log, status=1)[1]
        self.assertEqual(lines, ["skipped  a: y: no PMU", "failed   a: x", *[f"         line {number}" for number in range(12, 20)],
                                 "1 passed, 1 failed, 1 skipped"])

    def test_a_skip_is_listed_with_its_reason(self):
        log = [program("a", "1..1\nok 1 x # SKIP no PMU here\n")]
        self.assertEqual(self.summarize(log), (0, ["skipped  a: x: no PMU here", "0 passed, 0 failed, 1 skipped"]))

    def test_a_skip_comment_marks_the_next_case_only(self):
        log = [program("a", "1..2\n# skip: needs root\nok 1 - x\nok 2 - y\n")]
        self.assertEqual(self.summarize(log), (0, ["skipped  a: x: needs root", "1 passed, 0 failed, 1 skipped"]))

    def test_a_failure_after_a_skip_comment_stays_a_failure(self):
        log = [program("a", "1..1\n# skip: needs root\nnot ok 1 - x\n", "FAIL", 1)]
        self.assertEqual(self.counts(log, status=1), (1, "0 passed, 1 failed, 0 skipped"))

    def test_a_whole_program_skipped_gives_its_reason(self):
        log = [program("a", "1..0 # SKIP no valgrind\n", "SKIP")]
        self.assertEqual(self.summarize(log), (0, ["skipped  a: no valgrind", "0 passed, 0 failed, 1 skipped"]))

    def test_a_crash_is_a_failure_and_says_the_signal(self):
        status, lines = self.summarize([program("a", "1..3\nok 1 - x\n", "ERROR", -11)], status=1)
        self.assertEqual(status, 1)
        self.assertEqual(lines, ["failed   a: killed by SIGSEGV", "1 passed, 1 failed, 0 skipped"])

    def test_a_crash_before_the_first_case_is_a_failure(self):
        self.assertEqual(self.counts([program("a", "", "ERROR", -6)], status=1), (1, "0 passed, 1 failed, 0 skipped"))

    def test_a_timeout_is_a_failure(self):
        status, lines = self.summarize([program("a", "1..2\nok 1 - x\n", "TIMEOUT", -15)], status=1)
        self.assertEqual((status, lines[0]), (1, "failed   a: ran out of time"))

    def test_cases_that_never_reported_are_a_failure(self):
        status, lines = self.summarize([program("a", "1..3\nok 1 - x\n", "ERROR", 0)], status=1)
        self.assertEqual((status, lines[0]), (1, "failed   a: planned 3 cases, reported 1"))

    def test_a_program_that_left_before_its_plan_is_a_failure(self):
        status, lines = self.summarize([program("a", "ok 1 - x\n")])
        self.assertEqual((status, lines[0]), (1, "failed   a: ended without a plan after 1 cases"))

    def test_a_bad_exit_status_without_a_failed_case_is_a_failure(self):
        self.assertEqual(self.counts([program("a", "1..1\nok 1 - x\n", "ERROR", 3)], status=1),
                         (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_failure_nobody_reported_still_fails(self):
        self.assertEqual(self.counts([program("a", "1..1\nok 1 - x\n")], status=2), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_program_without_tap_counts_once(self):
        self.assertEqual(self.counts([program("a", "done\n")]), (0, "1 passed, 0 failed, 0 skipped"))

    def test_an_empty_log_is_a_failure(self):
        self.assertEqual(self.counts([]), (1, "0 passed, 1 failed, 0 skipped"))

    def test_a_damaged_log_is_a_failure(self):
        self.assertEqual(self.counts('{"name": "a", "std'), (1, "0 passed, 1 failed, 0 skipped"))

    def test_a_missing_log_is_a_failure(self):
        done = subprocess.run([sys.executable, os.path.join(tap.SOURCE, "tests", "summary.py"), "nowhere.json"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (1, "0 passed, 1 failed, 0 skipped"))

    def test_words_that_begin_like_ok_are_no_cases(self):
        self.assertEqual(self.counts([program("a", "1..1\nokay then\nok 1 - x\n")]), (0, "1 passed, 0 failed, 0 skipped"))


if __name__ == "__main__":
    tap.main()
