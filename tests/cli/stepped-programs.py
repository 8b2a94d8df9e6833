# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole programs followed by ptrace, through the real probe: what they executed by function, and which system calls gave them what."""
import os
import re
import shutil
import subprocess

import programs
import tap
from programs import ALL, SIGNAL, TIMEOUT, program

COUNTED = ["step/instructions/", "step/instructions-raw/", "step/syscalls/"]


def subject(name):
    return os.path.join(tap.KIT, "subject-" + name)


class Session(programs.Session):
    def started(self, **options):
        probe = super().started(**options)
        if not any(frame.type == "counter" and frame["source"] == "step" for frame in probe.catalogue):
            self.skipTest("; ".join(frame["reason"] for frame in probe.catalogue
                                    if frame.type == "absent" and frame["name"] == "step") or "nothing can be stepped here")
        return probe

    def details(self, detail, events, *words, **factors):
        """The row, and the frames of its details."""
        probe = self.started()
        visit = probe.run([{"words": list(words), "events": events, "detail": detail, "controls": ALL, **factors}])[0]
        self.assertTrue(visit.done, visit.end)
        return visit, visit.details


class Static(Session):
    """A static program with libc, stepped once for each of the details that can be asked for."""
    visits = {}

    def stepped(self, detail):
        if not self.visits:
            details = ("", "code", "calls")
            self.visits.update(zip(details, self.started().run([{"words": [subject("calls"), "1"], "events": COUNTED, "detail": each,
                                                                 "controls": ALL} for each in details])))
        self.assertTrue(self.visits[detail].done, self.visits[detail].end)
        return self.visits[detail]

    def test_it_is_counted_the_same_each_time(self):
        rows = {self.stepped(detail).values[0][:3] for detail in ("", "code")}  # who looks at calls takes the vDSO away
        self.assertEqual(len(rows), 1, rows)
        self.assertGreater(rows.pop()[0], 10000)

    def test_calls_alone_are_the_same_as_when_stepped(self):
        alone, calls = self.details("calls", ["step/syscalls/"], subject("calls"), "1")
        self.assertEqual(alone.values[0][0], self.stepped("").values[0][2])
        self.assertEqual([call["name"] for call in calls], [call["name"] for call in self.stepped("calls").details])

    def test_what_was_executed_adds_up_to_the_count(self):
        visit = self.stepped("code")
        ran = [frame for frame in visit.details if frame.type == "ran"]
        self.assertEqual(sum(int(frame["instructions"]) * int(frame["executions"]) for frame in ran), visit.values[0][0])
        repeated = sum(int(frame["repetitions"]) for frame in ran)
        self.assertEqual(visit.values[0][0] + repeated, visit.values[0][1])
        self.assertIn(subject("calls"), {os.path.realpath(frame["object"]) for frame in ran} | {frame["object"] for frame in ran})
        self.assertTrue({"main", "qsort", "_start"} & {frame["function"] for frame in ran})


class Lengths(Session):
    def counted(self, *words):
        visit = self.ran(*words, events=COUNTED, controls=ALL)
        self.assertTrue(visit.done, visit.end)
        return visit.values[0]

    def test_without_libc_valgrind_counts_the_same(self):
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        for name, n in (("loop", "500"), ("repeat-string", "3")):
            if not os.path.exists(subject(name)):
                continue
            done = subprocess.run(["valgrind", "--tool=exp-bbv", "--bb-out-file=/dev/null", subject(name), n], capture_output=True,
                                  text=True, check=False, cwd=self.work)
            found = re.search(r"Total instructions: (\d+)", done.stderr)
            self.assertTrue(found, done.stderr)
            self.assertEqual(self.counted(subject(name), n)[0], int(found[1]), name)


class Endings(Session):
    def became_stepped(self, *words, **factors):
        return self.became(*words, events=COUNTED, **factors)

    def test_a_crash_and_a_kill_are_told_as_they_are(self):
        brief = program("exact-crashes")  # in assembly of x86-64
        self.assertEqual(self.became_stepped(*([brief] if os.path.exists(brief) else [program("ends"), "crash"]))["status"], SIGNAL + 11)
        self.assertEqual(self.became(program("ends"), "signal", "9", events=["step/syscalls/"])["status"], SIGNAL + 9)

    def test_one_that_never_ends_is_ended(self):
        became = self.became_stepped(program("deaf"), timeout=300)
        self.assertGreaterEqual(became["status"], TIMEOUT)

    def test_a_missing_program_is_told(self):
        visit = self.ran("/nonexistent/program", events=COUNTED)
        self.assertFalse(visit.done)
        self.assertIn("nonexistent", visit.end["reason"])


class Code(Session):
    def test_another_program_in_its_place_is_told_too(self):
        _, details = self.details("code", COUNTED, program("becomes"), subject("loop"), "10")
        objects = {os.path.basename(frame["object"]) for frame in details}
        self.assertLessEqual({"command-becomes", "subject-loop"}, objects)


class Calls(Session):
    SCRIPT = "read -r line < /dev/urandom; exec date +%N"

    def calls(self, *words, events=("step/syscalls/",)):
        return self.details("calls", list(events), *words)[1]

    def test_they_come_in_order_with_what_they_gave(self):
        calls = self.calls("/bin/sh", "-c", self.SCRIPT)
        self.assertEqual([int(call["position"]) for call in calls], list(range(len(calls))))
        random = [call for call in calls if call["what"] == "/dev/urandom" and call["name"] == "read"]
        self.assertTrue(random)
        self.assertTrue(all(int(call["sum"]) and int(call["asked"]) for call in random))
        self.assertEqual(calls[-1]["name"], "exit_group")

    def test_asking_for_the_time_is_seen_although_there_is_a_vdso(self):
        calls = self.calls("/bin/sh", "-c", self.SCRIPT)
        time = [call for call in calls if call["name"] in ("clock_gettime", "gettimeofday")]
        self.assertTrue(time, [call["name"] for call in calls])
        self.assertTrue(all(int(call["sum"]) for call in time))

    def test_what_two_runs_were_given_differs_where_it_was_drawn(self):
        first, second = (self.calls("/bin/sh", "-c", self.SCRIPT) for _ in range(2))
        def sums(calls, what):
            return [call["sum"] for call in calls if call["what"] == what and call["name"] in ("read", "pread64")]
        self.assertNotEqual(sums(first, "/dev/urandom"), sums(second, "/dev/urandom"))
        libraries = {call["what"] for call in first if "libc.so" in call["what"]}
        for library in libraries:
            self.assertEqual(sums(first, library), sums(second, library))


if __name__ == "__main__":
    tap.main()
