# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay doctor: advice here, on recorded machines, where perf_event_open is refused, and for scripts."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import tap
from tap import assay

MACHINES = os.path.join(tap.SOURCE, "tests", "machines")
RECORDED = os.path.join(MACHINES, "microvm-amd", "facts")
REFUSE = os.environ.get("SECCOMP_REFUSE", "")
URGENCY = ["bad", "warn", "ok", "absent"]


def judged(*arguments, prefix=(), **options):
    """Runs doctor --json; returns the envelope and check -> result."""
    done = subprocess.run([*prefix, tap.ASSAY, "doctor", "--json", *arguments], text=True, timeout=60, check=False,
                          capture_output=True, stdin=subprocess.DEVNULL, **options)
    if done.returncode not in (0, 4):
        raise AssertionError(f"exit {done.returncode}: {done.stderr}")
    envelope = json.loads(done.stdout)
    return envelope, {result["check"]: result for result in envelope["results"]}


class Here(unittest.TestCase):
    def test_every_check_has_status_value_and_why(self):
        envelope, results = judged()
        self.assertEqual(envelope["command"], "doctor")
        self.assertRegex(envelope["machine"]["fingerprint"], "^[0-9a-f]{16}$")
        self.assertGreaterEqual(len(results), 19)
        for result in results.values():
            self.assertEqual(set(result), {"check", "status", "value", "why", "fix"})
            self.assertIn(result["status"], URGENCY)
            self.assertTrue(result["value"] and result["why"].endswith("."), result)
            if result["status"] in ("ok", "absent"):
                self.assertEqual(result["fix"], "", result["check"])

    def test_what_is_amiss_comes_first(self):
        envelope, _ = judged()
        order = [URGENCY.index(result["status"]) for result in envelope["results"]]
        self.assertEqual(order, sorted(order))

    def test_the_report_begins_with_the_machine_and_ends_with_what_to_do(self):
        envelope, results = judged()
        report = assay("doctor")
        self.assertEqual((report.returncode, report.stderr), (0, ""))
        lines = report.stdout.rstrip("\n").split("\n")
        self.assertIn(envelope["machine"]["kernel"], " ".join(lines[:3]))
        self.assertRegex(lines[-1], "^(Begin with|No setting here|Nothing )")
        for name in results:
            self.assertIn(f"{name}: ", report.stdout.replace("\n        ", " "))
        self.assertNotIn("\x1b", report.stdout)

    def test_named_checks_only_and_explained(self):
        report = assay("doctor", "clocksource", "aslr")
        self.assertEqual(report.returncode, 0)
        self.assertIn("clocksource: ", report.stdout)
        self.assertIn("aslr: ", report.stdout)
        self.assertNotIn("paranoid", report.stdout)
        _, results = judged("clocksource", "aslr")
        self.assertEqual(set(results), {"clocksource", "aslr"})
        self.assertIn(results["clocksource"]["why"].split(":")[0], " ".join(report.stdout.split()))

    def test_saved_facts_are_judged_alike(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "machine.facts")
            first, _ = judged("--save", path)
            again, _ = judged("--facts", path)
        self.assertEqual(first["results"], again["results"])
        self.assertEqual(first["machine"], again["machine"])
        self.assertEqual(first["analysis"], again["analysis"])
        self.assertGreater(len(first["analysis"]["facts"]), 40)
        for key, error in first["analysis"]["absent"].items():
            self.assertIsNone(first["analysis"]["facts"][key])
            self.assertTrue(error.startswith("E"), key)

    def test_nothing_private_is_collected(self):
        envelope, _ = judged()
        everything = json.dumps([envelope["machine"], envelope["analysis"]])
        for path in ("/etc/machine-id", "/proc/sys/kernel/hostname", "/proc/cmdline"):
            try:
                with open(path, encoding="utf-8") as file:
                    secret = file.read().strip()
            except OSError:
                continue
            if len(secret) >= 8:
                self.assertNotIn(secret, everything, path)

    def test_emulation_can_be_declared(self):
        _, results = judged("virtualization", env=dict(os.environ, ASSAY_EMULATED="1"))
        self.assertEqual(results["virtualization"]["status"], "bad")
        self.assertIn("emulated", results["virtualization"]["value"])


