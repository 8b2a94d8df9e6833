# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of specimens: their truths against what two decoders make of their code, on every ISA; broken copies of that
code, which must be noticed; and how `assay events --specimens` says it."""
import json
import os
import subprocess
import sys
import unittest

import frames
import kits
import tap

COMPARE = os.environ.get("DECODE_COMPARE", "")
SEEN = 23  # classes that decoding can see


class Code:
    """A specimen's code as the probe of a kit sent it."""

    def __init__(self, probe, isa, name):
        probe.send("code", specimen=name)
        head = probe.receive()
        self.refused = head["reason"] if head.type == "refused" else ""
        self.isa, self.head, self.bytes, self.opcodes = isa, head, b"", {}
        while not self.refused and len(self.bytes) < int(head["length"]):
            self.bytes += bytes.fromhex(probe.receive()["code"])

    def count(self, code=None):
        """{decoder: {class: (base, each)} or the reason}, and the instructions on which they differ."""
        head = self.head
        done = subprocess.run([COMPARE, self.isa, head["address"], head["min_n"], head["trips"], head["call_address"], head["call"]],
                              input=self.bytes if code is None else code, capture_output=True, check=True, timeout=60)
        counts, differences = {}, []
        opcodes = {}
        for line in done.stdout.decode().splitlines():
            who, what, rest = line.split(" ", 2)
            if who == "differ":
                differences.append(line)
            elif who == "opcode":
                base, each, name = rest.split(" ", 2)
                opcodes.setdefault(what, {})[name] = (int(base), int(each))
            elif what == "refused":
                counts[who] = rest
            else:
                counts.setdefault(who, {})[what] = tuple(int(word) for word in rest.split())
        if code is None:
            self.opcodes = opcodes
        return counts, differences


