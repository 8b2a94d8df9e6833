# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks the product: what the specimens of a kit claim, which classes a source counts there, and what it counts."""
import collections
import functools
import json
import os
import sys
import tempfile
import unittest

import accounts
import kits
import table
import tap
from truths import Seen, Specimen, Truth

# The N that a source is asked for. Two fix the line of a truth, a third shows that it is one. Valgrind, which takes longest, counts two,
# and one of what it is not needed for: others count the same rows at three. So few that what the harness itself has in the caches
# that it simulates stays there.
SEVERAL = (1, 7, 100)
FEWER = {"step": (1, 7, 20), "trap": (1, 7, 20), "valgrind": (7, 20)}
PATIENCE = 1000  # seconds for one command: the machine that tests may be a busy one
LACKING = 3  # exit status: the machine lacks what was asked
MOST_COUNTERS = 32  # in a cell
# Caches and TLBs of a machine that cachegrind simulates: small ones, because it is slow. A truth holds for every geometry.
SIMULATED = {"l1d": 16384, "l1d_ways": 8, "l1i": 16384, "l1i_ways": 8, "l2": 131072, "l2_ways": 8, "llc": 524288, "llc_ways": 16,
             "dtlb": 64, "itlb": 64}
SEEDS = (2, 3, 4)  # for rings in another order


class Place:
    """Where a kit runs: this machine, an emulator, a machine of the lab."""

    several = None  # those of the source
    runs = accounts.RUNS
    exact_pmu = False  # which counts user code to the instruction

    def __init__(self, isa, via=None, kit=""):
        self.isa, self.via, self.env = isa, via, {"ASSAY_KIT": kit}
        self.catalogues = {}

    def assay(self, *arguments, via=True):
        return tap.assay(*arguments, via=via and self.via, env=self.env, timeout=PATIENCE)

    def json(self, *arguments, allowed=(0,), otherwise=None):
        """What a command answers; `otherwise` where it has nothing to say."""
        done = self.assay(*arguments, "--json")
        if otherwise is not None and not done.stdout:
            return otherwise
        if done.returncode not in allowed:
            raise AssertionError(f"assay {' '.join(arguments)} ends with {done.returncode}: {done.stderr.strip()[-2000:]}")
        return json.loads(done.stdout)

    def specimens(self):
        """name -> Specimen, and name -> reason for those that cannot run there."""
        answer = self.json("events", "--specimens")
        found = {one["specimen"]: Specimen(one["specimen"], int(one["min_n"]), int(one["max_n"]), {}, one["parameters"].split())
                 for one in answer["analysis"]["specimens"]}
        for row in answer["results"]:
            low, high = (int(row["base"]), int(row["each"])), None
            if row["grade"] == "bounded":
                high = int(row["high_base"]), int(row["high_each"])
            found[row["specimen"]].truths[row["class"]] = Truth(low, high, row["grade"], row["why"] or "")
        return found, {one["what"]: one["reason"] for one in answer["skipped"]}

    def catalogue(self, n):
        """The claims, and what every decoder makes of them with that N."""
        if n not in self.catalogues:
            self.catalogues[n] = self.json("events", "--specimens", "--n", str(n))
        return self.catalogues[n]

    def classes(self, source):
        """The classes that a source counts there; skips with the reason where it counts none."""
        listed = self.json("events", source + "/*", allowed=(0, LACKING))["results"]
        openable = [event["class"] for event in listed if event["openable"] and event["class"]]
        if not openable:
            reasons = {event["reason"] for event in listed} or {f"the kit for {self.isa} has no source {source}"}
            raise unittest.SkipTest("; ".join(sorted(reasons)))
        return openable

    def measure(self, events, specimens, several, *options):
        """One command: every specimen with every N. Its results, and what was left out with the reason."""
        with tempfile.TemporaryDirectory(prefix="assay-proof.") as folder:
            answer = self.json("measure", "--event", ",".join(events), "--specimen", ",".join(specimens), "--n",
                               ",".join(map(str, several)), "--store", os.path.join(folder, "store"), "--no-overhead", "--quiet",
                               *options, allowed=(0, LACKING))
        seen = [Seen(result["specimen"].partition("/")[0], result["class"], result["n"], [int(value) for value in result["values"] if value is not None])
                for result in answer["results"]]
        return seen, [f"{one['what']}: {one['reason']}" for one in answer["skipped"]]


