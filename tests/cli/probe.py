# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The probe, spoken to in its own protocol: what it offers, what it counts, and that it leaves nothing behind."""
import errno
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import tempfile
import unittest

import frames
import tap
from processes import PATIENCE, wait_until

PERF_PATHS = ["perf-read", "perf-syscall", "perf-prctl"]
FOREVER = 10**12  # iterations of the loop: longer than any test


def children(parent):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = pathlib.Path(f"/proc/{entry}/stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            state, ppid = stat.rpartition(")")[2].split()[:2]
            if int(ppid) == parent and state != "Z":
                found.append(int(entry))
    return found


def running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Session(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = dict(os.environ, TMPDIR=self.folder.name)

    def probe(self, kit=None, **options):
        probe = frames.Probe(kit or tap.KIT, env=self.environment, **options)
        self.addCleanup(probe.__exit__)
        return probe

    def started(self, **options):
        probe = self.probe(**options)
        self.assertEqual(probe.hello()[-1].type, "ready", probe.catalogue[-1])
        return probe

    def openable(self, probe, event):
        probe.send("try", name=event)
        frame = probe.receive()
        if frame.type != "event" or frame["openable"] != "1":
            self.skipTest(f"{event} cannot be opened here: {frame['reason']}")

    def provides(self, probe, path):
        """Skips with the catalogue's own reason where the path is not to be had."""
        if path not in [frame["name"] for frame in probe.catalogue if frame.type == "path"]:
            reasons = [frame["reason"] for frame in probe.catalogue if frame.type == "absent" and frame["name"] == path]
            self.skipTest(f"no {path} here: {'; '.join(reasons) or 'the kit was built without'}")

    def under_way(self, **factors):
        """A probe in the middle of a visit that does not end, and its harness."""
        probe = self.started()
        probe.cell(0, **{"events": "page-faults:u", "specimen": "loop", "n": FOREVER, **factors})
        probe.send("visits", list="0:0,0:1")
        probe.send("go")
        wait_until(lambda: children(probe.process.pid))
        return probe, children(probe.process.pid)[0]


class Catalogue(Session):
    def test_hello_carries_version_build_and_isa(self):
        hello = self.started().catalogue[0]
        self.assertEqual((hello.type, hello["version"], hello["isa"]), ("hello", "1", os.uname().machine))
        manifest = pathlib.Path(tap.KIT, "manifest").read_text(encoding="utf-8")
        self.assertIn(f"build {hello['build']}\n", manifest)

    def test_specimens_come_with_their_truths(self):
        catalogue = self.started().catalogue
        names = [frame["name"] for frame in catalogue if frame.type == "specimen"]
        self.assertTrue({"null", "loop", "pages", "getppid"} <= set(names))
        truths = {(frame["specimen"], frame["class"]): frame for frame in catalogue if frame.type == "truth"}
        loop = truths["loop", "instructions"]
        self.assertEqual((loop["base"], loop["grade"]), ("1", "proven"))
        self.assertGreater(int(loop["each"]), 1)  # to the count: test-windows, harness.py and emulated.py
        self.assertEqual({(frame["base"], frame["each"]) for key, frame in truths.items() if key[0] == "null"}, {("0", "0")})

    def test_a_truth_says_who_confirmed_it_and_why_it_is_no_better(self):
        truths = [frame for frame in self.started().catalogue if frame.type == "truth"]
        self.assertTrue({"proven"} <= {truth["grade"] for truth in truths} <= {"proven", "bounded", "model"})
        for truth in truths:
            with self.subTest(f"{truth['specimen']} {truth['class']}"):
                self.assertEqual(truth["grade"] == "proven", truth["why"] == "")
                self.assertEqual(truth["grade"] == "bounded", "high_base" in truth.fields and "high_each" in truth.fields)
                if truth["grade"] == "proven":
                    self.assertGreaterEqual(len(truth["sources"].split(",")), 2)

    def test_code_is_what_stands_in_the_probe_itself(self):
        probe = self.started()
        program = pathlib.Path(tap.KIT, "assay-probe").read_bytes()
        for name in ("adds", "loop"):
            probe.send("code", specimen=name)
            head, code = probe.receive(), b""
            self.assertEqual(head.type, "code", head)
            while len(code) < int(head["length"]):
                piece = probe.receive()
                self.assertEqual((piece.type, int(piece["offset"])), ("bytes", len(code)))
                code += bytes.fromhex(piece["code"])
            self.assertEqual(len(code), int(head["length"]))
            self.assertIn(code, program)
            self.assertEqual(head["trips"], "-1:1")
            self.assertEqual(head["call"] == "", name == "loop")

    def test_code_that_cannot_be_read_is_refused(self):
        probe = self.started()
        for name, error in (("l1i-blocks", errno.ENOTSUP), ("nonsense", errno.ENOENT), ("", errno.ENOENT)):
            probe.send("code", specimen=name)
            answer = probe.receive()
            self.assertEqual((answer.type, answer["error"]), ("refused", str(error)), name)
        probe.send("code")
        self.assertEqual(probe.receive()["error"], str(errno.ENOENT))
        probe.send("code", specimen="null")
        self.assertEqual(probe.receive()["length"], "0")

    def test_paths_come_with_their_factors(self):
        paths = {frame["name"]: frame for frame in self.started().catalogue if frame.type == "path"}
        for name in PERF_PATHS:
            self.assertEqual(paths[name]["patterns"], "ar,ao,rr,ro")
            self.assertEqual(paths[name]["opts"], "O0,O1,O2,O3")
            self.assertEqual(sorted(paths[name]["links"].split(",")), ["bind-now", "lazy", "static"])

    def test_facts_of_the_machine_are_told(self):
        facts = {frame["key"]: frame for frame in self.started().catalogue if frame.type == "fact"}
        self.assertEqual(facts["kernel.release"]["value"], os.uname().release)

    def test_a_harness_that_cannot_run_is_absent_with_the_words_of_the_loader(self):
        kit = shutil.copytree(tap.KIT, f"{self.folder.name}/kit")
        broken = f"{kit}/harness-lazy"
        os.unlink(broken)
        pathlib.Path(broken).write_text("#!/bin/sh\necho no such library >&2\nexit 127\n", encoding="utf-8")
        os.chmod(broken, 0o755)
        catalogue = self.started(kit=kit).catalogue
        absent = [frame for frame in catalogue if frame.type == "absent" and frame["name"] == "harness-lazy"]
        self.assertIn("no such library", absent[0]["reason"])
        paths = {frame["name"]: frame["links"] for frame in catalogue if frame.type == "path"}
        self.assertEqual(sorted(paths["perf-read"].split(",")), ["bind-now", "static"])

    def test_a_kit_without_manifest_is_refused_in_words(self):
        kit = shutil.copytree(tap.KIT, f"{self.folder.name}/kit")
        os.unlink(f"{kit}/manifest")
        error = self.probe(kit=kit).hello()[-1]
        self.assertEqual(error.type, "error")
        self.assertIn("not complete", error["reason"])


class Events(Session):
    def test_a_known_event_can_be_tried(self):
        probe = self.started()
        probe.send("try", name="page-faults:u")
        event = probe.receive()
        self.assertEqual((event.type, event["name"], event["kind"], event["class"]), ("event", "page-faults:u", "software", "page-faults"))

    def test_a_wrong_name_is_refused_with_the_nearest(self):
        probe = self.started()
        probe.send("try", name="page-fault")
        refused = probe.receive()
        self.assertEqual((refused.type, int(refused["error"])), ("refused", errno.ENOENT))
        self.assertIn("page-faults", refused["reason"])

    def test_events_are_listed_by_glob_each_tried(self):
        probe = self.started()
        probe.send("list", glob="*-faults")
        listed = probe.until("listed")
        names = [frame["name"] for frame in listed if frame.type == "event"]
        self.assertTrue({"page-faults", "minor-faults", "major-faults"} <= set(names))
        self.assertEqual((listed[0].type, int(listed[0]["count"])), ("matching", len(names)))

    def test_events_can_be_listed_after_a_run(self):
        probe = self.started()
        probe.run([dict(events="page-faults")])
        probe.send("list", glob="page-faults")
        self.assertEqual(probe.until("listed")[1]["name"], "page-faults")


class Counts(Session):
    def every_cell(self, probe, **factors):
        """The cell in every path of perf_event, pattern, level and link mode the catalogue offers; but for the tool, which counts
        more than a window."""
        for path in (frame for frame in probe.catalogue if frame.type == "path" and "perf_event" in frame["sources"].split(",")):
            if path["name"] == "perf-stat":
                continue
            for pattern in path["patterns"].split(","):
                for opt in path["opts"].split(","):
                    for link in path["links"].split(","):
                        yield dict(factors, path=path["name"], pattern=pattern, opt=opt, link=link)

    def test_page_faults_are_exact_through_every_path_pattern_level_and_link(self):
        probe = self.started()
        self.openable(probe, "page-faults:u")
        for n in (1, 1000):
            cells = list(self.every_cell(probe, events="page-faults:u", specimen="pages", n=n, runs=3))
            for cell, visit in zip(cells, probe.run(cells)):
                self.assertTrue(visit.done, f"{cell}: {visit.end}")
                self.assertEqual(statistics.median(visit.counts), n, f"{cell}: {visit.counts}")
                for value, minor in zip(visit.counts, visit.minor):  # what is more, the other account saw too
                    self.assertTrue(n <= value <= minor, f"{cell}: {visit.counts} {visit.minor}")

    def test_the_first_run_of_a_process_faults_in_nothing_of_its_own(self):
        probe = self.started()
        self.openable(probe, "page-faults:u")
        cells = list(self.every_cell(probe, events="page-faults:u", runs=1))
        off = [cell for cell, visit in zip(cells, probe.run(cells)) if visit.counts != [0] or visit.minor != [0]]
        self.assertLessEqual(len(off), len(cells) // 50, off)  # a loaded machine may disturb one

    def test_nothing_is_counted_where_nothing_is_done(self):
        probe = self.started()
        self.openable(probe, "page-faults:u")
        cells = list(self.every_cell(probe, events="page-faults:u", specimen="null", runs=3))
        for cell, visit in zip(cells, probe.run(cells)):
            self.assertTrue(visit.done, f"{cell}: {visit.end}")
            self.assertTrue(all(0 <= value <= minor for value, minor in zip(visit.counts, visit.minor)), f"{cell}: {visit.counts}")
            self.assertEqual(statistics.median(visit.counts), 0, f"{cell}: {visit.counts}")

    def test_the_paths_own_system_call_is_a_constant(self):
        probe = self.started()
        self.openable(probe, "raw_syscalls:sys_enter")
        cells = list(self.every_cell(probe, events="raw_syscalls:sys_enter", runs=5))
        for cell, visit in zip(cells, probe.run(cells)):
            if cell["path"].startswith("papi") and not visit.done and "debugfs" in visit.end["reason"]:
                continue  # which may be neither mounted nor mountable: ordinary users, containers, a chroot
            self.assertTrue(visit.done, f"{cell}: {visit.end}")
            self.assertEqual(len(set(visit.counts)), 1, f"{cell}: {visit.counts}")
            if cell["path"] in PERF_PATHS:
                self.assertEqual(visit.counts[0], 1, cell)

    def test_system_calls_are_exact(self):
        probe = self.started()
        self.openable(probe, "syscalls:sys_enter_getppid")
        cells = [dict(events="syscalls:sys_enter_getppid", path=path, pattern=pattern, specimen="getppid", n=n)
                 for path in PERF_PATHS for pattern in ("ar", "ao", "rr", "ro") for n in (1, 100)]
        for cell, visit in zip(cells, probe.run(cells)):
            self.assertEqual(set(visit.counts), {cell["n"]}, cell)

    def test_instructions_are_counted_or_refused_with_a_reason(self):
        probe = self.started()
        cells = [dict(events="instructions:u", specimen="null"), dict(events="instructions:u", specimen="loop", n=1000)]
        null, loop = probe.run(cells)
        if null.done:
            self.assertEqual(min(loop.counts) - min(null.counts), 3001)
        else:
            self.assertIn(int(null.end["error"]), (errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP))
            self.assertGreater(len(null.end["reason"]), 40)
            self.assertEqual(loop.end["error"], null.end["error"])

    def test_a_group_and_separate_counters_agree(self):
        probe = self.started()
        self.openable(probe, "page-faults:u")
        events = ["page-faults:u", "minor-faults:u", "major-faults:u", "page-faults:u"]
        cells = [dict(events=events, path=path, pattern=pattern, specimen="pages", n=10, separate=separate, runs=5)
                 for path in PERF_PATHS for pattern in ("ar", "ao", "rr", "ro") for separate in (0, 1)]
        for cell, visit in zip(cells, probe.run(cells)):
            self.assertTrue(visit.done, visit.end)
            self.assertEqual(statistics.mode(visit.values), (10, 10, 0, 10), f"{cell} {visit.values}")

    def test_time_enabled_and_running_are_told(self):
        probe = self.started()
        self.openable(probe, "task-clock:u")
        (visit,) = probe.run([dict(events="task-clock:u", specimen="loop", n=1000000, runs=3)])
        for value, enabled, running_ in zip(visit.values, visit.enabled, visit.running):
            self.assertGreater(enabled[0], 100000)
            self.assertEqual(enabled, running_)

    def test_many_runs_come_in_order_and_complete(self):
        probe = self.started()
        (visit,) = probe.run([dict(events="page-faults:u", runs=5000, pattern="rr")])
        self.assertEqual(len(visit.values), 5000)

    def test_a_visit_can_be_pinned(self):
        probe = self.started()
        cpu = min(os.sched_getaffinity(0))
        pinned, nowhere = probe.run([dict(events="page-faults:u", cpu=cpu), dict(events="page-faults:u", cpu=8000)])
        self.assertTrue(pinned.done, pinned.end)
        self.assertIn("cannot pin to CPU 8000", nowhere.end["reason"])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root can become nobody, by setpriv")
    def test_an_unprivileged_probe_counts_too(self):
        kit = shutil.copytree(tap.KIT, f"{self.folder.name}/kit")
        os.chmod(self.folder.name, 0o1777)
        prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        probe = self.started(kit=kit, prefix=prefix)
        self.openable(probe, "page-faults:u")
        cells = list(self.every_cell(probe, events="page-faults:u", specimen="pages", n=7, runs=3))
        for cell, visit in zip(cells, probe.run(cells)):
            self.assertTrue(visit.done, f"{cell}: {visit.end}")
            self.assertEqual(statistics.median(visit.counts), 7, cell)


class Refusals(Session):
    def test_what_does_not_exist_fails_the_visit_by_name(self):
        wrong = {"path": "perf-nothing", "opt": "O9", "link": "glue", "specimen": "no-such-specimen", "events": "no-such-event"}
        probe = self.started()
        cells = [dict({"events": "page-faults"}, **{factor: value}) for factor, value in wrong.items()]
        for (factor, value), visit in zip(wrong.items(), probe.run(cells)):
            self.assertFalse(visit.done, factor)
            self.assertIn(value.lstrip("O"), visit.end["reason"])

    def test_names_of_any_length_are_refused_not_cut(self):
        probe = self.started()
        cells = [dict({"events": "page-faults"}, **{factor: "x" * 5000}) for factor in ("path", "opt", "link", "specimen", "events")]
        for visit in probe.run(cells):
            self.assertFalse(visit.done)
        self.assertTrue(probe.run([dict(events="page-faults:u")])[0].done)

    def test_n_beyond_what_a_specimen_can_do_is_refused(self):
        probe = self.started()
        endless, huge = probe.run([dict(events="page-faults:u", specimen="loop", n=0), dict(events="page-faults:u", specimen="pages", n=10**15)])
        self.assertIn("begins at N = 1", endless.end["reason"])
        self.assertIn("goes up to N", huge.end["reason"])

    def test_a_pattern_a_path_lacks_is_refused(self):
        probe = self.started()
        self.provides(probe, "papi-high")
        (visit,) = probe.run([dict(events="page-faults", path="papi-high", pattern="ao")])
        self.assertIn("does not support pattern ao", visit.end["reason"])

    def test_papi_says_what_it_cannot_express(self):
        probe = self.started()
        self.provides(probe, "papi-low")
        mixed, separate, unnamed = probe.run([
            dict(events=["page-faults:u", "page-faults:k"], path="papi-low"),
            dict(events=["page-faults:u", "minor-faults:u"], path="papi-low", separate=1),
            dict(events="mem:0x1000:w", path="papi-low")])
        self.assertIn("one mode", mixed.end["reason"])
        self.assertIn("separately", separate.end["reason"])
        self.assertIn("no name", unnamed.end["reason"])

    def test_a_visit_of_an_unknown_cell_fails_alone(self):
        probe = self.started()
        probe.send("visits", list="77:0")
        probe.send("go")
        end = [frame for frame in probe.until("idle") if frame.type == "end"][0]
        self.assertEqual((end["cell"], end["state"]), ("77", "failed"))

    def last_word(self, line):
        probe = self.started()
        probe.process.stdin.write(line)
        probe.process.stdin.flush()
        error = probe.until("error")[-1]
        self.assertIsNone(probe.receive())
        return error["reason"]

    def test_the_cell_under_way_cannot_be_replaced(self):
        probe, harness = self.under_way()
        probe.cell(1, events="page-faults", specimen="loop", n=FOREVER)
        probe.cell(0, events="page-faults", specimen="loop", n=1)
        self.assertIn("while it is visited", probe.until("error")[-1]["reason"])
        self.assertIsNone(probe.receive())
        wait_until(lambda: not running(harness))

    def test_malformed_requests_end_the_session_with_a_reason(self):
        def framed(body):
            return f"{body} {frames.zlib.crc32(body.encode()):08x}\n"
        self.assertTrue(self.last_word("@assay 0 go 00000000\n"))
        self.assertTrue(self.last_word(framed("@assay 5 go")))
        self.assertIn("dance", self.last_word(framed("@assay 0 dance")))
        self.assertIn("visits", self.last_word(framed("@assay 0 visits list=1-2")))
        self.assertIn("visits", self.last_word(framed("@assay 0 visits")))
        self.assertIn("try", self.last_word(framed("@assay 0 try")))
        self.assertTrue(self.last_word(framed("@assay 0 cell id=1")))


class Endings(Session):
    def gone(self, probe, harness):
        wait_until(lambda: not running(harness))
        probe.process.wait(timeout=PATIENCE)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_bye_is_answered(self):
        probe = self.started()
        probe.send("bye")
        self.assertEqual(probe.receive().type, "bye")
        self.assertIsNone(probe.receive())
        self.assertEqual(probe.process.wait(timeout=PATIENCE), 0)

    def test_a_killed_probe_takes_its_harness_along(self):
        probe, harness = self.under_way()
        probe.process.kill()
        self.gone(probe, harness)

    def test_a_lost_controller_leaves_no_process(self):
        probe, harness = self.under_way()
        probe.process.stdin.close()
        self.gone(probe, harness)

    def test_a_controller_that_stops_reading_leaves_no_process(self):
        probe, harness = self.under_way()
        probe.process.stdout.close()
        self.gone(probe, harness)

    def test_a_lost_controller_leaves_no_folder(self):
        self.provides(self.started(), "papi-high")  # nobody else writes into a folder
        probe, harness = self.under_way(path="papi-high", pattern="rr")
        self.assertEqual(len(os.listdir(self.folder.name)), 1)
        probe.process.stdin.close()
        self.gone(probe, harness)

    def test_a_terminated_probe_leaves_nothing(self):
        probe, harness = self.under_way()
        probe.process.send_signal(signal.SIGTERM)
        self.gone(probe, harness)

    def test_stop_waits_for_the_visit_and_drops_the_rest(self):
        probe, harness = self.under_way()
        probe.send("stop")
        self.assertEqual([frame.type for frame in probe.until("begin", "alive")][0], "begin")
        os.kill(harness, signal.SIGKILL)
        seen = probe.until("stopped")
        self.assertEqual([frame.type for frame in seen if frame.type in ("begin", "end")], ["end"])
        self.assertTrue(probe.run([dict(events="page-faults:u")])[0].done)

    def test_stop_is_answered_when_nothing_runs(self):
        probe = self.started()
        probe.send("stop")
        self.assertEqual(probe.receive().type, "stopped")

    def test_a_crashed_harness_fails_its_visit_and_no_other(self):
        probe, harness = self.under_way()
        probe.send("visits", list="")
        os.kill(harness, signal.SIGSEGV)
        end = probe.until("end")[-1]
        self.assertEqual(end["state"], "failed")
        self.assertIn("SIGSEGV", end["reason"])
        wait_until(lambda: children(probe.process.pid))
        probe.process.stdin.close()

    def test_a_silent_visit_is_reported_alive(self):
        probe, _ = self.under_way()
        self.assertEqual(probe.until("alive")[-1].type, "alive")


class Kit(Session):
    def push(self, files):
        """What a transport does: the probe alone in a folder, the other files through its input."""
        kit = f"{self.folder.name}/pushed"
        os.mkdir(kit, 0o700)
        shutil.copy(f"{tap.KIT}/assay-probe", kit)
        process = subprocess.Popen([f"{kit}/assay-probe", "receive"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.assertEqual(process.stdout.readline(), b"@assay-kit\n")
        for name, mode, content in files:
            process.stdin.write(f"file {name} {mode:o} {len(content)}\n".encode() + content)
        return kit, process

    def kit_files(self):
        for name in sorted(os.listdir(tap.KIT)):
            if name != "assay-probe" and "papi" not in name:
                yield name, 0o700, pathlib.Path(tap.KIT, name).read_bytes()

    def test_a_pushed_kit_serves_and_disappears(self):
        kit, process = self.push(self.kit_files())
        process.stdin.write(b"end\n")
        process.stdin.flush()
        line = process.stdout.readline().decode()
        self.assertEqual(frames.Frame(line).type, "hello")
        process.stdin.close()
        process.stdout.read()
        process.wait(timeout=PATIENCE)
        self.assertFalse(os.path.exists(kit))

    def test_a_kit_that_breaks_off_disappears(self):
        kit, process = self.push([])
        process.stdin.write(b"file manifest 600 1000\nassay-kit 1\n")
        process.stdin.close()
        self.assertEqual(process.wait(timeout=PATIENCE), 1)
        self.assertFalse(os.path.exists(kit))

    def test_a_file_cannot_leave_the_folder(self):
        for name in ("../escaped", "/tmp/escaped", ".hidden", "assay-probe"):
            with self.subTest(name=name):
                kit, process = self.push([])
                process.stdin.write(f"file {name} 755 1\nx".encode())
                process.stdin.close()
                self.assertIn(b"not a file of a kit", process.stderr.read())
                self.assertEqual(process.wait(timeout=PATIENCE), 1)
                self.assertEqual(os.listdir(self.folder.name), [])
                self.assertFalse(os.path.exists(kit))


class Words(unittest.TestCase):
    def run_probe(self, *arguments):
        return subprocess.run([f"{tap.KIT}/assay-probe", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=PATIENCE, check=False)

    def test_version(self):
        self.assertRegex(self.run_probe("--version").stdout, rf"^assay-probe \S+ {os.uname().machine}\n$")

    def test_facts_of_this_machine(self):
        self.assertIn(f"kernel.release = {os.uname().release}\n", self.run_probe("facts").stdout)

    def test_facts_of_a_recorded_machine(self):
        with tempfile.TemporaryDirectory() as root:
            setting = pathlib.Path(root, "proc/sys/kernel/perf_event_paranoid")
            setting.parent.mkdir(parents=True)
            setting.write_text("7\n", encoding="utf-8")
            self.assertIn(" = 7\n", self.run_probe("facts", "--root", root).stdout)
            pathlib.Path(root, "live").write_text("no facts at all\n", encoding="utf-8")
            self.assertEqual(self.run_probe("facts", "--root", root).returncode, 1)

    def test_wrong_words_get_the_usage(self):
        for arguments in ([], ["dance"], ["serve", "now"], ["facts", "--root"]):
            result = self.run_probe(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn("usage:", result.stderr)


if __name__ == "__main__":
    tap.main()
