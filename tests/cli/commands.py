# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole programs at their worst, executed by the real probe: how they ended is told, and nothing of them is left."""
import errno
import os
import signal
import statistics

import processes
import programs
import tap
from programs import SIGNAL, TIMEOUT, program

SOON = 300  # ms, of programs that never end


class Endings(programs.Session):
    def test_the_status_is_the_programs_own(self):
        probe = self.started()
        for status in (0, 1, 42, 255):
            self.assertEqual(self.became(program("ends"), "exit", str(status), probe=probe)["status"], status)

    def test_a_signal_is_told_by_its_number(self):
        probe = self.started()
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT, signal.SIGPIPE):
            self.assertEqual(self.became(program("ends"), "signal", str(int(number)), probe=probe)["status"], SIGNAL + number)

    def test_a_crash_is_told_and_leaves_no_dump(self):
        became = self.became(program("ends"), "crash", directory=str(self.work), controls=programs.ALL)
        self.assertEqual(became["status"], SIGNAL + signal.SIGSEGV)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_one_that_ran_alone_left_nothing(self):
        became = self.became(program("ends"), "exit", "0")
        self.assertEqual((became["left"], became["output-bytes"]), (0, 0))
        self.assertGreater(became["nanoseconds"], 0)

    def test_another_program_in_its_place_is_the_one_that_ends(self):
        self.assertEqual(self.became(program("becomes"), program("becomes"), program("ends"), "exit", "9")["status"], 9)

    def test_the_next_visit_knows_nothing_of_the_last(self):
        probe = self.started()
        visits = probe.run([{"words": words} for words in (
            [program("flood"), "1"], [program("ends"), "exit", "3"], ["/nonexistent"], [program("ends"), "exit", "0"])])
        self.assertEqual([visit.done for visit in visits], [True, True, False, True])
        self.assertEqual([visit.became["status"] for visit in visits if visit.done], [7, 3, 0])
        self.assertEqual([visit.became["output-bytes"] for visit in visits if visit.done], [1 << 20, 0, 0])


class Refused(programs.Session):
    def refusal(self, *words, **factors):
        visit = self.ran(*words, **factors)
        self.assertFalse(visit.done, visit.end)
        self.assertEqual(visit.values, [])
        return int(visit.end["error"]), visit.end["reason"]

    def file(self, name, text, mode):
        path = self.work / name
        path.write_bytes(text)
        path.chmod(mode)
        return str(path)

    def test_no_such_program(self):
        for name in ("/nonexistent/program", "no-such-program-anywhere", "./no-such-program", "/etc/passwd/program"):
            error, reason = self.refusal(name)
            self.assertEqual(error, errno.ENOENT, name)
            self.assertIn(name.removeprefix("./"), reason)

    def test_what_may_not_be_executed(self):
        error, reason = self.refusal(self.file("text", b"text\n", 0o644))
        self.assertEqual(error, errno.EACCES)
        self.assertIn("chmod", reason)

    def test_a_folder(self):
        error, reason = self.refusal("/tmp")
        self.assertEqual(error, errno.EACCES)
        self.assertIn("folder", reason)

    def test_a_fifo_is_not_waited_for(self):
        os.mkfifo(self.work / "fifo", 0o755)
        self.assertEqual(self.refusal(str(self.work / "fifo"))[0], errno.EACCES)

    def test_a_script_whose_interpreter_is_missing(self):
        error, reason = self.refusal(self.file("script", b"#!/nonexistent/interpreter -x\n", 0o755))
        self.assertEqual(error, errno.ENOENT)
        self.assertIn("/nonexistent/interpreter", reason)

    def test_what_is_no_program(self):
        for name, text in (("empty", b""), ("rubbish", b"\x00\x01\x02"), ("text", b"echo no interpreter\n"),
                           ("elf", b"\x7fELF" + bytes(100))):
            error, reason = self.refusal(self.file(name, text, 0o755))
            self.assertEqual(error, errno.ENOEXEC, name)
            self.assertIn("no program", reason)

    def test_a_program_of_the_kit_that_there_is_not(self):
        for name in ("subject:", "subject:nonsense", "subject:../assay-probe"):
            self.assertEqual(self.refusal(name)[0], errno.ENOENT)

    def test_files_that_were_not_brought(self):
        error, reason = self.refusal("{brought}/program")
        self.assertEqual(error, errno.ENOENT)
        self.assertIn("brought", reason)

    def test_an_input_that_cannot_be_read(self):
        error, reason = self.refusal(program("reads"), input_="/nonexistent/input")
        self.assertEqual(error, errno.ENOENT)
        self.assertIn("/nonexistent/input", reason)

    def test_a_directory_that_is_not_there(self):
        error, reason = self.refusal(program("reads"), directory="/nonexistent/folder", controls=programs.only("directory"))
        self.assertEqual(error, errno.ENOENT)
        self.assertIn("/nonexistent/folder", reason)

    def test_a_cpu_that_is_not_there(self):
        error, reason = self.refusal(program("reads"), cpu=4000, controls=programs.only("cpu"))
        self.assertEqual(error, errno.EINVAL)
        self.assertIn("CPU 4000", reason)

    def test_events_that_do_not_go_with_commands(self):
        for events, number in ((["nonsense"], errno.ENOENT), (["mem:target:x"], errno.ENOTSUP),
                               (["trap/instructions/"], errno.ENOENT)):
            self.assertEqual(self.refusal(program("ends"), "exit", "0", events=events)[0], number, events)

    def test_a_detail_that_the_counter_does_not_give(self):
        error, reason = self.refusal(program("ends"), "exit", "0", events=["page-faults:u"], detail="code")
        self.assertEqual(error, errno.ENOTSUP)
        self.assertIn("perf_event", reason)


