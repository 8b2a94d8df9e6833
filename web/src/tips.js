// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What hovering tells: every column of the row that the table has, and the very value pointed at.
import { pointer, tip } from "@observablehq/plot";
import { fitted, number, shown } from "./words.js";

const WIDEST = 300;

function words(figure, point) {
  const lines = figure.visible.map(({ at, title }) => `${title}: ${shown(point.row[at])}`);
  if (point.value !== undefined) lines.unshift(`this sample: ${number(point.value)}`);
  return lines.map((line) => fitted(line, WIDEST)).join("\n");
}

/** A mark that shows the words of the nearest point; points are {x, y, row, value?} in the units of the axes. */
export function tipOf(figure, points, options = {}) {
  return tip(
    points,
    pointer({
      x: "x",
      y: "y",
      title: (point) => point,
      format: { title: (point) => words(figure, point) },
      lineWidth: 40,
      lineHeight: 1.25,
      fill: "var(--raised)",
      stroke: "var(--edge)",
      fontSize: 12,
      ...options,
    }),
  );
}
