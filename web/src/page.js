// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The script of a page: draws the figures that the page holds as JSON, and lets its reader choose among their rows.
import { readFigures } from "./figures.js";
import { addFilters } from "./filters.js";
import { Picture } from "./picture.js";
import { fitPaper } from "./print.js";
import { Schedule } from "./schedule.js";
import { nameCells } from "./tables.js";
import { addThemeButton } from "./theme.js";

function pictures() {
  const figures = readFigures(document.getElementById("assay-figures"));
  const places = [...document.querySelectorAll("div.plot[data-figure]")];
  return places.filter(({ dataset }) => figures.has(dataset.figure)).map((place) => new Picture(place, figures.get(place.dataset.figure)));
}

function bySection(list) {
  const sections = new Map();
  for (const picture of list) {
    const section = picture.place.closest("section") ?? document.body;
    sections.set(section, [...(sections.get(section) ?? []), picture]);
  }
  return sections;
}

/** Figures without a picture are tables, which are then open. */
function openTables(list) {
  for (const { place } of list) {
    place.hidden = true;
    place.closest("figure").querySelector("details.data")?.setAttribute("open", "");
  }
}

async function start() {
  const listed = pictures();
  const all = listed.filter(({ figure }) => figure.kind !== "table");
  openTables(listed.filter((picture) => !all.includes(picture)));
  const schedule = new Schedule(all);
  for (const [section, own] of bySection(listed)) addFilters(section, own, () => schedule.start());
  nameCells();
  addThemeButton(document.querySelector("header.top") ?? document.body);
  fitPaper(all, () => schedule.start());
  await schedule.all();
  const resized = new ResizeObserver(() => schedule.start());
  for (const { place } of all) resized.observe(place);
  window.assay = { figures: all.length, drawn: all.filter(({ place }) => place.dataset.drawn === "yes").length };
  document.documentElement.dataset.ready = "yes";
}

start();
