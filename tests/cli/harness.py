# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The harnesses are what they say, in the own kit and in those of other ISAs: link modes, optimisation levels, and the
code of the loop."""
import collections
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

import kits
import tap

RUNNER = os.environ["SPECIMEN_RUNNER"]
LEVELS = ["O0", "O1", "O2", "O3"]
KITS = [kits.Kit(None), *kits.foreign()]
MEASURED = {"read", "ioctl", "prctl", "__read_chk", "PAPI_start", "PAPI_stop", "PAPI_read", "PAPI_accum",
            "PAPI_hl_region_begin", "PAPI_hl_region_end", "likwid_markerStartRegion", "likwid_markerStopRegion"}


def output(*command, env=None):
    return subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ, LC_ALL="C", **env or {})).stdout


class OfKit:
    """What the cases below ask of their kit."""

    def harnesses(self, mode):
        found = sorted(glob.glob(f"{self.kit.folder}/harness*-{mode}"))
        self.assertTrue(found)
        return found

    def emulator(self):
        absence = self.kit.emulator_absence()
        if absence:
            self.skipTest(absence)
        return self.kit.emulator()

    def window_commands(self):
        """Path and level of every window's object, with the words of its compilation."""
        with open(f"{self.kit.build}/compile_commands.json", encoding="utf-8") as file:
            for entry in json.load(file):
                found = re.search(r"libwindow-(.+)-(O\d)\.a\.p/", entry["output"])
                if found:
                    yield found.group(1), found.group(2), shlex.split(entry["command"])

    def truth(self, specimen, name):
        """Base and each, as the kit's own specimens state them."""
        for line in output(*self.emulator(), f"{self.kit.build}/tests/guest/windows", "list").splitlines():
            if line.split()[:3] == ["truth", specimen, name]:
                return tuple(map(int, line.split()[3:]))
        return self.fail(f"{specimen} states no {name}")


