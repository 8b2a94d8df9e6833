// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Points: a row is a dot, with a bar from low to high where both are known; straight lines stand beside.
import { dot, ruleX } from "@observablehq/plot";
import { colours, symbols } from "../colours.js";
import { lineLegend, planePlot, pointsOf, xValues, yValues } from "../plane.js";
import { tipOf } from "../tips.js";

export { lineLegend as legend };

export function values(figure, rows) {
  return { x: xValues(figure, rows), y: yValues(figure, rows) };
}

export function draw(figure, rows, { width, shared, paper }) {
  const colour = colours(figure.series);
  const points = pointsOf(figure, rows, colour, symbols(figure.series));
  const barred = points.filter(({ low, high }) => Number.isFinite(low) && Number.isFinite(high));
  const many = points.length > 200;
  const marks = [
    ruleX(barred, { x: "x", y1: "low", y2: "high", stroke: "paint", strokeWidth: 1.2, strokeOpacity: 0.8 }),
    dot(points, { x: "x", y: "y", symbol: "symbol", r: many ? 3 : 4, fill: "paint", fillOpacity: many ? 0.35 : 0.6, stroke: "paint", strokeWidth: 1 }),
    tipOf(figure, points),
  ];
  return planePlot(figure, points, rows, marks, { width, shared, paper, colour });
}
