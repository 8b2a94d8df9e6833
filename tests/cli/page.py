# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a report: well-formed, complete without a script, and nothing in it does what a machine's words tell it to.

Reports are made up here and written by page-sample, so that every field can hold anything."""
import html.parser
import json
import os
import re
import subprocess
import unittest

import tap

SAMPLE = os.environ.get("PAGE_SAMPLE", "build/tests/cli/page-sample")
VOID = {"meta"}
# Every element that a page has, with its attributes; the script adds others when it runs.
EXPECTED = {
    "html": {"lang"}, "head": set(), "meta": {"charset", "name", "content", "http-equiv"}, "title": set(), "style": set(), "body": set(),
    "header": {"class"}, "h1": set(), "h2": set(), "h3": set(), "h4": set(), "p": {"class"}, "code": {"class"}, "nav": {"class", "aria-label"},
    "ul": set(), "li": set(), "a": {"href"}, "main": set(), "section": {"class", "id", "data-command", "data-machine"}, "dl": {"class"},
    "dt": set(), "dd": {"class"}, "div": {"class", "data-figure"}, "table": {"class"}, "thead": set(), "tbody": set(), "tr": set(),
    "th": {"scope", "class"}, "td": {"class"}, "span": {"class"}, "details": {"class"}, "summary": set(), "pre": {"class"},
    "figure": {"class", "id", "data-kind"}, "figcaption": set(), "script": {"type", "id"},
}
# What a browser, a shell or a reader might obey. The mark shows that the text arrived at all.
HOSTILE = ("</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "<!-- ", "]]>", "&lt;b&gt;&amp;",
           "javascript:alert(1)", "\u202edrow\u202c", "\u2066x\u2069", "a\x01b\x7fc\x1b[31m", "</pre></details></section></main>", "{{x}}${y}`z`")
MARK = "w\u00f6rd"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def figure(text, kind="boxes", rows=3, **more):
    columns = [("path", "group", True, False), ("min", "min", False, False), ("q1", "q1", False, False), ("median", "median", False, False),
               ("q3", "q3", False, False), ("max", "max", False, False), ("all", "samples", False, True)]
    axis = {"label": text("axis"), "scale": "linear", "zero": False}
    return {"id": "by-path", "title": text("title"), "caption": text("caption"), "paper": text("paper"), "kind": kind, "x": axis, "y": axis,
            "columns": [{"key": key, "title": text(key), "role": role, "filter": chosen, "hidden": hidden} for key, role, chosen, hidden in columns],
            "rows": [[text(f"row {row}"), 1, 2.5, 1234567, 1e300, None, [1, 2, 3]] for row in range(rows)],
            "lines": [{"name": text("line"), "series": None, "intercept": 0, "slope": 1, "from": 0, "to": 1}], "notes": [text("note")], **more}


def finding(text, verdict="holds", paper="weaver-overhead"):
    return {"id": text("W1"), "claim": text("claim"), "paper": paper, "figure": text("figure"), "verdict": verdict, "estimate": 5.4, "low": 5.1,
            "high": 5.9, "detectable": 1, "unit": text("times"), "reason": text("reason")}


def section(text, number=1, machine="A", **more):
    event = {"event": text("page-faults"), "verdict": text("exact"), "cause": text("cause"), "note": text("note"), "measured": True,
             "path": text("perf-read"), "pattern": text("start-read"), "adds": 7}
    return {"id": f"validate-{number}", "command": "validate", "title": text("Which events"), "machine": machine, "lead": [text("lead")],
            "started": text("2026-03-01T12:00:00Z"), "finished": text("2026-03-01T12:00:09Z"), "reproduce": text("assay validate --seed 17"),
            "store": text("run.sqlite"), "status": 0, "reason": None, "seed": 17,
            "verdicts": [event, dict(event, event=text("cycles"), verdict=text("unsupported"), measured=False, path=None)], "findings": [finding(text)],
            "skipped": [{"what": text("cycles"), "reason": text("not here"), "errno": None}], "figures": [figure(text)],
            "words": text("first line") + "\n" + text("second line"), **more}


def machine(text, label="A"):
    return {"label": label, "fingerprint": text("0123456789abcdef"), "sentence": text("a machine"), "isa": text("isa"),
            "facts": {text("key"): text("value"), "gone": None}, "absent": {"gone": text("ENOENT")},
            "doctor": [{"check": text("pmu"), "status": "bad", "value": text("none"), "why": text("why"), "fix": text("do this") + "\n" + text("then that")}]}


def report(text, sections=None, machines=None):
    return {"schema": "assay-report/1", "version": text("0.1.0"), "title": text("A machine"), "made": text("2026-03-01T12:00:00Z"),
            "how": text("assay report"), "machines": [machine(text)] if machines is None else machines,
            "sections": [section(text)] if sections is None else sections, "notes": [text("a note")]}


def plain(word):
    return word


class Page(html.parser.HTMLParser):
    """Parses strictly: elements close in order, attributes are there once."""
    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.elements, self.texts, self.comments = [], [], [], [], []
        self.feed(markup)
        self.close()
        self.wrong += [f"{tag} is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.wrong.append(f"{tag} has an attribute twice: {names}")
        self.elements.append((tag, dict(attrs), list(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else None, data))

    def handle_comment(self, data):
        self.comments.append(data)

    def unknown_decl(self, data):
        self.wrong.append(f"<![{data}")

    def all(self, tag, **attributes):
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [had for name, had, _ in self.elements if name == tag and wanted.items() <= had.items()]

    def text(self):
        return "".join(data for tag, data in self.texts if tag not in ("script", "style"))


def written(made):
    done = subprocess.run([SAMPLE], input=json.dumps(made), capture_output=True, encoding="utf-8", timeout=60, check=False)
    if done.returncode:
        raise AssertionError(f"page-sample: {done.returncode} {done.stderr}")
    return done.stdout


class Pages(unittest.TestCase):
    maxDiff = None

    def page(self, made):
        markup = written(made)
        page = Page(markup)
        page.markup = markup
        self.assertEqual(page.wrong, [])
        self.assertEqual(page.comments, [])
        self.assertTrue(markup.startswith("<!DOCTYPE html>\n<html lang=\"en\">"))
        for tag, attributes, _ in page.elements:
            self.assertIn(tag, EXPECTED)
            self.assertLessEqual(set(attributes), EXPECTED[tag], tag)
        ids = [attributes["id"] for _, attributes, _ in page.elements if "id" in attributes]
        self.assertEqual(sorted(ids), sorted(set(ids)))
        self.assertEqual([name for name in ids if not re.fullmatch(r"[A-Za-z0-9_/-]+", name)], [])
        for link in page.all("a"):
            self.assertEqual(link["href"][0], "#")
            self.assertIn(link["href"][1:], ids)
        return page

    def figures(self, page):
        embedded = [data for tag, data in page.texts if tag == "script"][0]
        self.assertNotIn("<", embedded)
        return json.loads(embedded)

    def test_events_without_a_verdict_are_a_line_that_opens(self):
        verdicts = [("an-dead", "dead", True, None), ("an-exact", "exact", True, "perf-read"), ("one", "unscheduled", False, None), ("two", "unjudged", False, None),
                    ("three", "unjudged", False, None)]
        made = section(plain, verdicts=[{"event": event, "verdict": verdict, "cause": None, "note": "", "measured": measured, "path": path,
                                         "pattern": "read-stop", "adds": -4} for event, verdict, measured, path in verdicts])
        text = self.page(report(plain, [made])).text()
        self.assertIn("an-deaddead\n", text)
        self.assertIn("an-exactexactperf-read, read-stop, adds -4", text)
        self.assertIn("3 more without a verdict: 1 unscheduled, 2 unjudged", text)

    def test_a_run_that_used_up_its_budget_is_not_called_unfinished(self):
        text = self.page(report(plain, [section(plain, finished=None, ended="budget")])).text()
        self.assertIn("ended with its budget", text)
        self.assertNotIn("not finished", text)
        self.assertIn("not finished", self.page(report(plain, [section(plain, finished=None)])).text())

    def test_headings_stand_where_numbers_do_and_sentences_have_room(self):
        sentence = "a sentence that is long enough to be broken at the end of a line"
        made = figure(plain, "table")
        for row in made["rows"]:
            row[0] = sentence
        page = self.page(report(plain, [section(plain, figures=[made])]))
        self.assertEqual(len(page.all("th", class_="number")), 4)
        self.assertEqual(len(page.all("td", class_="long")), 3)

    def test_a_page_needs_nothing_beside_it(self):
        page = self.page(report(plain))
        policy = page.all("meta", http_equiv="Content-Security-Policy")
        self.assertEqual(len(policy), 1)
        self.assertIn("default-src 'none'", policy[0]["content"])
        self.assertEqual(len(page.all("meta", name="viewport")), 1)
        for attribute in ("src", "srcset", "action", "data"):
            self.assertEqual([tag for tag, had, _ in page.elements if attribute in had], [])

    def test_hostile_words_in_every_field_are_only_words(self):
        for words in HOSTILE:
            with self.subTest(words):
                page = self.page(report(lambda word, words=words: f"{word} {words} {MARK}"))
                reference = self.page(report(plain))
                self.assertEqual([tag for tag, _, _ in page.elements], [tag for tag, _, _ in reference.elements])
                self.assertIsNone(OBEYED.search(page.markup.replace("\n", "")))
                self.assertGreater(page.text().count(MARK), 40)
                made = self.figures(page)
                self.assertEqual(list(made), ["validate-1/by-path"])
                self.assertIsNone(OBEYED.search(json.dumps(made, ensure_ascii=False)))

    def test_hostile_names_are_names(self):
        for words in HOSTILE + ("", " ", "a b", "\u00e4"):
            with self.subTest(words):
                made = report(plain, machines=[dict(machine(plain), label=words)],
                              sections=[dict(section(plain), id=words, command=words, machine=words,
                                             figures=[figure(plain, kind=words)], findings=[finding(plain, paper=words)])])
                self.page(made)

    def test_values_of_any_type_are_survived(self):
        def spoiled(value, odd):
            if isinstance(value, dict):
                return {key: spoiled(inner, odd) for key, inner in value.items()}
            if isinstance(value, list):
                return [spoiled(inner, odd) for inner in value]
            return odd
        for odd in (None, 5, -1.5, True, [], {}, [[]], {"a": {"b": []}}):
            with self.subTest(odd):
                self.assertEqual(Page(written(spoiled(report(plain), odd))).wrong, [])
        for odd in ([], {"sections": {}}, {"sections": [1, None, []], "machines": [None, "x"]}, {"sections": [{"figures": [1, {}], "findings": [[], None]}]}):
            with self.subTest(odd):
                self.assertEqual(Page(written(odd)).wrong, [])

    def test_an_empty_report_is_a_page(self):
        page = self.page(report(plain, sections=[], machines=[]))
        self.assertIn("There is no run in this report.", page.text())
        self.assertEqual(self.figures(page), {})

    def test_a_section_without_figures_or_findings_has_neither(self):
        page = self.page(report(plain, sections=[section(plain, figures=[], findings=[], skipped=[], words="", lead=[], reproduce="")]))
        self.assertEqual(page.all("figure"), [])
        self.assertEqual(page.all("table", class_="scorecard"), [])
        self.assertEqual(page.all("code", class_="reproduce"), [])
        self.assertIn("Nothing could be said of it.", page.text())

    def test_a_run_that_could_not_be_judged_says_why(self):
        page = self.page(report(plain, sections=[section(plain, reason="it is damaged", figures=[], findings=[], lead=[], verdicts=[])]))
        self.assertEqual(page.text().count("it is damaged"), 2)

    def test_figures_are_where_the_script_looks_for_them(self):
        page = self.page(report(plain, sections=[section(plain), section(plain, 2)]))
        names = ["validate-1/by-path", "validate-2/by-path"]
        self.assertEqual([had["id"] for had in page.all("figure", class_="figure", data_kind="boxes")], names)
        self.assertEqual([had["data-figure"] for had in page.all("div", class_="plot")], names)
        self.assertEqual(list(self.figures(page)), names)
        self.assertEqual(self.figures(page)[names[0]], figure(plain))

    def test_the_table_leaves_hidden_columns_out_and_groups_digits(self):
        page = self.page(report(plain))
        self.assertIn("1,234,567", page.text())
        heads = re.search(r'<details class="data">.*?<thead>(.*?)</thead>', page.markup, re.S).group(1)
        self.assertEqual(re.findall(r">([^<]+)</th>", heads), ["path", "min", "q1", "median", "q3", "max"])

    def test_long_tables_end(self):
        page = self.page(report(plain, sections=[section(plain, figures=[figure(plain, rows=1234)])]))
        self.assertIn("1,234 rows", page.text())
        self.assertIn("and 834 more in the JSON", page.text())
        self.assertEqual(page.markup.count("<td>row "), 400)
        self.assertEqual(len(self.figures(page)["validate-1/by-path"]["rows"]), 1234)

    def test_findings_are_counted(self):
        verdicts = ["holds", "holds", "does not hold", "inconclusive", "not testable here"]
        page = self.page(report(plain, sections=[section(plain, findings=[finding(plain, verdict) for verdict in verdicts])]))
        self.assertIn("Of 5 claims of one paper: 2 hold here, 1 does not, 1 undecided, 1 not testable here.", page.text())
        self.assertIn("5.4 times (5.1 to 5.9)", page.text())
        self.assertEqual(len(page.all("span", class_="chip chip-does-not-hold")), 2)

    def test_machines_have_letters_where_there_are_several(self):
        both = [machine(plain, "A"), machine(plain, "B")]
        page = self.page(report(plain, machines=both, sections=[section(plain, 1, "A"), section(plain, 2, "B")]))
        self.assertIn("Which events, machine B", page.text())
        self.assertEqual([had["id"] for had in page.all("section", class_="machine")], ["machine-A", "machine-B"])
        self.assertNotIn("machine A", self.page(report(plain)).text())

    def test_two_runs_of_one_study_are_told_apart(self):
        page = self.page(report(plain, sections=[section(plain), section(plain, 2, started="2026-03-02T08:00:00Z")]))
        self.assertIn("Which events, 2026-03-02T08:00:00Z", page.text())


if __name__ == "__main__":
    tap.main()
