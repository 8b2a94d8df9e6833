# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rooms (folders of src/) include only what the table in ARCHITECTURE.md allows them, the table has no cycle, and judges are pure."""
import os
import re
import tempfile
import unittest

import tap

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ROW = re.compile(r"^\| ([a-z]+) \| ([a-z ]*)\|", re.MULTILINE)


def allowed_uses(source):
    """The table as room -> set of rooms."""
    with open(os.path.join(source, "ARCHITECTURE.md"), encoding="utf-8") as document:
        text = document.read()
    section = text.split("\n## The folders\n", 1)[1].split("\n## ", 1)[0]
    return {room: set(uses.split()) for room, uses in ROW.findall(section) if room != "folder"}


def room_of(source, including, name):
    """The room an included file belongs to; None for a file outside src/ (generated or public)."""
    below = os.path.join(source, "src")
    for folder in (os.path.dirname(including), below):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.exists(path) and path.startswith(below + os.sep):
            return os.path.relpath(path, below).split(os.sep)[0]
    for isa in os.listdir(os.path.join(below, "arch")):  # on the include path, whatever the ISA
        if os.path.exists(os.path.join(below, "arch", isa, name)):
            return "arch"
    return None


def violations(source, allowed):
    below = os.path.join(source, "src")
    for folder, _, names in os.walk(below):
        for name in sorted(names):
            if not name.endswith((".c", ".h", ".S", ".in")):
                continue
            path = os.path.join(folder, name)
            room = os.path.relpath(path, below).split(os.sep)[0]
            if room not in allowed:
                yield f"{room} is not in the table of ARCHITECTURE.md"
                continue
            with open(path, encoding="utf-8") as text:
                included = INCLUDE.findall(text.read())
            for header in included:
                used = room_of(source, path, header)
                if used and used != room and used not in allowed[room]:
                    yield f"{os.path.relpath(path, source)} includes {header}: {room} may not use {used}"


# What a judge may see, directly or through what it includes: words, numbers, what samples are, and its own study.
PURE = re.compile(r"(base|stats|wire)/|engine/(compared|findings)\.h$")
JUDGE = re.compile(r"^(studies/\w+|commands/compare)/(judge|findings)[\w-]*\.c$")


def impurities(source):
    """Headers that a judge includes, by whatever way, and may not."""
    below = os.path.join(source, "src")
    judges = [os.path.relpath(os.path.join(folder, name), below) for folder, _, names in os.walk(below) for name in names]
    for judge in sorted(filter(JUDGE.match, judges)):
        seen, waiting = set(), [judge]
        while waiting:
            file = waiting.pop()
            with open(os.path.join(below, file), encoding="utf-8") as text:
                included = [header for header in INCLUDE.findall(text.read()) if os.path.exists(os.path.join(below, header))]
            for header in included:
                if not PURE.match(header) and os.path.dirname(header) != os.path.dirname(judge):
                    yield f"{judge} sees {header} through {file}"
                elif header not in seen:
                    seen.add(header)
                    waiting.append(header)


# Who tells its caller that memory ran out, and never ends the process.
HANDLES_NO_MEMORY = ("arch", "events", "lib", "machine", "probe", "specimens", "store", "wire")


def endings(source):
    """Files of those rooms that include what ends the process."""
    below = os.path.join(source, "src")
    for room in HANDLES_NO_MEMORY:
        for folder, _, names in os.walk(os.path.join(below, room)):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as text:
                    if "base/memory.h" in INCLUDE.findall(text.read()):
                        yield os.path.relpath(os.path.join(folder, name), source)


def cycle(allowed):
    """A room that reaches itself, or None."""
    def reaches(start):
        seen, waiting = set(), list(allowed[start])
        while waiting:
            room = waiting.pop()
            if room not in seen:
                seen.add(room)
                waiting += allowed.get(room, ())
        return seen
    return next((room for room in allowed if room in reaches(room)), None)


class Layers(unittest.TestCase):
    def test_no_room_includes_what_it_may_not(self):
        self.assertEqual(list(violations(tap.SOURCE, allowed_uses(tap.SOURCE))), [])

    def test_every_row_is_about_rooms(self):
        allowed = allowed_uses(tap.SOURCE)
        self.assertGreater(len(allowed), 10)
        for room, uses in allowed.items():
            self.assertLessEqual(uses, set(allowed), room)

    def test_nothing_points_back(self):
        self.assertIsNone(cycle(allowed_uses(tap.SOURCE)))

    def test_the_library_uses_only_what_shares_its_licence(self):
        allowed = allowed_uses(tap.SOURCE)
        for room in ("base", "arch", "events", "lib"):
            self.assertLessEqual(allowed[room], {"base", "arch", "events"}, room)

    def test_only_the_controller_ends_where_memory_does(self):
        self.assertEqual(list(endings(tap.SOURCE)), [])

    def test_judges_are_pure(self):
        self.assertEqual(list(impurities(tap.SOURCE)), [])

    def test_an_impure_judge_is_seen(self):
        with tempfile.TemporaryDirectory() as source:
            for path, text in (("store/store.h", ""), ("wire/cell.h", ""), ("engine/findings.h", ""), ("studies/any/parts.h", '#include "store/store.h"\n'),
                               ("studies/any/judge-rows.c", '#include "wire/cell.h"\n#include "studies/any/parts.h"\n'),
                               ("studies/any/findings.c", '#include "engine/findings.h"\n'), ("studies/any/load.c", '#include "store/store.h"\n')):
                path = os.path.join(source, "src", path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as out:
                    out.write(text)
            self.assertEqual(list(impurities(source)), ["studies/any/judge-rows.c sees store/store.h through studies/any/parts.h"])

    def test_a_wrong_include_and_a_cycle_are_seen(self):
        with tempfile.TemporaryDirectory() as source:
            for path, text in (("arch/any/syscall.h", ""), ("wire/frame.h", ""), ("new/new.c", ""),
                               ("base/text.c", '#include "wire/frame.h"\n# include "syscall.h"\n')):
                path = os.path.join(source, "src", path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as out:
                    out.write(text)
            found = sorted(violations(source, {"base": set(), "wire": {"base"}, "arch": set()}))
        self.assertEqual(found, ["new is not in the table of ARCHITECTURE.md",
                                 "src/base/text.c includes syscall.h: base may not use arch",
                                 "src/base/text.c includes wire/frame.h: base may not use wire"])
        self.assertEqual(cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}), "b")


if __name__ == "__main__":
    tap.main()
