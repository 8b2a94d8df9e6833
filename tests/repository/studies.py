# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A study is a folder and a word in a list: no command knows one by name, neither in a string nor by what its folder declares."""
import os
import re
import tempfile
import unittest

import tap

# Strings and comments, so that what stands in one is not taken for the other.
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/|//[^\n]*', re.DOTALL)
# Words that are names of studies and something else: tables of what the store has, and their columns.
ELSEWHERE = {"src/commands/export.c": {"clocks"}, "src/commands/export-tables.c": {"error", "truth"}}
# What help tells a person: examples of what to type, and these words of descriptions, of which the last are what verdicts are about.
EXAMPLES = re.compile(r"\.examples\s*=\s*((?:\s|" + TOKEN.pattern + r")*)", re.DOTALL)
SENTENCES = {"src/commands/events.c": {"assay validate"}, "src/commands/compare/compare.c": {"assay clocks", "clocks, caches"}}


def study_names(source):
    with open(os.path.join(source, "src", "studies", "meson.build"), encoding="utf-8") as text:
        return re.findall(r"'([\w-]+)'", re.search(r"^study_names = \[([^]]*)\]", text.read(), re.MULTILINE).group(1))


def mentions(source):
    """What of src/commands is about one study."""
    names = study_names(source)
    one = "(?:" + "|".join(map(re.escape, names)) + ")"
    typed, listed = re.compile(rf"\bassay {one}\b"), re.compile(rf"\b{one}, {one}\b")
    declared = re.compile(rf"\b(?:command_{one}|{one}_told|(?:struct|enum) {one}_\w+)\b|^\s*#\s*include\s+\"studies/[^\"]*\"", re.MULTILINE)
    for folder, _, files in sorted(os.walk(os.path.join(source, "src", "commands"))):
        for file in sorted(files):
            path = os.path.join(folder, file)
            name = os.path.relpath(path, source)
            if not file.endswith((".c", ".h")):
                continue
            with open(path, encoding="utf-8") as text:
                code = EXAMPLES.sub("", text.read())
            bare = re.sub(r"/\*.*?\*/|//[^\n]*", "", code, flags=re.DOTALL)
            yield from (f"{name}: {found.group().strip()}" for found in declared.finditer(bare))
            strings = [token[1:-1] for token in TOKEN.findall(code) if token.startswith('"')]
            yield from (f'{name}: "{string}"' for string in strings if string in names and string not in ELSEWHERE.get(name, ()))
            # Literals side by side are one; so is a sentence that was wrapped.
            joined = re.sub(r'"\s*"', "", "".join(token if token[0] == '"' else " " for token in TOKEN.findall(bare)))
            yield from (f"{name}: {found}" for found in typed.findall(joined) + listed.findall(joined) if found not in SENTENCES.get(name, ()))


class Studies(unittest.TestCase):
    def test_no_command_names_a_study(self):
        self.assertGreater(len(study_names(tap.SOURCE)), 8)
        self.assertEqual(list(mentions(tap.SOURCE)), [])

    def test_every_exception_is_still_one(self):
        for exceptions in (ELSEWHERE, SENTENCES):
            for name, words in exceptions.items():
                with open(os.path.join(tap.SOURCE, name), encoding="utf-8") as text:
                    code = text.read()
                for word in words:
                    self.assertIn(word, code, name)

    def test_each_way_of_naming_one_is_seen(self):
        with tempfile.TemporaryDirectory() as source:
            for path, text in (("studies/meson.build", "study_names = ['error', 'toy']\n"), ("commands/export-tables.c", '"error"; "toy";\n'),
                               ("commands/help.c", '/* "toy" */ .examples = "assay toy\\n"\n "# assay error\\n", .summary = "a toy error";\n'),
                               ("commands/report.c", '#include "studies/toy/study.h"\nstruct toy_case a; x = &command_toy; y = &toy_told; toy_part();\n'),
                               ("commands/compare/load.c", 'if (strcmp(info.command, "error") == 0)\n'),
                               ("commands/run.c", '"in this order: error, "\n    "toy; see `assay "\n    "error`"\n')):
                path = os.path.join(source, "src", path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as out:
                    out.write(text)
            self.assertEqual(list(mentions(source)), [
                'src/commands/export-tables.c: "toy"', 'src/commands/report.c: #include "studies/toy/study.h"', "src/commands/report.c: struct toy_case",
                "src/commands/report.c: command_toy", "src/commands/report.c: toy_told", "src/commands/run.c: assay error",
                "src/commands/run.c: error, toy", 'src/commands/compare/load.c: "error"'])


if __name__ == "__main__":
    tap.main()
