# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay compare: two runs of this machine do not differ, what is planted in a copy of one does, and files that
cannot be compared get a sentence."""
import json
import os
import shutil
import tempfile
import unittest

import tap
from unfinished import changed

EVENT = "page-faults:u"


def assay(*arguments, **options):
    return tap.assay(*arguments, timeout=300, **options)


OTHER_KERNEL = ("UPDATE fact SET value = '99.9-planted' WHERE key = 'kernel.release'",
                "UPDATE meta SET value = '0123456789abcdef' WHERE key = 'fingerprint'")


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="assay-compare-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.stores = [cls.measured("one", "4,16"), cls.measured("two", "4,16")]
        # Three pages more, which then pass for as many as the others touched.
        cls.shifted = changed(cls.measured("more", "7,19"), cls.path("shifted.sqlite"), "UPDATE cell SET n = n - 3 WHERE n > 0", *OTHER_KERNEL)

    @classmethod
    def measured(cls, name, sizes):
        store = cls.path(name + ".sqlite")
        done = assay("measure", "-e", EVENT, "--specimen", "pages", "--n", sizes, "--runs", "5", "--processes", "12",
                     "--store", store, "--quiet")
        if done.returncode == 3:
            raise unittest.SkipTest("no page faults can be counted here: " + done.stderr.strip()[:200])
        assert done.returncode == 0, done.stderr
        return store

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def compare(self, *arguments, status=0):
        done = assay("compare", *arguments, "--json")
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def refused(self, *arguments, status=2):
        done = assay("compare", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_two_runs_of_one_machine_do_not_differ(self):
        envelope = self.compare("--fail-on", "difference", *self.stores)
        analysis = envelope["analysis"]
        self.assertFalse(analysis["different"])
        self.assertEqual([side["label"] for side in analysis["sides"]], ["one", "two"])
        self.assertEqual(analysis["facts"], [])
        self.assertEqual({row["standing"] for row in envelope["results"]}, {"same"})
        self.assertEqual({row["event"] for row in envelope["results"]}, {EVENT})
        self.assertTrue(all(row["processes"] == 12 for row in envelope["results"]))

    def test_a_planted_shift_is_found_with_its_size(self):
        planted = self.shifted
        envelope = self.compare("--fail-on", "difference", self.stores[0], planted, status=4)
        self.assertTrue(envelope["analysis"]["different"])
        self.assertEqual(envelope["gate"]["failed"], [{"name": f"{EVENT} of perf-read", "why": "differs"}])
        counted = [row for row in envelope["results"] if "pages" in row["factors"]]
        self.assertEqual(len(counted), 2)
        group, = [group for group in envelope["analysis"]["groups"] if group["standing"] == "differs"]
        self.assertEqual((group["shift"], group["delta"]), (3, 1))
        self.assertGreater(group["delta_low"], 0)
        self.assertIn("more by 3 events", envelope["analysis"]["headline"][3])
        for row in envelope["results"]:
            if row not in counted:
                self.assertEqual(row["standing"], "same", row)
        for row in counted:
            self.assertEqual((row["standing"], row["shift"], row["delta"]), ("differs", 3, 1), row)
            self.assertLessEqual(row["shift_low"], 3)
            self.assertGreaterEqual(row["shift_high"], 3)
            self.assertLess(row["adjusted_p"], 0.05)
        self.compare(self.stores[0], planted)  # exit 0 unless asked

    def test_windows_that_are_whole_programs_have_the_margin_of_these(self):
        whole = "UPDATE cell SET path = 'perf-stat'"
        sides = [changed(side, self.path(f"whole-{number}.sqlite"), whole) for number, side in enumerate((self.stores[0], self.shifted))]
        standings = {row["factors"]: row["standing"] for row in self.compare(*sides)["results"] if "pages" in row["factors"]}
        self.assertEqual(sorted(standings.values()), ["differs", "within"], standings)  # 7 for 4, and 19 for 16

    def repeated(self, name, *command):
        store = self.path(name + ".sqlite")
        done = assay("repeat", "-e", "page-faults:u", "--source", "perf_event", "--runs", "8", "--budget", "3s", "--store", store, "--quiet", "--", *command)
        if done.returncode == 3:
            self.skipTest("no page faults of programs can be counted here: " + done.stderr.strip()[:200])
        self.assertEqual(done.returncode, 0, done.stderr)
        return store

    def test_how_the_page_cache_holds_a_program_is_no_difference(self):
        program = shutil.copy(os.path.join(os.environ["ASSAY_KIT"], "subject-calls"), self.path("calls"))
        written = self.repeated("written", program, "64")
        with open(program, "rb") as file:  # once it is read back, a fault may map fewer pages of it than as it was written
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        envelope = self.compare(written, self.repeated("read", program, "64"))
        faults = [group for group in envelope["analysis"]["groups"] if group["event"] == "page-faults:u"]
        self.assertTrue(faults)
        self.assertNotIn("differs", {group["standing"] for group in faults})
        self.assertEqual(envelope["analysis"]["deviations"], [])
        # Faults that no page cache moves are counts like others.
        other = "UPDATE counter SET event = 'alignment-faults:u' WHERE event = 'page-faults:u'"
        renamed = [changed(self.path(f"{name}.sqlite"), self.path(f"{name}-renamed.sqlite"), other) for name in ("written", "read")]
        self.assertTrue(self.compare(*renamed)["analysis"]["deviations"])

    def test_times_of_two_invocations_differ_beyond_a_margin(self):
        # All executions of one invocation share how fast the machine is at that moment. Counts that are known pass for times.
        stores = {}
        for size in (100, 160, 300):
            store = self.path(f"faults-{size}.sqlite")
            done = assay("stat", "-r", "15", "-e", EVENT, "--store", store, "--", "subject:faults", str(size))
            self.assertEqual(done.returncode, 0, done.stderr)
            stores[size] = changed(store, self.path(f"timed-{size}.sqlite"), f"UPDATE counter SET event = 'task-clock' WHERE event = '{EVENT}'",
                                   f"UPDATE event SET name = 'task-clock' WHERE name = '{EVENT}'")

        def standings(one, other):
            analysis = self.compare(stores[one], stores[other])["analysis"]
            times, = [group["standing"] for group in analysis["groups"] if group["event"] == "task-clock" and "faults" in group["subject"]]
            return times, analysis["different"]
        self.assertEqual(standings(100, 160), ("within", False))
        self.assertEqual(standings(100, 300), ("differs", True))

    def test_programs_that_wait_for_a_cpu_are_no_difference_those_that_take_much_longer_are(self):
        program, duration = self.path("waits"), self.path("duration")
        with open(program, "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\nexec sleep $(cat '{duration}')\n")
        os.chmod(program, 0o755)
        stores = {}
        for seconds in (".04", ".06", ".2"):
            with open(duration, "w", encoding="utf-8") as file:
                file.write(seconds)
            stores[seconds] = self.repeated("waits" + seconds, program)

        def standing(one, other):
            lasting, = [group for group in self.compare(stores[one], stores[other])["analysis"]["groups"]
                        if (group["event"], group["subject"]) == ("run/nanoseconds/", "waits")]
            return lasting["standing"]
        self.assertEqual(standing(".04", ".06"), "within")
        self.assertEqual(standing(".04", ".2"), "differs")

    def test_what_too_few_processes_tell_is_said(self):
        program, stores = self.path("forks"), []
        for forks, runs in ((0, 30), (8, 3)):
            with open(program, "w", encoding="utf-8") as script:
                script.write("#!/bin/sh\n" + "/bin/true\n" * forks + "exit 0\n")
            os.chmod(program, 0o755)
            stores.append(self.path(f"forks-{forks}.sqlite"))
            done = assay("stat", "-r", str(runs), "-e", "page-faults:u", "--store", stores[-1], "--", program)
            self.assertEqual(done.returncode, 0, done.stderr)
        group, = [group for group in self.compare(*stores)["analysis"]["groups"] if (group["event"], group["subject"]) == ("page-faults:u", "forks")]
        self.assertEqual(group["standing"], "unsure")
        text = " ".join(assay("compare", *stores).stdout.split())
        self.assertRegex(text, "[1-9] quantit(y differs|ies differ), by so few processes that")

    def test_the_label_says_what_differs(self):
        planted = changed(self.stores[1], self.path("kernel.sqlite"), *OTHER_KERNEL)
        analysis = self.compare(self.stores[0], planted)["analysis"]
        self.assertEqual(analysis["sides"][1]["label"], "99.9-planted")
        self.assertEqual([fact["fact"] for fact in analysis["facts"]], ["kernel.release"])
        self.assertFalse(analysis["different"])
        named = self.compare("--label", "old", "--label", "new", self.stores[0], planted)["analysis"]
        self.assertEqual([side["label"] for side in named["sides"]], ["old", "new"])

    def test_the_report_for_people_begins_with_the_verdict(self):
        planted = self.shifted
        text = assay("compare", self.stores[0], planted).stdout
        self.assertTrue(text.startswith("Compared: A ("), text)
        self.assertIn("Quantities that differ", text)
        self.assertIn("99.9-planted", text)
        every = assay("compare", "--all", self.stores[0], planted).stdout
        self.assertIn("Every quantity", every)

    def test_a_study_of_one_side_alone_is_set_apart(self):
        done = assay("clocks", "--quick", "--budget", "2s", "--clock", "monotonic,monotonic-raw", "--store", self.path("clocks.sqlite"),
                     "--quiet")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        envelope = self.compare(self.stores[0], self.path("clocks.sqlite"))
        self.assertEqual({row["standing"] for row in envelope["results"]}, {"one side"})
        self.assertFalse(envelope["analysis"]["different"])

    def test_a_collection_of_two_machines_is_two_sides(self):
        other = changed(self.stores[1], self.path("other.sqlite"), *OTHER_KERNEL)
        both = self.path("both.sqlite")
        done = assay("merge", "-o", both, self.stores[0], other)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.compare(both)["analysis"]["sides"]), 2)
        self.assertEqual(len(self.compare(both + "#1", both + "#2")["analysis"]["sides"]), 2)

    def test_names_from_a_store_do_not_reach_the_terminal_raw(self):
        planted = changed(self.stores[1], self.path("hostile.sqlite"),
                          "UPDATE fact SET value = 'x' || char(27) || '[31m<script>' WHERE key = 'kernel.release'")
        page = self.path("hostile.html")
        done = assay("compare", "--html", page, self.stores[0], planted)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<script>", done.stdout)
        self.assertNotIn("\x1b", done.stdout)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("[31m&lt;script&gt;", text)
        self.assertNotIn("[31m<script>", text)

    def test_the_page_is_complete(self):
        page = self.path("page.html")
        done = assay("compare", "--html", page, self.stores[0], self.shifted)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("99.9-planted", text)
        for figure in ("facts", "effects", "shifts", "boxes"):
            self.assertIn(f'id="compare-1/{figure}"', text)

    def test_sides_of_different_schemas_are_compared(self):
        older = changed(self.stores[1], self.path("older.sqlite"), "DROP VIEW execution", "DROP TABLE system_call", "DROP TABLE executed",
                        "DROP TABLE subject", "DROP TABLE command", "PRAGMA user_version = 4")
        envelope = self.compare(self.stores[0], older)
        self.assertEqual({row["standing"] for row in envelope["results"]}, {"same"})

    def test_what_cannot_be_compared_gets_a_sentence(self):
        one, two = self.stores
        self.assertIn("the same file", self.refused(one, one))
        os.link(one, self.path("link.sqlite"))
        self.assertIn("the same file", self.refused(one, self.path("link.sqlite")))
        self.assertIn("one side only", self.refused(one))
        self.assertIn("name the files", self.refused())
        self.assertIn("--fail-on takes difference", self.refused("--fail-on", "all", one, two))
        self.assertIn("--label", self.refused("--label", "a", "--label", "b", "--label", "c", one, two))
        self.assertIn("nowhere", self.refused(one, self.path("nowhere.sqlite")))

    def test_what_cannot_be_compared_fails_the_gate_by_name(self):
        """Of a run of other events nothing is on both sides but the doctor's opinion of one machine."""
        other = self.path("uncommon.sqlite")
        done = assay("measure", "-e", "minor-faults:u", "--specimen", "pages", "--n", "4", "--runs", "2", "--store", other, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        envelope = self.compare(self.stores[0], other)
        self.assertFalse(envelope["analysis"]["different"])
        self.assertNotIn("gate", envelope)
        done = assay("compare", "--fail-on", "difference", self.stores[0], other, self.stores[1])
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(f"{other} (not compared)", done.stderr)
        self.assertNotIn(self.stores[1], done.stderr)
        self.assertEqual(self.compare("--fail-on", "difference", self.stores[0], other, status=4)["gate"]["failed"],
                         [{"name": other, "why": "not compared"}])

    def test_a_truth_store_is_said_not_to_be_compared(self):
        stores = [self.path(f"truth-{number}.sqlite") for number in (1, 2)]
        for store in stores:
            done = assay("truth", "--source", "step", "--store", store, "--quiet", "--", "subject:loop", "10")
            if done.returncode == 3:
                self.skipTest("no execution can be counted here: " + done.stderr.strip()[:200])
            self.assertEqual(done.returncode, 0, done.stderr)
        envelope = self.compare("--fail-on", "difference", *stores, status=4)
        self.assertEqual(envelope["gate"]["failed"], [{"name": stores[1], "why": "not compared"}])
        for store in stores:
            self.assertTrue([note for note in envelope["analysis"]["notes"] if store in note and "assay repeat" in note], envelope["analysis"]["notes"])

    def test_a_damaged_store_gets_a_sentence(self):
        damaged = self.path("damaged.sqlite")
        with open(self.stores[1], "rb") as file:
            data = bytearray(file.read())
        for at in range(4096, len(data) - 100, 1000):
            data[at:at + 100] = b"\xff" * 100
        with open(damaged, "wb") as file:
            file.write(data)
        self.assertIn("damaged", self.refused(self.stores[0], damaged, status=1))

    def test_a_copy_of_a_run_is_said_to_be_one(self):
        copy = self.path("copy.sqlite")
        shutil.copyfile(self.stores[0], copy)
        analysis = self.compare(self.stores[0], copy)["analysis"]
        self.assertFalse(analysis["different"])
        self.assertTrue(any("the same run" in note for note in analysis["notes"]), analysis["notes"])


if __name__ == "__main__":
    tap.main()