class Time(programs.Session):
    def test_one_that_waits_for_ever_is_asked_to_end(self):
        self.assertEqual(self.became(program("reads"), "forever", timeout=SOON)["status"], TIMEOUT + signal.SIGTERM)

    def test_one_that_does_not_listen_is_ended(self):
        for words in (["deaf"], ["deaf", "stopped"]):
            visit = self.ended_late(program(words[0]), *words[1:], timeout=SOON)
            self.assertTrue(visit.done, visit.end)
            became = visit.became
            self.assertEqual((became["status"], became["output-bytes"]), (TIMEOUT + signal.SIGKILL, 5), words)

    def test_one_that_left_its_session_is_found(self):
        became = self.became(program("deaf"), "group", timeout=60000)
        self.assertEqual((became["status"], became["left"]), (0, 1))

    def test_time_that_is_not_over_changes_nothing(self):
        self.assertEqual(self.became(program("ends"), "exit", "3", timeout=60000)["status"], 3)

    def test_no_limit_is_none(self):
        self.assertEqual(self.became(program("ends"), "exit", "3", timeout=0)["status"], 3)


class Output(programs.Session):
    def test_megabytes_are_counted_and_summed(self):
        probe = self.started()
        first, again, other = (self.became(program("flood"), "50", "3", probe=probe),
                               self.became(program("flood"), "50", probe=probe), self.became(program("flood"), "49", probe=probe))
        self.assertEqual([became["output-bytes"] for became in (first, again, other)], [53 << 20, 50 << 20, 49 << 20])
        self.assertEqual(first["output-sum"], again["output-sum"], "standard output alone")
        self.assertNotEqual(first["output-sum"], other["output-sum"])
        self.assertEqual(first["status"], 7)

    def test_nobody_makes_a_program_wait_that_writes_a_megabyte(self):
        probe = self.started()
        waits = [self.ran(program("flood"), "1", probe=probe).voluntary[0] for _ in range(7)]
        self.assertLessEqual(min(waits), 1, waits)  # on a busy machine some read the program itself from a disk

    def test_what_is_not_shown_is_not_sent(self):
        self.assertEqual(self.ran(program("flood"), "1", "1").output, {"1": "", "2": ""})

    def test_what_is_shown_arrives_whole(self):
        visit = self.ran(program("flood"), "3", "2", shown=1)
        self.assertEqual(visit.output, {"1": "x" * (3 << 20), "2": "x" * (2 << 20)})
        self.assertEqual(visit.became["output-bytes"], 5 << 20)

    def test_closing_both_is_not_the_end(self):
        became = self.became(program("closes"))
        self.assertEqual((became["status"], became["output-bytes"]), (5, 5))

    def test_output_of_what_is_left_behind_is_no_reason_to_wait(self):
        became = self.became("sh", "-c", f"{program('deaf')} & exit 4")
        self.assertEqual((became["status"], became["left"]), (4, 1))


class Families(programs.Session):
    def openable(self, probe):
        probe.send("try", name="page-faults:u")
        frame = probe.receive()
        if frame["openable"] != "1":
            self.skipTest(f"no events: {frame['reason']}")

    def test_a_daemon_is_found_and_ended(self):
        told = self.work / "pid"
        became = self.became(program("daemonize"), str(told))
        self.assertEqual((became["status"], became["left"]), (0, 1))
        self.assertIsNone(processes.parent_of(told.read_text().strip()))

    def test_a_tree_of_processes_is_ended(self):
        became = self.became(program("forks"), "tree", "5")
        self.assertEqual((became["status"], became["left"]), (0, 62))

    def test_one_that_is_never_where_one_looks_is_ended(self):
        became = self.became(program("forks"), "hop")
        self.assertEqual(became["status"], 0)
        self.assertGreaterEqual(became["left"], 1)

    def test_threads_and_processes_are_told_apart(self):
        probe = self.started()
        self.openable(probe)
        for words, tasks, births in ((["ends", "exit", "0"], 1, 1), (["threads", "8"], 9, 1), (["forks", "wait", "20"], 21, 21),
                                     (["forks", "wait", "1000"], 1001, 1001)):
            became = self.became(program(words[0]), *words[1:], probe=probe)
            self.assertEqual((became["tasks"], became["processes"]), (tasks, births), words)

    def test_threads_and_children_are_counted_with_it(self):
        probe = self.started()
        self.openable(probe)
        one, eight = (self.ran(program("threads"), str(count), events=["page-faults:u"], probe=probe) for count in (1, 8))
        self.assertGreater(eight.counts[0] - one.counts[0], 7 * 256 - 64)
        none, many = (self.ran(program("forks"), "wait", str(count), events=["page-faults:u"], probe=probe) for count in (0, 50))
        self.assertGreater(many.counts[0], none.counts[0] + 50)
        self.assertGreater(many.minor[0], none.minor[0] + 50)


