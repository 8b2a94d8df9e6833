# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents lead somewhere, and the tree keeps its own rules about names and first lines."""
import os
import re
import shutil
import subprocess
import unittest

import tap

LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
QUOTED = re.compile(r"`((?:src|include|tests|scripts|docs|build-aux|bench|examples|man|abi)/[\w./-]*\w)`")
NAMELESS = re.compile(r"^(utils?|helpers?|misc|common)\b")


def files():
    """Every file of the tree, relative to it; without git whatever is there but build folders."""
    paths = []
    if shutil.which("git"):
        listed = subprocess.run(["git", "-C", tap.SOURCE, "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard"], capture_output=True, text=True, check=False)
        paths = [path for path in listed.stdout.split("\0") if path]
    if not paths:
        paths = [os.path.relpath(os.path.join(folder, name), tap.SOURCE)
                 for folder, _, names in os.walk(tap.SOURCE) for name in names]
        paths = [path for path in paths if not re.match(r"\.|build(?!-aux)", path)]
    return sorted(path for path in paths if os.path.isfile(os.path.join(tap.SOURCE, path)))


def read(path):
    with open(os.path.join(tap.SOURCE, path), encoding="utf-8") as text:
        return text.read()


class Documents(unittest.TestCase):
    def test_every_link_leads_to_a_file(self):
        for path in files():
            if path.endswith(".md"):
                for target in LINK.findall(read(path)):
                    with self.subTest(document=path, target=target):
                        self.assertTrue(os.path.exists(os.path.join(tap.SOURCE, os.path.dirname(path), target)))

    def test_every_file_a_document_names_exists(self):
        for path in files():
            if path.endswith(".md") and path != "CHANGELOG.md":
                for target in QUOTED.findall(read(path)):
                    if not re.search("NAME|SCHEME|ISA", target):
                        with self.subTest(document=path, target=target):
                            self.assertTrue(os.path.exists(os.path.join(tap.SOURCE, target)))


class Names(unittest.TestCase):
    def test_no_file_is_called_after_nothing(self):
        self.assertEqual([path for path in files() if NAMELESS.match(os.path.basename(path))], [])

    def test_source_files_open_with_their_licence_and_say_what_they_are(self):
        for path in files():
            if path.endswith((".c", ".cpp", ".h")):
                with self.subTest(path=path):
                    lines = read(path).splitlines()
                    self.assertIn("SPDX-FileCopyrightText", lines[0])
                    mit = path.startswith(("include/", "src/base/", "src/events/", "src/lib/", "src/arch/", "examples/"))
                    self.assertTrue(lines[1].endswith("MIT" if mit else "GPL-3.0-or-later"), lines[1])
                    self.assertGreater(len(lines[3]), 3, "says what it is")


if __name__ == "__main__":
    tap.main()