class Recorded(unittest.TestCase):
    def test_a_recorded_machine_reads_as_it_should(self):
        report = assay("doctor", "--facts", RECORDED)
        self.assertEqual((report.returncode, report.stderr), (0, ""))
        with open(os.path.join(tap.SOURCE, "tests", "cli", "golden", "doctor-microvm-amd.txt"), encoding="utf-8") as file:
            self.assertEqual(report.stdout, file.read())

    def test_it_is_judged_as_its_folder_says(self):
        _, results = judged("--facts", RECORDED)
        expected = {}
        with open(os.path.join(MACHINES, "microvm-amd", "doctor.expected"), encoding="utf-8") as file:
            for line in file:
                if not line.startswith("#"):
                    check, status = line.split()
                    expected[check] = status
        self.assertEqual({name: result["status"] for name, result in results.items()}, expected)

    def test_a_file_that_is_no_facts_is_refused(self):
        with tempfile.NamedTemporaryFile() as file:
            for content, said in ((b"", "no fact"), (b"\x7fELF\0\1\2", "line 1"), (b"a = 1\nb\n", "line 2"),
                                  (b"a = 1\na = 1\n", "twice")):
                file.seek(0)
                file.truncate()
                file.write(content)
                file.flush()
                report = assay("doctor", "--facts", file.name)
                self.assertEqual((report.returncode, report.stdout), (1, ""), content)
                self.assertIn(said, report.stderr)
                self.assertIn("--save", report.stderr)

    def test_a_missing_file_is_named(self):
        report = assay("doctor", "--facts", "/nonexistent/machine.facts")
        self.assertEqual(report.returncode, 2)
        self.assertIn("/nonexistent/machine.facts", report.stderr)

    def test_hostile_values_do_not_reach_the_terminal(self):
        with tempfile.NamedTemporaryFile("w", encoding="latin-1") as file:
            file.write("isa = x86_64\ncpu.model_name = \x1b[2JEvil\x9b31m\nclock.current = \x1b]0;title\x07\n"
                       "pmu.devices = %s%n%s\nperf.instructions ! ENOENT\n")
            file.flush()
            report = assay("doctor", "--facts", file.name)
        self.assertEqual(report.returncode, 0)
        self.assertIn("Evil", report.stdout)
        self.assertIn("%s%n%s", report.stdout)
        self.assertFalse([c for c in report.stdout if ord(c) < 32 and c != "\n" or 0x7f <= ord(c) < 0xa0])


class Guest(unittest.TestCase):
    def test_why_there_is_no_pmu_is_said_as_who_counts_says_it(self):
        nobody = "exec:setpriv --reuid=65534 --regid=65534 --clear-groups"
        for via in ["local"] + [nobody] * (os.geteuid() == 0 and bool(shutil.which("setpriv"))):
            why = judged("--via", via)[1]["pmu"]["why"]
            if "This is a guest: " not in why:
                self.skipTest("there is a PMU, or no hypervisor that is known: " + why)
            event = json.loads(assay("events", "instructions:u", "--json", via=via).stdout)["results"][0]
            self.assertIn(why.partition("This is a guest: ")[2].lower().rstrip("."), event["reason"].lower())


class Refused(unittest.TestCase):
    def setUp(self):
        if not REFUSE:
            self.skipTest("SECCOMP_REFUSE does not name the helper")
        probe = subprocess.run([REFUSE, "EPERM", "--", "true"], check=False, stderr=subprocess.DEVNULL)
        if probe.returncode == 77:
            self.skipTest("this kernel has no seccomp filters")

    def refused(self, how):
        _, results = judged(prefix=(REFUSE, how, "--"))
        self.assertEqual(results["perf-syscall"]["status"], "bad")
        self.assertIn("seccomp", results["perf-syscall"]["why"])
        self.assertEqual(results["pmu"]["status"], "bad")
        # what can be told is told
        for check in ("paranoid", "clocksource", "aslr", "steal", "load"):
            self.assertNotEqual(results[check]["status"], "absent", check)
        return results["perf-syscall"]["value"]

    def test_eperm(self):
        self.assertIn("EPERM", self.refused("EPERM"))

    def test_enosys(self):
        self.assertIn("ENOSYS", self.refused("ENOSYS"))

    def test_a_filter_that_kills(self):
        self.assertIn("killed", self.refused("KILL"))

    def test_one_cause_is_explained_alike(self):
        """By doctor, by who measures, by who counts a command, and as a refusal by who judges."""
        for how in ("EPERM", "ENOSYS"):
            prefix = (REFUSE, how, "--", tap.ASSAY)
            def said(*arguments):
                done = subprocess.run([*prefix, *arguments], text=True, timeout=60, check=False, capture_output=True, stdin=subprocess.DEVNULL,
                                      env={**os.environ, "XDG_STATE_HOME": tempfile.gettempdir() + "/nowhere"})
                return done.stdout, " ".join(done.stderr.split())
            why = judged(prefix=(REFUSE, how, "--"))[1]["perf-syscall"]["why"]
            words = why.partition("page faults: ")[2].partition(". Run")[0].partition(". Start")[0]
            self.assertIn("seccomp", words)
            self.assertIn(words, said("measure", "-e", "page-faults")[1])
            self.assertIn(words, " ".join(said("stat", "-e", "page-faults", "--", "true")[1].split()))
            with tempfile.TemporaryDirectory() as folder:
                event = json.loads(said("validate", "instructions:u", "--json", "--quiet", "--store", folder + "/s.sqlite")[0])["analysis"]["events"][0]
            self.assertIn(words, event["note"])
            self.assertEqual((event["verdict"], event["cause"]), ("unsupported", "permission"))

    def test_the_report_still_ends_well(self):
        report = subprocess.run([REFUSE, "ENOSYS", "--", tap.ASSAY, "doctor"], text=True, capture_output=True, timeout=60,
                                check=False)
        self.assertEqual((report.returncode, report.stderr), (0, ""))
        self.assertTrue(report.stdout.split("\n\n")[1].startswith("bad     perf-syscall: refused: ENOSYS"))


