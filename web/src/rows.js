// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where rows with names stand: boxes, bars and dumbbells lie below each other, named on the left, or above where it is narrow.
import { axisX, gridX, plot, ruleX, text } from "@observablehq/plot";
import { axisOf } from "./axes.js";
import { widthOf, wrapped } from "./words.js";

const NARROW = 520; // pixels below which names stand above their rows
const LINE = 14;
const AXIS = 28;

/**
 * Places rows; those that share a name and follow each other have it once.
 * @returns {{places: {row, label, y, half}[], labels: {y, text, full}[], height, marginLeft, marginTop, width}}
 */
export function placed(figure, rows, width, rowHeight) {
  const above = width < NARROW;
  const names = rows.map((row) => figure.text(row, "group"));
  const widest = names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
  const room = above ? width - 16 : Math.min(widest, Math.max(140, width * 0.34)) + 2;
  const marginLeft = above ? 12 : Math.ceil(room) + 14;
  const tall = rows.length > 16;
  const shared = shareNames(figure, rows);
  const places = [];
  const labels = [];
  let y = tall ? AXIS : 8;
  for (const [at, row] of rows.entries()) {
    const first = at === 0 || names[at] !== names[at - 1];
    if (first && at > 0) y += shared ? 6 : 0;
    if (first && above) {
      labels.push({ y: y + LINE / 2 + 1, text: wrapped(names[at], room, 1)[0], full: names[at] });
      y += LINE;
    }
    places.push({ row, name: names[at], y: y + rowHeight / 2, half: rowHeight / 2 });
    y += rowHeight;
    if (!first || above) continue;
    const span = names.slice(at).findIndex((name) => name !== names[at]);
    const height = rowHeight * (span < 0 ? names.length - at : span);
    const lines = wrapped(names[at], room, Math.max(1, Math.min(3, Math.floor(height / LINE))));
    labels.push({ y: y - rowHeight + height / 2, text: lines.join("\n"), full: names[at] });
  }
  return { places, labels, height: Math.ceil(y) + AXIS + 2, marginLeft, marginTop: tall ? AXIS : 8, width, above, tall };
}

/** Whether several rows have one name. */
export function shareNames(figure, rows) {
  return new Set(rows.map((row) => figure.text(row, "group"))).size < rows.length;
}

/** Draws rows with these marks on one axis of values. */
export function rowPlot(figure, layout, values, marks, shared) {
  const { marginLeft, marginTop, width, height, above, tall } = layout;
  const length = width - marginLeft - 24;
  const { ticks, words, ...scale } = axisOf(figure.x, shared ?? values, length);
  const axis = { ticks, text: words, label: null, fontSize: 12, tickSize: 4, stroke: "none", fill: "var(--soft-ink)" };
  return plot({
    width,
    height,
    marginLeft,
    marginTop,
    marginRight: 24,
    marginBottom: AXIS,
    ariaLabel: figure.title,
    style: "font-size: 12px; font-family: inherit;",
    x: { ...scale, label: null, axis: null },
    y: { type: "identity", axis: null },
    marks: [
      gridX({ ticks, stroke: "var(--grid)", strokeOpacity: 1 }),
      axisX({ ...axis, anchor: "bottom" }),
      tall ? axisX({ ...axis, anchor: "top" }) : null,
      spansZero(scale) ? ruleX([0], { stroke: "var(--soft-ink)", strokeOpacity: 0.6 }) : null,
      ...marks,
      text(layout.labels, {
        y: "y",
        frameAnchor: "left",
        dx: -10,
        textAnchor: above ? "start" : "end",
        text: "text",
        title: "full",
        fontSize: 12,
        lineHeight: LINE / 12,
        fill: "var(--ink)",
      }),
    ],
  });
}

function spansZero({ type, domain }) {
  return type !== "log" && domain[0] < 0 && domain[1] > 0;
}
