// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One figure of the page: its rows as far as they are chosen, folded where they are many, drawn anew when width or choice changes.
import { element } from "./elements.js";
import { kinds, listed } from "./kinds.js";
import { legendOf } from "./legend.js";
import { number, plain } from "./words.js";

const FOLDED = 40; // rows of a list that are shown at first
const APART = 30; // how many times wider the range of one facet may be before each has its own
const NARROWEST = 240;

export class Picture {
  /** @param {HTMLElement} place the div that it is drawn into */
  constructor(place, figure) {
    this.place = place;
    this.figure = figure;
    this.unfolded = false;
    this.dirty = true;
    this.width = 0;
    this.paper = false;
    this.keep = () => true;
    this.shown = figure.rows.length;
    this.table = place.closest("figure")?.querySelector("details.data table tbody");
  }

  /** @param {(row: any[]) => boolean} keep which rows remain */
  choose(keep) {
    this.keep = keep;
    this.dirty = true;
    const kept = this.figure.rows.map((row) => keep(row));
    this.shown = kept.filter(Boolean).length;
    const lines = this.table?.rows ?? []; // not of all rows where there are many
    if (lines.length <= kept.length) for (const [at, line] of [...lines].entries()) line.hidden = !kept[at];
  }

  isStale() {
    if (this.figure.kind === "table") return false;
    const width = this.place.clientWidth; // 0: not in sight at all
    return this.dirty || (width > 0 && width !== this.width);
  }

  /** Draws if anything changed; a picture that cannot be drawn says why, and the table below it has the data. */
  draw(width = this.place.clientWidth || 640, paper = false) {
    if (!this.dirty && width === this.width && paper === this.paper) return;
    this.dirty = false;
    this.width = width;
    this.paper = paper;
    try {
      this.place.replaceChildren(...this.content(Math.max(NARROWEST, width)));
      this.place.dataset.drawn = "yes";
    } catch (error) {
      this.place.replaceChildren(element("p", { class: "empty" }, `This figure could not be drawn (${plain(String(error.message))}); its data is in the table.`));
      this.place.dataset.drawn = "no";
    }
  }

  content(width) {
    const { figure } = this;
    const kind = kinds[figure.kind];
    if (!kind) throw new Error(`unknown kind "${figure.kind}"`);
    const rows = figure.rows.filter(this.keep);
    if (!rows.length) return [element("p", { class: "empty" }, "Nothing is left with these choices.")];
    const folded = listed.has(figure.kind) && rows.length > FOLDED + 5;
    const few = folded ? this.firstOf(rows) : rows;
    return [legendOf(figure, kind), ...this.facets(kind, this.unfolded ? rows : few, width), folded ? this.folding(rows.length, few.length) : null].filter(Boolean);
  }

  /** The first rows of every facet, as many of each as a folded list holds. */
  firstOf(rows) {
    const place = new Map();
    const ranks = rows.map((row) => {
      const facet = this.figure.has("facet") ? this.figure.text(row, "facet") : "";
      place.set(facet, (place.get(facet) ?? 0) + 1);
      return place.get(facet);
    });
    let most = Math.max(1, Math.floor(FOLDED / place.size));
    while (ranks.filter((rank) => rank <= most + 1).length <= FOLDED) most++;
    return rows.filter((_, at) => ranks[at] <= most);
  }

  facets(kind, rows, width) {
    const { figure } = this;
    if (!figure.has("facet")) return this.axes(kind.draw(figure, rows, { width, paper: this.paper }));
    const names = figure.facets.filter((name) => rows.some((row) => figure.text(row, "facet") === name));
    const parts = names.map((name) => rows.filter((row) => figure.text(row, "facet") === name));
    const shared = sharedRange(kind, figure, parts);
    const columns = listed.has(figure.kind) || figure.kind === "matrix" || width < 560 ? 1 : balanced(parts.length, width < 900 ? 2 : 3);
    const each = Math.floor((width - (columns - 1) * 20) / columns);
    const blocks = parts.map((part, at) =>
      element("div", { class: "facet" }, element("p", { class: "facet-name" }, plain(names[at], 80) || "–"), ...this.axes(kind.draw(figure, part, { width: each, shared, paper: this.paper }))),
    );
    const grid = element("div", { class: "facets" }, ...blocks);
    grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    const apart = parts.length > 1 && !shared && figure.kind !== "matrix";
    return [grid, apart ? element("p", { class: "empty" }, "The ranges differ so much that each part has its own scale.") : null];
  }

  /** Labels of axes are text of the page, which wraps where a picture would cut it off. */
  axes(svg) {
    const { figure } = this;
    svg.setAttribute("role", "img");
    const planar = figure.kind === "points" || figure.kind === "lines";
    const [x, y] = [figure.x.label, figure.y.label].map((label) => (label ? plain(label, 160) : null));
    const below = planar || figure.kind === "matrix" ? x : (x ?? y);
    const above = planar || figure.kind === "matrix" ? y : null;
    const turned = figure.kind === "matrix";
    return [
      !turned && above ? element("p", { class: "axis-name upright" }, `↑ ${above}`) : null,
      turned && (above || below) ? element("p", { class: "axis-name upright" }, [above && `${above} ↓`, below && `${below} →`].filter(Boolean).join("   ")) : null,
      svg,
      !turned && below ? element("p", { class: "axis-name" }, `${below} →`) : null,
    ].filter(Boolean);
  }

  folding(total, few) {
    const words = this.unfolded ? `Show the first ${few} only` : `Show all ${number(total)} (now the first ${few})`;
    const button = element("button", { type: "button", class: "fold" }, words);
    button.addEventListener("click", () => {
      this.unfolded = !this.unfolded;
      this.dirty = true;
      this.draw(this.width, this.paper);
      this.place.querySelector("button.fold")?.focus();
    });
    return button;
  }
}

/** As many columns as leave the last line the fullest. */
function balanced(count, most) {
  return Math.ceil(count / Math.ceil(count / most));
}

/** The values of all facets, unless one of them would be a dot beside another. */
function sharedRange(kind, figure, parts) {
  const all = parts.map((part) => kind.values(figure, part));
  if (all[0] === undefined) return undefined;
  if (Array.isArray(all[0])) return alike(figure.x, all) ? all.flat() : undefined;
  const [xs, ys] = ["x", "y"].map((side) => all.map((values) => values[side]));
  const [x, y] = [alike(figure.x, xs) ? xs.flat() : undefined, alike(figure.y, ys) ? ys.flat() : undefined];
  return x || y ? { x, y } : undefined;
}

function alike(axis, lists) {
  if (axis.scale !== "linear") return true;
  const spans = lists.map((values) => {
    const known = values.filter(Number.isFinite);
    return known.length ? Math.max(...known.map(Math.abs)) : NaN;
  });
  const real = spans.filter((span) => span > 0);
  return real.length < 2 || Math.max(...real) / Math.min(...real) <= APART;
}
