# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""assay run that is interrupted or killed, and gone on with: whatever ends it loses nothing, and leaves no process."""
import json
import os
import random
import shutil
import signal
import subprocess
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

    def test_interrupted_it_shows_what_there_is_and_goes_on(self):
        process = self.start("--budget", "20s", "--seed", "3", "--store", self.store, "--json")
        self.wait_for(lambda: self.state_of("error") == "begun", process)
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
        again = self.result("--resume", "--store", self.store)
        self.assertEqual(again["seed"], 3)
        self.assert_whole(again)

    def test_killed_at_any_moment_nothing_is_lost(self):
        """Every time it is gone on with, more is done; at the end all is there."""
        kept = {}
        arguments = ["--budget", "16s", "--seed", "3", "--store", self.store]
        for _ in range(12):
            process = self.start(*arguments, "--json")
            arguments = ["--resume", "--store", self.store]
            try:
                output, errors = process.communicate(timeout=random.uniform(0.5, 6))
                self.assertIn(process.returncode, (DONE, LACKING), errors)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            if not self.record():
                shutil.rmtree(self.store + ".parts", ignore_errors=True)
                arguments = ["--budget", "16s", "--seed", "3", "--store", self.store]
                continue
            for name, state in ((part["part"], part["state"]) for part in self.record()["parts"]):
                self.assertEqual(kept.get(name, state), state)
                if state in ("done", "lacking", "left out"):
                    kept[name] = state
        else:
            process = self.start(*arguments, "--json")
            output, errors = process.communicate(timeout=200)
            self.assertIn(process.returncode, (DONE, LACKING), errors)
        envelope = json.loads(output)
        self.assertEqual(envelope["seed"], 3)
        for part in envelope["results"]:
            self.assertEqual(kept.get(part["part"], part["status"]), part["status"])
        self.assert_whole(envelope)

    def test_the_page_goes_where_it_was_to_go(self):
        """Whoever goes on with the run stands elsewhere; and the place may be gone."""
        there, elsewhere = self.path("there"), self.path("elsewhere")
        os.mkdir(there)
        os.mkdir(elsewhere)
        process = self.start("--budget", "6s", "--seed", "3", "--store", self.store, "--report", "page.html", cwd=there)
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
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=100)

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

    def test_an_ended_run_has_nothing_to_go_on_with(self):
        self.result("--budget", "3s", "--store", self.store)
        done = self.run_all("--resume", "--store", self.store)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("assay report", done.stderr)


if __name__ == "__main__":
    tap.main()
