# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay run that is interrupted or killed, and gone on with: whatever ends it loses nothing, and leaves no process."""
import json
import os
import random
import signal
import time

import tap
from whole_runs import DONE, FAILED, INTERRUPTED, LACKING, PARTS, USAGE, Case


class Ended(Case):
    def has_children(self, pid):
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return file.read().split()
        except OSError:
            return []

    def state_of(self, part):
        record = self.record()
        return record["parts"][PARTS.index(part)]["state"] if record else None

    def go_on(self, kept):
        """What was done stays done and is not measured again; what ended since is added."""
        for part in self.record()["parts"]:
            self.assertEqual(kept.get(part["part"], part), part)
            if part["state"] in ("done", "lacking", "left out"):
                kept[part["part"]] = part
        return self.start("--resume", "--store", self.store, "--json")

    def interrupt(self, process):
        """It shows what there is."""
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, INTERRUPTED, errors)
        envelope = json.loads(output)
        states = {part["part"]: part["status"] for part in envelope["results"]}
        self.assertEqual(states["clocks"], "waiting")
        self.assertFalse(envelope["analysis"]["complete"])
        if states["validate"] == "done":
            self.assertIsNotNone(envelope["analysis"]["trust"])
        self.assertFalse(os.path.exists(self.store))
        if envelope["analysis"]["report"]:
            os.remove(envelope["analysis"]["report"])

    def kill(self, process):
        time.sleep(random.uniform(0, 0.8))
        process.kill()
        process.communicate()

    def test_interrupted_in_one_part_and_killed_in_every_other_it_loses_nothing(self):
        kept = {}
        process = self.start("--budget", "14s", "--seed", "3", "--store", self.store, "--json")
        for part in ("validate", "error", "overhead", "clocks"):  # what 14 s hold
            self.wait_for(lambda: self.state_of(part) not in (None, "waiting"), process)
            if part == "error":
                self.interrupt(process)
            else:
                self.kill(process)
            process = self.go_on(kept)
        # Once more between the store that all parts become and the page, which comes last.
        self.wait_for(lambda: os.path.exists(self.store), process)
        process.send_signal(signal.SIGSTOP)
        if os.path.exists(self.path("all.html")):
            process.send_signal(signal.SIGCONT)
        else:
            process.kill()
            process.communicate()
            process = self.go_on(kept)
        output, errors = process.communicate(timeout=200)
        self.assertIn(process.returncode, (DONE, LACKING), errors)
        envelope = json.loads(output)
        self.assertEqual(envelope["seed"], 3)
        for part in envelope["results"]:
            if part["part"] in kept:
                before = kept[part["part"]]
                self.assertEqual((part["status"], part["seconds"]), (before["state"], before["spent_ms"] / 1000))
        self.assert_whole(envelope)
        done = self.run_all("--resume", "--store", self.store)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("assay report", done.stderr)

    def test_the_page_goes_where_it_was_to_go(self):
        """Whoever goes on with the run stands elsewhere; and the place may be gone."""
        there, elsewhere = self.path("there"), self.path("elsewhere")
        os.mkdir(there)
        os.mkdir(elsewhere)
        process = self.start("--budget", "3s", "--seed", "3", "--store", self.store, "--report", "page.html", cwd=there)
        self.wait_for(lambda: self.state_of("validate") in ("begun", "done", "lacking"), process)
        process.kill()
        process.communicate()
        os.rename(there, self.path("moved"))
        done = self.run_all("--resume", "--store", self.store, cwd=elsewhere)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertIn(os.path.join(there, "page.html"), done.stderr)
        self.assertIn("--report", done.stderr)
        os.rename(self.path("moved"), there)
        self.result("--resume", "--store", self.store, cwd=elsewhere)
        self.assertEqual((os.listdir(there), os.listdir(elsewhere)), (["page.html"], []))

    def test_whoever_works_at_it_is_alone(self):
        process = self.start("--budget", "20s", "--store", self.store)
        self.wait_for(self.record, process)
        done = self.run_all("--resume", "--store", self.store)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("another assay", done.stderr)
        process.kill()
        process.communicate()

    def test_no_process_is_left_behind(self):
        process = self.start("--budget", "20s", "--store", self.store)
        self.wait_for(lambda: self.has_children(process.pid), process)
        children = self.has_children(process.pid)
        process.kill()
        process.communicate()
        deadline = time.monotonic() + 60
        while any(os.path.exists(f"/proc/{child}") for child in children) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual([child for child in children if os.path.exists(f"/proc/{child}")], [])


if __name__ == "__main__":
    tap.main()
