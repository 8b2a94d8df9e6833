// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A plane with two axes: what points and lines share. Either axis may hold texts instead of numbers.
import { axisX, axisY, gridX, gridY, line, plot, ruleY } from "@observablehq/plot";
import { axisOf } from "./axes.js";
import { fitted, shown, widthOf } from "./words.js";

const STEPS = 64; // of a straight line, which is a curve on a log axis

/** What both kinds read from a row. */
export function pointsOf(figure, rows, colour, symbol) {
  const texts = { x: figure.isText("x"), y: figure.isText("y") };
  const read = (row, role) => (texts[role] ? figure.text(row, role) : figure.number(row, role));
  const points = rows.map((row) => {
    const series = figure.text(row, "series");
    const [low, high] = ["low", "high"].map((role) => figure.number(row, role));
    return { x: read(row, "x"), y: read(row, "y"), low, high, row, series, paint: colour.get(series) ?? "var(--series-1)", symbol: symbol.get(series) ?? "circle" };
  });
  return points.filter(({ x, y }) => (texts.x || Number.isFinite(x)) && (texts.y || Number.isFinite(y)));
}

function numbers(figure, rows, roles) {
  return rows.flatMap((row) => roles.map((role) => figure.number(row, role)));
}

export function xValues(figure, rows) {
  return numbers(figure, rows, ["x"]);
}

export function yValues(figure, rows) {
  return numbers(figure, rows, ["y", "low", "high"]);
}

/** Straight lines beside the data, cut where the data ends, so that they never decide what is seen. */
function straight(figure, rows, colour) {
  const xs = xValues(figure, rows).filter(Number.isFinite);
  if (!xs.length) return [];
  const shownSeries = new Set(rows.map((row) => figure.text(row, "series")));
  return figure.lines
    .filter(({ series, intercept, slope }) => Number.isFinite(intercept) && Number.isFinite(slope) && (series === null || shownSeries.has(series)))
    .map(({ name, series, intercept, slope, from, to }, number) => {
      const least = Math.max(from ?? -Infinity, Math.min(...xs));
      const most = Math.min(to ?? Infinity, Math.max(...xs));
      const even = figure.x.scale === "linear" || least <= 0;
      const at = (share) => (even ? least + (most - least) * share : least * (most / least) ** share);
      const curve = Array.from({ length: STEPS + 1 }, (_, step) => at(step / STEPS));
      return { number, name, paint: colour.get(series) ?? "var(--soft-ink)", points: curve.map((x) => ({ x, y: intercept + slope * x })) };
    });
}

function side(axis, texts, values, length) {
  if (!texts) {
    const { ticks, words, ...scale } = axisOf(axis, values, length);
    return { scale, ticks, format: words, names: [] };
  }
  return { scale: { type: "point", domain: texts, padding: 0.6 }, ticks: undefined, format: shown, names: texts };
}

/** Draws marks over points of a plane. */
export function planePlot(figure, points, rows, marks, { width, shared, paper, colour }) {
  const texts = (role) => (figure.isText(role) ? [...new Set(points.map((point) => point[role]))] : null);
  const height = figure.isText("y") ? 60 + 24 * texts("y").length : Math.round(Math.max(220, Math.min(paper ? 290 : 400, width * 0.55)));
  const y = side(figure.y, texts("y"), shared?.y ?? yValues(figure, rows), height * 1.4);
  const yLabels = y.names.length ? y.names : tickTexts(y);
  const marginLeft = Math.min(width * 0.35, Math.max(36, ...yLabels.map((label) => widthOf(label) + 14)));
  const length = width - marginLeft - 24;
  const x = side(figure.x, texts("x"), shared?.x ?? xValues(figure, rows), length);
  const crowded = x.names.some((name) => widthOf(name) + 12 > length / x.names.length);
  const lean = Math.min(150, (marginLeft + length / x.names.length / 2) / 0.8); // the first name leans over the left margin
  const turned = crowded ? Math.min(lean, Math.max(...x.names.map(widthOf))) * 0.65 + 20 : 0;
  const fit = (label) => (crowded ? fitted(label, lean) : label);
  const common = { label: null, fontSize: 12, tickSize: 4, stroke: "none", fill: "var(--soft-ink)" };
  const lines = straight(figure, rows, colour);
  return plot({
    width,
    height: height + Math.max(0, turned - 28),
    marginLeft,
    marginRight: 24,
    marginTop: 10,
    marginBottom: Math.max(28, turned),
    ariaLabel: figure.title,
    style: "font-size: 12px; font-family: inherit;",
    x: { ...x.scale, label: null, axis: null },
    y: { ...y.scale, label: null, axis: null },
    marks: [
      x.names.length ? null : gridX({ ticks: x.ticks, stroke: "var(--grid)", strokeOpacity: 1 }),
      gridY({ ticks: y.ticks, stroke: "var(--grid)", strokeOpacity: 1 }),
      axisX({ ...common, ticks: x.ticks, text: (value) => fit(x.format(value)), tickRotate: crowded ? -40 : 0, textAnchor: crowded ? "end" : undefined }),
      axisY({ ...common, ticks: y.ticks, text: (value) => fitted(y.format(value), marginLeft - 12) }),
      y.scale.type !== "log" && y.scale.type !== "point" && y.scale.domain[0] < 0 && y.scale.domain[1] > 0 ? ruleY([0], { stroke: "var(--soft-ink)", strokeOpacity: 0.6 }) : null,
      ...lines.map((one) => line(one.points, { x: "x", y: "y", stroke: one.paint, strokeWidth: 1.5, strokeDasharray: "5 3", clip: true })),
      ...marks,
    ],
  });
}

/** The longest texts beside an axis of numbers, before Plot chose its ticks. */
function tickTexts({ scale, ticks, format }) {
  if (Array.isArray(ticks)) return ticks.map(format);
  const [low, high] = scale.domain;
  const step = (high - low) / 5;
  const digits = Math.max(0, Math.ceil(-Math.log10(step || 1)));
  return [low, high, low + step].map((value) => format(Number(value.toFixed(digits))));
}

/** Names of straight lines, once each, for the legend. */
export function lineLegend(figure) {
  return [...new Set(figure.lines.map(({ name }) => name).filter(Boolean))].map((name) => ({ name, paint: "var(--soft-ink)", symbol: "dashes" }));
}
