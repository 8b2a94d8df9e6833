# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/tidy forgets what it knows as soon as anything changes, and looks at every way of compiling that could matter."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap

SCRIPT = os.path.join(tap.SOURCE, "scripts", "tidy")
NINJA = """rule cc
  command = cc $flags -MD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
build one.o: cc ../part.c
  flags = -O2 -I../include
build again.o: cc ../part.c
  flags = -O0 -I../include -I..
build other.o: cc ../part.c
  flags = -DOTHER -I../include
"""
HEADER = "int twice(int number);\n"
PART = '#include "part.h"\nint twice(int number)\n{\n#ifdef OTHER\n    number = number;\n#endif\n    return 2 * number;\n}\n'
CLEAN = PART.replace("number = number;", "number = number + 1;")
MISSING = [name for name in ("clang-tidy", "ninja", "cc") if not shutil.which(name)]


@unittest.skipIf(MISSING, f"{', '.join(MISSING)} is not installed")
class Tidy(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-tidy-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
        os.makedirs(os.path.join(self.folder, "build"))
        os.makedirs(os.path.join(self.folder, "include"))
        self.write(".clang-tidy", "Checks: '-*,misc-redundant-expression,bugprone-macro-parentheses,clang-diagnostic-self-assign'\n"
                                  "WarningsAsErrors: '*'\nHeaderFilterRegex: '.*'\n")
        self.write("include/part.h", HEADER)
        self.write("build/build.ninja", NINJA)
        self.write("part.c", CLEAN)
        self.write("build/compile_commands.json", json.dumps(
            [{"directory": os.path.join(self.folder, "build"), "file": "../part.c", "output": name + ".o",
              "command": f"cc -Wall {flags} -c ../part.c -o {name}.o"}
             for name, flags in (("one", "-O2 -I../include"), ("again", "-O0 -I../include -I.."), ("other", "-DOTHER -I../include"))]))

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(content)

    def tidy(self, status=0):
        subprocess.run(["ninja", "-C", "build"], cwd=self.folder, check=True, capture_output=True)
        done = subprocess.run([sys.executable, SCRIPT, "build", "1"], cwd=self.folder, check=False, capture_output=True, text=True, env=self.env)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def commands(self):
        with open(os.path.join(self.folder, "build", "distinct", "compile_commands.json"), encoding="utf-8") as file:
            return [entry["output"] for entry in json.load(file)]

    def test_what_was_clean_is_not_analysed_again(self):
        self.assertIn("1 of them analysed now, 0 with complaints", self.tidy())
        self.assertIn("0 of them analysed now, 0 with complaints", self.tidy())

    def test_every_way_that_matters_is_analysed_and_no_other(self):
        self.tidy()
        self.assertEqual(self.commands(), ["one.o", "other.o"])
        self.write("part.c", PART)  # wrong with the macro only
        self.assertIn("explicitly assigning", self.tidy(status=1))

    def test_complaints_are_not_forgotten(self):
        self.write("part.c", PART)
        for _ in range(2):
            self.assertIn("1 with complaints", self.tidy(status=1))

    def test_a_change_of_anything_that_is_read_counts(self):
        changes = {"part.c": CLEAN + "\n", "include/part.h": HEADER + "#define SUM 1 + 1\n",
                   ".clang-tidy": "Checks: '-*,misc-redundant-expression'\n"}
        for name, content in changes.items():
            with self.subTest(name):
                self.tidy()
                self.write(name, content)
                self.assertIn("1 of them analysed now", self.tidy(status=1 if name.endswith(".h") else 0))
                self.setUp()

    def test_a_macro_on_the_command_line_counts(self):
        self.tidy()
        path = os.path.join(self.folder, "build", "compile_commands.json")
        with open(path, encoding="utf-8") as file:
            content = file.read()
        self.write("build/compile_commands.json", content.replace("-DOTHER", "-DOTHER=2"))
        self.assertIn("1 of them analysed now", self.tidy())

    def test_a_file_that_is_not_compiled_is_named(self):
        subprocess.run(["ninja", "-C", "build"], cwd=self.folder, check=True, capture_output=True)
        done = subprocess.run([sys.executable, SCRIPT, "build", "1", "none.c"], cwd=self.folder, check=False, capture_output=True, text=True, env=self.env)
        self.assertEqual((done.returncode, "none.c" in done.stderr), (1, True))


if __name__ == "__main__":
    tap.main()
