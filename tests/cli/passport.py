# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The passport that assay validate leaves: what is in it, that libassay says the same, and when none is written.

A C program linked with libassay asks; what it is told is held against what `assay validate --json` said.
"""
import datetime
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

import tap

try:
    import jsonschema
except ImportError:
    jsonschema = None

BUILD = os.environ["ASSAY_BUILD"]
LIBRARIES = os.path.join(BUILD, "src", "lib")
EVENTS = ("page-faults", "page-faults:u", "context-switches:u", "instructions:u", "dummy:u")

# Prints for each argument: code, verdict, cause, stale, age, event, path, difference, note or sentence.
PROGRAM = r"""
#include <assay.h>
#include <stdio.h>

int main(int count, char **names)
{
    for (int i = 1; i < count; i++) {
        struct assay_trust_verdict trust;
        int code = assay_trust(names[i], &trust);
        printf("%d\t%s\t%s\t%d\t%lld\t%s\t%s\t%s\t%s\n", code, trust.verdict, trust.cause, trust.stale,
               (long long)trust.age_s, trust.event, trust.path, trust.difference,
               code && code != -2 ? assay_last_error() : trust.note);
    }
    return 0;
}
"""
KEYS = ("code", "verdict", "cause", "stale", "age", "event", "path", "difference", "note")


def sanitized():
    """Then the library wants its run-time library, which a plain program does not bring."""
    with open(os.path.join(LIBRARIES, "libassay.so"), "rb") as library:
        return re.search(b"__(asan|ubsan|tsan)_", library.read()) is not None


class Case(unittest.TestCase):
    """One validation and one program for all cases; each has a copy of the state folder."""

    @classmethod
    def setUpClass(cls):
        cls.whole = tempfile.mkdtemp(prefix="assay-passport-")
        cls.addClassCleanup(shutil.rmtree, cls.whole, ignore_errors=True)
        cls.first = os.path.join(cls.whole, "first")
        done = tap.assay("validate", *EVENTS, "--budget", "5s", "--json", "--quiet", env={"XDG_STATE_HOME": cls.first},
                         timeout=300)
        cls.status, cls.said = done.returncode, done.stderr
        cls.envelope = json.loads(done.stdout) if done.stdout else None
        cls.program = None
        if shutil.which("cc") and not sanitized():
            cls.program = os.path.join(cls.whole, "program")
            source = cls.program + ".c"
            with open(source, "w", encoding="utf-8") as out:
                out.write(PROGRAM)
            subprocess.run(["cc", "-Wall", "-Werror", "-I" + os.path.join(tap.SOURCE, "include"), source, "-o", cls.program,
                            os.path.join(LIBRARIES, "libassay.so"), "-Wl,-rpath," + LIBRARIES], check=True)

    def setUp(self):
        self.assertIn(self.status, (0, 3), self.said)
        self.folder = tempfile.mkdtemp(prefix="state-", dir=self.whole)
        shutil.copytree(self.first, self.folder, dirs_exist_ok=True)

    def validate(self, *arguments, **options):
        return tap.assay("validate", *arguments, env={"XDG_STATE_HOME": self.folder}, timeout=300, **options)

    def passports(self):
        folder = os.path.join(self.folder, "assay", "passports")
        return sorted(os.path.join(folder, name) for name in os.listdir(folder)) if os.path.isdir(folder) else []

    def path(self):
        self.assertEqual(len(self.passports()), 1)
        return self.passports()[0]

    def passport(self):
        with open(self.path(), encoding="utf-8") as file:
            return json.load(file)

    def change(self, change):
        passport = self.passport()
        change(passport)
        with open(self.path(), "w", encoding="utf-8") as file:
            json.dump(passport, file)

    def ask(self, *names, env=None):
        if not self.program:
            self.skipTest("no compiler, or the library is built with a sanitizer")
        done = subprocess.run([self.program, *names], capture_output=True, text=True, check=True, timeout=60,
                              env={**os.environ, "XDG_STATE_HOME": self.folder, **(env or {})})
        answers = [dict(zip(KEYS, line.split("\t"))) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(names))
        return answers


class Written(Case):
    def test_it_says_what_validate_said(self):
        passport, analysis = self.passport(), self.envelope["analysis"]
        self.assertEqual(analysis["passport"], self.path().replace(self.folder, self.first))
        self.assertEqual(passport["fingerprint"], self.envelope["machine"]["fingerprint"])
        self.assertEqual(os.path.basename(self.path()), passport["fingerprint"] + ".json")
        self.assertEqual([event["event"] for event in passport["events"]], list(EVENTS))
        for said, kept in zip(analysis["events"], passport["events"]):
            if said["cause"] == "permission":
                said = {**said, "verdict": "unjudged"}  # of the machine nothing is known
            for key in ("event", "class", "verdict", "cause", "note", "overhead", "explanations"):
                self.assertEqual(kept[key], said[key])

    def test_it_is_what_the_schema_promises(self):
        if not jsonschema or not hasattr(jsonschema, "Draft202012Validator"):
            self.skipTest("python3-jsonschema is not installed, or older than draft 2020-12")
        schema = json.loads(tap.assay("--schema", "passport").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        self.assertEqual([error.message for error in validator.iter_errors(self.passport())], [])
        for key, value in (("verdict", "perfect"), ("validated", "yesterday"), ("note", 5), ("truth_grade", "sure")):
            broken = self.passport()
            broken["events"][0][key] = value
            with self.subTest(key):
                self.assertFalse(validator.is_valid(broken))

    def test_its_machine_is_the_doctors(self):
        saved = os.path.join(self.folder, "facts")
        self.assertEqual(tap.assay("doctor", "--quiet", "--save", saved).returncode, 0)
        with open(saved, encoding="utf-8") as file:
            facts = dict(line.rstrip("\n").split(" = ", 1) for line in file if " = " in line)
        for field in self.passport()["machine"]:
            self.assertEqual(field["value"], facts.get(field["field"]), field)

    def test_only_the_user_gets_at_it(self):
        folder = os.path.dirname(self.path().replace(self.folder, self.first))
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
        self.assertEqual(stat.S_IMODE(os.stat(self.path().replace(self.folder, self.first)).st_mode), 0o644)

    def test_it_is_a_file_of_its_own_that_programs_read(self):
        path, elsewhere = self.path(), os.path.join(self.folder, "elsewhere")
        os.rename(path, elsewhere)
        os.symlink(elsewhere, path)
        done = self.validate("page-faults", "--budget", "1s", "--quiet", umask=0)
        self.assertEqual(done.returncode, 0, done.stderr)
        written = os.lstat(path)
        self.assertTrue(stat.S_ISREG(written.st_mode))
        self.assertEqual(stat.S_IMODE(written.st_mode), 0o644)

    def test_events_shows_the_same(self):
        shown = json.loads(tap.assay("events", "page-faults", "--json", env={"XDG_STATE_HOME": self.folder}).stdout)
        kept = self.passport()["events"][0]
        self.assertEqual((shown["results"][0]["verdict_event"], shown["results"][0]["verdict"]), (kept["event"], kept["verdict"]))

    def test_judging_again_writes_none(self):
        os.remove(self.path())
        done = self.validate("--from", self.envelope["analysis"]["store"].replace(self.first, self.folder), "--json")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertEqual(self.passports(), [])
        self.assertIsNone(json.loads(done.stdout)["analysis"]["passport"])

    def test_a_run_of_few_events_keeps_the_others(self):
        before = {event["event"]: event for event in self.passport()["events"]}
        time.sleep(1.1)  # the moment of a run has whole seconds
        done = self.validate("page-faults", "--budget", "2s", "--quiet", "--json")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        after = {event["event"]: event for event in self.passport()["events"]}
        self.assertEqual(set(after), set(before))
        self.assertGreater(after["page-faults"]["validated"], before["page-faults"]["validated"])
        for name in set(before) - {"page-faults"}:
            self.assertEqual(after[name], before[name])

    def test_a_store_elsewhere_counts_and_is_kept(self):
        shutil.rmtree(self.folder)
        done = self.validate("dummy:u", "page-faults:u", "--budget", "2s", "--quiet", "--store",
                             os.path.join(self.whole, f"{os.path.basename(self.folder)}.sqlite"))
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.validate("page-faults", "--budget", "1s", "--quiet")
        self.assertEqual({event["event"] for event in self.passport()["events"]}, {"dummy:u", "page-faults:u", "page-faults"})

    def test_stores_of_earlier_runs_fill_a_lost_one(self):
        os.remove(self.path())
        self.validate("page-faults", "--budget", "1s", "--quiet")
        self.assertEqual({event["event"] for event in self.passport()["events"]}, set(EVENTS))

    def test_what_is_damaged_is_written_anew(self):
        for text in ("", "{", "[]", '{"schema":"assay/passport/1"}', '{"schema":"assay/passport/1","events":[{"event":5}]}'):
            with open(self.path(), "w", encoding="utf-8") as file:
                file.write(text)
            with self.subTest(text):
                self.assertIn(self.validate("dummy:u", "--budget", "1s", "--quiet").returncode, (0, 3))
                self.assertEqual({event["event"] for event in self.passport()["events"]}, set(EVENTS))

    def test_entries_that_no_reader_would_take_are_dropped(self):
        def spoil(passport):
            good = dict(passport["events"][0])
            passport["events"] += [dict(good, event="kept"), dict(good, event="bad1", verdict="EXACT"), dict(good, event="bad2", note=7),
                                   dict(good, event="bad3", validated="then"), "text", {"event": "bad4"}]
        self.change(spoil)
        self.assertIn(self.validate("dummy:u", "--budget", "1s", "--quiet").returncode, (0, 3))
        self.assertEqual({event["event"] for event in self.passport()["events"]}, {*EVENTS, "kept"})

    def test_that_it_cannot_be_written_is_a_remark(self):
        shutil.rmtree(os.path.join(self.folder, "assay", "passports"))
        with open(os.path.join(self.folder, "assay", "passports"), "w", encoding="utf-8"):
            pass
        done = self.validate("dummy:u", "--budget", "1s", "--json")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertIn("passport was not written", done.stderr)
        self.assertIsNone(json.loads(done.stdout)["analysis"]["passport"])

    def test_a_run_that_fails_writes_none(self):
        shutil.rmtree(self.folder)
        self.assertEqual(self.validate("no-such-event", "--quiet").returncode, 2)
        self.assertEqual(self.passports(), [])

    def test_an_interrupted_run_without_judgements_writes_none(self):
        shutil.rmtree(self.folder)
        process = subprocess.Popen([os.environ["ASSAY"], "validate", "--quiet", "--source", "step"],
                                   env=dict(os.environ, XDG_STATE_HOME=self.folder), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)
        for path in self.passports():  # it was judged before the signal came
            with open(path, encoding="utf-8") as file:
                self.assertTrue(any(event["verdict"] != "unjudged" for event in json.load(file)["events"]))


class Access(Case):
    """That access is refused is about a user or a sandbox: what was found of the machine stands."""

    def refused(self, *arguments, errno="EPERM"):
        done = self.validate(*arguments, "--quiet", prefix=(os.environ["SECCOMP_REFUSE"], errno, "--"))
        if done.returncode == 77:
            self.skipTest("no seccomp filters: " + done.stderr)
        self.assertEqual(done.returncode, 3, done.stderr)
        return done

    def entry(self, name):
        return next(event for event in self.passport()["events"] if event["event"] == name)

    def assertSchema(self):
        if jsonschema and hasattr(jsonschema, "Draft202012Validator"):
            validator = jsonschema.Draft202012Validator(json.loads(tap.assay("--schema", "passport").stdout))
            self.assertEqual([error.message for error in validator.iter_errors(self.passport())], [])

    def test_a_refusal_stands_beside_the_verdict(self):
        before = self.entry("page-faults:u")
        if before["verdict"] not in ("exact", "accurate"):
            self.skipTest("page faults cannot be counted here: " + before["note"])
        time.sleep(1.1)  # the moment of a run has whole seconds
        for errno in ("EPERM", "EACCES", "ENOSYS"):
            with self.subTest(errno):
                envelope = json.loads(self.refused("page-faults:u", "--json", errno=errno).stdout)
                self.assertEqual(envelope["analysis"]["earlier"], [{key: before[key] for key in ("event", "verdict", "validated")}])
                after = self.entry("page-faults:u")
                access = after.pop("access")
                self.assertEqual(after, before)
                self.assertGreater(access["refused"], before["validated"])
                self.assertEqual((access["errno"], access["circumstances"]["process.seccomp"]),
                                 ({"EPERM": 1, "EACCES": 13, "ENOSYS": 38}[errno], "2"))
                self.assertSchema()
        self.assertEqual(self.ask("page-faults:u")[0]["verdict"], before["verdict"])
        self.assertRegex(self.refused("page-faults:u").stdout, rf"Found here before, and still valid: page-faults:u\s+{before['verdict']}")
        # Whoever counts now is told what was found then, not that another was refused.
        env = {"XDG_STATE_HOME": self.folder}
        row = json.loads(tap.assay("stat", "--json", "-e", "page-faults:u", "-o", self.folder + "/stat", "--", "true", env=env).stdout or
                         open(self.folder + "/stat", encoding="utf-8").read())["results"][0]
        self.assertEqual(row["trust"], before["verdict"])
        # Another run that opens it ends the refusal, one of other events keeps it.
        self.validate("dummy:u", "--budget", "1s", "--quiet")
        self.assertIn("access", self.entry("page-faults:u"))
        self.validate("page-faults:u", "--budget", "1s", "--quiet")
        self.assertNotIn("access", self.entry("page-faults:u"))

    def test_many_refusals_do_not_outlast_a_verdict(self):
        """More than the stores that are looked at."""
        before = self.entry("page-faults:u")
        if before["verdict"] not in ("exact", "accurate"):
            self.skipTest("page faults cannot be counted here: " + before["note"])
        for _ in range(9):
            self.refused("page-faults:u")
        self.assertEqual(self.entry("page-faults:u")["verdict"], before["verdict"])
        shown = json.loads(tap.assay("events", "page-faults:u", "--json", env={"XDG_STATE_HOME": self.folder}).stdout)["results"][0]
        self.assertEqual((shown["openable"], shown["verdict"]), (True, before["verdict"]))

    def test_a_refusal_alone_is_no_verdict(self):
        shutil.rmtree(self.folder)
        self.refused("minor-faults:u")
        entry = self.entry("minor-faults:u")
        self.assertEqual((entry["verdict"], entry["cause"], entry["access"]["errno"]), ("unjudged", "permission", 1))
        self.assertSchema()
        env = {"XDG_STATE_HOME": self.folder}
        shown = json.loads(tap.assay("events", "minor-faults:u", "--json", env=env).stdout)["results"][0]
        self.assertIsNone(shown["verdict"])
        done = tap.assay("stat", "-e", "minor-faults:u", "--", "true", env=env)
        self.assertNotIn("permission", done.stderr)

    def test_what_is_refused_now_shows_what_was_found(self):
        before = self.entry("page-faults")
        if before["verdict"] not in ("exact", "accurate"):
            self.skipTest("page faults cannot be counted here: " + before["note"])
        done = tap.assay("events", "page-faults", env={"XDG_STATE_HOME": self.folder},
                         prefix=(os.environ["SECCOMP_REFUSE"], "EPERM", "--"))
        self.assertIn(f"page-faults (validated: {before['verdict']})", done.stdout)


class Asked(Case):
    def test_a_program_is_told_what_validate_said(self):
        answers = self.ask(*EVENTS)
        for said, answer in zip(self.envelope["analysis"]["events"], answers):
            with self.subTest(said["event"]):
                self.assertEqual((answer["code"], answer["stale"], answer["difference"]), ("0", "0", ""))
                verdict = "unjudged" if said["cause"] == "permission" else said["verdict"]
                self.assertEqual((answer["event"], answer["verdict"]), (said["event"], verdict))
                self.assertEqual(answer["cause"], said["cause"] or "")
                self.assertTrue((said["note"] or "").startswith(answer["note"]))
                began = datetime.datetime.strptime(self.passport()["events"][0]["validated"] + "+0000", "%Y-%m-%dT%H:%M:%SZ%z")
                passed = (datetime.datetime.now(datetime.timezone.utc) - began).total_seconds()
                self.assertTrue(0 <= int(answer["age"]) <= passed + 1)

    def test_what_was_found_with_u_says_nothing_without(self):
        answers = self.ask("context-switches", "instructions", "page-faults")
        self.assertEqual([answer["event"] for answer in answers], ["", "", "page-faults"])

    def test_what_was_not_validated_is_unknown(self):
        answer = self.ask("cpu-migrations")[0]
        self.assertEqual((answer["code"], answer["verdict"], answer["age"]), ("-2", "unknown", "-1"))
        self.assertIn("`assay validate cpu-migrations`", answer["note"])

    def test_what_differs_makes_it_stale(self):
        for field, label in (("kernel.release", "kernel"), ("cpu.microcode", "microcode"), ("hypervisor", "hypervisor"),
                             ("cpu.stepping", "CPU stepping"), ("kernel.version", "kernel build")):
            def differ(passport, field=field):
                for row in passport["machine"]:
                    row["value"] = "other" if row["field"] == field else self.genuine[row["field"]]
            self.genuine = {row["field"]: row["value"] for row in self.envelope_machine()}
            self.change(differ)
            answer = self.ask("page-faults")[0]
            with self.subTest(field):
                self.assertEqual((answer["code"], answer["stale"]), ("0", "1"))
                self.assertEqual(answer["difference"], f"{label} other -> {self.genuine[field] or 'none'}")

    def envelope_machine(self):
        with open(self.path().replace(self.folder, self.first), encoding="utf-8") as file:
            return json.load(file)["machine"]

    def test_another_cpu_is_not_this_one(self):
        def differ(passport):
            for row in passport["machine"]:
                row["value"] = "other" if row["field"] == "cpu.model" else row["value"]
        self.change(differ)
        self.assertEqual(self.ask("page-faults")[0]["verdict"], "unknown")

    def test_a_date_in_the_future_has_no_age(self):
        def differ(passport):
            for event in passport["events"]:
                event["validated"] = "2999-01-01T00:00:00Z"
        self.change(differ)
        answer = self.ask("page-faults")[0]
        self.assertEqual(answer["age"], "0")
        self.assertIn("dated in the future", answer["note"])

    def test_hostile_passports_are_refused_with_a_sentence(self):
        whole = json.dumps(self.passport())
        for what, text in {
                "cut": whole[:-20], "trailing": whole + "{}", "deep": '{"x":' + "[" * 100000, "empty": "",
                "binary": "\x00\x01", "array": "[]", "long": " " * (5 << 20),
                "twice": whole.replace('"schema"', '"schema": "assay/passport/1", "schema"', 1),
                "other": whole.replace("assay/passport/1", "assay/passport/9")}.items():
            with open(self.path(), "w", encoding="utf-8") as file:
                file.write(text)
            answer = self.ask("page-faults")[0]
            with self.subTest(what):
                self.assertEqual((answer["code"], answer["verdict"]), ("-22", "unknown"))
                self.assertRegex(answer["note"], re.escape(self.path()) + r", line \d+, column \d+: ")

    def test_without_a_home_nothing_is_known(self):
        answer = self.ask("page-faults", env={"XDG_STATE_HOME": "", "HOME": ""})[0]
        self.assertEqual((answer["code"], answer["verdict"]), ("-2", "unknown"))
        self.assertIn("XDG_STATE_HOME", answer["note"])


if __name__ == "__main__":
    tap.main()
