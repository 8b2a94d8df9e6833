# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay lab without booting: what it says, and installing from an apt that is played by a script here."""
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

import tap
from processes import eventually

KERNEL = "6.1.0-54-arm64"

# apt-get, apt-cache and dpkg-deb in one: what they do is told by the file fake.json.
FAKE = """#!{python}
import json, os, sys, time
me, words = os.path.basename(sys.argv[0]), sys.argv[1:]
with open({folder!r} + "/fake.json") as file:
    fake = json.load(file)
with open({folder!r} + "/log", "a") as file:
    file.write(json.dumps([me, *words, os.getpid()]) + "\\n")
def put(path, content=b"x"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
if "update" in words:
    print(fake.get("warning", ""), file=sys.stderr)
    sys.exit(fake.get("update", 0))
if "policy" in words:
    print(words[-1] + ":\\n  Installed: (none)\\n  Candidate: " + fake.get("version", "1:2.0-1"))
if "depends" in words:
    package = words[-1]
    if package not in fake["depends"]:
        print("E: No packages found", file=sys.stderr)
        sys.exit(100)
    print(package)
    for other in fake["depends"][package]:
        print("  Depends: " + other)
if "pkgnames" in words:
    print("\\n".join(fake["names"]))
if "download" in words:
    print("dlstatus:1:12.5:Retrieving file 1 of 3", flush=True)
    time.sleep(fake.get("sleep", 0))
    if fake.get("fetch"):
        print("E: " + fake["fetch"], file=sys.stderr)
        sys.exit(100)
    for package in words[words.index("download") + 1:]:
        put(os.path.join(os.getcwd(), package + "_" + fake.get("version", "1:2.0-1").replace(":", "%3a") + "_arm64.deb"))
if me == "dpkg-deb":
    deb, place = os.path.basename(words[1]), words[2]
    if fake.get("linger"):
        child = os.fork()
        if child:
            with open({folder!r} + "/log", "a") as file:
                file.write(json.dumps(["linger", child]) + "\\n")
        time.sleep(600)
    if fake.get("unpack"):
        print("dpkg-deb: error: " + fake["unpack"], file=sys.stderr)
        sys.exit(2)
    if deb.startswith("linux-image-"):
        name = deb[len("linux-image-"):deb.index("_")]
        put(place + "/boot/vmlinuz-" + name)
        put(place + "/boot/config-" + name, fake["config"].encode())
        for module in fake["modules"]:
            put(place + "/lib/modules/" + name + "/kernel/drivers/" + module)
    elif deb.startswith("libc6_"):
        for library in ("ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"):
            put(place + "/lib/aarch64-linux-gnu/" + library)
    else:
        put(place + "/bin/busybox")
"""

GOOD = {"depends": {"linux-image-arm64": ["linux-image-" + KERNEL], "linux-image-" + KERNEL: ["kmod"],
                    "linux-image-cloud-arm64": ["linux-image-6.1.0-54-cloud-arm64"]},
        "names": ["linux-image-arm64", "linux-image-" + KERNEL, "linux-image-6.1.0-54-cloud-arm64", "linux-image-6.1.0-54-arm64-dbg",
                  "linux-image-../../../evil-arm64", "linux-image-9.9.9-\033[2J-arm64"],
        "config": "CONFIG_VIRTIO=y\nCONFIG_VIRTIO_MMIO=m\nCONFIG_VIRTIO_CONSOLE=m\n",
        "modules": ["virtio/virtio_mmio.ko", "char/virtio_console.ko"]}


def alive(number):
    """Runs it? An orphan that ended may wait long to be reaped, where the first process is no init."""
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class LabFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay-lab-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.lab = os.path.join(self.folder, "lab with space")
        self.env = {"ASSAY_LAB": self.lab, "PATH": self.folder}

    def assay(self, *arguments):
        return tap.assay(*arguments, env=self.env)

    def installed(self):
        """What counts as installed, and what lies about besides."""
        machine = os.path.join(self.lab, "aarch64")
        kernels = sorted(os.listdir(machine)) if os.path.isdir(machine) else []
        stray = [name for name in os.listdir(self.lab) if name.startswith("staging.")] if os.path.isdir(self.lab) else []
        return [name for name in kernels if name != "default"], stray


