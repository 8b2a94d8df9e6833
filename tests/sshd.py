# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real sshd on loopback, with keys, configuration, home and port of its own: `There` is the base of test cases that
measure this machine through it. Works as root and as an ordinary user, who logs in as himself."""
import filecmp
import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import tap
from processes import LONG, PATIENCE, descendants, eventually, parent_of

SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin:/sbin")


def lacking():
    """Why no sshd can be had here, or None."""
    if not SSHD:
        return "sshd is not installed (openssh-server)"
    if not shutil.which("ssh") or not shutil.which("ssh-keygen"):
        return "ssh is not installed (openssh-client)"
    if os.geteuid() == 0 and not os.path.isdir("/run/sshd"):
        try:
            os.makedirs("/run/sshd", 0o755, exist_ok=True)  # stays: another test may be using it
        except OSError as error:
            return f"sshd wants /run/sshd, which cannot be made: {error}"
    return None


def free_port():
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return chosen.getsockname()[1]


def write(path, text, mode=0o600):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    os.chmod(path, mode)


def words_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as line:
            return line.read()
    except OSError:
        return ""


def build_id(kit):
    with open(os.path.join(kit, "manifest"), encoding="utf-8") as manifest:
        return next(line.split()[1] for line in manifest if line.startswith("build "))


def prints(folder):
    """What tells a file that was written again from one that was left alone."""
    return {name: (facts.st_ino, facts.st_mtime_ns)
            for name in sorted(os.listdir(folder)) for facts in [os.stat(os.path.join(folder, name))]}


@unittest.skipIf(lacking(), lacking())
class There(unittest.TestCase):
    """A machine behind sshd that is this one, with a home of its own."""
    refused = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-ssh-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("home", "tmp", "bin"):
            os.mkdir(self.path(name), 0o700)
        for name in ("host", "key", "wrong"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.path(name)], check=True)
        shutil.copy(self.path("key.pub"), self.path("authorized"))
        self.choose_port()
        self.via = f"ssh:-F '{self.path('config')}' box"
        self.kept = self.path("home/.cache/assay/kit")
        self.env = {"XDG_STATE_HOME": self.path("state")}
        self.sshd = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def choose_port(self):
        self.port = free_port()
        with open(self.path("host.pub"), encoding="utf-8") as key:
            write(self.path("known"), f"[127.0.0.1]:{self.port} {key.read()}")
        write(self.path("config"), f"Host box\n HostName 127.0.0.1\n Port {self.port}\n User {getpass.getuser()}\n"
              f" IdentityFile {self.path('key')}\n IdentitiesOnly yes\n UserKnownHostsFile {self.path('known')}\n"
              " GlobalKnownHostsFile /dev/null\n StrictHostKeyChecking yes\n")

    def start_sshd(self, *lines, within=(), **environment):
        environment = {"HOME": self.path("home"), "TMPDIR": self.path("tmp"), "PATH": f"{self.path('bin')}:/usr/bin:/bin",
                       **environment}
        variables = " ".join(f'"{name}={value}"' for name, value in environment.items())
        write(self.path("sshd_config"), "\n".join([
            f"Port {self.port}", "ListenAddress 127.0.0.1", f"HostKey {self.path('host')}", "PidFile none", "UsePAM no",
            f"AuthorizedKeysFile {self.path('authorized')}", "StrictModes no", "PasswordAuthentication no",
            "KbdInteractiveAuthentication no", "PermitRootLogin yes", f"SetEnv {variables}", *lines, ""]))
        self.stop_sshd()
        with open(self.path("log"), "ab") as log:
            self.sshd = subprocess.Popen([*within, SSHD, "-D", "-e", "-f", self.path("sshd_config")], stdin=subprocess.DEVNULL,
                                         stdout=log, stderr=log)
        self.addCleanup(self.stop_sshd)
        self.assertTrue(eventually(self.listens), self.log())
        if There.refused is None:  # concerns the machine, so once is enough
            There.refused = self.why_refused()
        if There.refused:
            self.skipTest("sshd lets nobody in here: " + There.refused)

    def why_refused(self):
        """What ssh says when it does not get in by itself, without assay; else nothing."""
        done = subprocess.run(["ssh", "-F", self.path("config"), "-T", "-oBatchMode=yes", "box", ":"], timeout=PATIENCE, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, check=False)
        return " ".join((done.stderr + self.log()).split())[-300:] if done.returncode == 255 else ""

    def listens(self):
        with socket.socket() as line:
            return self.sshd.poll() is not None or line.connect_ex(("127.0.0.1", self.port)) == 0

    def log(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as log:
            return log.read()

    def stop_sshd(self):
        """The one that was started last; each start stops the one before."""
        if not self.sshd or self.sshd.poll() is not None:
            return
        for pid in descendants(self.sshd.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.sshd.kill()
        self.sshd.wait()

    def assay(self, *arguments, **environment):
        return tap.assay(*arguments, via=self.via, env={**self.env, **environment})

    def assert_doctor(self, **environment):
        done = self.assay("doctor", "--json", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refusal(self, via=None, **environment):
        """The one sentence of a run that could not begin, with status 1."""
        done = tap.assay("doctor", via=via or self.via, env={**self.env, **environment})
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        return done.stderr

    def kept_kit(self, kit=tap.KIT):
        return os.path.join(self.kept, build_id(kit))

    def assert_kept(self, kit=tap.KIT):
        """The kit lies there whole, private and as it lies here, and nothing unfinished beside it."""
        names = sorted(os.listdir(kit))
        self.assertEqual(sorted(os.listdir(self.kept_kit(kit))), names)
        self.assertEqual(filecmp.cmpfiles(kit, self.kept_kit(kit), names, shallow=False), (names, [], []))
        for folder in (self.kept_kit(kit), self.kept, os.path.dirname(self.kept)):
            self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)
        self.assertEqual([name for name in os.listdir(self.kept) if name.startswith(".")], [])

    def assert_nothing_else(self):
        self.assertTrue(eventually(lambda: not os.listdir(self.path("tmp"))), os.listdir(self.path("tmp")))

    def program(self, name, body):
        write(os.path.join(self.path("bin"), name), f"#!/bin/sh\n{body}\n", 0o755)

    def other_kit(self, number):
        """A whole kit that is another one."""
        folder = self.path(f"kit{number}")
        shutil.copytree(tap.KIT, folder)
        with open(os.path.join(folder, "manifest"), encoding="utf-8") as manifest:
            text = manifest.read()
        write(os.path.join(folder, "manifest"), text.replace(build_id(tap.KIT), f"{number:064x}"))
        return folder

    def living(self, start):
        return [pid for pid in descendants(self.sshd.pid) if start in words_of(pid)]

    def start_long_run(self, *more):
        """A run under way over there: the controller, and every process below sshd."""
        run = subprocess.Popen([tap.ASSAY, *LONG, "--via", self.via, *more], env=dict(os.environ, **self.env), text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)

        def measures():
            return run.poll() is not None or [pid for pid in self.living("harness") if "--describe" not in words_of(pid)]
        self.assertTrue(eventually(measures), "no harness was started")
        if run.poll() is not None:
            words = run.stderr.read()
            if run.returncode == 3:
                self.skipTest("page faults cannot be counted here: " + " ".join(words.split())[:200])
            self.fail(words)
        return run, descendants(self.sshd.pid)

    def assert_all_gone(self, processes):
        def living():
            return [pid for pid, start in processes.items() if (parent_of(pid) or (0, None))[1] == start]
        self.assertTrue(eventually(lambda: not living()), [words_of(pid) for pid in living()])
        self.assert_nothing_else()
