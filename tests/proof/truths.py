# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the specimens of a kit claim, and whether counts bear it out. Pure: claims and counts in, an outcome out."""
import collections

# Where a source counts none of the wider class, there is none of the narrower one.
WIDER = {
    "branches": ("cond-branches", "cond-branches-taken", "cond-branches-not-taken", "jumps", "calls", "returns",
                 "indirect-branches", "branch-misses"),
    "cond-branches": ("cond-branches-taken", "cond-branches-not-taken"),
    "fp-instructions": ("fp-operations", "fp-adds", "fp-muls", "fp-divs", "fp-sqrts", "fp-fmas", "fp-scalar-single",
                        "fp-scalar-double", "fp-packed-single", "fp-packed-double"),
    "page-faults": ("minor-faults", "major-faults"),
}
FEWEST = 3  # different N, where the specimen has as many


class Truth:
    """count(N) lies between low and high, which are the same unless it is bounded."""

    def __init__(self, low, high=None, grade="proven", why=""):
        """Base and each, of the limits."""
        self.low, self.high, self.grade, self.why = low, high or low, grade, why

    def limits(self, n):
        return tuple(base + each * n for base, each in (self.low, self.high))

    def is_exact(self):
        return self.low == self.high

    def admits(self, count, n):
        low, high = self.limits(n)
        return low <= count <= high

    def words(self, n):
        low, high = self.limits(n)
        return str(low) if low == high else f"{low} to {high}"


class Specimen:
    def __init__(self, name, least, most, truths, parameters=()):
        """truths: class -> Truth; parameters: keys that can follow its name."""
        self.name, self.least, self.most, self.truths, self.parameters = name, least, most, truths, parameters

    def several(self, usual):
        """The usual N that it can do, and others where these are fewer than they should be."""
        fitting = [n for n in usual if self.least <= n <= self.most]
        others = (n for n in (self.least, self.least + 1, 3 * self.least, 7 * self.least + 3) if n <= self.most and n not in fitting)
        while len(fitting) < min(FEWEST, len(usual)):
            n = next(others, None)
            if n is None:
                break
            fitting.append(n)
        return tuple(sorted(fitting))


# One count of a source: what every run gave, or why there is nothing.
Seen = collections.namedtuple("Seen", "specimen name n counts")


class Mismatch(collections.namedtuple("Mismatch", "isa specimen name n truth source counts")):
    def __str__(self):
        return f"{self.isa} {self.specimen} {self.name} N={self.n}: truth {self.truth}, {self.source} {self.counts}"


class Outcome:
    """What one source makes of the claims of one ISA."""

    def __init__(self):
        self.confirmed = set()  # (specimen, class)
        self.mismatches = []
        self.counted = set()  # (specimen, class) with a count for any N
        self.complete = set()  # with counts for every N that was wanted


def narrower_zeros(seen):
    """What follows from counts of zero."""
    for one in seen:
        if one.counts and set(one.counts) == {0}:
            for name in WIDER.get(one.name, ()):
                yield Seen(one.specimen, name, one.n, one.counts)
            if one.name == "syscalls":
                yield Seen(one.specimen, "*-calls", one.n, one.counts)


def classes_of(one, truths):
    """The classes of a specimen that a count speaks of."""
    if one.name == "*-calls":
        return [name for name in truths if name.endswith("-calls")]
    return [one.name] if one.name in truths else []


def judge(isa, source, specimens, seen, wanted):
    """Compares counts with claims. specimens: name -> Specimen; wanted: (specimen, class) -> the N for which counts are needed to
    confirm."""
    outcome = Outcome()
    agreed, found = collections.defaultdict(set), collections.defaultdict(set)
    wrong = set()
    for one in [*seen, *narrower_zeros(seen)]:
        truths = specimens[one.specimen].truths
        for name in classes_of(one, truths):
            if not one.counts:
                continue
            row, truth = (one.specimen, name), truths[name]
            outcome.counted.add(row)
            found[row].add(one.n)
            if all(truth.admits(count, one.n) for count in one.counts):
                agreed[row].add(one.n)
            else:
                wrong.add(row)
                outcome.mismatches.append(Mismatch(isa, *row, one.n, truth.words(one.n), source, sorted(set(one.counts))))
    outcome.complete = {row for row, at in found.items() if at >= set(wanted[row])}
    outcome.confirmed = {row for row, at in agreed.items() if row not in wrong and at >= set(wanted[row])}
    return outcome
