# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages in a browser: every figure is drawn, nothing is fetched, nothing hostile comes alive, and it can be read in light and dark, on a
telephone and on paper. What was seen is kept as pictures below the build folder."""
import functools
import glob
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import figures
import fixture
import tap

BUILD = os.environ.get("ASSAY_BUILD", os.path.join(tap.SOURCE, "build"))
SCRIPT = os.path.join(BUILD, "web", "page.js")
STYLE = os.path.join(tap.SOURCE, "web", "page.css")
COLOURS = "file://" + os.path.join(tap.SOURCE, "web", "src", "colours.js")
ARTEFACTS = os.path.join(BUILD, "artefacts", "web")
BROWSER = shutil.which("chromium")
FOLDERS = [os.path.join(folder, "node_modules") for folder in (os.path.join(BUILD, "web", "npm"), os.path.join(tap.SOURCE, "web"))]
PACKAGES = next((folder for folder in FOLDERS if os.path.exists(os.path.join(folder, "playwright-core"))), None)
NOTHING_HERE = 3  # assay's exit status where nothing can be measured
LEGIBLE = 4.5  # contrast of text to its ground, as WCAG 2 wants it


def why_not():
    if not BROWSER:
        return "chromium is not installed"
    if not shutil.which("node"):
        return "node is not installed"
    if not PACKAGES:
        return "playwright-core is not there: built without npm, or without -Dtests=enabled"
    if not os.path.exists(SCRIPT) or not os.path.getsize(SCRIPT):
        return "built without the script of pages"
    return None


@functools.cache
def browser():
    """One for all pages: it reads which to look at, and writes what it saw."""
    os.makedirs(ARTEFACTS, exist_ok=True)
    command = ["node", os.path.join(os.path.dirname(os.path.abspath(__file__)), "browse.mjs"), BROWSER, ARTEFACTS]
    process = subprocess.Popen(command, env=dict(os.environ, NODE_PATH=PACKAGES), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    unittest.addModuleCleanup(process.communicate)
    return process


@functools.cache
def browsed(name, look):
    """What a browser saw of a page of made-up figures."""
    os.makedirs(ARTEFACTS, exist_ok=True)
    page = os.path.join(ARTEFACTS, name + ".html")
    fixture.write(page, figures.crowd() if name == "crowd" else figures.sections(), SCRIPT, STYLE)
    return browse(page, name, look)


def browse(page, name, look):
    process = browser()
    print(json.dumps({"file": page, "name": name, "look": look}), file=process.stdin, flush=True)
    seen = process.stdout.readline()
    if not seen:
        browser.cache_clear()
        raise AssertionError(f"the browser could not be driven; node ended with {process.wait()}, and said why on standard error")
    print(f"# pictures of {name} are in {ARTEFACTS}")
    return json.loads(seen)


def assay(state, *words):
    done = tap.assay(*words, env={"XDG_STATE_HOME": state}, timeout=300)
    if done.returncode == NOTHING_HERE:
        raise unittest.SkipTest(done.stderr.strip())
    if done.returncode:
        raise AssertionError(f"assay {' '.join(words)}: {done.stderr}")


@unittest.skipIf(not shutil.which("node"), "node is not installed")
class Colours(unittest.TestCase):
    def of(self, *words):
        code = "import { colours } from %s; console.log(JSON.stringify([...colours(JSON.parse(process.argv[1]))]));" % json.dumps(COLOURS)
        done = subprocess.run(["node", "--input-type=module", "-e", code, json.dumps(words)], capture_output=True, text=True, timeout=60, check=True)
        return dict(json.loads(done.stdout))

    def test_verdicts_keep_their_colours_beside_other_values(self):
        seen = self.of("ok", "bad", "warn", "not judged", "identical", "varies", "dependable", "not dependable", "32768")
        self.assertEqual((seen["bad"], seen["not dependable"]), ("var(--wrong)", "var(--wrong)"))
        self.assertEqual({seen[word] for word in ("ok", "identical", "dependable")}, {"var(--good)"})
        self.assertEqual({seen[word] for word in ("warn", "varies")}, {"var(--fair)"})
        self.assertEqual((seen["not judged"], seen["32768"]), ("var(--nothing)", "var(--neither)"))

    def test_names_without_a_verdict_among_them_have_a_palette(self):
        self.assertEqual(list(self.of("perf-read", "papi-low").values()), ["var(--series-1)", "var(--series-2)"])


@unittest.skipIf(why_not(), why_not())
class Fixture(unittest.TestCase):
    def setUp(self):
        self.seen = browsed("fixture", "all")
        self.views = self.seen["views"]

    def test_every_figure_is_drawn_in_every_view(self):
        kinds = [figure["kind"] for listed in figures.sections().values() for figure in listed]
        for view, told in self.views.items():
            with self.subTest(view=view):
                wanted = sum(kind != "table" for kind in kinds)
                self.assertEqual((told["assay"]["figures"], told["assay"]["drawn"], told["expected"]), (wanted, wanted, wanted))
                self.assertEqual(sum(plot["svgs"] > 0 and plot.get("drawn") == "yes" for plot in told["plots"]), wanted)
                self.assertTrue(all(plot["label"] for plot in told["plots"] if plot["svgs"]), "a picture has no name")

    def test_nothing_is_fetched(self):
        self.assertEqual(self.seen["requests"], [])

    def test_the_browser_does_not_complain(self):
        self.assertEqual((self.seen["console"], self.seen["errors"]), ([], []))

    def test_hostile_texts_stay_text(self):
        self.assertEqual(self.seen["dialogs"], [])
        self.assertEqual({view: told["foreign"] for view, told in self.views.items()}, dict.fromkeys(self.views, 0))
        self.assertNotIn("\u202e", json.dumps(self.seen["tips"], ensure_ascii=False))

    def test_text_can_be_read_on_its_ground(self):
        for view, told in self.views.items():
            for what in ("text", "chip", "axis"):
                with self.subTest(view=view, what=what):
                    self.assertGreaterEqual(told["contrasts"][what], LEGIBLE)

    def test_no_view_scrolls_sideways_cuts_labels_off_or_has_them_touch(self):
        for view, told in self.views.items():
            with self.subTest(view=view):
                self.assertEqual((told["overflow"], told["cutOff"], told["touching"]), (0, [], []))

    def test_pointing_at_a_figure_tells_its_values(self):
        silent = [name for name, words in self.seen["tips"].items() if not words]
        self.assertEqual(silent, [])
        tips = self.seen["tips"]
        self.assertRegex(tips["study/boxes"], r"this sample: [\d,]+")
        for word in ("path: ", "median: ", "mode: "):
            self.assertIn(word, tips["study/boxes"])
        self.assertNotIn("density", tips["study/boxes"])
        self.assertRegex(tips["study/matrix-verdicts"], r"verdict: \w+")

    def test_choosers_leave_some_rows_and_give_all_back(self):
        self.assertEqual(len(self.seen["filters"]), 3)
        for told in self.seen["filters"]:
            with self.subTest(key=told["key"]):
                self.assertLess(told["chosen"]["rows"], told["before"]["rows"])
                self.assertGreater(told["chosen"]["rows"], 0)
                shown = re.match(r"([\d,]+) of ([\d,]+) rows", told["chosen"]["count"])
                self.assertEqual([int(number.replace(",", "")) for number in shown.groups()], [told["chosen"]["rows"], told["before"]["rows"]])
                self.assertEqual(told["after"], told["before"])

    def test_axes_of_counts_have_whole_ticks_and_do_not_pass_zero(self):
        drawings = self.views["light"]["drawings"]
        counts = drawings["study/lines-counts"]
        self.assertEqual(counts["y"], ["0", "1", "2", "3"])
        self.assertEqual(counts["x"][0], "0")
        self.assertEqual(drawings["study/lines-nothing"]["y"], ["0", "1"])

    def test_bars_of_verdicts_have_their_colours_and_bounds_a_band(self):
        drawings = self.views["light"]["drawings"]
        self.assertEqual(drawings["study/bars-verdicts"]["fills"], ["var(--good)", "var(--dead)", "var(--nothing)"])
        self.assertEqual(set(drawings["study/bars-signed"]["fills"]), {"var(--series-1)"})
        self.assertEqual(drawings["study/dumbbells-bands"]["bands"], 1)

    def test_a_table_that_goes_on_shows_that_it_does(self):
        self.assertEqual({view: told["unhinted"] for view, told in self.views.items() if view != "print"}, dict.fromkeys(self.views.keys() - {"print"}, 0))

    def test_choices_that_leave_nothing_say_so(self):
        self.assertTrue(self.seen["nothingLeft"])

    def test_long_lists_are_folded_and_unfold(self):
        folding = self.seen["folding"]
        self.assertIn("Show all 90", folding["before"]["words"])
        self.assertGreater(folding["after"]["height"], 1.5 * folding["before"]["height"])

    def test_the_colours_can_be_switched(self):
        self.assertNotEqual(self.seen["toggled"]["before"], self.seen["toggled"]["after"])

    def test_pictures_follow_the_width_of_the_window(self):
        self.assertTrue(self.seen["resized"])

    def test_paper_shows_no_controls_and_is_light(self):
        self.assertEqual(self.views["print"]["controls"], 0)
        self.assertEqual(self.views["print"]["contrasts"]["text"], self.views["light"]["contrasts"]["text"])

    def test_a_sheet_holds_more_than_a_figure(self):
        with open(os.path.join(ARTEFACTS, "fixture.pdf"), "rb") as file:
            pages = len(re.findall(rb"/Type\s*/Page\b", file.read()))
        self.assertGreater(pages, 3)
        self.assertLess(pages, len(self.views["print"]["plots"]))


class Report:
    """What assay report itself writes, looked at as readers do."""
    NAME = None

    @classmethod
    def stores(cls, folder):
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        made = tempfile.mkdtemp(prefix="assay-page-")
        cls.addClassCleanup(shutil.rmtree, made, ignore_errors=True)
        page = os.path.join(made, "report.html")
        assay(made, "report", *cls.stores(made), "-o", page)
        cls.seen = browse(page, cls.NAME, "report")
        cls.views = cls.seen["views"]

    def test_every_figure_is_drawn_and_nothing_else_happens(self):
        for view, told in self.views.items():
            with self.subTest(view=view):
                self.assertGreater(told["expected"], 0)
                self.assertEqual((told["assay"]["figures"], told["assay"]["drawn"]), (told["expected"], told["expected"]))
                self.assertEqual(sum(plot.get("drawn") == "yes" for plot in told["plots"]), told["expected"])
                self.assertEqual((told["overflow"], told["cutOff"], told["touching"], told["foreign"]), (0, [], [], 0))
        for what in ("requests", "console", "errors", "dialogs"):
            self.assertEqual(self.seen[what], [], what)

    def test_it_can_be_read_and_answers(self):
        for view, told in self.views.items():
            for what in ("text", "chip", "axis"):
                with self.subTest(view=view, what=what):
                    self.assertGreaterEqual(told["contrasts"][what], LEGIBLE)
        self.assertEqual([name for name, words in self.seen["tips"].items() if not words], [])
        for told in self.seen["filters"]:
            self.assertLess(told["chosen"]["rows"], told["before"]["rows"])
            self.assertEqual(told["after"], told["before"])

    def test_on_paper_there_is_nothing_to_press(self):
        self.assertEqual(self.views["print"]["controls"], 0)
        self.assertEqual(self.views["print"]["contrasts"]["text"], self.views["light"]["contrasts"]["text"])


class Recorded(Report):
    """Runs of tests/stores: every study that was recorded of a machine on one page."""
    PICTURES = set()  # what must be drawn at least

    @classmethod
    def stores(cls, folder):
        for packed in sorted(glob.glob(os.path.join(tap.SOURCE, "tests", "stores", cls.NAME + "-*.sqlite.xz"))):
            store = os.path.join(folder, os.path.basename(packed)[:-len(".xz")])
            with lzma.open(packed) as source, open(store, "wb") as target:
                shutil.copyfileobj(source, target)
            yield store

    def test_every_study_has_its_pictures(self):
        for view, told in self.views.items():
            drawn = {plot["figure"] for plot in told["plots"] if plot.get("drawn") == "yes" and plot["svgs"]}
            with self.subTest(view=view):
                self.assertEqual(self.PICTURES - drawn, set())

    def test_choosers_were_tried(self):
        self.assertGreater(len(self.seen["filters"]), 0)


@unittest.skipIf(why_not(), why_not())
class ReportOfThisMachine(Report, unittest.TestCase):
    NAME = "report"

    @classmethod
    def stores(cls, folder):
        store = os.path.join(folder, "clocks.sqlite")
        assay(folder, "clocks", "--quick", "--budget", "2s", "--seed", "17", "--quiet", "--store", store, "-o", os.path.join(folder, "words"))
        return [store]


@unittest.skipIf(why_not(), why_not())
class ReportOfAVirtualMachine(Recorded, unittest.TestCase):
    NAME = "vm-x86_64"
    PICTURES = {"clocks-1/clocks-offsets", "error-1/null-overview", "error-1/null-by-path-instructions", "overhead-1/calls-read-ticks",
                "overhead-1/peers", "repeat-1/repeat-sources", "validate-1/verdicts"}


@unittest.skipIf(why_not(), why_not())
class ReportOfTheLab(Recorded, unittest.TestCase):
    NAME = "lab-aarch64"
    PICTURES = {"clocks-1/clocks-rates", "error-1/null-by-path-instructions", "error-1/by-counters-instructions-uk", "error-1/multiplexing",
                "error-1/slope-instructions-uk", "error-1/kernel-by-size", "validate-1/verdicts"}


@unittest.skipIf(why_not(), why_not())
class Crowd(unittest.TestCase):
    def test_sixty_figures_of_five_hundred_rows_are_drawn_before_readers_wait(self):
        told = browsed("crowd", "once")["views"]["light"]
        print(f"# 60 figures of 500 rows: the first drawn after {told['first']} ms, all after {told['ready']} ms; longest without an answer {told['longest']} ms")
        self.assertEqual(told["assay"], {"figures": 60, "drawn": 60})
        # Each slice of drawing lets the page answer, however slow the machine: figures are not drawn in one go.
        self.assertGreater(told["slices"], 10)


if __name__ == "__main__":
    tap.main()
