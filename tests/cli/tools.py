# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources that are other people's programs: QEMU with our plugin, here and for other ISAs, and Valgrind. Their counts are the
truth; a broken specimen is noticed; programs that are missing, or that answer nonsense, give a reason and never a count.

Where a machine lacks one of them, its cases skip with the reason that assay itself gives.
"""
import json
import os
import pathlib
import shutil
import tempfile
import unittest

import kits
import tap

BUILD = os.environ["ASSAY_BUILD"]
ISA = os.uname().machine
COUNTED = {
    "qemu": "instructions loads stores branches cond-branches cond-branches-taken cond-branches-not-taken calls returns jumps "
            "indirect-branches syscalls".split(),
    "valgrind": "instructions loads stores cond-branches cond-branches-taken cond-branches-not-taken indirect-branches".split(),
}


class Measuring:
    """What the cases have in common, on this machine and elsewhere."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-tools-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {"XDG_STATE_HOME": os.path.join(self.folder, "state"), "TMPDIR": self.folder}

    def measure(self, source, classes, *words, env=None, **options):
        events = ",".join(f"{source}/{name}/" for name in classes)
        return tap.assay("measure", "--json", "--event", events, *words, env={**self.env, **(env or {})}, timeout=240, **options)

    def results(self, source, classes, *words, **options):
        done = self.measure(source, classes, *words, **options)
        if done.returncode == 3:
            self.skipTest(json.loads(done.stdout)["skipped"][0]["reason"])
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["skipped"], [])
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("assay-probe")], [])
        return answer["results"]

    def exact(self, rows):
        for row in rows:
            self.assertEqual(set(row["values"]), {row["truth"]}, row)
            self.assertEqual((row["overhead"], row["error"]), (0, 0), row)

    def program(self, name, text):
        """A program of this name that is found before all others."""
        path = pathlib.Path(self.folder, "bin", name)
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return {"PATH": f"{path.parent}:{os.environ['PATH']}"}

    def reason(self, source, **options):
        """Why the source cannot count."""
        done = self.measure(source, ["instructions"], "--specimen", "loop", "--n", "10", "--runs", "1", **options)
        self.assertIn(done.returncode, (1, 3), done.stdout)
        return " ".join(done.stderr.split())


class Case(Measuring, unittest.TestCase):
    pass


class Truths(Case):
    """To the count, on this machine, in every class they know of these specimens."""

    def check(self, source):
        rows = self.results(source, COUNTED[source], "--specimen", "null,loop,adds", "--n", "1,1000")
        self.assertEqual(len(rows), 3 * 2 * len(COUNTED[source]))
        self.exact([row for row in rows if row["truth"] is not None])
        stated = {row["event"].split("/")[1] for row in rows if row["specimen"] == "adds" and row["truth"] is not None}
        self.assertEqual(stated, set(COUNTED[source]))

    def test_qemu(self):
        self.check("qemu")

    def test_valgrind(self):
        self.check("valgrind")

    def test_every_level_gives_the_same(self):
        for source in COUNTED:
            with self.subTest(source):
                self.exact(self.results(source, ["instructions"], "--specimen", "loop", "--n", "10", "--opt", "all", "--runs", "1"))


class Repeated(Case):
    """rep movsb is one instruction; both tools execute it once for each byte and look once more."""

    def check(self, source, n):
        rows = self.results(source, ["instructions", "instructions-raw"], "--specimen", "rep-movsb", "--n", str(n), "--runs", "1")
        aligned, raw = rows
        self.exact([aligned])
        self.assertEqual(raw["values"], [aligned["truth"] + n])

    def setUp(self):
        super().setUp()
        if ISA != "x86_64":
            self.skipTest("rep movsb is an instruction of x86")

    def test_qemu(self):
        self.check("qemu", 1000000)

    def test_valgrind(self):
        self.check("valgrind", 1000000)

    def test_valgrind_traces_what_its_counts_would_get_wrong(self):
        rows = self.results("valgrind", COUNTED["valgrind"], "--specimen", "rep-movsb,locked,fldcw", "--n", "10", "--runs", "1")
        self.assertEqual({row["specimen"] for row in rows}, {"rep-movsb", "locked", "fldcw"})
        self.exact([row for row in rows if row["truth"] is not None])


class Broken(Case):
    """A loop with one instruction more than it states."""

    def test_is_noticed_by_both(self):
        kit = pathlib.Path(self.folder, "kit")
        kit.mkdir()
        for name in ("assay-probe", "assay-qemu.so"):
            shutil.copy(f"{tap.KIT}/{name}", kit)
        shutil.copy(f"{BUILD}/tests/cli/harness-broken", kit)
        (kit / "manifest").write_text(f"assay-kit 1\nbuild broken\nisa {ISA}\nharness harness-broken static\n")
        for source in COUNTED:
            with self.subTest(source):
                row, = self.results(source, ["instructions"], "--specimen", "loop", "--n", "100", "--runs", "1",
                                    env={"ASSAY_KIT": str(kit)})
                self.assertEqual((row["values"], row["error"]), ([row["truth"] + 100], 100))


class Lacking(Case):
    """What is not there is named, with what to install."""

    def test_without_the_programs(self):
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        for source, package in (("qemu", "apt-get install qemu-user"), ("valgrind", "apt-get install valgrind")):
            with self.subTest(source):
                self.assertIn(package, self.reason(source, env={"PATH": empty}))

    def test_a_qemu_that_takes_no_plugins(self):
        self.assertIn("takes no plugins", self.reason("qemu", env=self.program(f"qemu-{ISA}", "echo usage: no options at all\n")))

    def test_a_kit_without_the_plugin(self):
        kit = pathlib.Path(self.folder, "kits", ISA)
        shutil.copytree(tap.KIT, kit)
        (kit / "assay-qemu.so").unlink()
        if not shutil.which(f"qemu-{ISA}"):
            self.skipTest(f"qemu-{ISA} is not installed")
        self.assertIn("has a plugin for the machine", self.reason("qemu", env={"ASSAY_KIT": str(kit)}))


