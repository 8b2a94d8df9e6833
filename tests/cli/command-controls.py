# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is controlled of a command, seen from inside: by a program that tells how it was started."""
import os

import programs
import tap
from programs import ALL, CONTROLS, only, program

NO_RANDOMIZE, LIMIT_3GB = 0x0040000, 0x8000000
BYTES, STACK = 1024, 8 << 20


class Told:
    """The lines of tests/commands/mirror.c."""

    def __init__(self, text):
        self.lines = [line.partition(" ")[::2] for line in text.splitlines()]

    def __getitem__(self, key):
        return next(value for name, value in self.lines if name == key)

    def all(self, key):
        return [value for name, value in self.lines if name == key]

    @property
    def environment(self):
        return dict(variable.partition("=")[::2] for variable in self.all("variable"))

    def number(self, key):
        return int(self[key], 0)


class Mirror(programs.Session):
    def setUp(self):
        super().setUp()
        # Whoever starts the probe may ignore signals and have files open.
        opened = os.open("/dev/null", os.O_RDONLY)
        self.addCleanup(os.close, opened)
        self.probe = self.started(environment={"OWN": "value", "LONG": "x" * 3000}, pass_fds=[opened],
                                  prefix=["sh", "-c", 'trap "" HUP USR1; exec "$@"', "sh"])
        self.cpu = min(os.sched_getaffinity(0))

    def told(self, *settings, words=(), **factors):
        """What the program says under each setting (a set of controls), or under one."""
        cells = [{"words": [program("mirror"), *words], "controls": controls, "cpu": self.cpu, "directory": str(self.work),
                  "shown": 1, **factors} for controls in settings]
        visits = self.probe.run(cells)
        for visit in visits:
            self.assertTrue(visit.done, visit.end)
        told = [Told(visit.output["1"]) for visit in visits]
        return told if len(told) > 1 else told[0]


class Always(Mirror):
    def test_no_descriptor_but_three(self):
        self.assertEqual([told["descriptors"] for told in self.told(0, ALL)], ["0 1 2"] * 2)

    def test_a_session_of_its_own_without_a_terminal(self):
        for told in self.told(0, ALL):
            self.assertEqual(told["leads"], "1")
            self.assertEqual(told["terminal"], "No such device or address")

    def test_signals_are_as_for_a_fresh_login(self):
        for told in self.told(0, ALL):
            masks = [int(line.split("\t")[1], 16) for line, _ in told.lines if line.startswith("Sig")]
            self.assertEqual(masks, [0, 0])

    def test_words_arrive_as_they_were_given(self):
        words = ["", " ", "'", '"quoted"', "$HOME", "*", "line\nline", "\\", "ünï", "{braces}"]
        visit = self.ran(program("mirror"), *words, shown=1, probe=self.probe)
        for word in words:
            self.assertIn(f"word {word}\n", visit.output["1"])

    def test_places_are_replaced(self):
        told = self.told(0, words=["{kit}/file", "a{kit}b{kit}"])
        kit = os.path.realpath(tap.KIT)
        self.assertEqual(told.all("word")[1:], [f"{kit}/file", f"a{kit}b{kit}"])


class Controlled(Mirror):
    def test_the_environment_has_always_the_same_size(self):
        settings = [ALL, *(ALL & ~only(name) for name in CONTROLS if name != "environment"), only("environment")]
        told = self.told(*settings)
        self.assertEqual({one.number("bytes") for one in told}, {BYTES})
        self.assertEqual(len({one["variables"] for one in told}), 1)
        self.assertNotIn("OWN", told[0].environment)

    def test_without_control_it_is_the_probes(self):
        told = self.told(0, only("hash-seeds"))
        self.assertEqual(told[0].environment["OWN"], "value")
        self.assertEqual({name for name in told[0].environment if "SEED" in name or "PADDING" in name or "TUNABLES" in name}, set())
        self.assertEqual(told[1].environment, told[0].environment | {
            "PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0", "PYTHONHASHSEED": "0"})

    def test_variables_are_kept(self):
        one, three = self.told(ALL, keep="OWN,NONE"), self.told(ALL, keep="LONG,OWN")
        self.assertEqual((one.environment["OWN"], one.number("bytes")), ("value", BYTES))
        self.assertEqual(len(three.environment["LONG"]), 3000)
        self.assertEqual(three.number("bytes") % BYTES, 0)

    def test_the_stack_is_where_it_was_with_every_control_made_of_variables(self):
        told = self.told(ALL, ALL, ALL & ~only("hash-seeds"), ALL & ~only("tunables"))
        self.assertEqual(len({one["vector"] for one in told}), 1, [one["vector"] for one in told])

    def test_addresses(self):
        still, drawn = self.told(*[ALL] * 4), self.told(*[ALL & ~only("aslr")] * 4)
        self.assertEqual(len({(one["vector"], one["code"]) for one in still}), 1)
        if int(open("/proc/sys/kernel/randomize_va_space", encoding="ascii").read()):
            self.assertGreater(len({one["vector"] for one in drawn}), 1)
        self.assertTrue(all(one.number("personality") & NO_RANDOMIZE for one in still))
        self.assertFalse(any(one.number("personality") & NO_RANDOMIZE for one in drawn))

    def test_layout(self):
        with_, without = self.told(ALL, ALL & ~only("layout"))
        self.assertTrue(with_.number("personality") & LIMIT_3GB)
        self.assertFalse(without.number("personality") & LIMIT_3GB)

    def test_argv0(self):
        with_, without = self.told(ALL, ALL & ~only("argv0"))
        self.assertEqual((with_.all("word"), without.all("word")), (["command-mirror"], [program("mirror")]))

    def test_directory(self):
        with_, without = self.told(ALL, ALL & ~only("directory"), directory="/")
        self.assertEqual((with_["folder"], without["folder"]), ("/", str(self.work)))

    def test_cpu(self):
        with_, without = self.told(ALL, ALL & ~only("cpu"))
        self.assertEqual(with_["cpus"], f"1 on {self.cpu}")
        self.assertEqual(without["cpus"].split()[0], str(len(os.sched_getaffinity(0))))

    def test_stack_limit(self):
        self.probe = self.started(prefix=["sh", "-c", 'ulimit -S -s 4096; exec "$@"', "sh"])
        with_, without = self.told(ALL, ALL & ~only("stack"))
        self.assertEqual((with_.number("stack"), without.number("stack")), (STACK, 4 << 20))

    def test_relative_programs_are_found_where_the_command_works(self):
        (self.work / "here").symlink_to(program("ends"))
        became = self.became("./here", "exit", "6", directory=str(self.work), controls=ALL, probe=self.probe)
        self.assertEqual(became["status"], 6)


