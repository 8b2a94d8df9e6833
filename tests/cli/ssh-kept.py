# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kit that ssh: keeps on the other machine: pushed once, found again, healed, never half, removed when old."""
import os
import shutil
import subprocess
import sys

import tap
from processes import eventually
from sshd import There, build_id, prints, write

# An ssh whose standard input ends after so many bytes.
CUTTING = """#!{python}
import os, subprocess, sys
ssh, left = subprocess.Popen(["ssh", *sys.argv[1:]], stdin=subprocess.PIPE), {limit}
while left:
    left -= os.write(ssh.stdin.fileno(), os.read(0, min(left, 65536)) or sys.exit(9))
ssh.stdin.close()
sys.exit(ssh.wait())
"""


class Kept(There):
    def test_the_kit_is_pushed_once_and_found_again(self):
        self.start_sshd()
        counting = self.path("counting")
        write(counting, f'#!/bin/sh\ntee -a "{self.path("sent")}" | ssh "$@"\n', 0o755)
        self.assert_doctor(ASSAY_SSH=counting)
        self.assert_kept()
        first = os.path.getsize(self.path("sent"))
        size = sum(os.path.getsize(os.path.join(tap.KIT, name)) for name in os.listdir(tap.KIT))
        self.assertGreater(first, size)
        before = prints(self.kept_kit())
        self.assert_doctor(ASSAY_SSH=counting)
        self.assertEqual(prints(self.kept_kit()), before)
        self.assertLess(os.path.getsize(self.path("sent")) - first, 20000)
        self.assert_nothing_else()

    def test_a_damaged_kit_is_noticed_and_healed(self):
        self.start_sshd()
        self.assert_doctor()

        def flip(path):
            with open(path, "r+b") as file:
                file.seek(os.path.getsize(path) // 2)
                byte = file.read(1)
                file.seek(-1, os.SEEK_CUR)
                file.write(bytes([byte[0] ^ 1]))

        damages = {
            "a bit of a harness": lambda: flip(os.path.join(self.kept_kit(), "harness-static")),
            "a bit of the probe": lambda: flip(os.path.join(self.kept_kit(), "assay-probe")),
            "a short probe": lambda: os.truncate(os.path.join(self.kept_kit(), "assay-probe"), 1000),
            "a short manifest": lambda: os.truncate(os.path.join(self.kept_kit(), "manifest"), 20),
            "no harness": lambda: os.unlink(os.path.join(self.kept_kit(), "harness-static")),
            "an empty folder": lambda: [os.unlink(os.path.join(self.kept_kit(), name)) for name in os.listdir(self.kept_kit())],
            "a file in its place": lambda: (shutil.rmtree(self.kept_kit()), write(self.kept_kit(), "x")),
            "a link in its place": lambda: (os.rename(self.kept_kit(), self.path("away")),
                                            os.symlink(self.path("away"), self.kept_kit())),
        }
        for what, damage in damages.items():
            with self.subTest(what):
                damage()
                self.assert_doctor()
                self.assertTrue(os.path.isdir(self.kept_kit()) and not os.path.islink(self.kept_kit()))
                self.assert_kept()
        self.assert_nothing_else()

    def test_a_kit_that_lost_its_modes_is_used(self):
        self.start_sshd()
        self.assert_doctor()
        for name in os.listdir(self.kept_kit()):
            os.chmod(os.path.join(self.kept_kit(), name), 0o400)
        before = prints(self.kept_kit())
        self.assert_doctor()
        self.assertEqual(prints(self.kept_kit()), before)

    def test_folders_that_others_may_write_are_closed_before_a_kit_in_them_is_used(self):
        self.start_sshd()
        self.assert_doctor()
        before = prints(self.kept_kit())
        for folder in (self.kept_kit(), self.kept, os.path.dirname(self.kept)):
            os.chmod(folder, 0o777)
        self.assert_doctor()
        self.assert_kept()
        self.assertEqual(prints(self.kept_kit()), before)

    def test_a_push_that_was_cut_leaves_no_half_kit(self):
        self.start_sshd()
        cutting = self.path("cutting")
        probe = os.path.getsize(os.path.join(tap.KIT, "assay-probe"))
        for limit in (6000, probe // 2, probe + 100000):
            with self.subTest(limit):
                write(cutting, CUTTING.format(python=sys.executable, limit=limit), 0o755)
                self.assertIn("no probe could be started on box", self.refusal(ASSAY_SSH=cutting))
                self.assertTrue(eventually(lambda: not os.listdir(self.kept)), os.listdir(self.kept))
        self.assert_doctor()
        self.assert_kept()

    def test_what_a_killed_push_left_is_ignored_and_removed_later(self):
        self.start_sshd()
        fresh, old = os.path.join(self.kept, ".new.fresh"), os.path.join(self.kept, ".new.old")
        for folder in (fresh, old):
            os.makedirs(folder, 0o700)
            write(os.path.join(folder, "assay-probe"), "half a probe", 0o700)
        os.utime(old, (1, 1))
        self.assert_doctor()
        self.assertEqual(sorted(os.listdir(self.kept)), sorted([".new.fresh", build_id(tap.KIT)]))

    def test_two_controllers_at_once_get_along(self):
        self.start_sshd()
        runs = [subprocess.Popen([tap.ASSAY, "doctor", "--via", self.via], env=dict(os.environ, **self.env), text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                for _ in range(3)]
        for run in runs:
            self.assertEqual(run.wait(timeout=60), 0, run.stderr.read())
            run.stderr.close()
        self.assert_kept()
        self.assert_nothing_else()

    def test_old_kits_go_but_never_one_in_use(self):
        self.start_sshd()
        run, _ = self.start_long_run()
        os.utime(self.kept_kit(), (0, 0))  # by its age it would be the first to go
        for number in range(1, 6):
            kit = self.other_kit(number)
            self.assert_doctor(ASSAY_KIT=kit)
            if number < 5:
                os.utime(self.kept_kit(kit), (number, number))
        self.assertEqual(sorted(os.listdir(self.kept)), sorted([build_id(tap.KIT)] + [f"{number:064x}" for number in (3, 4, 5)]))
        run.kill()
        run.wait()
        self.assertTrue(eventually(lambda: not self.living("assay-probe")))
        os.utime(os.path.join(self.kept, f"{5:064x}"), (5, 5))
        self.assert_doctor(ASSAY_KIT=self.other_kit(6))
        self.assertEqual(sorted(os.listdir(self.kept)), [f"{number:064x}" for number in (4, 5, 6)])

    def test_where_nothing_can_be_kept_the_kit_is_pushed_for_the_session(self):
        homes = {"not writable": {"HOME": "/proc"}, "missing": {"HOME": "/nonexistent/home"}, "empty": {"HOME": ""},
                 "not ours alone": {"XDG_CACHE_HOME": self.path("linked")}}
        os.mkdir(self.path("linked"))
        os.mkdir(self.path("elsewhere"))
        os.symlink(self.path("elsewhere"), self.path("linked/assay"))
        for what, environment in homes.items():
            with self.subTest(what):
                self.choose_port()
                self.start_sshd(**environment)
                self.assert_doctor()
                self.assert_nothing_else()
                self.assertFalse(os.path.exists(self.kept))
        self.assertEqual([names for _, _, names in os.walk(self.path("elsewhere")) if names], [])

    def test_a_home_where_programs_must_not_run_is_passed_over(self):
        trial = ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "noexec", "none", self.path("home")]
        if not shutil.which("unshare") or subprocess.run(trial, capture_output=True, check=False).returncode != 0:
            self.skipTest("a file system that forbids programs cannot be mounted here, not even in a namespace of its own")
        self.start_sshd(within=["unshare", "-m", "sh", "-c", "mount -t tmpfs -o noexec,mode=700 none \"$0\" && exec \"$@\"",
                                self.path("home")])
        self.assert_doctor()
        there = f"/proc/{self.sshd.pid}/root{self.kept}"
        self.assertEqual(os.listdir(there), [])  # it was tried
        self.assert_nothing_else()


if __name__ == "__main__":
    tap.main()
