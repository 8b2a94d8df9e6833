// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Paper: every picture at its width, whatever the window's, and back again.

const PAPER = 680; // pixels between the margins of A4

export function fitPaper(pictures, back) {
  let printing = false;
  const begin = () => {
    if (printing) return;
    printing = true;
    for (const picture of pictures) picture.draw(PAPER, true);
  };
  const end = () => {
    printing = false;
    back();
  };
  window.addEventListener("beforeprint", begin);
  window.addEventListener("afterprint", end);
  window.matchMedia("print").addEventListener("change", ({ matches }) => (matches ? begin() : end()));
}
