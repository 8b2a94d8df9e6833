# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What start, stop and read execute on a machine of the lab: instructions of user code and of the operating system, which the
emulated counters tell exactly, and the emulated clock where those counters halt."""
import json

import tap
from laboratory import VIA, LabCase

PATHS = "perf-read,perf-syscall,perf-user,perf-user-touched,perf-user-cold"
CALLS = {"perf-read.start", "perf-read.stop", "perf-read.read", "perf-syscall.start", "perf-syscall.stop", "perf-syscall.read",
         "perf-user.read", "perf-user-touched.read", "perf-user-cold.read"}
STEP = 16  # instructions of a tick


class Executed(LabCase):
    def run_small(self, store, *options, paths=PATHS):
        done = self.assay("overhead", "--path", paths, "--processes", "1", "--budget", "90s", "--quiet", "--json", "--store", store,
                          *options, via=VIA)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def medians(self, result, **wanted):
        """Operation -> mode -> median, of rows with one event and one read."""
        found = {}
        for row in result["results"]:
            if row["events"] == 1 and row["reads"] == 1 and row["link"] == "static" and row["layout"] == "group" and \
                    all(row[key] == value for key, value in wanted.items()):
                found.setdefault(f"{row['path']}.{row['operation']}", {})[row["mode"]] = row["median"]
        return found

    def test_calls_in_user_and_kernel_instructions(self):
        store = self.path("run.sqlite")
        result = self.run_small(store)
        rows = result["results"]
        self.assertTrue(result["machine"]["emulated"])
        self.assertEqual({row["unit"] for row in rows}, {"instructions"})
        self.assertTrue(all(row["emulated"] for row in rows))
        warm = self.medians(result, temperature="warm", all_predecessors=True)
        cold = self.medians(result, temperature="cold", position=1)
        self.assertLessEqual({name for name in CALLS if "-touched" not in name and "-cold" not in name}, warm.keys())
        self.assertLessEqual(CALLS, cold.keys())
        # A read in user code never enters the operating system; all others do.
        self.assertEqual(warm["perf-user.read"]["k"], 0)
        self.assertGreater(warm["perf-user.read"]["u"], 10)
        for name in CALLS - {"perf-user.read", "perf-user-touched.read", "perf-user-cold.read"}:
            self.assertGreater(warm[name]["k"], 500, name)
        # libc's wrapper executes more in user mode than the bare call does.
        for kind in ("start", "stop", "read"):
            self.assertGreater(warm[f"perf-read.{kind}"]["u"], warm[f"perf-syscall.{kind}"]["u"])
        # The first read of a page that nobody touched takes a fault, which the operating system executes.
        self.assertEqual(cold["perf-user.read"]["k"], 0)
        self.assertEqual(cold["perf-user-touched.read"]["k"], 0)
        self.assertGreater(cold["perf-user-cold.read"]["k"], 500)
        self.assertEqual(cold["perf-user-cold.read"]["u"], cold["perf-user.read"]["u"])
        self.assert_clock_misses_nothing(result, warm)
        self.assert_judged_again(store, rows)

    def assert_clock_misses_nothing(self, result, warm):
        """Linux halts all counters of the CPU while it switches one of them; the clock goes on."""
        self.assertEqual(result["analysis"]["machines"][0]["instructions_per_tick"], STEP)
        for name, cost in warm.items():
            if name.endswith(".read"):
                self.assertLessEqual(abs(cost["uk"] - cost["u"] - cost["k"]), STEP, name)
            elif not name.startswith("timer."):
                self.assertGreater(cost["uk"], cost["u"] + cost["k"] + 400, name)
        rows = {(row["path"], row["operation"], row["variant"], row["mode"]): row
                for row in result["analysis"]["machines"][0]["rows"]}
        for path, variant in (("perf-read", "static"), ("perf-syscall", "inline")):
            for kind in ("start", "stop", "read"):
                user, kernel, whole = (rows[path, kind, variant, mode] for mode in ("u", "k", "uk"))
                self.assertAlmostEqual(user["median"] + kernel["median"], whole["median"], 6)
                self.assertEqual(whole["hidden"], kind != "read")
                self.assertFalse(user["hidden"])

    def test_counters_and_clock_agree_on_events_of_the_operating_system(self):
        """No counter of the CPU is switched, so both see every instruction: a loss of either shows here."""
        result = self.run_small(self.path("run.sqlite"), "--counted", "page-faults:u", paths="perf-read,perf-syscall")
        warm = self.medians(result, temperature="warm", all_predecessors=True)
        calls = {name: cost for name, cost in warm.items() if not name.startswith("timer.")}
        self.assertEqual(calls.keys(), {name for name in CALLS if "user" not in name})
        for name, cost in calls.items():
            self.assertLessEqual(abs(cost["uk"] - cost["u"] - cost["k"]), STEP, name)
            self.assertGreater(cost["uk"], 500, name)
        self.assertFalse(any(row["hidden"] for row in result["analysis"]["machines"][0]["rows"]))

    def assert_judged_again(self, store, rows):
        again = self.assay("overhead", "--from", store, "--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout)["results"], rows)


if __name__ == "__main__":
    tap.main()
