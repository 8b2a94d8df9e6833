// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Dumbbells: a row is a change, from a hollow dot to a full one, or to a band where that one is known to lie.
import { dot, link } from "@observablehq/plot";
import { placed, rowPlot } from "../rows.js";
import { tipOf } from "../tips.js";

export function values(figure, rows) {
  return rows.flatMap((row) => ["before", "after", "low", "high"].map((part) => figure.number(row, part)));
}

export function legend(figure) {
  return [
    { name: figure.titleOf("before"), paint: "var(--series-2)", symbol: "circle", hollow: true },
    { name: figure.titleOf("after"), paint: "var(--series-1)", symbol: "circle" },
    ...(figure.has("low") && figure.has("high") ? [{ name: "known to lie between", paint: "color-mix(in oklab, var(--series-1) 45%, var(--paper))", symbol: "square" }] : []),
  ];
}

export function draw(figure, rows, { width, shared }) {
  const layout = placed(figure, rows, width, rows.length <= 12 ? 28 : 22);
  const changes = layout.places.map((place) => ({ ...place, before: figure.number(place.row, "before"), after: figure.number(place.row, "after") }));
  const bands = changes.map((change) => ({ ...change, low: figure.number(change.row, "low"), high: figure.number(change.row, "high") })).filter(({ low, high }) => low < high);
  const ends = changes.flatMap(({ before, after, y, row }) => [
    { x: before, y, row },
    { x: after, y, row },
  ]);
  ends.push(...bands.flatMap(({ low, high, y, row }) => [low, high].map((x) => ({ x, y, row }))));
  const marks = [
    link(bands, { x1: "low", x2: "high", y1: "y", y2: "y", stroke: "var(--series-1)", strokeWidth: 9, strokeOpacity: 0.45 }),
    link(changes, { x1: "before", x2: "after", y1: "y", y2: "y", stroke: "var(--soft-ink)", strokeWidth: 2, strokeOpacity: 0.6 }),
    dot(changes, { x: "before", y: "y", r: 5, stroke: "var(--series-2)", fill: "var(--paper)", strokeWidth: 2 }),
    dot(changes, { x: "after", y: "y", r: 5.5, fill: "var(--series-1)" }),
    tipOf(figure, ends.filter((end) => Number.isFinite(end.x))),
  ];
  return rowPlot(figure, layout, values(figure, rows), marks, shared);
}
