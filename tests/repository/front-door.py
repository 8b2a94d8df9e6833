# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/deps installs only when it may, and stops with the command when it may not; scripts/kits
leaves out what it has no compiler for, and says so.

The scripts run in a copy of the tree's front door with a PATH of its own, on which a package
manager only writes down how it was called.
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import tap

# What the script itself runs.
TOOLS = ("sh", "cat", "dirname", "mkdir", "ls", "find", "grep", "sed", "tail", "uname")


class FrontDoor(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="front door ")
        self.addCleanup(shutil.rmtree, self.folder)
        self.bin = os.path.join(self.folder, "bin")
        os.makedirs(self.bin)
        os.makedirs(os.path.join(self.folder, "tree", "scripts"))
        for name in ("deps", "deps.table", "kits"):
            shutil.copy(os.path.join(tap.SOURCE, "scripts", name), os.path.join(self.folder, "tree", "scripts"))
        shutil.copytree(os.path.join(tap.SOURCE, "cross"), os.path.join(self.folder, "tree", "cross"))
        for tool in TOOLS:
            os.symlink(shutil.which(tool), os.path.join(self.bin, tool))
        self.log = os.path.join(self.folder, "calls")
        self.command("apt-get", f'echo "apt-get $*" >>"{self.log}"')
        self.user(1000)

    def command(self, name, body):
        path = os.path.join(self.bin, name)
        if os.path.islink(path):
            os.unlink(path)  # else the machine's own tool would be written over
        with open(path, "w", encoding="utf-8") as out:
            out.write(f"#!/bin/sh\n{body}\n")
        os.chmod(path, 0o755)

    def user(self, number):
        self.command("id", f"echo {number}")

    def run_script(self, name, *arguments, **environment):
        return subprocess.run([os.path.join(self.folder, "tree", "scripts", name), *arguments],
                              env={"PATH": self.bin, **environment}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60, check=False)


