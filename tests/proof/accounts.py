# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of the operating system: perf's software events and tracepoints, and the account that getrusage(2) keeps of every
run. Others run on the same machine, so a run may hold a switch or a fault that is nobody's: what is taken as counted is what
most runs agree on, and where no majority does the cells are measured again."""
import collections
import json
import os
import tempfile

from truths import Seen

SOURCES = ("perf", "rusage")
RUNS = 25
ATTEMPTS = 5
LACKING = 3
# What the operating system counts itself; `*` stands for the name of a system call. What mistakes a counter of hardware
# would make is not asked here.
EVENTS = ("page-faults", "minor-faults", "major-faults", "context-switches", "cpu-migrations", "alignment-faults")
CALLS = "raw_syscalls:sys_enter"
CALL = "syscalls:sys_enter_"
RUSAGE = {"page-faults": ("minor_faults", "major_faults"), "minor-faults": ("minor_faults",), "major-faults": ("major_faults",),
          "context-switches": ("voluntary", "involuntary")}


def openable(place, event):
    listed = place.json("events", event, allowed=(0, 1, 2, LACKING), otherwise={"results": []})["results"]
    return any(one["openable"] for one in listed)


def events(place, specimens):
    """Event -> class."""
    found = {event: event for event in EVENTS if openable(place, event)}
    if openable(place, CALLS):
        found[CALLS] = "syscalls"
    classes = {name for specimen in specimens.values() for name in specimen.truths if name.endswith("-calls")}
    for name in sorted(classes):
        event = CALL + name[:-len("-calls")]
        if openable(place, event):
            found[event] = name
    return found


class Samples:
    """Runs of cells: (specimen, N) -> one dictionary per run, with values per class and the account."""

    def __init__(self, place, counted, wanted):
        self.cells = {}
        groups = collections.defaultdict(list)
        for name, several in wanted.items():
            groups[several].append(name)
        for several, names in groups.items():
            self.take(place, counted, names, several)

    def take(self, place, counted, names, several):
        with tempfile.TemporaryDirectory(prefix="assay-proof.") as folder:
            store = os.path.join(folder, "store")
            # What was refused is said by who measured; what remains is judged.
            place.assay("measure", "--event", ",".join(counted), "--specimen", ",".join(names), "--n", ",".join(map(str, several)),
                        "--runs", str(RUNS), "--store", store, "--quiet")
            done = place.assay("export", store, "--json", via=False)
            rows = json.loads(done.stdout)["results"] if done.returncode == 0 else []
        runs = collections.defaultdict(dict)
        for row in rows:
            run = runs[row["specimen"], row["n"], row["process"], row["run"]]
            run["perf", counted[row["event"]]] = int(row["value"])
            for name, columns in RUSAGE.items():
                run["rusage", name] = sum(row[column] for column in columns)
        for key, run in sorted(runs.items()):
            self.cells.setdefault(key[:2], []).append(run)

    def majority(self, cell):
        """What most runs of a cell agree on, or None."""
        runs = self.cells[cell]
        most, times = collections.Counter(tuple(sorted(run.items())) for run in runs).most_common(1)[0]
        return dict(most) if 2 * times > len(runs) else None


def agree(samples, cell, specimen):
    """Counts of a cell by (source, class): one that most runs gave; every run's where only limits are claimed."""
    most = samples.majority(cell)
    for key in samples.cells[cell][0]:
        truth = specimen.truths.get(key[1])
        if truth and truth.low != truth.high:
            yield key, [run[key] for run in samples.cells[cell]]
        elif most:
            yield key, [most[key]]


def count(place, specimens, wanted):
    """source -> list of Seen, for perf and rusage; the overhead of reading, which null shows, is taken off."""
    counted = events(place, specimens)
    if not counted:
        return {}, ["none of the operating system's events can be opened here"]
    seen = {"perf": [], "rusage": []}
    waiting, left_out = {**wanted, "null": (1,)}, []
    overhead = {}
    for _ in range(ATTEMPTS):
        samples = Samples(place, counted, waiting)
        if "null" in waiting:
            overhead = samples.majority(("null", 1)) if ("null", 1) in samples.cells else None
            if not overhead:
                continue
        undecided = collections.defaultdict(list)
        for cell in samples.cells:
            found = dict(agree(samples, cell, specimens[cell[0]]))
            if not samples.majority(cell) and len(found) < len(samples.cells[cell][0]):
                undecided[cell[0]].append(cell[1])
                continue
            for (source, name), counts in found.items():
                seen[source].append(Seen(*cell[:1], name, cell[1], [one - overhead[source, name] for one in counts]))
        waiting = {name: tuple(several) for name, several in undecided.items()}
        if not waiting:
            break
    left_out += [f"{name} with N = {n}: runs differ on a busy machine" for name, several in waiting.items() for n in several]
    return seen, left_out
