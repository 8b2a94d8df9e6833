# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of every kind, made up: ordinary ones, hostile ones, and as many as a report of a million samples has."""
import math
import random

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "right\u202eotfel", "n" * 10240, "</script><b id=broken>", "&lt;b&gt; ' \\ \u0000",
           "__proto__"]


def column(key, role=None, title=None, choose=False):
    return {"key": key, "title": title or key, "role": role, "filter": choose, "hidden": role in ("density", "samples")}


def axis(label=None, scale="linear", zero=False):
    return {"label": label, "scale": scale, "zero": zero}


def figure(name, kind, columns, rows, x=None, y=None, lines=(), title=None, caption=None):
    return {"id": name, "title": title or f"A figure of {kind}: {name}", "kind": kind, "paper": None, "notes": [],
            "caption": caption or "Made up, to see how it is drawn.", "x": x or axis(), "y": y or axis(), "columns": columns, "rows": rows,
            "lines": list(lines)}


def distribution(draw, centre, spread, count=100):
    """min, q1, median, q3, max, density, samples of made-up values."""
    values = sorted(round(centre + spread * abs(draw.gauss(0, 1)) ** 1.5) for _ in range(count))
    at = [values[int(share * (count - 1))] for share in (0, 0.25, 0.5, 0.75, 1)]
    if values[0] == values[-1]:
        return [*at, None, values[:1]]
    width = (values[-1] - values[0]) / 12 or 1
    low, step = values[0] - width, (values[-1] - values[0] + 2 * width) / 63
    heights = [round(sum(math.exp(-((low + step * i - value) / width) ** 2 / 2) for value in values), 3) for i in range(64)]
    return [*at, [low, step, *heights], values]


BOX = ["min", "q1", "median", "q3", "max", "density", "samples"]


def boxes(draw, name, groups, title="counted too much (instructions)", **axis_options):
    rows = []
    for at, (path, pattern, mode) in enumerate(groups):
        rows.append([path, pattern, mode, *distribution(draw, 90 * (1 + at % 7), 40 * (at % 4))])
    columns = [column("path", "group", choose=True), column("pattern", "group", choose=True), column("mode", "series", choose=True),
               *[column(part, part) for part in BOX]]
    return figure(name, "boxes", columns, rows, axis(title, **axis_options))


