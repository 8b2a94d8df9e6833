// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A matrix: a row is a field between two names, coloured by its value, which stands in it where there is room.
import { axisX, axisY, cell, plot, text } from "@observablehq/plot";
import { colours, ranked, shade } from "../colours.js";
import { tick } from "../axes.js";
import { tipOf } from "../tips.js";
import { fitted, shown, widthOf } from "../words.js";

export function values() {
  return undefined; // fields of facets are told apart by name, not by place
}

function categories(figure) {
  return figure.isText("value") ? ranked(figure.distinct("value")) : null;
}

export function legend(figure) {
  const names = categories(figure);
  if (!names) return [];
  const colour = colours(names);
  return names.map((name) => ({ name, paint: colour.get(name), symbol: "field" }));
}

/** number → share of the way to the farthest from zero, −1 to 1; by magnitude where they differ a thousandfold. */
function shares(numbers) {
  const sizes = numbers.map(Math.abs).filter((size) => size > 0);
  const most = Math.max(...sizes);
  const least = Math.min(...sizes);
  if (!(most > 0)) return () => 0;
  if (most / least < 1000) return (value) => value / most;
  return (value) => (value === 0 ? 0 : Math.sign(value) * (0.1 + (0.9 * Math.log(Math.abs(value) / least)) / Math.log(most / least)));
}

export function draw(figure, rows, { width }) {
  const names = categories(figure);
  const colour = names && colours(names);
  const share = shares(figure.rows.map((row) => figure.number(row, "value")).filter(Number.isFinite));
  const fields = rows.map((row) => {
    const value = figure.get(row, "value");
    const part = typeof value === "number" ? share(value) : 0;
    const paint = names ? colour.get(figure.text(row, "value")) : typeof value === "number" ? shade(part) : "var(--nothing)";
    const ink = names ? "var(--on-verdict)" : Math.abs(part) > 0.55 ? "var(--on-field)" : "var(--ink)";
    const label = typeof value === "number" ? tick(value) : shown(value);
    return { x: figure.text(row, "x"), y: figure.text(row, "y"), row, paint: paint ?? "var(--nothing)", ink, label };
  });
  const columns = [...new Set(fields.map(({ x }) => x))];
  const lines = [...new Set(fields.map(({ y }) => y))];
  const room = Math.min(width * 0.38, Math.max(...lines.map(widthOf)) + 2);
  const marginLeft = Math.ceil(room) + 12;
  const fieldWidth = Math.min(110, (width - marginLeft - 8) / columns.length);
  const across = columns.some((name) => widthOf(name) + 6 > fieldWidth);
  const longest = Math.min(150, Math.max(...columns.map(widthOf)));
  const steep = across && fieldWidth < 40; // names that lean would lie on each other
  const marginTop = steep ? Math.ceil(longest) + 16 : across ? Math.ceil(longest * 0.72) + 18 : 24;
  const overhang = across && !steep ? Math.ceil(longest * 0.72) : 0; // of the last name, to the right
  const drawn = Math.min(width, marginLeft + fieldWidth * columns.length + 8 + overhang);
  const marginRight = Math.min(8 + overhang, Math.max(8, drawn * 0.3));
  const cellWidth = (drawn - marginLeft - marginRight) / columns.length;
  const height = lines.length > 30 ? 20 : 26;
  const common = { label: null, tickSize: 0, fontSize: 12, fill: "var(--ink)" };
  return plot({
    width: drawn,
    height: marginTop + height * lines.length + 6,
    marginLeft,
    marginTop,
    marginRight,
    marginBottom: 6,
    ariaLabel: figure.title,
    style: "font-size: 12px; font-family: inherit;",
    x: { type: "band", domain: columns, padding: 0.04, label: null, axis: null },
    y: { type: "band", domain: lines, padding: 0.06, label: null, axis: null },
    marks: [
      axisX({ ...common, anchor: "top", tickFormat: (name) => fitted(name, 150), title: (name) => name, tickRotate: steep ? -90 : across ? -45 : 0, textAnchor: across ? "start" : undefined }),
      axisY({ ...common, tickFormat: (name) => fitted(name, room), title: (name) => name }),
      cell(fields, { x: "x", y: "y", fill: "paint", rx: 2 }),
      text(
        fields.filter(({ label }) => widthOf(label) + 6 <= cellWidth),
        { x: "x", y: "y", text: "label", fill: "ink", fontSize: 12 },
      ),
      tipOf(figure, fields, { maxRadius: 80 }),
    ],
  });
}
