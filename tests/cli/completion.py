# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion by shells: what assay answers about a command line, and that shells ask it."""
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


def ask(*words, shell="bash"):
    """What is answered where the last of these words behind `assay` is being typed."""
    done = tap.assay("__complete", shell, *words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout.split("\n")[:-1]


def commands():
    """The commands that `assay --help` lists."""
    listed = tap.assay("--help").stdout.split("\nOptions:\n")[0]
    return sorted(re.findall(r"^  (\S+)", listed, re.MULTILINE))


def options(command):
    """The options that the help of a command lists, as triples of the forms, the argument's name and the sentence."""
    text = tap.assay(command, "--help").stdout.split("\nOptions:\n")[1].split("\n\n")[0]
    found = []
    for entry in re.split(r"^(?=  (?:-\w, |    )--)", text, flags=re.MULTILINE)[1:]:
        letter, name, argument, about = re.match(r"  (?:(-\w), |    )(--[\w-]+)(?: (\S+))?(.*)", entry, re.DOTALL).groups()
        found.append(([name] + ([letter] if letter else []), argument, re.sub(r"\s+", " ", about)))
    return found


class Answers(unittest.TestCase):
    # What stands behind `assay`, as bash parts it, and all that is answered.
    CASES = [
        (["meas"], ["measure"]),
        (["--"], ["--help", "--version", "--man", "--completion"]),
        (["-h"], ["-h"]),
        (["__"], []),
        (["--completion", ""], [*SHELLS]),
        (["--version", ""], []),
        (["help", "clocks", ""], []),
        (["nonsense", ""], []),
        (["", ""], []),
        (["lab", ""], ["install", "list", "run"]),
        (["lab", "run", "li"], []),
        (["lab", "run", "--user", ""], ["root", "nobody"]),
        (["lab", "--pmu", "=", "o"], ["on", "off"]),
        (["export", "--format", ""], ["csv", "json"]),
        (["truth", "--control", "c"], ["controlled"]),
        (["repeat", "--control", "h"], ["hash-seeds"]),
        (["repeat", "--sweep", ""], ["env", "stack", "aslr"]),
        # Lists go on behind a comma, others do not, and nothing is in a list twice.
        (["measure", "--pattern", "ar,r"], ["ar,rr", "ar,ro"]),
        (["measure", "--pattern", "ar,ao,rr,"], ["ar,ao,rr,ro"]),
        (["measure", "--pattern=ar,a"], ["--pattern=ar,ao"]),
        (["measure", "--pattern", "=", "ar,a"], ["ar,ao"]),
        (["measure", "--pattern", "="], ["ar", "ao", "rr", "ro"]),
        (["measure", "--pattern", "=", "ar", "", "--js"], ["--json"]),
        (["measure", "--patt", "a"], ["ar", "ao"]),
        (["measure", "-O", "O0,O"], ["O0,O1", "O0,O2", "O0,O3"]),
        (["measure", "-OO0,O1,O2,"], ["-OO0,O1,O2,O3"]),
        (["measure", "-qO", "O3"], ["O3"]),
        (["truth", "--control", "as-is,c"], []),
        # Options that were given are not offered again, but those that add up.
        (["measure", "--json", "--js"], []),
        (["measure", "-o", "x", "--outp"], []),
        (["measure", "-qo", "x", "--qui"], []),
        (["measure", "--pattern", "ar", "--patt"], ["--pattern"]),
        (["report", "--", "--"], ["\tfiles"]),
        (["measure", "--event", "--json", "--js"], ["--json"]),
        (["measure", "--unknown", "--js"], ["--json"]),
        (["measure", "--event", ""], []),
        (["measure", "--json=y"], []),
        # Files and folders, wherever their names are one argument.
        (["export", "ru"], ["\tfiles"]),
        (["merge", "a", "b", ""], ["\tfiles"]),
        (["error", "--from", ""], ["\tfiles"]),
        (["error", "--from=ru"], ["\tfiles"]),
        (["error", "-oru"], ["\tfiles"]),
        (["error", "--from", "=", "ru"], ["\tfiles"]),
        (["stat", "--directory", ""], ["\tdirectories"]),
        (["clocks", "ru"], []),
        # Transports go on behind a colon, at which bash parts words, too.
        (["doctor", "--via", "ex"], ["exec:"]),
        (["doctor", "--via", "=", "ex"], ["exec:"]),
        (["doctor", "--via", "=", "ssh", ":", "ho"], []),
        (["doctor", "--via", "ssh", ":", "host", "--js"], ["--json"]),
        # From where on another command's line stands, among the words of the shell.
        (["stat", ""], ["\tcommand 2"]),
        (["stat", "--", ""], ["\tcommand 3"]),
        (["stat", "--", "cat", "--js"], ["\tcommand 3"]),
        (["stat", "cat", "--json", "ru"], ["\tcommand 2"]),
        (["stat", "-r", "3", "cat", ""], ["\tcommand 4"]),
        (["stat", "--repeat", "=", "3", "cat", ""], ["\tcommand 5"]),
        (["stat", "--repeat", "3", "--js"], ["--json"]),
        (["repeat", "-q", "make", "-"], ["\tcommand 3"]),
        (["truth", "--", "make", "--"], ["\tcommand 3"]),
    ]

    def test_what_can_follow_is_answered(self):
        for words, answered in self.CASES:
            with self.subTest(words):
                self.assertEqual(ask(*words), answered)

    def test_other_shells_part_no_words_and_show_what_a_candidate_is(self):
        for shell in ("zsh", "fish"):
            self.assertEqual(ask("measure", "--pattern=ar,a", shell=shell), ["--pattern=ar,ao"])
            self.assertEqual(ask("stat", "--repeat=3", ":", "", shell=shell), ["\tcommand 3"])
            self.assertEqual(ask("clocks", "--workl", shell=shell), ["--workload\tintervals of these alone"])
            self.assertEqual(ask("lab", "--cp", shell=shell), ["--cpu\trun: the CPU to emulate"])
            self.assertIn("stat\t" + re.search(r"^  stat +(.*)", tap.assay("--help").stdout, re.MULTILINE)[1],
                          ask("st", shell=shell)[0])

    def test_commands_and_options_are_those_of_help(self):
        self.assertEqual([word for word in ask("") if word[0] != "-"], [*commands(), "help"])
        for word in ("help", "--man", "--help", "-h"):
            self.assertEqual(ask(word, ""), commands())
        for command in commands():
            with self.subTest(command):
                self.assertEqual(ask(command, "-"), [form for forms, *_ in options(command) for form in forms])

    def test_what_follows_an_option_is_what_help_explains(self):
        for command in commands():
            for forms, argument, about in options(command):
                for form in forms:
                    with self.subTest(f"{command} {form}"):
                        answered = ask(command, form, "") if argument else []
                        if argument in ("FILE", "DIR"):
                            self.assertEqual(answered, ["\tfiles" if argument == "FILE" else "\tdirectories"])
                        elif argument and form != "--no-control":
                            for word in set(answered) - {"O1", "O2"}:
                                self.assertIn(word.rstrip(":"), about + argument)
        schemes = re.findall(r"^  (\w+) ", tap.assay("doctor", via="telepathy:").stderr, re.MULTILINE)
        self.assertEqual(sorted(word.rstrip(":") for word in ask("doctor", "--via", "")), sorted(schemes))

    def test_where_no_others_are_taken_the_refusal_names_those_that_are_offered(self):
        for command, option in (("doctor", "--fail-on"), ("compare", "--fail-on"), ("export", "--what"), ("export", "--format"),
                                ("clocks", "--workload"), ("repeat", "--control"), ("repeat", "--no-control"), ("repeat", "--sweep")):
            with self.subTest(f"{command} {option}"):
                done = tap.assay(command, option, "all-of-them")
                self.assertEqual((done.returncode, done.stdout), (125 if command == "repeat" else 2, ""))
                taken = re.search(rf"{option} takes (.*), not 'all-of-them'", done.stderr)[1]
                self.assertEqual(re.split(", | or ", taken), ask(command, option, ""))

    def test_command_lines_of_any_kind_are_answered(self):
        for typed in ("'", '"', "\\", "\t", "\n", "\tcommand 1", "\x1b[2J", "\udcff", "$(touch seen)", "-", "--", "---", "=", ":=", "--=",
                      "--pattern=\n,", "-\x01", ",", ",,,,", "a" * 100_000, "-" * 100_000):
            for before in ((), ("measure",), ("measure", "--pattern"), ("stat", "--"), ("measure", typed), (typed,), ("export", "--")):
                for shell in SHELLS:
                    with self.subTest(words=(*before, typed), shell=shell):
                        for line in ask(*before, typed, shell=shell):
                            self.assertRegex(line, r"\A(\t(files|directories|command \d+)|[^\t\n\x1b]+(\t[^\t\n]+)?)\Z")
        self.assertEqual(ask("measure", *["--pattern", "ar"] * 5000, "--js"), ["--json"])
        self.assertEqual(ask("measure", *["a", ":"] * 2000, "--js"), [])

    def test_it_stands_nowhere_and_answers_no_one_else(self):
        for words in (["--help"], ["--man"], ["help"]):
            self.assertNotIn("__complete", tap.assay(*words).stdout)
        for words in (["__complete"], ["__complet", "bash", ""]):
            self.assertEqual(tap.assay(*words).returncode, 2)
        self.assertEqual(tap.assay("__complete", "bash", "measure", "--event", "cy", via="exec:/nowhere/there").stdout, "")

    def test_another_shell_is_refused(self):
        for words in (["csh"], []):
            done = tap.assay("--completion", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("bash, zsh or fish", done.stderr)


class Shells(unittest.TestCase):
    """Real shells, in a folder with a file and a folder."""
    # What is typed before the key, and what the line is then.
    LINES = [
        ("assay meas", "assay measure"),
        ("assay measure --patt", "assay measure --pattern"),
        ("assay measure --pattern ar,a", "assay measure --pattern ar,ao"),
        ("assay measure --pattern=ar,a", "assay measure --pattern=ar,ao"),
        ("assay doctor --via ex", "assay doctor --via exec:"),
        ("assay doctor --via=ex", "assay doctor --via=exec:"),
        ("assay export ru", "assay export run.sqlite"),
        ("assay error --from ru", "assay error --from run.sqlite"),
        ("assay error --from=ru", "assay error --from=run.sqlite"),
        ("assay stat --directory fo", "assay stat --directory folder"),
        ("assay stat ownp", "assay stat ownprogram"),
        ("assay stat -r 3 -- ownp", "assay stat -r 3 -- ownprogram"),
        ("assay stat -i 'a b' ownprogram --js ru", "assay stat -i a b ownprogram --js run.sqlite"),
    ]
    HOSTILE = ["$(touch seen)", "`touch seen`", "a[$(touch seen)]", "x;touch seen;", "\"$(touch seen)", "ar,$(touch seen),", "'"]
    PATIENCE = 120  # seconds, for machines that have other things to do

    def setUp(self):
        # pylint: disable-next=consider-using-with
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        home = self.folder.name
        os.makedirs(os.path.join(home, "place", "folder"))
        for name, mode in (("place/run.sqlite", 0o644), ("ownprogram", 0o755)):
            with open(os.path.join(home, name), "w", encoding="utf-8") as file:
                os.fchmod(file.fileno(), mode)
        self.environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home, "TERM": "dumb", "COLUMNS": "200",
                            "PATH": os.pathsep.join((os.path.dirname(os.path.abspath(tap.ASSAY)), home, os.environ["PATH"]))}
        self.place = os.path.join(home, "place")

    def script(self, shell):
        if not shutil.which(shell):
            self.skipTest(f"{shell} is not installed")
        path = os.path.join(self.folder.name, "_assay")
        with open(path, "w", encoding="utf-8") as file:
            file.write(tap.assay("--completion", shell).stdout)
        return path

    def expect(self, terminal, wanted):
        """Reads from the terminal until that comes."""
        seen, end = "", time.monotonic() + self.PATIENCE
        while wanted not in seen:
            if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
                self.fail(f"no {wanted!r} in {seen!r}")
            try:
                seen += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                self.fail(f"the shell ended without {wanted!r}: {seen!r}")

    def on_terminal(self, words, start):
        """All lines in one shell: behind the key, what the line has become is printed word by word."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.place)
            os.execvpe(words[0], words, self.environment)
        try:
            # What is typed too early is no key to a shell; the prompt is not its own echo.
            os.write(terminal, f"{start}; PS1='REA''DY> '\n".encode())
            self.expect(terminal, "READY> ")
            for typed, completed in self.LINES:
                os.write(terminal, f"{typed}\t\x01printf '<%s>' \"$(echo \x05)\"\n".encode())
                self.expect(terminal, f"<{completed}")
            for typed in self.HOSTILE:
                for before in ("", "measure ", "measure --pattern ", "measure --pattern=", "stat -- ", "export "):
                    os.write(terminal, f"assay {before}{typed}\t\x15".encode())
            os.write(terminal, b"echo EN''D\n")
            self.expect(terminal, "END")
            self.assertEqual(sorted(os.listdir(self.place)), ["folder", "run.sqlite"])
        finally:
            os.close(terminal)
            os.kill(pid, 9)
            os.waitpid(pid, 0)

    def test_bash(self):
        self.on_terminal(["bash", "--norc", "-i"], f"set -o emacs; set +o history; source {self.script('bash')}")

    def test_zsh(self):
        # The key otherwise expands what stands before it, which executes it whatever the command.
        folder = os.path.dirname(self.script("zsh"))
        self.on_terminal(["zsh", "-f", "-i"], f"bindkey -e; bindkey '^I' complete-word; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D")

    def test_fish(self):
        code = "source $argv[1]; for line in $argv[2..-1]; complete -C $line; echo ----; end"
        hostile = [f"assay {before}{typed}" for typed in self.HOSTILE for before in ("", "measure --pattern ", "measure --pattern=", "stat -- ")]
        done = subprocess.run(["fish", "--no-config", "-c", code, self.script("fish"), *(typed for typed, _ in self.LINES), *hostile],
                              capture_output=True, text=True, check=False, cwd=self.place, env=self.environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for (typed, completed), part in zip(self.LINES, done.stdout.split("----\n")):
            with self.subTest(typed):
                self.assertEqual([line.split("\t")[0].rstrip("/") for line in part.splitlines()], [completed.split(" ")[-1]])
        self.assertEqual(sorted(os.listdir(self.place)), ["folder", "run.sqlite"])


if __name__ == "__main__":
    tap.main()
