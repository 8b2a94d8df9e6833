// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The script of a page: draws the figures that the page holds as JSON.
import { plot } from "@observablehq/plot";

const root = document.documentElement;
window.assay = { figures: document.querySelectorAll("div.plot").length, drawn: 0, plot };
root.dataset.ready = "yes";
