# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""PAPI's presets as events: listed, explained, counted through PAPI and by nobody else.

Where there is no PMU no preset can be counted; so PAPI is told by its own means to make one out of page faults, which every
machine has."""
import glob
import json
import os
import tempfile
import unittest

import tap

PAGES = ("--specimen", "pages", "--n", "100", "--runs", "5")


def listed(*arguments, **options):
    done = tap.assay("events", "--json", *arguments, **options)
    return done.returncode, json.loads(done.stdout)["results"]


def setUpModule():
    status, events = listed("PAPI_TOT_INS")
    if "papi-low" in (events[0]["reason"] or ""):
        raise unittest.SkipTest(f"no PAPI here: {events[0]['reason']}")


class Listing(unittest.TestCase):
    def test_presets_are_listed_when_asked_for(self):
        self.assertFalse([event for event in listed()[1] if event["kind"] == "papi"])
        _, events = listed("PAPI_*")
        classes = {event["event"]: event["class"] for event in events}
        self.assertTrue(all(event["kind"] == "papi" for event in events))
        self.assertEqual(classes["PAPI_TOT_INS"], "instructions")
        self.assertIsNone(classes["PAPI_RES_STL"])
        for event in events:
            self.assertEqual(event["openable"], event["reason"] is None, event)

    def test_a_preset_that_cannot_be_had_is_explained_in_papi_s_words(self):
        status, events = listed("PAPI_TOT_INS")
        if status == 0:
            self.skipTest("this machine can count PAPI_TOT_INS")
        self.assertEqual(status, 3)
        self.assertRegex(events[0]["reason"], r'^PAPI says "[A-Z]')

    def test_an_unknown_preset_is_answered_with_the_nearest(self):
        status, events = listed("PAPI_TOT_INZ")
        self.assertEqual(status, 3)
        self.assertIn("PAPI_TOT_INS", events[0]["reason"])


class Counting(unittest.TestCase):
    """With presets of our own making."""

    @classmethod
    def setUpClass(cls):
        tables = glob.glob("/usr/share/papi/*/papi_events.csv") + glob.glob("/usr/share/papi/papi_events.csv")
        if not tables:
            raise unittest.SkipTest("PAPI's table of CPUs is not where Debian has it")
        with open(tables[0], encoding="latin-1") as table:
            cpus = sorted({line.strip() for line in table if line.startswith("CPU,")})
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        own = os.path.join(folder.name, "own.csv")
        with open(own, "w", encoding="latin-1") as file:
            for cpu in cpus:
                file.write(f"#\n{cpu}\nPRESET,PAPI_TOT_INS,NOT_DERIVED,PERF_COUNT_SW_PAGE_FAULTS\n"
                           "PRESET,PAPI_LD_INS,DERIVED_ADD,PERF_COUNT_SW_PAGE_FAULTS,PERF_COUNT_SW_PAGE_FAULTS_MIN\n")
        cls.env = {"PAPI_CSV_EVENT_FILE": own}
        status, events = listed("PAPI_TOT_INS", env=cls.env)
        if status != 0:
            raise unittest.SkipTest(f"PAPI takes no preset of ours here: {events[0]['reason']}")

    def measure(self, *arguments):
        done = tap.assay("measure", "--json", *arguments, *PAGES, env=self.env)
        return done, json.loads(done.stdout) if done.stdout else {}

    def test_paths_through_papi_count_it(self):
        for path in ("papi-low", "papi-high"):
            with self.subTest(path):
                done, report = self.measure("-e", "PAPI_TOT_INS", "--path", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                values = report["results"][0]["values"]
                self.assertEqual(sorted(values)[len(values) // 2], 100)

    def test_without_a_path_one_through_papi_is_taken(self):
        done, report = self.measure("-e", "page-faults,PAPI_TOT_INS")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({row["path"] for row in report["results"]}, {"papi-low"})

    def test_presets_and_modes_go_together_and_with_other_events(self):
        for events, counts in (("PAPI_TOT_INS:u,PAPI_LD_INS:u", [100, 200]), ("PAPI_LD_INS,page-faults", [200, 100])):
            with self.subTest(events):
                done, report = self.measure("-e", events, "--path", "papi-low")
                self.assertEqual(done.returncode, 0, done.stderr)
                medians = [sorted(row["values"])[2] for row in report["results"]]
                self.assertEqual(medians, counts)

    def test_other_paths_say_who_can(self):
        done, _ = self.measure("-e", "PAPI_TOT_INS", "--path", "perf-read")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("papi-low", done.stderr)


if __name__ == "__main__":
    tap.main()
