// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Choosers above the figures of a section: one for each column that can be chosen by, for all figures that have it.
import { element } from "./elements.js";
import { fitted, number, plain } from "./words.js";

/** Columns to choose by: key → {title, values}, of those with more than one value. */
function choices(pictures) {
  const found = new Map();
  for (const { figure } of pictures)
    for (const [at, { key, title, filter }] of figure.columns.entries()) {
      if (!filter) continue;
      if (!found.has(key)) found.set(key, { title: plain(title ?? key), values: new Set() });
      for (const row of figure.rows) if (row[at] !== null) found.get(key).values.add(String(row[at]));
    }
  return [...found].filter(([, { values }]) => values.size > 1);
}

function chooser([key, { title, values }]) {
  const options = [...values].map((value) => element("option", { value: `=${value}` }, fitted(plain(value), 240)));
  const select = element("select", { "data-filter": key }, element("option", { value: "" }, "all"), ...options);
  return { key, select, label: element("label", {}, `${title} `, select) };
}

/** Whether a figure keeps a row under what is chosen: columns it lacks say nothing. */
function keeper(figure, chosen) {
  const tests = chosen.map(([key, value]) => [figure.columnOf(key), value]).filter(([at]) => at >= 0);
  return (row) => tests.every(([at, value]) => String(row[at]) === value);
}

/** Puts the choosers before the first figure of a section; `changed` is called when pictures want drawing. */
export function addFilters(section, pictures, changed) {
  const choosers = choices(pictures).map(chooser);
  if (!choosers.length) return;
  const count = element("output", { class: "count" });
  const reset = element("button", { type: "button", class: "reset" }, "Reset");
  const bar = element("div", { class: "filters", role: "group", "aria-label": "Rows shown in this section" }, ...choosers.map(({ label }) => label), count, reset);
  const apply = () => {
    const chosen = choosers.filter(({ select }) => select.value).map(({ key, select }) => [key, select.value.slice(1)]);
    for (const picture of pictures) picture.choose(keeper(picture.figure, chosen));
    const [shown, all] = [pictures.reduce((sum, { shown }) => sum + shown, 0), pictures.reduce((sum, { figure }) => sum + figure.rows.length, 0)];
    count.textContent = chosen.length ? `${number(shown)} of ${number(all)} rows` : `all ${number(all)} rows`;
    reset.disabled = !chosen.length;
    changed();
  };
  bar.addEventListener("change", apply);
  reset.addEventListener("click", () => {
    for (const { select } of choosers) select.value = "";
    apply();
  });
  count.textContent = `all ${number(pictures.reduce((sum, { figure }) => sum + figure.rows.length, 0))} rows`;
  reset.disabled = true;
  pictures[0].place.closest("figure").before(bar);
}
