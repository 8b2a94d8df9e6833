# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""libassay's binary interface is the recorded one, and scripts/abi would notice if it were not."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import tap

LIBRARY = pathlib.Path(os.environ.get("ASSAY_BUILD", "build"), "src", "lib", "libassay.so")
LACKING = 3


def abi(*arguments):
    return subprocess.run([os.path.join(tap.SOURCE, "scripts", "abi"), *map(str, arguments)], capture_output=True, text=True,
                          timeout=100, check=False)


def comparable(library):
    """Why a library cannot be compared; "" where it can."""
    if re.search(b"__(?:asan|ubsan|tsan)_|__gcov_", library.read_bytes()):
        return "built with a sanitizer or coverage counters"
    if ".debug_info" not in subprocess.run(["readelf", "-S", "-W", library], capture_output=True, text=True, check=False).stdout:
        return "built without debug information"
    if "clang" in subprocess.run(["readelf", "-p", ".comment", library], capture_output=True, text=True, check=False).stdout:
        return "built by clang, whose debug information names some types otherwise"
    return ""


class Abi(unittest.TestCase):
    unchanged = ""  # the record of the headers as they are, made once

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-abi-"))
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(os.path.join(tap.SOURCE, "include"), self.folder / "include")
        (self.folder / "src" / "lib").mkdir(parents=True)
        shutil.copy(os.path.join(tap.SOURCE, "src", "lib", "libassay.map"), self.folder / "src" / "lib")
        self.record = self.folder / "record.abi"
        if not Abi.unchanged:
            self.ask("--update")
            Abi.unchanged = self.record.read_text(encoding="utf-8")
        self.record.write_text(Abi.unchanged, encoding="utf-8")

    def ask(self, *arguments):
        done = abi("--include", self.folder / "include", "--record", self.record, *arguments)
        if done.returncode == LACKING:
            self.skipTest(done.stderr.strip())
        return done

    def change(self, path, old, new):
        file = self.folder / path
        text = file.read_text(encoding="utf-8")
        changed, times = re.subn(old, new, text, count=1, flags=re.M)
        self.assertEqual(times, 1, f"{path} has no {old}")
        file.write_text(changed, encoding="utf-8")

    def noticed(self, what):
        done = self.ask()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("scripts/abi --update", done.stdout)
        self.assertIn("soversion", done.stdout)
        self.assertRegex(done.stdout, what)

    def test_the_interface_is_the_recorded_one(self):
        done = abi()
        if done.returncode == LACKING:
            self.skipTest(done.stderr.strip())
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_the_built_library_has_the_recorded_interface(self):
        why = comparable(LIBRARY)
        if why:
            self.skipTest(f"the library is {why}")
        done = self.ask(LIBRARY)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_a_library_that_lacks_a_function_is_noticed(self):
        why = comparable(LIBRARY)
        if why:
            self.skipTest(f"the library is {why}")
        self.change("src/lib/libassay.map", r"^    assay_begin;", "    assay_begin; assay_beginning;")
        self.change("include/assay/calipers.h", r"^ASSAY_API void assay_begin\(void\);", r"\g<0>\nASSAY_API void assay_beginning(void);")
        self.ask("--update")
        done = self.ask(LIBRARY)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("assay_beginning", done.stdout)

    def test_the_record_is_the_same_every_time_and_names_no_folder(self):
        first = self.record.read_text(encoding="utf-8")
        self.ask("--update")
        self.assertEqual(self.record.read_text(encoding="utf-8"), first)
        self.assertNotIn(str(self.folder.parent), first)
        self.assertNotIn(tap.SOURCE, first)

    def test_a_new_function_is_noticed(self):
        self.change("src/lib/libassay.map", r"^    assay_begin;", "    assay_begin; assay_beginning;")
        self.change("include/assay/calipers.h", r"^ASSAY_API void assay_begin\(void\);", r"\g<0>\nASSAY_API void assay_beginning(void);")
        self.noticed("1 Added function")

    def test_a_function_that_is_gone_is_noticed(self):
        self.change("src/lib/libassay.map", r"^    assay_table;\n", "")
        self.change("include/assay/calipers.h", r"^ASSAY_API int assay_table\(int descriptor\);", "")
        self.noticed("1 Removed")

    def test_another_parameter_is_noticed(self):
        self.change("include/assay/calipers.h", r"assay_table\(int descriptor\)", "assay_table(long descriptor)")
        self.noticed("assay_table")

    def test_another_version_of_a_symbol_is_noticed(self):
        self.change("src/lib/libassay.map", r"^ASSAY_0.1 ", "ASSAY_0.2 ")
        self.noticed("ASSAY_0.1")

    def test_another_value_of_a_constant_is_noticed(self):
        self.change("include/assay/calipers.h", r"ASSAY_SAW_FAULTS = 1,", "ASSAY_SAW_FAULTS = 512,")
        self.noticed("ASSAY_SAW_FAULTS")

    def test_another_bit_for_a_way_is_noticed(self):
        self.change("include/assay/calipers.h", r"(ASSAY_WAY_TRAP\s+)4$", r"\g<1>16")
        self.noticed("ASSAY_WAY_TRAP")

    def test_a_longer_structure_of_the_interface_is_noticed(self):
        self.change("include/assay/clock.h", r"^    double ns;", "    double ns, more;")
        self.noticed("assay_span")

    def test_moved_fields_that_code_in_programs_knows_are_noticed(self):
        for path, field, moved in (("include/assay/calipers.h", r"^    (uint32_t ways;.*)\n    (uint32_t depth;.*)$", "depth"),
                                   ("include/assay/calipers.h", r"^    (uint64_t children, named;.*)\n    (uint64_t noticed;.*)$", "noticed"),
                                   ("include/assay/set.h", r"^    (int descriptor;.*)\n    (unsigned size;.*)$", "size")):
            with self.subTest(field=moved):
                before = (self.folder / path).read_text(encoding="utf-8")
                self.change(path, field, r"    \2\n    \1")
                self.noticed(rf"'[^']*\b{moved}' offset changed")
                (self.folder / path).write_text(before, encoding="utf-8")

    def test_another_depth_of_pages_is_noticed(self):
        self.change("include/assay/calipers.h", r"ASSAY_CALIPERS_MOST\s+16", "ASSAY_CALIPERS_MOST 17")
        self.noticed("assay_here")


if __name__ == "__main__":
    tap.main()
