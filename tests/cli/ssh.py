# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The transport ssh: against a real sshd: the kit that is kept there, sessions, strange machines, failures."""
import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys

import kits
import tap
from processes import descendants, eventually
from sshd import There, build_id, prints, words_of, write

# An ssh whose standard input ends after so many bytes.
CUTTING = """#!{python}
import os, subprocess, sys
ssh, left = subprocess.Popen(["ssh", *sys.argv[1:]], stdin=subprocess.PIPE), {limit}
while left:
    left -= os.write(ssh.stdin.fileno(), os.read(0, min(left, 65536)) or sys.exit(9))
ssh.stdin.close()
sys.exit(ssh.wait())
"""


def finished_visits(store):
    try:
        with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as reader:
            return reader.execute("SELECT count(*) FROM visit WHERE state = 'done'").fetchone()[0]
    except sqlite3.Error:
        return 0


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


class Sessions(There):
    """What happens once the probe serves."""

    def test_values_arrive(self):
        self.start_sshd()
        done = self.assay("measure", "-e", "page-faults:u", "--n", "100", "--runs", "20", "--json", "--quiet")
        if done.returncode == 3:
            self.skipTest("page faults cannot be counted here: " + " ".join(done.stderr.split())[:200])
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)["results"][0]
        self.assertEqual((result["runs"], result["truth"], sorted(result["values"])[10]), (20, 100, 100))

    def test_the_machine_is_the_same_as_without(self):
        self.start_sshd()
        here = json.loads(tap.assay("doctor", "--json", env=self.env).stdout)["machine"]
        self.assertEqual(self.assert_doctor()["machine"]["fingerprint"], here["fingerprint"])

    def test_a_killed_controller_leaves_no_process_there(self):
        self.start_sshd()
        run, below = self.start_long_run()
        run.kill()
        run.wait()
        self.assert_all_gone(below)

    def test_a_cut_connection_is_told_and_the_run_resumes(self):
        self.start_sshd()
        store = self.path("cut.sqlite")
        plan = ["-e", "page-faults:u", "--specimen", "pages", "--n", "10", "--runs", "5", "--processes", "400", "--no-overhead"]
        run = subprocess.Popen([tap.ASSAY, "measure", *plan, "--quiet", "--store", store, "--via", self.via], text=True,
                               env=dict(os.environ, **self.env), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.assertTrue(eventually(lambda: run.poll() is not None or finished_visits(store)), "nothing is measured")
        below = descendants(self.sshd.pid)
        for pid in below:
            if words_of(pid).startswith("sshd"):
                os.kill(pid, signal.SIGKILL)
        status = run.wait(timeout=60)
        words = run.stderr.read()
        if status == 3:
            self.skipTest("page faults cannot be counted here: " + " ".join(words.split())[:200])
        self.assertEqual(status, 1, words)
        self.assertIn("exit status 255", words)
        self.assertIn("--resume", words)
        self.assert_all_gone(below)
        self.assertIn(finished_visits(store), range(1, 400))
        done = self.assay("measure", "--resume", "--store", store, "--json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["results"][0]["runs"], 2000)

    def test_interrupted_while_connecting(self):
        silent = socket.socket()
        self.addCleanup(silent.close)
        silent.bind(("127.0.0.1", self.port))
        silent.listen()
        run = subprocess.Popen([tap.ASSAY, "doctor", "--via", self.via], env=dict(os.environ, **self.env), text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        line, _ = silent.accept()  # ssh waits for a greeting that never comes
        self.addCleanup(line.close)
        below = descendants(run.pid)
        self.assertTrue(below)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=30), 130)
        self.assertIn("interrupted while connecting to box", run.stderr.read())
        self.assert_all_gone(below)


class Machines(There):
    """What may stand behind a login."""

    def test_noise_of_a_login_is_passed_over(self):
        write(self.path("banner"), "Authorised use only.\n")
        noise = "echo Welcome; echo '@assay-there Plan9 pdp11'; echo oops >&2; printf 'and no line end'\n"
        for name in (".bashrc", ".profile", ".zshenv"):
            write(os.path.join(self.path("home"), name), noise.replace("@assay-there", "assay-there"))
        self.start_sshd(f"Banner {self.path('banner')}", "PrintMotd yes",
                        "ForceCommand echo forced; printf 'no line end'; eval \"$SSH_ORIGINAL_COMMAND\"")
        self.assert_doctor()
        self.assert_kept()
        self.assert_doctor()

    def test_every_login_shell_here_will_do(self):
        shells = [name for name in ("bash", "rbash", "dash", "zsh", "fish", "tcsh", "csh", "ksh", "mksh", "yash", "busybox sh")
                  if shutil.which(name.split()[0])]
        for shell in shells:
            with self.subTest(shell):
                self.choose_port()
                # Through the variable, as sshd itself would hand it to that shell.
                self.start_sshd(f'ForceCommand exec {shell} -c "$SSH_ORIGINAL_COMMAND"')
                self.assert_doctor()
                self.stop_sshd()
        self.assert_kept()

    def test_a_machine_with_the_tools_of_busybox_will_do(self):
        busybox = shutil.which("busybox")
        applets = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split() if busybox else []
        if not {"sh", "mktemp", "sed", "head"} <= set(applets):
            self.skipTest("no busybox with the usual applets is installed")
        for name in {"cksum", *applets}:  # Debian's lacks cksum
            os.symlink(busybox if name in applets else shutil.which(name), os.path.join(self.path("bin"), name))
        self.start_sshd('ForceCommand exec sh -c "$SSH_ORIGINAL_COMMAND"', PATH=self.path("bin"))
        self.assert_doctor()
        before = prints(self.kept_kit())
        self.assert_doctor()
        self.assertEqual(prints(self.kept_kit()), before)
        os.truncate(os.path.join(self.kept_kit(), "assay-probe"), 100)
        self.assert_doctor()
        self.assert_kept()

    def test_a_machine_without_a_checksum_gets_the_kit_each_time(self):
        self.program("cksum", "exit 127")
        self.start_sshd()
        self.assert_doctor()
        before = prints(self.kept_kit())
        self.assert_doctor()
        self.assert_kept()
        self.assertNotEqual(prints(self.kept_kit()), before)

    def test_a_machine_for_which_there_is_no_kit_is_named(self):
        self.program("uname", "case $1 in -s) echo Linux ;; *) cat \"$HOME/isa\" ;; esac")
        self.start_sshd()
        for isa, words in (("armv7l", "box is a 32-bit machine (armv7l)"), ("vax", "box is a vax machine"),
                           ("../../etc", "does not say which machine it is")):
            with self.subTest(isa):
                write(os.path.join(self.path("home"), "isa"), isa + "\n")
                self.assertIn(words, self.refusal(ASSAY_KIT=""))
        self.assertFalse(os.path.exists(self.kept))

    def test_the_kit_of_the_other_isa_is_taken(self):
        kit = next(iter(kits.foreign()), None)
        if not kit:
            self.skipTest("no cross file names another ISA")
        self.program("uname", f"case $1 in -s) echo Linux ;; *) echo {kit.isa} ;; esac")
        self.start_sshd()
        done = self.assay("doctor", ASSAY_KIT="")
        if kit.absence():
            self.assertIn(f"the probe kit for {kit.isa} is missing", done.stderr)
            self.assertIn("run make kits", done.stderr)
        elif done.returncode:  # it does not run here, as no emulator takes it
            self.assertIn("does not run there", done.stderr)
            self.assertIn("exit status", done.stderr)
            self.assertEqual(os.listdir(self.kept), [])
        else:
            self.assert_kept(kit.folder)
        self.assertEqual([name for name in os.listdir(self.path("home")) if name != ".cache"], [])
        self.assert_nothing_else()


class Refusals(There):
    """No connection: ssh's own words, and what to do next."""

    def assert_refused(self, via, *words):
        said = self.refusal(via)
        for word in ("no connection to box", *words):
            self.assertIn(word, said)

    def test_a_closed_port(self):
        self.assert_refused(self.via, "Connection refused", "sshd runs there")

    def test_a_key_that_is_not_known_there(self):
        self.start_sshd()
        shutil.copy(self.path("wrong.pub"), self.path("authorized"))
        self.assert_refused(self.via, "Permission denied", "ssh-copy-id")

    def test_a_host_that_is_not_known_here(self):
        self.start_sshd()
        os.unlink(self.path("known"))
        self.assert_refused(self.via, "Host key verification failed", "connect once by hand")

    def test_a_host_with_another_key_than_before(self):
        self.start_sshd()
        with open(self.path("wrong.pub"), encoding="utf-8") as key:
            write(self.path("known"), f"[127.0.0.1]:{self.port} {key.read()}")
        self.assert_refused(self.via, "Host key verification failed")

    def test_a_host_without_an_address(self):
        done = self.refusal("ssh:-F none nowhere.invalid")
        self.assertIn("nowhere.invalid", done)
        self.assertIn("ssh ended with exit status 255", done)

    def test_an_account_that_runs_nothing(self):
        self.start_sshd("ForceCommand echo This account is not available; exit 1")
        self.assert_refused(self.via, "exit status 1", "This account is not available")

    def test_words_that_make_no_sense_are_a_usage_error(self):
        for via in ("ssh:", "ssh:-p 22", "ssh:-oProxyCommand=false", "ssh:box true", "ssh:-t box", "ssh:'box"):
            with self.subTest(via):
                done = tap.assay("doctor", via=via, env=self.env)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)


if __name__ == "__main__":
    tap.main()