class Hostile(Case):
    """Programs that answer nonsense."""

    def setUp(self):
        super().setUp()
        self.need = lambda name: shutil.which(name) or self.skipTest(f"{name} is not installed")

    def test_a_valgrind_that_counts_nothing(self):
        self.assertIn("status 0 before it was done", self.reason("valgrind", env=self.program("valgrind", "exit 0\n")))

    def test_a_valgrind_that_says_something_else(self):
        """It runs the harness, and leaves these words where counts should be."""
        for words, reason in (("", "left no counts"), ("# Thread 1\\n#   Total instructions: 5\\n", "cannot be read"),
                              ("\\377\\000garbage", "cannot be read")):
            with self.subTest(words):
                text = ('for word; do case $word in --bb-out-file=*) file=${word#*=};; esac; harness=$word; done\n'
                        + (f'printf "{words}" > "$file"\n' if words else "") + 'exec "$harness"\n')
                self.assertIn(reason, self.reason("valgrind", env=self.program("valgrind", text)))

    def test_a_valgrind_that_leaves_a_link_in_place_of_a_file(self):
        text = ('for word; do case $word in --bb-out-file=*) file=${word#*=};; esac; harness=$word; done\n'
                'ln -s /etc/passwd "$file"\nexec "$harness"\n')
        self.assertIn("left no counts", self.reason("valgrind", env=self.program("valgrind", text)))

    def wrapped_qemu(self, leaves):
        """A script before the real one: what the plugin counts is lost, and the file holds something else."""
        real = self.need(f"qemu-{ISA}")
        return self.program(f"qemu-{ISA}", f"""
for word; do case $word in *,output=*) file=${{word##*,output=}}; plugin=${{word%,output=*}},output=/dev/null;; esac; done
[ -n "$file" ] || exec {real} "$@"
{leaves}
exec {real} -plugin "$plugin" "$(for harness; do :; done; echo "$harness")"
""")

    def test_a_plugin_whose_output_is_gone_or_damaged(self):
        for leaves, reason in ((":", "left no counts"), ('ln -s /etc/passwd "$file"', "left no counts"),
                               ('mkdir "$file"', "no counts"), ('echo "pass 1 2 3" > "$file"', "it begins otherwise")):
            with self.subTest(leaves):
                self.assertIn(reason, self.reason("qemu", env=self.wrapped_qemu(leaves)))


@kits.each(kits.foreign())
class Foreign(Measuring):
    """Kits of other ISAs by the transport qemu:."""

    def setUp(self):
        absence = self.kit.emulator_absence()
        if absence:
            self.skipTest(absence)
        super().setUp()

    def through(self, classes, *words):
        return self.results("qemu", classes, *words, via=f"qemu:{self.kit.isa}", env={"ASSAY_KIT": self.kit.folder})

    def test_qemu_counts_null_loop_and_adds(self):
        rows = self.through(COUNTED["qemu"], "--specimen", "null,loop,adds", "--n", "1,1000", "--runs", "2")
        self.exact([row for row in rows if row["truth"] is not None])
        self.assertEqual({row["truth"] for row in rows if row["specimen"] == "adds" and row["event"] == "qemu/cond-branches/"},
                         {1, 1000})

    def test_the_machine_is_marked_emulated_and_measures_nothing(self):
        done = tap.assay("doctor", "--json", via=f"qemu:{self.kit.isa}", env={**self.env, "ASSAY_KIT": self.kit.folder})
        machine = json.loads(done.stdout)["machine"]
        self.assertEqual((machine["isa"], "qemu-user" in machine["emulated"]), (self.kit.isa, True))
        for event, word in (("instructions:u", "perf_event_open"), ("valgrind/instructions/", "emulated"), ("step/instructions/", "ptrace")):
            with self.subTest(event):
                done = tap.assay("measure", "--event", event, "--n", "10", via=f"qemu:{self.kit.isa}",
                                 env={**self.env, "ASSAY_KIT": self.kit.folder})
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(word, done.stderr)


class Transport(Case):
    def test_an_isa_without_kit_or_emulator_is_a_lack_of_this_machine(self):
        done = tap.assay("doctor", via="qemu:sparc64", env={**self.env, "ASSAY_KIT": ""})
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("the probe kit for sparc64 is missing", done.stderr)
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        done = tap.assay("doctor", via=f"qemu:{ISA}", env={**self.env, "PATH": empty})
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(f"there is no qemu-{ISA} on this machine", done.stderr)

    def test_what_is_no_isa_is_refused(self):
        for argument in ("", "../x86_64", "aarch64 -cpu max", "x" * 200):
            with self.subTest(argument):
                done = tap.assay("doctor", via=f"qemu:{argument}", env=self.env)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("needs an ISA behind it", done.stderr)

    def test_the_own_isa_works_too(self):
        if not shutil.which(f"qemu-{ISA}"):
            self.skipTest(f"qemu-{ISA} is not installed")
        with open(os.path.join(tap.KIT, "assay-probe"), "rb") as probe:
            if b"__asan_" in probe.read():
                self.skipTest("QEMU's user mode does not run what an address sanitizer is in")
        self.exact(self.results("qemu", ["instructions"], "--specimen", "loop", "--n", "100", "--runs", "1", via=f"qemu:{ISA}"))


if __name__ == "__main__":
    tap.main()