class Kit:
    """All specimens of one kit, decoded once."""

    @classmethod
    def setUpClass(cls):
        absence = cls.kit.emulator_absence()
        if absence:
            raise unittest.SkipTest(absence)
        cls.truths, cls.codes, cls.counts = {}, {}, {}
        with frames.Probe(cls.kit.folder, prefix=cls.kit.emulator()) as probe:
            catalogue = probe.hello()
            for frame in catalogue:
                if frame.type == "truth":
                    cls.truths.setdefault(frame["specimen"], []).append(frame)
            for name in cls.truths:
                cls.codes[name] = Code(probe, cls.kit.isa, name)
        for name, code in cls.codes.items():
            cls.counts[name] = ({}, []) if code.refused else code.count()

    def told(self, decoder):
        return [name for name, (counts, _) in self.counts.items() if isinstance(counts.get(decoder), dict)]

    def test_what_both_decoders_make_of_an_instruction_is_the_same(self):
        self.assertEqual([line for _, differences in self.counts.values() for line in differences], [])

    def test_truths_are_what_the_code_adds_up_to(self):
        compared = 0
        for name, (counts, _) in self.counts.items():
            for decoder, sums in counts.items():
                if not isinstance(sums, dict):
                    continue
                for truth in self.truths[name]:
                    if truth["class"] not in sums or truth["grade"] == "bounded":
                        continue
                    with self.subTest(f"{name} {truth['class']} {decoder}"):
                        self.assertEqual(sums[truth["class"]], (int(truth["base"]), int(truth["each"])))
                    compared += 1
        if not compared:
            self.skipTest(f"nothing here decodes {self.kit.isa}: {self.counts['loop'][0]}")
        self.assertGreater(compared, 100)

    def test_opcodes_add_up_to_the_instructions(self):
        compared = 0
        for name, code in self.codes.items():
            truth = [(int(truth["base"]), int(truth["each"])) for truth in self.truths[name]
                     if truth["class"] == "instructions" and truth["grade"] == "proven"]
            for decoder, opcodes in code.opcodes.items():
                if not truth:
                    continue
                with self.subTest(f"{name} {decoder}"):
                    self.assertEqual((sum(base for base, _ in opcodes.values()), sum(each for _, each in opcodes.values())), truth[0])
                    self.assertNotIn("", opcodes)
                compared += 1
        if not compared:
            self.skipTest(f"nothing here decodes {self.kit.isa}")
        self.assertGreater(compared, 40)

    def test_both_decoders_name_opcodes_alike(self):
        """Of x86-64; on AArch64 objdump is asked for names without aliases, and for RISC-V it stands alone."""
        if self.kit.isa != "x86_64":
            self.skipTest("names are made alike for x86-64 only")
        compared = 0
        for name, code in self.codes.items():
            if len(code.opcodes) < 2:
                continue
            with self.subTest(name):
                self.assertEqual(code.opcodes["capstone"], code.opcodes["objdump"])
            compared += 1
        if not compared:
            self.skipTest("only one decoder is here")
        self.assertEqual(self.codes["locked"].opcodes["objdump"]["lock add"][0], 0)
        self.assertIn("rep movsb", self.codes["rep-movsb"].opcodes["objdump"])

    def test_every_specimen_with_code_is_decoded_by_one_at_least(self):
        if not self.told("objdump"):
            self.skipTest(f"no objdump here decodes {self.kit.isa}")
        for name, code in self.codes.items():
            with self.subTest(name):
                if code.refused:
                    self.assertIn("not there to be read", code.refused)
                else:
                    self.assertIsInstance(self.counts[name][0]["objdump"], dict, self.counts[name][0])

    def test_broken_copies_are_noticed(self):
        """An instruction more, another one, one fewer: each in the place of others, so that branches still lead where they led."""
        broken = {"x86_64": [("4883c001", "66906690"), ("4883c001", "488b4708"), ("4883c0014883c001", "0f1f840000000000")],
                  "aarch64": [("63040091", "000040f9"), ("63040091", "02000014"), ("63040091", "2028621e")],
                  "riscv64": [("8502", "0c61"), ("85028502", "13000000"), ("9382120093821200", "0100010093821200")]}
        if not self.told("objdump"):
            self.skipTest(f"no objdump here decodes {self.kit.isa}")
        adds, right = self.codes["adds"], self.counts["adds"][0]["objdump"]
        tried = 0
        for good, bad in broken.get(self.kit.isa, []):
            if bytes.fromhex(good) not in adds.bytes:
                continue
            counts, _ = adds.count(adds.bytes.replace(bytes.fromhex(good), bytes.fromhex(bad), 1))
            for decoder, sums in counts.items():
                if isinstance(self.counts["adds"][0].get(decoder), dict):
                    self.assertNotEqual(sums, right, f"{decoder} did not notice {bad}")
            tried += 1
        self.assertGreater(tried, 0)

    def test_trips_that_do_not_fit_are_refused(self):
        if not self.told("objdump"):
            self.skipTest(f"no objdump here decodes {self.kit.isa}")
        adds = self.codes["adds"]
        for trips in ("", "-1:1,0:0"):
            head = dict(adds.head.fields, trips=trips)
            changed = Code.__new__(Code)
            changed.isa, changed.head, changed.bytes, changed.refused = adds.isa, head, adds.bytes, ""
            self.assertIn("branch", changed.count()[0]["objdump"], trips)


@kits.each([kits.Kit(None), *kits.foreign()])
class Decoded(Kit):
    pass


def listed(*arguments, via=None, env=None):
    done = tap.assay("events", "--specimens", *arguments, "--json", via=via, env=env)
    return done.returncode, json.loads(done.stdout)


