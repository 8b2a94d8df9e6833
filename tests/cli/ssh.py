# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The transport ssh: against a real sshd: sessions, strange machines, failures."""
import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess

import kits
import tap
from processes import PATIENCE, descendants, eventually
from sshd import There, prints, words_of, write


def finished_visits(store):
    try:
        with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as reader:
            return reader.execute("SELECT count(*) FROM visit WHERE state = 'done'").fetchone()[0]
    except sqlite3.Error:
        return 0


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
        self.assertEqual(run.wait(timeout=PATIENCE), 130)
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
