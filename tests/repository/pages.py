# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The script of pages is bundled from the lockfile alone, once, the same every time, and its absence is said; what is embedded
is what was there."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import tap

BUILD = os.environ.get("ASSAY_BUILD", os.path.join(tap.SOURCE, "build"))
WEB = os.path.join(tap.SOURCE, "web")
PACKAGES = os.path.join(BUILD, "web", "npm")


def build_aux(name, *arguments):
    return subprocess.run([sys.executable, os.path.join(tap.SOURCE, "build-aux", name), *arguments], capture_output=True,
                          text=True, check=False)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, content, mode=0o600):
        with open(self.path(name), "wb") as file:
            file.write(content)
        os.chmod(self.path(name), mode)
        return self.path(name)


class Lockfile(unittest.TestCase):
    def test_names_versions_and_checksums_but_no_address(self):
        with open(os.path.join(WEB, "package-lock.json"), encoding="utf-8") as file:
            text = file.read()
        packages = [about for folder, about in json.loads(text)["packages"].items() if folder]
        self.assertTrue(packages)
        self.assertEqual([about for about in packages if not about.get("integrity") or not about.get("version")], [])
        self.assertNotIn("resolved", text)
        self.assertIsNone(re.search(r"\w+://", text))

    def test_holds_what_the_package_asks_for_in_exact_versions(self):
        with open(os.path.join(WEB, "package.json"), encoding="utf-8") as file:
            package = json.load(file)
        with open(os.path.join(WEB, "package-lock.json"), encoding="utf-8") as file:
            locked = json.load(file)["packages"]
        for name, version in {**package["dependencies"], **package["devDependencies"]}.items():
            self.assertEqual(locked["node_modules/" + name]["version"], version)


class Bundle(Scratch):
    def bundle(self, folder, npm, *options):
        node = "node"
        return build_aux("bundle.py", WEB, folder, self.path("page.js"), node, npm, *options)

    def npm_that_fails(self):
        return self.write("npm", b"#!/bin/sh\necho 'no such network' >&2\necho called >>\"$(dirname \"$0\")/calls\"\nexit 1\n", 0o700)

    @unittest.skipIf(os.path.exists(os.path.join(WEB, "node_modules")), "web/node_modules has the packages, which are used")
    def test_without_packages_pages_have_no_pictures_and_the_reason_is_said(self):
        done = self.bundle(self.path("npm-folder"), self.npm_that_fails())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.path.getsize(self.path("page.js")), 0)
        self.assertIn("no pictures", done.stderr)
        self.assertIn("no such network", done.stderr)

    @unittest.skipIf(os.path.exists(os.path.join(WEB, "node_modules")), "web/node_modules has the packages, which are used")
    def test_without_packages_it_fails_where_pictures_are_required(self):
        done = self.bundle(self.path("npm-folder"), self.npm_that_fails(), "--required")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no such network", done.stderr)
        self.assertFalse(os.path.exists(self.path("page.js")))

    @unittest.skipUnless(os.path.exists(PACKAGES), "built without the packages of npm")
    def test_what_is_installed_is_not_fetched_again_and_gives_the_same_bytes(self):
        for _ in range(2):
            done = self.bundle(PACKAGES, self.npm_that_fails(), "--required")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertFalse(os.path.exists(self.path("calls")))
            with open(self.path("page.js"), "rb") as again, open(os.path.join(BUILD, "web", "page.js"), "rb") as built:
                self.assertEqual(again.read(), built.read())

    @unittest.skipUnless(os.path.exists(PACKAGES), "built without the packages of npm")
    def test_the_licences_of_what_is_bundled_travel_with_it(self):
        with open(os.path.join(BUILD, "web", "page.js"), encoding="utf-8") as file:
            head = file.read().partition("*/")[0]
        for words in ("GPL-3.0-or-later", "@observablehq/plot", "d3-scale", "Mike Bostock", "Observable, Inc.", "(ISC)"):
            self.assertIn(words, head)


class Embedding(Scratch):
    def test_every_byte_arrives_in_the_program(self):
        content = bytes(range(256)) + b'??=??/"\\0\\123\r\n</style>' + "é\u202e".encode() + os.urandom(3000)
        file = self.write("content", content)
        self.write("two.h", b"#include <stddef.h>\nextern const unsigned char one[], two[];\nextern const size_t one_size, two_size;\n")
        source = self.path("two.c")
        self.assertEqual(build_aux("embed.py", source, "two.h", "one=" + file, "two=").returncode, 0)
        with open(source, "a", encoding="ascii") as out:
            out.write("#include <stdio.h>\nint main(void) { return two_size || fwrite(one, 1, one_size, stdout) != one_size; }\n")
        program = self.path("program")
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", program, source], check=True)
        self.assertEqual(subprocess.run([program], capture_output=True, check=True).stdout, content)


if __name__ == "__main__":
    tap.main()
