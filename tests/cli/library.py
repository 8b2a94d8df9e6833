# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""libassay as others get it: the header, the shared and the static library."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import tap

LIBRARIES = os.path.join(os.environ.get("ASSAY_BUILD", "build"), "src", "lib")
SHARED = os.path.join(LIBRARIES, "libassay.so")
STATIC = os.path.join(LIBRARIES, "libassay.a")
INCLUDE = os.path.join(tap.SOURCE, "include")
# A sanitized library wants its run-time library, which a plain program does not bring.
with open(SHARED, "rb") as library:
    CONTENT = library.read()
SANITIZED = re.search(b"__(asan|ubsan)_", CONTENT) is not None
COVERED = b"__gcov_" in CONTENT  # the same for coverage counters, in the static library

PROGRAM = """
#include <assay.h>
#include <stdio.h>
int main(void)
{
    const char *events[] = {"page-faults:u", "mem:0x1001/4:w:u"};
    struct assay_set *set;
    struct assay_value values[2];
    if (assay_set_open(&set, events, 2, 0) < 0) {
        puts(assay_last_error());
        return 1;
    }
    assay_set_enable(set);
    assay_set_disable(set);
    if (assay_set_read(set, values) < 0)
        return 1;
    printf("%s %s\\n", assay_state_name(values[0].state), assay_state_name(values[1].state));
    assay_set_close(set);
    return 0;
}
"""

# A vector value is made, the header's read made, and the value used: it must be stored in between.
VECTORS = (
    ("riscv64-linux-gnu", "rv64gcv",
     """__rvv_int32m1_t vector;
     __asm__ volatile("vmv.v.i %0, 1" : "=vr"(vector));
     assay_read_in_place(file, into, 8);
     __asm__ volatile("" : : "vr"(vector));
     """, r"\bvs1r\.v\b"),
    ("aarch64-linux-gnu", "armv8-a+sve",
     """__SVBool_t predicate;
     __asm__ volatile("ptrue %0.s" : "=Upa"(predicate));
     assay_read_in_place(file, into, 8);
     __asm__ volatile("" : : "Upa"(predicate));
     """, r"\bstr\s+p\d+, \["),
    ("aarch64-linux-gnu", "armv8-a+sve",
     """__SVInt32_t vector;
     __asm__ volatile("mov %0.s, #1" : "=w"(vector));
     assay_read_in_place(file, into, 8);
     __asm__ volatile("" : : "w"(vector));
     """, r"\bmov\s+z\d+\.s, #1[^Z]*\bstr\s+z\d+, \["),
)


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)


def public_names():
    with open(os.path.join(tap.SOURCE, "src", "lib", "libassay.map"), encoding="utf-8") as script:
        return set(re.findall(r"^\s+(assay_\w+);", script.read(), flags=re.M))


def declared_names():
    """Functions, and the variables that instructions in the caller's code use."""
    names = set()
    for header in pathlib.Path(INCLUDE).rglob("*.h"):
        text = header.read_text(encoding="utf-8")
        names |= set(re.findall(r"^ASSAY_API[^;(]*?(assay_\w+)\(", text, flags=re.M))
        names |= set(re.findall(r"^extern ASSAY_API[^;(]*?(assay_\w+)\s*(?:__attribute__|;)", text, flags=re.M))
    return names


def normal(declaration):
    """A declaration as words, whatever its line breaks and spaces."""
    return re.sub(r"\s*([(),*])\s*", r"\1", " ".join(declaration.split()))


def interface_texts():
    """Headers without comments, as far as they are interface: what is in place stands at their ends."""
    for header in pathlib.Path(INCLUDE).rglob("*.h"):
        yield re.sub(r"/\*.*?\*/", lambda comment: "END" if "in place: not part of the interface" in comment[0] else "",
                     header.read_text(encoding="utf-8"), flags=re.S).split("END")[0]


def interface():
    return {normal(declaration) for text in interface_texts() for declaration in re.findall(r"^ASSAY_API\s+([^;]+);", text, flags=re.M)}


def constants():
    return {name for text in interface_texts() for body in re.findall(r"^enum \w+ \{(.*?)\}", text, flags=re.M | re.S)
            for name in re.findall(r"ASSAY_\w+", body)}


def page():
    return pathlib.Path(tap.SOURCE, "man", "libassay.3").read_text(encoding="utf-8")