class Input(programs.Session):
    def read(self, controls, **factors):
        visit = self.ran(program("reads"), controls=controls, shown=1, **factors)
        self.assertEqual(visit.became["status"], 0)
        return visit.output["1"].split()

    def test_nothing(self):
        self.assertEqual(self.read(only("stdin")), ["device", "0"])
        self.assertEqual(self.read(0), ["fifo", "0"])

    def test_a_file(self):
        (self.work / "input").write_bytes(b"x" * 300000)
        for name in (str(self.work / "input"), "input"):
            self.assertEqual(self.read(only("stdin"), input_=name), ["file", "300000"])
            self.assertEqual(self.read(0, input_=name), ["fifo", "300000"])

    def test_input_that_is_not_read_holds_nobody_up(self):
        (self.work / "input").write_bytes(b"x" * 3000000)
        became = self.became(program("ends"), "exit", "3", input_="input")
        self.assertEqual((became["status"], became["left"]), (3, 0))


class Sweeps(Mirror):
    def at(self, sweep, values):
        cells = [{"words": [program("mirror"), "word"], "controls": ALL, "cpu": self.cpu, "shown": 1, "sweep": sweep,
                  "swept": value} for value in values]
        visits = self.probe.run(cells)
        for visit in visits:
            self.assertTrue(visit.done, visit.end)
        return [Told(visit.output["1"]) for visit in visits]

    def test_the_environment_grows_by_so_many_bytes_in_one_variable(self):
        values = [0, 1, 16, 4096, 65536]
        told = self.at("env", values)
        self.assertEqual([one.number("bytes") for one in told], [BYTES + value for value in values])
        self.assertEqual(len({one["variables"] for one in told}), 1)
        changed = {name for name in told[0].environment if told[0].environment[name] != told[-1].environment[name]}
        self.assertEqual(len(changed), 1)
        self.assertEqual(len({one["path"] for one in told}), 1)

    def test_the_stack_begins_lower_and_nothing_else_changes(self):
        values = [0, 16, 32, 256, 2048, 3840]
        told = self.at("stack", values)
        self.assertEqual([told[0].number("vector") - one.number("vector") for one in told], values)
        self.assertEqual(len({(tuple(one.all("word")), tuple(one.environment.items())) for one in told}), 1)

    def test_a_stack_that_cannot_be_moved_so_far(self):
        visit = self.ran(program("mirror"), controls=ALL, sweep="stack", swept=5000, probe=self.probe)
        self.assertFalse(visit.done)
        self.assertIn("at most", visit.end["reason"])

    def test_a_script_is_not_swept_by_its_path(self):
        script = self.work / "script"
        script.write_text("#!/bin/sh\nexit 0\n", encoding="ascii")
        script.chmod(0o755)
        visit = self.ran(str(script), controls=ALL, sweep="stack", swept=16, probe=self.probe)
        self.assertFalse(visit.done)
        self.assertIn("script", visit.end["reason"])

    def test_draws_are_random_whatever_is_controlled(self):
        if not int(open("/proc/sys/kernel/randomize_va_space", encoding="ascii").read()):
            self.skipTest("addresses are not random on this machine")
        told = self.at("aslr", [0, 1, 2, 3])
        self.assertGreater(len({one["vector"] for one in told}), 1)


class Tunables(programs.Session):
    """glibc reads them: what it would choose by the CPU is then the same everywhere."""

    def test_they_are_the_isas_own_or_none(self):
        visit = self.ran(program("mirror"), controls=ALL, shown=1)
        found = Told(visit.output["1"]).environment.get("GLIBC_TUNABLES", "")
        self.assertEqual(bool(found), os.uname().machine in ("x86_64", "aarch64"))

    def test_programs_still_run(self):
        probe = self.started()
        for words in (["true"], ["sort", "/etc/passwd"], ["perl", "-e", "print 'x' x 100000"], ["ls", "-l", "/usr/bin"]):
            visit = self.ran(*words, controls=ALL, probe=probe, shown=1)
            if not visit.done and visit.end["error"] == "2":
                continue
            self.assertEqual((visit.became["status"], visit.output["2"]), (0, ""), words)


if __name__ == "__main__":
    tap.main()
