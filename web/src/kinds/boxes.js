// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Boxes: a row is a distribution. Its density rises above the middle, the box lies on it, some of the values lie below.
import { rect, ruleX, ruleY } from "@observablehq/plot";
import { colours } from "../colours.js";
import { svgElement } from "../elements.js";
import { placed, rowPlot } from "../rows.js";
import { tipOf } from "../tips.js";

const PARTS = ["min", "q1", "median", "q3", "max"];

export function values(figure, rows) {
  return rows.flatMap((row) => PARTS.map((part) => figure.number(row, part)));
}

export function draw(figure, rows, { width, shared, paper }) {
  const rowHeight = rows.length <= 8 ? 44 : rows.length <= 20 ? 34 : paper ? 21 : 26; // 40 rows fit a sheet
  const layout = placed(figure, rows, width, rowHeight);
  const colour = colours(figure.series);
  const boxes = layout.places.map((place) => {
    const [min, q1, median, q3, max] = PARTS.map((part) => figure.number(place.row, part));
    const samples = (figure.get(place.row, "samples") ?? []).filter(Number.isFinite);
    const density = figure.get(place.row, "density") ?? [];
    const paint = colour.get(figure.text(place.row, "series")) ?? "var(--series-1)";
    return { ...place, min, q1, median, q3, max, samples, density, paint };
  });
  const thick = Math.min(4, rowHeight / 9);
  const marks = [
    (index, scales) => violins(boxes, scales.x),
    (index, scales) => dots(boxes, scales.x),
    ruleY(boxes, { y: "y", x1: "min", x2: "max", stroke: "paint", strokeWidth: 1 }),
    rect(boxes, { x1: "q1", x2: "q3", y1: (box) => box.y - thick, y2: (box) => box.y + thick, fill: "paint", rx: 1.5, insetLeft: -0.5, insetRight: -0.5 }),
    ruleX(boxes, { x: "median", y1: (box) => box.y - thick - 3, y2: (box) => box.y + thick + 3, stroke: "var(--paper)", strokeWidth: 5 }),
    ruleX(boxes, { x: "median", y1: (box) => box.y - thick - 3, y2: (box) => box.y + thick + 3, stroke: "paint", strokeWidth: 2.5 }),
    tipOf(figure, boxes.flatMap(points)),
  ];
  return rowPlot(figure, layout, values(figure, rows), marks, shared);
}

/** Everything of a box that can be pointed at. */
function points(box) {
  const of = (value, y) => ({ x: value, y, row: box.row });
  const parts = PARTS.filter((part) => Number.isFinite(box[part])).map((part) => of(box[part], box.y));
  return parts.concat(box.samples.map((value, at) => ({ ...of(value, below(box, at)), value })));
}

/** Where a dot lies below the middle: scattered, and the same every time. */
function below(box, at) {
  const scatter = ((at * 0.618034) % 1) * 0.55;
  return box.y + box.half * (0.32 + scatter);
}

/** One path a row: dots are strokes without length and with round ends. */
function dots(boxes, x) {
  const group = svgElement("g", { class: "samples" });
  for (const box of boxes) {
    const d = box.samples.map((value, at) => `M${x(value).toFixed(1)} ${below(box, at).toFixed(1)}h0`).join("");
    if (d) group.append(svgElement("path", { d, stroke: box.paint }));
  }
  return group;
}

/** How much of the axis a step takes: a density shows the same share as the same area, on a logarithmic axis too. */
function across(value, step, x) {
  const width = Math.abs(x(value + step / 2) - x(value - step / 2));
  return Number.isFinite(width) ? width : Infinity;
}

function violins(boxes, x) {
  const group = svgElement("g", { class: "violins" });
  for (const box of boxes) {
    const [low, step, ...shares] = box.density;
    const heights = shares.map((share, at) => share / across(low + step * at, step, x) || 0);
    const top = Math.max(...heights);
    if (!heights.length || !(top > 0)) continue;
    const [from, to] = x.domain();
    const outline = heights
      .map((height, at) => [Math.min(Math.max(low + step * at, from), to), box.y - (height / top) * box.half * 0.86])
      .map(([value, y]) => `${x(value).toFixed(1)} ${y.toFixed(1)}`);
    const end = (at) => `${outline[at].split(" ")[0]} ${box.y.toFixed(1)}`;
    const d = `M${end(0)}L${outline.join("L")}L${end(outline.length - 1)}Z`;
    group.append(svgElement("path", { d, fill: box.paint, stroke: box.paint }));
  }
  return group;
}