def described():
    """The declarations in the synopsis of the manual page."""
    text = page().split(".Sh DESCRIPTION")[0]
    found = re.findall(r'^\.Ft "?([^"\n]+)"?\n\.Fn (\w+) (.+)$', text, flags=re.M)
    return {normal(f"{kind} {name}({', '.join(shlex.split(arguments))})") for kind, name, arguments in found}


def defined_names(*arguments):
    output = run("nm", "--defined-only", *arguments).stdout
    return {line.split()[-1].split("@")[0] for line in output.splitlines() if re.search(" [TBD] ", line)}


class Library(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-library-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.source = os.path.join(self.folder, "program.c")
        with open(self.source, "w", encoding="utf-8") as out:
            out.write(PROGRAM)

    def build_and_run(self, *command):
        program = os.path.join(self.folder, "program")
        built = run(*command, "-I" + INCLUDE, "-o", program)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual(built.stderr, "")
        ran = run(program, env=dict(os.environ, LD_LIBRARY_PATH=LIBRARIES))
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        # Where events are refused altogether, both are unsupported; the call itself works.
        self.assertRegex(ran.stdout, r"^(counted|unsupported) unsupported\n$")

    def test_the_header_declares_what_the_map_exports(self):
        self.assertEqual(declared_names(), public_names())

    def test_the_manual_page_declares_the_interface(self):
        self.assertEqual(described(), interface())
        self.assertGreater(len(interface()), 40)

    def test_the_manual_page_names_every_constant(self):
        self.assertLessEqual(constants(), set(re.findall(r"ASSAY_\w+", page())))
        self.assertIn("ASSAY_OR_TRAP", constants())

    def test_the_shared_library_offers_the_public_names_only(self):
        if SANITIZED:
            self.skipTest("a sanitizer adds names of its own")
        self.assertEqual(defined_names("-D", SHARED), public_names())

    def test_the_static_library_offers_the_public_names_only(self):
        if not os.path.exists(STATIC):
            self.skipTest("built without objcopy")
        if SANITIZED:
            self.skipTest("a sanitizer adds names of its own")
        self.assertEqual(defined_names("-g", STATIC), public_names())

    def test_it_needs_libc_only(self):
        if SANITIZED:
            self.skipTest("a sanitizer brings its own library")
        needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", SHARED).stdout)
        # The loader belongs to libc: a variable per thread needs it.
        self.assertEqual([name for name in needed if not name.startswith("ld-")], ["libc.so.6"])

    def test_a_program_counts_with_the_shared_library(self):
        if SANITIZED:
            self.skipTest("the library is built with a sanitizer, the program is not")
        self.build_and_run("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", self.source,
                           SHARED)

    def test_a_program_counts_with_the_static_library(self):
        if SANITIZED or COVERED or not os.path.exists(STATIC):
            self.skipTest("the library is built with a sanitizer or coverage counters, or without objcopy")
        self.build_and_run("cc", "-O0", "-Wall", "-Werror", self.source, STATIC)

    def test_a_program_without_the_inline_read_counts_too(self):
        if SANITIZED:
            self.skipTest("the library is built with a sanitizer, the program is not")
        self.build_and_run("cc", "-DASSAY_NO_INLINE", self.source, SHARED)

    def test_the_header_is_good_for_c_plus_plus(self):
        if SANITIZED or not shutil.which("c++"):
            self.skipTest("needs a C++ compiler and a library without a sanitizer")
        self.build_and_run("c++", "-x", "c++", "-std=c++17", "-pedantic", "-Wall", "-Wextra", "-Wshadow",
                           "-Werror", self.source, "-x", "none", SHARED)

    def test_vector_values_are_not_kept_in_registers_that_a_read_destroys(self):
        if not shutil.which("clang"):
            self.skipTest("needs clang, which compiles for other ISAs without further packages")
        for target, flag, body, spill in VECTORS:
            with self.subTest(target):
                with open(self.source, "w", encoding="utf-8") as out:
                    out.write("#include <assay.h>\nvoid keep(int file, void *into)\n{\n%s}\n" % body)
                command = ("clang", "--target=" + target, "-march=" + flag, "-ffreestanding", "-O2",
                           "-I" + INCLUDE, "-S", "-o", "-", "-x", "c")
                if run(*command, "/dev/null").returncode:
                    self.skipTest("this clang does not compile for %s, %s" % (target, flag))
                built = run(*command, self.source)
                self.assertEqual(built.returncode, 0, built.stderr)
                before_the_call = re.split(r"\b(?:ecall|svc)\b", built.stdout)[0]
                self.assertRegex(before_the_call, spill)


if __name__ == "__main__":
    tap.main()
