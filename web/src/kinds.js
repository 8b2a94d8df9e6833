// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every kind of picture, by the name that figures use. A kind has draw(figure, rows, {width, shared}) → SVG, values(figure, rows),
// of which facets share the range, and maybe legend(figure).
import * as bars from "./kinds/bars.js";
import * as boxes from "./kinds/boxes.js";
import * as dumbbells from "./kinds/dumbbells.js";
import * as lines from "./kinds/lines.js";
import * as matrix from "./kinds/matrix.js";
import * as points from "./kinds/points.js";

export const kinds = { bars, boxes, dumbbells, lines, matrix, points };
/** Kinds whose rows lie below each other, so that many of them are folded. */
export const listed = new Set(["bars", "boxes", "dumbbells"]);
