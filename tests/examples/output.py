# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples run on any machine, and what they print is true: counts agree with one another where they must."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import tap

BUILT = pathlib.Path(os.environ.get("ASSAY_BUILD", "build"), "examples")
COUNT = re.compile(r"^(\S+): (-?\d+) \+- (\d+) instructions(?:, raw (\d+)| in (\d+) regions)", re.MULTILINE)


def run(name, *arguments, **environment):
    done = subprocess.run([BUILT / f"example-{name}", *arguments], capture_output=True, text=True, timeout=120, check=False,
                          env=dict(os.environ, **environment))
    return done


class Examples(unittest.TestCase):
    def output(self, name, *arguments, **environment):
        done = run(name, *arguments, **environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_every_example_is_built_and_named_in_the_guide(self):
        guide = pathlib.Path(tap.SOURCE, "docs", "calipers.md").read_text(encoding="utf-8")
        sources = sorted(path.name for path in pathlib.Path(tap.SOURCE, "examples").glob("*.c*"))
        self.assertEqual([name for name in sources if f"(../examples/{name})" not in guide], [])
        built = os.environ.get("EXAMPLES", "").split() or [name[:-2] for name in sources if name.endswith(".c")]
        self.assertEqual(sorted(name + ".c" for name in built), [name for name in sources if name.endswith(".c")])

    def test_a_region_is_counted_or_says_why_not_and_is_timed(self):
        shown = self.output("region")
        self.assertRegex(shown, r"^path: (none|perf-user|perf-read|trap)\n")
        counted = re.search(r"^instructions:u: (\d+) \+- (\d+) \(counted; raw (\d+)\)$", shown, re.MULTILINE)
        if counted:
            corrected, _, raw = (int(text) for text in counted.groups())
            self.assertGreater(corrected, 300)  # a hundred times round a loop of three instructions or more
            self.assertGreater(raw, corrected)
        else:
            self.assertRegex(shown, r"\ninstructions:u: not counted: .{20,}\n")

    def test_a_region_counts_the_same_every_time_where_it_is_exact(self):
        shown = {self.output("region").splitlines()[1] for _ in range(2)}
        if not all("+- 0 " in line for line in shown):
            self.skipTest("instructions are not counted exactly here")
        self.assertEqual(len(shown), 1)

    def test_nested_regions_agree_with_one_another(self):
        shown = self.output("nested")
        if shown.startswith("not counted: "):
            self.skipTest("instructions are not counted here")
        counts = {what: (int(count), int(bar)) for what, count, bar, _, _ in COUNT.findall(shown)}
        self.assertEqual(set(counts), {"plain", "outer", "parts"})
        plain, outer, parts = counts["plain"], counts["outer"], counts["parts"]
        # Elsewhere the compiler may have put two instructions for the address of a name into the outer region.
        self.assertLessEqual(abs(outer[0] - plain[0]), outer[1] + plain[1] + (0 if os.uname().machine == "x86_64" else 4), shown)
        self.assertLessEqual(abs(parts[0] - 2 * plain[0]), parts[1] + 2 * plain[1], shown)

    def test_a_hundred_instructions_are_a_hundred(self):
        counted = re.findall(r"^.* by (\S+): raw (\d+), window (\d+), corrected (\S+) \+- (\d+); exact (\d+) times of 100, covered (\d+) times$",
                             self.output("hundred"), re.MULTILINE)
        for path, raw, window, corrected, _, exact, covered in counted:
            with self.subTest(path):
                self.assertGreater(int(window), 0)
                if path == "trap":  # of counters of the CPU nobody here knows how good they are
                    self.assertEqual((int(raw) - int(window), corrected, exact, covered), (100, "100", "100", "100"))
        if not counted:
            self.skipTest("instructions are not counted here")

    def test_what_is_held_stays_in_its_region(self):
        shown = self.output("held")
        if shown.startswith("not counted: "):
            self.skipTest("instructions are not counted here")
        # Two multiplications, one by seven, an addition: not fewer than four instructions, and not many more.
        self.assertIn(int(re.search(r"^held: (\d+) ", shown, re.MULTILINE)[1]), range(4, 30))

    def test_threads_end_in_one_table(self):
        shown = self.output("threads")
        for name in ("filling", "adding"):
            self.assertRegex(shown, rf"(?m)^{name}\b.*\b30\b")

    def test_a_million_regions_do_not_grow(self):
        shown = self.output("million")
        self.assertRegex(shown, r"^1000000 regions, peak memory grew by \d+ KiB\n")
        grown = int(re.search(r"grew by (\d+) KiB", shown)[1])
        # A byte a region would be a thousand.
        self.assertLess(grown, 500)

    def test_the_clock_tells_longer_from_shorter(self):
        shown = self.output("clock")
        self.assertRegex(shown, r"^clock: (tsc|cntvct|rdtime|CLOCK_MONOTONIC_RAW), \S+ ticks a second, wrong by at most \S+ ppm\n")
        spans = [(float(ns), float(error)) for ns, error in re.findall(r"times: (\S+) \+- (\S+) ns", shown)]
        self.assertEqual(len(spans), 4)
        self.assertGreater(spans[3][0], 100 * spans[0][1])

    def test_trust_is_unknown_where_nothing_was_validated(self):
        with tempfile.TemporaryDirectory() as folder:
            shown = self.output("trust", "page-faults:u", XDG_STATE_HOME=folder)
        self.assertRegex(shown, r"^page-faults:u: unknown\b")
        self.assertIn("assay validate", shown)

    def test_a_region_in_c_plus_plus_is_added_up(self):
        if not (BUILT / "example-region-cpp").exists():
            self.skipTest("built without a C++ compiler")
        shown = self.output("region-cpp")
        self.assertRegex(shown, r"(?m)^page-faults:u: (\d+ \+- \d+ in 10 regions|not counted: .{20,})$")
        self.assertRegex(shown, r"(?m)^ticks: (\d+ \+- \d+ in 10 regions|not counted: .{20,})$")


if __name__ == "__main__":
    tap.main()
