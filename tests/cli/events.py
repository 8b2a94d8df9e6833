# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay events: what opens, what does not and why, for a person and as JSON."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import tap

NOTHING = "None of these can be counted here|No counter can be had here"  # the latter where sources can count
REFUSE = os.environ.get("SECCOMP_REFUSE", "")


def listed(*arguments):
    """Where nothing was validated before."""
    with tempfile.TemporaryDirectory() as folder:
        done = tap.assay("events", "--json", *arguments, env={"XDG_STATE_HOME": folder})
    return done.returncode, json.loads(done.stdout)["results"]


class Listing(unittest.TestCase):
    def test_every_event_opens_or_says_why_not(self):
        status, events = listed()
        self.assertEqual(status, 0)
        names = [event["event"] for event in events]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("page-faults", names)
        self.assertIn("instructions", names)
        for event in events:
            with self.subTest(event["event"]):
                self.assertEqual(event["openable"], event["reason"] is None)
                self.assertEqual(event["openable"], event["errno"] is None)
                self.assertIsNone(event["verdict"])

    def test_what_was_validated_has_its_verdict_and_age(self):
        with tempfile.TemporaryDirectory() as folder:
            env = {"XDG_STATE_HOME": folder}
            done = tap.assay("validate", "page-faults:u", "--budget", "3s", "--json", "--quiet", env=env)
            if done.returncode == 3:
                self.skipTest(done.stdout)
            results = json.loads(tap.assay("events", "--json", "*faults", env=env).stdout)["results"]
            events = {event["event"]: event for event in results}
            verdict = json.loads(done.stdout)["analysis"]["events"][0]["verdict"]
            self.assertEqual((events["page-faults"]["verdict"], events["page-faults"]["user_verdict"]), (None, verdict))
            self.assertIsNone(events["minor-faults"]["verdict"])
            text = tap.assay("events", "*faults", env=env).stdout
            if events["page-faults"]["openable"]:  # an ordinary user may count page-faults:u only
                self.assertRegex(text, rf"(?m)^page-faults .* with :u {verdict}$")
            self.assertRegex(text, r"assay validate`, \d+ (second|minute)s? ago")
            # A later run of another event takes nothing away, nor does one whose budget was too small.
            tap.assay("validate", "minor-faults:u", "--budget", "3s", "--quiet", env=env)
            tap.assay("validate", "page-faults:u", "--budget", "1ms", "--quiet", env=env)
            later = {name: json.loads(tap.assay("events", "--json", name, env=env).stdout)["results"][0]
                     for name in ("page-faults:u", "minor-faults:u")}
            self.assertEqual((later["page-faults:u"]["verdict"], later["page-faults:u"]["verdict_event"]), (verdict, "page-faults:u"))
            self.assertIsNotNone(later["minor-faults:u"]["verdict"])
            self.assertTrue(all(event["verdict_age"] >= 0 for event in later.values()))

    def test_a_reason_is_said_once_for_all_it_concerns(self):
        _, events = listed()
        text = " ".join(tap.assay("events").stdout.split())
        first = {}  # reason -> the first event it concerns: one reason may begin like another
        for event in events:
            if event["reason"]:
                first.setdefault(event["reason"], event["event"])
        for reason, event in first.items():
            self.assertEqual(text.count(f"{' '.join(reason.split())} {event}"), 1, reason)
        for event in events:
            self.assertIn(event["event"], text)

    def test_globs_choose(self):
        _, events = listed("*-faults")
        self.assertTrue({"page-faults", "minor-faults", "major-faults"}
                        <= {event["event"] for event in events})
        self.assertTrue(all(event["event"].endswith("-faults") for event in events))

    def test_the_list_says_whose_it_is_and_that_it_is_emulated(self):
        done = tap.assay("events", "page-faults", env={"ASSAY_EMULATED": "1"})
        self.assertRegex(done.stdout, r"(?s)\non .*; Linux .*emulated")

    def test_tracepoints_of_a_known_class_are_listed_and_others_when_a_glob_asks(self):
        for glob in ((), ("*",)):
            events = [event for event in listed(*glob)[1] if event["kind"] == "tracepoint"]
            self.assertTrue(all(event["class"] for event in events))
            self.assertEqual(["syscalls"], [event["class"] for event in events if event["event"] == "raw_syscalls:sys_enter"])
        for glob in ("raw_syscalls:*", "raw_syscalls*", "raw_sys*"):
            _, events = listed(glob)
            self.assertIn("raw_syscalls:sys_enter", [event["event"] for event in events])
            if not any(event["openable"] for event in events):  # tracefs is closed: names are not to be had, either
                self.skipTest("tracepoints cannot be had here: " + events[0]["reason"])
            self.assertIn("raw_syscalls:sys_exit", [event["event"] for event in events])

    @unittest.skipUnless(os.geteuid() == 0 and os.path.exists("/usr/bin/setpriv"), "needs root and setpriv to become nobody")
    def test_who_may_not_read_tracefs_is_told_so_once(self):
        via = "exec:setpriv --reuid 65534 --clear-groups"
        done = tap.assay("events", "--json", "--via", via)
        if done.returncode == 1:
            self.skipTest("the probe cannot be reached as nobody: " + done.stderr)
        events = [event for event in json.loads(done.stdout)["results"] if event["event"] == "raw_syscalls:sys_enter"]
        if events[0]["openable"]:
            self.skipTest("everybody may use tracepoints here")
        self.assertEqual((events[0]["kind"], events[0]["class"]), ("tracepoint", "syscalls"))
        text = " ".join(tap.assay("events", "--via", via).stdout.split())
        self.assertEqual(text.count(" ".join(events[0]["reason"].split())), 1)

    def test_what_matches_nothing_is_lacking(self):
        done = tap.assay("events", "zzz*")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("zzz*", done.stderr)


