# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of proofs, src/specimens/proof.table: which sources confirmed which row of which ISA."""
import fcntl
import os

import tap

PLACE = os.path.join(tap.SOURCE, "src/specimens/proof.table")
# The order in which they are written.
SOURCES = ("step", "trap", "valgrind", "qemu", "pmu", "decode/capstone", "decode/objdump", "rusage", "procfs", "ptrace", "pagemap",
           "getcpu", "handler", "perf")


def parse(text):
    """(ISA, specimen, class) -> set of sources."""
    rows = {}
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if words:
            rows[tuple(words[:3])] = set(words[3].split(","))
    return rows


def read(place=PLACE):
    with open(place, encoding="utf-8") as file:
        return parse(file.read())


def confirmed_by(rows, isa, source):
    """(specimen, class) that a source confirmed."""
    return {row[1:] for row, sources in rows.items() if row[0] == isa and source in sources}


def put(rows, isa, source, confirmed, specimens):
    """What a source confirmed now takes the place of what it confirmed before, for specimens that it was asked about."""
    for row, sources in rows.items():
        if row[0] == isa and row[1] in specimens:
            sources.discard(source)
    for row in confirmed:
        rows.setdefault((isa, *row), set()).add(source)


def compose(text, rows):
    """The table with the remarks at the beginning of text, and rows."""
    remarks = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        remarks.append(line)
    rows = {row: sources for row, sources in rows.items() if sources}
    wide = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    lines = [" ".join(word.ljust(width) for word, width in zip(row, wide)) + " " + ",".join(sorted(sources, key=SOURCES.index))
             for row, sources in sorted(rows.items())]
    return "\n".join([*remarks, *lines]) + "\n"


def update(isa, source, confirmed, specimens, known, place=PLACE):
    """Writes what a source confirmed of specimens; what is not even known any more goes. Several tests may do so at once."""
    with open(place, "r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = file.read()
        rows = {row: sources for row, sources in parse(text).items() if row[0] != isa or row[1] in known}
        put(rows, isa, source, confirmed, specimens)
        file.seek(0)
        file.write(compose(text, rows))
        file.truncate()
