# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a recording for the tests of the judge from a store of `assay measure`.

record.py STORE CATALOGUE WORDS > recorded/NAME.txt

CATALOGUE is the JSON of `assay events --specimens` of the same machine, for what the code does besides; WORDS say what the
machine is: "virtualized", "emulated", or both, or "plain"."""
import json
import sqlite3
import sys

CLASSES = ("instructions", "loads", "stores", "branches", "cond-branches", "page-faults", "minor-faults", "syscalls", "context-switches")


def laws(catalogue):
    """specimen -> class -> its row"""
    found = {}
    with open(catalogue, encoding="utf-8") as file:
        for row in json.load(file)["results"]:
            found.setdefault(row["specimen"], {})[row["class"]] = row
    return found


def kind(event):
    if event.startswith(("instructions", "branches")):
        return "hardware"
    if event.startswith(("mem:", "uprobe:")):
        return event.split(":")[0].replace("mem", "breakpoint")
    if event.endswith("/"):
        return "source"
    return "tracepoint" if ":" in event else "software"


def truth(law, n):
    low = law["base"] + law["each"] * n
    high = low if law["high_base"] is None else law["high_base"] + law["high_each"] * n
    return low, high


def show(number):
    return -1 if number is None else number


def point(database, cell, law):
    number, specimen, n, path, pattern, opt, link, faults, switches, event_class = cell
    own = law.get(event_class)
    low, high = truth(own, n) if own else (0, 0)
    print("point", specimen, n, path, pattern, opt, link, own["grade"] if own else "none", low, high, show(faults),
          show(switches))
    for name in CLASSES:
        if name in law and law[name]["high_base"] is None:
            print("class", name, truth(law[name], n)[0], law[name]["grade"])
    for row in database.execute("SELECT process, value, enabled, running, minor_faults, major_faults, voluntary, involuntary"
                                " FROM sample WHERE cell = ? AND counter = 0 ORDER BY process, run", (number,)):
        print("run", *row)


def main():
    store, catalogue, *words = sys.argv[1:]
    known = laws(catalogue)
    database = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    tag = "SPDX-" # apart, or the licence checker takes the line for one of this file
    print(f"# {tag}FileCopyrightText: 2026 the assay authors\n# {tag}License-Identifier: GPL-3.0-or-later")
    print("# Real runs, recorded by tests/judge/record.py.")
    print("machine", *words)
    events = database.execute("SELECT event, class FROM counter WHERE counter = 0 GROUP BY event ORDER BY min(cell)")
    for event, event_class in events.fetchall():
        print("event", event, kind(event), event_class)
        for cell in database.execute(
                "SELECT id, specimen, n, path, pattern, opt, link, faults, switches, class FROM cell"
                " JOIN counter ON cell = id AND counter = 0 WHERE event = ? ORDER BY specimen != 'null', id", (event,)).fetchall():
            point(database, cell, known[cell[1]])


if __name__ == "__main__":
    main()
