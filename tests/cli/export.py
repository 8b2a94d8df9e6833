# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay export writes what the store holds: held against the store's own views, read by SQLite.

The stores are those of the fuzz corpus (every count up to 2^64-1 occurs in them) and a real one.
"""
import csv
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import unittest

import promised
import tap


CORPUS = os.path.join(tap.SOURCE, "tests", "fuzz", "corpus", "store")
UNSIGNED = ("n", "value", "enabled", "running", "hz", "resolution_ps", "length", "swept", "count", "repetitions", "asked", "sum")
TABLES = ("samples", "cells", "visits", "machine")
KNOWN = ("events", "truths", "opcodes", "operations", "clocks")  # of a store that can be judged without its machine


def unsigned(number):
    """SQLite keeps a count of 2^63 and more as a negative number."""
    return number + 2**64 if number < 0 else number


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-export-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {"XDG_STATE_HOME": self.folder}

    def path(self, name):
        return os.path.join(self.folder, name)

    def store(self, name):
        return shutil.copy(os.path.join(CORPUS, name), self.path(name))

    def run_export(self, *arguments, status=0):
        done = subprocess.run([tap.ASSAY, "export", *arguments], env={**os.environ, **self.env},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def export_csv(self, *arguments):
        text = self.run_export(*arguments).stdout.decode()
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))

    def export_json(self, *arguments):
        return json.loads(self.run_export("--json", *arguments).stdout)

    def readings(self, path):
        """The view of samples with their factors, as text like a CSV reader gives it."""
        with sqlite3.connect(path) as store:
            store.row_factory = sqlite3.Row
            rows = store.execute("SELECT * FROM reading ORDER BY cell, process, run, counter")
            return [self.as_text(row) for row in rows]

    def as_text(self, row):
        texts = {}
        for name in row.keys():
            value = row[name]
            if name in UNSIGNED:
                value = unsigned(value)
            texts[name] = "" if value is None or (name == "cpu" and value < 0) else str(value)
        return texts


class Tables(Case):
    def test_csv_is_the_view_of_readings(self):
        path = self.store("finished")
        rows = self.export_csv(path)
        self.assertEqual(len(rows), 800)
        self.assertEqual(rows, self.readings(path))
        self.assertEqual(list(rows[0]), list(self.readings(path)[0]))
        self.assertIn("18446744073709551615", {row["value"] for row in rows})

    def test_json_has_the_same_rows_and_exact_counts(self):
        path = self.store("finished")
        envelope = self.export_json(path)
        self.assertEqual(envelope["command"], "export")
        self.assertEqual(envelope["seed"], str(2**64 - 1))
        self.assertEqual(envelope["machine"]["fingerprint"], "0123456789abcdef")
        self.assertEqual(envelope["analysis"]["store"]["argv"], ["assay", "measure"])
        rows = []
        for result in envelope["results"]:
            rows.append({key: "" if value is None else str(int(value) if value in (True, False)
                                                           and key == "separate" else value)
                         for key, value in result.items()})
            for key in ("n", "value", "enabled", "running"):
                large = int(result[key]) > 2**53
                self.assertIsInstance(result[key], str if large else int)
        self.assertEqual(rows, self.readings(path))

    def test_both_formats_tell_the_same_of_every_table(self):
        for table in TABLES + KNOWN:
            path = self.store("unfinished" if table in TABLES else "finished-schema-4")
            with self.subTest(table):
                rows = self.export_csv("--what", table, path)
                results = self.export_json("--what", table, path)["results"]
                self.assertEqual(len(rows), len(results))
                self.assertTrue(rows)
                for row, result in zip(rows, results):
                    self.assertEqual(list(row), list(result))
                    for key, value in result.items():
                        value = int(value) if isinstance(value, bool) else value
                        self.assertEqual(row[key], "" if value is None else str(value))

    def test_what_is_known_besides_samples_is_the_stores_tables(self):
        path = self.store("finished-schema-4")
        with sqlite3.connect(path) as store:
            store.row_factory = sqlite3.Row
            for table in KNOWN:
                wanted = [{key: "" if row[key] is None or (key == "error" and not row[key]) else
                           str(unsigned(row[key]) if key in UNSIGNED else row[key])
                           for key in row.keys() if key != "position"}
                          for row in store.execute(f"SELECT * FROM {table[:-1]} ORDER BY position")]
                self.assertEqual(len(wanted), 3)
                self.assertEqual(self.export_csv("--what", table, path), wanted)

    def test_a_store_of_an_older_schema_knows_nothing_of_it(self):
        for table in KNOWN:
            self.assertEqual(self.export_csv("--what", table, self.store("finished")), [])
        self.assertEqual(self.export_csv("--what", "operations", self.store("finished-schema-2")), [])
        self.assertEqual(self.export_csv("--what", "clocks", self.store("finished-schema-3")), [])
        self.assertNotIn("clock", self.export_csv(self.store("finished-schema-3"))[0])
        self.assertEqual(len(self.export_csv("--what", "events", self.store("finished-schema-2"))), 3)

    def test_samples_of_a_tour_tell_their_calls_as_the_view_does(self):
        path = self.store("finished-schema-3")
        rows = self.export_csv(path)
        with sqlite3.connect(path) as store:
            store.row_factory = sqlite3.Row
            wanted = [self.as_text(row) for row in store.execute(
                "SELECT * FROM timed JOIN counter USING (cell, event) ORDER BY cell, process, run, counter.counter")]
        timed = [row for row in rows if row["operation"]]
        self.assertEqual(len(timed), 200)
        self.assertEqual(len(rows), 1000)
        keys = ("cell", "link", "separate", "counted", "open", "cold", "process", "pass", "run", "operation",
                "predecessor", "event", "value", "minor_faults")
        for row, other in zip(timed, wanted, strict=True):
            self.assertEqual([row[key] for key in keys], [other[key] for key in keys])
        self.assertEqual([row["predecessor"] for row in timed if row["run"] == "0"], [""] * 4)
        self.assertEqual(rows[:800], [{**row, **dict.fromkeys(("counted", "open", "cold", "pass", "operation",
                                                               "predecessor"), "")}
                                      for row in self.readings(path)[:800]])
        call = self.export_json(path)["results"][-1]
        self.assertEqual((call["open"], call["cold"], call["pass"], call["operation"], call["predecessor"]),
                         (8, False, 9, "perf-read.stop", "perf-read.read"))

    def test_cells_of_a_tour_tell_all_calls(self):
        rows = self.export_csv("--what", "cells", self.store("finished-schema-3"))
        self.assertEqual({(row["path"], row["counted"], row["open"], row["cold"], row["calls"]) for row in rows},
                         {("perf-read", "", "", "", ""),
                          ("tour", "task-clock:u", "8", "0", "timer.nothing,perf-read.start,perf-read.read*8,"
                                                             "perf-read.read,perf-read.stop")})

    def test_samples_of_a_watch_tell_their_looks_as_the_view_does(self):
        path = self.store("finished-schema-4")
        rows = [row for row in self.export_csv(path) if row["kind"]]
        with sqlite3.connect(path) as store:
            store.row_factory = sqlite3.Row
            wanted = [self.as_text(row) for row in store.execute("SELECT * FROM look ORDER BY cell, process, run, counter")]
        for other in wanted:
            other["partner"] = ""  # none is -1 in the view
        self.assertEqual(len(rows), 2 * (48 * 2 + 16 * 6 + 30 * 3))
        for row, other in zip(rows, wanted, strict=True):
            self.assertEqual({key: row[key] for key in other}, other)
        self.assertEqual({row["clock"] for row in rows}, {"lying", "monotonic-raw", "outside"})
        self.assertIn(str(2**64 - 1), {row["value"] for row in rows})
        last = self.export_json(path)["results"][-1]
        self.assertEqual((last["kind"], last["workload"], last["handover"], last["partner"], last["round"], last["look"], last["clock"],
                          last["part"], last["operation"]), ("outside", None, False, None, 29, 0, "outside", "answered", None))

    def test_samples_of_a_command_tell_what_was_held_as_the_view_does(self):
        path = self.store("finished-schema-5")
        rows = [row for row in self.export_csv(path) if row["setting"]]
        with sqlite3.connect(path) as store:
            store.row_factory = sqlite3.Row
            wanted = [self.as_text(row) for row in store.execute(
                "SELECT execution.* FROM execution JOIN counter USING (cell, event) ORDER BY cell, process, counter.counter")]
        self.assertEqual(len(rows), 2 * (5 + 5 + 2 + 2))
        for row, other in zip(rows, wanted, strict=True):
            self.assertEqual({key: row[key] for key in other}, other)
        self.assertEqual({(row["event"], row["source"]) for row in rows if row["cell"] in "89"},
                         {("instructions:u", "perf_event"), ("page-faults:u", "perf_event"), ("step/instructions/", "step"),
                          ("step/instructions-raw/", "step"), *((f"run/{name}/", "") for name in (
                              "status", "interrupts", "output-sum", "tasks", "nanoseconds"))})
        self.assertEqual({row["setting"] for row in rows}, {"as-is", "controlled", "without-aslr", "cpu+stack"})
        self.assertNotIn("setting", self.export_csv(self.store("finished-schema-4"))[0])

    def test_cells_of_a_command_tell_what_it_asked_for(self):
        rows = self.export_csv("--what", "cells", self.store("finished-schema-5"))
        keys = ("name", "setting", "sweep", "swept", "detail", "directory", "input", "keep", "timeout")
        self.assertEqual({tuple(row[key] for key in keys) for row in rows if row["path"] == "command"},
                         {("perl", "as-is", "", "0", "", "", "", "", "60000"), ("subject:loop", "controlled", "", "0", "code", "", "", "", "0"),
                          ("perl", "without-aslr", "stack", "64", "", "{brought}", "{brought}/words.txt", "HOME,LANG", "0"),
                          ("perl", "cpu+stack", "", "0", "calls", "", "", "", "0")})
        self.assertEqual({tuple(row[key] for key in keys) for row in rows if row["path"] != "command"}, {("",) * 9})

    def test_tables_of_commands_are_the_stores(self):
        path = self.store("finished-schema-5")
        with sqlite3.connect(path) as store:
            store.row_factory = sqlite3.Row
            for what, query, count in (("subjects", "SELECT * FROM subject ORDER BY position", 3),
                                       ("executed", "SELECT * FROM executed ORDER BY cell, process, position", 8),
                                       ("calls", "SELECT * FROM system_call ORDER BY cell, process, position", 5)):
                wanted = [self.as_text(row) for row in store.execute(query)]
                rows = self.export_csv("--what", what, path)
                self.assertEqual(len(rows), count)
                for row, other in zip(rows, wanted, strict=True):
                    self.assertEqual(row, {key: other[key] for key in row})
                self.assertEqual(len(self.export_json("--what", what, path)["results"]), count)
                self.assertEqual(self.export_csv("--what", what, self.store("finished-schema-4")), [])

    def test_cells_of_a_watch_tell_what_it_asked_for(self):
        rows = self.export_csv("--what", "cells", self.store("finished-schema-4"))
        keys = ("path", "kind", "workload", "length", "threads", "moves", "handover", "awake", "partner")
        self.assertEqual({tuple(row[key] for key in keys) for row in rows},
                         {("perf-read", *[""] * 8), ("tour", *[""] * 8), ("watch", "interval", "sleep", "20000", "2", "3", "1", "1", ""),
                          ("watch", "row", "", "1000", "1", "0", "0", "0", ""), ("watch", "outside", "", "0", "1", "0", "0", "0", "")})

    def test_cells(self):
        rows = self.export_csv("-w", "cells", self.store("finished"))
        self.assertEqual([(row["cell"], row["counter"], row["event"]) for row in rows],
                         [("1", "0", "page-faults:u"), ("1", "1", "task-clock"),
                          ("2", "0", "page-faults:u"), ("3", "0", "page-faults:u")])
        self.assertEqual((rows[0]["truth"], rows[0]["truth_grade"], rows[0]["cpu"]),
                         ("7", "proven", ""))
        self.assertEqual((rows[3]["n"], rows[3]["truth"], rows[3]["cpu"]), (str(2**64 - 1), "", "1"))
        self.assertEqual({(row["processes"], row["done"], row["failed"]) for row in rows},
                         {("4", "4", "0")})

    def test_visits_in_planned_order_with_their_reasons(self):
        rows = self.export_csv("--what", "visits", self.store("unfinished"))
        self.assertEqual([row["place"] for row in rows], [str(i) for i in range(1, 13)])
        self.assertEqual([row["state"] for row in rows],
                         ["done"] * 3 + ["failed"] + ["pending"] * 8)
        self.assertEqual((rows[3]["error"], rows[3]["reason"]), ("2", "no such event"))

    def test_machine_with_commas_quotes_and_line_ends(self):
        path = self.store("finished")
        rows = self.export_csv("--what", "machine", path)
        self.assertEqual(rows, [
            {"key": "cpu.model", "value": 'A CPU, "quoted"\nand broken', "error": ""},
            {"key": "cpu.microcode", "value": "", "error": "13"}])
        text = self.run_export("--what", "machine", path).stdout
        self.assertTrue(text.startswith(b"key,value,error\r\n"))
        self.assertTrue(text.endswith(b"cpu.microcode,,13\r\n"))

    def test_json_is_what_the_schema_promises(self):
        validator = promised.validator()
        for name, tables in (("finished-schema-5", KNOWN + TABLES + ("subjects", "executed", "calls")), ("finished-schema-4", KNOWN + TABLES),
                             ("finished-schema-3", KNOWN + TABLES), ("finished-schema-2", KNOWN), ("finished", KNOWN + TABLES), ("unfinished", TABLES)):
            for table in tables:
                with self.subTest(f"{table} of {name}"):
                    envelope = self.export_json("--what", table, self.store(name))
                    self.assertEqual([e.message for e in validator.iter_errors(envelope)], [])
        del envelope["results"][0]["key"]
        self.assertFalse(validator.is_valid(envelope))


class Places(Case):
    def test_without_a_name_the_latest_of_all_machines_is_taken(self):
        for machine, time in (("aaaa", "20260101T000000.000"), ("bbbb", "20260301T000000.000"),
                              ("cccc", "20260201T000000.000")):
            os.makedirs(self.path(f"assay/{machine}"))
            shutil.copy(os.path.join(CORPUS, "unfinished" if machine == "bbbb" else "finished"),
                        self.path(f"assay/{machine}/{time}-measure.sqlite"))
        done = self.run_export("--what", "visits")
        self.assertIn(b"assay/bbbb/20260301T000000.000-measure.sqlite", done.stderr)
        self.assertIn(b",pending,", done.stdout)

    def test_no_store_at_all_is_said(self):
        done = self.run_export(status=1)
        self.assertIn(b"there is no store in", done.stderr)

    def test_an_unfinished_run_is_exported_and_said_to_be_one(self):
        path = self.store("unfinished")
        done = self.run_export("--json", path)
        self.assertIn(b"not finished: 3 of 12", done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["skipped"]), 1)
        self.assertEqual(self.run_export("--quiet", path).stderr, b"")
        self.assertEqual(self.export_json(self.store("finished"))["skipped"], [])

    def test_the_file_appears_whole_or_not_at_all(self):
        path = self.store("finished")
        done = self.run_export(path, "-o", self.path("out"))
        self.assertEqual(done.stdout, b"")
        with open(self.path("out"), "rb") as file:
            self.assertEqual(file.read(), self.run_export(path).stdout)
        with open(self.path("out"), "w", encoding="ascii") as file:
            file.write("precious")
        for name in ("text-for-count", "flipped", "truncated"):
            done = self.run_export(self.store(name), "-o", self.path("out"), status=1)
            self.assertTrue(done.stderr.strip())
        with open(self.path("out"), encoding="ascii") as file:
            self.assertEqual(file.read(), "precious")
        self.assertEqual([n for n in os.listdir(self.folder) if n.startswith("out.")], [])

    def test_what_is_no_store_is_refused_with_a_reason(self):
        for name, words in (("empty", "empty"), ("not-a-database", "not an SQLite database"),
                            ("other-application", "not a store of assay"),
                            ("newer-schema", "Update assay"), ("endless-view", "sample_packed")):
            with self.subTest(name):
                done = self.run_export(self.store(name), status=1)
                self.assertIn(words, done.stderr.decode())
                self.assertEqual(done.stdout, b"")
        self.assertIn(b"No such file", self.run_export(self.path("none"), status=2).stderr)
        self.assertIn(b"folder", self.run_export(self.folder, status=2).stderr)

    def test_wrong_words_are_usage_errors(self):
        path = self.store("finished")
        for arguments in ((path, path), ("--what", "everything", path),
                          ("--format", "xml", path), ("--via", "exec:true", path)):
            with self.subTest(arguments[0]):
                self.assertTrue(self.run_export(*arguments, status=2).stderr)

    def test_an_option_of_measure_gets_a_hint(self):
        self.assertIn(b"`assay export FILE`", self.run_export("--store", self.store("finished"), status=2).stderr)

    def test_a_terminal_gets_nothing_to_obey(self):
        path = self.store("planned-only")
        with sqlite3.connect(path) as store:
            store.execute("UPDATE counter SET event = 'a' || char(27) || '[2J' || char(155) || 'é'")
        for arguments in (("--what", "cells"), ("--what", "cells", "--json")):
            text = self.run_export(*arguments, path).stdout.decode()
            self.assertNotIn("\x1b", text)
            self.assertIn("é", text)
        self.assertNotIn("\x9b", self.run_export("--what", "cells", path).stdout.decode())


class Large(Case):
    """A store whose export is far larger than a pipe, and than memory may be."""

    def large_store(self):
        path = self.path("large")
        done = subprocess.run([tap.ASSAY, "measure", "-e", "page-faults:u", "-s", "null", "--runs",
                               "200000", "--no-overhead", "--store", path],
                              env={**os.environ, **self.env}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False)
        if done.returncode == 3:
            self.skipTest("page-faults:u cannot be counted here")
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def memory(self, *arguments):
        """Peak memory in KiB, and the rows written."""
        environment = dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=1", **self.env)  # it keeps what was freed
        with open(os.devnull, "w", encoding="ascii") as nowhere:
            process = subprocess.Popen([tap.ASSAY, "export", "-q", *arguments], stdout=nowhere,
                                       env=environment)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        self.assertEqual(status, 0)
        return usage.ru_maxrss

    def test_memory_does_not_grow_with_the_store(self):
        large, small = self.large_store(), self.store("finished")
        for arguments in ((), ("--json",)):
            self.assertLess(self.memory(*arguments, large), self.memory(*arguments, small) + 12000)

    def start(self, path):
        return subprocess.Popen([tap.ASSAY, "export", "-q", path], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**os.environ, **self.env})

    def test_a_reader_that_leaves_is_no_news(self):
        process = self.start(self.large_store())
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(process.wait(timeout=60), 1)
        process.stderr.close()

    def test_sigint_ends_it(self):
        process = self.start(self.large_store())
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (130, b""))


if __name__ == "__main__":
    tap.main()
