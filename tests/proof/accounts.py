# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of the operating system: perf's software events, breakpoints, probes and tracepoints, and the account that
getrusage(2) keeps of every run; in the lab also its PMU, whose counts are exact.

Others run on the same machine, so a run may hold a switch or a fault that is nobody's. Disturbance adds: what is taken as
counted is the least on which a fifth of the runs agree, and where none do the cell is measured again."""
import collections
import json
import os
import subprocess
import tempfile

import kits
from truths import Seen

SOURCES = ("perf", "rusage", "pmu", "procfs", "ptrace")
PROGRAM = "tests/guest/accounts"
RUNS = 25
ENOUGH = 5  # one in so many
ATTEMPTS = 5
LACKING = 3
# Kinds of events that are no accounts of the operating system; and tracepoints, which are asked for by name.
HARDWARE = ("hardware", "cache", "pmu", "raw", "source", "tracepoint")
CALLS = "raw_syscalls:sys_enter"
CALL = "syscalls:sys_enter_"
PMU = "instructions:u"
SCHEDULER = ("context-switches", "cpu-migrations")
RUSAGE = {"page-faults": ("minor_faults", "major_faults"), "minor-faults": ("minor_faults",), "major-faults": ("major_faults",),
          "context-switches": ("voluntary", "involuntary")}


def openable(place, event):
    listed = place.json("events", event, allowed=(0, 1, 2, LACKING), otherwise={"results": []})["results"]
    return any(one["openable"] for one in listed)


def events(place, specimens):
    """Event -> (source, class), of those that can be counted there."""
    stated = {name for specimen in specimens.values() for name in specimen.truths}
    found = {}
    for one in place.json("events")["results"]:
        if one["openable"] and one["class"] in stated and one["kind"] not in HARDWARE:
            found.setdefault(one["class"], one["event"])
        if one["openable"] and place.exact_pmu and one["event"] + ":u" == PMU:
            found["pmu"] = PMU
    found = {event: ("pmu", "instructions") if name == "pmu" else ("perf", name) for name, event in found.items()}
    if place.exact_pmu:  # there every question is a machine that boots
        return found
    tracepoints = {CALLS: "syscalls", **{CALL + name[:-len("-calls")]: name for name in stated if name.endswith("-calls")}}
    return found | {event: ("perf", name) for event, name in sorted(tracepoints.items()) if openable(place, event)}


def groups(counted, specimens, wanted):
    """What one command can measure: events, names, several N. Breakpoints and probes on the target stand apart: where one hits,
    the operating system does things that others count (a probe of returns makes system calls)."""
    found = collections.defaultdict(list)
    for name, several in wanted.items():
        for apart in (False, True):
            of_it = tuple(event for event, (_, word) in counted.items()
                          if word in specimens[name].truths and ("target" in event) == apart)
            if of_it and several:
                found[of_it, several].append(name)
    return [(of_them, names, several) for (of_them, several), names in found.items()]


def measure(place, counted, of_them, names, several):
    """(specimen, N) -> one dictionary (source, class) -> count for each run."""
    with tempfile.TemporaryDirectory(prefix="assay-proof.") as folder:
        store = os.path.join(folder, "store")
        # Cells that could not be measured are missing in the store, and so confirm nothing.
        place.json("measure", "--event", ",".join(of_them), "--specimen", ",".join(dict.fromkeys([*names, "null"])), "--n",
                   ",".join(map(str, several)), "--runs", str(place.runs), "--no-overhead", "--store", store, "--quiet", allowed=(0, LACKING))
        rows = json.loads(place.assay("export", store, "--json", via=False).stdout or '{"results": []}')["results"]
    runs = collections.defaultdict(dict)
    for row in rows:
        run = runs[row["specimen"], row["n"], row["process"], row["run"]]
        run[counted[row["event"]]] = int(row["value"])
        if "target" in row["event"]:  # a hit costs time, in which others may come
            continue
        for name, columns in RUSAGE.items():
            run["rusage", name] = sum(row[column] for column in columns)
    cells = collections.defaultdict(list)
    for key, run in sorted(runs.items()):
        cells[key[:2]].append(run)
    return cells


def agreed(runs):
    """The least on which enough runs of a cell agree to the last count, or None."""
    times = collections.Counter(tuple(sorted(run.items())) for run in runs)
    common = [counts for counts, seen in times.items() if seen * ENOUGH >= len(runs)]
    return dict(min(common, key=lambda counts: sum(one for _, one in counts))) if common else None


def left_alone(runs, specimen, n):
    """The runs in which the scheduler let a specimen be that asks for no switch. Where there is none (it takes long, and the
    machine is busy), all of them, without what the scheduler does."""
    truth = specimen.truths.get("context-switches")
    if not truth or truth.limits(n) != (0, 0) or ("rusage", "context-switches") not in runs[0]:
        return runs
    quiet = [run for run in runs if run["rusage", "context-switches"] == 0]
    return quiet or [{key: one for key, one in run.items() if key[1] not in SCHEDULER} for run in runs]


def counts_of(runs, specimen):
    """Counts of a cell by (source, class): the one that runs agree on, every run's where only limits are claimed. None: the
    runs do not agree."""
    most, found = agreed(runs), {}
    for source, name in runs[0]:
        truth = specimen.truths.get(name)
        if truth and not truth.is_exact():
            found[source, name] = [run[source, name] for run in runs]
        elif truth and not most:
            return None
        elif truth:
            found[source, name] = [most[source, name]]
    return found


def count_group(place, counted, specimens, group, seen):
    """Adds what one group counts to seen; returns the cells whose runs never agreed."""
    of_them, names, several = group
    waiting = {(name, n) for name in names for n in several}
    for _ in range(ATTEMPTS):
        cells = measure(place, counted, of_them, sorted({name for name, _ in waiting}), sorted({n for _, n in waiting}))
        null = {n: agreed(left_alone(runs, specimens["null"], n)) for (name, n), runs in cells.items() if name == "null"}
        for cell in sorted(waiting):
            runs, empty = cells.get(cell), null.get(cell[1])
            found = runs and empty and counts_of(left_alone(runs, specimens[cell[0]], cell[1]), specimens[cell[0]])
            if runs is None or found:
                waiting.discard(cell)
            for (source, name), counts in (found or {}).items():
                own = empty[source, name]  # of reading: what null shows
                if cell[0] != "null" or not own:
                    seen[source].append(Seen(cell[0], name, cell[1], [one - own for one in counts]))
        if not waiting:
            break
    return waiting


def ask_program(wanted, seen):
    """What a program of our own learns from /proc and by ptrace."""
    several = sorted({n for of_it in wanted.values() for n in of_it})
    done = subprocess.run([os.path.join(kits.BUILD, PROGRAM), *map(str, several)], capture_output=True, text=True, timeout=600,
                          check=False)
    runs = collections.defaultdict(list)
    for specimen, n, source, name, one in map(str.split, done.stdout.splitlines()):
        if int(n) in wanted.get(specimen, ()):
            runs[source, specimen, name, int(n)].append(int(one))
    for (source, *cell), counts in runs.items():
        most = agreed([{cell[1]: one} for one in counts])
        if most:
            seen[source].append(Seen(*cell, list(most.values())))


def count(place, specimens, wanted):
    """source -> list of Seen; and what was left out."""
    counted = events(place, specimens)
    if not counted:
        return {}, ["the operating system: none of its events can be opened here"]
    seen = {source: [] for source in SOURCES}
    undecided = set()
    if not place.via:
        ask_program(wanted, seen)
    for group in groups(counted, specimens, wanted):
        undecided |= count_group(place, counted, specimens, group, seen)
    return seen, [f"{name} with N = {n}: runs differ on a busy machine" for name, n in sorted(undecided)]
