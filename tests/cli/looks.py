# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks: the probe's driver reads clocks for the controller, and says why where it cannot."""
import errno
import io
import os
import time
import unittest

import frames
import tap


class Looks(unittest.TestCase):
    def setUp(self):
        self.probe = frames.Probe(tap.KIT)
        self.addCleanup(self.probe.__exit__)
        self.assertEqual(self.probe.hello()[-1].type, "ready", self.probe.catalogue[-1])

    def look(self, *clocks):
        self.probe.send("look", clocks=",".join(clocks))
        return self.probe.receive()

    def readings(self, *clocks):
        frame = self.look(*clocks)
        self.assertEqual(frame.type, "looked", frame)
        values = frames.column(frame["readings"])
        self.assertEqual(len(values), len(clocks))
        return values

    def assert_refused(self, frame, error, words):
        self.assertEqual((frame.type, frame.get("error")), ("refused", str(error)), frame)
        self.assertIn(words, frame["reason"])

    def test_readings_come_in_the_order_of_the_question(self):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        raw, boot, again = self.readings("monotonic-raw-syscall", "boottime", "monotonic-raw-syscall")
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        self.assertTrue(before <= raw <= again <= after, (before, raw, again, after))
        self.assertLessEqual(boot, time.clock_gettime_ns(time.CLOCK_BOOTTIME))
        boot, raw = self.readings("boottime", "monotonic-raw-syscall")
        self.assertTrue(after <= raw <= time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW))
        self.assertLessEqual(boot, time.clock_gettime_ns(time.CLOCK_BOOTTIME))

    def test_every_clock_that_is_offered_can_be_looked_at(self):
        offered = [frame["name"] for frame in self.probe.catalogue if frame.type == "clock"]
        if not offered:
            self.skipTest("this kit has no harness that watches, and so no clock to offer")
        for clock in offered:
            self.readings(clock)
        self.readings(*offered[:32])

    def test_clocks_stay_open_and_are_opened_once(self):
        folder = f"/proc/{self.probe.process.pid}/fd"
        if self.look("task-clock").type == "refused":
            self.skipTest("task-clock cannot be opened here")
        opened = len(os.listdir(folder))
        first = self.readings("task-clock")[0]
        for _ in range(20):
            self.readings("task-clock", "task-clock")
        self.assertEqual(len(os.listdir(folder)), opened)
        self.assertGreater(self.readings("task-clock")[0], first)  # a counter that was not opened anew

    def test_clocks_that_cannot_be_read_are_refused_and_the_session_goes_on(self):
        self.assert_refused(self.look("sundial"), errno.ENOENT, "sundial")
        self.assert_refused(self.look("monotonic", "sundial"), errno.ENOENT, "sundial")
        self.assert_refused(self.look(""), errno.ENOENT, "cannot be looked at")
        self.assert_refused(self.look("monotonic-syscall", ""), errno.ENOENT, "cannot be looked at")
        self.assert_refused(self.look("m" * 300), errno.ENOENT, "mmm")
        self.assert_refused(self.look(*["monotonic-syscall"] * 33), errno.E2BIG, "too many")
        self.probe.send("look")
        self.assert_refused(self.probe.receive(), errno.ENOENT, "cannot be looked at")
        self.assertEqual(len(self.readings(*["monotonic-syscall"] * 32)), 32)

    def test_a_persons_own_clock_is_never_read_by_the_driver(self):
        marker = f"/proc/{self.probe.process.pid}/task/{self.probe.process.pid}/children"
        self.assert_refused(self.look("mine=run:/bin/echo 7"), errno.ENOENT, "mine")
        self.assert_refused(self.look("mine=ask:/bin/cat"), errno.ENOENT, "mine")
        with open(marker, encoding="utf-8") as children:
            self.assertEqual(children.read(), "")

    def test_no_look_while_visits_run(self):
        self.probe.cell(1, "page-faults:u", specimen="loop", n=10**12)
        self.probe.send("visits", list="1:0")
        self.probe.send("go")
        self.probe.until("begin")
        self.probe.send("look", clocks="monotonic-syscall")
        last = self.probe.until("error", "looked")[-1]
        self.assertEqual(last.type, "error")
        self.assertIn("look", last["reason"])

    def test_what_comes_right_behind_go_is_heard(self):
        self.probe.cell(1, "page-faults:u", specimen="loop", n=10**12)
        self.probe.send("visits", list="1:0")
        held, self.probe.process.stdin = self.probe.process.stdin, io.StringIO()
        self.probe.send("go")
        self.probe.send("stop")
        together, self.probe.process.stdin = self.probe.process.stdin.getvalue(), held
        held.write(together)
        held.flush()
        self.assertEqual(self.probe.until("stopped", "error")[-1].type, "stopped")


if __name__ == "__main__":
    tap.main()
