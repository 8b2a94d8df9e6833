# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real probe behind the transports: in place, pushed, and when somebody is killed."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import tap
from processes import LONG, PATIENCE, children, descendants, eventually, parent_of

# A prefix behind which the kit cannot be run where it lies.
NOT_IN_PLACE = """exec:sh -c 'case "$1" in */assay-probe) exit 126;; esac; exec "$@"' prefix"""


class Transports(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-transports-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o777)
        self.pushed_to = os.path.join(self.folder, "tmp")
        os.mkdir(self.pushed_to)
        os.chmod(self.pushed_to, 0o1777)
        self.env = {"TMPDIR": self.pushed_to, "XDG_STATE_HOME": os.path.join(self.folder, "state")}

    def facts_via(self, via):
        done = tap.assay("doctor", "--json", via=via, env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["machine"]

    def test_every_transport_reaches_the_same_machine(self):
        here = self.facts_via("local")
        for via in ("exec:env GREETING='a b'", NOT_IN_PLACE):
            with self.subTest(via):
                self.assertEqual(self.facts_via(via).get("fingerprint"), here.get("fingerprint"))
        self.assertEqual(os.listdir(self.pushed_to), [])

    def test_another_user_who_may_not_read_the_kit_gets_it_pushed(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("needs root and setpriv to become another user")
        kit = os.path.join(self.folder, "kit")
        shutil.copytree(tap.KIT, kit)
        os.chmod(kit, 0o700)
        self.env["ASSAY_KIT"] = kit
        done = tap.assay("doctor", via="exec:setpriv --reuid=65534 --regid=65534 --clear-groups", env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self.pushed_to), [])

    def test_a_prefix_that_fails_is_quoted(self):
        done = tap.assay("doctor", via="exec:sh -c 'echo the box is closed >&2; exit 77'", env=self.env)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the box is closed", done.stderr)
        self.assertIn("exit status 77", done.stderr)

    def test_a_prefix_that_cannot_run_this_kit_makes_one_think_of_another(self):
        hint = "Then set ASSAY_KIT to its kit"
        self.assertIn(hint, tap.assay("doctor", via="exec:false", env={**self.env, "ASSAY_KIT": ""}).stderr)
        self.assertNotIn(hint, tap.assay("doctor", via="exec:false", env={**self.env, "ASSAY_KIT": tap.KIT}).stderr)

    def start_long_run(self, via):
        """A run under way: returns it and the processes it has started, at least probe and harness."""
        below = {}

        def has_harness():
            below.clear()
            below.update(descendants(run.pid))
            for pid in below:
                try:
                    with open(f"/proc/{pid}/cmdline", encoding="utf-8") as line:
                        words = line.read()
                        if words.startswith("harness") and "--describe" not in words:
                            return True
                except OSError:
                    continue
            return run.poll() is not None

        run = subprocess.Popen([tap.ASSAY, *LONG, "--via", via], env=dict(os.environ, **self.env),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.assertTrue(eventually(has_harness), "no harness was started")
        if run.poll() is not None:
            words = run.stderr.read()
            if run.returncode == 3:
                self.skipTest("page faults cannot be counted here: " + " ".join(words.split())[:200])
            self.fail(words)
        return run, below

    def assert_all_gone(self, processes):
        def living():
            return [pid for pid, start in processes.items() if (parent_of(pid) or (0, None))[1] == start]
        self.assertTrue(eventually(lambda: not living()), f"still there: {living()}")
        self.assertTrue(eventually(lambda: not os.listdir(self.pushed_to)), os.listdir(self.pushed_to))

    def test_a_killed_controller_leaves_no_process_and_no_folder(self):
        for via in ("local", "exec:env", NOT_IN_PLACE):
            with self.subTest(via):
                run, below = self.start_long_run(via)
                run.kill()
                run.wait()
                self.assert_all_gone(below)

    def test_a_controller_interrupted_twice_leaves_no_process_and_no_folder(self):
        for via in ("local", NOT_IN_PLACE):
            with self.subTest(via):
                run, below = self.start_long_run(via)
                run.send_signal(signal.SIGINT)
                time.sleep(0.3)  # two signals at once would count as one
                run.send_signal(signal.SIGINT)
                self.assertEqual(run.wait(timeout=PATIENCE), 130)
                self.assert_all_gone(below)

    def test_a_killed_probe_is_told_and_leaves_nothing(self):
        run, below = self.start_long_run("local")
        probe, = children(run.pid)
        os.kill(probe, signal.SIGKILL)
        self.assertEqual(run.wait(timeout=PATIENCE), 1)
        words = run.stderr.read()
        self.assertIn("signal 9", words)
        self.assertIn("--resume", words)
        self.assert_all_gone(below)


if __name__ == "__main__":
    tap.main()
