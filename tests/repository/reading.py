# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON is what assay writes: what one process knows reaches all of it as structs, and only what another one wrote is read."""
import os
import re
import tempfile
import unittest

import tap

# What looks into a value; making one, appending to it and asking for its size do not.
READS = re.compile(r"\b(?:json_(?:object_get|object_foreach|object_iter\w*|array_get|array_foreach|unpack\w*|equal|is_\w+|\w+_value|string_length|load\w*)"
                   r"|json_word)\b")
# Who does, and what it is that they read.
READERS = {
    "src/output/schema.c": "whether a table is defined already in the schema that is being made",
    "src/output/json.c": "writes a value, whatever it is of",
    "src/output/schema.c": "the schema that it makes: which tables are in it",
    "src/output/figure.c": "a figure is data for the page's script: it is thinned, and its axes are fitted to what is in it",
    "src/commands/page.c": "figures, written out for the page's script and as a table",
    "src/studies/error/figures.c": "the figure that was added last, for a note",
    "src/engine/gather.c": "the command line in a store",
    "src/engine/run-store.c": "the command line in a store",
    "src/commands/report.c": "the command line in a store",
    "src/commands/export.c": "the command line in a store",
    "src/commands/run-parts.c": "the record of a run that is gone on with",
    "src/studies/validate/passport.c": "passports of earlier runs",
}


def readers(source):
    """The files of src/ that read JSON, with the first place where they do."""
    below = os.path.join(source, "src")
    for folder, _, files in sorted(os.walk(below)):
        for file in sorted(files):
            path = os.path.join(folder, file)
            if not file.endswith(".c"):
                continue
            with open(path, encoding="utf-8") as text:
                code = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), text.read(), flags=re.DOTALL)
            found = READS.search(code)
            if found:
                yield os.path.relpath(path, source), f"line {code.count(chr(10), 0, found.start()) + 1}: {found.group()}"


class Reading(unittest.TestCase):
    def test_only_what_others_wrote_is_read(self):
        self.assertEqual({name: where for name, where in readers(tap.SOURCE) if name not in READERS}, {})

    def test_every_exception_is_still_one(self):
        self.assertEqual(sorted(READERS), sorted(name for name, _ in readers(tap.SOURCE)))

    def test_looking_into_a_value_is_seen(self):
        cases = {'x = json_object_get(row, "event");': True, "json_array_foreach(rows, i, row)": True, "json_string_value(value)": True,
                 'json_word(row, "event")': True, "json_is_null(value)": True, "json_loads(text, 0, NULL)": True,
                 'JSON_PUT(object, {"event", json_text(name)});': False, "json_array_append_new(list, row);": False, "json_array_size(rows)": False,
                 "/* json_object_get */": False}
        for code, reads in cases.items():
            with self.subTest(code), tempfile.TemporaryDirectory() as source:
                os.makedirs(os.path.join(source, "src"))
                with open(os.path.join(source, "src", "some.c"), "w", encoding="utf-8") as out:
                    out.write(code + "\n")
                self.assertEqual(bool(list(readers(source))), reads)


if __name__ == "__main__":
    tap.main()
