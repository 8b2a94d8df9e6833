# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""libassay's threads under ThreadSanitizer: the unit test of threads, with all of the library compiled for it."""
import os
import shutil
import subprocess
import unittest

import tap

PROGRAM = os.path.join(os.environ.get("ASSAY_BUILD", "build"), "tests", "unit", "test-calipers-threads-watched")
# What the sanitizer says where the kernel lays out memory as it does not expect.
CANNOT = "FATAL: ThreadSanitizer"


def run(*prefix):
    environment = dict(os.environ, TSAN_OPTIONS="exitcode=66", CMOCKA_MESSAGE_OUTPUT="STDOUT")
    return subprocess.run([*prefix, PROGRAM], capture_output=True, text=True, timeout=240, check=False, env=environment)


class Threads(unittest.TestCase):
    def test_no_race_is_found(self):
        if not os.path.exists(PROGRAM):
            self.skipTest("the compiler has no ThreadSanitizer")
        result = run()
        if CANNOT in result.stderr and shutil.which("setarch"):
            result = run("setarch", "-R")
        if CANNOT in result.stderr:
            self.skipTest("ThreadSanitizer cannot run here: " + result.stderr.strip().splitlines()[0])
        self.assertNotIn("WARNING: ThreadSanitizer", result.stdout + result.stderr)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    tap.main()
