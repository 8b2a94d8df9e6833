// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bars: a row is a length from zero, with whiskers where its limits are known.
import { rect, ruleX, ruleY } from "@observablehq/plot";
import { colours, verdictColours } from "../colours.js";
import { placed, rowPlot, shareNames } from "../rows.js";
import { tipOf } from "../tips.js";

export function values(figure, rows) {
  const known = rows.flatMap((row) => ["value", "low", "high"].map((part) => figure.number(row, part))).filter(Number.isFinite);
  const least = Math.min(...known);
  return known.concat(figure.x.scale === "log" && least > 0 ? least / 2 : 0); // where bars begin
}

export function draw(figure, rows, { width, shared }) {
  const several = figure.series.length > 1;
  const layout = placed(figure, rows, width, several && shareNames(figure, rows) ? 16 : rows.length <= 12 ? 26 : 20);
  const bySeries = figure.has("series");
  const nameOf = (row) => figure.text(row, bySeries ? "series" : "group");
  const colour = bySeries ? colours(figure.series) : verdictColours(rows.map(nameOf)); // bars that are called by a verdict have its colour
  const all = shared ?? values(figure, rows);
  const from = all.includes(0) ? 0 : Math.min(...all); // on a log axis there is no zero
  const bars = layout.places.map((place) => ({
    ...place,
    x: figure.number(place.row, "value"),
    low: figure.number(place.row, "low"),
    high: figure.number(place.row, "high"),
    from,
    paint: colour.get(nameOf(place.row)) ?? "var(--series-1)",
  }));
  const whiskers = bars.filter((bar) => Number.isFinite(bar.low) && Number.isFinite(bar.high));
  const half = (bar) => bar.half * (bar.half <= 8 ? 0.84 : 0.7);
  const cap = (x) => ruleX(whiskers, { x, y1: (bar) => bar.y - 4, y2: (bar) => bar.y + 4, stroke: "var(--ink)" });
  const marks = [
    rect(bars, { x1: "from", x2: "x", y1: (bar) => bar.y - half(bar), y2: (bar) => bar.y + half(bar), fill: "paint", rx: 1.5 }),
    ruleY(whiskers, { y: "y", x1: "low", x2: "high", stroke: "var(--ink)", strokeWidth: 1.2 }),
    cap("low"),
    cap("high"),
    tipOf(figure, bars, { maxRadius: 60 }),
  ];
  return rowPlot(figure, layout, all, marks, shared);
}
