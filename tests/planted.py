# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command says in JSON of planted reports, which a program of the tests prints by name: all of it as the schema promises, and
no number missing without a reason. A test derives from Reports and says what is planted."""
import json
import subprocess
import unittest
import warnings

import promised




def unexplained(value, words, where=""):
    """Every null without a reason beside it, but for words that may be null: there is nothing to explain."""
    found = []
    if isinstance(value, list):
        for index, member in enumerate(value):
            found += unexplained(member, words, f"{where}[{index}]")
    elif isinstance(value, dict):
        for key, member in value.items():
            if member is None and key not in words and not value.get(key + "_reason"):
                found.append(f"{where}.{key}")
            found += unexplained(member, words, f"{where}.{key}")
    return found


class Reports(unittest.TestCase):
    program = ""  # prints a report by its name
    names = ()  # of its reports; "rich" has everything
    words = frozenset()  # keys that may be null

    def setUp(self):
        warnings.simplefilter("ignore")

    def sample(self, name):
        def refuse(constant):
            raise ValueError(f"{constant} is no JSON")
        done = subprocess.run([self.program, name], text=True, capture_output=True, check=True, timeout=60)
        return json.loads(done.stdout, parse_constant=refuse)

    def spoil(self, changes, *place):
        """The rich report with one value wrong, for each of the changes, in the first row at that place."""
        for key, value in changes:
            broken = self.sample("rich")
            row = broken
            for word in place:
                row = row[word]
            row[0][key] = value
            yield "/".join((*place, key)), broken

    def spoiled(self):
        """Pairs of a name and a report that the schema must refuse."""
        raise NotImplementedError

    def test_all_of_it_is_as_the_schema_promises(self):
        validator = promised.validator()
        for name in self.names:
            with self.subTest(name):
                problems = promised.problems(validator, self.sample(name))
                self.assertEqual(problems, [])
        for name, broken in self.spoiled():
            with self.subTest(name):
                self.assertFalse(validator.is_valid(broken))

    def test_nothing_is_missing_without_a_reason(self):
        for name in self.names:
            envelope = self.sample(name)
            with self.subTest(name):
                self.assertEqual(unexplained(envelope["results"], self.words) + unexplained(envelope["analysis"], self.words), [])
