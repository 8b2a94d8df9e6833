# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion by shells: the scripts parse, and offer what help lists."""
import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

import tap

SHELLS = ("bash", "zsh", "fish")


def script(shell):
    """The script for a shell."""
    done = tap.assay("--completion", shell)
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands():
    """The commands that `assay --help` lists."""
    listed = tap.assay("--help").stdout.split("\nOptions:\n")[0]
    return sorted(re.findall(r"^  (\S+)", listed, re.MULTILINE))


def options(command):
    """The options that the help of a command lists, as pairs of the forms and the argument's name."""
    text = tap.assay(command, "--help").stdout.split("\nOptions:\n")[1].split("\n\n")[0]
    found = []
    for letter, name, argument in re.findall(r"^  (?:(-\w), |    )(--[\w-]+)(?: (\S+))?", text, re.MULTILINE):
        found.append(([name] + ([letter] if letter else []), argument))
    return found


class Scripts(unittest.TestCase):
    def test_they_parse(self):
        for shell in SHELLS:
            with self.subTest(shell), tempfile.NamedTemporaryFile("w") as file:
                if not shutil.which(shell):
                    self.skipTest(f"{shell} is not installed")
                file.write(script(shell))
                file.flush()
                done = subprocess.run([shell, "-n", file.name], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_they_name_every_command_and_option(self):
        for shell in SHELLS:
            text = script(shell)
            for command in commands():
                self.assertRegex(text, rf"\b{command}\b")
                for forms, _ in options(command):
                    name = forms[0][2:] if shell == "fish" else forms[0]
                    with self.subTest(f"{shell} {command} {name}"):
                        self.assertRegex(text, rf"{name}\b")

    def test_another_shell_is_refused(self):
        for words in (["csh"], []):
            done = tap.assay("--completion", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("bash, zsh or fish", done.stderr)


@unittest.skipUnless(shutil.which("bash"), "bash is not installed")
class Bash(unittest.TestCase):
    """The function is called as bash calls it, in a folder with two files and a folder in it."""

    def setUp(self):
        # pylint: disable-next=consider-using-with
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(self.folder.name, "script"), "w", encoding="utf-8") as file:
            file.write(script("bash"))
        self.place = os.path.join(self.folder.name, "place")
        os.mkdir(self.place)
        os.mkdir(os.path.join(self.place, "folder"))
        for name in ("run one.sqlite", "run.sqlite"):
            open(os.path.join(self.place, name), "w", encoding="utf-8").close()

    def complete(self, *words):
        """What is offered for the last word."""
        code = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "--norc", "-c", code, "bash", os.path.join(self.folder.name, "script"), "assay", *words],
                              cwd=self.place, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line for line in done.stdout.split("\n") if line]

    def test_every_command_is_offered(self):
        self.assertEqual(sorted(commands()), sorted(set(self.complete("")) - {"help", "-h"} - set(self.complete("--"))))
        self.assertEqual(self.complete("meas"), ["measure"])
        self.assertEqual(sorted(self.complete("--")), ["--completion", "--help", "--man", "--version"])
        self.assertEqual(self.complete("--completion", ""), list(SHELLS))
        for word in ("help", "--man", "--help"):
            self.assertEqual(self.complete(word, ""), commands())

    def test_every_option_of_every_command_is_offered(self):
        for command in commands():
            with self.subTest(command):
                listed = [form for forms, _ in options(command) for form in forms]
                self.assertGreater(len(listed), 5)
                self.assertEqual(sorted(self.complete(command, "-")), sorted(listed))

    def test_files_follow_options_that_take_one(self):
        both = ["run one.sqlite", "run.sqlite"]
        for command in commands():
            for forms, argument in options(command):
                for form in forms:
                    offered = self.complete(command, form, "run")
                    with self.subTest(f"{command} {form}"):
                        if argument == "FILE":
                            self.assertEqual(sorted(offered), both)
                        elif argument:
                            self.assertFalse(set(both) & set(offered))
        self.assertEqual(self.complete("error", "--from", "=", "run."), ["run.sqlite"])
        self.assertEqual(sorted(self.complete("error", "--from", "=")), ["folder", *both])
        self.assertEqual(self.complete("stat", "--directory", ""), ["folder"])

    def test_stores_are_offered_where_one_is_an_argument(self):
        self.assertEqual(sorted(self.complete("export", "run")), ["run one.sqlite", "run.sqlite"])
        self.assertEqual(self.complete("clocks", "run"), [])

    def test_known_words_are_offered(self):
        self.assertEqual(self.complete("export", "--format", ""), ["csv", "json"])
        self.assertEqual(self.complete("measure", "--pattern", "a"), ["ar", "ao"])
        self.assertEqual(self.complete("lab", ""), ["install", "list", "run"])
        self.assertEqual(self.complete("lab", "run", ""), [])
        self.assertEqual(self.complete("lab", "run", "--user", ""), ["root", "nobody"])
        self.assertEqual(self.complete("truth", "--control", "c"), ["controlled"])
        self.assertIn("hash-seeds", self.complete("repeat", "--control", ""))

    def test_lists_go_on_behind_a_comma(self):
        self.assertEqual(self.complete("measure", "--pattern", "ar,r"), ["ar,rr", "ar,ro"])
        self.assertEqual(self.complete("truth", "--control", "as-is,c"), [])

    def test_words_are_those_that_help_explains(self):
        for command in commands():
            text = tap.assay(command, "--help").stdout
            for forms, argument in options(command):
                if not argument or argument in ("FILE", "DIR"):
                    continue
                about = re.split(r"\n +(?:-\w, )?--", text.split(f"{forms[0]} {argument}", 1)[1])[0]
                if forms[0] == "--no-control":
                    continue
                about += argument
                for word in self.complete(command, forms[0], ""):
                    with self.subTest(f"{command} {forms[0]} {word}"):
                        self.assertIn(word.rstrip(":") if word != "O1" and word != "O2" else "O0", re.sub(r"\s+", " ", about))

    def test_every_transport_is_offered(self):
        schemes = re.findall(r"^  (\w+) ", tap.assay("doctor", via="telepathy:").stderr, re.MULTILINE)
        offered = self.complete("doctor", "--via", "")
        self.assertEqual(sorted(word.rstrip(":") for word in offered), sorted(schemes))

    def test_what_is_passed_on_is_no_option_of_ours(self):
        for words in (("stat", "--", "cat", "run."), ("stat", "-r", "3", "cat", "run."), ("stat", "cat", "--json", "run."),
                      ("stat", "--", "cat", "-e", "run.")):
            with self.subTest(words):
                self.assertEqual(self.complete(*words), ["run.sqlite"])
        self.assertEqual(self.complete("stat", "--", "cat", "--js"), [])
        self.assertEqual(self.complete("stat", "--repeat", "3", "--js"), ["--json"])
        self.assertIn("printf", self.complete("stat", "--", "print"))
        self.assertIn("printf", self.complete("stat", "print"))

    def test_nothing_that_was_typed_is_evaluated(self):
        for typed in ("$(touch seen)", "`touch seen`", "'$(touch seen)", "a[$(touch seen)]", "x;touch seen"):
            for words in ((typed,), ("measure", typed), ("measure", "--pattern", typed), ("export", typed), (typed, typed),
                          ("stat", typed, typed), ("measure", typed, "")):
                with self.subTest(words):
                    self.complete(*words)
                    self.assertFalse(os.path.exists(os.path.join(self.place, "seen")))


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(unittest.TestCase):
    def complete(self, *lines):
        """What is offered at the end of each line, without the sentences."""
        code = "assay --completion fish | source; for line in $argv; complete -C $line; echo ----; end"
        path = os.path.dirname(os.path.abspath(tap.ASSAY)) + os.pathsep + os.environ["PATH"]
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(["fish", "--no-config", "-c", code, *lines], capture_output=True, text=True, check=False,
                                  env={**os.environ, "PATH": path, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        parts = done.stdout.split("----\n")[:-1]
        return [[line.split("\t")[0] for line in part.splitlines()] for part in parts]

    def test_commands_and_options_are_offered(self):
        names = commands()
        offered, *rest = self.complete("assay ", *(f"assay {name} --" for name in names))
        self.assertEqual(sorted(set(offered) - {"help"}), sorted(names))
        for name, found in zip(names, rest):
            with self.subTest(name):
                self.assertLessEqual({forms[0] for forms, _ in options(name)}, set(found))

    def test_words_and_lists_are_offered(self):
        formats, patterns = self.complete("assay export --format ", "assay measure --pattern ar,r")
        self.assertEqual(sorted(formats), ["csv", "json"])
        self.assertLessEqual({"ar,rr", "ar,ro"}, set(patterns))


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(unittest.TestCase):
    PATIENCE = 120  # seconds, for machines that have other things to do

    def expect(self, terminal, wanted):
        """Reads from the terminal until that comes."""
        seen, end = "", time.monotonic() + self.PATIENCE
        while wanted not in seen:
            if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
                self.fail(f"no {wanted!r} in {seen!r}")
            try:
                seen += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                self.fail(f"zsh ended without {wanted!r}: {seen!r}")

    def test_commands_options_and_words_are_completed(self):
        with tempfile.TemporaryDirectory() as home:
            with open(os.path.join(home, "_assay"), "w", encoding="utf-8") as file:
                file.write(script("zsh"))
            pid, terminal = pty.fork()
            if pid == 0:
                os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "HOME": home, "COLUMNS": "200"})
            try:
                # What is typed too early is no key to zsh; the prompt is not its own echo.
                os.write(terminal, f"fpath=({home} $fpath); autoload -Uz compinit; compinit -u -D; PS1='REA''DY> '\n".encode())
                self.expect(terminal, "READY> ")
                os.write(terminal, b"assay meas\t")
                self.expect(terminal, "assay measure ")
                os.write(terminal, b"--patt\t")
                self.expect(terminal, "--pattern=")
                os.write(terminal, b"ar,r\t\t")
                self.expect(terminal, "rr")
            finally:
                os.close(terminal)
                os.kill(pid, 9)
                os.waitpid(pid, 0)


if __name__ == "__main__":
    tap.main()
