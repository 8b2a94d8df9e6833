# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay clocks where much is missing: without privileges, on one CPU, on some of the CPUs, without the CPU's counter of time. It
watches what is left, and says what is not and why."""
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

import forbidden
import tap

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
REFUSE = os.environ.get("SECCOMP_REFUSE", "")
BRIEF = ["--quick", "--budget", "2s", "--seed", "8", "--workload", "sleep,compute"]
WALL = {"dependable", "not falsifiable here"}


class Confined(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        os.chmod(scratch.name, 0o777)
        self.store = os.path.join(scratch.name, "clocks.sqlite")
        self.state = scratch.name

    def watch(self, *arguments, prefix=(), env=None, **options):
        """Envelope and judged clocks of a run, which must succeed."""
        done = subprocess.run([*prefix, tap.ASSAY, "clocks", "--json", "--store", self.store, *BRIEF, *arguments], text=True, timeout=60,
                              check=False, capture_output=True, stdin=subprocess.DEVNULL,
                              env=dict(os.environ, XDG_STATE_HOME=self.state, HOME=self.state, **(env or {})), **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        envelope = json.loads(done.stdout)
        return envelope, {clock["clock"]: clock for clock in envelope["analysis"]["clocks"]}

    def reasons(self, envelope):
        return {skipped["what"]: skipped["reason"] for skipped in envelope["skipped"]}

    def places(self):
        """The CPUs on which looks were taken, as the column "cpu" has them."""
        with sqlite3.connect(self.store) as store:
            query = "SELECT DISTINCT value FROM reading WHERE event = 'cpu'"
            return {int(row[0]) for row in store.execute(query)}


class OldCpu(unittest.TestCase):
    @unittest.skipUnless(shutil.which("qemu-x86_64"), "qemu-x86_64 is not installed (qemu-user)")
    def test_an_instruction_that_the_cpu_lacks_is_forbidden_by_nobody(self):
        harness = os.path.join(os.environ["ASSAY_KIT"], "harness-watch-static")
        if not os.environ["ASSAY_KIT"].endswith("x86_64") or not os.path.exists(harness):
            self.skipTest("there is no harness for x86-64 here")
        for model, lacks in (("core2duo", True), ("max", False)):
            done = subprocess.run(["qemu-x86_64", "-cpu", model, harness, "--describe"], text=True, timeout=60, check=False, capture_output=True)
            said = next(line for line in done.stdout.splitlines() if line.split()[1] == "rdtscp")
            self.assertEqual("this CPU has no instruction rdtscp" in said, lacks, said)
            self.assertNotIn("sandbox", said)


class Privileges(Confined):
    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv to become nobody")
    def test_a_probe_without_any_watches_all_the_same(self):
        envelope, judged = self.watch("--via", "exec:" + " ".join(NOBODY))
        self.assertIn(judged["monotonic-raw"]["trust"], WALL)
        self.assertEqual(judged["thread-cputime"]["trust"], "cpu-time only")
        self.assertTrue(all(self.reasons(envelope).values()))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv to become nobody")
    def test_all_of_assay_may_be_nobody(self):
        if subprocess.run([*NOBODY, "test", "-r", tap.ASSAY], check=False).returncode != 0:
            self.skipTest("nobody may look into this build folder")
        _, judged = self.watch(prefix=NOBODY)
        self.assertIn(judged["monotonic-raw"]["trust"], WALL)


    @unittest.skipUnless(REFUSE, "needs seccomp-refuse")
    def test_without_perf_event_its_clocks_are_named_and_the_others_watched(self):
        envelope, judged = self.watch("--via", f"exec:{REFUSE} EPERM --")
        self.assertIn(judged["monotonic-raw"]["trust"], WALL)
        self.assertTrue([what for what in self.reasons(envelope) if "task-clock" in what], envelope["skipped"])


class Cpus(Confined):
    def confined_to(self, cpus):
        return self.watch(preexec_fn=lambda: os.sched_setaffinity(0, cpus))

    def test_on_one_cpu_what_takes_two_is_left_out_with_the_reason(self):
        only = min(os.sched_getaffinity(0))
        envelope, judged = self.confined_to({only})
        self.assertIn(judged["monotonic-raw"]["trust"], WALL)
        self.assertTrue(any("CPU" in reason for reason in self.reasons(envelope).values()), envelope["skipped"])
        self.assertIsNone(judged["monotonic-raw"]["cross_cpu_offset_ticks"])
        self.assertEqual(self.places(), {only})

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one CPU only, and it is in use")
    def test_cpus_that_may_not_be_used_are_not(self):
        allowed = set(sorted(os.sched_getaffinity(0))[1:])
        self.confined_to(allowed)
        self.assertTrue(self.places())
        self.assertLessEqual(self.places(), allowed)


@unittest.skipIf(forbidden.why_not(), forbidden.why_not())
class Forbidden(Confined):
    def assert_does_without(self, envelope, judged):
        reasons = self.reasons(envelope)
        self.assertIn(judged["monotonic-syscall"]["trust"], WALL)
        self.assertNotIn("tsc", judged)
        self.assertNotIn("monotonic", judged)
        for clock in ("tsc", "monotonic"):
            told = [reason for what, reason in reasons.items() if clock in what.replace(",", " ").split()]
            self.assertTrue(told, reasons)
            self.assertIn("PR_SET_TSC", told[0])
        self.assertFalse([reason for reason in reasons.values() if "signal" in reason], reasons)

    def test_clocks_that_system_calls_give_are_watched_and_the_others_named(self):
        self.assert_does_without(*self.watch("--via", f"exec:{forbidden.DENY}"))

    def test_forbidden_to_the_controller_too(self):
        self.assert_does_without(*self.watch(**forbidden.to_assay()))


if __name__ == "__main__":
    tap.main()
