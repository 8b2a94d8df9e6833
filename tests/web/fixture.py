# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A page around made-up figures, as the controller writes pages: fixture.py SCRIPT STYLE OUTPUT [crowd]"""
import html
import json
import sys

import figures

CHIPS = ["exact", "accurate", "noisy", "biased", "dead", "unsupported", "unscheduled", "unjudged", "holds", "does not hold", "inconclusive",
         "not testable here", "ok", "warn", "bad", "absent"]
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def cells(row, columns):
    return "".join(f"<td>{html.escape(str(value))}</td>" for value, column in zip(row, columns) if not column["hidden"])


def table(figure):
    head = "".join(f"<th>{html.escape(column['title'])}</th>" for column in figure["columns"] if not column["hidden"])
    rows = "".join(f"<tr>{cells(row, figure['columns'])}</tr>" for row in figure["rows"])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def figure_html(section, figure):
    name = html.escape(f"{section}/{figure['id']}", quote=True)
    plot = f'<div class="plot" data-figure="{name}"></div>'
    return (f'<figure class="figure" id="{name}" data-kind="{figure["kind"]}"><h4>{html.escape(figure["title"])}</h4>{plot}'
            f'<figcaption>{html.escape(figure["caption"])}</figcaption><details class="data"><summary>Data</summary>{table(figure)}</details></figure>')


def section_html(name, figures_of):
    return (f'<section class="study" id="{name}"><h2>The section {name}</h2><p class="lead">What came out, in a sentence that leads in: three of five '
            f'events count what they claim.</p><p><code class="reproduce">assay error --seed 17</code></p>{"".join(figure_html(name, figure) for figure in figures_of)}'
            '<details class="words"><summary>As the terminal shows it</summary><pre>a table   of   words</pre></details></section>')


def page(sections, script, style):
    named = {f"{name}/{figure['id']}": figure for name, listed in sections.items() for figure in listed}
    data = json.dumps(named).replace("<", "\\u003c")
    chips = "".join(f'<tr><td>event {n}</td><td><span class="chip chip-{word.replace(" ", "-")}">{word}</span></td><td>a reason in some words</td></tr>' for n, word in enumerate(CHIPS))
    links = "".join(f'<li><a href="#{name}">The section {name}</a></li>' for name in sections)
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>A page</title><style>{style}</style></head><body>'
            f'<header class="top"><h1>How far counts can be trusted here</h1><p class="lead">A page around figures that were made up.</p></header>'
            f'<nav class="contents"><ul>{links}</ul></nav><main><table class="verdicts"><thead><tr><th>event</th><th>verdict</th><th>why</th></tr></thead>'
            f'<tbody>{chips}</tbody></table>{"".join(section_html(*item) for item in sections.items())}</main>'
            f'<script type="application/json" id="assay-figures">{data}</script><script>{script}</script></body></html>')


def write(path, sections, script_path, style_path):
    with open(script_path, encoding="utf-8") as script, open(style_path, encoding="utf-8") as style, open(path, "w", encoding="utf-8") as out:
        out.write(page(sections, script.read(), style.read()))


if __name__ == "__main__":
    write(sys.argv[3], figures.crowd() if sys.argv[4:] else figures.sections(), sys.argv[1], sys.argv[2])
