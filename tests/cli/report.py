# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay report: stored runs as one page and one object, from stores that are made here and from the fuzz corpus."""
import json
import os
import shutil
import tempfile
import unittest

import tap
from unfinished import changed

CORPUS = os.path.join(tap.SOURCE, "tests", "fuzz", "corpus", "store")
MARK = "<!DOCTYPE html>\n<html lang=\"en\">"


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="assay-report-")
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)
        cls.store = os.path.join(cls.made, "clocks.sqlite")
        cls.ran = tap.assay("clocks", "--quick", "--budget", "2s", "--seed", "17", "--quiet", "--store", cls.store,
                            "-o", os.path.join(cls.made, "ignored"), env={"XDG_STATE_HOME": cls.made})

    def setUp(self):
        if self.ran.returncode:
            self.skipTest(f"clocks cannot be watched here: {self.ran.stderr}")
        self.folder = tempfile.mkdtemp(prefix="assay report ")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.copy = self.path("run.sqlite")
        shutil.copy(self.store, self.copy)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def report(self, *arguments, status=0):
        done = tap.assay("report", *arguments, env={"XDG_STATE_HOME": self.path("state")})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def object(self, *arguments, status=0):
        return json.loads(self.report("--json", *arguments, status=status).stdout)["analysis"]

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def altered(self, name, key, value):
        """A store whose run says otherwise, and is not finished: a finished one would notice."""
        return changed(self.store, self.path(name), ("UPDATE meta SET value = ? WHERE key = ?", (value, key)))

    def test_the_page_lies_beside_the_store(self):
        done = self.report(self.copy)
        self.assertTrue(self.read(self.path("run.html")).startswith(MARK))
        self.assertRegex(done.stdout, r"run\.html: 1 run, \d+ figures?, [\d,]+ KiB\n$")

    def test_it_goes_where_it_is_told(self):
        self.report(self.copy, "-o", self.path("page"))
        self.assertTrue(self.read(self.path("page")).startswith(MARK))
        self.assertFalse(os.path.exists(self.path("run.html")))
        self.assertTrue(self.report(self.copy, "-o", "-").stdout.startswith(MARK))

    def test_what_is_no_page_is_left_alone_unless_named(self):
        with open(self.path("run.html"), "w", encoding="utf-8") as file:
            file.write("<!DOCTYPE html>\n<html lang=\"en\"> my own")
        done = self.report(self.copy, status=2)
        self.assertIn("-o FILE", done.stderr)
        self.assertIn("my own", self.read(self.path("run.html")))
        self.report(self.copy, "-o", self.path("run.html"))
        self.assertIn("assay-figures", self.read(self.path("run.html")))
        self.report(self.copy)

    def test_a_link_to_a_file_of_another_kind_is_left_alone_too(self):
        os.symlink("run.sqlite", self.path("run.html"))
        self.report(self.copy, status=2)
        self.assertEqual(self.object(self.copy)["sections"][0]["command"], "clocks")

    def test_the_object_tells_what_the_command_tells(self):
        own = json.loads(tap.assay("clocks", "--from", self.copy, "--json").stdout)
        section, = self.object(self.copy)["sections"]
        for key in ("results", "findings", "skipped", "seed"):
            self.assertEqual(section[key], own[key], key)
        self.assertEqual(section["id"], "clocks-1")
        self.assertEqual(section["store"], self.copy)
        self.assertEqual(section["reproduce"], "assay clocks --quick --budget 2s --seed 17")
        self.assertEqual(section["lead"], [advice["text"] for advice in own["analysis"]["advice"]][:4])
        self.assertIsNone(section["reason"])

    def test_the_machine_is_judged_by_its_stored_facts(self):
        machine, = self.object(self.copy)["machines"]
        self.assertEqual(machine["label"], "A")
        facts = self.path("facts")
        with open(facts, "w", encoding="utf-8") as file:
            for key, value in machine["facts"].items():
                told = value.replace("\\", "\\\\").replace("\n", "\\n") if value is not None else None
                file.write(f"{key} = {told}\n" if value is not None else f"{key} ! {machine['absent'][key]}\n")
        own = json.loads(tap.assay("doctor", "--facts", facts, "--json").stdout)
        self.assertEqual(machine["doctor"], own["results"])

    def test_machines_get_letters_by_fingerprint(self):
        there = self.altered("there.sqlite", "fingerprint", "0123456789abcdef")
        made = self.object(self.copy, there, self.altered("later.sqlite", "started", "2031-01-01T00:00:00Z"))
        self.assertEqual([machine["label"] for machine in made["machines"]], ["A", "B"])
        self.assertEqual(made["machines"][1]["fingerprint"], "0123456789abcdef")
        self.assertEqual([(section["id"], section["machine"]) for section in made["sections"]],
                         [("clocks-1", "A"), ("clocks-2", "B"), ("clocks-3", "A")])
        self.assertEqual(made["title"], "2 machines, assayed")
        self.assertIn("there.sqlite is not finished", " ".join(made["notes"]))

    def test_a_run_is_a_section_once_however_often_it_is_named(self):
        copy, both = self.path("copy.sqlite"), self.path("both.sqlite")
        shutil.copy(self.copy, copy)
        merged = tap.assay("merge", self.altered("there.sqlite", "fingerprint", "0123456789abcdef"), self.copy, "-o", both)
        self.assertEqual(merged.returncode, 0, merged.stderr)
        for files, stores, said in (((self.copy, self.copy), (self.copy,), f"{self.copy} is named twice and counts once"),
                                    ((copy, self.copy), (copy,), f"{self.copy} is the same run as {copy} and counts once"),
                                    ((copy, both), (copy, f"{both}#1"), f"{both}#2 is the same run as {copy} and counts once")):
            with self.subTest(files=files):
                done = self.report("--json", *files)
                self.assertEqual([line for line in done.stderr.splitlines() if "once" in line], [f"assay report: {said}"])
                sections = json.loads(done.stdout)["analysis"]["sections"]
                self.assertEqual(tuple(section["store"] for section in sections), stores)

    def test_runs_of_a_collection_are_sections(self):
        """And one of them, named by its number, is one."""
        both = self.path("both.sqlite")
        merged = tap.assay("merge", self.copy, self.altered("there.sqlite", "fingerprint", "0123456789abcdef"), "-o", both)
        if merged.returncode:
            self.skipTest(f"no collection: {merged.stderr}")
        made = self.object(both)
        self.assertEqual([section["store"] for section in made["sections"]], [f"{both}#1", f"{both}#2"])
        self.assertEqual([machine["label"] for machine in made["machines"]], ["A", "B"])
        self.assertEqual(len(self.object(f"{both}#2")["sections"]), 1)
        self.report(f"{both}#2")
        self.assertTrue(self.read(self.path("both-2.html")).startswith(MARK))

    def test_without_a_name_it_is_the_newest_finished_store(self):
        place = self.path("state", "assay", "0123456789abcdef")
        os.makedirs(place)
        shutil.copy(self.store, os.path.join(place, "20260301T120000.000-clocks.sqlite"))
        shutil.copy(os.path.join(CORPUS, "unfinished"), os.path.join(place, "20260302T120000.000-measure.sqlite"))
        with open(os.path.join(place, "20260303T120000.000-error.sqlite"), "w", encoding="utf-8") as file:
            file.write("no store")
        self.report()
        self.assertTrue(os.path.exists(os.path.join(place, "20260301T120000.000-clocks.html")))

    def test_where_nothing_was_measured_it_says_what_to_do(self):
        self.assertIn("assay run", self.report(status=1).stderr)

    def test_a_store_that_cannot_be_read_is_a_failure(self):
        for name, status in (("no-such-file", 2), ("truncated", 1), ("not-a-database", 1), ("newer-schema", 1)):
            with self.subTest(name):
                done = self.report(self.copy, os.path.join(CORPUS, name), "-o", self.path("page"), status=status)
                self.assertIn(name, done.stderr)
                self.assertFalse(os.path.exists(self.path("page")))

    def test_a_run_that_cannot_be_judged_is_a_section_with_the_reason(self):
        self.copy = self.altered("run.sqlite", "command", "unheard-of<b>")
        made = self.object(self.copy, status=1)
        section, = made["sections"]
        self.assertIn("cannot judge", section["reason"])
        self.assertEqual(section["figures"], [])
        self.assertIn("left out", made["notes"][0])
        self.assertIn("cannot judge", self.report(self.copy, status=1).stderr)
        self.assertIn("unheard-of&lt;b&gt;", self.read(self.path("run.html")))

    def test_an_own_title_is_the_pages(self):
        self.report("--title", "Mine & <yours>", self.copy)
        self.assertIn("<title>Mine &amp; &lt;yours&gt;</title>", self.read(self.path("run.html")))


if __name__ == "__main__":
    tap.main()