def ordinary(draw):
    paths = ["perf-read", "perf-ioctl-read", "rdpmc", "papi-low", "papi-high"]
    groups = [(path, pattern, mode) for path in paths for pattern in ("start-read", "read-read") for mode in ("user", "user+kernel")]
    yield boxes(draw, "boxes", groups[:12])
    yield boxes(draw, "boxes-symlog", groups[:6], scale="symlog")
    sizes = [2 ** k for k in range(4, 24, 2)]
    yield figure("points-log", "points",
                 [column("n", "x"), column("error", "y"), column("path", "series", choose=True), column("low", "low"), column("high", "high")],
                 [[n, 40 + n * slope + draw.random() * 9, path, 30 + n * slope, 60 + n * slope] for path, slope in (("perf-read", 0.002), ("rdpmc", 0.0001), ("papi-low", 0.02))
                  for n in sizes],
                 axis("size of the loop (iterations)", "log"), axis("error (instructions)", "log"),
                 [{"name": "fit", "series": "perf-read", "intercept": 40, "slope": 0.002, "from": 16, "to": 4194304},
                  {"name": "identity", "series": None, "intercept": 0, "slope": 1, "from": 16, "to": 4000}])
    yield figure("points-facets", "points",
                 [column("expected", "x"), column("counted", "y"), column("event", "facet", choose=True), column("path", "series", choose=True)],
                 [[x, x * (1 + draw.gauss(0, 0.04)), event, path] for event in ("instructions", "branches", "page-faults", "cache-misses") for path in paths[:2] for x in range(0, 1000, 90)],
                 axis("expected"), axis("counted", zero=True),
                 [{"name": "what would be right", "series": None, "intercept": 0, "slope": 1, "from": 0, "to": 1000}])
    yield figure("lines", "lines",
                 [column("stride", "x"), column("cycles", "y"), column("level", "series"), column("low", "low"), column("high", "high")],
                 [[kib, base * (1 + kib ** 0.3), level, base * (0.9 + kib ** 0.3), base * (1.2 + kib ** 0.3)] for level, base in (("random", 4), ("forward", 1), ("backward", 1.4)) for kib in (1, 2, 4, 8, 16, 32, 64, 128)],
                 axis("KiB touched", "log"), axis("cycles per load", zero=True))
    yield figure("lines-texts", "lines", [column("setting", "x"), column("spread", "y"), column("program", "series", choose=True)],
                 [[setting, draw.random() * 50, program] for program in ("sort", "gzip") for setting in ("none", "no address randomisation", "one CPU", "empty environment", "all of them together")],
                 axis("control"), axis("spread of 20 runs (instructions)"))
    yield figure("bars", "bars", [column("event", "group", choose=True), column("mode", "series", choose=True), column("cost", "value"), column("low", "low"), column("high", "high")],
                 [[event, mode, cost, cost * 0.9, cost * 1.15] for event in ("instructions", "cycles", "branch-misses", "raw_syscalls:sys_enter") for mode in ("user", "kernel") for cost in [draw.randint(200, 9000)]],
                 axis("cost of a read (cycles)", zero=True))
    yield figure("bars-signed", "bars", [column("event", "group"), column("error", "value")], [[f"event {n}", (n - 4) * 1.7] for n in range(9)], axis("error, %"))
    yield figure("bars-verdicts", "bars", [column("verdict", "group"), column("events", "value")], [["exact", 3], ["dead", 1], ["unjudged", 2]],
                 axis("events", zero=True))
    yield figure("lines-counts", "lines", [column("bytes", "x"), column("events", "y")], [[bytes_more, bytes_more // 1000] for bytes_more in range(0, 3500, 500)],
                 axis("bytes more"), axis("events"))
    yield figure("lines-nothing", "lines", [column("bytes", "x"), column("events", "y")], [[at, 0] for at in range(3)], axis("bytes"), axis("events"))
    yield figure("dumbbells-bands", "dumbbells", [column("level", "group"), column("claimed", "before"), column("found", "after"), column("low", "low"), column("high", "high")],
                 [["L1", 48, None, 44, 52], ["L2", 2048, 2048, None, None]], axis("KiB", "log"))
    yield figure("dumbbells", "dumbbells", [column("path", "group", choose=True), column("before", "before", "first call"), column("after", "after", "later calls")],
                 [[path, draw.randint(3000, 9000), draw.randint(500, 2500)] for path in paths], axis("cycles", zero=True))
    verdicts = ["exact", "accurate", "noisy", "biased", "dead", "unsupported"]
    yield figure("matrix-verdicts", "matrix", [column("event", "y", choose=True), column("class", "x"), column("verdict", "value")],
                 [[event, kind, draw.choice(verdicts)] for event in ("instructions", "cycles", "branches", "page-faults", "cache-misses", "dTLB-load-misses") for kind in ("user", "kernel", "user+kernel", "a long name of a column")])
    yield figure("matrix-numbers", "matrix", [column("row", "y"), column("column", "x"), column("difference", "value")],
                 [[f"program {a}", f"machine {b}", round(draw.gauss(0, 30), 1)] for a in range(8) for b in range(10)], axis("machine"), axis("program"))
    yield figure("only-table", "table", [column("what"), column("how much")], [["a", 1], ["b", None]])


def hostile(draw):
    yield boxes(draw, "hostile-boxes", [(text, text, text) for text in HOSTILE], title=HOSTILE[0])
    yield figure("hostile-points", "points", [column("x", "x"), column("y", "y"), column("s", "series", HOSTILE[1]), column("f", "facet", choose=True)],
                 [[n, n and n * n, text, text] for n in (0, 1, 2, None) for text in HOSTILE], axis(HOSTILE[1], "log"), axis(HOSTILE[3], "log"),
                 [{"name": HOSTILE[0], "series": HOSTILE[0], "intercept": None, "slope": 1, "from": None, "to": None}], title=HOSTILE[0], caption=HOSTILE[1])
    yield figure("hostile-bars", "bars", [column("g", "group", choose=True), column("v", "value")], [[text, 10 ** at] for at, text in enumerate(HOSTILE)], axis("", "log"))
    yield figure("hostile-matrix", "matrix", [column("a", "x", choose=True), column("b", "y"), column("c", "value")], [[a, b, a] for a in HOSTILE for b in HOSTILE])
    yield figure("hostile-dumbbells", "dumbbells", [column("a", "group"), column("b", "before"), column("c", "after")], [[HOSTILE[3], 1, None], [None, None, 2], ["c", 3, 3]])
    yield figure("hostile-lines", "lines", [column("a", "x"), column("b", "y"), column("c", "series")], [[text, 5, text] for text in HOSTILE])
    yield figure("one-value", "boxes", [column("a", "group"), *[column(part, part) for part in BOX]], [["same", 5, 5, 5, 5, 5, None, [5]]], axis("x", "log"))


def many(draw, count=60, rows=500):
    """As many figures as the largest reports have; a figure's data does not grow with the samples behind it."""
    crowded = boxes(draw, "many", [(f"path {n}", f"pattern {n % 5}", "user" if n % 2 else "kernel") for n in range(rows)])  # dear to make up
    for at in range(count):
        if at % 3 == 0:
            yield dict(crowded, id=f"many-{at}")
        elif at % 3 == 1:
            yield figure(f"many-{at}", "points", [column("n", "x"), column("e", "y"), column("path", "series", choose=True)],
                         [[draw.random() * 1e6, draw.gauss(100, 30), f"path {n % 6}"] for n in range(rows)], axis("N"), axis("error"))
        else:
            yield figure(f"many-{at}", "lines", [column("n", "x"), column("e", "y"), column("path", "series", choose=True)],
                         [[n // 5, draw.gauss(100, 3) * (1 + n % 5), f"path {n % 5}"] for n in range(rows)], axis("visit"), axis("count"))


def sections():
    """Section name -> its figures."""
    draw = random.Random(17)
    return {"study": list(ordinary(draw)), "folded": [boxes(draw, "long", [(f"path number {n}", "read-read", "user") for n in range(90)])], "hostile": list(hostile(draw))}


def crowd():
    return {"crowd": list(many(random.Random(18)))}