@kits.each(KITS)
class LinkModes(OfKit):
    def sections(self, *arguments):
        return output(self.kit.tool("readelf"), *arguments)

    def test_static_harnesses_load_nothing(self):
        for harness in self.harnesses("static"):
            self.assertIn("no dynamic section", self.sections("-d", harness), harness)

    def test_lazy_harnesses_are_marked_to_bind_at_the_first_call(self):
        for harness in self.harnesses("lazy"):
            self.assertNotIn("NOW", self.sections("-d", harness), harness)
            self.assertIn("(JMPREL)", self.sections("-d", harness), harness)

    def test_bind_now_harnesses_are_marked_to_bind_at_the_start(self):
        for harness in self.harnesses("bind-now"):
            self.assertRegex(self.sections("-d", harness), r"FLAGS_1\).*NOW", harness)

    def bound(self, harness):
        """Symbols that the loader binds for the harness while it only describes itself."""
        emulator = self.emulator()
        pass_on = ["-E", "LD_DEBUG=bindings"] if emulator else []
        done = subprocess.run([*emulator, *pass_on, harness, "--describe"], capture_output=True, text=True, check=True,
                              env=os.environ if emulator else dict(os.environ, LD_DEBUG="bindings"))
        found = set(re.findall(rf"binding file {re.escape(harness)} .* symbol `(\w+)'", done.stderr))
        if not found:
            self.skipTest("this loader does not say what it binds")
        return found

    def test_a_lazy_harness_has_bound_nothing_of_what_it_will_measure(self):
        for harness in self.harnesses("lazy"):
            if "/harness-watch-" not in harness:  # those measure no calls
                self.assertFalse(self.bound(harness) & MEASURED, harness)

    def test_a_bind_now_harness_has_bound_what_it_will_measure(self):
        for harness in self.harnesses("bind-now"):
            self.assertTrue(self.bound(harness) & MEASURED, harness)

    def test_every_harness_is_in_the_manifest_and_describes_itself(self):
        with open(f"{self.kit.folder}/manifest", encoding="utf-8") as file:
            listed = dict(line.split()[1:3] for line in file if line.startswith("harness "))
        self.assertEqual(sorted(listed), sorted(os.path.basename(name) for name in glob.glob(f"{self.kit.folder}/harness*")))
        for name, mode in listed.items():
            self.assertTrue(name.endswith("-" + mode))
            # PAPI is absent where it finds no counters of its own.
            self.assertRegex(output(*self.emulator(), f"{self.kit.folder}/{name}", "--describe"),
                             "^(path|operation|clock|absent papi-(low|high)) ", name)

    def test_a_harness_without_a_job_says_who_starts_it(self):
        result = subprocess.run([*self.emulator(), f"{self.kit.folder}/harness-static"], capture_output=True, text=True,
                                stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("started by assay-probe", result.stderr)


@kits.each(KITS)
class Cold(OfKit):
    """The first call of a symbol belongs to the window: nothing around it may call, and so bind, what is measured."""

    def undefined(self, file):
        return {line.split()[-1] for line in output(self.kit.tool("nm"), "-u", file).splitlines() if line.split()}

    def test_only_windows_refer_to_measured_symbols(self):
        build = f"{self.kit.build}/src"
        around = glob.glob(f"{build}/probe/harness/harness-*.p/*.o") + glob.glob(f"{build}/probe/tour/harness-*.p/*.o")
        around += [f"{build}/probe/harness/libharness-core.a", f"{build}/specimens/libspecimens.a", f"{build}/probe/tour/libtour-core.a",
                   f"{build}/probe/tour/libtour-spans.a"]
        self.assertGreater(len(around), 8)
        # Runs programs, and is never asked for first calls of its own: nothing is bound in a static harness.
        around = [file for file in around if "/harness-tour-command-static.p/" not in file]
        for file in around:
            self.assertFalse(self.undefined(file) & {"read", "ioctl", "prctl", "__read_chk"}, file)
        self.assertIn("read", self.undefined(f"{build}/probe/harness/libwindow-perf-read-O2.a"))  # the check can see
        self.assertIn("read", self.undefined(f"{build}/probe/tour/libcallers.a"))

    def test_only_calls_of_tours_refer_to_functions_of_libraries_that_they_measure(self):
        folder = f"{self.kit.build}/src/probe/tour"
        around = [file for mode in ("lazy", "bind-now") for file in glob.glob(f"{folder}/harness-tour-*-{mode}.p/*.o")]
        if not around:
            self.skipTest("this kit was built without PAPI and LIKWID")
        for file in around:
            self.assertFalse(self.undefined(file) & MEASURED, file)
        for callers in glob.glob(f"{folder}/libcallers-[lp]*.a"):
            self.assertTrue(self.undefined(callers) & MEASURED, callers)


@kits.each(KITS)
class Levels(OfKit):
    def test_every_path_is_compiled_at_every_level(self):
        paths = {}
        for path, level, _ in self.window_commands():
            paths.setdefault(path, []).append(level)
        self.assertIn("perf-read", paths)
        for path, levels in paths.items():
            self.assertEqual(sorted(levels), LEVELS, path)

    def test_the_level_of_a_window_is_the_last_word(self):
        for path, level, words in self.window_commands():
            levels = [word for word in words if re.fullmatch(r"-O\w*", word)]
            self.assertEqual(levels[-1], "-" + level, f"{path} {words}")
            self.assertIn(f"-DWINDOW_OPT={level}", words)

    def test_nothing_else_reaches_into_a_window(self):
        undone = {"-flto": "-fno-lto", "-fstack-protector-strong": "-fno-stack-protector", "-D_FORTIFY_SOURCE": "-U_FORTIFY_SOURCE"}
        for path, level, words in self.window_commands():
            for flag, undo in undone.items():
                last = max([i for i, word in enumerate(words) if word.startswith(flag)], default=-1)
                self.assertGreater(words.index(undo), last, f"{path} {level}")
            self.assertFalse([word for word in words if word.startswith("-fsanitize=")], f"{path} {level}")

    def test_the_switches_are_recorded_in_the_harness(self):
        recorded = output(self.kit.tool("readelf"), "-p", ".GCC.command.line", f"{self.kit.folder}/harness-static")
        if "-fno-stack-protector" not in recorded:
            self.skipTest("this compiler does not record its switches")
        effective = {re.findall(r"-O\d", line)[-1] for line in recorded.splitlines() if "-O" in line}
        self.assertTrue({"-" + level for level in LEVELS} <= effective, recorded)


INSTRUCTION = re.compile(r" *([0-9a-f]+):\t.*?(?:\b([0-9a-f]+) <window_\w+(?:\+0x[0-9a-f]+)?>)?\s*(?://.*)?$")


def loops(function):
    """How many instructions each jump back inside a decoded function encloses, with itself."""
    matches = [INSTRUCTION.match(line) for line in function.splitlines()]
    decoded = [(int(match[1], 16), match[2] and int(match[2], 16)) for match in matches if match]
    positions = {address: number for number, (address, _) in enumerate(decoded)}
    return collections.Counter(number - positions[target] + 1 for number, (address, target) in enumerate(decoded)
                               if target in positions and target <= address)


@kits.each(KITS)
class Decoded(OfKit):
    """A second account of what test-windows counts by stepping and emulated.py from QEMU's log."""

    def windows(self, form):
        """The decoded functions of every window that holds this form of specimen; one name stands for all paths and levels,
        which follow each other in the same order whatever the form."""
        listing = output(self.kit.tool("objdump"), "-d", "--no-show-raw-insn", f"{self.kit.folder}/harness-static")
        found = collections.defaultdict(list)
        for pattern, layout, body in re.findall(rf"<window_(\w+)_{form}_(\w+)>:\n((?:.+\n)+)", listing):
            found[pattern, layout].append(loops(body))
        return found

    def test_the_loop_is_the_only_one_a_window_has_beyond_an_empty_one_and_as_long_as_predicted(self):
        if not shutil.which(self.kit.tool("objdump")):
            self.skipTest("objdump is not installed")
        _, each = self.truth("loop", "instructions")
        filled, empty = self.windows("loop"), self.windows("null")
        described = output(*self.emulator(), f"{self.kit.folder}/harness-static", "--describe").splitlines()
        expected = sum(len(line.split()[3].split(",")) for line in described if line.startswith("path "))
        # Paths that this machine cannot use have windows all the same: perf-user all patterns but start-stop, trap that alone.
        expected += 3 * sum(line.startswith("absent perf-user") for line in described)
        expected += sum(line.startswith("absent trap ") for line in described)
        self.assertEqual(sum(len(found) for (_, layout), found in filled.items() if layout == "group"), expected)
        for window, found in filled.items():
            self.assertEqual(len(found), len(empty[window]))
            for full, bare in zip(found, empty[window]):
                self.assertEqual(full - bare, {each: 1}, window)


class Valgrind(OfKit, unittest.TestCase):
    kit = KITS[0]

    def lackey(self, specimen, n):
        result = subprocess.run(["valgrind", "--tool=lackey", RUNNER, specimen, str(n)], capture_output=True, text=True, check=True)
        return int(re.search(r"guest instrs:\s+([\d,]+)", result.stderr).group(1).replace(",", ""))

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_valgrind_counts_the_same_instructions_for_each_iteration(self):
        for specimen in ("adds", "loop"):
            _, each = self.truth(specimen, "instructions")
            self.assertEqual(self.lackey(specimen, 3000) - self.lackey(specimen, 1000), 2000 * each, specimen)


if __name__ == "__main__":
    tap.main()
