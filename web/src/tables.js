// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tables of the page on narrow screens: each row becomes a card, whose cells then say what they are.

const CARDS = "table.scorecard, table.verdicts, table.doctor";

export function nameCells() {
  for (const table of document.querySelectorAll(CARDS)) {
    const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent);
    for (const body of table.tBodies)
      for (const row of body.rows)
        for (const cell of row.cells) if (cell.localName === "td" && !cell.querySelector(".chip")) cell.dataset.label = names[cell.cellIndex] ?? "";
  }
}
