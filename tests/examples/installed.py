# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""libassay as it is installed: the examples build by what pkg-config says, shared and static, and man finds every function."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import tap

BUILD = os.environ.get("ASSAY_BUILD", "build")
EXAMPLES = pathlib.Path(tap.SOURCE, "examples")
SLOW = {"held.c", "hundred.c", "million.c", "nested.c"}  # run by output.py, and trapping takes its time
WARNINGS = ("-O2", "-Wall", "-Wextra", "-Werror")
MEASURED = re.compile(rb"__(?:asan|ubsan|tsan)_|__gcov_")  # wants a run-time library that plain programs lack


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for tool in ("meson", "pkg-config"):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"needs {tool}")
        if MEASURED.search(pathlib.Path(BUILD, "src", "lib", "libassay.so").read_bytes()):
            raise unittest.SkipTest("the library is built with a sanitizer or coverage counters, the programs are not")
        cls.root = tempfile.mkdtemp(prefix="assay-installed-")
        cls.addClassCleanup(shutil.rmtree, cls.root)
        done = run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", cls.root, "--tags", "devel,runtime,man")
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        cls.described = next(pathlib.Path(cls.root).rglob("libassay.pc")).parent
        cls.libraries = cls.described.parent

    def flags(self, *options):
        done = run("pkg-config", "--cflags", "--libs", *options, "libassay",
                   env=dict(os.environ, PKG_CONFIG_PATH=str(self.described), PKG_CONFIG_SYSROOT_DIR=self.root))
        self.assertEqual(done.returncode, 0, done.stderr)
        return shlex.split(done.stdout)

    def build(self, compiler, source, *flags):
        program = os.path.join(self.root, "program")
        built = run(compiler, *WARNINGS, source, *flags, "-pthread", "-o", program)
        self.assertEqual((built.returncode, built.stderr), (0, ""))
        return program

    def ran(self, program):
        done = run(program, env=dict(os.environ, LD_LIBRARY_PATH=str(self.libraries)))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertNotEqual(done.stdout, "")

    def needed(self, program):
        return re.findall(r"NEEDED.*\[(libassay.*)\]", run("readelf", "-d", program).stdout)

    def test_c_examples_build_with_the_shared_library(self):
        for source in sorted(EXAMPLES.glob("*.c")):
            with self.subTest(source.name):
                program = self.build("cc", source, "-std=gnu99", "-pedantic", *self.flags())
                self.assertEqual(self.needed(program), ["libassay.so.0"])
                if source.name not in SLOW:
                    self.ran(program)

    def test_c_examples_build_statically(self):
        if not (self.libraries / "libassay.a").exists():
            self.skipTest("built without objcopy")
        for source in sorted(EXAMPLES.glob("*.c")):
            with self.subTest(source.name):
                program = self.build("cc", source, "-static", *self.flags("--static"))
                self.assertNotIn("INTERP", run("readelf", "-l", program).stdout)
                if source.name not in SLOW:
                    self.ran(program)

    def test_c_plus_plus_examples_build(self):
        if not shutil.which("c++"):
            self.skipTest("needs a C++ compiler")
        for source in sorted(EXAMPLES.glob("*.cpp")):
            for flags in (self.flags(), ["-static", *self.flags("--static")], ["-DASSAY_NO_INLINE", *self.flags()]):
                with self.subTest(source=source.name, flags=flags):
                    self.ran(self.build("c++", source, "-std=c++17", "-pedantic", *flags))

    def test_man_finds_every_function(self):
        if not shutil.which("man"):
            self.skipTest("man is not installed")
        pages = next(pathlib.Path(self.root).rglob("man3"))
        names = sorted(path.name[:-len(".3")] for path in pages.iterdir())
        self.assertIn("assay_begin", names)
        for name in ("assay_begin", "assay_trust", "libassay"):
            shown = run("man", "--warnings", "-M", str(pages.parent), "3", name,
                        env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
            if "cannot" in shown.stderr and "locale" not in shown.stderr:
                self.skipTest(shown.stderr.strip())
            with self.subTest(name):
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))
                self.assertIn("assay_calipers_open(struct assay_calipers **calipers", shown.stdout)


if __name__ == "__main__":
    tap.main()
