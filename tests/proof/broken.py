# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Broken copies of specimens, through the same comparison: broken.py ISA SOURCE…

The kit of tests/broken holds every specimen in assembly with a known defect, and copies with defects of their own. Every one must
be noticed. The known defect is one more of everything: every source must count exactly that, or refuse. Of the others a source
must notice what another notices of the same class."""
import collections
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import ask
import kits
import tap
from truths import judge

WORDS = sys.argv[1:]
OWN_DEFECT = "broken-"  # names of copies with one
SEVERAL = (7,)
SLOW = ("qemu", "valgrind")


def built(where):
    """What the build of a kit left in tests/broken."""
    return os.path.join(kits.Kit(where.isa).build if where.via else kits.BUILD, "tests/broken")


def broken_kit(where, folder):
    """A copy of the kit, beside this machine's own, where QEMU's plugin is."""
    kit = os.path.join(built(where), "kit", where.isa)
    if not os.path.exists(os.path.join(kit, "manifest")):
        raise unittest.SkipTest(f"{kit} was not built")
    shutil.copytree(tap.KIT, os.path.join(folder, os.path.basename(tap.KIT)))
    shutil.copytree(kit, os.path.join(folder, where.isa), dirs_exist_ok=True)
    return os.path.join(folder, where.isa)


def described(where):
    """What the known defect adds, by class; and the names of those that have it."""
    emulator = kits.Kit(where.isa).emulator()[:1] if where.via else []
    added, names = {}, set()
    lines = subprocess.run([*emulator, os.path.join(built(where), "describe")], capture_output=True, text=True, check=True).stdout
    for word, value in map(str.split, lines.splitlines()):
        if word == "specimen":
            names.add(value)
        else:
            added[word] = int(value)
    return added, names


def shown_to(source, specimens, added):
    """Where another source notices every copy, those that take long are shown one for each set of classes that the known defect
    changes, and those with defects of their own."""
    if source not in SLOW or source == WORDS[1]:
        return specimens
    changed = {name: frozenset(added.keys() & specimen.truths.keys()) for name, specimen in specimens.items()}
    one_of_each = {classes: name for name, classes in reversed(changed.items())}
    return {name: specimen for name, specimen in specimens.items()
            if name.startswith(OWN_DEFECT) or name == one_of_each[changed[name]]}


class BrokenCopies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = ask.place(WORDS[0])
        folder = tempfile.TemporaryDirectory(prefix="assay-proof.")
        cls.addClassCleanup(folder.cleanup)
        cls.place = ask.Place(place.isa, place.via, broken_kit(place, folder.name))
        cls.added, names = described(place)
        everything, _ = cls.place.specimens()
        cls.specimens = {name: one for name, one in everything.items() if name in names or name.startswith(OWN_DEFECT)}
        cls.seen, cls.outcomes, reasons = {}, {}, []
        for source in WORDS[1:]:
            try:
                cls.seen[source], wanted, left_out = ask.count(cls.place, source, shown_to(source, cls.specimens, cls.added),
                                                                    SEVERAL)
            except unittest.SkipTest as skipped:
                reasons.append(f"{source}: {skipped}")
                continue
            cls.outcomes[source] = judge(place.isa, source, cls.specimens, cls.seen[source], wanted)
            print(f"# {source}: {len({one.specimen for one in cls.seen[source]})} counted, {len(left_out)} refusals")
        if not cls.outcomes:
            raise unittest.SkipTest("; ".join(reasons))
        for words in reasons:
            print(f"# without {words}")

    def noticed(self):
        """(specimen, class) -> the sources that notice something there."""
        found = collections.defaultdict(set)
        for source, outcome in self.outcomes.items():
            for mismatch in outcome.mismatches:
                found[mismatch.specimen, mismatch.name].add(source)
        return found

    def test_every_broken_copy_is_noticed(self):
        self.assertTrue(self.specimens)
        noticed = self.noticed()
        self.assertEqual(sorted(set(self.specimens) - {row[0] for row in noticed}), [])
        for name in sorted(name for name in self.specimens if name.startswith(OWN_DEFECT)):
            sources = {source: [row[1] for row in noticed if row[0] == name and source in noticed[row]] for source in self.outcomes}
            print(f"# {name}: " + "; ".join(f"{source} {', '.join(classes)}" for source, classes in sources.items() if classes))

    def test_every_source_counts_the_known_defect(self):
        wrong = []
        for source, seen in self.seen.items():
            for one in seen:
                truth = self.specimens[one.specimen].truths.get(one.name)
                if one.specimen.startswith(OWN_DEFECT) or one.name not in self.added or not truth or not truth.is_exact():
                    continue
                expected = truth.limits(one.n)[0] + self.added[one.name]
                if set(one.counts) != {expected}:
                    wrong.append(f"{one.specimen} {one.name} N={one.n}: {expected} with the defect, {source} {one.counts}")
        if wrong:
            self.fail("\n".join([f"{len(wrong)} counts are not the truth and the defect:", *wrong]))

    def test_no_source_confirms_what_the_known_defect_changes(self):
        """A decoder refuses, because the code has branches of which nobody says how often they are taken."""
        for source, outcome in self.outcomes.items():
            wrong = [row for row in outcome.confirmed if not row[0].startswith(OWN_DEFECT) and row[1] in self.added and
                     self.specimens[row[0]].truths[row[1]].is_exact()]
            self.assertEqual(wrong, [], source)

    def test_who_counts_a_class_notices_what_another_notices_there(self):
        for (specimen, name), sources in self.noticed().items():
            able = {source for source, outcome in self.outcomes.items() if (specimen, name) in outcome.counted}
            with self.subTest(specimen=specimen, name=name):
                self.assertEqual(able, sources)


if __name__ == "__main__":
    tap.main()
