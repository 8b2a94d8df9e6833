# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""CONTRIBUTING's "Add a study", followed literally: a folder and a word in a list, and it is measured, judged, in a table, in JSON, on a page and in `run`."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import tap

BUILD = os.environ.get("ASSAY_BUILD", "build")


class Added(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = tempfile.mkdtemp(prefix="assay-study-")
        cls.addClassCleanup(shutil.rmtree, cls.tree, ignore_errors=True)
        for name in os.listdir(tap.SOURCE):
            path = os.path.join(tap.SOURCE, name)
            if name.startswith("build") and name != "build-aux" or name.startswith("."):
                continue
            if os.path.isdir(path):
                shutil.copytree(path, os.path.join(cls.tree, name), ignore=shutil.ignore_patterns("node_modules"))
            else:
                shutil.copy(path, cls.tree)
        # The page's script as it was made already: making it anew asks the network.
        script = os.path.join(BUILD, "web", "page.js")
        cls.drawn = os.path.exists(script)
        if cls.drawn:
            os.makedirs(os.path.join(cls.tree, "web", "dist"), exist_ok=True)
            shutil.copy(script, os.path.join(cls.tree, "web", "dist"))
        # --- the folder, and the word ---
        shutil.copytree(os.path.join(tap.SOURCE, "tests", "toy"), os.path.join(cls.tree, "src", "studies", "toy"))
        studies = os.path.join(cls.tree, "src", "studies", "meson.build")
        with open(studies, encoding="utf-8") as file:
            listed, count = re.subn(r"^study_names = \[", "study_names = ['toy', ", file.read(), flags=re.MULTILINE)
        assert count == 1
        with open(studies, "w", encoding="utf-8") as file:
            file.write(listed)
        # As the build that is tested, so that a cache of objects has most of it.
        with open(os.path.join(BUILD, "meson-info", "intro-buildoptions.json"), encoding="utf-8") as file:
            options = {option["name"]: option["value"] for option in json.load(file)}
        like = [f"-D{name}={str(options[name]).lower()}" for name in ("buildtype", "werror", "b_ndebug") if name in options]
        environment = dict(os.environ, CCACHE_NOHASHDIR="1")
        for step in (["meson", "setup", "build", "-Dtests=disabled", *like] + ([] if cls.drawn else ["-Dreport=disabled"]),
                     ["ninja", "-C", "build", "assay"]):
            done = subprocess.run(step, cwd=cls.tree, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode != 0:
                raise AssertionError(f"{' '.join(step)}:\n{done.stdout[-4000:]}")
        cls.store = os.path.join(cls.tree, "toy.sqlite")
        cls.measured = cls.toy("toy", "--store", cls.store, "--seed", "7", "--json", "--quiet")

    @classmethod
    def toy(cls, *arguments):
        return subprocess.run([os.path.join(cls.tree, "build", "assay"), *arguments], text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False,
                              env=dict(os.environ, XDG_STATE_HOME=os.path.join(cls.tree, "state")), timeout=250)

    def test_it_is_measured_judged_and_in_json(self):
        self.assertEqual(self.measured.returncode, 0, self.measured.stderr)
        result = json.loads(self.measured.stdout)
        self.assertEqual((result["command"], result["seed"]), ("toy", 7))
        self.assertGreater(result["results"][0]["windows"], 0)
        self.assertIn(result["analysis"]["steady"], (True, False))
        again = self.toy("toy", "--from", self.store, "--json")
        self.assertEqual(json.loads(again.stdout)["results"], result["results"], again.stderr)

    def test_its_table_and_its_options_need_nothing_else(self):
        shown = self.toy("toy", "--from", self.store)
        self.assertRegex(shown.stdout, r"windows +least +median +most +verdict")
        self.assertIn("steady", shown.stdout)
        refused = self.toy("toy", "--from", self.store, "--budget", "2s")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--budget", refused.stderr)
        self.assertEqual(self.toy("toy", "--resume", "--store", self.store).returncode, 0)
        self.assertIn("how many ticks an empty window takes", self.toy("--help").stdout)
        self.assertIn("toy", self.toy("__complete", "bash", "").stdout)

    def test_it_is_on_a_page_and_in_export(self):
        page = os.path.join(self.tree, "page.html")
        made = self.toy("report", self.store, "-o", page)
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for words in ("How long nothing takes", "An empty window takes", "toy-windows"):
            self.assertIn(words, text)
        self.assertEqual(self.toy("export", self.store, "--what", "cells").stdout.count("clock/ticks/"), 1)
        compared = self.toy("compare", self.store, self.store)
        self.assertIn(compared.returncode, (0, 2), compared.stderr)

    def test_run_measures_it(self):
        store = os.path.join(self.tree, "run.sqlite")
        ran = self.toy("run", "--quick", "--budget", "24s", "--store", store, "--report", os.path.join(self.tree, "run.html"), "--json", "--quiet")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        parts = {part["part"]: part for part in json.loads(ran.stdout)["results"]}
        self.assertEqual(parts["toy"]["status"], "done", parts["toy"])
        with open(os.path.join(self.tree, "run.html"), encoding="utf-8") as file:
            self.assertIn("An empty window takes", file.read())


if __name__ == "__main__":
    tap.main()
