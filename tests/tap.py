# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a unittest module and reports in TAP, so that every case counts as a test of its own.

A test script ends with:  if __name__ == "__main__": tap.main()
ASSAY (the executable), ASSAY_KIT (the kit) and ASSAY_SOURCE (the tree) come from the environment.
"""
import os
import resource
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

ASSAY = os.environ.get("ASSAY", "build/assay")
KIT = os.environ.get("ASSAY_KIT", "")
SOURCE = os.environ.get("ASSAY_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONG = 2  # seconds: what a case took is said from there on


def assay(*arguments, via=None, env=None, timeout=300, prefix=(), **options):
    """Runs assay and returns the finished process with text output."""
    environment = dict(os.environ, **(env or {}))
    command = [*prefix, ASSAY, *arguments]
    if via:
        command += ["--via", via]
    return subprocess.run(command, env=environment, timeout=timeout, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, check=False, **options)


def together(function, values):
    """The results of the function for each of these; what waits does so beside the others."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(function, values))


def spent():
    """Seconds that passed, and those of a CPU that this process and its ended children took."""
    return time.monotonic(), sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class TapResult(unittest.TestResult):
    def __init__(self, stream):
        super().__init__()
        self.out, self.number, self.broken = stream, 0, None
        self.spent = spent()

    def line(self, ok, test, suffix=""):
        """Says what a long case took, preparations included: what waits could wait beside others, what computes could compute less."""
        self.number += 1
        before, self.spent = self.spent, spent()
        passed, worked = (now - then for now, then in zip(self.spent, before))
        name = test.id().split(".", 1)[-1].replace("#", "")
        if passed >= LONG:
            print(f"# the next took {passed:.1f} s, {worked:.1f} s of a CPU", file=self.out)
        print(f"{'ok' if ok else 'not ok'} {self.number} {name}{suffix}", file=self.out, flush=True)

    def details(self, error):
        for line in self._exc_info_to_string(*error).splitlines():
            print("# " + line, file=self.out, flush=True)

    def _exc_info_to_string(self, kind, value, trace):
        import traceback
        return "".join(traceback.format_exception(kind, value, trace))

    def addSuccess(self, test):
        self.line(True, test)

    def addFailure(self, test, err):
        self.line(False, test)
        self.details(err)

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        """A case with sub-tests stays one case: it fails when any of them does."""
        if err is not None:
            self.broken = test
            print(f"# {subtest.id()}", file=self.out)
            self.details(err)

    def stopTest(self, test):
        if self.broken is test:
            self.line(False, test)
            self.broken = None
        super().stopTest(test)

    def addSkip(self, test, reason):
        self.line(True, test, f" # SKIP {reason}")


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = TapResult(sys.stdout)
    suite.run(result)
    # The plan comes last: a class that skips as a whole is one case, not as many as it holds.
    print(f"1..{result.number}", flush=True)