class Unprivileged(unittest.TestCase):
    def test_an_ordinary_user_is_told_what_root_would_unlock(self):
        if os.geteuid() == 0:
            if not shutil.which("setpriv"):
                self.skipTest("setpriv is not installed")
            via = ["--via", "exec:setpriv --reuid=65534 --regid=65534 --clear-groups"]
        else:
            via = []
        envelope, results = judged(*via)
        facts = envelope["analysis"]["facts"]
        self.assertNotEqual(facts["process.euid"], "0")
        self.assertEqual(results["privileges"]["status"], "warn")
        self.assertIn("sudo", results["privileges"]["fix"])
        paranoid = int(facts["perf.paranoid"])
        expected = "ok" if paranoid < 2 else "warn" if paranoid == 2 else "bad"
        self.assertEqual(results["paranoid"]["status"], expected)
        if os.geteuid() == 0:  # root and others must find each other's validations
            self.assertEqual(judged()[0]["machine"]["fingerprint"], envelope["machine"]["fingerprint"])


class Options(unittest.TestCase):
    def test_advice_is_no_failure_unless_asked(self):
        for arguments, status in (((), 0), (("--fail-on", "bad"), 4), (("--fail-on", "warn"), 4),
                                  (("--fail-on", "bad", "aslr"), 0), (("--fail-on", "warn", "aslr"), 4),
                                  (("--fail-on", "warn", "smt"), 0), (("--json", "--fail-on", "bad"), 4),
                                  # Named, and there is nothing to judge.
                                  (("--fail-on", "bad", "turbo"), 4), (("turbo",), 0)):
            with self.subTest(arguments=arguments):
                report = assay("doctor", "--facts", RECORDED, *arguments)
                self.assertEqual(report.returncode, status)
                self.assertTrue(report.stdout)
        report = assay("doctor", "--facts", RECORDED, "--json", "--fail-on", "bad", "turbo", "aslr")
        self.assertEqual(json.loads(report.stdout)["gate"]["failed"], [{"name": "turbo", "why": "absent"}])
        self.assertIn("turbo (absent)", report.stderr)

    def test_wrong_use(self):
        for arguments, said in ((("--fail-on", "nothing"), "warn or bad"), (("pnu",), "did you mean 'pmu'"),
                                (("--facts", RECORDED, "--via", "exec:env"), "one of them")):
            with self.subTest(arguments=arguments):
                report = assay("doctor", *arguments)
                self.assertEqual((report.returncode, report.stdout), (2, ""))
                self.assertIn(said, report.stderr)

    def test_facts_that_cannot_be_saved_are_a_failure(self):
        report = assay("doctor", "--facts", RECORDED, "--save", "/nonexistent/folder/facts")
        self.assertEqual((report.returncode, report.stdout), (1, ""))
        self.assertIn("/nonexistent/folder/facts", report.stderr)

    def test_the_report_goes_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.txt")
            report = assay("doctor", "--facts", RECORDED, "-o", path)
            self.assertEqual((report.returncode, report.stdout), (0, ""))
            with open(path, encoding="utf-8") as file:
                self.assertIn("pmu: none", file.read())

    def test_a_machine_that_cannot_be_reached(self):
        report = assay("doctor", "--via", "exec:false")
        self.assertEqual((report.returncode, report.stdout), (1, ""))
        self.assertTrue(report.stderr.startswith("assay doctor: "))


if __name__ == "__main__":
    tap.main()
