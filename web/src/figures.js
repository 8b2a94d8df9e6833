// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The figures that a page holds as JSON, with their rows as objects and their columns by what they are to the picture.
import { plain } from "./words.js";

/** A figure as kinds see it. Rows stay as they are; `get` reads them by role. */
export class Figure {
  constructor(name, json) {
    this.name = name;
    this.title = plain(json.title ?? name);
    this.kind = json.kind;
    this.x = { scale: "linear", zero: false, label: null, ...json.x };
    this.y = { scale: "linear", zero: false, label: null, ...json.y };
    this.columns = json.columns ?? [];
    this.rows = json.rows ?? [];
    this.lines = json.lines ?? [];
    this.visible = this.columns.flatMap((column, at) => (column.hidden ? [] : [{ at, title: plain(column.title ?? column.key) }]));
    this.at = new Map();
    for (const [at, { role }] of this.columns.entries()) if (role) this.at.set(role, [...(this.at.get(role) ?? []), at]);
    this.series = this.distinct("series");
    this.facets = this.distinct("facet");
  }

  has(role) {
    return this.at.has(role);
  }

  get(row, role) {
    const at = this.at.get(role);
    return at === undefined ? undefined : row[at[0]];
  }

  /** A number, or NaN: what JSON has no number for. */
  number(row, role) {
    const value = this.get(row, role);
    return typeof value === "number" ? value : NaN;
  }

  /** Several columns of a role are one name. */
  text(row, role) {
    const parts = (this.at.get(role) ?? []).map((at) => row[at]).filter((part) => part !== null && part !== "");
    return plain(parts.join(" · "));
  }

  titleOf(role) {
    const at = this.at.get(role);
    return at === undefined ? role : plain(this.columns[at[0]].title ?? role);
  }

  distinct(role) {
    return this.has(role) ? [...new Set(this.rows.map((row) => this.text(row, role)))] : [];
  }

  /** Whether a role holds texts rather than numbers. */
  isText(role) {
    return this.rows.some((row) => typeof this.get(row, role) === "string");
  }

  columnOf(key) {
    return this.columns.findIndex((column) => column.key === key);
  }
}

/** name → Figure of everything in the page's JSON: an object by name, or a list whose entries name their section. */
export function readFigures(element) {
  const json = element ? JSON.parse(element.textContent) : {};
  const named = Array.isArray(json) ? json.map((figure) => [figure.name ?? `${figure.section}/${figure.id}`, figure]) : Object.entries(json);
  return new Map(named.map(([name, figure]) => [name, new Figure(name, figure)]));
}