class Deps(FrontDoor):
    def all_of_run_tier(self):
        for name in ("meson", "ninja", "python3", "pkg-config", "objdump", "node", "npm"):
            self.command(name, "exit 0")
        # as a preprocessor it finds every header, and libc.a it finds here
        self.command("cc", f'case $1 in -print*) echo "{self.bin}/cc" ;; *) cat >/dev/null ;; esac')

    def deps(self, *arguments, **environment):
        done = self.run_script("deps", *arguments, **environment)
        calls = []
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8") as log:
                calls = log.read().splitlines()
        return done, calls

    def test_says_nothing_and_does_nothing_when_all_is_there(self):
        self.all_of_run_tier()
        self.user(0)
        done, calls = self.deps("run")
        self.assertEqual((done.returncode, done.stdout + done.stderr, calls), (0, "", []))

    def test_prints_the_command_and_stops_when_it_may_not_install(self):
        done, calls = self.deps("run")
        self.assertEqual((done.returncode, calls), (1, []))
        self.assertIn("sudo apt-get install -y --no-install-recommends meson ninja-build gcc", done.stderr)
        self.assertIn("libjansson-dev (required): JSON output", done.stderr)

    def test_root_refreshes_the_lists_once_and_installs(self):
        self.user(0)
        done, calls = self.deps("run")
        self.assertEqual(calls[0], "apt-get update")
        self.assertTrue(calls[1].startswith("apt-get install -y --no-install-recommends meson ninja-build"), calls)
        self.assertEqual(sum(call == "apt-get update" for call in calls), 1)
        self.assertEqual(done.returncode, 1, "still missing afterwards: this apt-get installs nothing")

    def test_what_the_package_manager_says_is_kept_and_its_last_words_shown_when_it_fails(self):
        self.user(0)
        self.command("apt-get", f'echo "$1" >>"{self.log}"; for i in 1 2 15 16 17 18 19 20; do echo "line $i of $1"; done; [ "$1" = update ]')
        done, calls = self.deps("run")
        self.assertEqual(calls[0], "update")
        self.assertNotIn("of update", done.stdout + done.stderr)
        self.assertNotIn("line 15 of install", done.stdout + done.stderr)
        self.assertIn("line 16 of install", done.stderr)
        self.assertIn("installing meson ninja-build", done.stderr)
        kept = re.search(r"goes to (\S+)", done.stderr)[1]
        with open(os.path.join(self.folder, "tree", kept), encoding="utf-8") as said:
            self.assertIn("line 1 of update", said.read())

    def test_yes_installs_through_sudo(self):
        self.command("sudo", f'echo sudo >>"{self.log}"; "$@"')
        _, calls = self.deps("run", YES="1")
        self.assertEqual(calls[:2], ["sudo", "apt-get update"])

    def test_no_install_never_installs_not_even_as_root(self):
        self.user(0)
        done, calls = self.deps("run", NO_INSTALL="1", YES="1")
        self.assertEqual((done.returncode, calls), (1, []))

    def test_check_never_installs(self):
        self.user(0)
        done, calls = self.deps("--check", "run")
        self.assertEqual((done.returncode, calls), (1, []))

    def test_goes_on_without_what_is_optional(self):
        self.all_of_run_tier()
        self.command("cc", f'case $1 in -print*) echo "{self.bin}/cc" ;; *) cat >/dev/null; exit 1 ;; esac')
        done, calls = self.deps("run", NO_INSTALL="1")
        self.assertEqual((done.returncode, calls), (0, []))
        self.assertIn("libpapi-dev (optional)", done.stderr)
        self.assertIn("going on without", done.stderr)

    def test_an_optional_package_that_is_refused_does_not_keep_away_the_others(self):
        self.all_of_run_tier()
        self.user(0)
        self.command("cc", f'case $1 in -print*) echo "{self.bin}/cc" ;; *) cat >/dev/null; exit 1 ;; esac')
        self.command("apt-get", f'echo "$*" >>"{self.log}"; case "$*" in *libpfm4-dev*) exit 100 ;; esac')
        done, calls = self.deps("run")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([call.split()[-1] for call in calls], ["update", "likwid", "libpfm4-dev", "libpapi-dev", "likwid"])

    def test_an_unknown_machine_gets_the_list(self):
        os.remove(os.path.join(self.bin, "apt-get"))
        done, _ = self.deps("run")
        self.assertEqual(done.returncode, 1)
        self.assertIn("install them by hand", done.stderr)

    def test_each_tier_holds_those_before_it(self):
        named = {tier: set(re.findall(r"^    (\S+) \(", self.deps("--check", tier)[0].stderr, re.MULTILINE))
                 for tier in ("run", "lab", "test")}
        self.assertIn("meson", named["run"])
        self.assertIn("qemu-system-arm", named["lab"] - named["run"])
        self.assertIn("libcmocka-dev", named["test"] - named["lab"])
        self.assertTrue(named["run"] < named["lab"] < named["test"])

    def test_an_unknown_tier_is_refused(self):
        done, _ = self.deps("everything")
        self.assertEqual(done.returncode, 2)


class Kits(FrontDoor):
    def setUp(self):
        super().setUp()
        self.names = sorted(name[:-len(".ini")] for name in os.listdir(os.path.join(tap.SOURCE, "cross")))
        self.command("uname", "echo pdp11")

    def test_an_isa_without_a_compiler_is_left_out_with_the_packages_it_needs(self):
        done = self.run_script("kits", "build")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in self.names:
            self.assertRegex(done.stderr, rf"kits: {name}: left out: install gcc-\S+ libc6-dev-\S+-cross\n")

    def test_an_isa_that_was_asked_for_must_be_built(self):
        done = self.run_script("kits", "build", self.names[0])
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"kits: {self.names[0]}: cannot be built: install gcc-", done.stderr)

    def test_only_what_is_missing_is_named(self):
        with open(os.path.join(tap.SOURCE, "cross", self.names[0] + ".ini"), encoding="utf-8") as file:
            compiler = re.search(r"^c = '(.+)'$", file.read(), re.MULTILINE)[1]
        self.command(compiler, "echo no-such-file")
        done = self.run_script("kits", "build", self.names[0])
        self.assertRegex(done.stderr, r"cannot be built: install libc6-dev-\w+-cross\n")

    def test_the_own_isa_is_left_to_the_build(self):
        self.command("uname", f"echo {self.names[0]}")
        done = self.run_script("kits", "build", self.names[0])
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_was_not_built_before_is_not_brought_up_to_date(self):
        done = self.run_script("kits", "--built", "build")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_unknown_isa_gets_the_list(self):
        done = self.run_script("kits", "build", "vax")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no cross/vax.ini; there are: " + " ".join(self.names), done.stderr)


if __name__ == "__main__":
    tap.main()
