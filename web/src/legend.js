// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What colours and symbols stand for, above a picture.
import { colours, symbols } from "./colours.js";
import { element, svgElement } from "./elements.js";
import { fitted, plain } from "./words.js";

const MOST = 24;
const SHAPES = {
  circle: "M7 2.5a4.5 4.5 0 1 0 .01 0Z",
  square: "M3 3h8v8H3Z",
  triangle: "M7 2l5 9H2Z",
  diamond: "M7 1.5l4.2 5.5L7 12.500l-4.200-5.500Z",
  star: "M7 1.200l1.400 4.200h4.400L9.200 8l1.400 4.200L7 9.600l-3.600 2.600L4.800 8 1.200 5.400h4.400Z",
  wye: "M5.500 8.200L1.800 6l1.500-2.600L7 5.600l3.700-2.200L12.200 6 8.500 8.200v4.300h-3Z",
  cross: "M5.500 1.500h3v4h4v3h-4v4h-3v-4h-4v-3h4Z",
  field: "M1 2h12v10H1Z",
  dashes: "M0 6h5v2H0ZM8 6h5v2H8Z",
};

/** The symbols of points differ; elsewhere a square of the colour does. */
function ofSeries(figure) {
  if (figure.series.length < 2) return [];
  const marked = figure.kind === "points" || figure.kind === "lines";
  const colour = colours(figure.series);
  const symbol = symbols(figure.series);
  return figure.series.map((name) => ({ name: name || "–", paint: colour.get(name), symbol: marked ? symbol.get(name) : "square" }));
}

function entry({ name, paint, symbol, hollow }) {
  const sign = svgElement("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" });
  const look = hollow ? { fill: "none", stroke: paint, "stroke-width": 2 } : { fill: paint };
  sign.append(svgElement("path", { d: SHAPES[symbol], ...look }));
  return element("li", { title: plain(name) }, sign, fitted(plain(name), 260));
}

export function legendOf(figure, kind) {
  const entries = [...ofSeries(figure), ...(kind.legend?.(figure) ?? [])];
  if (!entries.length) return null;
  const more = entries.length - MOST;
  return element("ul", { class: "legend" }, ...entries.slice(0, MOST).map(entry), more > 0 ? element("li", {}, `and ${more} more`) : null);
}