class Words(LabFolder):
    def test_usage(self):
        for arguments in (["lab"], ["lab", "instal"], ["lab", "run"], ["lab", "install", "mips"], ["lab", "list", "x"],
                          ["lab", "list", "--via", "lab:aarch64"], ["lab", "run", "aarch64", "--json"],
                          ["lab", "run", "aarch64", "--cpu", "max,pmu=off"], ["lab", "run", "aarch64,foo=1"],
                          ["lab", "install", "--kernel", "../x"], ["lab", "install", "--cpu", "max"], ["lab", "install", "--all"],
                          ["lab", "install", "aarch64,memory=256"], ["lab", "install", "aarch64,kernel=x", "--kernel", "y"],
                          ["lab", "list", "--again"], ["lab", "list", "--kernel", "x"], ["lab", "run", "aarch64", "--again"],
                          ["lab", "run", "aarch64,cpu=max", "--cpu", "max"], ["doctor", "--via", "lab:"],
                          ["doctor", "--via", "lab:aarch64,memory=1"]):
            with self.subTest(arguments):
                done = self.assay(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertNotEqual(done.stderr, "")

    def test_what_is_missing_is_said_with_the_command_that_brings_it(self):
        done = self.assay("lab", "list", "--json")
        machine = json.loads(done.stdout)["results"][0]
        self.assertFalse(machine["ready"])
        reasons = {missing["what"]: missing["reason"] for missing in machine["missing"]}
        self.assertIn("apt-get install qemu-system-arm", reasons["emulator"])
        self.assertIn("assay lab install aarch64", reasons["kernel"])
        self.assertIn("not ready", self.assay("lab", "list").stdout)
        self.assertFalse(os.path.exists(self.lab), "looking makes nothing")

    def test_a_lab_that_lacks_something_is_told_apart_from_a_failure(self):
        for arguments in (["doctor"], ["events"], ["measure", "--event", "instructions", "--specimen", "loop"]):
            for kit in (self.folder, ""):
                with self.subTest(arguments, kit=kit):
                    self.env["ASSAY_KIT"] = kit
                    done = self.assay(*arguments, "--via", "lab:aarch64")
                    self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
                    self.assertNotEqual(done.stderr, "")

    def test_an_emulator_chosen_wrongly_is_named(self):
        self.env["ASSAY_QEMU"] = "/nonexistent"
        machine = json.loads(self.assay("lab", "list", "--json").stdout)["results"][0]
        reason, = (missing["reason"] for missing in machine["missing"] if missing["what"] == "emulator")
        self.assertIn("ASSAY_QEMU names /nonexistent", reason)
        self.assertNotIn("apt-get", reason)

    def test_without_apt_there_is_another_way(self):
        done = self.assay("lab", "install")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no apt-get on this machine", done.stderr)
        self.assertIn("ASSAY_LAB", done.stderr)

    def test_a_place_that_cannot_be_written_is_named(self):
        self.env["ASSAY_LAB"] = "/proc/nowhere"
        done = self.assay("lab", "install")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/proc/nowhere", done.stderr)


    def test_an_emulator_that_does_not_answer_is_given_up(self):
        emulator = os.path.join(self.folder, "qemu-system-aarch64")
        with open(emulator, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec /bin/sleep 1000\n")
        os.chmod(emulator, stat.S_IRWXU)
        machine = json.loads(self.assay("lab", "list", "--json").stdout)["results"][0]
        self.assertFalse(machine["ready"])
        self.assertIn("did not end within", {missing["what"]: missing["reason"] for missing in machine["missing"]}["emulator"])


class Damaged(LabFolder):
    """A kernel's folder that is not as an installation leaves it."""

    def setUp(self):
        super().setUp()
        self.kit = os.path.join(self.folder, "kit")
        self.kernel = os.path.join(self.lab, "aarch64", KERNEL)
        self.put(os.path.join(self.kit, "manifest"), "assay-kit 1\nisa aarch64\n")
        for path in (os.path.join(self.kit, "assay-probe"), os.path.join(self.folder, "qemu-system-aarch64")):
            self.put(path, "#!/bin/sh\necho '  cortex-a72'\n")
        self.put(os.path.join(self.kernel, "about"), "format 1\npackage p\nversion 1\nlibc 1\nbusybox 1\n")
        self.put(os.path.join(self.kernel, "vmlinuz"), "kernel")
        self.put(os.path.join(self.kernel, "base.cpio"), "base")
        self.env["ASSAY_KIT"] = self.kit

    def put(self, path, content):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(path, stat.S_IRWXU)

    def run_there(self):
        return self.assay("lab", "run", "aarch64", "--", "true")

    def test_a_whole_one_is_given_to_the_emulator(self):
        self.assertIn("the machine ended before its command did", self.run_there().stderr)

    def test_files_missing_or_empty_are_named_with_the_command_that_mends_it(self):
        for name in ("vmlinuz", "base.cpio"):
            path = os.path.join(self.kernel, name)
            for damage in (lambda path: None, lambda path: self.put(path, ""), os.mkfifo):
                with self.subTest(name):
                    os.unlink(path)
                    damage(path)
                    done = self.run_there()
                    self.assertEqual(done.returncode, 125)
                    self.assertIn(path, done.stderr)
                    self.assertIn(f"assay lab install aarch64 --kernel {KERNEL}", done.stderr)
                if os.path.exists(path):
                    os.unlink(path)
                self.put(path, "whole")

    def test_pipes_in_place_of_files_are_no_kernel(self):
        os.mkfifo(os.path.join(self.lab, "aarch64", "default"))
        self.assertIn("the machine ended before its command did", self.run_there().stderr)
        os.unlink(os.path.join(self.kernel, "about"))
        os.mkfifo(os.path.join(self.kernel, "about"))
        self.assertIn("no kernel for aarch64 is in the lab yet", self.run_there().stderr)


class Install(LabFolder):
    def setUp(self):
        super().setUp()
        for name in ("apt-get", "apt-cache", "dpkg-deb"):
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(FAKE.format(python=sys.executable, folder=self.folder))
            os.chmod(path, stat.S_IRWXU)
        self.fake()

    def fake(self, **changes):
        with open(os.path.join(self.folder, "fake.json"), "w", encoding="utf-8") as file:
            json.dump({**GOOD, **changes}, file)

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def assert_refused(self, *words, arguments=()):
        done = self.assay("lab", "install", *arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(self.installed(), ([], []))

    def test_the_kernel_debian_names_becomes_the_default(self):
        done = self.assay("lab", "install", "aarch64")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.installed(), ([KERNEL], []))
        kernels = json.loads(self.assay("lab", "list", "--json").stdout)["results"][0]["kernels"]
        self.assertEqual(kernels, [{"name": KERNEL, "installed": True, "default": True, "version": "1:2.0-1"},
                                   {"name": "6.1.0-54-cloud-arm64", "installed": False, "default": False, "version": None}])

    def test_apt_works_for_another_architecture_in_a_folder_of_ours(self):
        self.assay("lab", "install")
        for words in self.log():
            if words[0] == "dpkg-deb":
                continue
            self.assertIn(f"Dir::State={self.lab}/apt/state", words)
            self.assertIn("Dir::State::status=/dev/null", words)
            self.assertIn("APT::Architectures=arm64", words)
        with open(os.path.join(self.lab, "apt", "apt.conf"), encoding="utf-8") as file:
            self.assertIn("#clear APT::Update::Post-Invoke-Success;", file.read())

    def test_a_relative_folder_is_one_below_this(self):
        self.env["ASSAY_LAB"] = "lab with space"
        done = subprocess.run([tap.ASSAY, "lab", "install"], cwd=self.folder, env=dict(os.environ, **self.env), timeout=60,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.installed(), ([KERNEL], []))
        self.assertIn(f"Dir::State={self.lab}/apt/state", self.log()[0])

    def test_a_metapackage_stands_for_its_kernel(self):
        self.assertEqual(self.assay("lab", "install", "--kernel", "cloud-arm64").returncode, 0)
        self.assertEqual(self.installed()[0], ["6.1.0-54-cloud-arm64"])
        self.assertEqual(self.assay("lab", "install", "--kernel", "linux-image-" + KERNEL).returncode, 0)
        self.assertEqual(self.installed()[0], ["6.1.0-54-arm64", "6.1.0-54-cloud-arm64"])

    def fetches(self):
        return sum("download" in words for words in self.log())

    def test_what_is_there_is_fetched_again_only_for_a_newer_version_or_on_request(self):
        for changes, arguments, fetches in (({}, [], 1), ({}, [], 1), ({"version": "1:2.1-1"}, [], 2), ({}, ["--again"], 3)):
            with self.subTest(changes=changes, arguments=arguments):
                self.fake(**changes)
                done = self.assay("lab", "install", *arguments)
                self.assertEqual((done.returncode, self.fetches()), (0, fetches), done.stderr)
                self.assertEqual(self.installed(), ([KERNEL], []))
        self.assertIn("is in the lab already", self.assay("lab", "install").stderr)
        with open(os.path.join(self.lab, "aarch64", KERNEL, "vmlinuz"), "w", encoding="utf-8"):
            pass
        self.assertEqual(self.assay("lab", "install").returncode, 0)
        self.assertEqual(self.fetches(), 4, "a damaged one counts as absent")

    def test_a_kernel_that_is_there_can_become_the_default(self):
        self.assay("lab", "install", "--kernel", KERNEL)
        default = os.path.join(self.lab, "aarch64", "default")
        self.assertFalse(os.path.exists(default))
        self.assertEqual(self.assay("lab", "install").returncode, 0)
        self.assertEqual(self.fetches(), 1)
        self.assertTrue(os.path.exists(default))

    def test_without_a_network_apt_only_warns(self):
        self.fake(depends={}, names=[], warning="W: Failed to fetch http://m/InRelease  Could not connect to m:80")
        self.assert_refused("Could not connect to m:80", "needs the network")
        self.assert_refused("Could not connect to m:80", "needs the network", arguments=["--kernel", KERNEL])

    def test_list_shows_the_newest_of_each_series_and_flavour_unless_all_are_asked_for(self):
        names = ["6.1.0-9-arm64", "6.1.0-10-arm64", KERNEL, "6.1.0-53-rt-arm64", "6.12.9+deb12-arm64", "6.12.10+deb12-arm64"]
        self.fake(names=["linux-image-" + name for name in names])
        self.assay("lab", "install")
        listed = self.assay("lab", "list").stdout
        self.assertEqual([name for name in names if name in listed], [KERNEL, "6.1.0-53-rt-arm64", "6.12.10+deb12-arm64"])
        self.assertIn("3 older ones", listed)
        listed = self.assay("lab", "list", "--all").stdout
        self.assertEqual([name for name in names if name in listed], names)
        kernels = json.loads(self.assay("lab", "list", "--json").stdout)["results"][0]["kernels"]
        self.assertEqual(sorted(kernel["name"] for kernel in kernels), sorted(names))

    def test_the_default_is_marked_where_debian_s_is_not_installed(self):
        self.assay("lab", "install", "--kernel", "cloud-arm64")
        kernels = json.loads(self.assay("lab", "list", "--json").stdout)["results"][0]["kernels"]
        self.assertEqual([kernel["name"] for kernel in kernels if kernel["default"]], ["6.1.0-54-cloud-arm64"])

    def test_settings_stand_in_columns(self):
        lines = self.assay("lab", "list").stdout.splitlines()
        rows = {line.split()[0]: line for line in lines[lines.index("  settings (--via lab:aarch64,KEY=VALUE...)"):] if line.split()}
        starts = {rows[key].index(words) for key, words in (("memory", "megabytes"), ("paranoid", "kernel.perf"), ("user", "who"))}
        self.assertEqual(len(starts), 1, rows)

    def emulator(self):
        """A kit and an emulator that tells its models and cannot boot."""
        for name, content in (("assay-probe", "#!/bin/sh\n"), ("manifest", "assay-kit 1\nisa aarch64\n"),
                              ("qemu-system-aarch64", "#!/bin/sh\necho '  cortex-a72'; echo '  max'\n")):
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            os.chmod(path, stat.S_IRWXU)
        self.env["ASSAY_KIT"] = self.folder

    def assert_run_refused(self, setting, *words):
        done = self.assay("lab", "run", "aarch64," + setting, "--", "true")
        self.assertEqual(done.returncode, 125, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_a_kernel_that_is_not_there_comes_with_what_can_be_done(self):
        self.emulator()
        self.assert_run_refused("kernel=6.9", "assay lab install aarch64 --kernel 6.9 fetches it if Debian offers it")
        self.assay("lab", "install")
        self.assert_run_refused("kernel=6.9", "nor on offer", f"kernel={KERNEL} boots it")
        self.assert_run_refused("kernel=arm64", f"kernel={KERNEL} boots it")
        self.assert_run_refused("kernel=cloud-arm64", "assay lab install aarch64 --kernel cloud-arm64 fetches it,")
        self.assert_run_refused("kernel=6.1.0-54-clou", "the nearest is 6.1.0-54-cloud-arm64: assay lab install")

    def test_a_cpu_the_emulator_lacks_is_refused_before_booting_with_those_it_has(self):
        self.emulator()
        self.assay("lab", "install")
        self.assert_run_refused("cpu=cortex-a55", "has no cortex-a55: take one of cortex-a72, max,")
        done = self.assay("lab", "run", "aarch64,cpu=cortx")
        self.assertIn("takes cortex-a72, max\n", done.stderr)

    def test_lists_that_fail_in_part_are_no_hindrance(self):
        self.fake(update=100)
        self.assertEqual(self.assay("lab", "install").returncode, 0)

    def test_troubles_are_told_and_leave_nothing(self):
        self.fake(fetch="Temporary failure resolving mirror")
        self.assert_refused("Temporary failure resolving mirror", "network")
        self.fake(unpack="No space left on device")
        self.assert_refused("cannot unpack", "No space left on device")
        self.fake(depends={})
        self.assert_refused("linux-image-arm64", "mirror of Debian")
        self.fake()
        self.assert_refused("no kernel '9.9'", "assay lab list", arguments=["--kernel", "9.9"])
        self.fake(config="CONFIG_VIRTIO=y\nCONFIG_VIRTIO_CONSOLE=m\n")
        self.assert_refused("CONFIG_VIRTIO_MMIO", "another one")
        self.fake(modules=["virtio/virtio_mmio.ko.xz", "char/virtio_console.ko.xz"])
        self.assert_refused("compressed")

    def test_compressed_drivers_are_left_to_a_kernel_that_unpacks_them(self):
        self.fake(modules=["virtio/virtio_mmio.ko.xz", "char/virtio_console.ko.xz"],
                  config=GOOD["config"] + "CONFIG_MODULE_DECOMPRESS=y\n")
        self.assertEqual(self.assay("lab", "install").returncode, 0)

    def test_names_from_apt_are_checked_before_they_become_paths(self):
        self.fake(depends={"linux-image-arm64": ["linux-image-../../../../tmp/evil-arm64"]})
        self.assert_refused("linux-image-arm64")
        self.fake()
        self.assay("lab", "install")
        listed = self.assay("lab", "list").stdout
        self.assertNotIn("evil", listed)
        self.assertNotIn("\033", listed)

    def start(self):
        return subprocess.Popen([tap.ASSAY, "lab", "install", "-q"], env=dict(os.environ, **self.env), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def wait_for(self, word, process):
        def logged():
            return os.path.exists(os.path.join(self.folder, "log")) and word in (self.log() or [[]])[-1]
        self.assertTrue(eventually(lambda: logged() or process.poll() is not None))
        self.assertIsNone(process.poll())

    def test_killed_it_leaves_nothing_that_counts_and_the_next_one_tidies_up(self):
        for number, status in ((signal.SIGKILL, -9), (signal.SIGINT, 130)):
            with self.subTest(number):
                if os.path.exists(os.path.join(self.folder, "log")):
                    os.unlink(os.path.join(self.folder, "log"))
                self.fake(sleep=600)
                process = self.start()
                self.wait_for("download", process)
                process.send_signal(number)
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, status)
                apt = self.log()[-1][-1]
                self.assertTrue(eventually(lambda: not alive(apt)), "apt goes on")
                self.assertEqual(self.installed()[0], [])
        self.fake()
        self.assertEqual(self.assay("lab", "install").returncode, 0)
        self.assertEqual(self.installed(), ([KERNEL], []))

    def test_killed_it_takes_the_children_of_its_tools_along(self):
        self.fake(linger=True)
        process = self.start()
        self.wait_for("linger", process)
        process.kill()
        process.communicate(timeout=60)
        numbers = [words[-1] for words in self.log()[-2:]]
        self.assertTrue(eventually(lambda: not any(map(alive, numbers))), [number for number in numbers if alive(number)])

    def test_two_at_once_wait_for_each_other(self):
        self.fake(sleep=1)
        first = self.start()
        self.wait_for("download", first)
        for process in (self.start(), first):
            _, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(self.installed(), ([KERNEL], []))


if __name__ == "__main__":
    tap.main()
