// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which colour and which symbol stands for what. Colours are names of the style sheet, so that themes need no redrawing.

const SERIES = 8;
/** Verdicts have colours of their own wherever they are drawn. */
const VERDICTS = new Map([
  ["exact", "--good"],
  ["holds", "--good"],
  ["ok", "--good"],
  ["yes", "--good"],
  ["dependable", "--good"],
  ["identical", "--good"],
  ["accurate", "--nearly"],
  ["not falsifiable here", "--nearly"],
  ["noisy", "--fair"],
  ["cpu-time only", "--fair"],
  ["inconclusive", "--fair"],
  ["warn", "--fair"],
  ["varies", "--fair"],
  ["unscheduled", "--fair"],
  ["biased", "--wrong"],
  ["not dependable", "--wrong"],
  ["does not hold", "--wrong"],
  ["bad", "--wrong"],
  ["no", "--wrong"],
  ["dead", "--dead"],
  ["unsupported", "--nothing"],
  ["unjudged", "--nothing"],
  ["not testable here", "--nothing"],
  ["not testable", "--nothing"],
  ["absent", "--nothing"],
  ["not judged", "--nothing"],
]);
const RANKS = new Map([...VERDICTS.keys()].map((word, rank) => [word, rank]));
const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "wye", "cross"];

/** value → colour, for a list of texts: verdicts have theirs, and what is beside them is neither good nor bad; else the palette in order. */
export function colours(values) {
  const verdicts = values.some((value) => VERDICTS.has(value));
  const name = (value, at) => (verdicts ? (VERDICTS.get(value) ?? "--neither") : `--series-${(at % SERIES) + 1}`);
  return new Map(values.map((value, at) => [value, `var(${name(value, at)})`]));
}

/** The same for verdicts only; empty where one of them is none. */
export function verdictColours(values) {
  return new Map(values.every((value) => VERDICTS.has(value)) ? values.map((value) => [value, `var(${VERDICTS.get(value)})`]) : []);
}

/** Verdicts from good to bad; behind them others as they came. */
export function ranked(values) {
  return [...values].sort((a, b) => (RANKS.get(a) ?? RANKS.size) - (RANKS.get(b) ?? RANKS.size));
}

/** value → symbol: the same circle while there is one series only. */
export function symbols(values) {
  return new Map(values.map((value, at) => [value, SYMBOLS[at % SYMBOLS.length]]));
}

/** A field's colour by how far it is (−1 to 1) from nothing. */
export function shade(share) {
  const end = share < 0 ? "var(--field-below)" : "var(--field-above)";
  return `color-mix(in oklab, ${end} ${Math.round(Math.min(1, Math.abs(share)) * 100)}%, var(--field-zero))`;
}
