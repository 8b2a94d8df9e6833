# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay lab run: a command in a machine of its own, connected as if it ran here."""
import json
import os
import pty
import select
import shutil
import subprocess
import unittest

import tap
from laboratory import PATIENCE, LabCase


class Run(LabCase):
    def run_there(self, *words, options=(), given=b"", env=None):
        return subprocess.run([tap.ASSAY, "lab", "run", "aarch64", *options, "--", *words], input=given, timeout=PATIENCE,
                              capture_output=True, env=dict(os.environ, **self.env, **(env or {})), check=False)

    def test_a_controller_with_closed_descriptors_of_its_own(self):
        done = subprocess.run(["sh", "-c", '"$1" lab run aarch64 -- sh -c "echo out; exit 7" <&-', "sh", tap.ASSAY], timeout=PATIENCE,
                              capture_output=True, env=dict(os.environ, **self.env), check=False)
        self.assertEqual((done.returncode, done.stdout), (7, b"out\n"), done.stderr)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setcap") and shutil.which("setpriv"),
                         "needs root, setcap and setpriv to have an ordinary user run assay with capabilities")
    def test_a_controller_with_capabilities_whose_descriptors_proc_hides(self):
        machine = json.loads(self.assay("lab", "list", "--json").stdout)["results"][0]
        os.chmod(self.folder, 0o755)
        shutil.copy(tap.ASSAY, self.path("assay"))
        shutil.copytree(machine["kit"], self.path("kit"))
        shutil.copytree(os.path.join(machine["folder"], "aarch64"), self.path("lab/aarch64"))
        if subprocess.run(["setcap", "cap_perfmon=ep", self.path("assay")], capture_output=True, check=False).returncode:
            self.skipTest("this file system, or this container, takes no capabilities of files")
        done = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", self.path("assay"), "lab", "run",
                               "aarch64", "--", "sh", "-c", "echo out; echo err >&2; exit 7"], capture_output=True, timeout=PATIENCE,
                              env=dict(os.environ, ASSAY_KIT=self.path("kit"), ASSAY_LAB=self.path("lab")), check=False)
        if b"Operation not permitted" in done.stderr or b"failed to execute" in done.stderr:
            self.skipTest("a program with capabilities cannot be run here")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, b"out\n", b"err\n"))

    def send(self, name, content, mode):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        return ["--send", path]

    def test_streams_files_arguments_and_status_pass_through(self):
        everything = bytes(range(256)) * 1000
        script = b'#!/bin/sh\nprintf "%s|" "$@"\nstat -c %a,%n *\ncat data,1 >&2\ncat\nexit 42\n'
        done = self.run_there("./script", "a b", "", "$HOME;\n'\"", given=everything,
                              options=self.send("script", script, 0o751) + self.send("data,1", everything, 0o604))
        self.assertEqual(done.returncode, 42, done.stderr[-300:])
        self.assertEqual(done.stdout, b"a b||$HOME;\n'\"|604,data,1\n751,script\n" + everything)
        self.assertEqual(done.stderr, everything)
        self.assert_nothing_runs()

    def test_a_command_that_cannot_be_run_or_found(self):
        for command, status, words in (("nosuch", 127, b"cannot run 'nosuch'"), ("/etc/passwd", 126, b"Permission denied")):
            with self.subTest(command):
                done = self.run_there(command)
                self.assertEqual((done.returncode, done.stdout), (status, b""))
                self.assertIn(words, done.stderr)

    def test_a_program_of_another_isa_is_named_and_never_read_as_a_script(self):
        other = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\x3e\x00" + bytes(44)
        for content, words in ((other + b"\necho ran\n", b"./odd is for x86-64, this machine is aarch64"),
                               (b"echo ran\n", b"nor a script that begins with #!"),
                               (b"#!/no/such/shell\n", b"interpreter")):
            with self.subTest(words):
                done = self.run_there("./odd", options=self.send("odd", content, 0o755))
                self.assertEqual((done.returncode, done.stdout), (126, b""), done.stderr)
                self.assertIn(words, done.stderr)

    def test_a_program_that_is_only_here_comes_with_the_option_that_sends_it(self):
        path = self.path("program")
        self.send("program", b"#!/bin/sh\n", 0o755)
        done = self.run_there(path)
        self.assertEqual(done.returncode, 127)
        self.assertIn(f"--send {path} -- ./program".encode(), done.stderr)
        for words in (["/bin/sh", "-c", "exit 127"], ["nosuch"]):
            self.assertNotIn(b"--send", self.run_there(*words).stderr)

    def test_the_whole_console_is_shown_on_request(self):
        self.assertIn(b"Linux version", self.run_there("true", env={"ASSAY_VERBOSE": "1"}).stderr)
        self.assertEqual(self.run_there("true").stderr, b"")

    def test_a_command_killed_there_tells_the_signal(self):
        self.assertEqual(self.run_there("sh", "-c", "kill -9 $$").returncode, 128 + 9)

    def test_the_user_may_be_nobody(self):
        done = self.run_there("sh", "-c", "id -u; cat /proc/sys/kernel/perf_event_paranoid; touch here && ls here",
                              options=["--user", "nobody", "--paranoid", "2", "--memory", "256"])
        self.assertEqual((done.returncode, done.stdout), (0, b"65534\n2\nhere\n"), done.stderr)

    def test_an_end_of_input_before_the_machine_is_up_hangs_nothing(self):
        done = self.run_there("/kit/assay-probe", "serve")
        self.assertTrue(done.stdout.startswith(b"@assay 0 hello "), done.stdout[:200])
        self.assertIn(b" ready ", done.stdout)

    def test_a_machine_without_memory_for_its_files_is_refused_with_the_size_to_ask_for(self):
        path = self.path("big")
        with open(path, "wb") as file:
            file.truncate(200 << 20)
        done = self.run_there("true", options=["--send", path])
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"memory=", done.stderr)

    def test_a_guest_that_runs_out_of_memory_ends_with_words(self):
        done = self.run_there("sh", "-c", "exec dd if=/dev/zero of=/dev/null bs=400M count=1", options=["--memory", "128"])
        self.assertNotEqual(done.returncode, 0)
        self.assertNotEqual(done.stderr, b"")
        self.assert_nothing_runs()

    def test_an_emulator_that_does_not_start_is_quoted(self):
        fake = self.path("qemu")
        with open(fake, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho 'qemu: no such thing' >&2\nexit 1\n")
        os.chmod(fake, 0o755)
        done = self.run_there("true", env={"ASSAY_QEMU": fake})
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"qemu: no such thing", done.stderr)

    def test_without_a_command_it_is_a_shell_on_the_terminal(self):
        leader, follower = pty.openpty()
        process = subprocess.Popen([tap.ASSAY, "lab", "run", "aarch64"], stdin=follower, stdout=follower, stderr=follower,
                                   env=dict(os.environ, **self.env), close_fds=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.close(follower)
        said = b""
        typed = False
        while True:
            ready, _, _ = select.select([leader], [], [], PATIENCE)
            self.assertTrue(ready, said)
            try:
                piece = os.read(leader, 4096)
            except OSError:
                break
            if not piece:
                break
            said += piece
            if not typed and b"# " in said:
                os.write(leader, b"tty; echo $((6*7)); exit 5\r")
                typed = True
        os.close(leader)
        self.assertEqual(process.wait(PATIENCE), 5, said)
        self.assertIn(b"/dev/pts/", said)
        self.assertIn(b"42", said)
        self.assert_nothing_runs()


if __name__ == "__main__":
    tap.main()