class Counts(programs.Session):
    def test_counting_begins_with_the_program_and_ends_with_it(self):
        probe = self.started()
        probe.send("try", name="page-faults:u")
        if probe.receive()["openable"] != "1":
            self.skipTest("page-faults cannot be counted here")
        visits = probe.run([{"words": [program("ends"), "exit", "0"], "events": ["page-faults:u", "task-clock:u"],
                             "controls": programs.ALL, "cpu": min(os.sched_getaffinity(0))}] * 6)
        seen = [(visit.counts[0], visit.minor[0]) for visit in visits]
        usual = statistics.mode(visit.counts[0] for visit in visits)
        before = statistics.mode(minor - count for count, minor in seen)
        self.assertGreater(sum(count == usual for count, _ in seen), len(seen) / 2, seen)
        for visit in visits:
            # Where another process maps the same page of the cache just then, the kernel leaves it to a fault of its own, and its account has that too.
            if visit.counts[0] != usual:
                self.assertAlmostEqual(visit.minor[0] - visit.counts[0], before, delta=1, msg=seen)
            self.assertLessEqual(visit.counts[0], visit.minor[0])
            self.assertLessEqual(visit.minor[0] - visit.counts[0], 8, "faults of the process before it was the program")
            self.assertEqual(visit.enabled[0][0], visit.running[0][0])
            self.assertGreater(visit.enabled[0][0], 0)
            self.assertLess(visit.values[0][1], visit.became["nanoseconds"])

    def test_an_event_that_cannot_be_had_is_explained(self):
        probe = self.started()
        probe.send("try", name="instructions:u")
        answer = probe.receive()
        if answer["openable"] == "1":
            self.skipTest("instructions can be counted here")
        visit = self.ran(program("ends"), "exit", "0", events=["instructions:u"], probe=probe)
        self.assertEqual((visit.end["error"], visit.end["reason"]), (answer["error"], answer["reason"]))

    def test_without_perf_event_what_became_of_it_is_told(self):
        visit = self.ran(program("ends"), "exit", "3", probe=self.started(prefix=[os.environ["SECCOMP_REFUSE"], "EPERM", "--"]))
        self.assertTrue(visit.done, visit.end)
        self.assertEqual((visit.became["status"], visit.became["tasks"]), (3, None))


class Killed(programs.Session):
    """Whoever dies, nothing stays."""

    def under_way(self):
        probe = self.started()
        probe.command(0, ["sh", "-c", f"{program('daemonize')} {self.work}/pid; {program('deaf')}"], timeout=0)
        probe.send("visits", list="0:0")
        probe.send("go")
        both = sorted([program("daemonize"), program("deaf")])  # and none that the daemon has only passed through
        self.assertTrue(processes.eventually(lambda: sorted(programs.left().values()) == both), programs.left())
        guard, = processes.children(probe.process.pid)
        counting, = processes.children(guard)
        return probe, guard, counting

    def test_the_probe(self):
        probe, guard, counting = self.under_way()
        probe.process.kill()
        probe.process.wait()
        for pid in (guard, counting):
            self.assertTrue(processes.eventually(lambda one=pid: not processes.parent_of(one)))
        for folder in self.private.iterdir():  # nobody was left to remove it
            folder.rmdir()

    def test_the_controller(self):
        probe, guard, _ = self.under_way()
        probe.process.stdin.close()
        self.assertEqual(probe.process.wait(timeout=processes.PATIENCE), 1)
        self.assertIsNone(processes.parent_of(guard))

    def test_a_signal_to_the_probe(self):
        probe, guard, _ = self.under_way()
        probe.process.send_signal(signal.SIGTERM)
        self.assertEqual(probe.process.wait(timeout=processes.PATIENCE), 1)
        self.assertIsNone(processes.parent_of(guard))

    def test_the_counting_process(self):
        probe, _, counting = self.under_way()
        os.kill(counting, signal.SIGKILL)
        end = probe.until("end")[-1]
        self.assertEqual((end["state"], end["error"]), ("failed", str(errno.EIO)))
        self.assertIn("SIGKILL", end["reason"])
        self.assertEqual(programs.left(), {})

    def test_the_guard(self):
        probe, guard, _ = self.under_way()
        os.kill(guard, signal.SIGKILL)
        end = probe.until("idle")[-2]
        self.assertEqual((end.type, end["state"]), ("end", "failed"))
        self.assertEqual(programs.left(), {})
        self.assertEqual(self.ran(program("ends"), "exit", "2", probe=probe).became["status"], 2)

    def test_the_program(self):
        probe, _, _ = self.under_way()
        for pid in programs.left():
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(probe.until("end")[-1]["state"], "done")


if __name__ == "__main__":
    tap.main()
