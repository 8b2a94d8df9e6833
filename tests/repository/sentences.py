# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences are for people: no code of the controller searches, compares or cuts them. What is to be known is a code with its arguments
(src/base/reason.h), an enum, a flag."""
import os
import re
import unittest

import tap

FOLDERS = ("studies", "engine", "commands", "output")
CALL = re.compile(r"\b(strstr|strcasestr|strchr|strrchr|strpbrk|strspn|strcspn|strncmp|strcmp|strsep|sscanf)\(")
NAMES = re.compile(r"\b(why|reason|reasons_text|note|sentence|sentences|advice(?!\.fix)|caption|remark)\b")
WORDS = re.compile(r'"[A-Za-z,;:.]* ?[A-Za-z]+ [A-Za-z]+[^"]*"|"[.;:] "')
TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[()]")
# file: what is searched there, which no judge of ours wrote.
ALLOWED = {
    "engine/skips.c": "reasons that a probe or a store gave: what follows the first full stop is advice",
    "engine/via/ssh.c": "what ssh and the relay on the other side said",
}


def arguments(text, start):
    """The words between the parenthesis at `start` and the one that closes it."""
    depth = 0
    for word in TOKEN.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(word[0], 0)
        if depth == 0:
            return text[start + 1:word.start()]
    return text[start + 1:]


def found_in(text):
    """Lines that look into a sentence."""
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    for call in CALL.finditer(text):
        given = arguments(text, call.end() - 1)
        equal = call[1] == "strcmp" and '"' not in given  # two reasons that were given from outside may be the same
        if WORDS.search(given) or (NAMES.search(given) and not equal):
            yield text[:call.start()].count("\n") + 1, " ".join(given.split())


class Sentences(unittest.TestCase):
    def test_no_code_reads_a_sentence(self):
        wrong, used = [], set()
        for folder in FOLDERS:
            for place, _, files in os.walk(os.path.join(tap.SOURCE, "src", folder)):
                for name in sorted(files):
                    path = os.path.join(place, name)
                    short = os.path.relpath(path, os.path.join(tap.SOURCE, "src"))
                    if not name.endswith((".c", ".h")):
                        continue
                    with open(path, encoding="utf-8") as file:
                        hits = list(found_in(file.read()))
                    if short in ALLOWED:
                        used.update([short] if hits else [])
                    else:
                        wrong += [f"src/{short}:{line}: {words[:100]}" for line, words in hits]
        self.assertEqual(wrong, [])
        self.assertEqual(sorted(set(ALLOWED) - used), [], "these look into no sentence any more: take them out of ALLOWED")

    def test_it_sees_one(self):
        for line in ('if (strstr(finding->reason, "not tested"))', 'strchr(why, \';\')', 'end = strstr(text, ". ");', 'strcmp(word, "cannot be opened")'):
            self.assertTrue(list(found_in(line)), line)
        for line in ('strcmp(clock->name, "tsc")', 'strchr(path, \'/\')', '/* strstr(reason, x) */'):
            self.assertFalse(list(found_in(line)), line)


if __name__ == "__main__":
    tap.main()
