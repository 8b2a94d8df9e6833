// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Text as it is shown: numbers in one form, names that cannot play tricks, lengths that fit.

/** Characters that are not seen, or that turn the direction of what follows. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const LONGEST = 400;

/** A text from somebody else: unseen characters made visible, and no longer than anyone would read. */
export function plain(text, longest = LONGEST) {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return short.replace(UNSEEN, "\ufffd");
}

const integers = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const decimals = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 4 });

export function number(value) {
  if (value === 0) return "0"; // also the one below zero
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(2).replace(/\.?0*e\+?/, "e");
  return (size >= 1000 ? integers : decimals).format(value).replace("-", "−");
}

/** A value of a row, for people. */
export function shown(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return plain(String(value));
}

export function plural(count, one, many) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
let ruler;

/** The width of a text in a picture, in pixels. */
export function widthOf(text) {
  if (!ruler) {
    ruler = document.createElement("canvas").getContext("2d");
    ruler.font = FONT;
  }
  return ruler.measureText(text).width;
}

/** What of a name fits, its middle left out: names differ at both ends. */
export function fitted(text, width) {
  if (widthOf(text) <= width) return text;
  let least = 1;
  let most = text.length;
  while (least < most) {
    const keep = Math.ceil((least + most) / 2);
    if (widthOf(shortened(text, keep)) <= width) least = keep;
    else most = keep - 1;
  }
  return shortened(text, least);
}

function shortened(text, keep) {
  const head = Math.ceil(keep / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (keep - head))}`;
}

/** A name on at most `lines` lines, broken between its parts or words where that helps. */
export function wrapped(text, width, lines) {
  if (lines < 2 || widthOf(text) <= width) return [fitted(text, width)];
  const words = text.split(/(?<=[ ·,/])/);
  let first = "";
  while (words.length > 1 && widthOf(first + words[0]) <= width) first += words.shift();
  if (!first) return [fitted(text, width)];
  return [first.trimEnd(), ...wrapped(words.join(""), width, lines - 1)];
}
