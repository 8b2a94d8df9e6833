# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are brought to the probe: written where they belong, hostile ones refused, all of them gone at the end."""
import errno
import glob
import os
import shutil
import tempfile
import unittest

import frames
import tap
from processes import PATIENCE


class Brought(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-brought-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        before = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = self.folder
        self.probe = frames.Probe(tap.KIT)
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
        self.addCleanup(self.probe.__exit__)
        self.assertEqual(self.probe.hello()[-1].type, "ready", self.probe.catalogue[-1])

    def piece(self, name, content, offset=0, size=None, executable=0):
        self.probe.send("file", name=name, size=len(content) if size is None else size, executable=executable, offset=offset, bytes=content)

    def path(self, name):
        found = glob.glob(os.path.join(self.folder, "assay-probe.*", name))
        self.assertEqual(len(found), 1, f"{name}: {found}")
        return found[0]

    def content(self, name):
        with open(self.path(name), encoding="latin-1", newline="") as file:
            return file.read()

    def assert_brought(self, name):
        frame = self.probe.receive()
        self.assertEqual((frame.type, frame.get("name")), ("brought", name), frame)

    def assert_refused(self, error):
        frame = self.probe.receive()
        self.assertEqual((frame.type, frame.get("error")), ("refused", str(error)), frame)
        self.assertTrue(frame["reason"])

    def test_pieces_make_a_file_that_is_gone_at_the_end(self):
        self.piece("x.txt", "one ", size=8)
        self.piece("x.txt", "two\n", offset=4, size=8)
        self.assert_brought("x.txt")
        self.assertEqual(self.content("x.txt"), "one two\n")
        self.assertEqual(os.stat(self.path("x.txt")).st_mode & 0o777, 0o644)
        self.assertEqual(os.stat(os.path.dirname(self.path("x.txt"))).st_mode & 0o777, 0o700)
        self.probe.send("bye")
        self.assertEqual(self.probe.receive().type, "bye")
        self.probe.process.wait(timeout=PATIENCE)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_lost_peer_leaves_nothing(self):
        self.piece("x", "half", size=8)
        self.probe.process.stdin.close()
        self.probe.process.wait(timeout=PATIENCE)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_file_may_be_empty_executable_and_replaced(self):
        self.piece("x", "")
        self.assert_brought("x")
        self.piece("x", "#!/bin/sh\n", executable=1)
        self.assert_brought("x")
        self.assertEqual(self.content("x"), "#!/bin/sh\n")
        self.assertEqual(os.stat(self.path("x")).st_mode & 0o777, 0o755)
        self.piece("x", "half", size=8)  # given up: the old one stays
        self.piece("y", "whole")
        self.assert_brought("y")
        self.assertEqual(self.content("x"), "#!/bin/sh\n")

    def test_hostile_names_are_refused_and_the_session_goes_on(self):
        for name in ("../x", "/etc/x", "a/b", ".", "..", ".hidden", "", "a b", "x" * 128, "a\nb"):
            self.piece(name, "12", size=4)
            self.assert_refused(errno.EINVAL)
            self.piece(name, "34", offset=2, size=4)  # dropped without a word
        self.piece("fine", "x")
        self.assert_brought("fine")
        self.assertEqual(os.listdir(os.path.dirname(self.path("fine"))), ["fine"])

    def test_a_file_that_cannot_be_written_is_refused(self):
        self.piece("first", "")
        self.assert_brought("first")  # so that there is a folder
        self.piece("x", "12", size=4)
        shutil.rmtree(glob.glob(os.path.join(self.folder, "assay-probe.*"))[0])
        self.piece("x", "34", offset=2, size=4)  # its folder is gone
        self.assert_refused(errno.ENOENT)

    def test_pieces_that_make_no_sense_end_the_session(self):
        for pieces in ((("x", "12", 2, 4),), (("x", "12", 0, 4), ("x", "34", 3, 8)), (("x", "12", 0, 4), ("y", "34", 2, 4)),
                       (("x", "12", 0, 1),), (("x", "", 0, 4),), (("x", "12", 0, 64 * 2**20 + 1),), (("x", "12", 0, 4), ("x", "34", 2, 5))):
            with self.subTest(pieces=pieces), frames.Probe(tap.KIT) as self.probe:
                self.probe.hello()
                for name, content, offset, size in pieces:
                    self.piece(name, content, offset, size)
                frame = self.probe.receive()
                self.assertEqual(frame.type, "error", frame)
                self.assertIn("file", frame["reason"])

    def test_programs_and_files_are_found(self):
        for name, there in (("ls", True), ("/etc/passwd", True), ("no-such-program-anywhere", False), ("/no/such/file", False), ("", False)):
            self.probe.send("find", name=name)
            frame = self.probe.receive()
            self.assertEqual(frame.type, "found" if there else "refused", f"{name}: {frame}")


if __name__ == "__main__":
    tap.main()
