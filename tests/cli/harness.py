# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The harnesses are what they say: link modes, optimisation levels, and the bytes of the loop."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

import tap

BUILD = os.environ["ASSAY_BUILD"]
RUNNER = os.environ["SPECIMEN_RUNNER"]
LEVELS = ["O0", "O1", "O2", "O3"]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ, LC_ALL="C")).stdout


def harnesses(mode):
    return sorted(glob.glob(f"{tap.KIT}/harness*-{mode}"))


def window_commands():
    """Path and level of every window's object, with the words of its compilation."""
    with open(f"{BUILD}/compile_commands.json", encoding="utf-8") as file:
        for entry in json.load(file):
            found = re.search(r"libwindow-(.+)-(O\d)\.a\.p/", entry["output"])
            if found:
                yield found.group(1), found.group(2), shlex.split(entry["command"])


class LinkModes(unittest.TestCase):
    def test_static_harnesses_load_nothing(self):
        self.assertTrue(harnesses("static"))
        for harness in harnesses("static"):
            self.assertIn("no dynamic section", output("readelf", "-d", harness), harness)

    def test_lazy_harnesses_bind_at_the_first_call(self):
        self.assertTrue(harnesses("lazy"))
        for harness in harnesses("lazy"):
            self.assertNotIn("NOW", output("readelf", "-d", harness), harness)
            self.assertIn(".rela.plt", output("readelf", "-SW", harness), harness)

    def test_bind_now_harnesses_bind_at_the_start(self):
        self.assertTrue(harnesses("bind-now"))
        for harness in harnesses("bind-now"):
            self.assertRegex(output("readelf", "-d", harness), r"FLAGS_1\).*NOW", harness)

    def test_every_harness_is_in_the_manifest_and_describes_itself(self):
        with open(f"{tap.KIT}/manifest", encoding="utf-8") as file:
            listed = dict(line.split()[1:3] for line in file if line.startswith("harness "))
        self.assertEqual(sorted(listed), sorted(os.path.basename(name) for name in glob.glob(f"{tap.KIT}/harness*")))
        for name, mode in listed.items():
            self.assertTrue(name.endswith("-" + mode))
            self.assertIn("path ", output(f"{tap.KIT}/{name}", "--describe"), name)

    def test_a_harness_without_a_job_says_who_starts_it(self):
        result = subprocess.run([f"{tap.KIT}/harness-static"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("started by assay-probe", result.stderr)


class Cold(unittest.TestCase):
    """The first call of a symbol belongs to the window: nothing around it may call, and so bind, what is measured."""

    def test_only_windows_refer_to_measured_symbols(self):
        measured = {"read", "ioctl", "prctl", "__read_chk"}
        around = glob.glob(f"{BUILD}/src/probe/harness/harness-*.p/*.o") + [f"{BUILD}/src/probe/harness/libharness-core.a",
                                                                          f"{BUILD}/src/specimens/libspecimens.a"]
        self.assertGreater(len(around), 4)
        for file in around:
            undefined = {line.split()[-1] for line in output("nm", "-u", file).splitlines() if line.split()}
            self.assertFalse(undefined & measured, file)
        windows = output("nm", "-u", f"{BUILD}/src/probe/harness/libwindow-perf-read-O2.a")
        self.assertRegex(windows, r"U read\n")  # the check can see


class Levels(unittest.TestCase):
    def test_every_path_is_compiled_at_every_level(self):
        paths = {}
        for path, level, _ in window_commands():
            paths.setdefault(path, []).append(level)
        self.assertIn("perf-read", paths)
        for path, levels in paths.items():
            self.assertEqual(sorted(levels), LEVELS, path)

    def test_the_level_of_a_window_is_the_last_word(self):
        for path, level, words in window_commands():
            levels = [word for word in words if re.fullmatch(r"-O\w*", word)]
            self.assertEqual(levels[-1], "-" + level, f"{path} {words}")
            self.assertIn(f"-DWINDOW_OPT={level}", words)

    def test_nothing_else_reaches_into_a_window(self):
        undone = {"-flto": "-fno-lto", "-fstack-protector-strong": "-fno-stack-protector", "-D_FORTIFY_SOURCE": "-U_FORTIFY_SOURCE"}
        for path, level, words in window_commands():
            for flag, undo in undone.items():
                last = max([i for i, word in enumerate(words) if word.startswith(flag)], default=-1)
                self.assertGreater(words.index(undo), last, f"{path} {level}")
            self.assertFalse([word for word in words if word.startswith("-fsanitize=")], f"{path} {level}")

    def test_the_switches_are_recorded_in_the_harness(self):
        recorded = output("readelf", "-p", ".GCC.command.line", f"{tap.KIT}/harness-static")
        if "-fno-stack-protector" not in recorded:
            self.skipTest("this compiler does not record its switches")
        effective = {re.findall(r"-O\d", line)[-1] for line in recorded.splitlines() if "-O" in line}
        self.assertTrue({"-" + level for level in LEVELS} <= effective, recorded)


class Truths(unittest.TestCase):
    """Second accounts of what test-windows counts by stepping."""

    @unittest.skipUnless(os.uname().machine == "x86_64", "the decoding below is of x86-64")
    @unittest.skipUnless(shutil.which("objdump"), "objdump is not installed")
    def test_the_decoded_loop_has_one_instruction_and_three_an_iteration(self):
        listing = output("objdump", "-d", "--no-show-raw-insn", f"{tap.KIT}/harness-static")
        windows = re.findall(r"<window_\w+_loop_\w+>:\n((?:.+\n)+)", listing)
        described = output(f"{tap.KIT}/harness-static", "--describe").splitlines()
        path_levels = [line for line in described if line.startswith("path ")]
        self.assertGreaterEqual(len(path_levels), 3 * 4)
        self.assertEqual(len(windows), len(path_levels) * 4 * 2)  # patterns, layouts
        loop = re.compile(r"\tmov +\$0x0,%eax\n +(\w+):\tadd +\$0x1,%rax\n +\w+:\tcmp +%rbx,%rax\n +\w+:\tjne +\1 ")
        for window in windows:
            self.assertEqual(len(loop.findall(window)), 1, window)

    def lackey(self, specimen, n):
        result = subprocess.run(["valgrind", "--tool=lackey", RUNNER, specimen, str(n)], capture_output=True, text=True, check=True)
        return int(re.search(r"guest instrs:\s+([\d,]+)", result.stderr).group(1).replace(",", ""))

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_valgrind_counts_the_same_instructions_for_each_iteration(self):
        each = {"adds": 18, "loop": 2 if os.uname().machine == "riscv64" else 3}
        for specimen, instructions in each.items():
            self.assertEqual(self.lackey(specimen, 3000) - self.lackey(specimen, 1000), 2000 * instructions, specimen)


if __name__ == "__main__":
    tap.main()