class Laboratory(Place):
    """The lab's machine is slow where it traps, and its clock slower than ours: a sign of life may take a while."""
    several = (1, 7, 20)
    runs = 3  # nobody else is there
    exact_pmu = True

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.env["ASSAY_SILENCE_MS"] = "300000"


@functools.cache
def place(word):
    """Where the kit of an ISA runs here; skips with the reason where it does not."""
    own = os.path.basename(tap.KIT)
    if word in ("native", own):
        return Place(own, kit=tap.KIT)
    if word == "lab":
        import laboratory  # which looks for machines, and that takes long
        if laboratory.ABSENCE:
            raise unittest.SkipTest(laboratory.ABSENCE)
        return Laboratory("aarch64", via=laboratory.VIA)
    kit = kits.Kit(word)
    if kit.absence() or kit.emulator_absence():
        raise unittest.SkipTest(kit.absence() or kit.emulator_absence())
    return Place(word, via="qemu:" + word)


def full_name(source, specimen, seed=0):
    """With parameters, where a source simulates what they describe."""
    values = {**SIMULATED, "seed": seed} if seed else SIMULATED
    given = [f"{key}={values[key]}" for key in specimen.parameters if key in values] if source == "valgrind" else []
    return f"{specimen.name}/{','.join(given)}/" if given else specimen.name


def groups(wanted):
    """What one command can measure: specimens of which the same several N and the same classes are wanted."""
    of_them = collections.defaultdict(list)
    for (name, word), several in wanted.items():
        if several:
            of_them[name, several].append(word)
    found = collections.defaultdict(list)
    for (name, several), words in of_them.items():
        for first in range(0, len(words), MOST_COUNTERS):
            found[several, tuple(words[first:first + MOST_COUNTERS])].append(name)
    return [(names, several, words) for (several, words), names in found.items()]


def pieces(classes):
    """Smaller lists of classes, for a source that refuses to count them together: by what they speak of."""
    about = collections.defaultdict(list)
    for name in classes:
        about["fp" if name.startswith("fp-") else "branches" if name.endswith(("branches", "taken", "jumps", "calls", "returns"))
              else "misses" if name.endswith("misses") else "instructions"].append(name)
    return list(about.values()) if len(about) > 1 else []


def ask_for(where, source, specimens, names, several, classes):
    """Counts of a source. Where it refuses a cell because of one class, the others are asked for apart."""
    seen, left_out = where.measure([f"{source}/{name}/" for name in classes],
                                   [full_name(source, specimens[name]) for name in names], several, "--runs", "1")
    counted = {(one.specimen, one.n) for one in seen if one.counts}
    for name in names:
        missing = tuple(n for n in several if (name, n) not in counted)
        if not missing:
            continue
        for piece in pieces(classes):
            more, reasons = ask_for(where, source, specimens, [name], missing, piece)
            seen += more
            left_out += reasons
    return seen, left_out


def other_values(specimen, several):
    """Values of parameters that change no count, only where code lies or in which order it goes on, with the N they fit: every
    truth holds with them too. Offsets end a cache line and a page."""
    found = collections.defaultdict(list)
    for n in several:
        for key, values in (("offset", (60, 4092)), ("period", [value for value in (2, 4, n) if n > 1 and n % value == 0])):
            for value in values if key in specimen.parameters else ():
                found[f"{key}={value}"].append(n)
    return found


def with_other_values(where, source, specimens, seen):
    """Counts of the same, where parameters leave a choice."""
    more, left_out = [], []
    for name, specimen in specimens.items():
        of_it = [one for one in seen if one.specimen == name and one.counts]
        classes = tuple(dict.fromkeys(one.name for one in of_it))[:MOST_COUNTERS]
        others = list(other_values(specimen, sorted({one.n for one in of_it})).items())
        for words, several in others[-1:] if source == "valgrind" else others:  # which takes long
            named = {name: Specimen(f"{name}/{words}/", specimen.least, specimen.most, specimen.truths)}
            counted, reasons = ask_for(where, source, named, [name], tuple(several), classes)
            if {(one.n, one.name) for one in counted if one.counts} < {(n, word) for n in several for word in classes}:
                raise AssertionError(f"{source} counts {name}, but not {name}/{words}/: {reasons}")
            more += counted
            left_out += reasons
    return more, left_out


