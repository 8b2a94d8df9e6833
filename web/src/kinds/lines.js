// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lines: rows of one series joined in the order of x, with a band from low to high.
import { areaY, dot, line } from "@observablehq/plot";
import { colours, symbols } from "../colours.js";
import { lineLegend, planePlot, pointsOf, xValues, yValues } from "../plane.js";
import { tipOf } from "../tips.js";

export { lineLegend as legend };

const DOTS = 150; // rows up to which each has a dot

export function values(figure, rows) {
  return { x: xValues(figure, rows), y: yValues(figure, rows) };
}

export function draw(figure, rows, { width, shared, paper }) {
  const colour = colours(figure.series);
  const points = pointsOf(figure, rows, colour, symbols(figure.series));
  if (!figure.isText("x")) points.sort((a, b) => a.x - b.x);
  const banded = points.filter(({ low, high }) => Number.isFinite(low) && Number.isFinite(high));
  const marks = [
    areaY(banded, { x: "x", y1: "low", y2: "high", z: "series", fill: "paint", fillOpacity: 0.18 }),
    line(points, { x: "x", y: "y", z: "series", stroke: "paint", strokeWidth: 1.8 }),
    points.length <= DOTS ? dot(points, { x: "x", y: "y", symbol: "symbol", r: 3.2, fill: "paint" }) : null,
    tipOf(figure, points),
  ];
  return planePlot(figure, points, rows, marks, { width, shared, paper, colour });
}