class Listed(unittest.TestCase):
    def test_every_truth_is_a_result(self):
        status, envelope = listed()
        self.assertEqual(status, 0)
        rows = {(row["specimen"], row["class"]): row for row in envelope["results"]}
        self.assertEqual(len(rows), len(envelope["results"]))
        loop = rows["loop", "instructions"]
        self.assertEqual((loop["base"], loop["grade"], loop["why"], loop["high_base"]), (1, "proven", None, None))
        self.assertGreaterEqual(len(loop["sources"]), 2)
        self.assertEqual((loop["n"], loop["predicted"], loop["decoded"]), (None, None, None))
        self.assertEqual(envelope["analysis"]["isa"], os.uname().machine)
        self.assertEqual({row["specimen"] for row in envelope["analysis"]["specimens"]}, {name for name, _ in rows})

    def test_numbers_come_with_n(self):
        row = next(row for row in listed("adds", "--n", "1e3")[1]["results"] if row["class"] == "instructions")
        self.assertEqual((row["n"], row["predicted"]), (1000, 18004))
        self.assertEqual(set(row["decoded"]), {"capstone", "objdump"})
        self.assertLessEqual(set(row["decoded"].values()), {18004, None})

    def test_an_n_the_specimen_does_not_do_has_no_numbers(self):
        row = next(row for row in listed("adds", "--n", "1e18")[1]["results"] if row["class"] == "instructions")
        self.assertEqual((row["predicted"], set(row["decoded"].values())), (None, {None}))
        self.assertIn("does not do this N", row["predicted_reason"])

    def test_what_cannot_be_decoded_says_why(self):
        _, envelope = listed("--n", "10")
        told = {skip["what"]: skip["reason"] for skip in envelope["skipped"]}
        for row in envelope["results"]:
            if row["class"] == "instructions" and row["predicted"] is not None:
                for decoder, count in row["decoded"].items():
                    self.assertEqual(count is None, bool(told.get(f"{row['specimen']} decoded by {decoder}")), row)

    def test_globs_choose(self):
        names = {row["specimen"] for row in listed("l*")[1]["results"]}
        self.assertIn("loop", names)
        self.assertTrue(all(name.startswith("l") for name in names))

    def test_what_matches_nothing_is_lacking(self):
        self.assertEqual(listed("zzz*")[0], 3)
        done = tap.assay("events", "--specimens", "zzz*")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("zzz*", done.stderr)

    def test_a_mistyped_name_is_answered_with_the_nearest(self):
        done = tap.assay("events", "--specimens", "lop")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("did you mean 'loop'?", done.stderr)

    def test_n_of_zero_is_a_number_like_others(self):
        rows = {row["class"]: row for row in listed("adds", "--n", "0")[1]["results"]}
        specimen, = listed("adds")[1]["analysis"]["specimens"]
        self.assertEqual(rows["instructions"]["n"], 0)
        if specimen["min_n"]:
            self.assertIn("does not do this N", rows["instructions"]["predicted_reason"])
        else:
            self.assertEqual(rows["instructions"]["predicted"], rows["instructions"]["base"])
        self.assertEqual(tap.assay("events", "--n", "0").returncode, 2)

    def test_n_without_specimens_is_a_usage_error(self):
        done = tap.assay("events", "--n", "5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--specimens", done.stderr)


class Shown(unittest.TestCase):
    def test_every_specimen_has_its_block(self):
        text = tap.assay("events", "--specimens").stdout
        for row in listed()[1]["analysis"]["specimens"]:
            self.assertIn(f"\n{row['specimen']}\n", text)
            self.assertIn(" ".join(row["summary"].split()[:3]), text)
        self.assertIn(os.uname().machine, text.splitlines()[0])

    def test_an_n_out_of_range_is_told(self):
        first = next(row for row in listed()[1]["analysis"]["specimens"] if row["min_n"])
        text = " ".join(tap.assay("events", "--specimens", first["specimen"], "--n", "0").stdout.split())
        self.assertIn(f"no counts at N = 0: the specimen begins at N = {first['min_n']:,}", text)
        self.assertIn("1 specimen on", text)
        self.assertIn("and what it executes between", text)

    def test_a_formula_reads_like_one(self):
        text = tap.assay("events", "--specimens", "adds", "--n", "1000").stdout
        self.assertRegex(text, r"instructions +4 \+ 18·N +18,004")
        self.assertRegex(text, r"cond-branches-taken +N - 1 +999")
        self.assertRegex(text, r"cond-branches-not-taken +1 +1")

    def test_zeros_and_reasons_stand_once(self):
        text = " ".join(tap.assay("events", "--specimens", "null").stdout.split())
        self.assertEqual(text.count("instructions,") + text.count("instructions "), 1 + text.count("fp-instructions"), text)
        for row in listed("null")[1]["results"]:
            if row["why"]:
                self.assertEqual(text.count(row["why"]), 1)

    def test_absent_specimens_are_told_with_their_reason(self):
        _, envelope = listed()
        text = " ".join(tap.assay("events", "--specimens").stdout.split())
        for skip in envelope["skipped"]:
            self.assertIn(f"{skip['what']}: {' '.join(skip['reason'].split())}", text)

    def test_lines_fit_the_page(self):
        for line in tap.assay("events", "--specimens").stdout.splitlines():
            if "·N …" not in line:  # a row of limits is as long as they are
                self.assertLessEqual(len(line), 80, line)


class Documented(unittest.TestCase):
    def test_the_table_in_the_documents_is_what_the_kits_say(self):
        done = subprocess.run([sys.executable, os.path.join(tap.SOURCE, "scripts", "specimens"), "--check", kits.BUILD],
                              capture_output=True, text=True, check=False, timeout=120)
        if done.returncode == 77:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    tap.main()