def executed(where, source, specimens, wanted):
    """What a source counts that executes the code. The least N is asked for first: what it does not count there is not asked
    for again. Valgrind is asked once: each command has to measure its null baseline first."""
    seen, left_out = [], []
    classes = where.classes(source)
    wanted = {(name, word): wanted[name, word] for name in specimens for word in classes if (name, word) in wanted}
    if source == "valgrind":
        turns = [wanted]
    else:
        turns = [{row: several[:1] for row, several in wanted.items()}, {row: several[1:] for row, several in wanted.items()}]
    for turn, asked in enumerate(turns):
        counted = {(one.specimen, one.name) for one in seen}
        for names, several, words in groups({row: of_it for row, of_it in asked.items() if not turn or row in counted}):
            more, reasons = ask_for(where, source, specimens, names, several, words)
            seen += more
            left_out += reasons
    if source == "valgrind":
        in_another_order(where, source, specimens, seen)
    more, reasons = with_other_values(where, source, specimens, seen)
    return seen + more, left_out + reasons


def in_another_order(where, source, specimens, seen):
    """What a specimen displaces of the harness's own lines counts as well, and adds: where they stand depends on the length of
    names and variables. So a count of simulated misses that is not the truth is looked at again with the lines in other
    orders, and the least stands."""
    doubted = collections.defaultdict(list)
    for at, one in enumerate(seen):
        specimen = specimens[one.specimen]
        if ("seed" in specimen.parameters and only_simulated(one.name) and one.counts and
                not specimen.truths[one.name].admits(min(one.counts), one.n)):
            doubted[one.specimen, one.n].append(at)
    for (name, n), places in doubted.items():
        again, _ = where.measure([f"{source}/{seen[at].name}/" for at in places],
                                 [full_name(source, specimens[name], seed) for seed in SEEDS], [n], "--runs", "1")
        for at in places:
            seen[at] = min([seen[at], *(one for one in again if one.name == seen[at].name)],
                           key=lambda counted: counted.counts or [sys.maxsize])


def decoded(where, source, wanted):
    """What follows from the code, by one of the decoders."""
    decoder = source.partition("/")[2]
    seen, left_out = [], set()
    for n in sorted({n for several in wanted.values() for n in several}):
        answer = where.catalogue(n)
        seen += [Seen(row["specimen"], row["class"], n, [int(row["decoded"][decoder])]) for row in answer["results"]
                 if n in wanted.get((row["specimen"], row["class"]), ()) and row["decoded"].get(decoder) is not None]
        left_out |= {f"{one['what']}: {one['reason']}" for one in answer["skipped"] if one["what"].endswith(" " + decoder)}
    if not {one.specimen for one in seen} - {"null"}:  # which has no code to decode
        raise unittest.SkipTest("; ".join(sorted({words.partition(": ")[2] for words in left_out})))
    return seen, sorted(left_out)


def accounted(where, source, specimens, wanted):
    """What the operating system counts; asked once for all of these sources."""
    if not hasattr(where, "accounts"):
        where.accounts = accounts.count(where, specimens, {name: several for (name, _), several in wanted.items()})
    seen, left_out = where.accounts
    if not seen:
        raise unittest.SkipTest("; ".join(left_out))
    return seen[source], left_out


def depends_on_the_machine(source):
    """What may be counted on one machine, by one user and not by another."""
    return source in accounts.SOURCES


def by_reason(left_out):
    """What was left out, together where the reason is the same."""
    found = collections.defaultdict(list)
    for words in left_out:
        what, _, reason = words.partition(": ")
        found[reason].append(what)
    return sorted(found.items())


def only_simulated(word):
    """Misses are Valgrind's alone: no other source counts them."""
    return word.endswith("-misses")


def proven_without(isa, source):
    """Rows that two other sources confirm, by the record; the decoders are one."""
    return {row[1:] for row, sources in table.read().items()
            if row[0] == isa and len({other.partition("/")[0] for other in sources} - {source}) > 1}


def count(where, source, specimens, several=None):
    """A list of Seen, the several N that are wanted of each row, and what was left out."""
    usual = several or where.several or FEWER.get(source, SEVERAL)
    spared = proven_without(where.isa, source) if source == "valgrind" and not several else ()
    wanted = {(name, word): specimen.several(usual)[:1 if (name, word) in spared else None]
              for name, specimen in specimens.items() for word in specimen.truths}
    if depends_on_the_machine(source):
        seen, left_out = accounted(where, source, specimens, wanted)
    elif source.startswith("decode/"):
        seen, left_out = decoded(where, source, wanted)
    else:
        seen, left_out = executed(where, source, specimens, wanted)
    return seen, wanted, left_out