class Exact(unittest.TestCase):
    def test_any_form_of_a_name_can_be_asked_for(self):
        status, events = listed("page-faults:u")
        self.assertIn(status, (0, 3))
        self.assertEqual(events[0]["class"], "page-faults")
        self.assertEqual(status == 0, events[0]["openable"])

    def test_an_event_that_is_refused_exits_3(self):
        status, events = listed("instructions:u")
        self.assertEqual(status, 0 if events[0]["openable"] else 3)
        done = tap.assay("events", "instructions:u")
        self.assertEqual(done.returncode, status)
        if status == 3:
            self.assertIn("instructions:u", done.stdout)

    def test_wrong_names_exit_2_with_the_nearest(self):
        done = tap.assay("events", "page-fautls")
        self.assertEqual(done.returncode, 2)
        self.assertIn("page-faults", done.stderr)
        for name in ("", "a", "\033[2J", "mem:", "uprobe:", "x" * 3000):
            with self.subTest(name):
                done = tap.assay("events", name)
                self.assertIn(done.returncode, (0, 2, 3), done.stderr)
                self.assertNotIn("\033", done.stderr + done.stdout)
        self.assertEqual(tap.assay("events", "a", "b").returncode, 2)


class Refused(unittest.TestCase):
    def test_where_nothing_opens_the_way_out_is_said(self):
        if not REFUSE:
            self.skipTest("SECCOMP_REFUSE names no helper")
        for error in ("EPERM", "ENOSYS"):
            with self.subTest(error):
                done = subprocess.run([REFUSE, error, "--", tap.ASSAY, "events"], text=True,
                                      capture_output=True, check=False, timeout=60)
                if done.returncode == 77:
                    self.skipTest("no seccomp filters in this kernel")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, NOTHING)
                self.assertIn("perf_event_open", done.stdout)
                self.assertIn("assay doctor`", done.stdout)

    def test_root_is_not_sent_to_root(self):
        root = ["unshare", "--user", "--map-root-user"]
        if os.geteuid() == 0 and shutil.which("setpriv"):  # a root that may do nothing
            root = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *root]
        if not shutil.which("unshare") or subprocess.run([*root, "true"], capture_output=True, check=False).returncode:
            self.skipTest("no user namespace can be made here")
        done = subprocess.run([*root, tap.ASSAY, "events", "syscalls:sys_enter_getppid"], text=True, capture_output=True, check=False, timeout=60)
        if "tracefs" not in done.stderr:
            self.skipTest("tracefs may be read by everybody here, or is not there: " + done.stdout)
        self.assertIn("closed even to this root", done.stderr)
        self.assertNotIn("Run as root", done.stderr)

    def test_a_reader_that_left_early_ends_it_without_a_word(self):
        with subprocess.Popen([tap.ASSAY, "events", "--specimens"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            os.read(running.stdout.fileno(), 1)
            running.stdout.close()
            self.assertEqual(running.stderr.read(), b"")

    def test_the_way_out_leads_to_the_machine_that_was_asked(self):
        if not REFUSE:
            self.skipTest("SECCOMP_REFUSE names no helper")
        via = f"exec:{REFUSE} EPERM --"
        done = tap.assay("events", via=via)
        if not re.search(NOTHING, done.stdout):
            self.skipTest("no seccomp filters in this kernel")
        self.assertIn(f"`assay doctor --via '{via}'`", " ".join(done.stdout.split()))


if __name__ == "__main__":
    tap.main()
